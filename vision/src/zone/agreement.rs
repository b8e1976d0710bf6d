//! How much of the machine-readable zone the visual zone repeats.

use super::dates;
use crate::fold;
use crate::mrz::Elements;
use crate::text::Line;
use domain::decision::AGREEMENT_LIMIT;
use std::collections::BTreeSet;
use std::ops::Range;
use time::Date;

/// A single item may be equal by chance, and says nothing of whose document it is: the line of a Dutch licence has a number alone.
const LEAST: usize = 2;
/// Letters of a name for each error forgiven.
const LETTERS_PER_ERROR: usize = 6;
/// Letters of the longest name that must stand by itself: `LI` is in `NATIONALITY`, on every page.
const SHORT_NAME: usize = 3;
/// Digits of the shortest personal number that may have the date of birth in it, as the only print of that date on older cards of
/// Romania. In a zone, no more than its check digit follows that date.
const PERSONAL_NUMBER: usize = 10;
/// Where the date of birth stands in it, behind the digit for sex and century.
const BIRTH: Range<usize> = 1..7;
/// The first of the letters of Chinese, Japanese and Korean, which stand beside Latin ones without a space.
const FIRST_OF_CJK: char = '\u{2e80}';

/// Share of the comparable items of the machine-readable zone that are found in the visual one; `None` where there are fewer than two, and where
/// what would be enough has neither of the names or lacks one of the days. No check digit covers the names: print that repeats everything
/// else says nothing of whose document it is. And anybody can make a strip with a zone, whose days only the print contradicts: a thumb
/// may lie on that. Nor does a passport lack a day in its zone: that of a label on a note beside it would be taken. `days` are those that the lines may name.
pub(super) fn share(lines: &[&Line], days: &BTreeSet<Date>, elements: &Elements, today: Date) -> Option<f32> {
    if lines.is_empty() {
        return None;
    }
    let spellings = |line: &&Line| {
        let [recommended, other] = fold::transliterated(&line.text);
        [fold::bare(&line.text), recommended, other]
    };
    let texts: Vec<[String; 3]> = lines.iter().map(spellings).collect();
    let words: Vec<String> = lines.iter().flat_map(|line| words(&line.text)).collect();
    let has_words = |name: &str| name.split(' ').all(|word| words.iter().any(|other| other == word));
    let is_there = |name: &str| match name.len() {
        ..=SHORT_NAME => has_words(name),
        _ => holds_name(&texts, name),
    };
    let name = |name: &str| (name.len() > 1).then(|| is_there(name));
    let number = |number: &str| (number.len() > 4).then(|| texts.iter().flatten().any(|text| text.contains(number)));
    let may_be_named = |date: Date| texts.iter().any(|[bare, ..]| dates::may_name(bare, date));
    let known = |date: &Date| days.contains(date) || may_be_named(*date);
    let date = |dates: &[Date]| (!dates.is_empty()).then(|| dates.iter().any(known));
    let is_in_number = || {
        let mut lines = lines.iter();
        lines.any(|line| has_personal_number(&line.text, &elements.birth))
    };
    let born = date(&elements.birth_dates(today)).map(|is_named| is_named || is_in_number());
    let names = [name(&elements.surname), name(&elements.given)];
    // Of a year with two digits in print, the day of birth may also be one a hundred years later: it is not the last day as well.
    let is_turned = || turned(&elements.birth).is_some_and(|birth| birth == elements.expiry);
    let is_birth = elements.expiry == elements.birth || is_turned();
    let last = date(elements.expiry_date(today).as_slice()).map(|is_named| is_named && !is_birth);
    let dates = [born, last];
    let others = dates.into_iter().chain([number(&elements.number)]);
    let found: Vec<bool> = names.into_iter().chain(others).flatten().collect();
    if found.len() < LEAST {
        return None;
    }
    let share = found.iter().filter(|found| **found).count() as f32 / found.len() as f32;
    let is_nameless = names.contains(&Some(false)) && !names.contains(&Some(true));
    let lacks_day = dates.contains(&Some(false)) || elements.lacks_day_of_passport();
    (!is_nameless && !lacks_day || f64::from(share) < AGREEMENT_LIMIT).then_some(share)
}

/// The six digits of a day with its month and its day exchanged: print may have them in either order.
fn turned(digits: &str) -> Option<String> {
    Some([digits.get(..2)?, digits.get(4..6)?, digits.get(2..4)?].concat())
}

/// Whether a text has a number with the six digits of a date of birth behind its first digit that is too long to be a piece of the zone.
/// Anywhere else in a number, or in several that stand beside each other, six digits are a date of somebody's choice.
fn has_personal_number(text: &str, birth: &str) -> bool {
    let text = fold::folded(text);
    let mut numbers = text.split(|c: char| !c.is_ascii_digit());
    birth.len() == BIRTH.len()
        && numbers.any(|number| number.len() >= PERSONAL_NUMBER && number.get(BIRTH) == Some(birth))
}

/// The words of a text in Latin letters, each in the ways that the zone may spell it.
fn words(text: &str) -> Vec<String> {
    let is_between = |c: char| !c.is_alphanumeric() || c >= FIRST_OF_CJK;
    let spellings = |word: &str| {
        let [recommended, other] = fold::transliterated(word);
        [fold::bare(word), recommended, other]
    };
    text.split(is_between).flat_map(spellings).collect()
}

/// Whether every word of a name stands somewhere: long names go over two lines, and the zone may have cut them.
fn holds_name(texts: &[[String; 3]], name: &str) -> bool {
    let near = |word: &str| {
        texts
            .iter()
            .flatten()
            .any(|text| fold::contains_nearly(text, word, word.len() / LETTERS_PER_ERROR))
    };
    let joined = name.replace(' ', "");
    near(&joined) || name.split(' ').all(near)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{Area, Lattice};
    use domain::findings::MrzFormat;
    use time::macros::date;

    fn lines(texts: &[&str]) -> Vec<Line> {
        let area = Area {
            x: 0.0,
            y: 0.0,
            half_width: 50.0,
            half_height: 5.0,
            angle: 0.0,
        };
        let line = |text: &&str| Line {
            area,
            text: (*text).to_owned(),
            confidence: 0.9,
            lattice: Lattice::default(),
            symbols: Vec::new(),
        };
        texts.iter().map(line).collect()
    }

    fn agreement(texts: &[&str]) -> Option<f32> {
        agreement_with("L898902C36UTO7408122F3204153ZE184226B<<<<<10", texts)
    }

    fn agreement_with(second: &str, texts: &[&str]) -> Option<f32> {
        agreement_of(["P<UTOMUELLER<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<<", second], texts)
    }

    fn agreement_of(zone: [&str; 2], texts: &[&str]) -> Option<f32> {
        let elements = Elements::new(MrzFormat::Td3, &zone.map(str::to_owned));
        let lines = lines(texts);
        let days = lines.iter().flat_map(|line| dates::possible(&line.text)).collect();
        share(
            &lines.iter().collect::<Vec<_>>(),
            &days,
            &elements,
            date!(2026 - 11 - 21),
        )
    }

    #[test]
    fn a_page_that_repeats_everything_agrees_wholly() {
        let page = ["Müller", "ANNA MARIA", "L898902C3", "12 AUG 1974", "15.04.2032"];
        assert_eq!(agreement(&page).unwrap(), 1.0);
        let zone = [
            "P<UTOMUXXLLER<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<",
            "L898902C36UTO7408122F3204153ZE184226B<<<<<10",
        ];
        assert_eq!(agreement_of(zone, &page).unwrap(), 1.0);
    }

    #[test]
    fn a_birth_in_two_centuries_must_be_printed_in_one_of_them() {
        let child = "L898902C36UTO2410029F3204153ZE184226B<<<<<10";
        for (birth, share) in [
            ("02 OCT 2024", Some(1.0)),
            ("02 OCT 1924", Some(1.0)),
            ("05 MAR 1990", None),
        ] {
            let page = ["MÜLLER", "ANNA MARIA", "L898902C3", birth, "15.04.2032"];
            assert_eq!(agreement_with(child, &page), share, "{birth}");
        }
    }

    #[test]
    fn a_date_agrees_in_whatever_order_it_is_printed_and_with_spaces() {
        for (birth, expiry) in [
            ("12 08 1974", "15 04 2032"),
            ("12/08/1974", "15/04/2032"),
            ("08/12/1974", "04/15/2032"),
            ("1974 08 12", "20320415"),
            ("12.08.74", "15 4月/APR 2032"),
        ] {
            let page = ["MÜLLER", "ANNA MARIA", "L898902C3", birth, expiry];
            assert_eq!(agreement(&page), Some(1.0), "{birth} {expiry}");
        }
    }

    #[test]
    fn a_page_that_lacks_a_day_of_its_zone_says_nothing_whatever_else_it_repeats() {
        let others = ["MÜLLER", "ANNA MARIA", "L898902C3"];
        for (birth, expiry) in [
            // Of a child, or of a passport that expired, with a thumb on the day or on a digit of it.
            ("", "15 APR 2032"),
            ("12 AUG 1974", ""),
            ("12 AUG 1974", "15 APR 20"),
            ("12 AUG 197", "15 APR 2032"),
            // Where the zone alone was altered.
            ("12 07 1974", "15 04 2032"),
            ("12 08 74", "15 04 2023"),
        ] {
            let page = [&others[..], &[birth, expiry]].concat();
            assert_eq!(agreement(&page), None, "{birth} {expiry}");
        }
        // A personal number has the date of birth in it, and is no piece of a zone.
        for (number, share) in [
            ("2740812123456", Some(1.0)),
            ("0740812123", Some(1.0)),
            ("7408122F", None),
            // Six digits that happen to be there.
            ("05740-812123", None),
            ("1237408121234", None),
        ] {
            let page = [&others[..], &[number, "05.04.22-15.04.2032"]].concat();
            assert_eq!(agreement(&page), share, "{number}");
        }
    }

    #[test]
    fn a_birth_with_two_digits_of_its_year_is_not_the_last_day_a_hundred_years_later() {
        let page = |birth| ["MÜLLER", "ANNA MARIA", "L898902C3", birth];
        let zone = "L898902C36UTO7408122F7408122ZE184226B<<<<<10";
        assert_eq!(agreement_with(zone, &page("12 AUG /AOÛT 74")), None);
        // Nor is it with day and month in the other order.
        let zone = "L898902C36UTO7408122F7412084ZE184226B<<<<<10";
        assert_eq!(agreement_with(zone, &page("12/08/74")), None);
    }

    #[test]
    fn print_that_repeats_the_only_item_of_a_zone_says_nothing_of_it() {
        let page = lines(&["2. ANNA", "4b. 31.12.2018", "5. 13AA00002", "5. 5094962111"]);
        let days: BTreeSet<Date> = page.iter().flat_map(|line| dates::possible(&line.text)).collect();
        let agreement = |line: &str| {
            let elements = Elements::new(MrzFormat::License, &[line.to_owned()]);
            let page: Vec<&Line> = page.iter().collect();
            share(&page, &days, &elements, date!(2026 - 11 - 21))
        };
        // A number, and in France the last day as well.
        assert_eq!(agreement("D1NLD15094962111659VWQ5SYQ4Z67"), None);
        assert_eq!(agreement("D1FRA13AA000026181231MARTIN<<9"), Some(1.0));
    }

    #[test]
    fn a_page_says_nothing_of_the_zone_of_a_passport_without_a_day() {
        let page = ["MÜLLER", "ANNA MARIA", "L898902C3", "12 AUG 1974", "15.04.2032"];
        for (days, share) in [
            ("7408122F3204153", Some(1.0)),
            ("7408122F<<<<<<0", None),
            ("7408122F0000000", None),
            // As on cards that never expire.
            ("7408122F9912315", None),
            ("<<<<<<0F3204153", None),
            // Of the birth, the year is known.
            ("74<<<<1F3204153", Some(1.0)),
        ] {
            let zone = format!("L898902C36UTO{days}ZE184226B<<<<<10");
            assert_eq!(agreement_with(&zone, &page), share, "{days}");
        }
    }

    #[test]
    fn another_name_or_number_is_counted_as_missing() {
        let page = ["SCHMIDT", "ANNA MARIA", "L898902C4", "12 AUG 1974", "15.04.2032"];
        assert_eq!(agreement(&page).unwrap(), 0.6);
        assert_eq!(agreement(&[]), None);
    }

    #[test]
    fn a_page_that_repeats_everything_but_the_names_says_nothing() {
        let others = ["L898902C3", "12 AUG 1974", "15.04.2032"];
        for names in [&["SCHMIDT", "PETRA"][..], &[]] {
            assert_eq!(agreement(&[names, &others].concat()), None, "{names:?}");
        }
        assert_eq!(agreement(&[&["ANNA MARIA"][..], &others].concat()), Some(0.8));
        // Of a person with one name, half may be too little, too.
        let only = [
            "P<UTOMUELLER<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<",
            "L898902C36UTO7408122F3204153ZE184226B<<<<<10",
        ];
        assert_eq!(agreement_of(only, &others[1..]), None);
        assert_eq!(
            agreement_of(only, &[&["MÜLLER"][..], &others[1..]].concat()),
            Some(0.75)
        );
        // So little that it contradicts.
        assert_eq!(agreement(&["SCHMIDT", "PETRA", "L898902C3", "12 AUG 1974"]), Some(0.4));
    }

    #[test]
    fn a_name_of_two_or_three_letters_is_in_print_only_as_a_word() {
        let zone = [
            "P<UTOLI<<DO<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<",
            "L898902C36UTO7408122F3204153ZE184226B<<<<<10",
        ];
        let others = ["NATIONALITY", "DOCUMENT", "L898902C3", "12 AUG 1974", "15.04.2032"];
        assert_eq!(agreement_of(zone, &others), None);
        for name in ["Surname/LI", "李 LI", "李LI", "李/LI", "ĐỖ"] {
            let page = [&[name][..], &others].concat();
            assert_eq!(agreement_of(zone, &page), Some(0.8), "{name}");
        }
        let page = [&["LI", "Đỗ"][..], &others].concat();
        assert_eq!(agreement_of(zone, &page), Some(1.0));
    }
}
