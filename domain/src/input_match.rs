//! Whether what the user typed and what the tenant knew fit what the document says. Compares values, returns none of them.

use crate::{
    document::{FieldName, OcrField, vocabulary},
    reasons::Reason,
    request::PreRegistered,
    user_input::{UserInput, to_katakana},
};
use std::collections::BTreeMap;
use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

vocabulary! {
    /// Items that are compared (`checks.inputMatch.fields`).
    MatchItem {
        /// Family name.
        LastName = "lastName",
        /// Given name.
        FirstName = "firstName",
        /// Family name in kana.
        LastNameKana = "lastNameKana",
        /// Given name in kana.
        FirstNameKana = "firstNameKana",
        /// Date of birth.
        BirthDate = "birthDate",
        /// Address.
        Address = "address",
        /// Gender.
        Gender = "gender",
    }
}

impl MatchItem {
    /// The reason where it does not match.
    #[must_use]
    pub const fn mismatch(self) -> Reason {
        match self {
            Self::LastName | Self::FirstName | Self::LastNameKana | Self::FirstNameKana => Reason::InputNameMismatch,
            Self::BirthDate => Reason::InputBirthDateMismatch,
            Self::Address => Reason::InputAddressMismatch,
            Self::Gender => Reason::InputGenderMismatch,
        }
    }
}

/// Compares every item that at least two sources have. An item matches where every comparable pair does.
#[must_use]
pub fn compare(
    document: &[OcrField],
    typed: Option<&UserInput>,
    known: Option<&PreRegistered>,
) -> BTreeMap<MatchItem, bool> {
    let read = |name: FieldName| {
        let field = document.iter().find(|field| field.name == name)?;
        field.normalized.as_deref().or(field.text.as_deref())
    };
    let known = known.cloned().unwrap_or_default();
    let mut matched = BTreeMap::new();
    let mut judge = |item, same: fn(&str, &str) -> Option<bool>, sources: [Option<&str>; 3]| {
        let present: Vec<&str> = sources.into_iter().flatten().collect();
        let verdicts: Vec<bool> = pairs(&present).filter_map(|(a, b)| same(a, b)).collect();
        if !verdicts.is_empty() {
            matched.insert(item, verdicts.into_iter().all(|same| same));
        }
    };
    let typed = |field: fn(&UserInput) -> Option<&String>| typed.and_then(field).map(String::as_str);
    judge(
        MatchItem::LastName,
        same_name,
        [
            read(FieldName::LastName),
            typed(|t| t.last_name.as_ref()),
            known.last_name.as_deref(),
        ],
    );
    judge(
        MatchItem::FirstName,
        same_name,
        [
            read(FieldName::FirstName),
            typed(|t| t.first_name.as_ref()),
            known.first_name.as_deref(),
        ],
    );
    judge(
        MatchItem::LastNameKana,
        same_kana,
        [
            read(FieldName::LastNameKana),
            typed(|t| t.last_name_kana.as_ref()),
            None,
        ],
    );
    judge(
        MatchItem::FirstNameKana,
        same_kana,
        [
            read(FieldName::FirstNameKana),
            typed(|t| t.first_name_kana.as_ref()),
            None,
        ],
    );
    judge(
        MatchItem::BirthDate,
        |a, b| Some(a == b),
        [
            read(FieldName::BirthDate),
            typed(|t| t.birth_date.as_ref()),
            known.birth_date.as_deref(),
        ],
    );
    judge(
        MatchItem::Address,
        same_address,
        [
            read(FieldName::Address),
            typed(|t| t.address.as_ref()),
            known.address.as_deref(),
        ],
    );
    judge(
        MatchItem::Gender,
        |a, b| Some(a == b),
        [
            read(FieldName::Gender),
            None,
            known.gender.map(crate::user_input::Gender::as_str),
        ],
    );
    matched
}

fn pairs<'a>(items: &'a [&'a str]) -> impl Iterator<Item = (&'a str, &'a str)> {
    items
        .iter()
        .enumerate()
        .flat_map(|(i, a)| items[i + 1..].iter().map(move |b| (*a, *b)))
}

/// `None` where the scripts differ: a kanji name and its Latin transcription cannot be compared.
fn same_name(a: &str, b: &str) -> Option<bool> {
    // Also of signs alone, which the rules below leave nothing of.
    if a == b {
        return Some(true);
    }
    match (is_latin(a), is_latin(b)) {
        (true, true) => Some(same_latin(a, b)),
        (false, false) => Some(folded(a) == folded(b)),
        _ => None,
    }
}

fn is_latin(text: &str) -> bool {
    text.nfkd().filter(|c| c.is_alphabetic()).all(|c| u32::from(c) < 0x250)
}

/// A document may hold more given names than people type, and may cut a long name (ICAO 9303-3 section 4.6): the shorter
/// list of names must begin the longer, each under one of its transliterations.
fn same_latin(a: &str, b: &str) -> bool {
    let (a, b) = (names(a), names(b));
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    !short.is_empty()
        && short
            .iter()
            .zip(&long)
            .all(|(x, y)| x.iter().any(|form| y.contains(form)))
}

/// The parts of a name, each in the forms it may take in a machine-readable zone.
fn names(text: &str) -> Vec<[String; 2]> {
    text.split(|c: char| c.is_whitespace() || matches!(c, '-' | '<' | ',' | '\u{30fb}'))
        .map(|part| [transliterated(part), plain(part)])
        .filter(|forms| !forms[1].is_empty())
        .collect()
}

/// Recommended transliterations of ICAO 9303-3 section 6.A that use more than one letter.
fn transliterated(part: &str) -> String {
    let expanded: String = part
        .nfc()
        .flat_map(char::to_uppercase)
        .map(|c| match c {
            'Ä' | 'Æ' => "AE".to_owned(),
            'Ö' | 'Ø' | 'Œ' => "OE".to_owned(),
            'Ü' => "UE".to_owned(),
            'Å' => "AA".to_owned(),
            'ẞ' => "SS".to_owned(),
            'Þ' => "TH".to_owned(),
            other => other.to_string(),
        })
        .collect();
    plain(&expanded)
}

/// Upper case letters and digits without their marks.
fn plain(part: &str) -> String {
    part.nfkd()
        .filter(|c| !is_combining_mark(*c))
        .flat_map(char::to_uppercase)
        .map(|c| match c {
            'Ø' => 'O',
            'Ł' => 'L',
            'Đ' | 'Ð' => 'D',
            'Æ' => 'A',
            other => other,
        })
        .filter(|c| c.is_alphanumeric())
        .collect()
}

/// NFKC without spaces and marks between words, variants of the same kanji folded.
fn folded(text: &str) -> String {
    text.nfkc()
        .map(|c| match c {
            '髙' => '高',
            '﨑' => '崎',
            '濵' | '濱' => '浜',
            '邊' | '邉' => '辺',
            '齋' | '斎' | '齊' => '斉',
            '澤' => '沢',
            '廣' => '広',
            '櫻' => '桜',
            '眞' => '真',
            '證' | '证' => '証',
            other => other,
        })
        .flat_map(char::to_lowercase)
        .filter(|c| c.is_alphanumeric())
        .collect()
}

fn same_kana(a: &str, b: &str) -> Option<bool> {
    Some(folded(&to_katakana(a)) == folded(&to_katakana(b)))
}

/// Addresses are written in many ways: alike where at most one character in five differs.
fn same_address(a: &str, b: &str) -> Option<bool> {
    let (a, b): (Vec<char>, Vec<char>) = (folded(a).chars().collect(), folded(b).chars().collect());
    let longest = a.len().max(b.len());
    (longest > 0).then(|| edit_distance(&a, &b) * 5 <= longest)
}

/// Levenshtein distance in one row.
fn edit_distance(a: &[char], b: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let substituted = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Side;
    use proptest::prelude::*;

    #[test]
    fn names_match_through_transliteration_order_and_extra_given_names() {
        for (a, b, same) in [
            ("Müller", "MUELLER", true),
            ("Müller", "MULLER", true),
            ("O'Connor", "OCONNOR", true),
            ("Anna", "ANNA MARIA", true),
            ("Anna Maria", "ANNA", true),
            ("García López", "GARCIA LOPEZ", true),
            ("Maria", "ANNA MARIA", false),
            ("Smith", "SMYTH", false),
            ("Łukasz", "LUKASZ", true),
            ("÷", "÷", true),
        ] {
            assert_eq!(same_name(a, b), Some(same), "{a} {b}");
        }
        assert_eq!(same_name("田中", "TANAKA"), None, "scripts differ");
        assert_eq!(same_name("髙橋", "高橋"), Some(true));
    }

    #[test]
    fn an_item_is_compared_only_where_two_sources_have_it() {
        let field = |name, text: &str| OcrField {
            side: Side::Front,
            name,
            text: Some(text.into()),
            normalized: Some(text.into()),
        };
        let document = [
            field(FieldName::LastName, "ERIKSSON"),
            field(FieldName::BirthDate, "1974-08-12"),
        ];
        let known = PreRegistered {
            last_name: Some("Eriksson".into()),
            birth_date: Some("1974-08-13".into()),
            address: Some("anywhere".into()),
            ..PreRegistered::default()
        };
        let matched = compare(&document, None, Some(&known));
        assert_eq!(
            matched,
            [(MatchItem::LastName, true), (MatchItem::BirthDate, false)].into()
        );
        assert!(compare(&document, None, None).is_empty());
    }

    proptest! {
        #[test]
        fn a_name_always_matches_itself(name in "[A-Za-zÀ-ž]{1,12}( [A-Za-z]{1,8})?") {
            prop_assert_eq!(same_name(&name, &name), Some(true));
        }

        #[test]
        fn edit_distance_is_symmetric_and_bounded(a in "[ab東京]{0,8}", b in "[ab東京]{0,8}") {
            let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
            let distance = edit_distance(&a, &b);
            prop_assert_eq!(distance, edit_distance(&b, &a));
            prop_assert!(distance <= a.len().max(b.len()) && distance >= a.len().abs_diff(b.len()));
        }
    }
}
