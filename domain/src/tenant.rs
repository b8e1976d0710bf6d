//! A customer account's settings, each within its bounds.

use crate::{
    callback::{BadCallback, CallbackUrl},
    contact::Contact,
    decision::{Accepted, Policy, ThresholdFault},
    event::EventType,
    name,
    named::vocabulary,
    network,
    session::{Plan, Step},
    setting::Setting,
    time::{Millis, Span, Timestamp},
};
use ipnet::IpNet;
use serde::{Deserialize, Serialize};
use std::{fmt, net::IpAddr};

/// Whether a tenant verifies people. The database keeps it as the boolean `livemode`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// It does.
    Live,
    /// Its sessions end as its developers choose.
    Sandbox,
}

impl Mode {
    /// The mode of a tenant with this `livemode`.
    #[must_use]
    pub const fn from_livemode(livemode: bool) -> Self {
        if livemode { Self::Live } else { Self::Sandbox }
    }

    /// Whether it verifies people.
    #[must_use]
    pub const fn is_live(self) -> bool {
        matches!(self, Self::Live)
    }

    /// Whether its sessions end as its developers choose.
    #[must_use]
    pub const fn is_sandbox(self) -> bool {
        matches!(self, Self::Sandbox)
    }
}

/// What a tenant has configured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TenantSettings {
    /// Enabled verification steps.
    pub steps: Vec<Step>,
    /// The callback URL allow-list.
    pub callback_urls: Vec<String>,
    /// Networks that may call the API; empty means all.
    pub ip_allow_list: Vec<IpNet>,
    /// The webhook receiver.
    pub webhook_url: Option<String>,
    /// When `webhook_url` was last changed; `None` if that was never recorded.
    pub webhook_url_set_at: Option<Timestamp>,
    /// Whether `webhook_url` was set or confirmed by somebody who may read reviewers' notes.
    pub webhook_url_is_vouched: bool,
    /// The event types that are sent.
    pub event_types: Vec<EventType>,
    /// From creation until the link can no longer be opened.
    pub link_lifetime: Millis,
    /// From creation, or reprocess, to expiry.
    pub session_lifetime: Millis,
    /// From the end of a session to the erasure of its personal data.
    pub retention: Millis,
    /// Tries per step.
    pub tries: u8,
    /// Thresholds and policies of the decision.
    pub policy: Policy,
    /// Accent colour of the capture pages, `#rrggbb`.
    pub accent: Option<String>,
    /// Where users ask for help.
    pub contact: Option<Contact>,
    /// The time within which a case should be reviewed. It only marks late cases: nothing happens to a case that takes longer.
    pub review_target: Millis,
    /// Whether everybody who works in the console needs a second factor.
    pub second_factor_required: bool,
    /// Whether the screen shows changing colours at the end of a selfie.
    pub flashes: bool,
}

impl Default for TenantSettings {
    fn default() -> Self {
        Self {
            steps: Vec::new(),
            callback_urls: Vec::new(),
            ip_allow_list: Vec::new(),
            webhook_url: None,
            webhook_url_set_at: None,
            webhook_url_is_vouched: false,
            event_types: EventType::ALL.to_vec(),
            link_lifetime: Millis::hours(48),
            session_lifetime: Millis::days(7),
            retention: Millis::days(90),
            tries: 5,
            policy: Policy::default(),
            accent: None,
            contact: None,
            review_target: Millis::hours(24),
            second_factor_required: false,
            flashes: false,
        }
    }
}

vocabulary! {
    /// A section of the settings, which is changed separately.
    Section {
        /// What is verified.
        Steps = "steps",
        /// When a session is approved.
        Decision = "decision",
        /// How reviewers work.
        Review = "review",
        /// How end users see the tenant.
        Look = "look",
        /// Where events are sent.
        Webhook = "webhook",
        /// Where users may return to.
        Callbacks = "callbacks",
        /// Who may call the API.
        Addresses = "addresses",
        /// How long things last.
        Lifetimes = "lifetimes",
        /// How people sign in to the console.
        SignIn = "sign_in",
    }
}

impl Section {
    /// Whether developers may not change it.
    #[must_use]
    pub const fn is_for_admins(self) -> bool {
        !matches!(self, Self::Webhook | Self::Callbacks | Self::Addresses)
    }
}

/// One section of the settings with its new values.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// How end users see the tenant.
    Look {
        /// The name.
        name: String,
        /// `#rrggbb`.
        accent: Option<String>,
        /// Where they ask for help.
        contact: Option<Contact>,
    },
    /// How reviewers work.
    Review {
        /// The time within which a case should be reviewed.
        target: Millis,
    },
    /// The steps of new sessions.
    Steps {
        /// Enabled steps.
        steps: Vec<Step>,
        /// Tries per step.
        tries: u8,
        /// Whether the screen shows changing colours at the end of a selfie.
        flashes: bool,
    },
    /// Lifetimes.
    Lifetimes {
        /// Lifetime of a link.
        link: Millis,
        /// Lifetime of a session.
        session: Millis,
        /// Retention of personal data after the end.
        retention: Millis,
    },
    /// The decision policy.
    Decision(Policy),
    /// The callback URL allow-list.
    Callbacks(Vec<String>),
    /// The IP allow-list of the API.
    Addresses(Vec<IpNet>),
    /// How people sign in to the console.
    SignIn {
        /// Whether everybody needs a second factor.
        second_factor_required: bool,
    },
    /// The receiver and the event types.
    Webhook {
        /// The receiver.
        url: Option<String>,
        /// The events sent.
        event_types: Vec<EventType>,
    },
}

/// Who changes settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangedBy {
    /// Somebody who may read reviewers' notes, and therefore vouches for the receiver.
    Admin,
    /// Somebody who may not.
    Developer,
}

impl Change {
    /// The section that it changes.
    #[must_use]
    pub const fn section(&self) -> Section {
        match self {
            Self::Look { .. } => Section::Look,
            Self::Review { .. } => Section::Review,
            Self::Steps { .. } => Section::Steps,
            Self::Lifetimes { .. } => Section::Lifetimes,
            Self::Decision(_) => Section::Decision,
            Self::Callbacks(_) => Section::Callbacks,
            Self::Addresses(_) => Section::Addresses,
            Self::SignIn { .. } => Section::SignIn,
            Self::Webhook { .. } => Section::Webhook,
        }
    }

    /// Puts the values into the tenant's name and settings.
    pub fn apply(&self, tenant_name: &mut String, settings: &mut TenantSettings, by: ChangedBy, now: Timestamp) {
        match self {
            Self::Look { name, accent, contact } => {
                tenant_name.clone_from(name);
                settings.accent.clone_from(accent);
                settings.contact.clone_from(contact);
            }
            Self::Review { target } => settings.review_target = *target,
            Self::Steps { steps, tries, flashes } => {
                settings.steps.clone_from(steps);
                settings.tries = *tries;
                settings.flashes = *flashes;
            }
            Self::Lifetimes {
                link,
                session,
                retention,
            } => {
                settings.link_lifetime = *link;
                settings.session_lifetime = *session;
                settings.retention = *retention;
            }
            Self::Decision(policy) => settings.policy.clone_from(policy),
            Self::Callbacks(urls) => settings.callback_urls.clone_from(urls),
            Self::Addresses(networks) => settings.ip_allow_list.clone_from(networks),
            Self::SignIn { second_factor_required } => settings.second_factor_required = *second_factor_required,
            Self::Webhook { url, event_types } => {
                if settings.webhook_url != *url {
                    settings.webhook_url.clone_from(url);
                    settings.webhook_url_set_at = Some(now);
                    settings.webhook_url_is_vouched = false;
                }
                settings.webhook_url_is_vouched |= by == ChangedBy::Admin;
                settings.event_types.clone_from(event_types);
            }
        }
    }
}

vocabulary! {
    /// Why a tenant cannot create sessions.
    NotReady {
        /// It has no settings.
        SettingsMissing = "settings_missing",
        /// It has no enabled step.
        NoStepsEnabled = "no_steps_enabled",
    }
}

vocabulary! {
    /// How a change of settings weakens something: it lets somebody through, sends data elsewhere, or erases data sooner.
    Weakening {
        /// A verification step is no longer required.
        StepRemoved = "step_removed",
        /// A face match or liveness is accepted from a lower confidence.
        ThresholdLowered = "threshold_lowered",
        /// A face match or liveness is reviewed from a lower confidence, where it was rejected.
        ReviewThresholdLowered = "review_threshold_lowered",
        /// Fraud signals no longer reject by themselves.
        FraudSignalsReviewed = "fraud_signals_reviewed",
        /// Specimens count as genuine.
        SpecimensAccepted = "specimens_accepted",
        /// Visual evidence suffices.
        VisualEvidence = "visual_evidence",
        /// People approved before are found less often, or not at all.
        DuplicatesMissed = "duplicates_missed",
        /// Fewer sessions are selected for quality control.
        SampledLess = "sampled_less",
        /// Events are sent elsewhere, or no longer.
        ReceiverChanged = "receiver_changed",
        /// More networks may call the API.
        NetworksAdmitted = "networks_admitted",
        /// Addresses in use may no longer call the API.
        AddressesShutOut = "addresses_shut_out",
        /// Personal data is erased sooner.
        RetentionShortened = "retention_shortened",
        /// A password alone signs in again.
        SecondFactorOptional = "second_factor_optional",
        /// The colours of the screen no longer distinguish videos recorded earlier from live faces.
        FlashesOff = "flashes_off",
    }
}

/// A setting outside its bounds.
#[derive(Clone, Debug, PartialEq)]
pub struct BadSetting {
    /// Which one.
    pub field: Setting,
    /// What is wrong with it.
    pub fault: SettingFault,
}

/// What is wrong with a setting. Written in English, after the setting's name.
#[derive(Clone, Debug, PartialEq)]
pub enum SettingFault {
    /// A span of time out of these bounds.
    Span(Bounds<Millis>),
    /// A number of tries out of these bounds.
    Tries(Bounds<u8>),
    /// A threshold or a share.
    Threshold(ThresholdFault),
    /// A colour that is not written as `#rrggbb`.
    Colour,
    /// A list of more entries than this.
    TooMany(usize),
    /// A name that is empty, has more characters than this, or contains invisible ones.
    Name(usize),
    /// A callback URL that breaks a rule.
    Callback {
        /// The URL.
        url: String,
        /// The rule that it breaks.
        fault: BadCallback,
    },
}

impl fmt::Display for SettingFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Span(bounds) => {
                let [least, most] = [bounds.least, bounds.most].map(Span::up_to_years);
                write!(f, "must be {least} to {most}")
            }
            Self::Tries(Bounds { least, most }) => write!(f, "must be {least} to {most}"),
            Self::Threshold(fault) => write!(f, "{fault}"),
            Self::Colour => f.write_str("must have the form #rrggbb"),
            Self::TooMany(most) => write!(f, "must have at most {most} entries"),
            Self::Name(longest) => write!(f, "must have 1 to {longest} characters, all of which can be seen"),
            Self::Callback { url, fault } => write!(f, "{} {fault}", CallbackUrl::named(url)),
        }
    }
}

/// What is wrong with a tenant's name, which is shown to end users; `None` if it is acceptable.
#[must_use]
pub fn tenant_name_fault(name: &str) -> Option<BadSetting> {
    let longest = name::LONGEST;
    (!name::is_acceptable(name, longest)).then_some(BadSetting {
        field: Setting::Name,
        fault: SettingFault::Name(longest),
    })
}

/// The smallest and the largest value of a setting, both inclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds<T> {
    /// The least.
    pub least: T,
    /// The most.
    pub most: T,
}

impl<T: PartialOrd> Bounds<T> {
    const fn new(least: T, most: T) -> Self {
        Self { least, most }
    }

    fn contains(&self, value: &T) -> bool {
        (&self.least..=&self.most).contains(&value)
    }
}

impl TenantSettings {
    /// Lifetime of a link.
    pub const LINK_LIFETIME: Bounds<Millis> = Bounds::new(Millis::minutes(5), Millis::days(7));
    /// Lifetime of a session.
    pub const SESSION_LIFETIME: Bounds<Millis> = Bounds::new(Millis::hours(1), Millis::days(30));
    /// Retention.
    pub const RETENTION: Bounds<Millis> = Bounds::new(Millis::days(1), Millis::days(7 * 365));
    /// Target of reviews.
    pub const REVIEW_TARGET: Bounds<Millis> = Bounds::new(Millis::minutes(5), Millis::days(30));
    /// Tries per step.
    pub const TRIES: Bounds<u8> = Bounds::new(1, 9);
    /// Maximum number of entries in a list: callback URLs, and networks of the tenant and of each of its API keys. Every request to the API is
    /// compared with them.
    pub const MAX_LISTED: usize = 200;

    /// The bounds of a setting that is a span of time; `None` for the others.
    #[must_use]
    pub const fn bounds_of_span(setting: Setting) -> Option<Bounds<Millis>> {
        match setting {
            Setting::LinkLifetime => Some(Self::LINK_LIFETIME),
            Setting::SessionLifetime => Some(Self::SESSION_LIFETIME),
            Setting::Retention => Some(Self::RETENTION),
            Setting::ReviewTarget => Some(Self::REVIEW_TARGET),
            _ => None,
        }
    }

    /// The plan of a new session.
    ///
    /// # Errors
    /// [`NotReady::NoStepsEnabled`] if no step is enabled.
    pub fn plan(&self) -> Result<Plan, NotReady> {
        Plan::of(&self.steps).ok_or(NotReady::NoStepsEnabled)
    }

    /// Whether a caller from `address` may use the API. IPv4-mapped IPv6 counts as IPv4.
    #[must_use]
    pub fn admits(&self, address: IpAddr) -> bool {
        network::admits(&self.ip_allow_list, address)
    }

    /// Whether the receiver URL was set after `event`. If that was never recorded, it counts as older.
    #[must_use]
    fn receiver_is_newer_than(&self, event: Timestamp) -> bool {
        self.webhook_url_set_at.is_some_and(|set| set > event)
    }

    /// Whether a reviewer's note must not be sent to the receiver in a delivery that was pending at `since`: the URL was
    /// changed afterwards by somebody who may not read notes, possibly in order to get this one.
    #[must_use]
    pub fn withholds_note(&self, since: Timestamp) -> bool {
        self.receiver_is_newer_than(since) && !self.webhook_url_is_vouched
    }

    /// What is weaker in `after` than in these settings. Who is shut out depends on who calls: [`Self::admits`].
    #[must_use]
    pub fn weakenings(&self, after: &Self) -> Vec<Weakening> {
        let (was, is) = (&self.policy, &after.policy);
        let lowered = is.match_accept < was.match_accept || is.liveness_accept < was.liveness_accept;
        let rejected_less = is.match_review < was.match_review || is.liveness_review < was.liveness_review;
        let missed = was.find_duplicates && (!is.find_duplicates || is.duplicate_from > was.duplicate_from);
        let removed = self.steps.iter().any(|step| !after.steps.contains(step));
        let covered = |net: &IpNet| self.ip_allow_list.iter().any(|own| own.contains(net));
        let admitted = !self.ip_allow_list.is_empty()
            && (after.ip_allow_list.is_empty() || !after.ip_allow_list.iter().all(covered));
        let found = [
            (removed, Weakening::StepRemoved),
            (lowered, Weakening::ThresholdLowered),
            (rejected_less, Weakening::ReviewThresholdLowered),
            (
                was.reject_on_fraud_signals && !is.reject_on_fraud_signals,
                Weakening::FraudSignalsReviewed,
            ),
            (
                is.accept_specimens && !was.accept_specimens,
                Weakening::SpecimensAccepted,
            ),
            (
                is.accepted == Accepted::Visual && was.accepted != Accepted::Visual,
                Weakening::VisualEvidence,
            ),
            (missed, Weakening::DuplicatesMissed),
            (is.sampled < was.sampled, Weakening::SampledLess),
            (self.webhook_url != after.webhook_url, Weakening::ReceiverChanged),
            (admitted, Weakening::NetworksAdmitted),
            (after.retention < self.retention, Weakening::RetentionShortened),
            (
                self.second_factor_required && !after.second_factor_required,
                Weakening::SecondFactorOptional,
            ),
            (self.flashes && !after.flashes, Weakening::FlashesOff),
        ];
        found
            .into_iter()
            .filter_map(|(weaker, what)| weaker.then_some(what))
            .collect()
    }

    /// Every setting that is out of its bounds.
    #[must_use]
    pub fn faults(&self) -> Vec<BadSetting> {
        self.faults_after(&Self::default())
    }

    /// The same for settings that replace `before`. A callback URL that was already listed may be longer than a new one: it was allowed when its
    /// length was not limited.
    #[must_use]
    pub fn faults_after(&self, before: &Self) -> Vec<BadSetting> {
        let bad = |field, fault| BadSetting { field, fault };
        let mut faults = Vec::new();
        for (field, value) in [
            (Setting::LinkLifetime, self.link_lifetime),
            (Setting::SessionLifetime, self.session_lifetime),
            (Setting::Retention, self.retention),
            (Setting::ReviewTarget, self.review_target),
        ] {
            if let Some(bounds) = Self::bounds_of_span(field)
                && !bounds.contains(&value)
            {
                faults.push(bad(field, SettingFault::Span(bounds)));
            }
        }
        if !Self::TRIES.contains(&self.tries) {
            faults.push(bad(Setting::Tries, SettingFault::Tries(Self::TRIES)));
        }
        let thresholds = self.policy.faults().into_iter();
        faults.extend(thresholds.map(|(field, fault)| bad(field, SettingFault::Threshold(fault))));
        if !self.accent.as_deref().is_none_or(is_colour) {
            faults.push(bad(Setting::Accent, SettingFault::Colour));
        }
        for (field, entries) in [
            (Setting::CallbackUrls, self.callback_urls.len()),
            (Setting::IpAllowList, self.ip_allow_list.len()),
        ] {
            if entries > Self::MAX_LISTED {
                faults.push(bad(field, SettingFault::TooMany(Self::MAX_LISTED)));
            }
        }
        for url in &self.callback_urls {
            let parsed = if before.callback_urls.contains(url) {
                CallbackUrl::parse(url)
            } else {
                CallbackUrl::parse_entry(url)
            };
            if let Err(fault) = parsed {
                let url = url.clone();
                faults.push(bad(Setting::CallbackUrls, SettingFault::Callback { url, fault }));
            }
        }
        faults
    }
}

fn is_colour(text: &str) -> bool {
    text.strip_prefix('#')
        .is_some_and(|hex| hex.len() == 6 && hex.bytes().all(|b| b.is_ascii_hexdigit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_are_within_their_bounds() {
        assert_eq!(TenantSettings::default().faults(), []);
    }

    #[test]
    fn each_weaker_setting_is_named_and_a_stricter_one_is_not() {
        let strict = TenantSettings {
            steps: vec![Step::Document, Step::Selfie],
            ip_allow_list: vec!["192.0.2.0/24".parse().unwrap()],
            webhook_url: Some("https://shop.example/hook".into()),
            second_factor_required: true,
            flashes: true,
            policy: Policy {
                reject_on_fraud_signals: true,
                find_duplicates: true,
                sampled: 0.1,
                ..Policy::default()
            },
            ..TenantSettings::default()
        };
        let policy = |change: fn(&mut Policy)| {
            let mut after = strict.clone();
            change(&mut after.policy);
            after
        };
        let with = |change: fn(&mut TenantSettings)| {
            let mut after = strict.clone();
            change(&mut after);
            after
        };
        for (what, after) in [
            (Weakening::StepRemoved, with(|s| s.steps = vec![Step::Document])),
            (Weakening::ThresholdLowered, policy(|p| p.match_accept = 0.82)),
            (Weakening::ThresholdLowered, policy(|p| p.liveness_accept = 0.59)),
            (Weakening::ReviewThresholdLowered, policy(|p| p.match_review = 0.4)),
            (Weakening::ReviewThresholdLowered, policy(|p| p.liveness_review = 0.1)),
            (
                Weakening::FraudSignalsReviewed,
                policy(|p| p.reject_on_fraud_signals = false),
            ),
            (Weakening::SpecimensAccepted, policy(|p| p.accept_specimens = true)),
            (
                Weakening::SecondFactorOptional,
                with(|s| s.second_factor_required = false),
            ),
            (Weakening::FlashesOff, with(|s| s.flashes = false)),
            (Weakening::VisualEvidence, policy(|p| p.accepted = Accepted::Visual)),
            (Weakening::DuplicatesMissed, policy(|p| p.find_duplicates = false)),
            (Weakening::DuplicatesMissed, policy(|p| p.duplicate_from = 1.0)),
            (Weakening::SampledLess, policy(|p| p.sampled = 0.05)),
            (Weakening::ReceiverChanged, with(|s| s.webhook_url = None)),
            (Weakening::NetworksAdmitted, with(|s| s.ip_allow_list = Vec::new())),
            (
                Weakening::NetworksAdmitted,
                with(|s| s.ip_allow_list = vec!["192.0.2.0/23".parse().unwrap()]),
            ),
            (Weakening::RetentionShortened, with(|s| s.retention = Millis::days(89))),
        ] {
            assert_eq!(strict.weakenings(&after), [what]);
            // The way back is stricter, except that the receiver changes both ways.
            let back = after.weakenings(&strict);
            let both_ways: &[Weakening] = &[Weakening::ReceiverChanged];
            assert_eq!(
                back,
                if what == Weakening::ReceiverChanged {
                    both_ways
                } else {
                    &[]
                },
                "{what}"
            );
        }
        let narrower = with(|s| s.ip_allow_list = vec!["192.0.2.128/25".parse().unwrap()]);
        assert_eq!(strict.weakenings(&narrower), []);
    }

    #[test]
    fn an_allow_list_admits_its_networks_only() {
        let settings = TenantSettings {
            ip_allow_list: vec!["192.0.2.0/24".parse().unwrap(), "2001:db8::/32".parse().unwrap()],
            ..TenantSettings::default()
        };
        for (address, admitted) in [
            ("192.0.2.7", true),
            ("::ffff:192.0.2.7", true),
            ("192.0.3.1", false),
            ("2001:db8::1", true),
            ("::1", false),
        ] {
            assert_eq!(settings.admits(address.parse().unwrap()), admitted, "{address}");
        }
        assert!(
            TenantSettings::default().admits("203.0.113.9".parse().unwrap()),
            "no list, no limit"
        );
    }

    #[test]
    fn settings_out_of_bounds_are_named() {
        let settings = TenantSettings {
            tries: 0,
            retention: Millis::hours(1),
            accent: Some("red".into()),
            callback_urls: vec!["http://shop.example/".into()],
            ..TenantSettings::default()
        };
        let faults = settings.faults();
        let fields: Vec<_> = faults.iter().map(|fault| fault.field.as_str()).collect();
        assert_eq!(fields, ["retention", "tries", "accent", "callback_urls"]);
    }

    #[test]
    fn a_callback_url_that_is_too_long_is_wrong_only_when_it_is_added() {
        let long = |letter: &str| format!("https://shop.example/{}", letter.repeat(2_000));
        let with = |callback_urls: Vec<String>| TenantSettings {
            callback_urls,
            ..TenantSettings::default()
        };
        let (before, after) = (with(vec![long("a")]), with(vec![long("a"), long("b")]));
        assert_eq!(before.faults_after(&before), []);
        let wrong = |faults: Vec<BadSetting>| -> Vec<_> { faults.into_iter().map(|bad| bad.fault).collect() };
        let fault = |letter| SettingFault::Callback {
            url: long(letter),
            fault: BadCallback::TooLong,
        };
        assert_eq!(wrong(after.faults_after(&before)), [fault("b")]);
        assert_eq!(wrong(after.faults()), [fault("a"), fault("b")]);
    }

    #[test]
    fn whoever_misses_a_bound_is_told_it() {
        let settings = TenantSettings {
            link_lifetime: Millis(0),
            session_lifetime: Millis::minutes(30),
            retention: Millis::days(7 * 365 + 1),
            review_target: Millis::days(31),
            tries: 10,
            policy: Policy {
                match_accept: 0.4,
                match_review: 0.45,
                liveness_accept: f64::NAN,
                sampled: 2.0,
                ..Policy::default()
            },
            ..TenantSettings::default()
        };
        let told: Vec<_> = settings
            .faults()
            .into_iter()
            .map(|bad| format!("{} {}", bad.field, bad.fault))
            .collect();
        assert_eq!(
            told,
            [
                "link_lifetime must be 5 minutes to 7 days",
                "session_lifetime must be 1 hour to 30 days",
                "retention must be 1 day to 7 years",
                "review_target must be 5 minutes to 30 days",
                "tries must be 1 to 9",
                "match_accept must be at least 0.50",
                "match_review must not be above the acceptance threshold (0.40)",
                "liveness_accept must be at least 0.43",
                "sampled must be at most 1.00",
            ]
        );
    }

    #[test]
    fn everything_that_is_stored_is_a_setting_or_a_fact_about_the_receiver() {
        let serde_json::Value::Object(mut stored) = serde_json::to_value(TenantSettings::default()).unwrap() else {
            panic!("settings are an object");
        };
        let Some(serde_json::Value::Object(policy)) = stored.remove("policy") else {
            panic!("so is the policy");
        };
        stored.extend(policy);
        let mut names: Vec<&str> = stored.keys().map(String::as_str).collect();
        let facts = ["webhook_url_set_at", "webhook_url_is_vouched"];
        let known = Setting::ALL.iter().map(|setting| setting.as_str());
        let mut wanted: Vec<&str> = known.filter(|name| *name != "name").chain(facts).collect();
        names.sort_unstable();
        wanted.sort_unstable();
        assert_eq!(names, wanted);
    }

    #[test]
    fn a_list_has_at_most_200_entries() {
        let with = |urls, networks| TenantSettings {
            callback_urls: vec!["https://shop.example/done".to_owned(); urls],
            ip_allow_list: vec!["192.0.2.0/24".parse().unwrap(); networks],
            ..TenantSettings::default()
        };
        assert_eq!(with(200, 200).faults(), []);
        let faults = with(201, 201).faults();
        let faults: Vec<_> = faults.iter().map(|bad| (bad.field, bad.fault.to_string())).collect();
        let told = "must have at most 200 entries".to_owned();
        assert_eq!(
            faults,
            [(Setting::CallbackUrls, told.clone()), (Setting::IpAllowList, told)]
        );
    }

    #[test]
    fn settings_written_before_a_field_existed_still_read() {
        let settings: TenantSettings = serde_json::from_str(r#"{"steps":["selfie"]}"#).unwrap();
        assert_eq!(settings.tries, 5);
    }
}
