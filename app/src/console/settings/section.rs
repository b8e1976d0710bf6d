//! The current values of each section of the settings, and its address.

use super::bounds;
use crate::console::{
    labels,
    words::{say, tell},
};
use domain::{
    event::EventType,
    tenant::{Section, TenantSettings},
    time::Millis,
};
use service::{
    settings::preview::{Value, without_query},
    stored::TenantRow,
};

/// The address of a section's page and of its form.
pub(super) fn path(section: Section) -> String {
    format!("{}/{section}", super::HERE)
}

/// What a section holds at present, in a line.
pub(super) fn holds(section: Section, tenant: &TenantRow, has_logo: bool) -> String {
    let settings = &tenant.settings.clone().unwrap_or_default();
    match section {
        Section::Steps => steps(settings),
        Section::Decision => tell!(
            "Face match threshold {}, liveness threshold {}. {}",
            "顔照合のしきい値{}、生体検知のしきい値{}。{}",
            bounds::threshold(settings.policy.match_accept),
            bounds::threshold(settings.policy.liveness_accept),
            labels::accepted(settings.policy.accepted)
        ),
        Section::Review => tell!("Target: {}", "目標時間：{}", span(settings.review_target)),
        Section::Look => look(&tenant.name, settings, has_logo),
        Section::Webhook => webhook(settings),
        Section::Callbacks => allowed(&settings.callback_urls, &Value::None),
        Section::Addresses => {
            let networks: Vec<String> = settings.ip_allow_list.iter().map(ToString::to_string).collect();
            allowed(&networks, &Value::EveryAddress)
        }
        Section::Lifetimes => tell!(
            "Link {}, session {}, personal data {}",
            "リンク{}、セッション{}、個人情報{}",
            span(settings.link_lifetime),
            span(settings.session_lifetime),
            span(settings.retention)
        ),
        Section::SignIn if settings.second_factor_required => {
            say("A second factor is required", "2要素認証は必須").to_owned()
        }
        Section::SignIn => say("A second factor is optional", "2要素認証は任意").to_owned(),
    }
}

fn span(span: Millis) -> String {
    labels::value(&Value::span(span))
}

fn steps(settings: &TenantSettings) -> String {
    if settings.steps.is_empty() {
        return say("None: no session can be created", "なし（セッションを作成できません）").to_owned();
    }
    let names: Vec<&str> = settings.steps.iter().map(|step| labels::step(*step)).collect();
    let names = names.join(say(", ", "、"));
    tell!(
        "{names}. Tries per step: {}",
        "{names}。ステップごとの試行回数：{}",
        settings.tries
    )
}

fn look(name: &str, settings: &TenantSettings, has_logo: bool) -> String {
    let accent = settings.accent.as_deref();
    let logo = has_logo.then(|| say("logo", "ロゴ"));
    let contact = settings.contact.as_ref().map(|contact| contact.typed());
    let parts: Vec<&str> = [Some(name), accent, logo, contact].into_iter().flatten().collect();
    parts.join(say(", ", "、"))
}

fn webhook(settings: &TenantSettings) -> String {
    let Some(receiver) = settings.webhook_url.as_deref().map(without_query) else {
        return say("No receiver", "受信先なし").to_owned();
    };
    tell!(
        "{receiver}, {} of {} event types",
        "{receiver}、イベント{}／{}種類",
        settings.event_types.len(),
        EventType::ALL.len()
    )
}

/// What an allow-list allows: its first entry, and how many others there are, or what it means that there is none.
fn allowed(entries: &[String], none: &Value) -> String {
    let entries = match entries {
        [] => labels::value(none),
        [only] => only.clone(),
        [first, rest @ ..] => tell!("{first} and {} more", "{first}、ほか{}件", rest.len()),
    };
    tell!("Allowed: {entries}", "許可：{entries}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_receiver_is_named_without_its_query() {
        let settings = TenantSettings {
            webhook_url: Some("https://shop.example/hooks?token=secret".into()),
            event_types: EventType::ALL[..2].to_vec(),
            ..TenantSettings::default()
        };
        let all = EventType::ALL.len();
        assert_eq!(
            webhook(&settings),
            format!("https://shop.example/hooks?…, 2 of {all} event types")
        );
    }

    #[test]
    fn an_allow_list_is_summed_up() {
        let entries = |count: usize| (0..count).map(|n| format!("n{n}")).collect::<Vec<_>>();
        for (count, wanted) in [
            (0, "Allowed: every address"),
            (1, "Allowed: n0"),
            (3, "Allowed: n0 and 2 more"),
        ] {
            assert_eq!(allowed(&entries(count), &Value::EveryAddress), wanted);
        }
        assert_eq!(allowed(&[], &Value::None), "Allowed: none");
    }
}
