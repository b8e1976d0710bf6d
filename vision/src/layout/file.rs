//! Layout files: what a document of one issuer looks like, described in TOML. To add a country, add a file.

use super::grammar::Grammar;
use super::rules::Rule;
use crate::fold;
use domain::document::{DocumentType, FieldName, Side};
use serde::Deserialize;
use std::collections::BTreeMap;

/// The files, each under the name it has in findings.
macro_rules! files {
    ($($name:literal),+ $(,)?) => {
        const FILES: &[(&str, &str)] = &[$(($name, include_str!(concat!("../../layouts/", $name, ".toml")))),+];
    };
}

files![
    "br.driving_license",
    "br.id_card",
    "eu.driving_license",
    "eu.driving_license.back",
    "gb.driving_license",
    "gb.driving_license.ni",
    "icao.id_card",
    "icao.id_card.back",
    "icao.passport",
    "id.id_card",
    "jp.driving_history_certificate",
    "jp.driving_license",
    "jp.driving_license.back",
    "jp.my_number_card",
    "jp.my_number_card.back",
    "jp.residence_card",
    "jp.residence_card.back",
    "jp.special_permanent_resident_certificate",
    "jp.special_permanent_resident_certificate.back",
    "mx.id_card",
    "th.id_card",
    "us.driving_license",
    "us.id_card",
    "za.id_card",
];

/// A file that cannot be used; only a change of the files can cause it, and a test opens them all.
#[derive(Debug, thiserror::Error)]
#[error("layout {name}: {fault}")]
pub(crate) struct LayoutFault {
    name: String,
    fault: String,
}

impl From<LayoutFault> for crate::model::ModelError {
    fn from(fault: LayoutFault) -> Self {
        Self::Unusable(fault.name, fault.fault)
    }
}

/// A layout as its file describes it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Layout {
    /// The name of its file.
    #[serde(skip)]
    pub(crate) name: String,
    /// ISO 3166-1 alpha-3 of the state that issues it; absent where several do.
    #[serde(default)]
    pub(crate) issuer: Option<String>,
    pub(crate) kind: DocumentType,
    /// Other kinds whose side looks the same.
    #[serde(default)]
    pub(crate) also: Vec<DocumentType>,
    pub(crate) side: Side,
    /// Width and height in millimetres.
    pub(crate) size: [f32; 2],
    /// Points that make the recognition sure; more are not needed.
    pub(crate) enough: f32,
    /// Whether documents of this layout carry a machine-readable zone on this side.
    #[serde(default)]
    pub(crate) zone: bool,
    /// Whether some of them carry a barcode or a seal on this side.
    #[serde(default)]
    pub(crate) code: bool,
    /// Whether every document of the layout carries every item, labelled in these words: one that is not seen is covered.
    #[serde(default)]
    pub(crate) complete: bool,
    /// Whether every document has the family name in the line above the given names, so that they are found without their labels.
    #[serde(default)]
    pub(crate) family_name_first: bool,
    /// Labels of which one must be seen before a date in numbers has the month first: the words of the others stand on documents that have the
    /// day first, too.
    #[serde(default)]
    pub(crate) month_first_with: Vec<String>,
    /// Labels, titles and other fixed words, by a name of their own.
    #[serde(default)]
    pub(crate) label: BTreeMap<String, Label>,
    /// Values whose very form tells the layout, such as a number of a residence card.
    #[serde(default)]
    pub(crate) sign: Vec<Sign>,
    #[serde(default)]
    pub(crate) field: Vec<Field>,
    /// Where something may have been entered after the issue, such as a new address. What is entered is no item: it only says which
    /// items are out of date.
    #[serde(default)]
    pub(crate) entry: Vec<Field>,
    #[serde(default)]
    pub(crate) rule: Vec<Rule>,
    /// Names of the rules without which a document is not checked: where an item of one was not read, it does not hold.
    #[serde(default)]
    pub(crate) required: Vec<String>,
}

/// Words that are printed on every document of the layout.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Label {
    /// In each language, and each wording that is seen.
    pub(crate) text: Vec<String>,
    /// Left edge and middle of its height in millimetres from the upper left corner; absent where issuers differ.
    #[serde(default)]
    pub(crate) at: Option<[f32; 2]>,
    /// Points towards the recognition; negative for words of another document.
    #[serde(default = "one")]
    pub(crate) points: f32,
    /// Whether the words must be a line of their own.
    #[serde(default)]
    pub(crate) alone: bool,
    /// Whether no letter of the words may have been misread: another label differs from them in one. They go before it.
    #[serde(default)]
    pub(crate) exact: bool,
    /// Whether the words stand on the document as a value too, such as the office that issues it: they tell the layout, but they are
    /// no label beside which a value ends.
    #[serde(default)]
    pub(crate) value: bool,
    /// Whole values that may follow the words without a space that was seen: `SEXF` is the label SEX and the value F.
    #[serde(default)]
    pub(crate) glued: Vec<String>,
    /// The items that are out of date where these words are entered, such as `新住所`.
    #[serde(default)]
    pub(crate) supersedes: Vec<FieldName>,
    /// The texts, folded.
    #[serde(skip)]
    pub(crate) folded: Vec<Vec<char>>,
}

impl Label {
    /// The numbers among its texts that stand before an item, such as `4a.`, without their stop.
    pub(crate) fn numbers(&self) -> impl Iterator<Item = &[char]> {
        self.folded.iter().filter_map(|text| number(text))
    }
}

/// The number that a text is, without its stop.
pub(crate) fn number(text: &[char]) -> Option<&[char]> {
    let (stop, number) = text.split_last()?;
    (*stop == '.' && number.len() <= 2).then_some(number)
}

/// A value that tells the layout by its form.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Sign {
    pub(crate) grammar: Grammar,
    pub(crate) points: f32,
}

/// An item to read.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Field {
    /// Its name in findings, or a name of its own where only rules need it.
    pub(crate) name: String,
    /// The labels it belongs to.
    #[serde(default)]
    pub(crate) of: Vec<String>,
    /// Where it is looked for, the first place first.
    #[serde(rename = "where")]
    pub(crate) places: Vec<Place>,
    pub(crate) grammar: Grammar,
    /// Labels of which one must be on the page, where issuers that share the layout have values of a form of their own.
    #[serde(default)]
    pub(crate) only_with: Vec<String>,
    /// Labels of which none may be on the page.
    #[serde(default)]
    pub(crate) not_with: Vec<String>,
    /// Whether documents of the layout may lack it.
    #[serde(default)]
    pub(crate) optional: bool,
    /// Number of lines below the first that it may continue for.
    #[serde(default)]
    pub(crate) more_lines: usize,
    /// Labels of what the value continues with if they are on the page, such as a second family name with a label of its own: without its own value,
    /// the item is left out.
    #[serde(default)]
    pub(crate) and: Vec<String>,
    /// Of an entry, the items that are out of date where it is made.
    #[serde(default)]
    pub(crate) supersedes: Vec<FieldName>,
    /// Of an entry, labels of what may be entered beside what was printed: with one of them and without other kanji nothing is out of date.
    #[serde(default)]
    pub(crate) besides: Vec<String>,
}

/// Where a value stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Place {
    /// In the label's row, to its right, up to the next label.
    Right,
    /// Below the label.
    Below,
    /// In the label's row, on either side.
    Row,
    /// Anywhere: its form tells it.
    Page,
    /// Anywhere, over as many lines as it may have.
    Lines,
    /// Anywhere in the row below the labels, which are the heads of one table.
    Table,
}

const fn one() -> f32 {
    1.0
}

impl Layout {
    pub(crate) fn parse(name: &str, text: &str) -> Result<Self, LayoutFault> {
        let fault = |fault: String| LayoutFault {
            name: name.to_owned(),
            fault,
        };
        let mut layout: Self = toml::from_str(text).map_err(|error| fault(error.to_string()))?;
        name.clone_into(&mut layout.name);
        for label in layout.label.values_mut() {
            label.folded = label.text.iter().map(|text| spelt(text)).collect();
        }
        let fields = layout
            .field
            .iter()
            .chain(&layout.entry)
            .flat_map(|field| field.of.iter().chain(&field.and));
        let besides = layout.entry.iter().flat_map(|entry| &entry.besides);
        let issuers = layout
            .field
            .iter()
            .chain(&layout.entry)
            .flat_map(|field| field.only_with.iter().chain(&field.not_with));
        let unknown = fields.chain(besides).chain(issuers).chain(&layout.month_first_with);
        if let Some(label) = unknown.into_iter().find(|of| !layout.label.contains_key(*of)) {
            return Err(fault(format!("no label has this name: {label}")));
        }
        let [width, height] = layout.size;
        let outside = |at: &[f32; 2]| !(0.0..width).contains(&at[0]) || !(0.0..height).contains(&at[1]);
        if let Some((label, _)) = layout
            .label
            .iter()
            .find(|(_, label)| label.at.as_ref().is_some_and(outside))
        {
            return Err(fault(format!("a label lies outside the card: {label}")));
        }
        layout.expect_dates();
        let has = |name: &str| layout.field.iter().any(|field| field.name == name);
        if let Some(rule) = layout
            .rule
            .iter()
            .find(|rule| !rule.fields().iter().all(|name| has(name)))
        {
            return Err(fault(format!("a rule names no field: {}", rule.name())));
        }
        let is_rule = |name: &String| layout.rule.iter().any(|rule| rule.name() == *name);
        if let Some(name) = layout.required.iter().find(|name| !is_rule(name)) {
            return Err(fault(format!("no rule has the name of a required one: {name}")));
        }
        Ok(layout)
    }

    /// Adds what holds for every date of every document: it is a day of the calendar.
    fn expect_dates(&mut self) {
        for field in &self.field {
            let sound = Rule::Sound {
                field: field.name.clone(),
            };
            if matches!(field.grammar, Grammar::Date { .. }) && !self.rule.contains(&sound) {
                self.rule.push(sound);
            }
        }
    }

    /// Whether genuine documents of the layout always keep a rule, so that one that was read with certainty and does not was
    /// altered. Check digits of numbers are known by report only, and labels move from one edition to the next.
    pub(crate) fn is_certain(&self, rule: &Rule) -> bool {
        let is_date = |name: &String| {
            let field = self.field.iter().find(|field| field.name == *name);
            field.is_some_and(|field| matches!(field.grammar, Grammar::Date { .. }))
        };
        match rule {
            Rule::Sound { field } => is_date(field),
            Rule::Order { .. } | Rule::Age { .. } | Rule::MadeOf { .. } => true,
            Rule::NumberYear { .. } | Rule::Birthday { .. } | Rule::Within { .. } => false,
        }
    }

    /// All layouts that come with the program.
    pub(crate) fn built_in() -> Result<Vec<Self>, LayoutFault> {
        FILES.iter().map(|(name, text)| Self::parse(name, text)).collect()
    }
}

/// Folded and without spaces, as labels are compared.
fn spelt(text: &str) -> Vec<char> {
    fold::folded(text).chars().filter(|c| !c.is_whitespace()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_can_be_used_and_every_file_of_the_folder_is_listed() {
        let layouts = Layout::built_in().unwrap();
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("layouts");
        assert_eq!(std::fs::read_dir(folder).unwrap().count(), layouts.len());
        for layout in &layouts {
            assert!(
                layout.kind.sides().contains(&layout.side) || layout.field.is_empty(),
                "{}",
                layout.name
            );
        }
    }

    #[test]
    fn a_file_that_contradicts_itself_is_refused() {
        let head = "kind = \"passport\"\nside = \"front\"\nsize = [125.0, 88.0]\nenough = 3.0\n";
        let parse = |rest: &str| Layout::parse("x", &format!("{head}{rest}"));
        assert!(parse("").is_ok());
        for rest in [
            "colour = 1",
            "[label]\nx = { text = [\"X\"], at = [126.0, 1.0] }",
            "[[field]]\nname = \"lastName\"\nof = [\"surname\"]\nwhere = [\"right\"]\ngrammar = { is = \"latin_name\" }",
            "[[rule]]\nis = \"order\"\nearlier = \"issueDate\"\nlater = \"expiryDate\"",
            "required = [\"documentNumber_sound\"]",
            "month_first_with = [\"state\"]",
            "[[field]]\nname = \"lastName\"\nwhere = [\"page\"]\nand = [\"second\"]\ngrammar = { is = \"latin_name\" }",
            "[[field]]\nname = \"documentNumber\"\nwhere = [\"page\"]\nonly_with = [\"german\"]\ngrammar = { is = \"german_card_number\" }",
        ] {
            assert!(parse(rest).is_err(), "{rest}");
        }
    }
}
