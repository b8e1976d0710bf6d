//! Why a page of the console is not shown, or a form is refused.

use super::words::say;
use crate::page::Malformed;
use http::StatusCode;
use service::{access::Forbidden, stored::StoreError};
use std::borrow::Cow;

/// Why there is no page.
#[derive(Clone, Debug)]
pub enum Fault {
    /// The role does not allow it.
    Forbidden,
    /// There is no such thing.
    NotFound,
    /// They must prove again who they are first; then the page to continue at.
    Confirm(Cow<'static, str>),
    /// A second factor without the first one before it, or too long after it.
    NoFirstFactor,
    /// The installation has already been set up.
    SetUpClosed,
    /// A link for choosing a password that was used, revoked or replaced, has expired, or never existed.
    LinkClosed,
    /// Signing in with the provider failed.
    Provider(ProviderFault),
    /// The form was sent, or the page fetched, by another site.
    Foreign,
    /// A form that none of our pages sends.
    Malformed,
    /// Too much is going on; worth a retry.
    Busy,
    /// Storage failed. Worth a retry if that is temporary.
    Store(StoreError),
    /// The sessions of browsers cannot be read or stored at the moment, which is logged where it occurs; worth a retry.
    Unavailable,
    /// Our error; logged where it occurs.
    Broken,
}

/// Why the OpenID provider signed nobody in.
#[derive(Clone, Copy, Debug)]
pub enum ProviderFault {
    /// It cannot be reached, or does not answer as it should.
    Away,
    /// The attempt was begun in another browser, is too old, or was finished before.
    Closed,
    /// The person did not sign in there.
    Denied,
    /// Its answer was not accepted.
    Refused,
    /// Nobody here is this person.
    Unknown,
    /// The account belongs to somebody else, or somebody else was to confirm.
    Other,
    /// Too many attempts.
    Throttled,
}

impl ProviderFault {
    const fn status(self) -> StatusCode {
        match self {
            Self::Away => StatusCode::BAD_GATEWAY,
            Self::Closed => StatusCode::BAD_REQUEST,
            Self::Denied | Self::Refused | Self::Unknown | Self::Other => StatusCode::FORBIDDEN,
            Self::Throttled => StatusCode::TOO_MANY_REQUESTS,
        }
    }

    fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Away => (
                say(
                    "Your identity provider cannot be reached",
                    "IDプロバイダーに接続できません",
                ),
                say(
                    "It does not respond as expected. Try again in a moment; if this persists, ask the operator of this installation.",
                    "IDプロバイダーから正しい応答がありません。しばらくしてから再度お試しください。解消しない場合は、このシステムの運用者にお問い合わせください。",
                ),
            ),
            Self::Closed => (
                say("This sign-in cannot be continued", "このサインインは続行できません"),
                say(
                    "It was started in another browser, took longer than 10 minutes, or has already been completed. Start again.",
                    "別のブラウザーで開始されたか、開始から10分以上経過したか、すでに完了しています。最初からやり直してください。",
                ),
            ),
            Self::Denied => (
                say("You were not signed in", "サインインできませんでした"),
                say(
                    "Your identity provider did not sign you in. Start again if that was not intended.",
                    "IDプロバイダーでのサインインが完了しませんでした。意図したものでない場合は、最初からやり直してください。",
                ),
            ),
            Self::Refused => (
                say("You were not signed in", "サインインできませんでした"),
                say(
                    "The response of your identity provider was not accepted. Start again; if this persists, ask the operator of this \
                     installation.",
                    "IDプロバイダーの応答を受け付けられませんでした。最初からやり直してください。解消しない場合は、このシステムの運用者にお問い合わせください。",
                ),
            ),
            Self::Unknown => (
                say("You do not have an account", "アカウントがありません"),
                say(
                    "Your identity provider knows you, but you have not been invited here, or your account is disabled. Ask an admin of your \
                     organisation.",
                    "IDプロバイダーでの認証には成功しましたが、招待されていないか、アカウントが無効になっています。組織の管理者にお問い合わせください。",
                ),
            ),
            Self::Other => (
                say("This is another account", "別のアカウントです"),
                say(
                    "Your identity provider signed in someone other than the owner of this account. Sign out there, then try again.",
                    "IDプロバイダーで、このアカウントの所有者とは別の方がサインインしています。IDプロバイダーからサインアウトして、再度お試しください。",
                ),
            ),
            Self::Throttled => (
                say("Too many attempts", "試行回数が上限に達しました"),
                say("Wait 15 minutes, then try again.", "15分後に再度お試しください。"),
            ),
        }
    }
}

impl From<Forbidden> for Fault {
    fn from(_: Forbidden) -> Self {
        Self::Forbidden
    }
}

impl From<StoreError> for Fault {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<Malformed> for Fault {
    fn from(_: Malformed) -> Self {
        Self::Malformed
    }
}

impl Fault {
    /// Logs an error that nobody has logged yet.
    pub(super) fn log(&self) {
        if let Self::Store(error) = self {
            tracing::error!(%error, "the console could not answer");
        }
    }

    pub(crate) const fn status(&self) -> StatusCode {
        match self {
            Self::Forbidden | Self::Foreign => StatusCode::FORBIDDEN,
            Self::NotFound | Self::SetUpClosed | Self::LinkClosed => StatusCode::NOT_FOUND,
            Self::Confirm(_) | Self::NoFirstFactor => StatusCode::SEE_OTHER,
            Self::Provider(fault) => fault.status(),
            Self::Malformed => StatusCode::UNPROCESSABLE_ENTITY,
            Self::Store(error) if error.is_temporary() => StatusCode::SERVICE_UNAVAILABLE,
            Self::Busy | Self::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
            Self::Store(_) | Self::Broken => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    pub(crate) fn words(&self) -> (&'static str, &'static str) {
        match self {
            Self::Forbidden => (
                say("Not part of your role", "お使いの権限では利用できません"),
                say(
                    "Your role does not allow this. An admin of your organisation can do it for you, or give you another role.",
                    "このページや操作は、お使いの権限に含まれていません。組織の管理者に、代行または権限の変更をご依頼ください。",
                ),
            ),
            Self::NotFound => (
                say("Not found", "見つかりません"),
                say(
                    "There is no such page, or it belongs to another organisation.",
                    "ページが存在しないか、別の組織のものです。",
                ),
            ),
            Self::Confirm(_) => (
                say("Confirm", "再認証"),
                say("Confirm that it is you.", "再認証してください。"),
            ),
            Self::NoFirstFactor => (
                say("Sign in", "サインイン"),
                say("Sign in first.", "先にサインインしてください。"),
            ),
            Self::SetUpClosed => (
                say("Set-up is closed", "初期設定は終了しています"),
                say(
                    "This set-up link has already been used, or an account already exists. Sign in. To add an operator, run `honnin user invite --operator` on the server.",
                    "この初期設定リンクは使用済みか、すでにアカウントが存在します。サインインしてください。運用者を追加するには、サーバーのコマンドラインで招待してください。",
                ),
            ),
            Self::LinkClosed => (
                say("This link cannot be used", "このリンクは使用できません"),
                say(
                    "This link has been used or revoked, or it is older than 72 hours. Ask for a new one.",
                    "このリンクは使用済みか、取り消されたか、発行から72時間以上経過しています。新しいリンクをご依頼ください。",
                ),
            ),
            Self::Provider(fault) => fault.words(),
            Self::Foreign => (
                say("Request refused", "リクエストを受け付けられません"),
                say(
                    "This form was not sent from this site. Reload the page and try again.",
                    "このフォームは当サイトのページから送信されていません。ページを再読み込みして、再度お試しください。",
                ),
            ),
            Self::Malformed => (
                say("Invalid request", "無効なリクエスト"),
                say(
                    "The form was incomplete. Reload the page and try again.",
                    "フォームの内容が不足しています。ページを再読み込みして、再度お試しください。",
                ),
            ),
            Self::Busy => (
                say("Too busy at the moment", "現在混み合っています"),
                say("Try again in a moment.", "しばらくしてから再度お試しください。"),
            ),
            Self::Store(_) | Self::Unavailable | Self::Broken => (
                say("Something went wrong on our side", "サーバーで問題が発生しました"),
                say("Try again in a moment.", "しばらくしてから再度お試しください。"),
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::console::{proof::throttled, words::in_language};
    use domain::{language::Language, time::Millis};
    use service::people::{LINK_LIFETIME, openid, try_counter::WINDOW};

    #[test]
    fn the_times_that_pages_name_are_those_in_force() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let said = |language, sentence: fn() -> &'static str| {
            runtime.block_on(in_language(language, async move { sentence() }))
        };
        let hours = |span: Millis| (span.0 / Millis::hours(1).0, "hours", "時間");
        let minutes = |span: Millis| (span.0 / Millis::minutes(1).0, "minutes", "分");
        let sentences: [(fn() -> &'static str, _); 4] = [
            (|| Fault::LinkClosed.words().1, hours(LINK_LIFETIME)),
            (|| ProviderFault::Closed.words().1, minutes(openid::LIFETIME)),
            (|| ProviderFault::Throttled.words().1, minutes(WINDOW)),
            (throttled, minutes(WINDOW)),
        ];
        for (sentence, (count, unit, ja)) in sentences {
            let (english, japanese) = (said(Language::En, sentence), said(Language::Ja, sentence));
            assert!(english.contains(&format!(" {count} {unit}")), "{english}");
            assert!(japanese.contains(&format!("{count}{ja}")), "{japanese}");
        }
    }
}
