//! Check and submit, and the result.

use super::texts;

texts! {
    /// Title.
    SUBMIT_TITLE: "Check and submit", "内容の確認と送信";
    /// Lead.
    SUBMIT_LEAD: "Check everything once more. You cannot change it after you submit.", "もう一度ご確認ください。送信後は変更できません。";
    /// Heading.
    SUBMIT_DOCUMENT: "Your document", "本人確認書類";
    /// Heading.
    SUBMIT_DETAILS: "Your details", "お客様の情報";
    /// Heading.
    SUBMIT_SELFIE: "Your face", "お顔の写真";
    /// Selfie taken.
    SUBMIT_SELFIE_DONE: "Photos taken", "撮影済み";
    /// Link back.
    SUBMIT_CHANGE: "Change", "変更する";
    /// Alternative text.
    SUBMIT_FRONT_ALT: "Front of your document", "書類の表面";
    /// Alternative text.
    SUBMIT_BACK_ALT: "Back of your document", "書類の裏面";
    /// Alternative text.
    SUBMIT_SELFIE_ALT: "Your selfie", "お顔の写真";
    /// The button.
    SUBMIT_BUTTON: "Submit", "送信する";
    /// While deciding.
    WAITING_TITLE: "Checking your information", "確認しています";
    /// While deciding.
    WAITING_LEAD: "This takes a few seconds. The result will appear on this page.", "数秒かかります。このままお待ちください。";
    /// While deciding.
    WAITING_AGAIN: "Refresh", "結果を見る";
    /// The same without a connection.
    WAITING_OFFLINE: "You are offline. We have received everything you sent. The result will appear here when you are back online.", "インターネットに接続されていません。送信内容はすべて届いています。接続が戻りしだい、この画面に結果を表示します。";
    /// Approved.
    APPROVED_TITLE: "Your identity is confirmed", "ご本人であることを確認しました";
    /// Approved.
    APPROVED_LEAD: "There is nothing more to do.", "お手続きは以上です。ご協力ありがとうございました。";
    /// Review.
    REVIEW_TITLE: "We are reviewing your details", "担当者が確認しています";
    /// Review.
    REVIEW_LEAD: "There is nothing more to do. You can close this page.", "お手続きは以上です。このページは閉じてかまいません。";
    /// Rejected.
    REJECTED_TITLE: "We could not confirm your identity", "ご本人であることを確認できませんでした";
    /// Rejected.
    REJECTED_LEAD: "This does not mean that you did anything wrong. Ask {tenant} for another way, and give the reference below.", "お客様に落ち度があるという意味ではありません。{tenant} に下の受付番号をお伝えのうえ、ほかの方法をお問い合わせください。";
    /// Failed.
    FAILED_TITLE: "The verification could not be completed", "本人確認を完了できませんでした";
    /// Failed.
    FAILED_LEAD: "Something went wrong on our side. Ask {tenant} for a new link, and give the reference below.", "システムエラーが発生しました。{tenant} に下の受付番号をお伝えのうえ、新しいリンクをご依頼ください。";
    /// Cancelled by the tenant.
    CANCELLED_TITLE: "This verification was cancelled", "本人確認は取り消されました";
    /// The same.
    CANCELLED_LEAD: "{tenant} cancelled it. You have nothing to do. If you did not expect this, ask {tenant} and give the reference below.", "{tenant} が取り消しました。お手続きは不要です。お心当たりがない場合は、下の受付番号を添えて {tenant} にお問い合わせください。";
    /// The data was erased before a decision.
    ERASED_TITLE: "This verification has ended", "本人確認は終了しました";
    /// The same.
    ERASED_LEAD: "Your data was deleted before there was a result. You have nothing to do. If you did not expect this, ask {tenant} and give the reference below.", "結果が出る前に、お客様のデータは削除されました。お手続きは不要です。お心当たりがない場合は、下の受付番号を添えて {tenant} にお問い合わせください。";
    /// Declined.
    DECLINED_TITLE: "Verification ended", "同意いただけなかったため、本人確認を終了しました";
    /// Declined.
    DECLINED_LEAD: "You did not agree, and {tenant} has been notified.", "{tenant} に通知しました。";
    /// Row of the receipt.
    RECEIPT_FOR: "For", "依頼元";
    /// Row of the receipt.
    RECEIPT_REFERENCE: "Reference", "受付番号";
    /// Row of the receipt.
    RECEIPT_TIME: "Time", "日時";
    /// Heading.
    NEXT: "What happens next", "今後の流れ";
    /// Step.
    NEXT_SENT: "Your photos and details have arrived", "写真と情報を受け取りました";
    /// Step.
    NEXT_PERSON: "A person at {tenant} will review them", "{tenant} の担当者が確認します";
    /// Step.
    NEXT_TOLD: "{tenant} will tell you the result", "結果は {tenant} からお知らせします";
    /// Back.
    RETURN: "Return to {tenant}", "{tenant} に戻る";
    /// The browser goes back by itself.
    RETURN_SOON: "Returning to {tenant} in {seconds} {seconds:second|seconds}.", "{seconds}秒後に {tenant} に戻ります。";
    /// Stops that.
    RETURN_STAY: "Stay on this page", "このページにとどまる";
    /// If there is no callback URL.
    CLOSE: "You can close this page.", "このページは閉じてかまいません。";
}
