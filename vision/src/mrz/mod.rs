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
pub(crate) use names::settle;
pub(crate) use parse::{Elements, iso};
pub(crate) use places::places;

use domain::findings::MrzReading;

/// A zone in the words of the findings.
pub(crate) fn reading(zone: &Zone) -> MrzReading {
    MrzReading {
        format: zone.format,
        lines: zone.lines.clone(),
        log_probability: zone.log_probability,
        checks_passed: u8::try_from(zone.passed).unwrap_or(u8::MAX),
        checks_total: u8::try_from(zone.total).unwrap_or(u8::MAX),
        agrees_with_free_reading: agrees(zone),
    }
}

/// Whether nothing more can be learnt of a zone: every check digit holds.
pub(crate) fn is_complete(zone: Option<&Zone>) -> bool {
    zone.is_some_and(|zone| zone.passed == zone.total)
}

/// Whether the free reading says the same. Fillers are left out, since greedy reading miscounts them in long runs; and letters
/// and digits of one shape count as one, since telling them apart is what the format is for.
fn agrees(zone: &Zone) -> bool {
    let bare = |line: &String| -> String { line.chars().filter(char::is_ascii_alphanumeric).map(shape).collect() };
    zone.lines.iter().map(bare).eq(zone.free.iter().map(bare))
}

/// The digit that looks like this letter in OCR-B.
const fn shape(symbol: char) -> char {
    match symbol {
        'O' | 'D' | 'Q' => '0',
        'I' | 'L' => '1',
        'Z' => '2',
        'S' => '5',
        'G' => '6',
        'B' => '8',
        other => other,
    }
}
