//! The filters of the list, as its address has them.

use crate::{
    console::day::{self, midnight},
    page::Fields,
};
use domain::{
    document::DocumentType,
    funnel::FunnelStep,
    outcome::Verdict,
    reasons::Reason,
    session::Status,
    time::{Millis, Timestamp},
};
use service::session::search::LONGEST_PART;

/// The filters as requested.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Asked {
    /// What was typed into the search box.
    pub q: String,
    /// Session id.
    pub id: String,
    /// Status.
    pub status: String,
    /// Verdict.
    pub verdict: String,
    /// Reason code.
    pub reason: String,
    /// Kind of document.
    pub document: String,
    /// First day.
    pub from: String,
    /// Last day.
    pub to: String,
    /// Part of the metadata.
    pub metadata: String,
    /// The step after which the user gave up.
    pub lost: String,
}

impl Asked {
    /// The filters of an address or a form. A value that is not known, such as a reason of a newer version, filters nothing, so it is not shown as a
    /// filter either.
    pub(super) fn of(fields: &Fields) -> Self {
        let known = |name, is_known: fn(&str) -> bool| -> String {
            let text = fields.text(name);
            if is_known(&text) { text } else { String::new() }
        };
        // What is searched for is what is shown, and what is saved under a name.
        let part = |name| -> String { fields.text(name).chars().take(LONGEST_PART).collect() };
        let q = part("q");
        // There is one filter of the metadata, and the box is what was typed last.
        let metadata = match Typed::of(&q) {
            Some(Typed::Metadata(_)) => String::new(),
            _ => part("metadata"),
        };
        Self {
            q,
            id: part("id"),
            status: known("status", |text| Status::parse(text).is_some()),
            verdict: known("verdict", |text| Verdict::parse(text).is_some()),
            reason: known("reason", |text| Reason::parse(text).is_some()),
            document: known("document", |text| DocumentType::parse(text).is_some()),
            from: part("from"),
            to: part("to"),
            metadata,
            lost: known("lost", |text| FunnelStep::parse(text).is_some()),
        }
    }

    /// Whether there is any.
    pub(super) fn any(&self) -> bool {
        *self != Self::default()
    }

    /// The filters that are set, with their names in [`of`](Self::of).
    pub(super) fn set(&self) -> Vec<(&'static str, String)> {
        let all = [
            ("q", &self.q),
            ("id", &self.id),
            ("status", &self.status),
            ("verdict", &self.verdict),
            ("reason", &self.reason),
            ("document", &self.document),
            ("from", &self.from),
            ("to", &self.to),
            ("metadata", &self.metadata),
            ("lost", &self.lost),
        ];
        let set = all.into_iter().filter(|(_, value)| !value.is_empty());
        set.map(|(name, value)| (name, value.clone())).collect()
    }

    /// The filters without one of them.
    pub(super) fn without(&self, name: &str) -> Vec<(&'static str, String)> {
        self.set().into_iter().filter(|(set, _)| *set != name).collect()
    }

    /// What is wrong with the first or the last day: a title, and advice.
    pub(super) fn mistake(&self) -> Option<(&'static str, &'static str)> {
        day::mistake(&self.from, &self.to)
    }

    /// Whether there is one of those that are folded away.
    pub(super) fn more(&self) -> bool {
        [&self.reason, &self.document, &self.from, &self.to]
            .iter()
            .any(|text| !text.is_empty())
    }
}

/// What the text in the search box means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Typed {
    /// The beginning of a session id.
    Id(String),
    /// A day or a month (UTC): from, and before.
    Time(Timestamp, Timestamp),
    /// A part of the metadata.
    Metadata(String),
}

impl Typed {
    /// `None` if nothing was typed.
    pub(super) fn of(text: &str) -> Option<Self> {
        if text.is_empty() {
            return None;
        }
        if let Some(digits) = text.to_ascii_lowercase().strip_prefix("vs_") {
            // The user's last page shows ids in groups, and so do some programs.
            let digits = digits.replace(['-', ' '], "");
            if digits.len() <= 32 && digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
                return Some(Self::Id(format!("vs_{digits}")));
            }
        }
        Some(span(text).map_or_else(
            || Self::Metadata(text.to_owned()),
            |(from, until)| Self::Time(from, until),
        ))
    }
}

/// The span of `2026-08-02` or `2026-08`.
fn span(text: &str) -> Option<(Timestamp, Timestamp)> {
    if let Some(day) = midnight(text) {
        return Some((day, day.plus(Millis::days(1))));
    }
    let first = midnight(&format!("{text}-01"))?;
    // No month has more than 31 days, and the 32nd day after the first is in the next one.
    let next = first.plus(Millis::days(31)).to_iso();
    Some((first, midnight(&format!("{}-01", next.get(..7)?))?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_box_understands_ids_dates_and_everything_else_as_metadata() {
        let at = |day: &str| midnight(day).unwrap();
        for (text, meaning) in [
            ("", None),
            ("vs_", Some(Typed::Id("vs_".into()))),
            ("VS_0aF", Some(Typed::Id("vs_0af".into()))),
            ("vs_0198F3a2-77b1-", Some(Typed::Id("vs_0198f3a277b1".into()))),
            ("vs_0198 f3a2 77b1", Some(Typed::Id("vs_0198f3a277b1".into()))),
            ("vs_xyz", Some(Typed::Metadata("vs_xyz".into()))),
            ("2026-08-02", Some(Typed::Time(at("2026-08-02"), at("2026-08-03")))),
            ("2026-02", Some(Typed::Time(at("2026-02-01"), at("2026-03-01")))),
            ("2026-12", Some(Typed::Time(at("2026-12-01"), at("2027-01-01")))),
            ("2026-02-30", Some(Typed::Metadata("2026-02-30".into()))),
            ("2026", Some(Typed::Metadata("2026".into()))),
            ("A-1042", Some(Typed::Metadata("A-1042".into()))),
        ] {
            assert_eq!(Typed::of(text), meaning, "{text}");
        }
    }

    #[test]
    fn days_in_the_wrong_order_and_what_is_not_a_day_are_noticed() {
        for (from, to, is_wrong) in [
            ("2026-08-03", "2026-08-02", true),
            ("2026-08-02", "2026-08-02", false),
            ("2026-08-03", "", false),
            ("2026-08-03", "x", true),
            ("2026-13-01", "", true),
        ] {
            let asked = Asked {
                from: from.into(),
                to: to.into(),
                ..Asked::default()
            };
            assert_eq!(asked.mistake().is_some(), is_wrong, "{from} {to}");
        }
    }

    #[test]
    fn what_filters_nothing_is_not_shown_as_a_filter() {
        let query = b"status=paused&verdict=x&reason=no_such_reason&document=x&lost=x&from=x";
        let asked = Asked::of(&Fields::of_bytes(query).unwrap());
        // Nothing takes place on a day that does not exist.
        assert_eq!(asked.set(), [("from", "x".to_owned())]);
        let query = b"status=failed&reason=document_expired";
        assert_eq!(Asked::of(&Fields::of_bytes(query).unwrap()).set().len(), 2);
    }

    #[test]
    fn no_filter_is_longer_than_what_is_searched_for() {
        let long = "x".repeat(10_000);
        for name in ["q", "id", "from", "to", "metadata"] {
            let query = format!("{name}={long}");
            let asked = Asked::of(&Fields::of_bytes(query.as_bytes()).unwrap());
            assert_eq!(asked.set(), [(name, "x".repeat(LONGEST_PART))]);
        }
    }

    #[test]
    fn the_box_replaces_a_filter_of_the_metadata_and_no_other() {
        let asked = |query: &[u8]| Asked::of(&Fields::of_bytes(query).unwrap()).set();
        let set = |pairs: &[(&'static str, &str)]| {
            pairs
                .iter()
                .map(|(name, value)| (*name, (*value).to_owned()))
                .collect::<Vec<_>>()
        };
        assert_eq!(
            asked(b"q=A-1&metadata=B-2&status=failed"),
            set(&[("q", "A-1"), ("status", "failed")])
        );
        assert_eq!(
            asked(b"q=vs_1&metadata=B-2"),
            set(&[("q", "vs_1"), ("metadata", "B-2")])
        );
    }
}
