//! What is wrong with a setting, in sentences.

use crate::{
    console::{
        callback, labels,
        parts::grouped,
        words::{say, tell, with_japanese},
    },
    page::mistake,
    parts::Mistake,
};
use domain::{
    callback::BadCallback,
    contact::BadContact,
    decision::{Policy, ThresholdFault},
    tenant::{BadSetting, TenantSettings},
    time::Millis,
};
use service::webhook::sender::receiver_url::UrlFault;

/// A setting out of its bounds.
pub(super) fn setting(bad: &BadSetting) -> Mistake {
    if let Some(sentence) = span_out_of_bounds(bad.field) {
        return mistake(bad.field, sentence);
    }
    let (name, ja) = match bad.field {
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

/// A setting that is a span of time: its name, and the unit it is typed in.
struct Span {
    label: &'static str,
    unit: Millis,
    unit_name: &'static str,
    bounds: (Millis, Millis),
}

fn span(field: &str) -> Option<Span> {
    let of = |label, (unit, unit_name), bounds| {
        Some(Span {
            label,
            unit,
            unit_name,
            bounds,
        })
    };
    let minutes = (Millis::minutes(1), say("minutes", "分"));
    let hours = (Millis::hours(1), say("hours", "時間"));
    let days = (Millis::days(1), say("days", "日"));
    match field {
        "link_lifetime" => of(
            say("Link lifetime", "リンクの有効期間"),
            minutes,
            TenantSettings::LINK_LIFETIME,
        ),
        "session_lifetime" => of(
            say("Session lifetime", "セッションの有効期間"),
            hours,
            TenantSettings::SESSION_LIFETIME,
        ),
        "retention" => of(
            say("Personal data retention", "個人情報の保存期間"),
            days,
            TenantSettings::RETENTION,
        ),
        "review_target" => of(
            say("Review target", "審査の目標時間"),
            hours,
            TenantSettings::REVIEW_TARGET,
        ),
        _ => None,
    }
}

/// The unit in which a span of time is typed.
pub(super) fn unit(field: &str) -> Millis {
    span(field).map_or(Millis::hours(1), |span| span.unit)
}

/// What should be a span of time and is no number.
pub(super) fn not_a_span(field: &str) -> Mistake {
    let (label, unit) = span(field).map_or(("", ""), |span| (span.label, span.unit_name));
    mistake(
        field,
        tell!(
            "{label}: enter a number of {unit}.",
            "{label}：数値（{unit}）を入力してください。"
        ),
    )
}

/// A span of time out of its bounds, in the unit it is typed in.
fn span_out_of_bounds(field: &str) -> Option<String> {
    let Span {
        label,
        unit,
        unit_name,
        bounds: (least, most),
    } = span(field)?;
    let most = grouped(most.0 / unit.0);
    if least.0 < unit.0 {
        let least = least.0 / Millis::minutes(1).0;
        return Some(tell!(
            "{label}: enter {least} minutes to {most} {unit_name}.",
            "{label}：{least}分から{most}{unit_name}の範囲で入力してください。"
        ));
    }
    let least = grouped(least.0 / unit.0);
    Some(tell!(
        "{label}: enter {least} to {most} {unit_name}.",
        "{label}：{least}{unit_name}から{most}{unit_name}の範囲で入力してください。"
    ))
}

/// What should be a share and is no number.
pub(super) fn not_a_share(field: &str) -> Mistake {
    mistake(field, of_threshold(field, &share(field)))
}

/// A threshold out of its bounds.
pub(super) fn threshold((field, fault): (&str, ThresholdFault)) -> Mistake {
    let what = match fault {
        ThresholdFault::Below(_) | ThresholdFault::Above(_) => share(field),
        ThresholdFault::AboveAcceptance(accept) => tell!(
            "must not be above the acceptance threshold ({}).",
            "合格のしきい値（{}）以下の値を入力してください。",
            number(accept)
        ),
    };
    mistake(field, of_threshold(field, &what))
}

/// With the name of its field.
fn of_threshold(field: &str, what: &str) -> String {
    let label = labels::setting(field);
    tell!("{label}: {what}", "{label}：{what}")
}

/// What may be entered, the same whichever bound was missed.
fn share(field: &str) -> String {
    let least = match field {
        "match_accept" => Policy::LEAST_MATCH_ACCEPT,
        "liveness_accept" => Policy::LEAST_LIVENESS_ACCEPT,
        "duplicate_from" => Policy::LEAST_DUPLICATE,
        _ => 0.0,
    };
    tell!("enter {} to 1.", "{}から1までの数値を入力してください。", number(least))
}

/// As short as it can be said: 0.50, but 1.
fn number(value: f64) -> String {
    format!("{value:.2}").replace(".00", "")
}

/// An invalid contact.
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
                ("match_accept", "Face match, acceptance threshold: enter 0.50 to 1."),
                (
                    "match_review",
                    "Face match, review threshold: must not be above the acceptance threshold (0.40)."
                ),
                (
                    "liveness_review",
                    "Liveness, review threshold: must not be above the acceptance threshold (0.83)."
                ),
                ("sampled", "Quality control, share: enter 0 to 1."),
                ("duplicate_from", "Same-face threshold: enter 0.83 to 1."),
            ]
        );
    }
}
