//! The sections of the settings: their addresses, who changes them, and what each holds at present.

use crate::console::{
    labels,
    words::{say, tell},
};
use domain::{event::EventType, tenant::TenantSettings, time::Millis};
use service::{settings::preview::Value, stored::TenantRow};

/// A section, which has a page of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Section {
    /// What is verified.
    #[default]
    Steps,
    /// When a session is approved.
    Decision,
    /// How reviewers work.
    Review,
    /// How end users see the tenant.
    Look,
    /// Where events are sent.
    Webhook,
    /// Where users may return to.
    Callbacks,
    /// Who may call the API.
    Addresses,
    /// How long things last.
    Lifetimes,
    /// How people sign in to the console.
    SignIn,
}

/// The sections as the index shows them, under the heading of each group.
pub(super) fn groups() -> [(&'static str, &'static [Section]); 4] {
    use Section::{Addresses, Callbacks, Decision, Lifetimes, Look, Review, SignIn, Steps, Webhook};
    [
        (say("Verification", "本人確認"), &[Steps, Decision, Review]),
        (say("Appearance", "表示"), &[Look]),
        (say("Integration", "連携"), &[Webhook, Callbacks, Addresses]),
        (say("Data and access", "データとアクセス"), &[Lifetimes, SignIn]),
    ]
}

impl Section {
    /// Every section.
    pub(super) const ALL: [Self; 9] = [
        Self::Steps,
        Self::Decision,
        Self::Review,
        Self::Look,
        Self::Webhook,
        Self::Callbacks,
        Self::Addresses,
        Self::Lifetimes,
        Self::SignIn,
    ];

    /// Its name, as in its address and in [`domain::tenant::Change::name`].
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Steps => "steps",
            Self::Decision => "decision",
            Self::Review => "review",
            Self::Look => "look",
            Self::Webhook => "webhook",
            Self::Callbacks => "callbacks",
            Self::Addresses => "addresses",
            Self::Lifetimes => "lifetimes",
            Self::SignIn => "sign_in",
        }
    }

    /// The section with a name.
    pub(super) fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|section| section.name() == name)
    }

    /// The address of its page and of its form.
    pub(super) fn path(self) -> String {
        format!("{}/{}", super::HERE, self.name())
    }

    /// Whether developers may not change it.
    pub(super) const fn is_for_admins(self) -> bool {
        !matches!(self, Self::Webhook | Self::Callbacks | Self::Addresses)
    }

    /// Its title.
    pub(super) fn title(self) -> &'static str {
        match self {
            Self::Steps => say("Verification steps", "確認ステップ"),
            Self::Decision => say("Decision", "判定"),
            Self::Review => say("Review", "審査"),
            Self::Look => say("Branding", "ブランド表示"),
            Self::Webhook => "Webhook",
            Self::Callbacks => say("Callback URLs", "コールバックURL"),
            Self::Addresses => say("IP allow-list", "IP許可リスト"),
            Self::Lifetimes => say("Lifetimes and retention", "有効期間・保存期間"),
            Self::SignIn => say("Signing in", "サインイン"),
        }
    }

    /// What it is about.
    pub(super) fn lead(self) -> &'static str {
        match self {
            Self::Steps => say(
                "What new sessions require. Existing sessions are not affected.",
                "新しいセッションで必須とするステップです。既存のセッションには影響しません。",
            ),
            Self::Decision => say(
                "Confidence values from 0 to 1. They are stored with each decision.",
                "0から1までの信頼度です。判定ごとに記録されます。",
            ),
            Self::Review => say(
                "The queue and the overview show which cases have been waiting for longer.",
                "目標時間を超えた案件は、審査と概要のページで確認できます。",
            ),
            Self::Look => say(
                "What your users see on the capture pages.",
                "撮影ページで利用者に表示されます。",
            ),
            Self::Webhook => say(
                "Where events are sent, and which types.",
                "イベントの送信先と、送信するイベントの種類です。",
            ),
            Self::Callbacks => say(
                "URLs to which users may return after the verification.",
                "本人確認の終了後に利用者の戻り先にできるURLです。",
            ),
            Self::Addresses => say(
                "Leave empty to allow every address. This list applies to the API only, not to this console.",
                "空欄の場合はすべてのアドレスを許可します。適用されるのはAPIだけで、この管理コンソールには適用されません。",
            ),
            Self::Lifetimes => say(
                "How long links are valid, sessions stay open, and personal data is retained.",
                "リンクとセッションの有効期間、および個人情報の保存期間です。",
            ),
            Self::SignIn => say(
                "People without a second factor are asked to set one up before they can do anything else.",
                "2要素認証を設定していないメンバーは、設定するまで他の操作ができません。",
            ),
        }
    }

    /// What it holds at present, in a line.
    pub(super) fn holds(self, tenant: &TenantRow, has_logo: bool) -> String {
        let settings = &tenant.settings.clone().unwrap_or_default();
        match self {
            Self::Steps => steps(settings),
            Self::Decision => tell!(
                "Face match threshold {:.2}, liveness threshold {:.2}. {}",
                "顔照合のしきい値{:.2}、生体検知のしきい値{:.2}。{}",
                settings.policy.match_accept,
                settings.policy.liveness_accept,
                labels::accepted(settings.policy.accepted)
            ),
            Self::Review => tell!("Target: {}", "目標時間：{}", span(settings.review_target)),
            Self::Look => look(&tenant.name, settings, has_logo),
            Self::Webhook => webhook(settings),
            Self::Callbacks => list(&settings.callback_urls, say("None", "なし")),
            Self::Addresses => {
                let networks: Vec<String> = settings.ip_allow_list.iter().map(ToString::to_string).collect();
                list(&networks, say("Every address", "すべてのアドレス"))
            }
            Self::Lifetimes => tell!(
                "Link {}, session {}, personal data {}",
                "リンク{}、セッション{}、個人情報{}",
                span(settings.link_lifetime),
                span(settings.session_lifetime),
                span(settings.retention)
            ),
            Self::SignIn if settings.second_factor_required => {
                say("A second factor is required", "2要素認証は必須").to_owned()
            }
            Self::SignIn => say("A second factor is optional", "2要素認証は任意").to_owned(),
        }
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
    // A query may contain a secret.
    let receiver = settings
        .webhook_url
        .as_deref()
        .map(|url| url.split('?').next().unwrap_or(url));
    let Some(receiver) = receiver else {
        return say("No receiver", "受信先なし").to_owned();
    };
    tell!(
        "{receiver}, {} of {} event types",
        "{receiver}、イベント{}／{}種類",
        settings.event_types.len(),
        EventType::ALL.len()
    )
}

/// The first entry of a list, and how many others there are.
fn list(entries: &[String], none: &str) -> String {
    match entries {
        [] => none.to_owned(),
        [only] => only.clone(),
        [first, rest @ ..] => tell!("{first} and {} more", "{first}、ほか{}件", rest.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_section_is_on_the_index_once_and_found_by_its_name() {
        let mut shown: Vec<_> = groups()
            .iter()
            .flat_map(|(_, sections)| *sections)
            .map(|section| section.name())
            .collect();
        let mut all = Section::ALL.map(Section::name).to_vec();
        shown.sort_unstable();
        all.sort_unstable();
        assert_eq!(shown, all);
        for section in Section::ALL {
            assert_eq!(Section::parse(section.name()), Some(section));
        }
        assert_eq!(Section::parse("logo"), None);
    }

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
            format!("https://shop.example/hooks, 2 of {all} event types")
        );
    }

    #[test]
    fn a_list_is_summed_up() {
        let entries = |count: usize| (0..count).map(|n| format!("n{n}")).collect::<Vec<_>>();
        for (count, wanted) in [(0, "None"), (1, "n0"), (3, "n0 and 2 more")] {
            assert_eq!(list(&entries(count), "None"), wanted);
        }
    }
}
