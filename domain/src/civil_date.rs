//! Calendar dates of the form `YYYY-MM-DD`.

use crate::era;
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

/// Year, month and day as typed into three fields, as one date. Digits of any width are taken, a part without its zero or with the unit that
/// a Japanese date has behind it, and a year of a Japanese era; whatever is not a number stays as it was typed, and [`parse`] refuses it.
#[must_use]
pub fn of_parts(parts: [&str; 3]) -> String {
    const YEAR: usize = 4;
    let mut widths = [(YEAR, '年'), (2, '月'), (2, '日')].into_iter();
    let parts = parts.map(|part| {
        let typed: String = part.trim().nfkc().filter(|c| *c != '-').collect();
        let (width, unit) = widths.next().unwrap_or_default();
        let typed = typed
            .strip_suffix(unit)
            .map_or(typed.as_str(), str::trim_end)
            .to_owned();
        match era::year_of(&typed) {
            Some(year) if width == YEAR => year.to_string(),
            _ if !typed.is_empty() && typed.bytes().all(|b| b.is_ascii_digit()) => format!("{typed:0>width$}"),
            _ => typed,
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
            (["昭和61", "5", "1"], "1986-05-01"),
            (["昭和６１", "５", "１"], "1986-05-01"),
            (["S61", "5", "1"], "1986-05-01"),
            (["令和元", "5", "1"], "2019-05-01"),
            (["昭和61年", "5月", "1日"], "1986-05-01"),
            (["1986年", "5 月", "1日"], "1986-05-01"),
            (["1986月", "5", "1"], "1986月-05-01"),
            (["昭和65", "5", "1"], "昭和65-05-01"),
            (["1986", "S5", "1"], "1986-S5-01"),
        ] {
            assert_eq!(of_parts(parts), date, "{parts:?}");
        }
    }
}
