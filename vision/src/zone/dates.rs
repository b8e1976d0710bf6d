//! Dates as documents print them: numbers, months by their names, Japanese eras.

use crate::calendar::{ERAS, PAST_CENTURIES, day_in, month_named};
use crate::fold::{folded, is_latin};
use std::collections::BTreeSet;
use std::ops::Range;
use time::Date;

/// Years that a document may speak of, from the first of Meiji, the earliest era.
const YEARS: Range<i32> = 1868..2200;
/// How far from the name of a month its day or its year stands at most, in words and numbers: `24 9月/SEP 2019`.
const NEAR_MONTH: usize = 3;
/// The last day of a year.
const LAST_MONTH: u32 = 12;
const LAST_DAY: u32 = 31;
/// What stands before the year in which a Mexican voter's card expires.
const LAST_YEAR: &str = "VIGENCIA";
/// Names of months in which a zero was read for a letter.
const MISREAD_MONTHS: [(&str, &str); 3] = [("0CT", "OCT"), ("0KT", "OKT"), ("N0V", "NOV")];

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

/// A word or a number of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    /// With its count of digits.
    Number(u32, usize),
    Word(String),
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

/// The days that a text may name, however people write dates: with two digits of the year, day and month in either order, spaces alone
/// between the numbers, or the month in two languages; of a year without a day, its end. Too many to take one of them, and enough to look for a day
/// that is known from elsewhere.
pub(crate) fn possible(text: &str) -> BTreeSet<Date> {
    let letters = MISREAD_MONTHS
        .iter()
        .fold(folded(text), |text, (read, printed)| text.replace(read, printed));
    let tokens = tokens(&letters);
    let at = |at: usize| {
        let rest = &tokens[at..];
        let in_numbers = in_numbers(rest).into_iter().chain(in_one_number(rest));
        in_numbers.chain(around_month(&tokens, at))
    };
    let in_text = days(text).chain((0..tokens.len()).flat_map(at));
    in_text.chain(ends_of_years(&tokens)).collect()
}

/// The ends of the years that stand without a day: alone, as the later of two, or behind the word for the last year.
fn ends_of_years(tokens: &[Token]) -> Vec<Date> {
    let year = |token: &Token| match token {
        Token::Number(value, 4) => i32::try_from(*value).ok().filter(|year| YEARS.contains(year)),
        _ => None,
    };
    let is_last = |token: &Token| matches!(token, Token::Word(word) if word == LAST_YEAR);
    let labelled = tokens.iter().skip_while(|token| !is_last(token)).filter_map(year);
    let alone = tokens.first().filter(|_| tokens.len() == 1).and_then(year);
    let later = tokens.windows(2).filter_map(|pair| {
        let [from, to] = [year(&pair[0])?, year(&pair[1])?];
        (from < to).then_some(to)
    });
    let years = labelled.chain(alone).chain(later);
    years.filter_map(|year| date(year, LAST_MONTH, LAST_DAY)).collect()
}

/// Words and numbers, whatever stands between them.
fn tokens(text: &str) -> Vec<Token> {
    let goes_on = |before: char, c: char| {
        let is_number = before.is_ascii_digit() && c.is_ascii_digit();
        is_number || before.is_alphabetic() && c.is_alphabetic() && is_latin(before) == is_latin(c)
    };
    let mut tokens: Vec<Token> = Vec::new();
    let mut before: Option<char> = None;
    for c in text.chars() {
        let is_same = before.is_some_and(|before| goes_on(before, c));
        match (c.to_digit(10), tokens.last_mut()) {
            (Some(digit), Some(Token::Number(value, digits))) if is_same => {
                *value = value.saturating_mul(10).saturating_add(digit);
                *digits += 1;
            }
            (Some(digit), _) => tokens.push(Token::Number(digit, 1)),
            (None, Some(Token::Word(word))) if is_same => word.push(c),
            (None, _) if c.is_alphabetic() => tokens.push(Token::Word(c.to_string())),
            (None, _) => {}
        }
        before = Some(c);
    }
    tokens
}

/// The days of three numbers in a row, with the year last or first.
fn in_numbers(tokens: &[Token]) -> Vec<Date> {
    let &[
        Token::Number(first, a),
        Token::Number(second, b),
        Token::Number(third, c),
        ..,
    ] = tokens
    else {
        return Vec::new();
    };
    let mut found = Vec::new();
    if a <= 2 && b <= 2 {
        let in_year = |year| [date(year, second, first), date(year, first, second)];
        found.extend(years(third, c).into_iter().flat_map(in_year).flatten());
    }
    // A year of two digits is not taken to come first: an issue on 29.04.16 would be a last day in 2029 as well.
    if a == 4 && b <= 2 && c <= 2 {
        let in_year = |year| date(year, second, third);
        found.extend(years(first, a).into_iter().filter_map(in_year));
    }
    found
}

/// The days of eight digits in a row.
fn in_one_number(tokens: &[Token]) -> Vec<Date> {
    let &[Token::Number(number, 8), ..] = tokens else {
        return Vec::new();
    };
    let (begin, end) = (number / 10_000, number % 10_000);
    let orders = [
        (end, begin % 100, begin / 100),
        (end, begin / 100, begin % 100),
        (begin, end / 100, end % 100),
    ];
    let day = |(year, month, of_month): (u32, u32, u32)| date(i32::try_from(year).ok()?, month, of_month);
    orders.into_iter().filter_map(day).collect()
}

/// The days of a month that is named at this place: day and year stand on either side of it, or both behind it.
fn around_month(tokens: &[Token], at: usize) -> Vec<Date> {
    let number = |token: &Token| match token {
        Token::Number(value, digits) => Some((*value, *digits)),
        Token::Word(_) => None,
    };
    let named = match &tokens[at] {
        Token::Word(name) => month_named(name),
        Token::Number(..) => None,
    };
    let behind: Vec<(u32, usize)> = tokens[at + 1..].iter().take(NEAR_MONTH).filter_map(number).collect();
    let (Some(month), Some(&next)) = (named, behind.first()) else {
        return Vec::new();
    };
    let before = tokens[..at].iter().rev().take(NEAR_MONTH).filter_map(number);
    let before: Vec<(u32, usize)> = before.take(2).collect();
    let days_before = before
        .iter()
        .flat_map(|&(number, digits)| days_before_month(number, digits, month));
    let mut dates: Vec<(u32, (u32, usize))> = days_before.map(|day| (day, next)).collect();
    let whole_years = before.first().into_iter().chain(behind.get(1));
    dates.extend(
        whole_years
            .filter(|(_, digits)| *digits == 4)
            .map(|year| (next.0, *year)),
    );
    let in_years = |(day, (year, digits))| {
        let in_year = move |year| date(year, month, day);
        years(year, digits).into_iter().filter_map(in_year)
    };
    dates.into_iter().flat_map(in_years).collect()
}

/// The days that a number before the name of a month may be. Without the space between them, the number of the month ends it.
fn days_before_month(number: u32, digits: usize, month: u32) -> Vec<u32> {
    match digits {
        1 | 2 => vec![number],
        3 | 4 => [10, 100]
            .into_iter()
            .filter(|power| number % power == month)
            .map(|power| number / power)
            .collect(),
        _ => Vec::new(),
    }
}

/// The years that a number may stand for: one with four digits, and with two that of either century.
fn years(number: u32, digits: usize) -> Vec<i32> {
    match (i32::try_from(number), digits) {
        (Ok(year), 4) => vec![year],
        (Ok(year), 2) => PAST_CENTURIES.map(|century| century + year).to_vec(),
        _ => Vec::new(),
    }
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
    let (before, rest) = (pieces[..at].last(), &pieces[at..]);
    with_named_month(rest)
        .or_else(|| year_first(rest))
        .or_else(|| with_both_years(rest))
        .or_else(|| in_era(before, rest))
        .or_else(|| year_last(rest))
}

/// The number at a place, with its count of digits.
fn number_at(pieces: &[Piece], at: usize) -> Option<(u32, usize)> {
    match pieces.get(at)? {
        Piece::Number(value, digits) => Some((*value, *digits)),
        Piece::Other(..) => None,
    }
}

/// What is no number at a place; nothing where a number is.
fn other_at(pieces: &[Piece], at: usize) -> &str {
    match pieces.get(at) {
        Some(Piece::Other(text, _)) => text.as_str(),
        _ => "",
    }
}

/// `25 DEC 1985`.
fn with_named_month(rest: &[Piece]) -> Option<(Date, usize)> {
    let ((day, digits), (year, 4)) = (number_at(rest, 0)?, number_at(rest, 2)?) else {
        return None;
    };
    let month = month_named(other_at(rest, 1)).filter(|_| digits <= 2)?;
    Some((date(year as i32, month, day)?, 3))
}

/// Three numbers that may be a date.
struct Three<'a> {
    /// Each with its count of digits: the second has two at most, the third four.
    numbers: [(u32, usize); 3],
    /// What stands between them.
    separators: [&'a str; 2],
}

fn three(rest: &[Piece]) -> Option<Three<'_>> {
    let numbers = [number_at(rest, 0)?, number_at(rest, 2)?, number_at(rest, 4)?];
    let [_, (_, second), (_, third)] = numbers;
    (second <= 2 && third <= 4).then(|| Three {
        numbers,
        separators: [other_at(rest, 1), other_at(rest, 3)],
    })
}

/// `1985-12-25`, `1985年12月25日`.
fn year_first(rest: &[Piece]) -> Option<(Date, usize)> {
    let Three {
        numbers: [(year, 4), (month, _), (day, _)],
        separators: [one, other],
    } = three(rest)?
    else {
        return None;
    };
    let is_date = matches!(one, "-" | "." | "/") && one == other || one.starts_with('年') && other.starts_with('月');
    is_date
        .then(|| date(year as i32, month, day))
        .flatten()
        .map(|date| (date, 5))
}

/// `2024年(令和06年)06月01日`: the year of the era repeats the other, the month follows.
fn with_both_years(rest: &[Piece]) -> Option<(Date, usize)> {
    let Three {
        numbers: [(year, 4), _, (month, _)],
        separators: [one, other],
    } = three(rest)?
    else {
        return None;
    };
    let (day, _) = number_at(rest, 6)?;
    let has_both = one.starts_with('年') && other.contains('年') && !other.starts_with('月');
    (has_both && other_at(rest, 5).starts_with('月'))
        .then(|| date(year as i32, month, day))
        .flatten()
        .map(|date| (date, 7))
}

/// `S60.12.25`, `昭和60年12月25日`. Behind the year of an era comes no other year: H31.4.30.
fn in_era(before: Option<&Piece>, rest: &[Piece]) -> Option<(Date, usize)> {
    let Three {
        numbers: [(year, digits), (month, _), (day, day_digits)],
        separators: [separator, _],
    } = three(rest)?;
    if digits > 2 || day_digits > 2 {
        return None;
    }
    let start = era(before?, separator)?;
    Some((date(start + year as i32, month, day)?, 5))
}

/// `25.12.1985`, and `12/25/1985` where day and month can be told apart.
fn year_last(rest: &[Piece]) -> Option<(Date, usize)> {
    let Three {
        numbers: [(first, digits), (second, _), (year, 4)],
        separators: [separator, other],
    } = three(rest)?
    else {
        return None;
    };
    if digits > 2 || separator != other {
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
        .then(|| date(year as i32, month, day))
        .flatten()
        .map(|date| (date, 5))
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
        let either = [date!(1974 - 08 - 12), date!(2074 - 08 - 12)];
        assert_eq!(possible("12 AUG/AOÛT 74"), BTreeSet::from(either));
        assert!(all("12 AUG/AOÛT 74").is_empty());
    }

    #[test]
    fn a_day_that_is_known_from_elsewhere_is_found_however_it_is_written_and_no_other_is() {
        let expiry = date!(2028 - 09 - 24);
        for text in [
            "24 SEP 2028",
            "24 SEP 28",
            "24SEP2028",
            "24 9月/SEP 2028",
            "249月/SEP 2028",
            "2409月/SEP 2028",
            "24 9월/SEP 2028",
            "24 BEP/SEP 28",
            "24 6EP/SEP 28",
            "24 SEP/SEPT 28",
            "SEP 24, 2028",
            "2028-SEP-24",
            "24 09 2028",
            "24/09/2028",
            "09/24/2028",
            "24.09.28",
            "20280924",
            "24092028",
            "Valid 23.09.18-24.09.2028",
            "15 JUN 2018 24 SEP 2028",
        ] {
            assert!(possible(text).contains(&expiry), "{text}");
        }
        assert!(possible("02 0CT 1973").contains(&date!(1973 - 10 - 02)));
        let either = [date!(2028 - 04 - 03), date!(2028 - 03 - 04)];
        assert_eq!(possible("03/04/2028"), BTreeSet::from(either));
        for text in [
            "24 SEP",
            "SEP 2028",
            "24 SEP 202",
            "24 SEP 2018",
            "24 OCT 2028",
            "23 SEP 2028",
            "1234567892428",
            "24 2028",
            "28.09.24",
        ] {
            assert!(!possible(text).contains(&expiry), "{text}");
        }
    }

    #[test]
    fn a_year_in_which_a_card_expires_is_known_by_its_end_and_other_numbers_are_no_year() {
        let end = date!(2029 - 12 - 31);
        for text in [
            "VIGENCIA 2029",
            "EMISIÓN 2019 VIGENCIA 2029",
            "Vigencia 2019 - 2029",
            "2019-2029",
            "12/08/1974 0747 2019 - 2029",
            "2029",
        ] {
            assert!(possible(text).contains(&end), "{text}");
        }
        for text in [
            "SECCIÓN 2029",
            "2029 00",
            "2029 - 2019",
            "C PINO SUAREZ 2029",
            "VIGENCIA 202",
            "20291",
        ] {
            assert!(!possible(text).contains(&end), "{text}");
        }
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
            // May in half of Europe, cut short for the Irish June.
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
            possible(&text);
        }

        #[test]
        fn digits_and_separators_are_searched_without_panic(text in "[0-9年月日./ 昭和SH-]{0,40}") {
            all(&text);
            possible(&text);
        }
    }
}
