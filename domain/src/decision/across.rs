//! What the print says, compared with machine-readable data: on the same side, or of cards that carry it on the back.

use super::evidence::{is_legible, is_whole};
use crate::{
    document::{FieldName, OcrField},
    findings::{CodeReading, DocumentFindings, MrzReading, Signature},
    input_match::{
        completes,
        names::{goes_on, has_words_of, same_full_name, same_name},
    },
};

/// Items that are on both sides of such a card.
const ITEMS: [FieldName; 5] = [
    FieldName::LastName,
    FieldName::FirstName,
    FieldName::BirthDate,
    FieldName::ExpiryDate,
    FieldName::DocumentNumber,
];
/// Of these, the names.
const NAMES: [FieldName; 2] = [FieldName::LastName, FieldName::FirstName];
/// A single item may be equal by chance.
const LEAST: usize = 2;

/// Share of the items of `zone`, a side with a machine-readable zone, that the side without it repeats; `None` if fewer than two can be
/// compared.
pub(super) fn zone(zone: &DocumentFindings, sides: &[DocumentFindings]) -> Option<f32> {
    let print = sides
        .iter()
        .find(|side| is_print_only(side) && side.side != zone.side)?;
    share(&zone.fields, &print.fields)
}

/// Share of a code's items that the other side repeats; `None` if fewer than two can be compared. `on` is the picture with the
/// code.
pub(super) fn code(code: &CodeReading, on: &DocumentFindings, sides: &[DocumentFindings]) -> Option<f32> {
    let print = sides.iter().find(|side| is_print_only(side) && side.side != on.side)?;
    share(&code.fields, &print.fields)
}

/// How the document numbers of the two sides of a card compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Numbers {
    /// Equal, or not on both sides.
    Agree,
    /// They differ. It may be a letter that was misread, or the label of another number.
    Differ,
    /// They differ, and it is no misreading: both are machine-readable, or a date differs as well.
    OfAnotherCard,
}

/// Whether a side gives the number or the family name that another one has.
pub(super) fn names_the_same(one: &DocumentFindings, other: &DocumentFindings) -> bool {
    let bare_number = |side: &DocumentFindings| {
        let field = find(&side.fields, FieldName::DocumentNumber)?;
        let number = field.normalized.as_deref().map(number);
        number.filter(|number| !number.is_empty())
    };
    let same_number = bare_number(one).is_some_and(|own| bare_number(other) == Some(own));
    let (own, others) = (
        find(&one.fields, FieldName::LastName),
        find(&other.fields, FieldName::LastName),
    );
    let family_names = own.zip(others);
    same_number || family_names.is_some_and(|(own, others)| repeats(own, others) == Some(true))
}

/// Compares the document numbers of the two sides of a card.
pub(super) fn numbers(sides: &[DocumentFindings]) -> Numbers {
    let mut pairs = sides
        .iter()
        .enumerate()
        .flat_map(|(at, one)| sides[at + 1..].iter().map(move |other| (one, other)));
    let Some((one, other)) = pairs.find(|(one, other)| numbers_differ(one, other)) else {
        return Numbers::Agree;
    };
    let dates_differ = [FieldName::BirthDate, FieldName::ExpiryDate].into_iter().any(|date| {
        let bare = |side: &DocumentFindings| find(&side.fields, date).and_then(bare);
        matches!((bare(one), bare(other)), (Some(one), Some(other)) if without_century(&one) != without_century(&other))
    });
    if dates_differ || !is_print_only(one) && !is_print_only(other) {
        Numbers::OfAnotherCard
    } else {
        Numbers::Differ
    }
}

fn numbers_differ(one: &DocumentFindings, other: &DocumentFindings) -> bool {
    let of = |side: &DocumentFindings| {
        let field = side
            .fields
            .iter()
            .find(|field| field.name == FieldName::DocumentNumber)?;
        field.normalized.as_deref().map(number)
    };
    let (Some(own), Some(others)) = (of(one), of(other)) else {
        return false;
    };
    // A card has several numbers, and its label may stand at another one.
    let occurs = |number: &str, side: &DocumentFindings| everything(side).any(|text| text.contains(number));
    own != others && !occurs(&own, other) && !occurs(&others, one)
}

/// Items that the print gives otherwise than the machine-readable data: one of them was altered.
///
/// Only numbers and dates, which are written in one way. Names are cut, transliterated and carry titles, so that no single one
/// contradicts another; where none is the same, `names_somebody_else` does.
#[must_use]
pub fn contradictions(sides: &[DocumentFindings]) -> Vec<&OcrField> {
    let mut prints: Vec<&OcrField> = Vec::new();
    for side in sides.iter().filter(|side| !is_print_only(side)) {
        let elsewhere = sides
            .iter()
            .filter(|other| is_print_only(other) && other.side != side.side)
            .flat_map(|other| &other.fields);
        for print in side.printed.iter().chain(elsewhere) {
            if contradicts(print, side) && prints.iter().all(|other| other.name != print.name) {
                prints.push(print);
            }
        }
    }
    prints
}

/// Whether the print names somebody else than the machine-readable data, on the same side or on the other one: no name that it gives is one
/// of those, whichever stands first. A single name may be a title, cut or changed by marriage.
#[must_use]
pub(super) fn names_somebody_else(sides: &[DocumentFindings]) -> bool {
    let (prints, machines): (Vec<_>, Vec<_>) = sides.iter().partition(|side| is_print_only(side));
    let mut pairs = machines
        .iter()
        .flat_map(|machine| prints.iter().map(move |print| (*machine, *print)));
    let elsewhere = pairs.any(|(machine, print)| {
        machine.side != print.side && (differ(machine, &print.fields) || begins_otherwise(machine, print))
    });
    elsewhere || machines.iter().any(|machine| differ(machine, &machine.printed))
}

/// Whether both names of a side can be compared with those in print, and none is the same.
fn differ(machine: &DocumentFindings, print: &[OcrField]) -> bool {
    let names = |fields: &'_ [OcrField]| NAMES.map(|name| find(fields, name).cloned());
    let [Some(last), Some(first)] = names(&machine.fields) else {
        return false;
    };
    let [Some(printed_last), Some(printed_first)] = names(print) else {
        let whole = find(print, FieldName::FullName).and_then(|name| name.normalized.as_deref());
        let of_zone = last.normalized.as_deref().zip(first.normalized.as_deref());
        let compared = whole.zip(of_zone);
        return compared.is_some_and(|(whole, (last, first))| same_full_name(whole, last, first) == Some(false));
    };
    let other = |print: &OcrField, machine: &OcrField| match (&print.normalized, &machine.normalized) {
        (Some(print), Some(machine)) => same_name(print, machine) == Some(false),
        (Some(_), None) => !completes(print, machine),
        (None, _) => false,
    };
    let all = [&printed_last, &printed_first];
    all.iter()
        .all(|print| [&last, &first].iter().all(|machine| other(print, machine)))
}

/// Whether the surname does not begin with the letters of it that the line of a licence has.
fn begins_otherwise(machine: &DocumentFindings, print: &DocumentFindings) -> bool {
    let whole = machine.mrz.as_ref().filter(|zone| is_whole(zone));
    let letters = whole.and_then(MrzReading::surname_in_license);
    letters.is_some_and(|letters| has_surname(letters, print) == Some(false))
}

/// Whether the print has the surname whose letters a licence's line has; true for a zone that has names of its own. Without it, the name on
/// such a licence is compared with nothing.
pub(super) fn prints_surname(zone: &MrzReading, sides: &[DocumentFindings]) -> bool {
    zone.surname_in_license()
        .is_none_or(|letters| sides.iter().any(|side| has_surname(letters, side) == Some(true)))
}

/// Whether a side gives the surname that has these letters, `MARTIN<<` or the first eight of a longer one; `None` where it gives none.
fn has_surname(letters: &str, side: &DocumentFindings) -> Option<bool> {
    let surname = find(&side.fields, FieldName::LastName)?.normalized.as_deref()?;
    let whole = letters.trim_end_matches('<');
    if whole.is_empty() {
        return None;
    }
    if whole.len() < letters.len() {
        return same_name(surname, whole);
    }
    Some(goes_on(whole, surname))
}

/// Whether a printed item differs from what the codes or the zone of a side say.
fn contradicts(print: &OcrField, machine: &DocumentFindings) -> bool {
    let Some(printed) = print.normalized.as_deref() else {
        return false;
    };
    let Some(item) = find(&machine.fields, print.name) else {
        return false;
    };
    let Some(said) = item.normalized.as_deref() else {
        // The digits of a small child's date are certain, though not its century.
        let is_certain = machine.mrz.as_ref().is_some_and(is_whole);
        return print.name == FieldName::BirthDate && is_certain && !completes(print, item);
    };
    match print.name {
        FieldName::BirthDate if machine.mrz.is_some() => without_century(printed) != without_century(said),
        FieldName::BirthDate | FieldName::IssueDate | FieldName::ExpiryDate => printed != said,
        // A document has several numbers, and its label may stand at another than the one of the zone's number field.
        FieldName::DocumentNumber => !everything(machine)
            .chain([number(said)])
            .any(|text| text.contains(&number(printed))),
        FieldName::LastName
        | FieldName::FirstName
        | FieldName::FullName
        | FieldName::LastNameKana
        | FieldName::FirstNameKana
        | FieldName::Gender
        | FieldName::Address
        | FieldName::Nationality
        | FieldName::IssuingAuthority
        | FieldName::IssuingCountry
        | FieldName::ResidenceStatus
        | FieldName::Mrz => false,
    }
}

/// A date without the century, which a zone does not have.
fn without_century(date: &str) -> &str {
    date.get(2..).unwrap_or(date)
}

/// Everything machine-readable in which a printed number may occur.
fn everything(machine: &DocumentFindings) -> impl Iterator<Item = String> {
    let zone = machine.mrz.iter().flat_map(|zone| &zone.lines).map(|line| number(line));
    let codes = machine
        .codes
        .iter()
        .filter(|code| code.signature != Signature::Invalid)
        .flat_map(|code| &code.fields)
        .filter_map(|field| field.normalized.as_deref().map(number));
    zone.chain(codes)
}

/// Letters and digits of a number. Letters that look like digits count as those: the print is read without a check digit that would
/// tell them apart.
fn number(text: &str) -> String {
    let letters = text.to_uppercase();
    let alike = letters.chars().map(|c| match c {
        'O' | 'Q' | 'D' => '0',
        'I' | 'L' => '1',
        'Z' => '2',
        'S' => '5',
        'B' => '8',
        'G' => '6',
        other => other,
    });
    alike.filter(|c| c.is_alphanumeric()).collect()
}

/// Whether the items of a side count as read from its print: a copy of the same code would repeat itself. Lines of a zone that are not
/// legible are no machine-readable data.
pub(super) fn is_print_only(side: &DocumentFindings) -> bool {
    !side.mrz.as_ref().is_some_and(is_legible) && side.codes.is_empty()
}

fn share(machine: &[OcrField], print: &[OcrField]) -> Option<f32> {
    let equal: Vec<bool> = ITEMS
        .iter()
        .filter_map(|name| repeats(find(machine, *name)?, find(print, *name)?))
        .collect();
    (equal.len() >= LEAST).then(|| equal.iter().filter(|same| **same).count() as f32 / equal.len() as f32)
}

/// Whether an item of the print repeats one of a zone or a code; `None` where that cannot be told.
fn repeats(machine: &OcrField, print: &OcrField) -> Option<bool> {
    if machine.normalized.is_none() && NAMES.contains(&machine.name) {
        // It was cut.
        let differs = || bare(print).map(|_| false);
        return completes(print, machine).then_some(true).or_else(differs);
    }
    Some(bare(machine)? == bare(print)?)
}

/// Whether the names of a zone, in which a letter may be wrong, are printed as they were read.
pub(super) fn prints_names(zone: &MrzReading, sides: &[DocumentFindings]) -> bool {
    let printed = sides.iter().flat_map(|side| side.fields.iter().chain(&side.printed));
    let named = printed.filter(|field| field.name == FieldName::FullName || NAMES.contains(&field.name));
    let names: Vec<&str> = named.filter_map(|field| field.normalized.as_deref()).collect();
    has_words_of(&zone.names().join("<"), names)
}

fn find(fields: &[OcrField], name: FieldName) -> Option<&OcrField> {
    fields.iter().find(|field| field.name == name)
}

/// Letters and digits of an item's normalised form. National letters have several spellings in the zone: such a name is not
/// compared.
fn bare(field: &OcrField) -> Option<String> {
    let letters: String = field
        .normalized
        .as_deref()?
        .to_uppercase()
        .chars()
        .filter(|c| c.is_alphanumeric())
        .collect();
    (!letters.is_empty() && letters.is_ascii()).then_some(letters)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Side;
    use crate::findings::{MrzFormat, MrzReading};

    fn side(side: Side, zone: bool, items: &[(FieldName, &str)]) -> DocumentFindings {
        let item = |(name, value): &(FieldName, &str)| OcrField {
            side,
            name: *name,
            text: Some((*value).to_owned()),
            normalized: Some((*value).to_owned()),
        };
        DocumentFindings {
            mrz: zone.then(|| MrzReading {
                format: MrzFormat::Td1,
                lines: vec![],
                log_probability: 0.0,
                checks_passed: 4,
                checks_total: 4,
                agrees_with_free_reading: true,
                names_in_doubt: false,
            }),
            fields: items.iter().map(item).collect(),
            text_lines: 3,
            ..DocumentFindings::none(side)
        }
    }

    fn contradicted(sides: &[DocumentFindings]) -> Vec<FieldName> {
        contradictions(sides).iter().map(|print| print.name).collect()
    }

    fn printed(name: FieldName, value: &str) -> DocumentFindings {
        let items = [
            (FieldName::DocumentNumber, "L898902C3"),
            (FieldName::BirthDate, "1974-08-12"),
            (FieldName::ExpiryDate, "2032-04-15"),
        ];
        let mut page = side(Side::Front, true, &items);
        page.printed = side(Side::Front, false, &[(name, value)]).fields;
        if let Some(zone) = &mut page.mrz {
            zone.lines = vec!["L898902C36UTO7408122F3204153ZE184226B<<<<<10".to_owned()];
        }
        page
    }

    #[test]
    fn a_number_or_date_that_the_print_gives_otherwise_is_contradicted() {
        for (name, value) in [
            (FieldName::DocumentNumber, "L898902C4"),
            (FieldName::BirthDate, "1974-08-13"),
            (FieldName::ExpiryDate, "2033-04-15"),
        ] {
            assert_eq!(contradicted(&[printed(name, value)]), [name], "{value}");
        }
        let card = |number| side(Side::Front, false, &[(FieldName::DocumentNumber, number)]);
        let back = side(Side::Back, true, &[(FieldName::DocumentNumber, "AB1234567")]);
        assert_eq!(
            contradicted(&[card("AB1234568"), back.clone()]),
            [FieldName::DocumentNumber]
        );
        assert!(contradicted(&[card("AB 123 4567"), back]).is_empty());
    }

    #[test]
    fn what_is_spelt_otherwise_or_stands_elsewhere_in_the_zone_is_not_contradicted() {
        for (name, value) in [
            (FieldName::DocumentNumber, "L898902C3"),
            // Read without a check digit.
            (FieldName::DocumentNumber, "L8989O2C3"),
            // The personal number, further right in the zone.
            (FieldName::DocumentNumber, "ZE184226B"),
            (FieldName::BirthDate, "1974-08-12"),
            // The zone has no century.
            (FieldName::BirthDate, "1874-08-12"),
            // The zone says nothing of it.
            (FieldName::IssueDate, "2022-04-15"),
            (FieldName::LastName, "Ó Conchobhair"),
        ] {
            assert!(contradicted(&[printed(name, value)]).is_empty(), "{value}");
        }
        let mut doubtful = printed(FieldName::BirthDate, "1974-08-13");
        doubtful.printed[0].normalized = None;
        assert!(contradicted(&[doubtful]).is_empty());
    }

    /// A zone with a small child's date of birth, or that of somebody a hundred years older.
    fn open_birth(print: &str) -> DocumentFindings {
        let mut page = printed(FieldName::BirthDate, print);
        let birth = page.fields.iter_mut().find(|field| field.name == FieldName::BirthDate);
        birth
            .into_iter()
            .for_each(|field| (field.text, field.normalized) = (Some("241002".into()), None));
        page
    }

    #[test]
    fn a_date_whose_century_the_zone_leaves_open_is_contradicted_by_another_day() {
        assert_eq!(contradicted(&[open_birth("1990-03-05")]), [FieldName::BirthDate]);
        for print in ["2024-10-02", "1924-10-02"] {
            assert!(contradicted(&[open_birth(print)]).is_empty(), "{print}");
        }
        let mut misread = open_birth("1990-03-05");
        misread.mrz.as_mut().unwrap().checks_passed = 3;
        assert!(
            contradicted(&[misread]).is_empty(),
            "its check digit may be the one that fails"
        );
    }

    #[test]
    fn a_cut_name_agrees_with_one_that_goes_on_and_with_no_other() {
        let mut back = side(
            Side::Back,
            true,
            &[
                (FieldName::LastName, "NILAVADHANANANDA"),
                (FieldName::FirstName, "CHAYAPA D"),
            ],
        );
        back.fields[1].normalized = None;
        for (given, share) in [
            ("Chayapa Dejthamrong", Some(1.0)),
            ("PETER", Some(0.5)),
            ("Dérek", None),
        ] {
            let items = [(FieldName::LastName, "NILAVADHANANANDA"), (FieldName::FirstName, given)];
            assert_eq!(
                zone(&back, &[side(Side::Front, false, &items), back.clone()]),
                share,
                "{given}"
            );
        }
    }

    #[test]
    fn a_front_that_names_somebody_else_does_not_agree_with_its_back() {
        let back = side(
            Side::Back,
            true,
            &[
                (FieldName::LastName, "O CONNOR"),
                (FieldName::BirthDate, "1974-08-12"),
                (FieldName::FirstName, "ANNA"),
            ],
        );
        let same = side(
            Side::Front,
            false,
            &[(FieldName::LastName, "O'Connor"), (FieldName::BirthDate, "1974-08-12")],
        );
        let other = side(
            Side::Front,
            false,
            &[(FieldName::LastName, "SMITH"), (FieldName::BirthDate, "1990-01-01")],
        );
        let foreign = side(Side::Front, false, &[(FieldName::LastName, "Ó Conchobhair")]);
        assert_eq!(zone(&back, &[same, back.clone()]), Some(1.0));
        assert_eq!(zone(&back, &[other, back.clone()]), Some(0.0));
        assert_eq!(zone(&back, &[foreign, back.clone()]), None);
        assert_eq!(zone(&back, std::slice::from_ref(&back)), None);
    }
}
