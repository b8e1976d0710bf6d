//! Dates with eras, with months by name, in numbers; each must be a day of the calendar, and era and Western year must agree.

use super::{Order, Parsed, stretch};
use crate::calendar::{ERAS, PAST_CENTURIES, day_in, era_start, month_named};
use crate::layout::page::{Folded, Glyph};
use domain::civil_date::{self, is_to_come};
use domain::era::Era;
use std::ops::Range;
use time::Date;

/// Years a document may speak of.
const YEARS: Range<i32> = 1900..2100;
/// Other years that documents print: of the Hijra, of Iran and of Burma, of Buddha, of Israel; and the one that says that a card never
/// expires.
const OTHER_YEARS: [Range<i32>; 4] = [1200..1500, 2400..2700, 5600..5900, 9999..10_000];
/// The number of December: a greater one is a day.
const LAST_MONTH: i32 = 12;
/// The last day of the longest months.
const LAST_DAY: i32 = 31;
/// What stands between the numbers of a date.
const SEPARATORS: [char; 7] = ['.', ',', '/', '-', '·', '・', '‐'];
/// The longest month's name with its translation, `SEPTEMBER/SEPTEMBRE`.
const LONGEST_MONTH: usize = 20;

/// The months in English, and letters of their short forms.
const MONTHS: [&str; 12] = [
    "JANUARY",
    "FEBRUARY",
    "MARCH",
    "APRIL",
    "MAY",
    "JUNE",
    "JULY",
    "AUGUST",
    "SEPTEMBER",
    "OCTOBER",
    "NOVEMBER",
    "DECEMBER",
];
const SHORT_MONTH: usize = 3;

/// Something in the form of a date, where it ends, and whether its two years agree.
struct Found {
    /// `None` if the year has no such day.
    date: Option<Date>,
    to: usize,
    agrees: bool,
    /// Whether its year is one that a document may speak of.
    is_in_years: bool,
}

/// The one date of a text, with the words that must stand around it.
pub(super) fn parse(
    glyphs: &[Glyph],
    order: Order,
    [begins, ends]: [&[String]; 2],
    past: bool,
    today: Date,
) -> Option<Parsed> {
    let folded = with_gaps(&Folded::of(glyphs));
    let mut found = all(&folded.chars, order, [begins, ends], past.then_some(today));
    found.retain(|(_, found)| found.date.is_some());
    let (from, first) = found.first()?;
    let date = first.date?;
    if found.iter().any(|(_, other)| other.date != first.date) || past && is_to_come(date, today) {
        return None;
    }
    parsed(
        glyphs,
        &folded,
        *from,
        first,
        first.agrees.then(|| civil_date::format(date)),
    )
}

/// A text in the form of a date that no genuine document has there: a day that the calendar does not have, or one of the past that
/// is still to come or lies before anybody's birth.
pub(super) fn impossible(
    glyphs: &[Glyph],
    order: Order,
    [begins, ends]: [&[String]; 2],
    past: bool,
    today: Date,
) -> Option<Parsed> {
    let folded = with_gaps(&Folded::of(glyphs));
    let found = all(&folded.chars, order, [begins, ends], past.then_some(today));
    let [(from, only)] = found.as_slice() else { return None };
    let is_impossible = match only.date {
        Some(date) => past && is_to_come(date, today),
        None => past || only.is_in_years,
    };
    is_impossible
        .then(|| parsed(glyphs, &folded, *from, only, None))
        .flatten()
}

/// Whether anything in a text has the form of a date, as documents print it or as offices enter it.
pub(super) fn occurs(glyphs: &[Glyph], order: Order, [begins, ends]: [&[String]; 2]) -> bool {
    let chars = with_gaps(&Folded::of(glyphs)).chars;
    let is_entered = |at: usize| entered(&chars, at).is_some_and(|to| fits(&chars, at, to, begins, ends));
    let found = all(&chars, order, [begins, ends], None);
    found.iter().any(|(_, found)| found.is_in_years) || order == Order::Year && (0..chars.len()).any(is_entered)
}

/// Where a date ends that begins at a place as 2024.6.1, R6.6.1, R元.6.1, R6年6月1日 or 令和6.6.1.
fn entered(chars: &[char], at: usize) -> Option<usize> {
    let mut cursor = Cursor { chars, at };
    let before = at.checked_sub(1).and_then(|before| chars.get(before));
    let is_named = chars
        .get(at..at + 2)
        .is_some_and(|name| era_start(&name.iter().collect::<String>()).is_some());
    let is_lettered = !is_named && cursor.eat(|c| ERAS.iter().any(|era| era.letter == c));
    cursor.at += if is_named { 2 } else { 0 };
    let is_in_era = is_named || is_lettered;
    let is_year = if is_in_era && cursor.eat(|c| c == '元') {
        true
    } else {
        let (year, digits) = cursor.number(4)?;
        if is_in_era {
            year > 0 && digits <= 2
        } else {
            YEARS.contains(&year)
        }
    };
    let mut part = |last: i32| {
        let number = cursor
            .eat(|c| SEPARATORS.contains(&c) || matches!(c, '年' | '月'))
            .then(|| cursor.number(2))
            .flatten();
        number.is_some_and(|(value, _)| (1..=last).contains(&value))
    };
    let is_whole = is_year && part(LAST_MONTH) && part(LAST_DAY);
    (is_whole && before.is_none_or(|c| !c.is_ascii_alphanumeric())).then_some(cursor.at)
}

fn parsed(glyphs: &[Glyph], folded: &Folded, from: usize, found: &Found, normalized: Option<String>) -> Option<Parsed> {
    let (text, first, last) = stretch(glyphs, folded, from, found.to)?;
    Some(Parsed {
        text,
        normalized,
        from: first,
        to: last,
    })
}

/// Everything in the form of a date, each with its beginning.
fn all(chars: &[char], order: Order, [begins, ends]: [&[String]; 2], today: Option<Date>) -> Vec<(usize, Found)> {
    let mut found: Vec<(usize, Found)> = Vec::new();
    let mut at = 0;
    while at < chars.len() {
        let inside = at > 0 && chars[at - 1].is_ascii_digit() && chars[at].is_ascii_digit();
        let Some(date) = date_at(chars, at, order, today).filter(|_| !inside) else {
            at += 1;
            continue;
        };
        let (real, to) = (date.date.is_some(), date.to);
        let overlaps = found.last().is_some_and(|(_, before)| at < before.to);
        if fits(chars, at, to, begins, ends) && (real || !overlaps) {
            found.push((at, date));
        }
        // A valid date may begin inside an invalid one.
        at = if real { to } else { at + 1 };
    }
    found
}

/// Two numbers with a space between are two numbers.
fn with_gaps(folded: &Folded) -> Folded {
    let mut gapped = Folded::default();
    for (at, c) in with_letters(folded).into_iter().enumerate() {
        let digits = c.is_ascii_digit() && gapped.chars.last().is_some_and(char::is_ascii_digit);
        if digits && folded.apart[at] {
            gapped.chars.push(' ');
            gapped.from.push(folded.from[at]);
            gapped.apart.push(true);
        }
        gapped.chars.push(c);
        gapped.from.push(folded.from[at]);
        gapped.apart.push(folded.apart[at]);
    }
    gapped
}

/// A zero in the name of a month is an O: `02 OCT 1973` is read as `02 0CT 1973`. Without the space, two digits before it are the day; one may have
/// lost the other: `10CT` is the 10th as well as the first.
fn with_letters(folded: &Folded) -> Vec<char> {
    let chars = &folded.chars;
    let is_letter = |c: &&char| c.is_ascii_alphabetic();
    let is_in_month = |at: usize| {
        let before = chars[..at].iter().rev().take_while(is_letter).count();
        let after = chars[at + 1..].iter().take_while(is_letter).count();
        let name = |from: usize, to: usize| chars[from..to].iter().collect::<String>().replace('0', "O");
        // AUG 05 has its zero behind the name.
        let is_behind = month_named(&name(at - before, at)).is_some();
        let digits = chars[..at].iter().rev().take_while(|c| c.is_ascii_digit()).count();
        let is_apart = folded.apart[at] || matches!(digits, 0 | 2);
        after > 0 && is_apart && !is_behind && month_named(&name(at - before, at + 1 + after)).is_some()
    };
    let letter = |(at, &c): (usize, &char)| if c == '0' && is_in_month(at) { 'O' } else { c };
    chars.iter().enumerate().map(letter).collect()
}

fn fits(chars: &[char], from: usize, to: usize, begins: &[String], ends: &[String]) -> bool {
    let after: String = chars[to..].iter().take(8).collect();
    let before: String = chars[..from].iter().collect();
    let folded = |word: &String| crate::fold::folded(word);
    (ends.is_empty() || ends.iter().any(|word| after.starts_with(&folded(word))))
        && (begins.is_empty() || begins.iter().any(|word| before.ends_with(&folded(word))))
}

/// The date that begins at a place. `today` tells the century of two digits, and that the date lies in the past.
fn date_at(chars: &[char], at: usize, order: Order, today: Option<Date>) -> Option<Found> {
    japanese(chars, at, today.is_some())
        .or_else(|| named_month(chars, at, today))
        .or_else(|| named_month_first(chars, at))
        .or_else(|| numbered_and_named_month(chars, at))
        .or_else(|| in_numbers(chars, at, order, today))
        .or_else(|| spaced(chars, at).filter(|_| order == Order::Day))
}

/// Reads on from a place.
struct Cursor<'a> {
    chars: &'a [char],
    at: usize,
}

impl Cursor<'_> {
    fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    fn eat(&mut self, wanted: impl Fn(char) -> bool) -> bool {
        let eaten = self.peek().is_some_and(wanted);
        self.at += usize::from(eaten);
        eaten
    }

    /// A number of at most this many digits, not followed by another digit.
    fn number(&mut self, most: usize) -> Option<(i32, usize)> {
        let digits = self.chars[self.at..].iter().take_while(|c| c.is_ascii_digit()).count();
        if digits == 0 || digits > most {
            return None;
        }
        self.fixed(digits).map(|value| (value, digits))
    }

    /// A number of exactly this many digits; others may follow.
    fn fixed(&mut self, digits: usize) -> Option<i32> {
        let text: String = self.chars.get(self.at..self.at + digits)?.iter().collect();
        let value = text.bytes().all(|b| b.is_ascii_digit()).then(|| text.parse().ok())??;
        self.at += digits;
        Some(value)
    }

    /// A year of an era, 令和6年, as a Western year.
    fn era_year(&mut self) -> Option<(i32, Era)> {
        let name: String = self.chars.get(self.at..self.at + 2)?.iter().collect();
        let era = ERAS.iter().copied().find(|era| era.name == name)?;
        self.at += 2;
        let year = if self.eat(|c| c == '元') { 1 } else { self.number(2)?.0 };
        (year > 0 && self.eat(|c| c == '年')).then_some((era.start + year, era))
    }

    /// A Western year, 2024年(令和06年), the era in which it may be given once more, and whether both are one year.
    fn western_year(&mut self) -> Option<(i32, Option<Era>, bool)> {
        let western = self.fixed(4)?;
        if !self.eat(|c| c == '年') {
            return None;
        }
        // The bracket may be read as anything or missed.
        let after = self.at;
        let bracket = self.eat(|c| !c.is_alphanumeric());
        if let Some((again, era)) = self.era_year() {
            self.eat(|c| !c.is_alphanumeric());
            return Some((western, Some(era), again == western));
        }
        self.at = after;
        (!bracket).then_some((western, None, true))
    }
}

/// 昭和61年5月1日, 2024年6月1日, 2024年(令和06年)06月01日. A day of the past was in its era: nobody was born on 昭和64年2月1日. A last day may lie
/// beyond the end of its era, which nobody knew when 平成33年 was printed.
fn japanese(chars: &[char], at: usize, is_past: bool) -> Option<Found> {
    let mut cursor = Cursor { chars, at };
    let (year, era, is_one_year) = if let Some((year, era)) = cursor.era_year() {
        (year, Some(era), true)
    } else {
        cursor.at = at;
        cursor.western_year()?
    };
    let (month, _) = cursor.number(2)?;
    if !cursor.eat(|c| c == '月') {
        return None;
    }
    let (day, _) = cursor.number(2)?;
    if !cursor.eat(|c| matches!(c, '日' | '曰')) {
        return None;
    }
    let is_in = |era: Era| !is_past || date(year, month, day).is_none_or(|date| era.has(date));
    found([year, month, day], cursor.at, is_one_year && era.is_none_or(is_in))
}

/// 25 DEC 1985, 25 DEC/DÉC 1985.
fn named_month(chars: &[char], at: usize, today: Option<Date>) -> Option<Found> {
    let mut cursor = Cursor { chars, at };
    let (first, digits) = cursor.number(4)?;
    let letters: String = chars[cursor.at..]
        .iter()
        .take_while(|c| !c.is_ascii_digit())
        .take(LONGEST_MONTH)
        .collect();
    if !letters
        .chars()
        .all(|c| c.is_ascii_alphabetic() || SEPARATORS.contains(&c))
    {
        return None;
    }
    let month = month_named(&letters)?;
    cursor.at += letters.chars().count();
    let (last, last_digits) = cursor.number(4)?;
    let month = i32::try_from(month).ok()?;
    let goes_on = cursor.peek() == Some(' ');
    let (year, day) = match (digits, last_digits) {
        (1 | 2, 4) => (last, first),
        // 2026-FEB-07, as Canada writes it.
        (4, 1 | 2) => (first, last),
        // 04 APR/AVR 25, as passports of Canada have it.
        (2, 2) if !goes_on => (century(last, month, first, today)?, first),
        _ => return None,
    };
    found([year, month, day], cursor.at, true)
}

/// JANUARY 05, 1990, as cards of the Philippines have it: the whole name in English, or its first three letters.
fn named_month_first(chars: &[char], at: usize) -> Option<Found> {
    let before = at.checked_sub(1).and_then(|before| chars.get(before));
    let name: String = chars[at..].iter().take_while(|c| c.is_ascii_alphabetic()).collect();
    let month = MONTHS
        .iter()
        .position(|month| *month == name || month.get(..SHORT_MONTH) == Some(name.as_str()))?;
    let month = i32::try_from(month + 1).ok()?;
    let mut cursor = Cursor {
        chars,
        at: at + name.len(),
    };
    let (day, _) = cursor.number(2)?;
    if !cursor.eat(|c| matches!(c, ',' | ' ')) {
        return None;
    }
    let (year, digits) = cursor.number(4)?;
    let is_alone = before.is_none_or(|c| !c.is_alphanumeric());
    found([year, month, day], cursor.at, true).filter(|_| is_alone && digits == 4)
}

/// 24 9月/SEP 2019, 14 3월/MAR 2031, as passports of China and Korea have it: both say the same month. Its number may have been read without the
/// space before it and the letter behind it.
fn numbered_and_named_month(chars: &[char], at: usize) -> Option<Found> {
    let mut cursor = Cursor { chars, at };
    let (first, digits) = cursor.number(4)?;
    let second = if cursor.eat(|c| c == ' ') {
        Some(cursor.number(2)?.0)
    } else {
        None
    };
    let has_letter = cursor.eat(|c| matches!(c, '月' | '월'));
    if !cursor.eat(|c| c == '/') && !has_letter {
        return None;
    }
    let name: String = chars[cursor.at..]
        .iter()
        .take_while(|c| c.is_ascii_alphabetic())
        .collect();
    cursor.at += name.len();
    let month = i32::try_from(month_named(&name)?).ok()?;
    let (year, width) = cursor.number(4)?;
    let day = match second {
        Some(number) => (number == month && digits <= 2).then_some(first)?,
        None => day_before_month(first, digits, month)?,
    };
    found([year, month, day], cursor.at, true).filter(|found| width == 4 && found.date.is_some())
}

/// The day in digits that the number of the month ends: two digits, 10 1 or 25 12, rather than one.
fn day_before_month(both: i32, digits: usize, month: i32) -> Option<i32> {
    let width = if month < 10 { 1 } else { 2 };
    let split = |of_day: usize, of_month: usize| {
        let power = 10_i32.pow(u32::try_from(of_month).ok()?);
        (digits == of_day + of_month && both % power == month).then_some(both / power)
    };
    split(2, width).or_else(|| split(2, 2)).or_else(|| split(1, width))
}

/// 31.12.2024, 12/31/2024, 2024-12-31. A separator may have been missed, but not both.
fn in_numbers(chars: &[char], at: usize, order: Order, today: Option<Date>) -> Option<Found> {
    let separator = |c: char| SEPARATORS.contains(&c);
    let widths: &[[usize; 3]] = &[[4, 2, 2], [2, 2, 4], [2, 2, 2]];
    widths.iter().find_map(|&[a, b, c]| {
        let mut cursor = Cursor { chars, at };
        let first = cursor.fixed(a)?;
        let one = cursor.eat(separator);
        let second = cursor.fixed(b)?;
        let two = cursor.eat(separator);
        let third = cursor.fixed(c)?;
        let ended = !cursor.peek().is_some_and(|c| c.is_ascii_digit());
        let short = (a, c) == (2, 2);
        if !ended || !one && !two || short && !(one && two) {
            return None;
        }
        let (year, month, day) = match (a, order) {
            (4, Order::Year | Order::Day | Order::Month | Order::DayOrMonth) => (first, second, third),
            (_, Order::Day) => (third, second, first),
            (_, Order::Month) => (third, first, second),
            (_, Order::DayOrMonth) if second > LAST_MONTH => (third, first, second),
            (_, Order::DayOrMonth) if first > LAST_MONTH || first == second => (third, second, first),
            (_, Order::Year | Order::DayOrMonth) => return None,
        };
        let year = if short { century(year, month, day, today)? } else { year };
        // Of numbers without all their separators, or in another order than usual, nobody can say what they are.
        let may_be_none = !short && one && two && date(year, day, month).is_none();
        found([year, month, day], cursor.at, true).filter(|found| found.date.is_some() || may_be_none)
    })
}

/// 06 08 1993, as French passports and Spanish cards have it: day, month and year with spaces alone between them, of which one may not have been
/// seen, and no number beside.
fn spaced(chars: &[char], at: usize) -> Option<Found> {
    let mut cursor = Cursor { chars, at };
    let day = cursor.fixed(2)?;
    let one = cursor.eat(|c| c == ' ');
    let month = cursor.fixed(2)?;
    let two = cursor.eat(|c| c == ' ');
    let year = cursor.fixed(4)?;
    let is_free = |c: Option<&char>| !c.is_some_and(|c| c.is_ascii_digit() || *c == ' ');
    let alone = is_free(at.checked_sub(1).and_then(|before| chars.get(before))) && is_free(chars.get(cursor.at));
    found([year, month, day], cursor.at, true).filter(|found| (one || two) && alone && found.date.is_some())
}

/// 20022024 by itself, day, month and year of which no space was seen: a date where everything else says so.
pub(in crate::layout) fn run_together(glyphs: &[Glyph]) -> Option<Parsed> {
    let folded = Folded::of(glyphs);
    let mut cursor = Cursor {
        chars: &folded.chars,
        at: 0,
    };
    let [day, month, year] = [cursor.fixed(2)?, cursor.fixed(2)?, cursor.fixed(4)?];
    let date = date(year, month, day).filter(|_| cursor.at == folded.chars.len())?;
    let (text, from, to) = stretch(glyphs, &folded, 0, cursor.at)?;
    Some(Parsed {
        text,
        normalized: Some(civil_date::format(date)),
        from,
        to,
    })
}

/// The year that two digits stand for: the latest that is not in the future, or of this century where it may be.
fn century(year: i32, month: i32, day: i32, today: Option<Date>) -> Option<i32> {
    let mut years = PAST_CENTURIES.into_iter().map(|century| century + year);
    match today {
        Some(today) => years.find(|&year| date(year, month, day).is_some_and(|date| !is_to_come(date, today))),
        None => years.next(),
    }
}

/// What stands there in the form of a date. Zeros are no date: they say that there is none, or that a part of it is not known. Nor is a year
/// of another calendar, such as 1405 or 2528, or one that says that a card never expires, as 9999 does.
fn found([year, month, day]: [i32; 3], to: usize, agrees: bool) -> Option<Found> {
    let is_other = OTHER_YEARS.iter().any(|years| years.contains(&year));
    (year > 0 && month > 0 && day > 0 && !is_other).then(|| Found {
        date: date(year, month, day),
        to,
        agrees,
        is_in_years: YEARS.contains(&year),
    })
}

fn date(year: i32, month: i32, day: i32) -> Option<Date> {
    day_in(&YEARS, year, month, day)
}
