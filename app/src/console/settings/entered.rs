//! What was typed into a section: read as a change, and shown again after a mistake.

use super::{faults, view::SettingsView};
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
    network::parse_list,
    session::Step,
    tenant::{Change, Section, TenantSettings},
    time::Millis,
};
use ipnet::IpNet;

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
            name: fields.text("name"),
            accent: fields.has("accent").then(|| fields.text("accent").to_lowercase()),
            contact: form.contact(),
        },
        Section::Review => Change::Review {
            target: form.span("review_target").unwrap_or(Millis(0)),
        },
        Section::Steps => Change::Steps {
            steps: steps(fields),
            tries: fields.text("tries").parse().unwrap_or(0),
            flashes: fields.has("flashes"),
        },
        Section::Lifetimes => form.lifetimes(),
        Section::Decision => Change::Decision(form.policy()),
        Section::Callbacks => Change::Callbacks(form.callbacks()),
        Section::Addresses => Change::Addresses(form.networks()),
        Section::SignIn => Change::SignIn {
            second_factor_required: fields.has("second_factor_required"),
        },
        Section::Webhook => Change::Webhook {
            url: fields.has("webhook_url").then(|| fields.text("webhook_url")),
            event_types: event_types(fields),
        },
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
    fn span(&mut self, field: &'static str) -> Option<Millis> {
        let span = parse_span(&self.fields.text(field), faults::unit(field));
        if span.is_none() {
            self.mistakes.push(faults::not_a_span(field));
        }
        span
    }

    /// Reports lifetimes that are out of bounds together with those that are not numbers.
    fn lifetimes(&mut self) -> Change {
        let usual = TenantSettings::default();
        let typed = TenantSettings {
            link_lifetime: self.span("link_lifetime").unwrap_or(usual.link_lifetime),
            session_lifetime: self.span("session_lifetime").unwrap_or(usual.session_lifetime),
            retention: self.span("retention").unwrap_or(usual.retention),
            ..usual
        };
        self.mistakes.extend(typed.faults().iter().map(faults::setting));
        let order = ["link_lifetime", "session_lifetime", "retention"];
        self.mistakes = in_order(std::mem::take(&mut self.mistakes), &order);
        Change::Lifetimes {
            link: typed.link_lifetime,
            session: typed.session_lifetime,
            retention: typed.retention,
        }
    }

    fn share(&mut self, field: &str) -> f64 {
        self.fields.text(field).parse().unwrap_or_else(|_| {
            self.mistakes.push(faults::not_a_share(field));
            0.0
        })
    }

    fn contact(&mut self) -> Option<Contact> {
        if !self.fields.has("contact") {
            return None;
        }
        let contact = Contact::parse(&self.fields.text("contact"));
        contact.map_err(|bad| self.mistakes.push(faults::contact(bad))).ok()
    }

    fn policy(&mut self) -> Policy {
        let fields = self.fields;
        let policy = Policy {
            match_accept: self.share("match_accept"),
            match_review: self.share("match_review"),
            liveness_accept: self.share("liveness_accept"),
            liveness_review: self.share("liveness_review"),
            reject_on_fraud_signals: fields.has("reject_on_fraud_signals"),
            accept_specimens: fields.has("accept_specimens"),
            accepted: accepted(fields),
            find_duplicates: fields.has("find_duplicates"),
            duplicate_from: self.share("duplicate_from"),
            sampled: self.share("sampled"),
        };
        // What was not understood stands for 0 here, and says nothing about itself. Nothing is compared with what is wrong in itself.
        let told: Vec<_> = self.mistakes.iter().map(|wrong| wrong.field.clone()).collect();
        let faults = policy.faults();
        let is_wrong = |field: &str| {
            let out_of_bounds = |(of, fault): &(&str, ThresholdFault)| {
                *of == field && !matches!(fault, ThresholdFault::AboveAcceptance(_))
            };
            told.iter().any(|of| of == field) || faults.iter().any(out_of_bounds)
        };
        let is_known = |(field, fault): &&(&str, ThresholdFault)| match fault {
            ThresholdFault::AboveAcceptance(_) => !is_wrong(field) && !is_wrong(&field.replace("review", "accept")),
            ThresholdFault::Below(_) | ThresholdFault::Above(_) => !told.iter().any(|of| of == field),
        };
        self.mistakes
            .extend(faults.iter().filter(is_known).copied().map(faults::threshold));
        policy
    }

    fn callbacks(&mut self) -> Vec<String> {
        let urls = self.fields.lines("callback_urls");
        let bad = |url: &String| Some(faults::callback_line(url, CallbackUrl::parse(url).err()?));
        self.mistakes.extend(urls.iter().filter_map(bad));
        urls
    }

    fn networks(&mut self) -> Vec<IpNet> {
        let lines = self.fields.lines("ip_allow_list");
        parse_list(lines.iter().map(String::as_str)).unwrap_or_else(|bad| {
            self.mistakes.push(mistake(
                "ip_allow_list",
                tell!(
                    "{bad} is not an IP address or network.",
                    "「{bad}」はIPアドレスまたはネットワークではありません。"
                ),
            ));
            Vec::new()
        })
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
    Accepted::parse(&fields.text("accepted")).unwrap_or_default()
}

/// A duration in a unit, with no more digits than needed.
pub(super) fn span(span: Millis, unit: Millis) -> String {
    let (whole, rest) = (span.0 / unit.0, span.0 % unit.0);
    if rest == 0 {
        return whole.to_string();
    }
    let hundredths = (span.0 * 100 + unit.0 / 2) / unit.0;
    format!("{}.{:02}", hundredths / 100, hundredths % 100)
        .trim_end_matches('0')
        .to_owned()
}

/// Parses a duration typed in a unit, with up to two decimals.
fn parse_span(text: &str, unit: Millis) -> Option<Millis> {
    let value: f64 = text
        .parse()
        .ok()
        .filter(|value: &f64| value.is_finite() && (0.0..1e6).contains(value))?;
    #[expect(clippy::cast_possible_truncation, reason = "held within a million by the line above")]
    let hundredths = (value * 100.0).round() as i64;
    Some(Millis(hundredths * unit.0 / 100))
}

/// Replaces what is stored by what was typed.
pub(super) fn retype(view: &mut SettingsView, fields: &Fields) {
    match view.section {
        Section::Look => {
            [view.name, view.accent, view.contact] = ["name", "accent", "contact"].map(|name| fields.text(name))
        }
        Section::Review => view.review_target = fields.text("review_target"),
        Section::Steps => {
            view.steps = steps(fields);
            view.tries = fields.text("tries");
            view.flashes = fields.has("flashes");
        }
        Section::Lifetimes => {
            view.lifetimes = ["link_lifetime", "session_lifetime", "retention"].map(|name| fields.text(name));
        }
        Section::Decision => {
            view.thresholds =
                ["match_accept", "match_review", "liveness_accept", "liveness_review"].map(|name| fields.text(name));
            view.reject_on_fraud = fields.has("reject_on_fraud_signals");
            view.accept_specimens = fields.has("accept_specimens");
            view.accepted = accepted(fields);
            view.find_duplicates = fields.has("find_duplicates");
            view.duplicate_from = fields.text("duplicate_from");
            view.sampled = fields.text("sampled");
        }
        Section::Callbacks => view.callbacks = fields.raw("callback_urls").to_owned(),
        Section::Addresses => view.addresses = fields.raw("ip_allow_list").to_owned(),
        Section::Webhook => {
            view.webhook_url = fields.text("webhook_url");
            view.event_types = event_types(fields);
        }
        Section::SignIn => view.second_factor_required = fields.has("second_factor_required"),
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
    fn a_span_is_read_as_it_is_shown() {
        for (millis, unit, shown) in [
            (Millis::hours(48), Millis::hours(1), "48"),
            (Millis::minutes(90), Millis::hours(1), "1.5"),
            (Millis::days(90), Millis::days(1), "90"),
        ] {
            assert_eq!(span(millis, unit), shown);
            assert_eq!(parse_span(shown, unit), Some(millis));
        }
        for bad in ["", "x", "-1", "1e9", "NaN", "inf"] {
            assert_eq!(parse_span(bad, Millis::hours(1)), None, "{bad}");
        }
    }
}
