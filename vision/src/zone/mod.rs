//! The visual zone, the part that people read: items found by their labels, dates by their wording, and whether it repeats the machine-readable zone.

mod agreement;
pub(crate) mod dates;
mod fields;
mod labels;
mod layout;
mod words;

pub(crate) use fields::doubt_mexican_sex;
pub(crate) use labels::is_label;
pub(crate) use words::{has_individual_number, shows_individual_number};

use crate::fold;
use crate::mrz::{self, Elements};
use crate::text::Line;
use domain::country::UTOPIA;
use domain::document::{DocumentType, FieldName, OcrField, Side};
use std::collections::BTreeSet;
use time::Date;

/// Lines read less surely than this are noise: guilloche, hair, the edge of a table.
const LEGIBLE: f32 = 0.6;

/// Where a document has the names of its holder.
const NAMES: [FieldName; 3] = [FieldName::LastName, FieldName::FirstName, FieldName::FullName];

/// The words of a line, each as the machine-readable zone may spell it.
pub(crate) fn spelt_words(line: &str) -> impl Iterator<Item = String> {
    let words = line.split(|symbol: char| !symbol.is_alphanumeric());
    words
        .flat_map(|word| {
            let [recommended, other] = fold::transliterated(word);
            let other = Some(other).filter(|other| *other != recommended);
            std::iter::once(recommended).chain(other)
        })
        .filter(|word| !word.is_empty())
}

/// What the visual zone says.
#[derive(Default)]
pub(crate) struct VisualZone {
    pub(crate) fields: Vec<OcrField>,
    pub(crate) lines: u32,
    /// The days that its lines may name.
    pub(crate) days: BTreeSet<Date>,
    pub(crate) agreement: Option<f32>,
    /// Whether the machine-readable zone names the state of specimens.
    pub(crate) is_of_nowhere: bool,
}

/// Reads the lines that are not part of a machine-readable zone; `elements` are those of the zone, where there is one.
pub(crate) fn read(
    lines: &[&Line],
    kind: DocumentType,
    side: Side,
    elements: Option<&Elements>,
    today: Date,
) -> VisualZone {
    let legible: Vec<&Line> = lines.iter().copied().filter(|line| is_legible(line)).collect();
    let days: BTreeSet<Date> = lines.iter().flat_map(|line| dates::possible(&line.text)).collect();
    VisualZone {
        fields: fields::items(&legible, kind, side),
        lines: u32::try_from(legible.len()).unwrap_or(u32::MAX),
        // What is found counts, however unsurely it was read: noise does not spell a name. A card's back holds the zone and
        // almost nothing that repeats it; there the front is to compare with.
        agreement: elements
            .filter(|_| side == Side::Front)
            .and_then(|elements| agreement::share(lines, &days, elements, today)),
        days,
        is_of_nowhere: elements.is_some_and(|elements| elements.issuer == UTOPIA),
    }
}

/// Whether a page says that it is a specimen; `fields` are the items that were read on it. A line of a zone does not, but a line of capitals alone
/// looks like one where it has the word again and again.
pub(crate) fn says_specimen<'a>(lines: impl IntoIterator<Item = &'a Line>, fields: &[OcrField]) -> bool {
    let named = fields.iter().filter(|field| NAMES.contains(&field.name));
    let names: Vec<&str> = named.filter_map(|field| field.text.as_deref()).collect();
    let has_letters_alone = |line: &Line| line.text.chars().all(|c| c.is_alphabetic() || c.is_whitespace());
    let is_print = |line: &Line| !mrz::is_candidate(line) || has_letters_alone(line);
    let mut legible = lines.into_iter().filter(|line| is_legible(line) && is_print(line));
    legible.any(|line| words::is_specimen(&line.text, &names))
}

fn is_legible(line: &Line) -> bool {
    line.confidence >= LEGIBLE && !line.text.is_empty()
}

#[cfg(test)]
mod tests;
