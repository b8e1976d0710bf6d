//! Days in addresses and forms.

use super::words::say;
use domain::{
    civil_date,
    time::{Millis, Timestamp},
};

/// Midnight at the start of a day, UTC.
pub(super) fn midnight(day: &str) -> Option<Timestamp> {
    civil_date::parse(day).map(|date| Timestamp::from_millis(date.midnight().assume_utc().unix_timestamp() * 1000))
}

/// From the start of the first of two days, and before the end of the last, UTC. If one that was given is not a day, nothing is in between: rather
/// than everything.
pub(super) fn span(from: &str, until: &str) -> [Option<Timestamp>; 2] {
    if is_no_day(from) || is_no_day(until) {
        return [None, Some(Timestamp::from_millis(0))];
    }
    [midnight(from), midnight(until).map(|day| day.plus(Millis::days(1)))]
}

/// Whether something was given that is not a day.
fn is_no_day(day: &str) -> bool {
    !day.is_empty() && midnight(day).is_none()
}

/// Title and advice of a list that is empty because of a mistake in its first or last day.
pub(super) fn mistake(from: &str, until: &str) -> Option<(&'static str, &'static str)> {
    let is_backwards = midnight(from)
        .zip(midnight(until))
        .is_some_and(|(from, until)| from > until);
    let real = say("Enter a real date.", "実在する日付を入力してください。");
    if is_no_day(from) {
        let title = say("“From” is not a date", "開始日が正しい日付ではありません");
        Some((title, real))
    } else if is_no_day(until) {
        let title = say("“To” is not a date", "終了日が正しい日付ではありません");
        Some((title, real))
    } else if is_backwards {
        Some((
            say("“From” is after “To”", "開始日が終了日より後になっています"),
            say("Correct one of the two dates.", "どちらかの日付を修正してください。"),
        ))
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_a_day_is_a_mistake_and_selects_nothing() {
        let at = |day| midnight(day).unwrap();
        let nothing = [None, Some(Timestamp::from_millis(0))];
        for (from, until, title, selected) in [
            ("", "", None, [None, None]),
            (
                "2026-08-02",
                "2026-08-02",
                None,
                [Some(at("2026-08-02")), Some(at("2026-08-03"))],
            ),
            ("2026-08-03", "", None, [Some(at("2026-08-03")), None]),
            ("2026-13-01", "", Some("“From” is not a date"), nothing),
            ("x", "2026-08-02", Some("“From” is not a date"), nothing),
            ("2026-08-03", "2026-02-30", Some("“To” is not a date"), nothing),
            (
                "2026-08-03",
                "2026-08-02",
                Some("“From” is after “To”"),
                [Some(at("2026-08-03")), Some(at("2026-08-03"))],
            ),
        ] {
            assert_eq!(mistake(from, until).map(|(title, _)| title), title, "{from} {until}");
            assert_eq!(span(from, until), selected, "{from} {until}");
        }
    }
}
