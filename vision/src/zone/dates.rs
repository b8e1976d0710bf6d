//! Dates as documents print them: numbers, months by their names, Japanese eras.

use crate::calendar::{ERAS, day_in, month_named, month_of};
use crate::fold::{folded, is_latin};
use std::ops::Range;
use time::{Date, Month};

/// Years that a document may speak of, from the first of Meiji, the earliest era.
const YEARS: Range<i32> = 1868..2200;

/// A date and where it ends in the folded text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) date: Date,
    /// What follows it, folded and without spaces.
    pub(super) after: String,
    /// What stands before it, folded and without spaces.
    pub(super) before: String,
}

/// A piece of a text without spaces: a number with its count of digits, or other characters and whether a space stood before the last of them.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Number(u32, usize),
    Other(String, bool),
}

/// Whether a text has this date, as people write dates.
pub(crate) fn has(text: &str, date: Date) -> bool {
    days(text).any(|day| day == date)
}

/// The days that a text names with all digits of their year.
pub(crate) fn days(text: &str) -> impl Iterator<Item = Date> {
    all(text).into_iter().map(|found| found.date)
}

/// Whether the digits of a bare text may name this day: day, month and year in an order that documents have, whatever stood between them. For a day
/// that is known from elsewhere.
pub(crate) fn may_name(bare: &str, date: Date) -> bool {
    let (year, month, day) = (date.year(), u8::from(date.month()), date.day());
    let orders = [
        format!("{day:02}{month:02}{year:04}"),
        format!("{month:02}{day:02}{year:04}"),
        format!("{year:04}{month:02}{day:02}"),
    ];
    orders.iter().any(|digits| bare.contains(digits.as_str()))
}

/// All dates of a text, in order. Where day and month cannot be told apart, there is none.
pub(super) fn all(text: &str) -> Vec<Found> {
    let pieces = pieces(&folded(text).replace("元年", "1年"));
    let mut found: Vec<Found> = Vec::new();
    let mut at = 0;
    while at < pieces.len() {
        if let Some((date, length)) = date_at(&pieces, at) {
            let joined = |pieces: &[Piece]| pieces.iter().map(written).collect::<String>();
            found.push(Found {
                date,
                before: joined(&pieces[..at]),
                after: joined(&pieces[at + length..]),
            });
            at += length;
        } else {
            at += 1;
        }
    }
    found
}

/// Dates whose year has two digits, `12 AUG/AOUT 74`: day, month and year, enough to compare and too little to keep.
pub(super) fn short(text: &str) -> Vec<(u8, Month, i32)> {
    let pieces = pieces(&folded(text));
    let date = |window: &[Piece]| match window {
        [
            Piece::Number(day, 1..=2),
            Piece::Other(month, _),
            Piece::Number(year, 2),
        ] => {
            let month = month_of(month_named(month)?)?;
            Some((u8::try_from(*day).ok()?, month, i32::try_from(*year).ok()?))
        }
        _ => None,
    };
    pieces.windows(3).filter_map(date).collect()
}

fn written(piece: &Piece) -> String {
    match piece {
        Piece::Number(value, digits) => format!("{value:0digits$}"),
        Piece::Other(text, _) => text.clone(),
    }
}

fn pieces(text: &str) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    let mut is_apart = false;
    for c in text.chars() {
        if c.is_whitespace() {
            is_apart = true;
            continue;
        }
        match (c.to_digit(10), pieces.last_mut()) {
            (Some(digit), Some(Piece::Number(value, digits))) if *digits < 8 => {
                *value = *value * 10 + digit;
                *digits += 1;
            }
            (Some(digit), _) => pieces.push(Piece::Number(digit, 1)),
            (None, Some(Piece::Other(text, is_last_apart))) => {
                text.push(c);
                *is_last_apart = is_apart;
            }
            (None, _) => pieces.push(Piece::Other(c.to_string(), is_apart)),
        }
        is_apart = false;
    }
    pieces
}

/// The date that begins at a piece, and how many pieces it takes.
fn date_at(pieces: &[Piece], at: usize) -> Option<(Date, usize)> {
    let number = |index: usize| match pieces.get(at + index)? {
        Piece::Number(value, digits) => Some((*value, *digits)),
        Piece::Other(..) => None,
    };
    let other = |index: usize| match pieces.get(at + index) {
        Some(Piece::Other(text, _)) => text.as_str(),
        _ => "",
    };
    let (first, digits) = number(0)?;
    if let (Some(month), Some((year, 4))) = (month_named(other(1)), number(2))
        && digits <= 2
    {
        return Some((date(year as i32, month, first)?, 3));
    }
    let (second, second_digits) = number(2)?;
    let (third, third_digits) = number(4)?;
    if second_digits > 2 || third_digits > 4 {
        return None;
    }
    let (separator, same) = (other(1), other(1) == other(3));
    if digits == 4
        && (matches!(separator, "-" | "." | "/") && same || separator.starts_with('年') && other(3).starts_with('月'))
    {
        return Some((date(first as i32, second, third)?, 5));
    }
    // 2024年(令和06年)06月01日: the year of the era repeats the other, the month follows.
    if digits == 4 && separator.starts_with('年') && other(3).contains('年') {
        let (day, _) = number(6)?;
        return other(5)
            .starts_with('月')
            .then(|| date(first as i32, third, day))
            .flatten()
            .map(|d| (d, 7));
    }
    // Behind the year of an era comes no other year: H31.4.30.
    let before = at.checked_sub(1).and_then(|i| pieces.get(i));
    if digits <= 2
        && third_digits <= 2
        && let Some(start) = before.and_then(|piece| era(piece, separator))
        && let Some(date) = date(start + first as i32, second, third)
    {
        return Some((date, 5));
    }
    if digits > 2 || third_digits != 4 || !same {
        return None;
    }
    let day_first = match separator {
        "." => true,
        // With strokes and hyphens the day comes first in one half of the world and second in the other.
        "/" | "-" => first > 12 || first == second,
        _ => return None,
    };
    let month_first = separator != "." && second > 12;
    let (day, month) = if month_first { (second, first) } else { (first, second) };
    (day_first || month_first)
        .then(|| date(third as i32, month, day))
        .flatten()
        .map(|d| (d, 5))
}

/// The year before the first of the era that a piece ends with. A letter stands for one only where it is no end of a word: in `DOB S60.12.1` it is
/// one, and the last letter of `Expires` is none.
fn era(piece: &Piece, separator: &str) -> Option<i32> {
    let Piece::Other(text, is_last_apart) = piece else {
        return None;
    };
    let by_letter = separator == ".";
    let in_word = |c: char| c.is_alphabetic() && is_latin(c);
    let is_letter = |letter: char| {
        let rest = text.strip_suffix(letter);
        by_letter && rest.is_some_and(|rest| *is_last_apart || !rest.ends_with(in_word))
    };
    let named = ERAS
        .iter()
        .find(|era| text.ends_with(era.name) || is_letter(era.letter));
    named
        .filter(|era| !text.ends_with(era.name) || separator.starts_with('年') || by_letter)
        .map(|era| era.start)
}

fn date(year: i32, month: u32, day: u32) -> Option<Date> {
    day_in(&YEARS, year, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use time::macros::date;

    fn dates(text: &str) -> Vec<Date> {
        all(text).into_iter().map(|found| found.date).collect()
    }

    #[test]
    fn the_ways_documents_print_a_date() {
        let christmas = date!(1985 - 12 - 25);
        for text in [
            "25 DEC 1985",
            "25 DEC/DÉC 1985",
            "25.12.1985",
            "25-12-1985",
            "1985-12-25",
            "1985年12月25日",
            "昭和60年12月25日",
            "S60.12.25",
            "昭和 60年 12月 25日生",
            "12/25/1985",
            "12-25-1985",
            "25/12/1985",
            "25Dezember1985",
            "１９８５年１２月２５日",
        ] {
            assert_eq!(dates(text), [christmas], "{text}");
        }
        assert_eq!(dates("2024年(令和06年)06月01日まで有効"), [date!(2024 - 06 - 01)]);
        assert_eq!(dates("令和元年5月1日"), [date!(2019 - 05 - 01)]);
        assert_eq!(
            dates("平成31年04月30日 令和01年05月07日"),
            [date!(2019 - 04 - 30), date!(2019 - 05 - 07)]
        );
    }

    #[test]
    fn the_last_letter_of_a_label_is_no_era() {
        for text in [
            "Geburtsdatum 12.08.1974",
            "Date of birth 12.08.1974",
            "Gültig bis 12.08.1974",
            "Expires 12.08.1974",
            "M 12.08.1974",
        ] {
            assert_eq!(dates(text), [date!(1974 - 08 - 12)], "{text}");
        }
        assert!(dates("Expires 12.08.30").is_empty());
        for text in [
            "H31.4.30",
            "(H31.4.30",
            "交付 H31.4.30",
            "Issued H31.4.30",
            "Issued\u{3000}H 31.4.30",
        ] {
            assert_eq!(dates(text), [date!(2019 - 04 - 30)], "{text}");
        }
        assert_eq!(dates("DOB S60.12.1"), [date!(1985 - 12 - 01)]);
    }

    #[test]
    fn a_year_of_two_digits_is_known_but_not_dated() {
        assert_eq!(short("12 AUG/AOÛT 74"), [(12, Month::August, 74)]);
        assert!(all("12 AUG/AOÛT 74").is_empty());
    }

    #[test]
    fn a_month_in_two_languages_is_the_one_that_both_name() {
        for june in ["03 MEITH/JUN 1977", "03 MEITHJUN 1977", "03 JUIN/JUN 1977"] {
            assert_eq!(dates(june), [date!(1977 - 06 - 03)], "{june}");
        }
        assert_eq!(dates("03 SAM/NOV 1977"), [date!(1977 - 11 - 03)]);
        assert_eq!(dates("03 BEAL/MAY 1977"), [date!(1977 - 05 - 03)]);
    }

    #[test]
    fn what_is_no_date_or_could_be_two_is_none() {
        for text in [
            // Finnish for November, and May in half of Europe, cut short for the Irish June.
            "03 MARRAS/NOV 1977",
            "03 MEI/JUN 1977",
            "03/04/2020",
            "03-04-2020",
            "31.02.2020",
            "12345678",
            "AB1234567",
            "2020",
            "1.2.3",
            "99年1月1日",
            "192.168.0.1",
        ] {
            assert!(dates(text).is_empty(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_searched_without_panic(text in "\\PC{0,60}") {
            all(&text);
        }

        #[test]
        fn digits_and_separators_are_searched_without_panic(text in "[0-9年月日./ 昭和SH-]{0,40}") {
            all(&text);
        }
    }
}
