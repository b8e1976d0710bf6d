//! Compares typed and pre-registered data with the document.

use super::{Evidence, Notes, across, document::layouts};
use crate::{
    document::{FieldName, OcrField},
    findings::DocumentFindings,
    input_match::{self, completes, names::same_letters, says_century},
    outcome::InputMatchCheck,
    reasons::Reason,
};
use time::Date;

/// `None` if there was nothing to compare with: neither typed nor pre-registered data.
pub(super) fn check(evidence: &Evidence<'_>, notes: &mut Notes) -> Option<InputMatchCheck> {
    if evidence.typed.is_none() && evidence.known.is_none() {
        return None;
    }
    let mut read = read(evidence.document, evidence.today);
    take_for_whole(&mut read, evidence);
    let compared = input_match::compare(&read, evidence.typed, evidence.known);
    for (item, matched) in &compared.items {
        if !matched {
            notes.reason(item.mismatch());
        }
    }
    let vouched =
        evidence.document.is_empty() || compared.unconfirmed.is_empty() && !lacks_its_address(evidence, &read);
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

/// Layouts of which every document prints an address: those of Japan, of the United States and Canada (AAMVA DL/ID, mandatory item 8), and of
/// the United Kingdom. Licences of other states of Europe may leave it out (Directive 2006/126/EC, annex I, item 8).
const WITH_ADDRESS: [&str; 3] = ["jp", "us", "gb"];

/// Whether an address was typed or pre-registered that could not be read from a document that prints one. Otherwise, somebody who covers it could
/// state any address.
fn lacks_its_address(evidence: &Evidence<'_>, read: &[OcrField]) -> bool {
    let is_said = evidence.typed.is_some_and(|typed| typed.address.is_some())
        || evidence.known.is_some_and(|known| known.address.is_some());
    let prints_one = || layouts(evidence.document).any(|layout| WITH_ADDRESS.contains(&layout.family()));
    let is_read = |field: &OcrField| field.name == FieldName::Address && field.normalized.is_some();
    is_said && prints_one() && !read.iter().any(is_read)
}

/// The items of the document, those first that are machine-readable: what is printed on the other side of a card is altered more easily.
/// Where they leave an item open, or the century of a date of birth, print that completes it stands for it; so does a name with marks, of which they have
/// one of several spellings.
fn read(document: &[DocumentFindings], today: Date) -> Vec<OcrField> {
    let (prints, machines): (Vec<_>, Vec<_>) = document.iter().partition(|side| across::is_print_only(side));
    let printed = || prints.iter().flat_map(|side| &side.fields);
    let whole = |side: &DocumentFindings, field: &OcrField| {
        let is_certain = |print: &OcrField| print.name != FieldName::BirthDate || says_century(print);
        let is_whole = |print: &&OcrField| print.name == field.name && completes(print, field) && is_certain(print);
        let completed = || printed().find(is_whole);
        let is_spelt = |print: &&OcrField| is_with_marks(print, field);
        let found = match field.normalized {
            Some(_) if field.name == FieldName::BirthDate => across::birth_in_print(side, document, today),
            Some(_) => side.printed.iter().find(is_spelt).or_else(|| printed().find(is_spelt)),
            None => completed(),
        };
        found.unwrap_or(field).clone()
    };
    let mut read = Vec::new();
    for side in &machines {
        read.extend(side.fields.iter().map(|field| whole(side, field)));
    }
    read.extend(printed().cloned());
    read
}

/// Whether the print has the name of machine-readable data with its marks: SØRENSEN, whom a zone calls SOERENSEN and everybody else Sorensen as well.
fn is_with_marks(print: &OcrField, machine: &OcrField) -> bool {
    let is_name = matches!(machine.name, FieldName::LastName | FieldName::FirstName);
    let both = print.normalized.as_deref().zip(machine.normalized.as_deref());
    let is_same = |(print, machine): (&str, &str)| !print.is_ascii() && same_letters(print, machine);
    is_name && print.name == machine.name && both.is_some_and(is_same)
}

/// Takes a name for the whole one where the zone or a code says that its holder has no other: documents have it as either. A single word counts as
/// the whole name only if the person typed one name. Several words may be all names of somebody whose state does not separate them, `AHMAD<BIN<ALI`
/// (ICAO 9303-3 section 4.6), however those who gave both a family and a given name split them.
fn take_for_whole(read: &mut [OcrField], evidence: &Evidence<'_>) {
    let has = |name: FieldName| read.iter().any(|field| field.name == name);
    let is_name = |field: &OcrField| matches!(field.name, FieldName::LastName | FieldName::FirstName);
    // A code repeats the only name as the whole one.
    let repeats = |whole: &OcrField, field: &OcrField| {
        is_name(field) && field.normalized.is_some() && field.normalized == whole.normalized
    };
    let is_another_whole =
        |whole: &OcrField| whole.name == FieldName::FullName && !read.iter().any(|field| repeats(whole, field));
    let is_only = has(FieldName::LastName) != has(FieldName::FirstName) && !read.iter().any(is_another_whole);
    let has_words = |field: &OcrField| field.normalized.as_deref().is_some_and(|name| name.contains(' '));
    let has_only_name = evidence.typed.is_some_and(|typed| typed.only_name().is_some());
    let is_whole =
        has_only_name || (gives_both_names(evidence) && read.iter().any(|field| is_name(field) && has_words(field)));
    if is_only && is_whole && evidence.document.iter().any(across::gives_one_name) {
        for field in read.iter_mut().filter(|field| is_name(field)) {
            field.name = FieldName::FullName;
        }
    }
}

/// Whether a family and a given name were typed, or both are pre-registered.
fn gives_both_names(evidence: &Evidence<'_>) -> bool {
    let has_both = |[last, first]: [Option<&String>; 2]| last.is_some() && first.is_some();
    let typed = evidence
        .typed
        .map(|typed| [typed.last_name.as_ref(), typed.first_name.as_ref()]);
    let known = evidence
        .known
        .map(|known| [known.last_name.as_ref(), known.first_name.as_ref()]);
    typed.is_some_and(has_both) || known.is_some_and(has_both)
}

/// Evidence for each reason of this file.
#[cfg(test)]
pub(crate) mod scenarios {
    use super::*;
    use crate::{decision::coverage_tests::Scenario, request::PreRegistered, user_input::Gender};

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
