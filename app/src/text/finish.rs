//! Check and submit, and the result.

use super::texts;

texts! {
    /// Title.
    SUBMIT_TITLE: "Check and submit", "内容の確認と送信";
    /// Lead.
    SUBMIT_LEAD: "Please check everything once more. You cannot make changes after you submit.", "もう一度ご確認ください。送信後は変更できません。";
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
    /// Approved.
    APPROVED_TITLE: "Confirmed", "確認が完了しました";
    /// Approved.
    APPROVED_LEAD: "Thank you. Your identity is confirmed.", "ご協力ありがとうございました。ご本人であることを確認しました。";
    /// Review.
    REVIEW_TITLE: "Your verification is being reviewed", "確認中です";
    /// Review.
    REVIEW_LEAD: "A person is checking it. {tenant} will let you know the result. You can close this page.", "担当者が内容を確認しています。結果は {tenant} からお知らせします。このページは閉じてかまいません。";
    /// Rejected.
    REJECTED_TITLE: "We could not confirm your identity", "ご本人であることを確認できませんでした";
    /// Rejected.
    REJECTED_LEAD: "Please contact {tenant} if you have questions.", "ご不明な点は {tenant} へお問い合わせください。";
    /// Failed.
    FAILED_TITLE: "The verification could not be completed", "本人確認を完了できませんでした";
    /// Failed.
    FAILED_LEAD: "Something went wrong on our side. Please ask {tenant} for a new link.", "システム側で問題が発生しました。{tenant} に新しいリンクをご依頼ください。";
    /// Declined.
    DECLINED_TITLE: "You did not agree", "同意されませんでした";
    /// Declined.
    DECLINED_LEAD: "The verification has ended. {tenant} has been notified.", "本人確認を終了しました。{tenant} に通知しました。";
    /// Back.
    RETURN: "Return to {tenant}", "{tenant} に戻る";
    /// If there is no callback URL.
    CLOSE: "You can close this page.", "このページは閉じてかまいません。";
}
