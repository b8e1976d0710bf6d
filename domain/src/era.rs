//! Japanese eras, in which documents print years.

use std::iter::once;
use time::{Date, macros::date};

/// A Japanese era.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Era {
    /// Its two kanji.
    pub name: &'static str,
    /// Its letter.
    pub letter: char,
    /// The year before its first.
    pub start: i32,
    /// Its first day.
    begins: Date,
}

impl Era {
    /// Whether a day is in the era. That on which an era follows another one counts for both: two of these days were in both.
    #[must_use]
    pub fn has(&self, day: Date) -> bool {
        let next = ERAS.iter().find(|other| other.start > self.start);
        self.begins <= day && next.is_none_or(|next| day <= next.begins)
    }
}

/// The eras of people with documents, in their order.
pub const ERAS: [Era; 5] = [
    era("明治", 'M', 1867, date!(1868 - 01 - 25)),
    era("大正", 'T', 1911, date!(1912 - 07 - 30)),
    era("昭和", 'S', 1925, date!(1926 - 12 - 25)),
    era("平成", 'H', 1988, date!(1989 - 01 - 08)),
    era("令和", 'R', 2018, date!(2019 - 05 - 01)),
];

const fn era(name: &'static str, letter: char, start: i32, begins: Date) -> Era {
    Era {
        name,
        letter,
        start,
        begins,
    }
}

/// The year that is called `text` in an era, such as 昭和61, S61 or 令和元; `None` for anything else, and for a year that the era did not have.
#[must_use]
pub(crate) fn year_of(text: &str) -> Option<i32> {
    // An era ends in the first year of the next one.
    let ends = ERAS.iter().skip(1).map(|next| Some(next.start + 1)).chain(once(None));
    let (era, end, number) = ERAS.iter().zip(ends).find_map(|(era, end)| {
        let by_letter = || text.strip_prefix([era.letter, era.letter.to_ascii_lowercase()]);
        let number = text.strip_prefix(era.name).or_else(by_letter)?;
        Some((era, end, number))
    })?;
    let number = match number.trim().trim_start_matches('.').trim_end_matches('年') {
        "元" => 1,
        digits if digits.bytes().all(|b| b.is_ascii_digit()) => digits.parse::<u16>().ok()?,
        _ => return None,
    };
    let year = era.start + i32::from(number);
    (number > 0 && end.is_none_or(|end| year <= end)).then_some(year)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_is_in_the_era_that_had_begun_and_had_not_ended() {
        let eras_of = |day| {
            let eras = ERAS.iter().filter(|era| era.has(day));
            eras.map(|era| era.name).collect::<String>()
        };
        for (day, names) in [
            (date!(1912 - 07 - 29), "明治"),
            (date!(1926 - 12 - 24), "大正"),
            (date!(1926 - 12 - 25), "大正昭和"),
            (date!(1989 - 01 - 07), "昭和"),
            (date!(1989 - 01 - 09), "平成"),
            (date!(2019 - 04 - 30), "平成"),
            (date!(2019 - 05 - 02), "令和"),
            (date!(2026 - 11 - 21), "令和"),
        ] {
            assert_eq!(eras_of(day), names, "{day}");
        }
    }

    #[test]
    fn a_year_of_an_era_is_one_that_the_era_had() {
        for (text, year) in [
            ("昭和61", Some(1986)),
            ("昭和 61年", Some(1986)),
            ("S61", Some(1986)),
            ("s.61", Some(1986)),
            ("平成元", Some(1989)),
            ("令和1", Some(2019)),
            ("大正15", Some(1926)),
            ("昭和64", Some(1989)),
            ("昭和65", None),
            ("大正16", None),
            ("平成0", None),
            ("平成", None),
            ("S-1", None),
            ("S+1", None),
            ("慶応3", None),
            ("1986", None),
            ("September", None),
        ] {
            assert_eq!(year_of(text), year, "{text}");
        }
    }
}
