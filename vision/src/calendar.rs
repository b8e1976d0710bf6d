//! The parts of dates on documents, shared by all readers: calendar days, month names, Japanese eras, and the century of a two-digit
//! year.

use crate::fold::folded;
pub(crate) use domain::era::ERAS;
use std::ops::Range;
use time::{Date, Month};

/// The centuries in which somebody with a document may be born, or have been given one, the later first.
pub(crate) const PAST_CENTURIES: [i32; 2] = [2000, 1900];

/// The first letters of the months in English, French, Spanish, German, Italian, Portuguese, Dutch and the Scandinavian languages, folded, and
/// of the Irish June and the Finnish November, which begin as May and March do elsewhere.
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
    &["NOV", "MARRAS"],
    &["DEC", "DEZ", "DIC", "DES"],
];

/// The year before the first of an era by its two kanji.
pub(crate) fn era_start(name: &str) -> Option<i32> {
    ERAS.iter().find(|era| era.name == name).map(|era| era.start)
}

/// A day; `None` where the calendar does not have it.
pub(crate) fn day<N>(year: i32, month: N, day: N) -> Option<Date>
where
    u8: TryFrom<N>,
{
    Date::from_calendar_date(year, month_of(month)?, u8::try_from(day).ok()?).ok()
}

/// A day in one of these years; `None` where the calendar does not have it.
pub(crate) fn day_in<N>(years: &Range<i32>, year: i32, month: N, of_month: N) -> Option<Date>
where
    u8: TryFrom<N>,
{
    day(year, month, of_month).filter(|_| years.contains(&year))
}

/// A month by its number.
pub(crate) fn month_of<N>(number: N) -> Option<Month>
where
    u8: TryFrom<N>,
{
    Month::try_from(u8::try_from(number).ok()?).ok()
}

/// The month whose name a folded text begins with. Of a month in two languages, `MEITH/JUN`, both say the same one, or there is none.
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

#[cfg(test)]
mod tests {
    use super::*;
    use time::macros::date;

    #[test]
    fn a_day_is_one_that_the_calendar_has_in_a_year_that_is_meant() {
        assert_eq!(day(2024, 2, 29), Some(date!(2024 - 02 - 29)));
        for [month, of_month] in [[2, 30], [4, 31], [13, 1], [0, 1], [1, 0], [-1, 1], [300, 1]] {
            assert_eq!(day(2024, month, of_month), None, "{month} {of_month}");
        }
        assert_eq!(day(2023, 2_u8, 29), None);
        let years = 1900..2100;
        assert_eq!(day_in(&years, 1900, 1, 1), Some(date!(1900 - 01 - 01)));
        assert_eq!([1899, 2100].map(|year| day_in(&years, year, 1, 1)), [None, None]);
    }

    #[test]
    fn a_month_in_two_languages_is_one_that_both_name() {
        assert_eq!(month_named("DECEMBER"), Some(12));
        assert_eq!(month_named("MEITH/JUN"), Some(6));
        assert_eq!(month_named("MEI/JUN"), None);
        assert_eq!(month_named("MARRAS/NOV"), Some(11));
        assert_eq!(month_named("MAALIS/MAR"), Some(3));
        assert_eq!(month_named("SAMHAIN"), None);
        assert!(names_month_twice("12 AUG/AOÛT 74") && !names_month_twice("12 AUG 74"));
    }

    #[test]
    fn the_first_year_of_an_era_is_the_one_after_its_start() {
        assert_eq!(era_start("令和").map(|start| start + 1), Some(2019));
        assert_eq!(era_start("慶応"), None);
    }
}
