//! What is wrong with a setting, in sentences.

use crate::{
    console::{
        callback, labels,
        words::{tell, with_japanese},
    },
    page::mistake,
    parts::Mistake,
};
use domain::{callback::BadCallback, contact::BadContact, decision::ThresholdFault, tenant::BadSetting};
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
        "accent" => (
            "The accent colour",
            "アクセントカラーは「#rrggbb」の形式で入力してください。",
        ),
        "name" => (
            "The name",
            "名称は目に見える文字だけを使い、1文字以上100文字以内で入力してください。",
        ),
        "callback_urls" => (
            "The list of callback URLs",
            "コールバックURLは200件以内で入力してください。",
        ),
        "ip_allow_list" => (
            "The list of networks",
            "IPアドレスとネットワークは200件以内で入力してください。",
        ),
        other => (other, "この設定の値は使用できません。"),
    };
    mistake(bad.field, with_japanese(format!("{name} {}.", bad.message), ja))
}

/// What should be a share and is no number, with the name of its field.
pub(super) fn not_a_share(field: &str) -> Mistake {
    let label = labels::setting(field);
    mistake(
        field,
        tell!(
            "{label}: Enter a number from 0 to 1.",
            "{label}：0から1までの数値を入力してください。"
        ),
    )
}

/// A threshold out of its bounds, with the name of its field.
pub(super) fn threshold((field, fault): (&str, ThresholdFault)) -> Mistake {
    // As short as it can be said: 0.50, but 1.
    let number = |value: f64| format!("{value:.2}").replace(".00", "");
    let what = match fault {
        ThresholdFault::Below(least) => tell!("Enter {} or more.", "{}以上の値を入力してください。", number(least)),
        ThresholdFault::Above(most) => tell!("Enter {} or less.", "{}以下の値を入力してください。", number(most)),
        ThresholdFault::AboveAcceptance(accept) => tell!(
            "Must not be above the acceptance threshold ({}).",
            "合格のしきい値（{}）以下の値を入力してください。",
            number(accept)
        ),
    };
    let label = labels::setting(field);
    mistake(field, tell!("{label}: {what}", "{label}：{what}"))
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

#[cfg(test)]
mod tests {
    use super::*;
    use domain::decision::Policy;

    #[test]
    fn each_threshold_out_of_bounds_is_told_at_its_field_with_its_bound() {
        let policy = Policy {
            match_accept: 0.4,
            match_review: 0.45,
            liveness_accept: 0.83,
            liveness_review: 0.9,
            sampled: 1.5,
            duplicate_from: f64::NAN,
            ..Policy::default()
        };
        let told: Vec<_> = policy.faults().into_iter().map(threshold).collect();
        let told: Vec<_> = told
            .iter()
            .map(|wrong| (wrong.field.as_str(), wrong.sentence.as_str()))
            .collect();
        assert_eq!(
            told,
            [
                ("match_accept", "Face match, acceptance threshold: Enter 0.50 or more."),
                (
                    "match_review",
                    "Face match, review threshold: Must not be above the acceptance threshold (0.40)."
                ),
                (
                    "liveness_review",
                    "Liveness, review threshold: Must not be above the acceptance threshold (0.83)."
                ),
                ("sampled", "Quality control, share: Enter 1 or less."),
                ("duplicate_from", "Same-face threshold: Enter 0.83 or more."),
            ]
        );
    }
}
