//! Whether the typed and pre-registered data match the document. Compares values, returns none of them.

pub(crate) mod names;

use crate::{
    document::{FieldName, OcrField},
    edit_distance::edit_distance,
    named::vocabulary,
    postcode::Postcode,
    reasons::Reason,
    request::PreRegistered,
    user_input::{Gender, UserInput, to_katakana},
};
use names::{folded, goes_on, same_full_name, same_name};
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
    /// sources may agree on them; the document does not confirm them.
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
}

/// Whether an item may be the whole of one that a machine-readable zone or a code has in part: a name that was cut, or a date of birth
/// without its century, which has as many of its digits as are known.
#[must_use]
pub fn completes(whole: &OcrField, part: &OcrField) -> bool {
    let (Some(whole), Some(text)) = (whole.normalized.as_deref(), part.text.as_deref()) else {
        return false;
    };
    if part.name == FieldName::BirthDate {
        let digits: String = whole.chars().filter(char::is_ascii_digit).skip(2).collect();
        return !text.is_empty() && digits.starts_with(text);
    }
    goes_on(text, whole)
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
    let mut comparison = Comparison::default();
    match normal(FieldName::FullName) {
        Some(full) if last.document.or(first.document).is_none() => comparison.judge_full_name(full, last, first),
        _ => {
            comparison.judge(MatchItem::LastName, same_name, last);
            comparison.judge(MatchItem::FirstName, same_name, first);
        }
    }
    let last_kana = Item {
        document: read(FieldName::LastNameKana),
        typed: typed(|t| t.last_name_kana.as_ref()),
        known: None,
    };
    let first_kana = Item {
        document: read(FieldName::FirstNameKana),
        typed: typed(|t| t.first_name_kana.as_ref()),
        known: None,
    };
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
        let told = |said| sources.document.and_then(|read| same(read, said));
        self.note(item, same, sources, sources.said().filter_map(told).collect());
    }

    /// For a document that prints one name without separating the family name: the other values are compared as a whole.
    fn judge_full_name(&mut self, full: &str, last: Item<'_>, first: Item<'_>) {
        let told: Vec<bool> = [(last.typed, first.typed), (last.known, first.known)]
            .into_iter()
            .filter_map(|(last, first)| same_full_name(full, last?, first?))
            .collect();
        self.note(MatchItem::LastName, same_name, last, told.clone());
        self.note(MatchItem::FirstName, same_name, first, told);
    }

    /// `told` is how the typed and pre-registered values compare with the document.
    fn note(&mut self, item: MatchItem, same: Same, sources: Item<'_>, mut told: Vec<bool>) {
        if item.is_vouched_for_by_documents() && told.is_empty() && sources.said().next().is_some() {
            self.unconfirmed.insert(item);
        }
        if let (Some(typed), Some(known)) = (sources.typed, sources.known) {
            told.extend(same(typed, known));
        }
        if !told.is_empty() {
            self.items.insert(item, told.into_iter().all(|same| same));
        }
    }
}

fn same_kana(a: &str, b: &str) -> Option<bool> {
    Some(folded(&to_katakana(a)) == folded(&to_katakana(b)))
}

/// Addresses are written in many ways: equal if at most one character in five differs. A postcode adds nothing to what stands behind it, and
/// documents do not print it.
fn same_address(a: &str, b: &str) -> Option<bool> {
    let [(_, a), (_, b)] = [a, b].map(Postcode::split_from);
    let (a, b): (Vec<char>, Vec<char>) = (folded(a).chars().collect(), folded(b).chars().collect());
    let longest = a.len().max(b.len());
    (longest > 0).then(|| edit_distance(&a, &b) * 5 <= longest)
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
            ("", "1967-10-02", false),
        ] {
            let (part, whole) = (field(FieldName::BirthDate, part), field(FieldName::BirthDate, whole));
            assert_eq!(completes(&whole, &part), same, "{:?} {:?}", whole.text, part.text);
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
        assert_eq!(found.unconfirmed, [MatchItem::LastName].into());
        let without = compare(&[], Some(&typed), Some(&known));
        assert_eq!(without.unconfirmed, [MatchItem::LastName, MatchItem::BirthDate].into());
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
}
