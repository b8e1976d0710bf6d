//! Typed and pre-registered data against the document.

use super::{Evidence, Notes, across};
use crate::{
    document::OcrField,
    findings::DocumentFindings,
    input_match::{self, completes},
    outcome::InputMatchCheck,
    reasons::Reason,
};

/// `None` if there was nothing to compare with: neither typed nor pre-registered data.
pub(super) fn check(evidence: &Evidence<'_>, notes: &mut Notes) -> Option<InputMatchCheck> {
    if evidence.typed.is_none() && evidence.known.is_none() {
        return None;
    }
    let compared = input_match::compare(&read(evidence.document), evidence.typed, evidence.known);
    for (item, matched) in &compared.items {
        if !matched {
            notes.reason(item.mismatch());
        }
    }
    let vouched = evidence.document.is_empty() || compared.unconfirmed.is_empty();
    if compared.items.is_empty() || !vouched {
        notes.reason(Reason::InputNotComparable);
    }
    let compared = compared.items;
    Some(InputMatchCheck {
        performed: true,
        matched: (!compared.is_empty()).then(|| compared.values().all(|matched| *matched)),
        fields: Some(
            compared
                .into_iter()
                .map(|(item, matched)| (item.to_string(), matched))
                .collect(),
        ),
    })
}

/// The items of the document, those first that are machine-readable: what is printed on the other side of a card is altered more easily.
/// Where they leave an item open, print that completes it stands for it.
fn read(document: &[DocumentFindings]) -> Vec<OcrField> {
    let (prints, machines): (Vec<_>, Vec<_>) = document.iter().partition(|side| across::is_print_only(side));
    let printed = || prints.iter().flat_map(|side| &side.fields);
    let whole = |field: &OcrField| {
        let completed = || printed().find(|print| print.name == field.name && completes(print, field));
        let found = match field.normalized {
            Some(_) => None,
            None => completed(),
        };
        found.unwrap_or(field).clone()
    };
    let machine = machines.iter().flat_map(|side| &side.fields).map(whole);
    machine.chain(printed().cloned()).collect()
}

/// Evidence for each reason of this file.
#[cfg(test)]
pub(crate) mod scenarios {
    use super::*;
    use crate::{decision::coverage_tests::Scenario, document::FieldName, request::PreRegistered, user_input::Gender};

    pub(crate) const ALL: &[Scenario] = &[
        (Reason::InputNameMismatch, |case| {
            case.typed.as_mut().unwrap().last_name = Some("Nyberg".into())
        }),
        (Reason::InputBirthDateMismatch, |case| {
            case.typed.as_mut().unwrap().birth_date = Some("1980-01-01".into())
        }),
        (Reason::InputAddressMismatch, |case| {
            case.set(FieldName::Address, "9 Another Street, Elsewhere")
        }),
        (Reason::InputGenderMismatch, |case| {
            case.set(FieldName::Gender, "female");
            case.known = Some(PreRegistered {
                gender: Some(Gender::Male),
                ..PreRegistered::default()
            });
        }),
        (Reason::InputNotComparable, |case| {
            case.typed.as_mut().unwrap().last_name = Some("田中".into())
        }),
    ];
}
