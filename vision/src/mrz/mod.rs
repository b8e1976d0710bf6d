//! The machine-readable zone (ICAO 9303): found, read under the constraints of its format, checked, and taken apart.

mod check;
mod country;
mod fillers;
mod find;
mod format;
mod names;
mod parse;
mod places;
mod states;
mod viterbi;

pub(crate) use country::alpha3;
#[cfg(test)]
pub(crate) use find::tests::zone_of;
pub(crate) use find::{Zone, find, is_candidate, is_flat};
pub(crate) use parse::{Elements, iso};
pub(crate) use places::places;

use domain::document::FieldName;
use domain::findings::MrzReading;

/// A zone in the words of the findings.
pub(crate) fn reading(zone: &Zone, elements: &Elements) -> MrzReading {
    MrzReading {
        format: zone.format,
        lines: zone.lines.clone(),
        log_probability: zone.log_probability,
        checks_passed: u8::try_from(zone.passed).unwrap_or(u8::MAX),
        checks_total: u8::try_from(zone.total).unwrap_or(u8::MAX),
        agrees_with_free_reading: agrees(zone),
        names_in_doubt: !elements.doubtful.is_empty(),
    }
}

/// Whether nothing more can be learnt of a zone: every check digit holds.
pub(crate) fn is_complete(zone: Option<&Zone>) -> bool {
    zone.is_some_and(|zone| zone.passed == zone.total)
}

/// Whether the free reading says the same, as far as it can.
fn agrees(zone: &Zone) -> bool {
    let shapes = |line: &String| names::shapes(line);
    zone.lines.iter().map(shapes).eq(zone.free.iter().map(shapes))
}

/// What no check digit covers.
const UNCHECKED: [FieldName; 5] = [
    FieldName::LastName,
    FieldName::FirstName,
    FieldName::Gender,
    FieldName::Nationality,
    FieldName::IssuingCountry,
];

/// The items of a zone, with letters in doubt as they are printed. Names that stay in doubt are left out; of an illegible zone all that no
/// check digit covers, and everything where most check digits fail, too: any three lines can be forced into the format of a zone.
pub(crate) fn elements(zone: &mut Zone, printed: &[String]) -> Elements {
    names::settle(zone, printed);
    let mut elements = Elements::new(zone.format, &zone.lines);
    elements.doubtful = match (zone.is_legible(), zone.passed * 2 < zone.total) {
        (false, true) => FieldName::ALL.to_vec(),
        (false, false) => UNCHECKED.to_vec(),
        (true, _) => elements.named_with(&names::doubtful(zone, printed)),
    };
    elements
}
