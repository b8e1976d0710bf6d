//! Japanese eras, in which documents print years.

use std::iter::once;

/// A Japanese era.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Era {
    /// Its two kanji.
    pub name: &'static str,
    /// Its letter.
    pub letter: char,
    /// The year before its first.
    pub start: i32,
}

/// The eras of people with documents, in their order.
pub const ERAS: [Era; 5] = [
    era("明治", 'M', 1867),
    era("大正", 'T', 1911),
    era("昭和", 'S', 1925),
    era("平成", 'H', 1988),
    era("令和", 'R', 2018),
];

const fn era(name: &'static str, letter: char, start: i32) -> Era {
    Era { name, letter, start }
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
