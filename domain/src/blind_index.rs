//! Which of a person's data goes into the blind index, in which normalised values are stored as keyed hashes: the full name, in every form that
//! somebody may search for, and the date of birth. A family name alone is not indexed, because equal hashes show how often a value occurs, which
//! would give frequent family names away.

use crate::{
    civil_date,
    document::{FieldName, OcrField},
    input_match::names,
    request::PreRegistered,
    user_input::{UserInput, to_katakana},
};
use std::{collections::BTreeSet, fmt};
use unicode_normalization::UnicodeNormalization;

/// A normalised value of which only a keyed hash is stored.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Term {
    /// A full name.
    Name(String),
    /// `YYYY-MM-DD`.
    BirthDate(String),
}

impl fmt::Debug for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Term([personal])")
    }
}

impl Term {
    /// What is hashed: the kind and the value.
    #[must_use]
    pub fn parts(&self) -> [&str; 2] {
        match self {
            Self::Name(name) => ["name", name],
            Self::BirthDate(date) => ["birth date", date],
        }
    }
}

/// The terms of what a session knows of its person: pre-registered, typed and read from the document.
#[must_use]
pub fn of_session(known: Option<&PreRegistered>, typed: Option<&UserInput>, read: &[OcrField]) -> BTreeSet<Term> {
    let mut terms = Terms::default();
    if let Some(known) = known {
        terms.add_name(known.last_name.as_deref(), known.first_name.as_deref());
        terms.add_birth_date(known.birth_date.as_deref());
    }
    if let Some(typed) = typed {
        terms.add_name(typed.last_name.as_deref(), typed.first_name.as_deref());
        terms.add_name(typed.last_name_kana.as_deref(), typed.first_name_kana.as_deref());
        terms.add_birth_date(typed.birth_date.as_deref());
    }
    let find = |name| {
        let field = read.iter().find(|field| field.name == name)?;
        field.normalized.as_deref().or(field.text.as_deref())
    };
    terms.add_name(find(FieldName::LastName), find(FieldName::FirstName));
    terms.add_name(find(FieldName::LastNameKana), find(FieldName::FirstNameKana));
    terms.add_name(find(FieldName::FullName), None);
    terms.add_birth_date(find(FieldName::BirthDate));
    terms.0
}

/// The terms of a person.
#[derive(Default)]
struct Terms(BTreeSet<Term>);

impl Terms {
    fn add_name(&mut self, last: Option<&str>, first: Option<&str>) {
        let (last, first) = (words(last.unwrap_or_default()), words(first.unwrap_or_default()));
        // Of several given names, people often use the first.
        for given in [first.as_slice(), first.get(..1).unwrap_or_default()] {
            self.0.extend(name_terms(&[&last, given].concat()));
            self.0.extend(name_terms(&[given, &last].concat()));
        }
    }

    fn add_birth_date(&mut self, date: Option<&str>) {
        let date = date.and_then(civil_date::parse);
        self.0
            .extend(date.map(|date| Term::BirthDate(civil_date::format(date))));
    }
}

/// The terms of a name that is searched for: a person with any of them is found. Empty if the name has neither letters nor digits.
#[must_use]
pub fn of_name(name: &str) -> BTreeSet<Term> {
    name_terms(&words(name)).collect()
}

/// A word in its forms.
type Word = [String; 2];

/// The words of a name. Each has two forms: a Latin word as in machine-readable zones, with and without its letters transliterated, any other word with
/// more and with fewer variants of its kanji folded.
fn words(name: &str) -> Vec<Word> {
    let name: String = name.nfkc().collect();
    name.split(|c: char| c.is_whitespace() || matches!(c, '-' | '<' | ',' | '\u{30fb}'))
        .map(|word| {
            if names::is_latin(word) {
                [names::plain(word), names::transliterated(word)]
            } else {
                [names::folded(word), names::folded_to_search(word)].map(|folded| to_katakana(&folded))
            }
        })
        .filter(|[plain, _]| !plain.is_empty())
        .collect()
}

/// The words in any order, and written together in this one, as Japanese names are.
fn name_terms(words: &[Word]) -> impl Iterator<Item = Term> + use<> {
    let forms = [0, 1].map(|form| words.iter().map(|word| word[form].clone()).collect::<Vec<_>>());
    forms
        .into_iter()
        .filter(|words| !words.is_empty())
        .flat_map(|mut words| {
            let together = words.concat();
            words.sort();
            [words.join(" "), together].map(Term::Name)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(last: &str, first: &str, kana: [&str; 2]) -> UserInput {
        let [last_kana, first_kana] = kana.map(|kana| Some(kana.to_owned()).filter(|kana| !kana.is_empty()));
        UserInput {
            last_name: Some(last.to_owned()),
            first_name: Some(first.to_owned()),
            last_name_kana: last_kana,
            first_name_kana: first_kana,
            birth_date: Some("1990-04-05".to_owned()),
            address: None,
        }
    }

    #[track_caller]
    fn finds(person: &UserInput, asked: &str, expected: bool) {
        let terms = of_session(None, Some(person), &[]);
        assert_eq!(!terms.is_disjoint(&of_name(asked)), expected, "{asked}");
    }

    #[test]
    fn a_person_is_found_by_the_full_name_in_any_order_width_case_and_script() {
        let taro = typed("髙橋", "太郎", ["タカハシ", "タロウ"]);
        for asked in [
            "髙橋 太郎",
            "高橋太郎",
            "太郎　高橋",
            "ﾀｶﾊｼ ﾀﾛｳ",
            "たかはしたろう",
            "たろう・たかはし",
        ] {
            finds(&taro, asked, true);
        }
        for asked in ["高橋", "太郎", "高橋次郎", "", " -"] {
            finds(&taro, asked, false);
        }
        let jurgen = typed("Müller-Lüdenscheidt", "Jürgen Peter", ["", ""]);
        for asked in [
            "jürgen peter müller-lüdenscheidt",
            "MUELLER LUEDENSCHEIDT JUERGEN",
            "Muller Ludenscheidt, Jurgen",
            "ＪＵＲＧＥＮ MULLER LUDENSCHEIDT",
        ] {
            finds(&jurgen, asked, true);
        }
        for asked in ["Müller", "Peter Müller", "Jürgen"] {
            finds(&jurgen, asked, false);
        }
        // Old forms of kanji, and two that are often confused.
        let saito = typed("齋藤", "惠", ["", ""]);
        for asked in ["齋藤 惠", "斎藤 恵", "斉藤 惠"] {
            finds(&saito, asked, true);
        }
        // A voiced kana is another kana, not an accent.
        finds(&typed("ガマ", "ケン", ["", ""]), "カマ ケン", false);
    }

    #[test]
    fn every_source_counts_and_only_real_dates_do() {
        let read = |name, text: &str, normalized: Option<&str>| OcrField {
            side: crate::document::Side::Front,
            name,
            text: Some(text.to_owned()),
            normalized: normalized.map(str::to_owned),
        };
        let known = PreRegistered {
            last_name: Some("Doe".to_owned()),
            first_name: Some("Jane".to_owned()),
            birth_date: Some("1990-02-31".to_owned()),
            ..PreRegistered::default()
        };
        let fields = [
            read(FieldName::FullName, "日本 花子", None),
            read(FieldName::BirthDate, "平成2年4月5日", Some("1990-04-05")),
        ];
        let terms = of_session(Some(&known), None, &fields);
        for name in ["jane doe", "日本花子"] {
            assert!(!terms.is_disjoint(&of_name(name)), "{name}");
        }
        let dates: Vec<_> = terms.iter().filter(|term| matches!(term, Term::BirthDate(_))).collect();
        assert_eq!(dates, [&Term::BirthDate("1990-04-05".to_owned())]);
        assert!(!format!("{terms:?}").contains("Doe"));
    }
}
