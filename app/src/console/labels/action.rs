//! The actions of the audit log.

use crate::console::words::say;
use domain::{audit::AuditAction, named::Named};

/// The action as the audit log words it.
#[must_use]
pub(in crate::console) fn action(action: &Named<AuditAction>) -> String {
    let known = match action {
        Named::Known(known) => known,
        Named::Other(name) => return name.replace(['.', '_'], " "),
    };
    let label = match known {
        AuditAction::SessionCreate => say("created a session", "セッションを作成"),
        AuditAction::SessionRead => say("read a session", "セッションを閲覧"),
        AuditAction::SessionSearch => say("searched for a person", "人物を検索"),
        AuditAction::SessionReprocess => say("reprocessed a session", "再提出を依頼"),
        AuditAction::SessionCancel => say("cancelled a session", "セッションをキャンセル"),
        AuditAction::SessionConsent => say("gave consent", "同意"),
        AuditAction::SessionDecline => say("declined consent", "同意を拒否"),
        AuditAction::SessionSubmit => say("submitted the session", "内容を提出"),
        AuditAction::SessionDecide => say("decided the session", "セッションを判定"),
        AuditAction::SessionExpire => say("ended the session at its deadline", "期限によりセッションを終了"),
        AuditAction::SessionErase => say("erased the personal data", "個人情報を消去"),
        AuditAction::SessionEraseNow => say("requested erasure of the personal data", "個人情報の消去を指示"),
        AuditAction::SessionCompleteInSandbox => {
            say("completed the session with test data", "テストデータでセッションを完了")
        }
        AuditAction::SessionAdvanceInSandbox => say("moved the session’s clock", "セッションの時刻を変更"),
        AuditAction::SessionReissueLink => say("reissued a link", "リンクを再発行"),
        AuditAction::LinkOpen => say("opened the link", "リンクにアクセス"),
        AuditAction::LinkSwitchDevice => say("asked for a link for another device", "別の端末用のリンクを発行"),
        AuditAction::CaseOpen => say("opened a case", "案件を閲覧"),
        AuditAction::CaseAssign => say("assigned a case", "案件を割り当て"),
        AuditAction::CaseRule => say("decided a case", "案件を判定"),
        AuditAction::CaseUndo => say("undid their decision on a case", "案件の判定を取り消し"),
        AuditAction::CaseAskAgain => say("asked the user again", "利用者に再提出を依頼"),
        AuditAction::PictureView => say("viewed a picture", "画像を閲覧"),
        AuditAction::KeyIssue => say("issued an API key", "APIキーを発行"),
        AuditAction::KeyRevoke => say("revoked an API key", "APIキーを失効"),
        AuditAction::SettingsChange => say("changed settings", "設定を変更"),
        AuditAction::LogoSet => say("uploaded a logo", "ロゴをアップロード"),
        AuditAction::LogoRemove => say("removed the logo", "ロゴを削除"),
        AuditAction::PersonAdd => say("added a person", "メンバーを追加"),
        AuditAction::PersonInvite => say("invited a person", "メンバーを招待"),
        AuditAction::PersonRevokeInvitation => say("revoked an invitation", "招待を取り消し"),
        AuditAction::PersonJoin => say("accepted an invitation", "招待を承諾"),
        AuditAction::PersonIssueReset => say("issued a password reset link", "パスワード再設定リンクを発行"),
        AuditAction::PersonResetPassword => say("reset their password", "パスワードを再設定"),
        AuditAction::PersonGrantOperator => say("made a person an operator", "メンバーを運用者に変更"),
        AuditAction::PersonRevokeOperator => say("revoked a person’s operator rights", "運用者権限を取り消し"),
        AuditAction::PersonReleaseAddress => {
            say("released a person’s e-mail address", "メンバーのメールアドレスを解放")
        }
        AuditAction::PersonChange => say("changed a person", "メンバーを変更"),
        AuditAction::PersonSignIn => say("signed in", "サインイン"),
        AuditAction::PersonSignInRefused => say("failed to sign in", "サインインに失敗"),
        AuditAction::PersonLinkAccount => say(
            "linked their account to the identity provider",
            "アカウントをIDプロバイダーに連携",
        ),
        AuditAction::PersonUnlinkAccount => say(
            "removed an account’s link to the identity provider",
            "アカウントとIDプロバイダーの連携を解除",
        ),
        AuditAction::PersonChangePassword => say("changed their password", "パスワードを変更"),
        AuditAction::FactorAdd => say("added a second factor", "2要素認証の手段を追加"),
        AuditAction::FactorRemove => say("removed a second factor", "2要素認証の手段を解除"),
        AuditAction::RecoveryCodesIssue => say("generated new recovery codes", "リカバリーコードを再発行"),
        AuditAction::PersonForgetBrowser => say(
            "forgot one of their browsers",
            "サインインしたことのあるブラウザーの記録を削除",
        ),
        AuditAction::PersonEndSession => say("signed out another browser", "別のブラウザーからサインアウト"),
        AuditAction::PersonSignOutEverywhere => say("signed out everywhere", "すべてのブラウザーからサインアウト"),
        AuditAction::InstallationSetUp => say("set up the installation", "システムを初期設定"),
        AuditAction::TenantCreate => say("created the tenant", "テナントを作成"),
        AuditAction::TenantView => say("viewed the tenant as an operator", "運用者としてテナントを閲覧"),
        AuditAction::WebhookSecretIssue => say("issued a webhook secret", "署名シークレットを発行"),
        AuditAction::WebhookSecretDisable => say("disabled a webhook secret", "署名シークレットを無効化"),
        AuditAction::MasterKeyRotate => say("replaced the master key", "マスターキーを更新"),
        AuditAction::SessionExport => say("downloaded the list of sessions", "セッションの一覧をダウンロード"),
        AuditAction::AuditExport => say("exported the audit log", "監査ログをエクスポート"),
        AuditAction::AuditTrim => say("removed old entries of the audit log", "古い監査ログを削除"),
        AuditAction::WebhookSendAgain => say("resent a webhook", "Webhookを再送"),
        AuditAction::WebhookSendRangeAgain => say("resent webhooks", "Webhookを一括再送"),
        AuditAction::WebhookTest => say("sent a test webhook", "テストWebhookを送信"),
    };
    label.to_owned()
}
