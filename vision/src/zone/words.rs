//! Words that say what a thing is: a specimen, or a number nobody may keep.

use super::fold::folded;

/// Words printed across documents that are not real, folded.
const SPECIMEN: [&str; 9] = [
    "SPECIMEN",
    "SPECIMENT",
    "ESPECIMEN",
    "MUSTER",
    "SAMPLE",
    "VOID",
    "VZOR",
    "見本",
    "サンプル",
];
/// Digits of a Japanese individual number.
const INDIVIDUAL_NUMBER: usize = 12;

/// Whether one of a specimen's words stands in the text, as a word of its own.
pub(super) fn is_specimen(text: &str) -> bool {
    let folded = folded(text);
    let words = folded.split(|c: char| !c.is_alphanumeric());
    let latin = words.into_iter().any(|word| SPECIMEN.contains(&word));
    latin
        || SPECIMEN
            .iter()
            .filter(|word| !word.is_ascii())
            .any(|word| folded.contains(word))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_specimen_says_so_as_a_word() {
        assert!(is_specimen("PASSPORT - SPECIMEN"));
        assert!(is_specimen("運転免許証(見本)"));
        assert!(is_specimen("spécimen"));
        assert!(!is_specimen("MUSTERMANN"));
        assert!(!is_specimen("AVOIDANCE STREET 5"));
    }

    #[test]
    fn twelve_digits_are_an_individual_number_however_they_are_grouped() {
        assert!(has_individual_number("1234 5678 9012"));
        assert!(has_individual_number("個人番号 １２３４-５６７８-９０１２"));
        assert!(!has_individual_number("平成元年3月31日生 2025年3月31日まで"));
        assert!(!has_individual_number("AB1234567"));
    }
}
