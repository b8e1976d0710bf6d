//! The start page, consent and the frame around every capture page.

use super::{Text, texts};
use domain::sandbox::SandboxOutcome;

texts! {
    /// Skip link for keyboard users.
    SKIP: "Skip to main content", "本文へ移動";
    /// Name of the language switch.
    LANGUAGE: "Language", "言語";
    /// Position in the flow.
    PROGRESS: "Step {at} of {of} · {stage}", "ステップ {at}／{of}・{stage}";
    /// Stage.
    STAGE_CONSENT: "Consent", "同意";
    /// Stage.
    STAGE_DOCUMENT: "Document", "書類";
    /// Stage.
    STAGE_DETAILS: "Details", "情報";
    /// Stage.
    STAGE_SELFIE: "Your face", "お顔";
    /// Stage.
    STAGE_SUBMIT: "Submit", "送信";
    /// Footer of every page.
    FOOTER: "Identity verification by Honnin for {tenant}", "{tenant} の本人確認（Honnin）";
    /// Footer without a tenant.
    FOOTER_PLAIN: "Identity verification by Honnin", "Honnin 本人確認";
    /// Link to the tenant's help.
    CONTACT: "Contact {tenant}", "{tenant} に問い合わせる";
    /// Title prefix after a mistake.
    ERROR_PREFIX: "Error: ", "エラー：";
    /// Heading of the error summary.
    ERROR_SUMMARY: "There is a problem", "入力内容をご確認ください";
    /// Heading of the error summary about a photo.
    ERROR_SUMMARY_PHOTO: "There is a problem with the photo", "写真を確認してください";
    /// Heading of the error summary on the start page, where nothing is entered.
    ERROR_SUMMARY_START: "We could not start", "開始できませんでした";
    /// On every page in the middle of the flow.
    CONTINUE: "Continue", "次へ";
    /// Above a page, for a user who did something on a page that was out of date.
    NOT_SAVED: "That page was out of date, so what you did on it was not saved. Continue here.", "表示されていたページが古かったため、そのページでの操作は反映されませんでした。ここから続けてください。";
    /// Start page title.
    START_TITLE: "Verify your identity", "本人確認";
    /// Start page, first sentence.
    START_LEAD: "{tenant} needs to verify your identity. It takes about 2 minutes.", "{tenant} のお手続きには本人確認が必要です。所要時間は約2分です。";
    /// Heading of the list of things needed.
    START_NEED: "Have these ready", "ご用意いただくもの";
    /// Thing needed.
    START_NEED_DOCUMENT: "Your identity document", "本人確認書類";
    /// The same.
    START_NEED_DOCUMENT_HINT: "The original, not a copy", "原本（コピーは使えません）";
    /// Thing needed.
    START_NEED_PHONE: "A phone with a camera", "カメラ付きのスマートフォン";
    /// What for.
    START_NEED_PHONE_BOTH: "To photograph the document and your face", "書類とお顔を撮影します";
    /// What for.
    START_NEED_PHONE_DOCUMENT: "To photograph the document", "書類を撮影します";
    /// What for.
    START_NEED_PHONE_FACE: "To photograph your face", "お顔を撮影します";
    /// Thing needed.
    START_NEED_LIGHT: "A bright place", "明るい場所";
    /// The same.
    START_NEED_LIGHT_HINT: "Near a window, without reflections", "窓際など反射の少ない場所";
    /// Why it is safe.
    START_TRUST_LOCK: "Encrypted, and seen only by {tenant}", "暗号化され、{tenant} だけが閲覧します";
    /// Why it is safe.
    START_TRUST_TIME: "Deleted {days} {days:day|days} after the verification ends", "確認の終了から{days}日後に削除されます";
    /// Heading of the part about data.
    START_DATA: "What happens to your data", "お預かりする情報について";
    /// What is collected.
    START_DATA_WHAT: "What: {what}.", "取得する情報：{what}";
    /// Plan with a document.
    START_DATA_DOCUMENT: "photos of your document and the details on it", "本人確認書類の写真と記載内容";
    /// Plan with a selfie.
    START_DATA_SELFIE: "a short series of selfies", "顔の連続写真";
    /// Plan with both.
    START_DATA_BOTH: "photos of your document, the details on it, and a short series of selfies", "本人確認書類の写真と記載内容、顔の連続写真";
    /// Why.
    START_DATA_WHY: "Why: so that {tenant} can confirm that you are who you say you are.", "目的：{tenant} の手続きのため、本人確認を行います。";
    /// How long.
    START_DATA_LONG: "How long: deleted {days} {days:day|days} after the verification ends.", "保存期間：確認の終了から{days}日後に削除します。";
    /// By whom.
    START_DATA_WHO: "Who: {tenant}, on its own Honnin server. Nothing is shared with third parties.", "取り扱う者：{tenant}（専用の Honnin サーバー）。第三者には提供しません。";
    /// The button.
    START_BUTTON: "Start", "はじめる";
    /// The same on a computer, beside the QR code.
    START_HERE: "Continue on this computer", "このパソコンで続ける";
    /// For a browser that sent the form without the page's cookie.
    START_NO_COOKIES: "Your browser did not save our cookie. Allow cookies for this page and try again. Your link is still unused.", "Cookieが保存されませんでした。このページのCookieを許可して、もう一度お試しください。リンクはまだ使えます。";
    /// Under the button.
    START_ONCE: "This link works only once, on the device where you continue.", "このリンクは一度だけ、手続きを始めた端末で使えます。";
    /// Start page of a verification that was begun before: its title.
    RESUME_TITLE: "Continue verifying your identity", "本人確認の続き";
    /// The same, first sentence.
    RESUME_LEAD: "Everything you have sent to {tenant} so far is saved. You can continue where you left off.", "これまでに {tenant} に送信した内容は保存されています。中断したところから再開できます。";
    /// The same, the button.
    RESUME_BUTTON: "Continue", "続ける";
    /// The page for those who came without a link.
    HOME_TITLE: "Identity verification", "本人確認サービス";
    /// The same.
    HOME_LEAD: "Companies use this site to make sure that their customers are who they say they are. To start, open the link they sent you.", "企業がお客様の本人確認を行うためのサイトです。開始するには、企業から届いたリンクを開いてください。";
    /// The same.
    HOME_LOST: "Have you lost your link?", "リンクが見つからない方へ";
    /// The same.
    HOME_LOST_LEAD: "Look for it in the message from the company that asked you. Only that company can send you a new one.", "手続きを依頼した企業からのメッセージをご確認ください。新しいリンクはその企業だけが発行できます。";
    /// The same.
    HOME_STAFF: "Staff: sign in to the console", "担当者の方：管理コンソールにサインイン";
    /// Sandbox sessions.
    SANDBOX: "Test session. Nothing is analysed.", "テスト用のセッションです。解析は行われません。";
    /// Sandbox: the alternative to starting.
    SANDBOX_COMPLETE: "Complete with test data", "テストデータで完了する";
    /// Under it.
    SANDBOX_HINT: "The session is completed with fictional data and ends with the outcome you choose. This uses up the link, just like “Start”.", "架空のデータが入力され、選んだ結果でセッションが終了します。「はじめる」と同じく、リンクは使用済みになります。";
    /// Outcome.
    SANDBOX_APPROVED: "Approved", "承認";
    /// Outcome.
    SANDBOX_REJECTED: "Rejected", "不承認";
    /// Outcome.
    SANDBOX_NEEDS_REVIEW: "Needs review", "要審査";
    /// Outcome.
    SANDBOX_FAILED: "Failed", "失敗";
    /// Outcome.
    SANDBOX_EXPIRED: "Expired", "期限切れ";
    /// Consent title.
    CONSENT_TITLE: "Your consent", "同意の確認";
    /// Consent lead.
    CONSENT_LEAD: "To verify your identity, we need you to agree to this:", "本人確認のため、次の内容への同意が必要です。";
    /// Point.
    CONSENT_DOCUMENT: "{tenant} processes photos of your identity document and reads the details on it.", "{tenant} が本人確認書類の写真を取り扱い、記載内容を読み取ります。";
    /// Point.
    CONSENT_SELFIE: "{tenant} takes a short series of pictures of your face, measures it, and compares it with the photo on your document. These are biometric data.", "{tenant} がお顔を連続撮影し、特徴を数値化して、書類の写真と照合します。これは生体情報にあたります。";
    /// Point.
    CONSENT_SELFIE_ONLY: "{tenant} takes a short series of pictures of your face and measures it. These are biometric data.", "{tenant} がお顔を連続撮影し、特徴を数値化します。これは生体情報にあたります。";
    /// Point.
    CONSENT_REVIEW: "If the automatic check is unclear, a person at {tenant} reviews it.", "自動で判断できない場合は、{tenant} の担当者が目視で確認します。";
    /// Point.
    CONSENT_DELETE: "Photos and personal details are deleted {days} {days:day|days} after the verification ends. The result and a log of the verification are kept without them. You can ask {tenant} to delete your data earlier.", "写真と個人情報は確認の終了から{days}日後に削除されます。判定結果と手続きの記録は、これらを除いて保持されます。それより早い削除も {tenant} にお申し出いただけます。";
    /// In short.
    CONSENT_SHORT_DOCUMENT: "{tenant} reads the photos of your document.", "{tenant} が書類の写真を読み取ります。";
    /// In short.
    CONSENT_SHORT_SELFIE: "{tenant} compares your face with the photo on your document. These are biometric data.", "{tenant} がお顔を書類の写真と照合します。これは生体情報にあたります。";
    /// In short.
    CONSENT_SHORT_SELFIE_ONLY: "{tenant} takes pictures of your face and measures it. These are biometric data.", "{tenant} がお顔を撮影し、特徴を数値化します。これは生体情報にあたります。";
    /// In short.
    CONSENT_SHORT_DELETE: "Photos and personal details are deleted {days} {days:day|days} after the verification ends.", "写真と個人情報は確認の終了から{days}日後に削除されます。";
    /// What the short lines stand for.
    CONSENT_FULL: "Everything you agree to", "同意いただく内容の全文";
    /// The separate question.
    CONSENT_SEARCH_TITLE: "Optional: search for your face", "任意：顔の照合検索について";
    /// What the user agrees to by it.
    CONSENT_SEARCH: "I also agree that {tenant} may search for my face among the faces of people it has approved before, to detect when one person is verified more than once. For this, {tenant} keeps the measurements of my face, encrypted, and compares later applicants with them, until they are deleted {days} {days:day|days} after the verification ends. This is biometric data.", "{tenant} が、同じ人物の重複した確認に気づくために、以前に承認した人の顔の中から私の顔を検索することにも同意します。そのために {tenant} は私の顔の特徴の数値を暗号化して保存し、確認の終了から{days}日後に削除するまで、後の申請者との照合に使います。これは生体情報にあたります。";
    /// That it is optional.
    CONSENT_SEARCH_HINT: "This is your choice. If you do not agree, a person at {tenant} reviews your verification, which takes longer.", "同意は任意です。同意されない場合も本人確認は続けられます。{tenant} の担当者が目視で確認するため、時間がかかります。";
    /// Version of the consent text.
    CONSENT_VERSION: "Version of this text: {version}", "同意文の版：{version}";
    /// The button.
    CONSENT_AGREE: "I agree", "同意して進む";
    /// The other button.
    CONSENT_DECLINE: "I do not agree", "同意しない";
    /// Under the other button.
    CONSENT_DECLINE_HINT: "If you do not agree, the verification ends here and {tenant} is notified.", "同意されない場合、本人確認はここで終了し、{tenant} に通知されます。";
    /// The confirmation page for declining: its title.
    DECLINE_TITLE: "End the verification?", "本人確認を終了しますか？";
    /// The same.
    DECLINE_FINAL: "If you change your mind later, you will need a new link from {tenant}.", "後で手続きを再開するには、{tenant} から新しいリンクを受け取る必要があります。";
    /// Goes back to the consent.
    DECLINE_BACK: "Go back", "戻る";
    /// Declines.
    DECLINE_END: "End the verification", "本人確認を終了する";
}

/// A sandbox outcome.
#[must_use]
pub const fn sandbox_outcome(outcome: SandboxOutcome) -> Text {
    match outcome {
        SandboxOutcome::Approved => SANDBOX_APPROVED,
        SandboxOutcome::Rejected => SANDBOX_REJECTED,
        SandboxOutcome::NeedsReview => SANDBOX_NEEDS_REVIEW,
        SandboxOutcome::Failed => SANDBOX_FAILED,
        SandboxOutcome::Expired => SANDBOX_EXPIRED,
    }
}
