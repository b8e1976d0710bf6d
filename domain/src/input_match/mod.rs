//! Whether the typed and pre-registered data match the document. Compares values, but returns none of them.

pub(crate) mod address;
pub(crate) mod names;

pub use names::{transliterated, transliterated_with_x};

use crate::{
    document::{FieldName, OcrField},
    named::vocabulary,
    reasons::Reason,
    request::PreRegistered,
    user_input::{Gender, UserInput, to_katakana},
};
use address::same_address;
use names::{folded, goes_on, is_kana, same_full_name, same_name, same_only_name};
use std::collections::{BTreeMap, BTreeSet};

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
    /// The reason if it does not match.
    #[must_use]
    pub const fn mismatch(self) -> Reason {
        match self {
            Self::LastName | Self::FirstName | Self::LastNameKana | Self::FirstNameKana => Reason::InputNameMismatch,
            Self::BirthDate => Reason::InputBirthDateMismatch,
            Self::Address => Reason::InputAddressMismatch,
            Self::Gender => Reason::InputGenderMismatch,
        }
    }

    /// Whether every document has it, so that a document without it leaves the identity open. Many documents have no address,
    /// kana or gender.
    const fn is_vouched_for_by_documents(self) -> bool {
        matches!(self, Self::LastName | Self::FirstName | Self::BirthDate)
    }
}

/// What [`compare`] found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comparison {
    /// Every item that could be compared between two sources: whether every pair matches.
    pub items: BTreeMap<MatchItem, bool>,
    /// Names and dates of birth that were typed or pre-registered and that the document lacks, or has in another script. Two
    /// sources may agree on them; the document does not confirm them. Also every item that one source has in another script than
    /// all others: who agrees on the rest says nothing about it.
    pub unconfirmed: BTreeSet<MatchItem>,
}

/// One item in each source.
#[derive(Clone, Copy)]
struct Item<'a> {
    document: Option<&'a str>,
    typed: Option<&'a str>,
    known: Option<&'a str>,
}

impl<'a> Item<'a> {
    /// The typed and pre-registered values.
    fn said(self) -> impl Iterator<Item = &'a str> {
        [self.typed, self.known].into_iter().flatten()
    }

    /// The pre-registered name if it is in kana and the others are not: then it is how the name is read, since there is no other place for that.
    fn reading(self) -> Option<&'a str> {
        let is_alone = |known| {
            let mut others = [self.document, self.typed].into_iter().flatten();
            others.all(|other| same_name(other, known).is_none())
        };
        self.known.filter(|&known| is_kana(known) && is_alone(known))
    }

    /// Without the pre-registered name if it is a reading that is compared with the one on the document. One that was typed is not enough: only the
    /// user says that it belongs to the name on the document.
    fn beside(self, kana: Self) -> Self {
        let is_compared = kana.document.is_some() && kana.known.is_some();
        Self {
            known: self.known.filter(|_| !is_compared),
            ..self
        }
    }
}

/// Whether an item may be the whole of one that a machine-readable zone or a code has in part: a name that was cut, or a date of birth
/// without its century, which has as many of its digits as are known. Zeros stand for a month or a day that is not known, as fillers do (ICAO 9303-3
/// section 4.8 asks for fillers).
#[must_use]
pub fn completes(whole: &OcrField, part: &OcrField) -> bool {
    let (Some(whole), Some(text)) = (whole.normalized.as_deref(), part.text.as_deref()) else {
        return false;
    };
    if part.name == FieldName::BirthDate {
        let digits: String = whole.chars().filter(char::is_ascii_digit).skip(2).collect();
        let mut known = text;
        while known.len() > 2 {
            let Some(rest) = known.strip_suffix("00") else { break };
            known = rest;
        }
        return !known.is_empty() && digits.starts_with(known);
    }
    goes_on(text, whole)
}

/// Whether the text of a date has all digits of its year: two of them are those of a child and of somebody a hundred years older.
#[must_use]
pub fn says_century(date: &OcrField) -> bool {
    let year = date.normalized.as_deref().and_then(|day| day.get(..4));
    let both = year.zip(date.text.as_deref());
    both.is_some_and(|(year, text)| text.contains(year))
}

/// Whether two values are the same; `None` if that is unknown.
type Same = fn(&str, &str) -> Option<bool>;

/// Compares every item that at least two sources have. An item matches if every comparable pair does.
#[must_use]
pub fn compare(document: &[OcrField], typed: Option<&UserInput>, known: Option<&PreRegistered>) -> Comparison {
    let item = |name: FieldName| document.iter().find(|field| field.name == name);
    // Without a normal form it is not certain, or cut: what was read then neither confirms nor contradicts anything.
    let normal = |name: FieldName| item(name)?.normalized.as_deref();
    let read = |name: FieldName| normal(name).or_else(|| item(name)?.text.as_deref());
    let only_name = typed.and_then(UserInput::only_name);
    let typed = |field: fn(&UserInput) -> Option<&String>| typed.and_then(field).map(String::as_str);
    let known_gender = known.and_then(|known| known.gender);
    let known = |field: fn(&PreRegistered) -> Option<&String>| known.and_then(field).map(String::as_str);
    let last = Item {
        document: normal(FieldName::LastName),
        typed: typed(|t| t.last_name.as_ref()),
        known: known(|k| k.last_name.as_ref()),
    };
    let first = Item {
        document: normal(FieldName::FirstName),
        typed: typed(|t| t.first_name.as_ref()),
        known: known(|k| k.first_name.as_ref()),
    };
    let last_kana = Item {
        document: read(FieldName::LastNameKana),
        typed: typed(|t| t.last_name_kana.as_ref()),
        known: last.reading(),
    };
    let first_kana = Item {
        document: read(FieldName::FirstNameKana),
        typed: typed(|t| t.first_name_kana.as_ref()),
        known: first.reading(),
    };
    let (last, first) = (last.beside(last_kana), first.beside(first_kana));
    let mut comparison = Comparison::default();
    comparison.judge_names(normal(FieldName::FullName), only_name, last, first);
    let birth_date = Item {
        document: normal(FieldName::BirthDate),
        typed: typed(|t| t.birth_date.as_ref()),
        known: known(|k| k.birth_date.as_ref()),
    };
    let address = Item {
        document: normal(FieldName::Address),
        typed: typed(|t| t.address.as_ref()),
        known: known(|k| k.address.as_ref()),
    };
    let gender = Item {
        document: normal(FieldName::Gender),
        typed: None,
        known: known_gender.map(Gender::as_str),
    };
    comparison.judge(MatchItem::LastNameKana, same_kana, last_kana);
    comparison.judge(MatchItem::FirstNameKana, same_kana, first_kana);
    comparison.judge(MatchItem::BirthDate, |a, b| Some(a == b), birth_date);
    comparison.judge(MatchItem::Address, same_address, address);
    comparison.judge(MatchItem::Gender, |a, b| Some(a == b), gender);
    comparison
}

impl Comparison {
    fn judge(&mut self, item: MatchItem, same: Same, sources: Item<'_>) {
        let compared = |said: Option<&str>| same(sources.document?, said?);
        self.note(item, same, sources, [sources.typed, sources.known].map(compared));
    }

    /// `full` is the name of a document that does not separate the family name, and `only` the name of a person who has no other.
    fn judge_names(&mut self, full: Option<&str>, only: Option<&str>, last: Item<'_>, first: Item<'_>) {
        match (full, only) {
            (Some(full), _) if last.document.or(first.document).is_none() => self.judge_full_name(full, last, first),
            (_, Some(only)) => self.judge_only_name(only, last, first),
            (_, None) => {
                self.judge(MatchItem::LastName, same_name, last);
                self.judge(MatchItem::FirstName, same_name, first);
            }
        }
    }

    /// For a document that prints one name without separating the family name: the other values are compared as a whole.
    fn judge_full_name(&mut self, full: &str, last: Item<'_>, first: Item<'_>) {
        let both = |(last, first)| same_full_name(full, last, first);
        let typed = match (last.typed, first.typed) {
            (Some(only), None) => same_only_name(full, only),
            (last, first) => last.zip(first).and_then(both),
        };
        let known = last.known.zip(first.known).and_then(both);
        let typed_first = typed.filter(|_| first.typed.is_some());
        self.note(MatchItem::LastName, same_name, last, [typed, known]);
        self.note(MatchItem::FirstName, same_name, first, [typed_first, known]);
    }

    /// For a person who has typed their only name as the family name. Documents have it as either, and another name beside it contradicts them. Where
    /// none stands there, one may not have been read.
    fn judge_only_name(&mut self, only: &str, last: Item<'_>, first: Item<'_>) {
        let as_last = Item {
            document: last.document.or(first.document),
            typed: last.typed,
            known: last.known,
        };
        self.judge(MatchItem::LastName, same_name, as_last);
        let known = first.known.and_then(|known| same_name(first.document?, known));
        // What was typed is that there is none.
        let typed = match last.document.and(first.document) {
            Some(beside) if same_name(beside, only) == Some(true) => None,
            Some(_) => Some(false),
            None => {
                self.unconfirmed.insert(MatchItem::FirstName);
                None
            }
        };
        self.note(MatchItem::FirstName, same_name, first, [typed, known]);
    }

    /// `compared` is how the typed and the pre-registered value compare with the document.
    fn note(&mut self, item: MatchItem, same: Same, sources: Item<'_>, compared: [Option<bool>; 2]) {
        let [typed, known] = compared;
        let both = sources.typed.zip(sources.known);
        let between = both.and_then(|(typed, known)| same(typed, known));
        // Otherwise the document says nothing on it, which many do not.
        let is_due = item.is_vouched_for_by_documents() || sources.document.is_some();
        let is_open = is_due && typed.or(known).is_none() && sources.said().next().is_some();
        let is_lone = |said: Option<&str>, same: Option<bool>| said.is_some() && same.or(between).is_none();
        let has_lone = is_lone(sources.typed, typed) || is_lone(sources.known, known);
        if is_open || has_lone && (is_due || both.is_some()) {
            self.unconfirmed.insert(item);
        }
        let results: Vec<bool> = [typed, known, between].into_iter().flatten().collect();
        if !results.is_empty() {
            self.items.insert(item, results.into_iter().all(|same| same));
        }
    }
}

fn same_kana(a: &str, b: &str) -> Option<bool> {
    Some(folded(&to_katakana(a)) == folded(&to_katakana(b)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Side;

    fn field(name: FieldName, text: &str) -> OcrField {
        OcrField {
            side: Side::Front,
            name,
            text: Some(text.into()),
            normalized: Some(text.into()),
        }
    }

    #[test]
    fn an_item_is_compared_only_where_two_sources_have_it() {
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
        let found = compare(&document, None, Some(&known));
        assert_eq!(
            found.items,
            [(MatchItem::LastName, true), (MatchItem::BirthDate, false)].into()
        );
        assert_eq!(found.unconfirmed, [].into(), "no document confirms an address");
        assert_eq!(compare(&document, None, None), Comparison::default());
    }

    #[test]
    fn what_has_no_normal_form_is_neither_equal_nor_different() {
        let uncertain = |name, text: &str| OcrField {
            normalized: None,
            ..field(name, text)
        };
        let document = [
            uncertain(FieldName::BirthDate, "67<<<<"),
            uncertain(FieldName::Gender, "X"),
            uncertain(FieldName::FirstName, "CHAYAPA DEJTHAMRONG K"),
            uncertain(FieldName::Address, "東京都千代田区霞が関2-1-2"),
        ];
        let known = PreRegistered {
            birth_date: Some("1967-10-02".into()),
            first_name: Some("Chayapa Dejthamrong Krasuang".into()),
            address: Some("東京都港区芝1-2-3".into()),
            gender: Some(Gender::Female),
            ..PreRegistered::default()
        };
        let found = compare(&document, None, Some(&known));
        assert_eq!(
            (found.items, found.unconfirmed),
            ([].into(), [MatchItem::FirstName, MatchItem::BirthDate].into())
        );
    }

    #[test]
    fn a_date_without_its_century_is_completed_by_the_same_day_of_either() {
        for (part, whole, same) in [
            ("241002", "2024-10-02", true),
            ("241002", "1924-10-02", true),
            ("241002", "1990-03-05", false),
            ("67", "1967-10-02", true),
            ("670000", "1967-10-02", true),
            ("671000", "1967-10-02", true),
            ("671000", "1967-11-02", false),
            ("000000", "2000-05-06", true),
            ("000500", "2000-06-05", false),
            ("", "1967-10-02", false),
        ] {
            let (part, whole) = (field(FieldName::BirthDate, part), field(FieldName::BirthDate, whole));
            assert_eq!(completes(&whole, &part), same, "{:?} {:?}", whole.text, part.text);
        }
    }

    #[test]
    fn two_digits_of_a_year_do_not_say_its_century() {
        for (text, says) in [
            ("2024-10-02", true),
            ("02 OCT /OCT 2024", true),
            ("10022024", true),
            ("02 OCT /OCT 24", false),
            ("02.10.24", false),
        ] {
            let date = OcrField {
                text: Some(text.into()),
                ..field(FieldName::BirthDate, "2024-10-02")
            };
            assert_eq!(says_century(&date), says, "{text}");
        }
    }

    #[test]
    fn a_postcode_before_an_address_makes_it_no_other_address() {
        let document = [field(FieldName::Address, "東京都港区芝1-2-3")];
        for (typed, same) in [
            ("〒105-0014 東京都港区芝1-2-3", true),
            ("〒105-0014 北海道札幌市北区4-5", false),
        ] {
            let typed = UserInput {
                address: Some(typed.into()),
                ..UserInput::default()
            };
            let found = compare(&document, Some(&typed), None);
            assert_eq!(found.items, [(MatchItem::Address, same)].into(), "{typed:?}");
        }
    }

    #[test]
    fn two_who_agree_on_a_name_do_not_confirm_it_where_the_document_cannot() {
        let known = PreRegistered {
            last_name: Some("田中".into()),
            birth_date: Some("1974-08-12".into()),
            ..PreRegistered::default()
        };
        let typed = UserInput {
            last_name: Some("田中".into()),
            ..UserInput::default()
        };
        let document = [
            field(FieldName::LastName, "SUZUKI"),
            field(FieldName::BirthDate, "1974-08-12"),
        ];
        let found = compare(&document, Some(&typed), Some(&known));
        assert_eq!(
            found.items,
            [(MatchItem::LastName, true), (MatchItem::BirthDate, true)].into()
        );
        // Nor that there is no other one.
        assert_eq!(found.unconfirmed, [MatchItem::LastName, MatchItem::FirstName].into());
        let without = compare(&[], Some(&typed), Some(&known));
        assert_eq!(
            without.unconfirmed,
            [MatchItem::LastName, MatchItem::FirstName, MatchItem::BirthDate].into()
        );
    }

    #[test]
    fn an_only_name_is_that_of_a_document_which_has_no_other() {
        const LAST: FieldName = FieldName::LastName;
        const FIRST: FieldName = FieldName::FirstName;
        const FULL: FieldName = FieldName::FullName;
        let typed = UserInput {
            last_name: Some("Sukarno".into()),
            ..UserInput::default()
        };
        let (same, other) = ([(MatchItem::LastName, true)], [(MatchItem::LastName, false)]);
        let two = [(MatchItem::LastName, true), (MatchItem::FirstName, false)];
        for (document, items, is_whole) in [
            (&[(FULL, "SUKARNO")][..], &same[..], true),
            (&[(LAST, "SUKARNO"), (FIRST, "SUKARNO")][..], &same[..], true),
            // A name beside it may not have been read.
            (&[(LAST, "SUKARNO")][..], &same[..], false),
            (&[(FIRST, "SUKARNO")][..], &same[..], false),
            (&[(LAST, "SUHARTO")][..], &other[..], false),
            (&[(FIRST, "SUHARTO")][..], &other[..], false),
            (&[(FULL, "SUHARTO")][..], &other[..], true),
            // A person who has a given name cannot leave it out.
            (&[(LAST, "SUKARNO"), (FIRST, "HATTA")][..], &two[..], true),
            (&[(FULL, "SUKARNO HATTA")][..], &other[..], true),
            (&[(FULL, "HATTA SUKARNO")][..], &other[..], true),
        ] {
            let read: Vec<_> = document.iter().map(|(name, text)| field(*name, text)).collect();
            let found = compare(&read, Some(&typed), None);
            let items: BTreeMap<_, _> = items.iter().copied().collect();
            let is_confirmed = !found.unconfirmed.contains(&MatchItem::FirstName);
            assert_eq!((found.items, is_confirmed), (items, is_whole), "{document:?}");
        }
    }

    #[test]
    fn a_document_with_one_name_confirms_family_and_given_name_together() {
        let typed = |last: &str| UserInput {
            last_name: Some(last.into()),
            first_name: Some("花子".into()),
            ..UserInput::default()
        };
        let document = [field(FieldName::FullName, "日本花子")];
        for (last, same) in [("日本", true), ("東京", false)] {
            let found = compare(&document, Some(&typed(last)), None);
            let both = [(MatchItem::LastName, same), (MatchItem::FirstName, same)];
            assert_eq!((found.items, found.unconfirmed), (both.into(), [].into()), "{last}");
        }
    }

    fn typed_as(last: &str, first: &str) -> UserInput {
        UserInput {
            last_name: Some(last.into()),
            first_name: Some(first.into()),
            ..UserInput::default()
        }
    }

    fn known_as(last: &str, first: &str) -> PreRegistered {
        PreRegistered {
            last_name: Some(last.into()),
            first_name: Some(first.into()),
            ..PreRegistered::default()
        }
    }

    #[test]
    fn a_name_in_another_script_than_all_others_is_not_confirmed_by_their_agreement() {
        const NAMES: [MatchItem; 2] = [MatchItem::LastName, MatchItem::FirstName];
        const KANJI: (&str, &str) = ("田中", "花子");
        const LATIN: (&str, &str) = ("Tanaka", "Hanako");
        const KANA: (&str, &str) = ("タナカ", "ハナコ");
        let passport = [
            field(FieldName::LastName, "TANAKA"),
            field(FieldName::FirstName, "HANAKO"),
        ];
        let card = [field(FieldName::FullName, "田中花子")];
        let parts = [(FieldName::LastName, "田中"), (FieldName::FirstName, "花子")];
        let split = parts.map(|(name, text)| field(name, text));
        for (document, typed, known, is_confirmed) in [
            (&passport[..], LATIN, LATIN, true),
            (&passport[..], LATIN, KANJI, false),
            (&passport[..], KANJI, LATIN, false),
            (&passport[..], LATIN, KANA, false),
            (&card[..], KANJI, KANJI, true),
            (&card[..], KANJI, LATIN, false),
            (&card[..], LATIN, KANJI, false),
            (&card[..], KANJI, KANA, false),
            (&split[..], KANJI, LATIN, false),
            (&split[..], LATIN, KANJI, false),
        ] {
            let found = compare(
                document,
                Some(&typed_as(typed.0, typed.1)),
                Some(&known_as(known.0, known.1)),
            );
            let expected = if is_confirmed { BTreeSet::new() } else { NAMES.into() };
            let case = format!("{document:?} {typed:?} {known:?}");
            assert_eq!(found.items, NAMES.map(|item| (item, true)).into(), "{case}");
            assert_eq!(found.unconfirmed, expected, "{case}");
        }
    }

    #[test]
    fn a_name_that_the_document_cannot_confirm_alone_is_confirmed_by_one_that_it_confirms() {
        let known = PreRegistered {
            last_name: Some("日本".into()),
            ..PreRegistered::default()
        };
        let document = [field(FieldName::FullName, "日本花子")];
        let found = compare(&document, Some(&typed_as("日本", "花子")), Some(&known));
        let both = [(MatchItem::LastName, true), (MatchItem::FirstName, true)];
        assert_eq!((found.items, found.unconfirmed), (both.into(), [].into()));
    }

    #[test]
    fn a_pre_registered_reading_is_compared_with_the_kana_and_confirmed_by_those_of_the_document() {
        let typed = |last_kana: &str| UserInput {
            last_name_kana: Some(last_kana.into()),
            first_name_kana: Some("ハナコ".into()),
            ..typed_as("田中", "花子")
        };
        let known = known_as("たなか", "ハナコ");
        let card = [field(FieldName::FullName, "田中花子")];
        let with_kana = |last: &str| {
            let kana = [
                field(FieldName::LastNameKana, last),
                field(FieldName::FirstNameKana, "ハナコ"),
            ];
            [&card[..], &kana].concat()
        };
        for (document, last_kana, same, is_confirmed) in [
            (with_kana("タナカ"), "タナカ", true, true),
            (with_kana("スズキ"), "スズキ", false, true),
            // The user alone says how it is read.
            (card.to_vec(), "タナカ", true, false),
            (card.to_vec(), "スズキ", false, false),
        ] {
            let found = compare(&document, Some(&typed(last_kana)), Some(&known));
            let items = [
                (MatchItem::LastName, true),
                (MatchItem::FirstName, true),
                (MatchItem::LastNameKana, same),
                (MatchItem::FirstNameKana, true),
            ];
            assert_eq!(found.items, items.into(), "{document:?}");
            assert_eq!(found.unconfirmed.is_empty(), is_confirmed, "{document:?}");
        }
    }

    #[test]
    fn a_name_that_is_written_in_kana_is_no_reading() {
        // かほる is read カオル.
        let typed = UserInput {
            last_name_kana: Some("タナカ".into()),
            first_name_kana: Some("カオル".into()),
            ..typed_as("田中", "かほる")
        };
        let document = [field(FieldName::FullName, "田中かほる")];
        let found = compare(&document, Some(&typed), Some(&known_as("田中", "かほる")));
        let both = [(MatchItem::LastName, true), (MatchItem::FirstName, true)];
        assert_eq!((found.items, found.unconfirmed), (both.into(), [].into()));
    }

    #[test]
    fn an_address_in_another_script_than_all_others_is_no_other_address_and_not_confirmed() {
        const JAPANESE: Option<&str> = Some("東京都渋谷区神宮前1-2-3");
        const LATIN: Option<&str> = Some("1-2-3 Jingumae, Shibuya");
        let address = |found: &Comparison| {
            let same = found.items.get(&MatchItem::Address).copied();
            (same, !found.unconfirmed.contains(&MatchItem::Address))
        };
        for (document, typed, known, expected) in [
            (LATIN, None, JAPANESE, (None, false)),
            (JAPANESE, LATIN, None, (None, false)),
            (None, LATIN, JAPANESE, (None, false)),
            (LATIN, LATIN, JAPANESE, (Some(true), false)),
            (LATIN, JAPANESE, JAPANESE, (Some(true), false)),
            (JAPANESE, JAPANESE, JAPANESE, (Some(true), true)),
            (None, LATIN, LATIN, (Some(true), true)),
            (None, LATIN, None, (None, true)),
        ] {
            let read = document.map(|text| field(FieldName::Address, text));
            let typed = UserInput {
                address: typed.map(str::to_owned),
                ..UserInput::default()
            };
            let known = PreRegistered {
                address: known.map(str::to_owned),
                ..PreRegistered::default()
            };
            let found = compare(read.as_slice(), Some(&typed), Some(&known));
            assert_eq!(address(&found), expected, "{document:?} {typed:?} {known:?}");
        }
    }
}
