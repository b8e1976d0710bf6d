//! What is wrong with a setting, in sentences.

use super::bounds;
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
    callback::{BadCallback, CallbackUrl},
    contact::BadContact,
    decision::ThresholdFault,
    setting::Setting,
    tenant::{BadSetting, Bounds, SettingFault},
    time::{Millis, Unit},
};
use service::webhook::sender::receiver_url::{self, UrlFault};

/// A setting out of its bounds.
pub(super) fn setting(bad: &BadSetting) -> Mistake {
    let field = bad.field.as_str();
    let (name, ja) = match &bad.fault {
        SettingFault::Callback { url, fault } => return callback_line(url, *fault),
        SettingFault::Span(allowed) => return mistake(field, span_out_of_bounds(bad.field, *allowed)),
        SettingFault::Threshold(fault) => return threshold((bad.field, *fault)),
        SettingFault::Tries(Bounds { least, most }) => (
            "The number of tries",
            format!("試行回数は{least}から{most}の範囲で入力してください。"),
        ),
        SettingFault::Colour => (
            "The accent colour",
            "アクセントカラーは「#rrggbb」の形式で入力してください。".to_owned(),
        ),
        SettingFault::Name(longest) => (
            "The name",
            format!("名称は目に見える文字だけを使い、1文字以上{longest}文字以内で入力してください。"),
        ),
        SettingFault::TooMany(most) if bad.field == Setting::IpAllowList => (
            "The list of networks",
            format!("IPアドレスとネットワークは{most}件以内で入力してください。"),
        ),
        SettingFault::TooMany(most) => (
            "The list of callback URLs",
            format!("コールバックURLは{most}件以内で入力してください。"),
        ),
    };
    mistake(field, with_japanese(format!("{name} {}.", bad.fault), ja))
}

/// What should be a span of time and is not a number.
pub(super) fn not_a_span(setting: Setting) -> Mistake {
    let unit = bounds::unit(setting).map(labels::unit).unwrap_or_default();
    let label = labels::setting(setting);
    mistake(
        setting.as_str(),
        tell!(
            "{label}: enter a number of {unit}.",
            "{label}：数値（{unit}）を入力してください。"
        ),
    )
}

/// A span of time out of its bounds, in the unit it is typed in.
fn span_out_of_bounds(setting: Setting, Bounds { least, most }: Bounds<Millis>) -> String {
    let unit = bounds::unit(setting).unwrap_or(Unit::Minutes);
    let (label, unit_name) = (labels::setting(setting), labels::unit(unit));
    let unit = unit.length().0;
    let most = grouped(most.0 / unit);
    if least.0 < unit {
        let least = least.0 / Unit::Minutes.length().0;
        return tell!(
            "{label}: enter {least} minutes to {most} {unit_name}.",
            "{label}：{least}分から{most}{unit_name}の範囲で入力してください。"
        );
    }
    let least = grouped(least.0 / unit);
    tell!(
        "{label}: enter {least} to {most} {unit_name}.",
        "{label}：{least}{unit_name}から{most}{unit_name}の範囲で入力してください。"
    )
}

/// What should be a share and is not a number.
pub(super) fn not_a_share(setting: Setting) -> Mistake {
    of_threshold(setting, &share(setting))
}

/// A threshold out of its bounds.
pub(super) fn threshold((setting, fault): (Setting, ThresholdFault)) -> Mistake {
    let what = match fault {
        ThresholdFault::Below(_) | ThresholdFault::Above(_) => share(setting),
        ThresholdFault::AboveAcceptance(accept) => tell!(
            "must not be above the acceptance threshold ({}).",
            "合格のしきい値（{}）以下の値を入力してください。",
            bounds::number(accept)
        ),
    };
    of_threshold(setting, &what)
}

/// With the name of its field.
fn of_threshold(setting: Setting, what: &str) -> Mistake {
    let label = labels::setting(setting);
    mistake(setting.as_str(), tell!("{label}: {what}", "{label}：{what}"))
}

/// What may be entered, the same whichever bound was missed.
fn share(setting: Setting) -> String {
    tell!(
        "enter {} to {}.",
        "{}から{}までの数値を入力してください。",
        bounds::least(setting),
        bounds::most(setting)
    )
}

/// An invalid contact.
pub(super) fn contact(bad: BadContact) -> Mistake {
    let en = format!("The contact {bad}.");
    mistake(
        Setting::Contact.as_str(),
        with_japanese(
            en,
            "問い合わせ先には「https://」で始まるURLまたはメールアドレスを入力してください。",
        ),
    )
}

/// A line of the callback URLs.
pub(super) fn callback_line(url: &str, bad: BadCallback) -> Mistake {
    let (url, ja) = (CallbackUrl::named(url), callback::rule(bad));
    mistake(
        Setting::CallbackUrls.as_str(),
        with_japanese(format!("The callback URL {url} {bad}."), format!("{url}：{ja}")),
    )
}

/// A receiver that nothing would be sent to.
pub(super) fn no_event_types() -> Mistake {
    mistake(
        Setting::EventTypes.as_str(),
        say(
            "Choose at least one event, or leave the URL empty to send no webhooks.",
            "イベントを1つ以上選択してください。Webhookを送信しない場合は、URLを空欄にしてください。",
        ),
    )
}

/// A receiver that gets no webhooks.
pub(super) fn receiver(bad: UrlFault) -> Mistake {
    let longest = grouped(i64::try_from(receiver_url::LONGEST).unwrap_or(i64::MAX));
    let too_long = format!("受信先のURLは{longest}バイト以内で入力してください。");
    let ja = match bad {
        UrlFault::Malformed => "受信先には正しい形式のURLを入力してください。",
        UrlFault::TooLong => too_long.as_str(),
        UrlFault::NotHttps => "受信先には「https://」で始まるURLを入力してください。",
        UrlFault::Credentials => "受信先のURLにユーザー名やパスワードを含めることはできません。",
        UrlFault::Fragment => "受信先のURLにフラグメントを含めることはできません。",
        UrlFault::Literal => "受信先はホスト名で指定してください。IPアドレスは使用できません。",
        UrlFault::Port => {
            "このポートは受信先に使用できません。443、または1024以上でほかのプロトコルに割り当てられていないポートを指定してください。"
        }
        UrlFault::NotPublic => "受信先には、公開アドレスだけに解決されるホスト名を指定してください。",
    };
    mistake(
        Setting::WebhookUrl.as_str(),
        with_japanese(format!("The receiver {bad}."), ja),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::console::words::in_language;
    use domain::{decision::Policy, language::Language, tenant::TenantSettings};

    #[test]
    fn a_callback_url_that_is_too_long_is_told_by_its_beginning() {
        let url = format!("https://shop.example/{}", "a".repeat(2_000));
        let beginning = format!("https://shop.example/{}…", "a".repeat(59));
        let wrong = TenantSettings {
            callback_urls: vec![url],
            ..TenantSettings::default()
        };
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let english = format!("The callback URL {beginning} must be at most 2,000 bytes.");
        let japanese = format!("{beginning}：2,000バイト以内で入力してください。");
        for (language, sentence) in [(Language::En, english), (Language::Ja, japanese)] {
            let told = runtime.block_on(in_language(language, async {
                wrong.faults().iter().map(setting).collect::<Vec<_>>()
            }));
            let told: Vec<_> = told.into_iter().map(|wrong| wrong.sentence).collect();
            assert_eq!(told, [sentence]);
        }
    }

    #[test]
    fn each_threshold_out_of_bounds_is_told_at_its_field_with_its_bound() {
        let policy = Policy {
            match_accept: 0.4,
            match_review: 0.45,
            liveness_accept: 0.5,
            liveness_review: 0.55,
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
                    "Liveness, review threshold: must not be above the acceptance threshold (0.50)."
                ),
                ("sampled", "Quality control, share: enter 0 to 1."),
                ("duplicate_from", "Same-face threshold: enter 0.83 to 1."),
            ]
        );
    }

    #[test]
    fn a_review_threshold_that_would_reject_living_people_is_told_its_bound() {
        let policy = Policy {
            liveness_accept: 0.8,
            liveness_review: 0.7,
            ..Policy::default()
        };
        let told: Vec<_> = policy.faults().into_iter().map(threshold).collect();
        let sentences: Vec<_> = told.iter().map(|wrong| wrong.sentence.as_str()).collect();
        assert_eq!(sentences, ["Liveness, review threshold: enter 0 to 0.60."]);
    }
}
