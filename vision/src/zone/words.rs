//! Words that say what a thing is: a specimen, or a number nobody may keep.

use super::fold::folded;

/// Words printed across documents that are not real, folded.
const SPECIMEN: [&str; 3] = ["SPECIMEN", "SPECIMENT", "ESPECIMEN"];
/// The same on Japanese ones; 見本 is also a family name.
const JAPANESE_SPECIMEN: [&str; 2] = ["見本", "サンプル"];
/// The same, but these are also names of people and places.
const AMBIGUOUS: [&str; 4] = ["MUSTER", "SAMPLE", "VOID", "VZOR"];
/// Digits of a Japanese individual number.
const INDIVIDUAL_NUMBER: usize = 12;

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

#[cfg(test)]
mod tests {
    use super::*;

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
