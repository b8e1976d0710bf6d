//! Settings, and what changing them weakens.

use crate::console::words::{say, with_japanese};
use domain::tenant::Weakening;
use service::settings::preview::{Unit, Value};

/// A setting by its name as stored.
pub(in crate::console) fn setting(name: &str) -> String {
    let known = match name {
        "steps" => say("Verification steps", "確認ステップ"),
        "callback_urls" => say("Callback URLs", "コールバックURL"),
        "ip_allow_list" => say("IP allow-list", "IP許可リスト"),
        "webhook_url" => say("Webhook receiver", "Webhook受信先"),
        "event_types" => say("Events", "イベント"),
        "link_lifetime" => say("Link lifetime", "リンクの有効期間"),
        "session_lifetime" => say("Session lifetime", "セッションの有効期間"),
        "retention" => say("Personal data retention", "個人情報の保存期間"),
        "tries" => say("Tries per step", "ステップごとの試行回数"),
        "flashes" => say("Screen colours", "画面の色"),
        "accent" => say("Accent colour", "アクセントカラー"),
        "contact" => say("Contact", "問い合わせ先"),
        "review_target" => say("Review target", "審査の目標時間"),
        "match_accept" => say("Face match, acceptance threshold", "顔照合：合格のしきい値"),
        "match_review" => say("Face match, review threshold", "顔照合：審査のしきい値"),
        "liveness_accept" => say("Liveness, acceptance threshold", "生体検知：合格のしきい値"),
        "liveness_review" => say("Liveness, review threshold", "生体検知：審査のしきい値"),
        "reject_on_fraud_signals" => say("Reject on fraud signals", "不正の兆候による不承認"),
        "accept_specimens" => say("Accept specimens", "見本の受付"),
        "accepted" => say("Automatic approval", "自動承認"),
        "find_duplicates" => say("Search for faces approved before", "承認済みの顔の検索"),
        "duplicate_from" => say("Same-face threshold", "同一の顔とみなすしきい値"),
        "sampled" => say("Quality control, share", "品質管理の抽出割合"),
        "second_factor_required" => say("Second factor required", "2要素認証の必須化"),
        other => other,
    };
    known.to_owned()
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
            "Results will no longer be sent to where they are sent now.",
            "結果が現在の受信先に送信されなくなります。",
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
        Value::Span { count, unit } => {
            let unit = match unit {
                Unit::Seconds => "秒",
                Unit::Minutes => "分",
                Unit::Hours => "時間",
                Unit::Days => "日",
            };
            format!("{count}{unit}")
        }
        Value::Text(text) => text.clone(),
    };
    with_japanese(value, ja)
}
