//! When a value that was given is the one on the document.
//!
//! Dates, genders and countries have a normal form and must be equal in it. Texts are compared as the product compares what a
//! person typed: compatibility forms, case, accents and the space between words make no difference.

use crate::truth::Label;
use domain::{
    document::{FieldName, OcrField},
    findings::DocumentFindings,
};
use serde::Serialize;
use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

/// How one item of a document was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Read {
    Right,
    Wrong,
    LeftOut,
}

/// One item, what stands there and what was given.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Item {
    pub(crate) name: FieldName,
    pub(crate) read: Read,
    pub(crate) truth: Option<String>,
    pub(crate) given: Option<String>,
}

/// Every item that was wanted or given.
pub(crate) fn items(label: &Label, findings: &DocumentFindings) -> Vec<Item> {
    let mut items = Vec::new();
    let mut given: Vec<&OcrField> = Vec::new();
    for field in &findings.fields {
        let compared = !matches!(field.name, FieldName::Mrz) && value(field).is_some();
        if compared && !given.iter().any(|other| other.name == field.name) {
            given.push(field);
        }
    }
    for field in &given {
        let truths: Vec<_> = label.fields.iter().filter(|truth| truth.name == field.name).collect();
        let whole = || {
            let part = |name| {
                label
                    .fields
                    .iter()
                    .find(|truth| truth.name == name)
                    .map(|truth| truth.normalized.as_str())
            };
            let (last, first) = (part(FieldName::LastName)?, part(FieldName::FirstName)?);
            Some([format!("{last} {first}"), format!("{first} {last}")])
        };
        let right = truths.iter().any(|truth| {
            let mut forms = vec![truth.text.as_str(), truth.normalized.as_str()];
            forms.extend(truth.also.iter().map(String::as_str));
            same(field, &truth.normalized, &forms)
        }) || (field.name == FieldName::FullName
            && whole().is_some_and(|orders| orders.iter().any(|order| same(field, order, &[order]))));
        items.push(Item {
            name: field.name,
            read: if right { Read::Right } else { Read::Wrong },
            truth: truths.first().map(|truth| truth.text.clone()),
            given: value(field).map(str::to_owned),
        });
    }
    let is_right =
        |name: FieldName, items: &[Item]| items.iter().any(|item| item.name == name && item.read == Read::Right);
    for truth in label.fields.iter().filter(|truth| truth.wanted) {
        if given.iter().any(|field| field.name == truth.name) || items.iter().any(|item| item.name == truth.name) {
            continue;
        }
        let in_parts = truth.name == FieldName::FullName
            && is_right(FieldName::LastName, &items)
            && is_right(FieldName::FirstName, &items);
        items.push(Item {
            name: truth.name,
            read: if in_parts { Read::Right } else { Read::LeftOut },
            truth: Some(truth.text.clone()),
            given: None,
        });
    }
    items
}

fn value(field: &OcrField) -> Option<&str> {
    field.normalized.as_deref().or(field.text.as_deref())
}

/// The normal form decides where there is one; else the text as printed.
fn same(given: &OcrField, normal: &str, forms: &[&str]) -> bool {
    let exact = matches!(
        given.name,
        FieldName::BirthDate | FieldName::IssueDate | FieldName::ExpiryDate | FieldName::Gender
    );
    match (&given.normalized, &given.text) {
        (Some(value), _) if exact => value == normal,
        (Some(value), _) => forms.iter().any(|form| bare(form) == bare(value)),
        (None, Some(text)) => forms.iter().any(|form| bare(form) == bare(text)),
        (None, None) => false,
    }
}

/// Letters and digits, folded; what parts two digits stays as one hyphen.
pub(crate) fn bare(text: &str) -> String {
    let folded: Vec<char> = text
        .nfkc()
        .flat_map(char::to_uppercase)
        .nfd()
        .filter(|c| !is_combining_mark(*c) || matches!(c, '\u{3099}' | '\u{309A}'))
        .nfc()
        .collect();
    let mut out = String::new();
    let mut parted = false;
    for c in folded {
        // A long vowel's stroke between digits is a hyphen that was read in another width.
        let stroke = c == 'ー' && out.ends_with(|before: char| before.is_ascii_digit());
        if c.is_alphanumeric() && !stroke {
            if parted && c.is_ascii_digit() && out.ends_with(|before: char| before.is_ascii_digit()) {
                out.push('-');
            }
            out.push(c);
            parted = false;
        } else {
            parted = parted || !c.is_whitespace();
        }
    }
    out
}
