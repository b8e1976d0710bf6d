//! Whether users may return to a URL, for the forms in which a URL is entered.

use super::parts::grouped;
use super::words::{say, with_japanese};
use domain::callback::{BadCallback, CallbackUrl};

/// Whether a URL is one of `allowed`, and if not, the reason as a sentence.
pub(super) fn judge(asked: &str, allowed: &[String]) -> Result<(), String> {
    CallbackUrl::parse(asked).map_err(not_allowed)?;
    CallbackUrl::allowed(asked, allowed).map(drop).ok_or_else(|| {
        say(
            "This callback URL is not on the allow-list.",
            "コールバックURLが、設定で許可されたURLに含まれていません。",
        )
        .to_owned()
    })
}

fn not_allowed(bad: BadCallback) -> String {
    let ja = rule(bad);
    with_japanese(format!("Callback URL {bad}."), format!("コールバックURL：{ja}"))
}

/// The rule that a URL breaks, in Japanese.
pub(super) fn rule(bad: BadCallback) -> String {
    let rule = match bad {
        BadCallback::NotAUrl => "絶対URLではありません。",
        BadCallback::NotHttps => "「https://」で始まるURLを指定してください。",
        BadCallback::UserInfo => "ユーザー名やパスワードを含めることはできません。",
        BadCallback::Query => "クエリを含めることはできません。",
        BadCallback::Fragment => "フラグメントを含めることはできません。",
        BadCallback::TooLong => {
            let most = grouped(i64::try_from(CallbackUrl::MAX_LENGTH).unwrap_or(i64::MAX));
            return format!("{most}バイト以内で入力してください。");
        }
    };
    rule.to_owned()
}
