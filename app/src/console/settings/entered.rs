//! What was typed into a section: read as a change, and shown again after a mistake.

use super::{TESTED, bounds, faults, view::SettingsView};
use crate::{
    console::{parts::in_order, words::tell},
    page::{Fields, mistake},
    parts::Mistake,
};
use domain::{
    callback::CallbackUrl,
    contact::Contact,
    decision::{Accepted, Policy, ThresholdFault},
    event::EventType,
    half_width::half_width,
    network::parse_list,
    session::Step,
    setting::Setting,
    tenant::{Change, Section, TenantSettings},
    time::{Millis, Unit},
};
use ipnet::IpNet;

const LIFETIMES: [Setting; 3] = [Setting::LinkLifetime, Setting::SessionLifetime, Setting::Retention];

/// The change that a form requests.
///
/// # Errors
/// What is wrong with it.
pub(super) fn read(section: Section, fields: &Fields) -> Result<Change, Vec<Mistake>> {
    let mut form = Form {
        fields,
        mistakes: Vec::new(),
    };
    let change = match section {
        Section::Look => Change::Look {
            name: form.text(Setting::Name),
            accent: form
                .has(Setting::Accent)
                .then(|| form.text(Setting::Accent).to_lowercase()),
            contact: form.contact(),
        },
        Section::Review => Change::Review {
            target: form.span(Setting::ReviewTarget).unwrap_or(Millis(0)),
        },
        Section::Steps => Change::Steps {
            steps: steps(fields),
            tries: half_width(&form.text(Setting::Tries)).parse().unwrap_or(0),
            flashes: form.has(Setting::Flashes),
        },
        Section::Lifetimes => form.lifetimes(),
        Section::Decision => Change::Decision(form.policy()),
        Section::Callbacks => Change::Callbacks(form.callbacks()),
        Section::Addresses => Change::Addresses(form.networks()),
        Section::SignIn => Change::SignIn {
            second_factor_required: form.has(Setting::SecondFactorRequired),
        },
        Section::Webhook => form.webhook(),
    };
    if form.mistakes.is_empty() {
        Ok(change)
    } else {
        Err(form.mistakes)
    }
}

/// A form that is being read. What is wrong is noted, and something else stands for it until the end.
struct Form<'a> {
    fields: &'a Fields,
    mistakes: Vec<Mistake>,
}

impl Form<'_> {
    fn text(&self, setting: Setting) -> String {
        self.fields.text(setting.as_str())
    }

    fn has(&self, setting: Setting) -> bool {
        self.fields.has(setting.as_str())
    }

    fn lines(&self, setting: Setting) -> Vec<String> {
        self.fields.lines(setting.as_str())
    }

    fn span(&mut self, setting: Setting) -> Option<Millis> {
        let span = parse_span(setting, &self.text(setting));
        if span.is_none() {
            self.mistakes.push(faults::not_a_span(setting));
        }
        span
    }

    /// Reports lifetimes that are out of bounds together with those that are not numbers.
    fn lifetimes(&mut self) -> Change {
        let usual = TenantSettings::default();
        let typed = TenantSettings {
            link_lifetime: self.span(Setting::LinkLifetime).unwrap_or(usual.link_lifetime),
            session_lifetime: self.span(Setting::SessionLifetime).unwrap_or(usual.session_lifetime),
            retention: self.span(Setting::Retention).unwrap_or(usual.retention),
            ..usual
        };
        self.mistakes.extend(typed.faults().iter().map(faults::setting));
        let order = LIFETIMES.map(Setting::as_str);
        self.mistakes = in_order(std::mem::take(&mut self.mistakes), &order);
        Change::Lifetimes {
            link: typed.link_lifetime,
            session: typed.session_lifetime,
            retention: typed.retention,
        }
    }

    fn share(&mut self, setting: Setting) -> f64 {
        half_width(&self.text(setting)).parse().unwrap_or_else(|_| {
            self.mistakes.push(faults::not_a_share(setting));
            0.0
        })
    }

    /// A receiver without event types looks set up, and would be sent nothing.
    fn webhook(&mut self) -> Change {
        let url = self.has(Setting::WebhookUrl).then(|| self.text(Setting::WebhookUrl));
        let event_types = event_types(self.fields);
        if url.is_some() && event_types.is_empty() {
            self.mistakes.push(faults::no_event_types());
        }
        Change::Webhook { url, event_types }
    }

    fn contact(&mut self) -> Option<Contact> {
        if !self.has(Setting::Contact) {
            return None;
        }
        let contact = Contact::parse(&self.text(Setting::Contact));
        contact.map_err(|bad| self.mistakes.push(faults::contact(bad))).ok()
    }

    fn policy(&mut self) -> Policy {
        let policy = Policy {
            match_accept: self.share(Setting::MatchAccept),
            match_review: self.share(Setting::MatchReview),
            liveness_accept: self.share(Setting::LivenessAccept),
            liveness_review: self.share(Setting::LivenessReview),
            reject_on_fraud_signals: self.has(Setting::RejectOnFraudSignals),
            accept_specimens: self.has(Setting::AcceptSpecimens),
            accepted: accepted(self.fields),
            find_duplicates: self.has(Setting::FindDuplicates),
            duplicate_from: self.share(Setting::DuplicateFrom),
            sampled: self.share(Setting::Sampled),
        };
        // What was not understood stands for 0 here, and says nothing about itself. Nothing is compared with what is wrong in itself.
        let not_understood: Vec<_> = self.mistakes.iter().map(|wrong| wrong.field.clone()).collect();
        let faults = policy.faults();
        let is_not_understood = |setting: Setting| not_understood.iter().any(|of| of == setting.as_str());
        let is_wrong = |setting: Setting| {
            let out_of_bounds = |(of, fault): &(Setting, ThresholdFault)| {
                *of == setting && !matches!(fault, ThresholdFault::AboveAcceptance(_))
            };
            is_not_understood(setting) || faults.iter().any(out_of_bounds)
        };
        let is_known = |(setting, fault): &&(Setting, ThresholdFault)| match fault {
            ThresholdFault::AboveAcceptance(_) => !is_wrong(*setting) && !is_wrong(acceptance_of(*setting)),
            ThresholdFault::Below(_) | ThresholdFault::Above(_) => !is_not_understood(*setting),
        };
        self.mistakes
            .extend(faults.iter().filter(is_known).copied().map(faults::threshold));
        policy
    }

    fn callbacks(&mut self) -> Vec<String> {
        let urls = self.lines(Setting::CallbackUrls);
        // Whether one is too long depends on whether it was allowed before.
        let bad = |url: &String| Some(faults::callback_line(url, CallbackUrl::parse(url).err()?));
        self.mistakes.extend(urls.iter().filter_map(bad));
        urls
    }

    fn networks(&mut self) -> Vec<IpNet> {
        let lines = self.lines(Setting::IpAllowList);
        parse_list(lines.iter().map(String::as_str)).unwrap_or_else(|bad| {
            self.mistakes.push(mistake(
                Setting::IpAllowList.as_str(),
                tell!(
                    "{bad} is not an IP address or network.",
                    "「{bad}」はIPアドレスまたはネットワークではありません。"
                ),
            ));
            Vec::new()
        })
    }
}

/// The acceptance threshold that a review threshold must not exceed.
const fn acceptance_of(review: Setting) -> Setting {
    match review {
        Setting::MatchReview => Setting::MatchAccept,
        Setting::LivenessReview => Setting::LivenessAccept,
        other => other,
    }
}

fn steps(fields: &Fields) -> Vec<Step> {
    fields.all("step").filter_map(Step::parse).collect()
}

fn event_types(fields: &Fields) -> Vec<EventType> {
    fields.all("event").filter_map(EventType::parse).collect()
}

/// The chosen evidence; a form rendered before this choice existed keeps the strict one.
fn accepted(fields: &Fields) -> Accepted {
    Accepted::parse(&fields.text(Setting::Accepted.as_str())).unwrap_or_default()
}

/// The length of the unit in which a span of time is typed.
const fn length_of_unit(setting: Setting) -> i64 {
    match bounds::unit(setting) {
        Some(unit) => unit.length().0,
        None => Unit::Hours.length().0,
    }
}

/// A span of time as it is typed, with no more digits than needed.
pub(super) fn span(setting: Setting, span: Millis) -> String {
    let unit = length_of_unit(setting);
    let (whole, rest) = (span.0 / unit, span.0 % unit);
    if rest == 0 {
        return whole.to_string();
    }
    let hundredths = (span.0 * 100 + unit / 2) / unit;
    format!("{}.{:02}", hundredths / 100, hundredths % 100)
        .trim_end_matches('0')
        .to_owned()
}

/// Parses a span of time as it is typed, with up to two decimals.
fn parse_span(setting: Setting, text: &str) -> Option<Millis> {
    let value: f64 = half_width(text)
        .parse()
        .ok()
        .filter(|value: &f64| value.is_finite() && (0.0..1e6).contains(value))?;
    #[expect(clippy::cast_possible_truncation, reason = "held within a million by the line above")]
    let hundredths = (value * 100.0).round() as i64;
    Some(Millis(hundredths * length_of_unit(setting) / 100))
}

/// Replaces the stored value by what was typed.
pub(super) fn retype(view: &mut SettingsView, fields: &Fields) {
    let text = |setting: Setting| fields.text(setting.as_str());
    let has = |setting: Setting| fields.has(setting.as_str());
    match view.section {
        Section::Look => {
            [view.name, view.accent, view.contact] = [Setting::Name, Setting::Accent, Setting::Contact].map(text);
        }
        Section::Review => view.review_target = text(Setting::ReviewTarget),
        Section::Steps => {
            view.steps = steps(fields);
            view.tries = text(Setting::Tries);
            view.flashes = has(Setting::Flashes);
        }
        Section::Lifetimes => view.lifetimes = LIFETIMES.map(text),
        Section::Decision => {
            view.thresholds = [
                Setting::MatchAccept,
                Setting::MatchReview,
                Setting::LivenessAccept,
                Setting::LivenessReview,
            ]
            .map(text);
            view.reject_on_fraud = has(Setting::RejectOnFraudSignals);
            view.accept_specimens = has(Setting::AcceptSpecimens);
            view.accepted = accepted(fields);
            view.find_duplicates = has(Setting::FindDuplicates);
            view.duplicate_from = text(Setting::DuplicateFrom);
            view.sampled = text(Setting::Sampled);
        }
        Section::Callbacks => {
            view.callbacks = fields.raw(Setting::CallbackUrls.as_str()).to_owned();
            view.test = fields.text(TESTED);
        }
        Section::Addresses => view.addresses = fields.raw(Setting::IpAllowList.as_str()).to_owned(),
        Section::Webhook => {
            view.webhook_url = text(Setting::WebhookUrl);
            view.event_types = event_types(fields);
        }
        Section::SignIn => view.second_factor_required = has(Setting::SecondFactorRequired),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is wrong with a section that was typed like this.
    fn told(section: Section, typed: &str) -> Vec<String> {
        let fields = Fields::of_bytes(typed.as_bytes()).unwrap();
        let wrong = read(section, &fields).unwrap_err();
        wrong.into_iter().map(|wrong| wrong.sentence).collect()
    }

    #[test]
    fn every_lifetime_that_is_wrong_is_told_at_once_by_its_name() {
        assert_eq!(
            told(
                Section::Lifetimes,
                "link_lifetime=1&session_lifetime=abc&retention=9000"
            ),
            [
                "Link lifetime: enter 5 to 10,080 minutes.",
                "Session lifetime: enter a number of hours.",
                "Personal data retention: enter 1 to 2,555 days.",
            ]
        );
    }

    #[test]
    fn a_review_threshold_is_not_compared_with_an_acceptance_threshold_that_is_wrong() {
        let rest = "liveness_accept=0.8&liveness_review=0.5&duplicate_from=0.9&sampled=0";
        for wrong in ["abc", "0.3", "2"] {
            assert_eq!(
                told(
                    Section::Decision,
                    &format!("match_accept={wrong}&match_review=0.45&{rest}")
                ),
                ["Face match, acceptance threshold: enter 0.50 to 1."],
                "{wrong}"
            );
        }
        assert_eq!(
            told(Section::Decision, &format!("match_accept=0.6&match_review=0.65&{rest}")),
            ["Face match, review threshold: must not be above the acceptance threshold (0.60)."]
        );
    }

    #[test]
    fn a_receiver_gets_at_least_one_type_of_event() {
        assert_eq!(
            told(Section::Webhook, "webhook_url=https%3A%2F%2Fshop.example%2F"),
            ["Choose at least one event, or leave the URL empty to send no webhooks."]
        );
        for typed in [
            "webhook_url=",
            "webhook_url=https%3A%2F%2Fshop.example%2F&event=verification.approved",
        ] {
            let fields = Fields::of_bytes(typed.as_bytes()).unwrap();
            assert!(read(Section::Webhook, &fields).is_ok(), "{typed}");
        }
    }

    #[test]
    fn numbers_are_read_as_a_japanese_keyboard_types_them() {
        let fields = Fields::of_bytes("step=document&tries=３".as_bytes()).unwrap();
        let read = read(Section::Steps, &fields);
        assert!(matches!(read, Ok(Change::Steps { tries: 3, .. })), "{read:?}");
        assert_eq!(parse_span(Setting::ReviewTarget, "１．５"), Some(Millis::minutes(90)));
        let rest = "liveness_accept=0.8&liveness_review=0.5&duplicate_from=0.9&sampled=０";
        assert_eq!(
            told(
                Section::Decision,
                &format!("match_accept=０．６&match_review=０．６５&{rest}")
            ),
            ["Face match, review threshold: must not be above the acceptance threshold (0.60)."]
        );
    }

    #[test]
    fn a_span_is_read_as_it_is_shown() {
        for (setting, millis, shown) in [
            (Setting::SessionLifetime, Millis::hours(48), "48"),
            (Setting::ReviewTarget, Millis::minutes(90), "1.5"),
            (Setting::Retention, Millis::days(90), "90"),
        ] {
            assert_eq!(span(setting, millis), shown);
            assert_eq!(parse_span(setting, shown), Some(millis));
        }
        for bad in ["", "x", "-1", "1e9", "NaN", "inf"] {
            assert_eq!(parse_span(Setting::ReviewTarget, bad), None, "{bad}");
        }
    }
}
