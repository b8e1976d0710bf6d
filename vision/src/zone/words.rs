//! Words that identify what is shown: a specimen, or a number that must not be kept.

use crate::fold::{contains_nearly, folded};
use crate::text::Line;

/// Words printed across documents that are not real, folded.
const SPECIMEN: [&str; 3] = ["SPECIMEN", "SPECIMENT", "ESPECIMEN"];
/// The same on Japanese ones; 見本 is also a family name.
const JAPANESE_SPECIMEN: [&str; 2] = ["見本", "サンプル"];
/// The same, but these are also names of people and places.
const AMBIGUOUS: [&str; 4] = ["MUSTER", "SAMPLE", "VOID", "VZOR"];
/// Digits of a Japanese individual number.
const INDIVIDUAL_NUMBER: usize = 12;
/// Digits of a group of one.
const GROUP: usize = 4;
/// How many heights apart the groups of one stand at most, where they are lines of their own.
const NEXT_GROUP: f32 = 3.0;
/// Weights of its first eleven digits (ordinance 85 of 2014 of the Ministry of Internal Affairs and Communications, article 5).
const WEIGHTS: [u32; 11] = [6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2];
/// The label before one.
const LABEL: &str = "個人番号";

/// Whether a line says that the document is none: by a word that says nothing else, or by nothing but a word that may be a name, if none
/// of `names` on the document has it.
pub(super) fn is_specimen(line: &str, names: &[&str]) -> bool {
    let line = folded(line);
    let words = || {
        line.split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty())
    };
    let named = |word: &str| names.iter().any(|name| has_word(&folded(name), word));
    let certain = SPECIMEN.iter().any(|word| has_word(&line, word));
    // Within a longer word it is a part of a building's name, such as サンプルミエール.
    let japanese = JAPANESE_SPECIMEN
        .iter()
        .any(|word| has_word(&line, word) && !named(word));
    let ambiguous = |word: &str| AMBIGUOUS.contains(&word) && !named(word);
    certain || japanese || (words().next().is_some() && words().all(ambiguous))
}

fn has_word(text: &str, word: &str) -> bool {
    text.split(|c: char| !c.is_alphanumeric())
        .any(|own| own.eq_ignore_ascii_case(word))
}

/// Whether the text holds twelve digits in a row, whatever separates them: an individual number may not be kept.
pub(crate) fn has_individual_number(text: &str) -> bool {
    let mut digits = 0;
    for c in folded(text).chars() {
        if c.is_ascii_digit() {
            digits += 1;
        } else if c.is_alphabetic() {
            digits = 0;
        }
        if digits >= INDIVIDUAL_NUMBER {
            return true;
        }
    }
    false
}

/// Whether a page shows an individual number: twelve digits and its label or, where they `may_stand_alone`, twelve whose check digit holds. Beside
/// the label the digits count as they are, for one of them may be misread.
pub(crate) fn shows_individual_number(lines: &[Line], may_stand_alone: bool) -> bool {
    let is_label = |line: &Line| {
        let letters: String = folded(&line.text).chars().filter(|c| !c.is_whitespace()).collect();
        contains_nearly(&letters, LABEL, 1)
    };
    let is_labelled = lines.iter().any(is_label);
    let is_possible = may_stand_alone || is_labelled;
    is_possible
        && lines
            .iter()
            .any(|line| has_number(&with_next(line, lines), is_labelled))
}

/// The text of a line and of those that follow it closely in its row, as many as a number has groups, folded.
fn with_next(line: &Line, lines: &[Line]) -> String {
    let mut text = folded(&line.text);
    let mut last = line;
    for _ in 1..INDIVIDUAL_NUMBER / GROUP {
        let Some(next) = next_in_row(last, lines) else { break };
        text = format!("{text} {}", folded(&next.text));
        last = next;
    }
    text
}

/// The nearest line that begins closely behind another one in its row.
fn next_in_row<'a>(line: &Line, lines: &'a [Line]) -> Option<&'a Line> {
    let angle = line.area.angle;
    let (x, y) = line.area.in_frame_of(angle);
    let gap = |other: &Line| other.area.in_frame_of(angle).0 - other.area.half_width - x - line.area.half_width;
    let follows = |other: &&Line| {
        let half = line.area.half_height.max(other.area.half_height);
        let is_in_row = (other.area.in_frame_of(angle).1 - y).abs() < half;
        is_in_row && (-half..2.0 * half * NEXT_GROUP).contains(&gap(other)) && !std::ptr::eq(*other, line)
    };
    lines.iter().filter(follows).min_by(|a, b| gap(a).total_cmp(&gap(b)))
}

/// Whether a text has twelve digits by themselves, together or in groups of four; their check digit holds unless they have a label.
fn has_number(text: &str, is_labelled: bool) -> bool {
    let is_dash = |c: char| matches!(c, '-' | '\u{2010}'..='\u{2015}' | '\u{2212}' | 'ー');
    let belongs = |c: char| c.is_ascii_digit() || c.is_whitespace() || is_dash(c);
    text.split(|c: char| !belongs(c)).any(|stretch| {
        let groups: Vec<&str> = stretch
            .split(|c: char| !c.is_ascii_digit())
            .filter(|group| !group.is_empty())
            .collect();
        let mut parts = (0..groups.len()).flat_map(|from| (from + 1..=groups.len()).map(move |to| (from, to)));
        parts.any(|(from, to)| {
            let groups = &groups[from..to];
            is_grouped(groups) && (is_labelled || check_digit_holds(groups))
        })
    })
}

/// Whether groups of digits are twelve in all, each of four or a multiple.
fn is_grouped(groups: &[&str]) -> bool {
    groups.concat().len() == INDIVIDUAL_NUMBER && groups.iter().all(|group| group.len().is_multiple_of(GROUP))
}

fn check_digit_holds(groups: &[&str]) -> bool {
    let digits: Vec<u32> = groups.concat().chars().filter_map(|c| c.to_digit(10)).collect();
    let sum: u32 = digits.iter().zip(WEIGHTS).map(|(digit, weight)| digit * weight).sum();
    let check = match sum % 11 {
        0 | 1 => 0,
        rest => 11 - rest,
    };
    digits.last() == Some(&check)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_individual_number_is_told_by_its_label_or_by_its_check_digit_and_the_card() {
        let shows = |texts: &[&str], may_stand_alone: bool| {
            let lines: Vec<(&str, f32, f32)> = texts.iter().map(|text| (*text, 0.0, 0.0)).collect();
            shows_individual_number(&crate::layout::tests::page(&lines), may_stand_alone)
        };
        for number in [
            "123456789018",
            "1234 5678 9018",
            "１２３４-５６７８-９０１８",
            "1234–5678−9018",
            "1234ー5678ー9018",
            "No. 1234 56789018",
            "1111 1111 1118",
        ] {
            assert!(shows(&[number], true), "{number}");
            assert!(!shows(&[number], false), "{number}");
            assert!(shows(&["個人番号", number], false), "{number}");
            assert!(shows(&["個入 番号", number], false), "{number}, a letter misread");
        }
        // A digit misread.
        let misread = "1234 5678 9012";
        assert!(!shows(&[misread], true));
        assert!(shows(&["個人番号", misread], false) && shows(&["個人番号", misread], true));
        for other in ["1234567890187", "2024-06-01 1238", "AB12345678CD", "2025年3月31日まで"] {
            assert!(!shows(&["個人番号", other], true), "{other}");
        }
    }

    #[test]
    fn the_groups_of_an_individual_number_may_be_lines_of_their_own_in_one_row() {
        // The letters of this page are 40 pixels high, 16 pixels to the millimetre: a group of four is 5.5 mm wide.
        let shows = |groups: [(&str, f32, f32); 3], label: bool| {
            let mut lines = groups.to_vec();
            lines.reverse();
            lines.extend(label.then_some(("個人番号", 0.0, 0.0)));
            shows_individual_number(&crate::layout::tests::page(&lines), !label)
        };
        for label in [true, false] {
            let at = |x: [f32; 3], y: [f32; 3]| {
                shows(
                    [("1234", x[0], y[0]), ("5678", x[1], y[1]), ("9018", x[2], y[2])],
                    label,
                )
            };
            assert!(at([20.0, 27.0, 34.0], [0.0; 3]));
            assert!(at([20.0, 27.0, 34.0], [0.0, 0.3, 0.6]));
            assert!(!at([20.0, 27.0, 50.0], [0.0; 3]), "far apart");
            assert!(!at([20.0, 27.0, 34.0], [0.0, 5.0, 10.0]), "other rows");
        }
    }

    #[test]
    fn a_specimen_says_so_as_a_word() {
        for line in [
            "PASSPORT - SPECIMEN",
            "運転免許証(見本)",
            "spécimen",
            "見本",
            "【サンプル】",
            "MUSTER",
            "VOID VOID VOID",
        ] {
            assert!(is_specimen(line, &["MILLER"]), "{line}");
        }
        for line in [
            "MUSTERMANN",
            "AVOIDANCE STREET 5",
            "Disentis/Mustér GR",
            "12 SAMPLE ROAD",
            "大阪市北区1-2 サンプルミエール101",
            "...",
        ] {
            assert!(!is_specimen(line, &["MILLER"]), "{line}");
        }
    }

    #[test]
    fn somebody_whose_name_is_such_a_word_has_no_specimen() {
        for names in [&["MUSTER", "THOMAS"], &["THOMAS", "Muster Keller"]] {
            assert!(!is_specimen("MUSTER", names), "{names:?}");
        }
        assert!(is_specimen("MUSTER SPECIMEN", &["MUSTER"]));
        assert!(!is_specimen("氏名 見本 太郎", &["見本 太郎"]));
        assert!(is_specimen("氏名 見本 太郎", &["日本 花子"]));
    }

    #[test]
    fn twelve_digits_are_an_individual_number_however_they_are_grouped() {
        assert!(has_individual_number("1234 5678 9012"));
        assert!(has_individual_number("個人番号 １２３４-５６７８-９０１２"));
        assert!(!has_individual_number("平成元年3月31日生 2025年3月31日まで"));
        assert!(!has_individual_number("AB1234567"));
    }
}
