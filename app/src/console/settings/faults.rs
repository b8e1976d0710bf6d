//! What is wrong with a setting, in sentences.

use crate::{
    console::{callback, words::with_japanese},
    page::mistake,
    parts::Mistake,
};
use domain::{callback::BadCallback, contact::BadContact, tenant::BadSetting};
use service::webhook::sender::receiver_url::UrlFault;

/// A setting out of its bounds.
pub(super) fn setting(bad: &BadSetting) -> Mistake {
    let (name, ja) = match bad.field {
        "link_lifetime" => (
            "The link's lifetime",
            "リンクの有効期間は5分から7日の範囲で入力してください。",
        ),
        "session_lifetime" => (
            "The session's lifetime",
            "セッションの有効期間は1時間から30日の範囲で入力してください。",
        ),
        "retention" => ("The retention period", "保存期間は1日から7年の範囲で入力してください。"),
        "review_target" => (
            "The review target",
            "審査の目標時間は5分から30日の範囲で入力してください。",
        ),
        "tries" => ("The number of tries", "試行回数は1から9の範囲で入力してください。"),
        "policy" => (
            "The",
            "しきい値は0から1の範囲で、審査のしきい値は合格のしきい値以下で入力してください。しきい値の下限は、顔照合の合格が0.50、生体検知の合格が0.43、同一の顔が0.83です。",
        ),
        "accent" => (
            "The accent colour",
            "アクセントカラーは「#rrggbb」の形式で入力してください。",
        ),
        "name" => (
            "The name",
            "名称は1文字以上100文字以内で、制御文字を含めずに入力してください。",
        ),
        other => (other, "この設定の値は使用できません。"),
    };
    // The thresholds are judged together; the first of them leads to the others.
    let field = if bad.field == "policy" {
        "match_accept"
    } else {
        bad.field
    };
    mistake(field, with_japanese(format!("{name} {}.", bad.message), ja))
}

/// A contact that is none.
pub(super) fn contact(bad: BadContact) -> Mistake {
    let en = format!("The contact {bad}.");
    mistake(
        "contact",
        with_japanese(
            en,
            "問い合わせ先には「https://」で始まるURLまたはメールアドレスを入力してください。",
        ),
    )
}

/// A line of the callback URLs.
pub(super) fn callback_line(url: &str, bad: BadCallback) -> Mistake {
    let ja = callback::rule(bad);
    mistake(
        "callback_urls",
        with_japanese(format!("The callback URL {url} {bad}."), format!("{url}：{ja}")),
    )
}

/// A receiver that gets no webhooks.
pub(super) fn receiver(bad: UrlFault) -> Mistake {
    let ja = match bad {
        UrlFault::Malformed => "受信先には正しい形式のURLを入力してください。",
        UrlFault::TooLong => "受信先のURLは2,048バイト以内で入力してください。",
        UrlFault::NotHttps => "受信先には「https://」で始まるURLを入力してください。",
        UrlFault::Credentials => "受信先のURLにユーザー名やパスワードを含めることはできません。",
        UrlFault::Fragment => "受信先のURLにフラグメントを含めることはできません。",
        UrlFault::Literal => "受信先はホスト名で指定してください。IPアドレスは使用できません。",
        UrlFault::Port => {
            "このポートは受信先に使用できません。443、または1024以上で他のプロトコルに割り当てられていないポートを指定してください。"
        }
        UrlFault::Unresolved => "受信先のホスト名を解決できません。",
        UrlFault::NotPublic => "受信先のホスト名が、公開されていないアドレスに解決されます。",
    };
    mistake("webhook_url", with_japanese(format!("The receiver {bad}."), ja))
}
