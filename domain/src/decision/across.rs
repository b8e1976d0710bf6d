//! Cards with machine-readable data on the back: what the front prints must agree with it.

use crate::{
    document::{FieldName, OcrField},
    findings::{CodeReading, DocumentFindings},
};

/// Items that are on both sides of such a card.
const ITEMS: [FieldName; 5] = [
    FieldName::LastName,
    FieldName::FirstName,
    FieldName::BirthDate,
    FieldName::ExpiryDate,
    FieldName::DocumentNumber,
];
/// A single item may be equal by chance.
const LEAST: usize = 2;

/// Share of the zone's items that the side without it repeats; `None` if fewer than two can be compared.
pub(super) fn zone(sides: &[DocumentFindings]) -> Option<f32> {
    let zone = sides.iter().find(|side| side.mrz.is_some())?;
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

/// Whether the items of a side can only have been read from its print: a copy of the same code would repeat itself.
fn is_print_only(side: &DocumentFindings) -> bool {
    side.mrz.is_none() && side.codes.is_empty()
}

fn share(machine: &[OcrField], print: &[OcrField]) -> Option<f32> {
    let equal: Vec<bool> = ITEMS
        .iter()
        .filter_map(|name| Some(bare(machine, *name)? == bare(print, *name)?))
        .collect();
    (equal.len() >= LEAST).then(|| equal.iter().filter(|same| **same).count() as f32 / equal.len() as f32)
}

/// Letters and digits of an item's normalised form. National letters have several spellings in the zone: such a name is not
/// compared.
fn bare(fields: &[OcrField], name: FieldName) -> Option<String> {
    let field = fields.iter().find(|field| field.name == name)?;
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
            }),
            fields: items.iter().map(item).collect(),
            text_lines: 3,
            ..DocumentFindings::none(side)
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
        assert_eq!(zone(&[same, back.clone()]), Some(1.0));
        assert_eq!(zone(&[other, back.clone()]), Some(0.0));
        assert_eq!(zone(&[foreign, back.clone()]), None);
        assert_eq!(zone(&[back]), None);
    }
}
