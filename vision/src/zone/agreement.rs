//! How far the visual zone repeats the machine-readable one.

use super::dates;
use crate::fold;
use crate::mrz::Elements;
use crate::text::Line;
use domain::decision::AGREEMENT_LIMIT;
use time::Date;

/// Letters of a name for each error forgiven.
const LETTERS_PER_ERROR: usize = 6;
/// Letters of the longest name that must stand by itself: `LI` is in `NATIONALITY`, on every page.
const SHORT_NAME: usize = 3;
/// The first of the letters of Chinese, Japanese and Korean, which stand beside Latin ones without a space.
const FIRST_OF_CJK: char = '\u{2e80}';

/// Share of the comparable items of the machine-readable zone that are found in the visual one; `None` where either is empty, and where what would be
/// enough has neither of the names. No check digit covers these: print that repeats everything else says nothing of whose document it is.
pub(super) fn share(lines: &[&Line], elements: &Elements, today: Date) -> Option<f32> {
    if lines.is_empty() {
        return None;
    }
    let spellings = |line: &&Line| {
        let [recommended, other] = fold::transliterated(&line.text);
        [fold::bare(&line.text), recommended, other]
    };
    let texts: Vec<[String; 3]> = lines.iter().map(spellings).collect();
    let written: Vec<Date> = lines
        .iter()
        .flat_map(|line| dates::all(&line.text))
        .map(|found| found.date)
        .collect();
    let words: Vec<String> = lines.iter().flat_map(|line| words(&line.text)).collect();
    let has_words = |name: &str| name.split(' ').all(|word| words.iter().any(|other| other == word));
    let is_there = |name: &str| match name.len() {
        ..=SHORT_NAME => has_words(name),
        _ => holds_name(&texts, name),
    };
    let name = |name: &str| (name.len() > 1).then(|| is_there(name));
    let number = |number: &str| (number.len() > 4).then(|| texts.iter().flatten().any(|text| text.contains(number)));
    let short: Vec<_> = lines.iter().flat_map(|line| dates::short(&line.text)).collect();
    let may_be_named = |date: Date| texts.iter().any(|[bare, ..]| dates::may_name(bare, date));
    let known = |date: &Date| {
        written.contains(date) || short.contains(&(date.day(), date.month(), date.year() % 100)) || may_be_named(*date)
    };
    let date = |dates: &[Date]| (!dates.is_empty()).then(|| dates.iter().any(known));
    let names = [name(&elements.surname), name(&elements.given)];
    let others = [
        number(&elements.number),
        date(&elements.birth_dates(today)),
        date(elements.expiry_date(today).as_slice()),
    ];
    let found: Vec<bool> = names.into_iter().chain(others).flatten().collect();
    if found.is_empty() {
        return None;
    }
    let share = found.iter().filter(|found| **found).count() as f32 / found.len() as f32;
    let is_nameless = names.contains(&Some(false)) && !names.contains(&Some(true));
    (!is_nameless || f64::from(share) < AGREEMENT_LIMIT).then_some(share)
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
        share(&lines.iter().collect::<Vec<_>>(), &elements, date!(2026 - 11 - 21))
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
        for (birth, share) in [("02 OCT 2024", 1.0), ("02 OCT 1924", 1.0), ("05 MAR 1990", 0.8)] {
            let page = ["MÜLLER", "ANNA MARIA", "L898902C3", birth, "15.04.2032"];
            assert_eq!(agreement_with(child, &page).unwrap(), share, "{birth}");
        }
    }

    #[test]
    fn a_date_agrees_in_whatever_order_it_is_printed_and_with_spaces() {
        for (birth, expiry, share) in [
            ("12 08 1974", "15 04 2032", 1.0),
            ("12/08/1974", "15/04/2032", 1.0),
            ("08/12/1974", "04/15/2032", 1.0),
            ("1974 08 12", "20320415", 1.0),
            ("12 07 1974", "15 04 2032", 0.8),
            ("12 08 74", "15 04 2023", 0.6),
        ] {
            let page = ["MÜLLER", "ANNA MARIA", "L898902C3", birth, expiry];
            assert_eq!(agreement(&page).unwrap(), share, "{birth} {expiry}");
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
