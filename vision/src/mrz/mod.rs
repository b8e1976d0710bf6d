//! The machine-readable zone (ICAO 9303): found, read under the constraints of its format, checked, and taken apart.

mod check;
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
pub(crate) use parse::Elements;
pub(crate) use places::{page, places};

use domain::country;
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

/// The names of the holder.
const NAMES: [FieldName; 2] = [FieldName::LastName, FieldName::FirstName];
/// What else no check digit covers.
const UNCHECKED: [FieldName; 3] = [FieldName::Gender, FieldName::Nationality, FieldName::IssuingCountry];

/// The items of a zone, with letters in doubt as they are printed. Names that stay in doubt are left out; of an illegible zone all that no
/// check digit covers, names only as far as they stay in doubt where every check digit holds; and everything where most check digits fail,
/// too: any three lines can be forced into the format of a zone.
pub(crate) fn elements(zone: &mut Zone, printed: &[String]) -> Elements {
    names::settle(zone, printed);
    let mut elements = Elements::new(zone.format, &zone.lines);
    let unnamed = || elements.named_with(&names::doubtful(zone, printed));
    elements.doubtful = if zone.is_legible() {
        unnamed()
    } else if zone.passed * 2 < zone.total {
        FieldName::ALL.to_vec()
    } else if zone.passed < zone.total {
        [&UNCHECKED[..], &NAMES].concat()
    } else {
        [&UNCHECKED[..], &unnamed()].concat()
    };
    elements
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::document::Side;
    use time::macros::date;
    use viterbi::tests::lattice_of;

    const LINES: [&str; 2] = [
        "P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<",
        "L898902C36UTO7408122F1204159ZE184226B<<<<<10",
    ];

    fn given(log_probability: f32, passed: usize, free: &str) -> Vec<FieldName> {
        let mut zone = find::tests::zone_of(&LINES.map(|line| (line, lattice_of(line, 0.99))));
        zone.free = vec![free.to_owned(), LINES[1].to_owned()];
        (zone.log_probability, zone.passed) = (log_probability, passed);
        let fields = elements(&mut zone, &[]).fields(Side::Front, "", date!(2026 - 11 - 21));
        fields.into_iter().map(|field| field.name).collect()
    }

    #[test]
    fn a_blurred_zone_whose_check_digits_hold_gives_the_names_that_are_read_freely() {
        let has = |name, given: Vec<FieldName>| given.contains(&name);
        assert!(has(FieldName::LastName, given(-0.64, 5, LINES[0])));
        assert!(!has(FieldName::Gender, given(-0.64, 5, LINES[0])));
        assert!(!has(FieldName::LastName, given(-0.64, 5, "P<UTO<<ANNA<MARIA<")));
        assert!(!has(FieldName::LastName, given(-0.64, 4, LINES[0])));
        assert!(has(FieldName::DocumentNumber, given(-0.64, 4, LINES[0])));
        assert!(given(-0.64, 2, LINES[0]).is_empty());
        assert!(has(FieldName::Gender, given(-0.1, 4, LINES[0])));
    }
}
