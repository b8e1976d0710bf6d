//! Calendar dates of the form `YYYY-MM-DD`.

use time::{Date, Month};
use unicode_normalization::UnicodeNormalization;

/// Whether `text` fits `^\d{4}-\d{2}-\d{2}$`, real date or not.
#[must_use]
pub fn has_form(text: &str) -> bool {
    text.len() == 10
        && text.bytes().enumerate().all(|(i, b)| {
            if matches!(i, 4 | 7) {
                b == b'-'
            } else {
                b.is_ascii_digit()
            }
        })
}

/// The real calendar date that `text` names.
#[must_use]
pub fn parse(text: &str) -> Option<Date> {
    if !has_form(text) {
        return None;
    }
    let month = Month::try_from(text[5..7].parse::<u8>().ok()?).ok()?;
    Date::from_calendar_date(text[..4].parse().ok()?, month, text[8..].parse().ok()?).ok()
}

/// Year, month and day as typed into three fields, as one date. Digits of any width are taken, and a part without its zero;
/// whatever is no number stays as it was typed, and [`parse`] refuses it.
#[must_use]
pub fn of_parts(parts: [&str; 3]) -> String {
    let mut widths = [4, 2, 2].into_iter();
    let parts = parts.map(|part| {
        let typed: String = part.trim().nfkc().filter(|c| *c != '-').collect();
        let width = widths.next().unwrap_or_default();
        if !typed.is_empty() && typed.bytes().all(|b| b.is_ascii_digit()) {
            format!("{typed:0>width$}")
        } else {
            typed
        }
    });
    if parts.iter().all(String::is_empty) {
        String::new()
    } else {
        parts.join("-")
    }
}

/// Whether a day has not begun anywhere: `today` is that of UTC, and it is tomorrow already east of there.
#[must_use]
pub fn is_to_come(date: Date, today: Date) -> bool {
    today.next_day().is_some_and(|tomorrow| date > tomorrow)
}

/// `YYYY-MM-DD`.
#[must_use]
pub fn format(date: Date) -> String {
    format!("{:04}-{:02}-{:02}", date.year(), u8::from(date.month()), date.day())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_in_three_parts_is_one_date() {
        for (parts, date) in [
            (["1990", "2", "8"], "1990-02-08"),
            ([" 1990 ", "02", "８"], "1990-02-08"),
            (["", "", ""], ""),
            (["1990", "", "8"], "1990--08"),
            (["1990", "Feb", "8"], "1990-Feb-08"),
            (["90", "2", "8"], "0090-02-08"),
            (["1990-02-08", "", ""], "19900208--"),
        ] {
            assert_eq!(of_parts(parts), date, "{parts:?}");
        }
    }
}
