//! The items of a side, each once: of its machine-readable zone, its codes and its print.

use domain::document::{FieldName, OcrField};
use domain::findings::{CodeReading, Signature};
use domain::input_match::{completes, says_century};

/// The items of a machine-readable zone, and whether all its check digits hold.
pub(super) struct Machine {
    pub(super) items: Vec<OcrField>,
    pub(super) is_whole: bool,
}

/// All items once: those of the machine-readable zone first, then those of codes, then what is printed; and the printed ones that
/// repeat any of these. What is machine-readable and has no normal form gives way to what completes it. A code whose signature fails was
/// made by somebody else than its issuer: nothing of it is taken over.
pub(super) fn merged(machine: Machine, codes: &[CodeReading], print: Vec<OcrField>) -> (Vec<OcrField>, Vec<OcrField>) {
    let trusted = codes.iter().filter(|code| code.signature != Signature::Invalid);
    let coded = trusted.flat_map(|code| code.fields.clone()).collect();
    let Machine { mut items, is_whole } = machine;
    added(&mut items, is_whole, coded);
    let repeated = added(&mut items, is_whole, print);
    (items, repeated)
}

/// Adds the items that are not known yet, or known less well; what is left of them.
fn added(items: &mut Vec<OcrField>, is_whole: bool, others: Vec<OcrField>) -> Vec<OcrField> {
    items.retain(|item| !others.iter().any(|other| is_surer(other, item, is_whole)));
    let mut left = Vec::new();
    for other in others {
        if items.iter().any(|item| item.name == other.name) {
            left.push(other);
        } else {
            items.push(other);
        }
    }
    left
}

/// Whether an item takes the place of one that has no normal form. The beginning of a name, and the digits of a date where the check digits
/// hold, are certain: nothing takes their place but what goes on with them, a date with all digits of its year.
fn is_surer(other: &OcrField, machine: &OcrField, is_whole: bool) -> bool {
    let is_name = matches!(
        machine.name,
        FieldName::LastName | FieldName::FirstName | FieldName::FullName
    );
    let is_in_part = is_name || is_whole && machine.name == FieldName::BirthDate;
    other.name == machine.name
        && other.normalized.is_some()
        && machine.normalized.is_none()
        && (!is_in_part || completes(other, machine) && (is_name || says_century(other)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::document::Side;
    use domain::findings::CodeStandard;

    fn item(name: FieldName, text: &str) -> OcrField {
        OcrField {
            side: Side::Back,
            name,
            text: Some(text.to_owned()),
            normalized: None,
        }
    }

    fn sure(name: FieldName, text: &str) -> OcrField {
        OcrField {
            normalized: Some(text.to_owned()),
            ..item(name, text)
        }
    }

    fn zone(items: Vec<OcrField>) -> Machine {
        Machine { items, is_whole: true }
    }

    #[test]
    fn what_completes_an_item_in_part_takes_its_place_and_nothing_else_does() {
        for (name, part, print, is_taken) in [
            (FieldName::BirthDate, "241002", "2024-10-02", true),
            (FieldName::BirthDate, "241002", "1990-03-05", false),
            (
                FieldName::FirstName,
                "CHAYAPA DEJTHAMRONG K",
                "Chayapa Dejthamrong Krasuang",
                true,
            ),
            (FieldName::FirstName, "CHAYAPA DEJTHAMRONG K", "PETER", false),
            (FieldName::LastName, "BENNELONG WOOLOOM", "BENNELONG WOOLOOMOOLOO", true),
            (FieldName::LastName, "BENNELONG WOOLOOM", "GIVEN NAMES", false),
        ] {
            let (kept, beside) = merged(zone(vec![item(name, part)]), &[], vec![sure(name, print)]);
            let expected = if is_taken {
                (vec![sure(name, print)], vec![])
            } else {
                (vec![item(name, part)], vec![sure(name, print)])
            };
            assert_eq!((kept, beside), expected, "{print}");
        }
    }

    #[test]
    fn two_digits_of_a_year_in_print_do_not_tell_a_child_from_somebody_of_a_hundred_years() {
        let child = item(FieldName::BirthDate, "241002");
        let print = OcrField {
            text: Some("02 OCT /OCT 24".to_owned()),
            ..sure(FieldName::BirthDate, "2024-10-02")
        };
        let (kept, beside) = merged(zone(vec![child.clone()]), &[], vec![print.clone()]);
        assert_eq!((kept, beside), (vec![child], vec![print]));
    }

    #[test]
    fn a_date_whose_check_digit_may_have_failed_gives_way_to_the_print() {
        let machine = Machine {
            items: vec![item(FieldName::BirthDate, "740813")],
            is_whole: false,
        };
        let (kept, beside) = merged(machine, &[], vec![sure(FieldName::BirthDate, "1974-08-12")]);
        assert_eq!(kept[0].normalized.as_deref(), Some("1974-08-12"));
        assert!(beside.is_empty());
    }

    #[test]
    fn a_code_completes_a_name_that_the_zone_cut() {
        let codes = [code(
            Signature::Valid,
            vec![sure(FieldName::LastName, "BENNELONG WOOLOOMOOLOO")],
        )];
        let (kept, _) = merged(zone(vec![item(FieldName::LastName, "BENNELONG W")]), &codes, Vec::new());
        assert_eq!(kept[0].normalized.as_deref(), Some("BENNELONG WOOLOOMOOLOO"));
    }

    fn code(signature: Signature, fields: Vec<OcrField>) -> CodeReading {
        CodeReading {
            standard: CodeStandard::Seal,
            kind: None,
            issuer: None,
            fields,
            signature,
        }
    }

    #[test]
    fn machine_readable_items_come_first_and_those_of_a_forged_code_not_at_all() {
        let codes = [
            code(Signature::Invalid, vec![item(FieldName::Address, "forged")]),
            code(
                Signature::Absent,
                vec![item(FieldName::LastName, "code"), item(FieldName::BirthDate, "code")],
            ),
        ];
        let printed = vec![
            item(FieldName::LastName, "print"),
            item(FieldName::BirthDate, "print"),
            item(FieldName::Address, "print"),
        ];
        let (kept, repeated) = merged(zone(vec![item(FieldName::LastName, "zone")]), &codes, printed);
        let texts = |fields: &[OcrField]| -> Vec<(FieldName, String)> {
            fields
                .iter()
                .map(|field| (field.name, field.text.clone().unwrap()))
                .collect()
        };
        assert_eq!(
            texts(&kept),
            [
                (FieldName::LastName, "zone".to_owned()),
                (FieldName::BirthDate, "code".to_owned()),
                (FieldName::Address, "print".to_owned()),
            ]
        );
        assert_eq!(
            texts(&repeated),
            [
                (FieldName::LastName, "print".to_owned()),
                (FieldName::BirthDate, "print".to_owned()),
            ]
        );
    }
}
