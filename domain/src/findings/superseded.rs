//! Items that were correct when the document was issued, but have been replaced by a later entry on it, such as a new address on the back.

use super::{DocumentFindings, RuleResult};
use crate::document::FieldName;

/// End of the name of the result that says so, `address_current`.
const CURRENT: &str = "_current";

impl RuleResult {
    /// The result where an entry on the document says that an item of it is out of date.
    #[must_use]
    pub fn superseded(item: FieldName) -> Self {
        Self {
            rule: format!("{item}{CURRENT}"),
            held: false,
            contradiction: false,
        }
    }

    /// The item that is out of date, if the result says that of one.
    #[must_use]
    pub fn superseded_item(&self) -> Option<FieldName> {
        let name = self.rule.strip_suffix(CURRENT).filter(|_| !self.held)?;
        FieldName::parse(name)
    }
}

/// The items that any side of the document says are out of date.
#[must_use]
pub fn superseded_items<'a>(document: impl IntoIterator<Item = &'a DocumentFindings>) -> Vec<FieldName> {
    let layouts = document.into_iter().filter_map(|side| side.layout.as_ref());
    let results = layouts.flat_map(|layout| &layout.rules);
    results.filter_map(RuleResult::superseded_item).collect()
}

/// Takes the normal forms of the items that any side of the document says are out of date: what holds instead is for a person to read.
pub fn take_superseded(document: &mut [DocumentFindings]) {
    let superseded = superseded_items(document.iter());
    for side in document {
        let items = side.fields.iter_mut().chain(&mut side.printed);
        for item in items.filter(|item| superseded.contains(&item.name)) {
            item.normalized = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        document::{DocumentType, OcrField, Side},
        findings::LayoutReading,
    };

    fn licence(rules: Vec<RuleResult>) -> [DocumentFindings; 2] {
        let item = |name, text: &str| OcrField {
            side: Side::Front,
            name,
            text: Some(text.to_owned()),
            normalized: Some(text.to_owned()),
        };
        let front = DocumentFindings {
            fields: vec![
                item(FieldName::FullName, "日本 花子"),
                item(FieldName::Address, "東京都千代田区霞が関2-1-2"),
            ],
            ..DocumentFindings::none(Side::Front)
        };
        let layout = LayoutReading {
            layout: "jp.driving_license.back".to_owned(),
            issuer: Some("JPN".to_owned()),
            kind: DocumentType::DrivingLicense,
            also: Vec::new(),
            side: Side::Back,
            score: 0.9,
            rules,
            hidden: 0.0,
        };
        let back = DocumentFindings {
            layout: Some(layout),
            ..DocumentFindings::none(Side::Back)
        };
        [front, back]
    }

    #[test]
    fn an_address_that_the_back_replaces_has_no_normal_form_and_the_name_keeps_its_own() {
        let mut document = licence(vec![RuleResult::superseded(FieldName::Address)]);
        take_superseded(&mut document);
        let [name, address] = document[0].fields.as_slice() else {
            panic!("two items");
        };
        assert!(name.normalized.is_some());
        assert!(address.text.is_some() && address.normalized.is_none());
    }

    #[test]
    fn a_rule_that_holds_or_is_of_something_else_takes_nothing() {
        let held = RuleResult {
            held: true,
            ..RuleResult::superseded(FieldName::Address)
        };
        let other = RuleResult {
            rule: "address_sound".to_owned(),
            ..RuleResult::superseded(FieldName::Address)
        };
        let mut document = licence(vec![held, other]);
        take_superseded(&mut document);
        assert!(document[0].fields.iter().all(|item| item.normalized.is_some()));
    }
}
