//! Dates as documents print them: numbers, months by their names, Japanese eras.

use super::fold::folded;
use time::{Date, Month};

/// The first letters of the months in English, French, Spanish, German, Italian, Portuguese, Dutch and the Scandinavian languages, folded, and
/// of the Irish June, which begins as May does elsewhere.
const MONTHS: [&[&str]; 12] = [
    &["JAN", "ENE", "GEN"],
    &["FEB", "FEV"],
    &["MAR", "MRZ", "MAE", "MAA", "MRT"],
    &["APR", "AVR", "ABR"],
    &["MAY", "MAI", "MAG", "MEI", "MAJ"],
    &["JUN", "JUIN", "GIU", "MEITH"],
    &["JUL", "JUIL", "LUG"],
    &["AUG", "AOU", "AGO"],
    &["SEP", "SET"],
    &["OCT", "OKT", "OTT", "OUT"],
    &["NOV"],
    &["DEC", "DEZ", "DIC", "DES"],
];

/// Eras and the year before their first; their letters only where a point follows, as in S60.12.1.
const ERAS: [(&str, char, i32); 5] = [
    ("明治", 'M', 1867),
    ("大正", 'T', 1911),
    ("昭和", 'S', 1925),
    ("平成", 'H', 1988),
    ("令和", 'R', 2018),
];

/// The year before the first of an era by its two kanji.
pub(crate) fn era_start(name: &str) -> Option<i32> {
    ERAS.iter().find(|(known, ..)| *known == name).map(|(.., start)| *start)
}

/// A date and where it ends in the folded text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) date: Date,
    /// What follows it, folded and without spaces.
    pub(super) after: String,
    /// What stands before it, folded and without spaces.
    pub(super) before: String,
}

/// A piece of a text: a number with its count of digits, or other characters.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Number(u32, usize),
    Other(String),
}

/// Whether a text has this date, as people write dates.
pub(crate) fn has(text: &str, date: Date) -> bool {
    days(text).any(|day| day == date)
}

/// The days that a text names with all digits of their year.
pub(crate) fn days(text: &str) -> impl Iterator<Item = Date> {
    all(text).into_iter().map(|found| found.date)
}

/// All dates of a text, in order. Where day and month cannot be told apart, there is none.
pub(super) fn all(text: &str) -> Vec<Found> {
    let folded: String = folded(text)
        .replace("元年", "1年")
        .chars()
        .filter(|c| !c.is_whitespace())
        .collect();
    let pieces = pieces(&folded);
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
    let folded: String = folded(text).chars().filter(|c| !c.is_whitespace()).collect();
    let pieces = pieces(&folded);
    let date = |window: &[Piece]| match window {
        [Piece::Number(day, 1..=2), Piece::Other(month), Piece::Number(year, 2)] => {
            let month = Month::try_from(u8::try_from(month_named(month)?).ok()?).ok()?;
            Some((u8::try_from(*day).ok()?, month, i32::try_from(*year).ok()?))
        }
        _ => None,
    };
    pieces.windows(3).filter_map(date).collect()
}

fn written(piece: &Piece) -> String {
    match piece {
        Piece::Number(value, digits) => format!("{value:0digits$}"),
        Piece::Other(text) => text.clone(),
    }
}

fn pieces(text: &str) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    for c in text.chars() {
        match (c.to_digit(10), pieces.last_mut()) {
            (Some(digit), Some(Piece::Number(value, digits))) if *digits < 8 => {
                *value = *value * 10 + digit;
                *digits += 1;
            }
            (Some(digit), _) => pieces.push(Piece::Number(digit, 1)),
            (None, Some(Piece::Other(text))) => text.push(c),
            (None, _) => pieces.push(Piece::Other(c.to_string())),
        }
    }
    pieces
}

/// The date that begins at a piece, and how many pieces it takes.
fn date_at(pieces: &[Piece], at: usize) -> Option<(Date, usize)> {
    let number = |index: usize| match pieces.get(at + index)? {
        Piece::Number(value, digits) => Some((*value, *digits)),
        Piece::Other(_) => None,
    };
    let other = |index: usize| match pieces.get(at + index) {
        Some(Piece::Other(text)) => text.as_str(),
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
    let before = at.checked_sub(1).and_then(|i| pieces.get(i));
    if let (Some(start), true) = (before.and_then(|piece| era(piece, separator)), digits <= 2) {
        return Some((date(start + first as i32, second, third)?, 5));
    }
    if digits > 2 || third_digits != 4 || !same {
        return None;
    }
    let day_first = match separator {
        "." | "-" => true,
        // With strokes the day comes first in one half of the world and second in the other.
        "/" => first > 12 || first == second,
        _ => return None,
    };
    let month_first = separator == "/" && second > 12;
    let (day, month) = if month_first { (second, first) } else { (first, second) };
    (day_first || month_first)
        .then(|| date(third as i32, month, day))
        .flatten()
        .map(|d| (d, 5))
}

/// The year before the first of the era that a piece ends with.
fn era(piece: &Piece, separator: &str) -> Option<i32> {
    let Piece::Other(text) = piece else { return None };
    let by_letter = separator == ".";
    let named = ERAS
        .iter()
        .find(|(name, letter, _)| text.ends_with(name) || by_letter && text.ends_with(*letter));
    named
        .filter(|(name, ..)| !text.ends_with(name) || separator.starts_with('年') || by_letter)
        .map(|(.., start)| *start)
}

/// The month whose name a text begins with. Of a month in two languages, `MEITH/JUN`, both say the same one, or there is none.
pub(crate) fn month_named(text: &str) -> Option<u32> {
    let mut named = text.split('/').filter_map(first_month);
    let first = named.next()?;
    named.all(|other| other == first).then_some(first)
}

/// Whether a date has its month in two languages.
pub(crate) fn names_month_twice(text: &str) -> bool {
    let letters = folded(text);
    letters.split('/').filter_map(first_month).count() > 1
}

fn first_month(text: &str) -> Option<u32> {
    let letters: String = text.chars().filter(|c| c.is_alphabetic()).collect();
    let length = |names: &[&str]| {
        let begin = names.iter().filter(|name| letters.starts_with(**name));
        begin.map(|name| name.len()).max()
    };
    let found = MONTHS
        .iter()
        .zip(1..)
        .filter_map(|(names, number)| Some((length(names)?, number)));
    found.max_by_key(|(length, _)| *length).map(|(_, number)| number)
}

fn date(year: i32, month: u32, day: u32) -> Option<Date> {
    let month = Month::try_from(u8::try_from(month).ok()?).ok()?;
    Date::from_calendar_date(year, month, u8::try_from(day).ok()?)
        .ok()
        .filter(|date| (1868..2200).contains(&date.year()))
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
