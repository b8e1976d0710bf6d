//! Settings, and what changing them weakens.

use super::{accepted, step};
use crate::console::words::{say, with_japanese};
use domain::{
    decision::Accepted,
    session::Step,
    setting::Setting,
    tenant::Weakening,
    time::{Span, Unit},
};
use service::settings::preview::Value;

/// A setting as its form labels it.
pub(in crate::console) fn setting(setting: Setting) -> &'static str {
    match setting {
        Setting::Name => say("Name", "名称"),
        Setting::Steps => say("Steps", "ステップ"),
        Setting::Tries => say("Tries per step", "ステップごとの試行回数"),
        Setting::Flashes => say("Screen colours", "画面の色"),
        Setting::MatchAccept => say("Face match, acceptance threshold", "顔照合：合格のしきい値"),
        Setting::MatchReview => say("Face match, review threshold", "顔照合：審査のしきい値"),
        Setting::LivenessAccept => say("Liveness, acceptance threshold", "生体検知：合格のしきい値"),
        Setting::LivenessReview => say("Liveness, review threshold", "生体検知：審査のしきい値"),
        Setting::RejectOnFraudSignals => say(
            "Reject automatically on fraud signals",
            "不正の兆候があれば自動で不承認にする",
        ),
        Setting::AcceptSpecimens => say(
            "Accept specimens and documents of the fictional state UTO",
            "見本および架空の国UTOの書類を受け付ける",
        ),
        Setting::Accepted => say("Automatic approval", "自動承認"),
        Setting::FindDuplicates => say(
            "Search for each face among those approved before",
            "承認済みの人物の顔から検索する",
        ),
        Setting::DuplicateFrom => say("Same-face threshold", "同一の顔とみなすしきい値"),
        Setting::Sampled => say("Quality control, share", "品質管理の抽出割合"),
        Setting::ReviewTarget => say("Review target", "審査の目標時間"),
        Setting::Accent => say("Accent colour", "アクセントカラー"),
        Setting::Contact => say("Contact for your users", "利用者向けの問い合わせ先"),
        Setting::WebhookUrl => say("Receiver", "受信先"),
        Setting::EventTypes => say("Events", "イベント"),
        Setting::CallbackUrls => say("Allowed callback URLs", "許可するコールバックURL"),
        Setting::IpAllowList => say("Networks that may call the API", "APIを呼び出せるネットワーク"),
        Setting::LinkLifetime => say("Link lifetime", "リンクの有効期間"),
        Setting::SessionLifetime => say("Session lifetime", "セッションの有効期間"),
        Setting::Retention => say("Personal data retention", "個人情報の保存期間"),
        Setting::SecondFactorRequired => say(
            "Require a second factor: an authenticator app or a passkey",
            "2要素認証（認証アプリまたはパスキー）を必須にする",
        ),
    }
}

/// The unit in which a span of time is typed.
pub(in crate::console) fn unit(unit: Unit) -> String {
    with_japanese(format_args!("{}s", unit.as_str()), in_japanese(unit))
}

/// `7 days`
pub(in crate::console) fn span(span: Span) -> String {
    with_japanese(span, format!("{}{}", span.count, in_japanese(span.unit)))
}

const fn in_japanese(unit: Unit) -> &'static str {
    match unit {
        Unit::Seconds => "秒",
        Unit::Minutes => "分",
        Unit::Hours => "時間",
        Unit::Days => "日",
        Unit::Years => "年",
    }
}

/// What a change of settings weakens, as a sentence.
pub(in crate::console) fn weakening(weakening: Weakening) -> &'static str {
    match weakening {
        Weakening::StepRemoved => say(
            "New sessions will skip a step that is required today.",
            "新しいセッションで、現在必須の確認ステップが不要になります。",
        ),
        Weakening::ThresholdLowered => say(
            "A lower confidence will be enough for a face match or liveness.",
            "顔照合または生体検知が、より低い信頼度でも合格になります。",
        ),
        Weakening::ReviewThresholdLowered => say(
            "Some sessions that would be rejected today because of low confidence will go to review.",
            "現在は信頼度が低いため不承認になるセッションの一部が、審査に回るようになります。",
        ),
        Weakening::FraudSignalsReviewed => say(
            "Fraud signals will no longer reject a session by themselves.",
            "不正の兆候だけでは、セッションが不承認にならなくなります。",
        ),
        Weakening::SpecimensAccepted => say(
            "Specimens and documents of a fictional state will count as genuine.",
            "見本や架空の国の書類が真正なものとして扱われます。",
        ),
        Weakening::VisualEvidence => say(
            "A document will be approved by its appearance, which can be imitated with a printer.",
            "書類が外観だけで承認されます。外観はプリンターで模倣できます。",
        ),
        Weakening::DuplicatesMissed => say(
            "People who were approved before will be found less often, or not at all.",
            "以前に承認された人物の検出が減るか、行われなくなります。",
        ),
        Weakening::SampledLess => say(
            "Fewer sessions will be selected for quality control.",
            "品質管理のために抽出されるセッションが減ります。",
        ),
        Weakening::ReceiverChanged => say(
            "This changes where results are sent, or whether they are sent.",
            "結果の送信先、または送信の有無が変わります。",
        ),
        Weakening::NetworksAdmitted => say(
            "More networks will be able to call the API.",
            "より多くのネットワークからAPIを呼び出せるようになります。",
        ),
        Weakening::AddressesShutOut => say(
            "Some addresses that can call the API today will be refused.",
            "現在APIを呼び出せるアドレスが拒否されます。",
        ),
        Weakening::RetentionShortened => say(
            "Personal data will be erased sooner, including that of sessions that have already ended.",
            "終了済みのセッションも含め、個人情報がより早く消去されます。",
        ),
        Weakening::SecondFactorOptional => say(
            "A password alone will be enough to sign in to the console.",
            "パスワードだけで管理コンソールにサインインできるようになります。",
        ),
        Weakening::FlashesOff => say(
            "The screen’s colours will no longer detect videos that were recorded earlier.",
            "事前に撮影された映像を、画面の色で検出できなくなります。",
        ),
    }
}

/// The value of a setting.
pub(in crate::console) fn value(value: &Value) -> String {
    let ja = match value {
        Value::None => "なし".to_owned(),
        Value::EveryAddress => "すべてのアドレス".to_owned(),
        Value::Switch(true) => "オン".to_owned(),
        Value::Switch(false) => "オフ".to_owned(),
        Value::Span(length) => return span(*length),
        Value::List(items) => items.join(", "),
        Value::Text(text) => text.clone(),
    };
    with_japanese(value, ja)
}

/// The value of this setting, in the words of its form where that does not show a code.
pub(in crate::console) fn value_of(setting: Setting, held: &Value) -> String {
    match (setting, held) {
        (Setting::Accepted, Value::Text(code)) => {
            Accepted::parse(code).map_or_else(|| code.clone(), |known| accepted(known).to_owned())
        }
        (Setting::Steps, Value::List(codes)) => {
            let name = |code: &String| Step::parse(code).map_or_else(|| code.clone(), |known| step(known).to_owned());
            let names: Vec<_> = codes.iter().map(name).collect();
            names.join(say(", ", "、"))
        }
        _ => value(held),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_told_in_the_words_of_the_form() {
        let list = |items: &[&str]| Value::List(items.iter().map(|item| (*item).to_owned()).collect());
        for (setting, held, told) in [
            (
                Setting::Accepted,
                Value::Text("machine_readable".to_owned()),
                "Only documents with machine-readable data",
            ),
            (Setting::Accepted, Value::Text("later".to_owned()), "later"),
            (Setting::Steps, list(&["document", "selfie"]), "Document, Selfie"),
            (Setting::Steps, list(&["document", "later"]), "Document, later"),
            (Setting::Steps, Value::None, "none"),
            (Setting::EventTypes, list(&["a.b"]), "a.b"),
            (Setting::Tries, Value::Text("3".to_owned()), "3"),
        ] {
            assert_eq!(value_of(setting, &held), told);
        }
    }
}
