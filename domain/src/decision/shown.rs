//! What the pictures show, compared with what was chosen and requested: another kind of document, the other side, one side
//! twice.

use super::evidence::{MachineReadable, is_known, is_legible, kind_of_zone, of_code, provable};
use crate::{
    document::{DocumentType, FieldName, Side},
    findings::{CodeReading, DocumentFindings, LayoutReading, MrzFormat, MrzReading, Unavailable},
    reasons::Reason,
};

/// Minimum share of corners that two pictures of one side have in common; for front and back it is 0 to a few hundredths
/// (measured on rendered cards: `vision/tests/whole.rs`).
const SAME_PICTURE: f32 = 0.12;

/// What the user should fix in the picture of one side: it shows another kind than `kind`, another side, or what one of
/// `others` shows already.
#[must_use]
pub fn retake_reasons<'a>(
    kind: DocumentType,
    picture: &DocumentFindings,
    others: impl IntoIterator<Item = &'a DocumentFindings>,
) -> Vec<Reason> {
    if shows_another_kind(kind, picture) {
        return vec![Reason::DocumentTypeMismatch];
    }
    let same = |other: &DocumentFindings| other.side != picture.side && is_same(picture, other);
    if picture.individual_number || shows_other_side(kind, picture) || others.into_iter().any(same) {
        return vec![Reason::DocumentWrongSide];
    }
    Vec::new()
}

/// Whether no copy of what a picture shows may be kept: an individual number, or the back of a My Number card, which has one (act on the use of
/// numbers to identify a specific individual in administrative procedures, article 20). Since June 2026 residence cards and special permanent
/// resident certificates may be individual-number cards, too.
#[must_use]
pub fn must_not_be_kept(picture: &DocumentFindings) -> bool {
    let is_back = |layout: &LayoutReading| layout.kind == DocumentType::MyNumberCard && layout.side == Side::Back;
    picture.individual_number || layout(picture).is_some_and(is_back)
}

/// The kind of document that a picture shows, if anything on it says so: its zone first, then its codes, then its layout.
#[must_use]
pub fn kind_shown(picture: &DocumentFindings) -> Option<DocumentType> {
    let zone = legible(picture).and_then(kind_of_zone);
    let code = || picture.codes.iter().find_map(|code| code.kind);
    zone.or_else(code).or_else(|| layout(picture).map(|layout| layout.kind))
}

/// The kind of document that a picture shows instead of `kind`, if anything on it says so.
#[must_use]
pub fn kind_shown_instead(kind: DocumentType, picture: &DocumentFindings) -> Option<DocumentType> {
    shows_another_kind(kind, picture).then(|| kind_shown(picture)).flatten()
}

fn shows_another_kind(kind: DocumentType, picture: &DocumentFindings) -> bool {
    let zone = legible(picture).map(kind_of_zone);
    let mut codes = picture.codes.iter().filter_map(|code| code.kind);
    let by_zone = zone.is_some_and(|shown| shown != Some(kind)) && !is_enhanced(kind, picture);
    if by_zone || codes.any(|shown| shown != kind) {
        return true;
    }
    // Machine-readable data is more reliable than appearance: a layout is used only if nothing else indicates this kind.
    let named = zone.is_some() || picture.codes.iter().any(|code| code.kind.is_some());
    !named && layout(picture).is_some_and(|layout| !layout.is_of(kind))
}

/// Whether a picture shows a card of this kind by its barcode and one for crossing borders by its zone, both of one state, as enhanced licences of
/// North America do (AAMVA DL/ID Card Design Standard, D.12.4, EN; ICAO 9303-5 has the zone begin as that of an identity card).
fn is_enhanced(kind: DocumentType, picture: &DocumentFindings) -> bool {
    let zone = legible(picture).filter(|zone| kind_of_zone(zone) == Some(DocumentType::IdCard));
    let state = zone.and_then(|zone| zone.lines.first()?.get(2..5));
    let is_own = |code: &CodeReading| code.kind == Some(kind) && of_code(code) == MachineReadable::Barcode;
    let issued_by = |code: &CodeReading| {
        let country = code.fields.iter().find(|field| field.name == FieldName::IssuingCountry);
        country.and_then(|field| field.normalized.as_deref()) == state
    };
    state.is_some() && picture.codes.iter().any(|code| is_own(code) && issued_by(code))
}

fn shows_other_side(kind: DocumentType, picture: &DocumentFindings) -> bool {
    if layout(picture).is_some_and(|layout| layout.is_of(kind) && layout.side != picture.side) {
        return true;
    }
    if !kind.sides().contains(&Side::Back) {
        return false;
    }
    // ICAO 9303-5 puts the zone of a TD1 card on its back, and so does the AAMVA standard with the barcode; the portrait is on
    // the front of both.
    let of_a_back = legible(picture).is_some_and(|zone| zone.format == MrzFormat::Td1)
        || picture
            .codes
            .iter()
            .any(|code| of_code(code) == MachineReadable::Barcode && provable(kind).by.contains(&of_code(code)));
    let faceless = picture.portrait.is_none() && !picture.unavailable.contains(&Unavailable::Face);
    picture.side == Side::Front && of_a_back && faceless
}

/// Whether two pictures are the same, or show the same side. No document has a zone on both sides.
fn is_same(one: &DocumentFindings, other: &DocumentFindings) -> bool {
    let alike = match (&one.likeness, &other.likeness) {
        (Some(one), Some(other)) => one.shared_with(other) >= SAME_PICTURE,
        _ => false,
    };
    alike || (legible(one).is_some() && legible(other).is_some())
}

fn legible(picture: &DocumentFindings) -> Option<&MrzReading> {
    picture.mrz.as_ref().filter(|zone| is_legible(zone))
}

fn layout(picture: &DocumentFindings) -> Option<&LayoutReading> {
    picture.layout.as_ref().filter(|layout| is_known(layout))
}

/// Evidence for each reason of this file.
#[cfg(test)]
pub(crate) mod scenarios {
    use super::*;
    use crate::{
        decision::{coverage_tests::Scenario, tests::passport},
        findings::MrzFormat,
    };

    pub(crate) const ALL: &[Scenario] = &[
        (Reason::DocumentWrongSide, |case| {
            let mut again = passport();
            again.side = Side::Back;
            case.kind = DocumentType::IdCard;
            for page in [case.page(), &mut again] {
                let zone = page.mrz.as_mut().unwrap();
                (zone.format, zone.lines[0]) = (MrzFormat::Td1, "I<SWE".into());
            }
            case.document.push(again);
        }),
        (Reason::DocumentTypeMismatch, |case| {
            case.kind = DocumentType::DrivingLicense
        }),
    ];
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decision::tests::{field, passport};
    use crate::findings::{CodeStandard, Signature};

    fn shows(kind: DocumentType, side: Side) -> DocumentFindings {
        let layout = LayoutReading {
            layout: "layout".into(),
            issuer: None,
            kind,
            also: vec![],
            side,
            score: 1.0,
            rules: vec![],
            hidden: 0.0,
        };
        DocumentFindings {
            layout: Some(layout),
            mrz: None,
            ..passport()
        }
    }

    #[test]
    fn the_back_of_a_card_that_is_asked_for_its_front_alone_is_the_wrong_side_and_is_not_kept() {
        let back = shows(DocumentType::MyNumberCard, Side::Back);
        let reasons = retake_reasons(DocumentType::MyNumberCard, &back, []);
        assert_eq!(reasons, [Reason::DocumentWrongSide]);
        assert!(must_not_be_kept(&back));
        for kept in [
            shows(DocumentType::MyNumberCard, Side::Front),
            shows(DocumentType::ResidenceCard, Side::Back),
        ] {
            assert!(!must_not_be_kept(&kept));
        }
    }

    #[test]
    fn an_enhanced_licence_has_the_zone_of_a_card_for_crossing_borders_beside_its_barcode() {
        let back = |state: &str, country: &str, kind| {
            let mut back = DocumentFindings {
                side: Side::Back,
                ..passport()
            };
            let zone = back.mrz.as_mut().unwrap();
            (zone.format, zone.lines[0]) = (MrzFormat::Td1, format!("I<{state}"));
            back.codes.push(CodeReading {
                standard: CodeStandard::Aamva,
                kind: Some(kind),
                issuer: Some("636045".into()),
                fields: vec![field(FieldName::IssuingCountry, country)],
                signature: Signature::Absent,
            });
            back
        };
        let (licence, card) = (DocumentType::DrivingLicense, DocumentType::IdCard);
        for (chosen, back, is_another) in [
            (licence, back("USA", "USA", licence), false),
            (licence, back("SWE", "USA", licence), true),
            (licence, back("USA", "USA", card), true),
            (card, back("USA", "USA", licence), true),
            (card, back("USA", "USA", card), false),
        ] {
            let reasons = retake_reasons(chosen, &back, []);
            assert_eq!(
                reasons.contains(&Reason::DocumentTypeMismatch),
                is_another,
                "{chosen}: {:?}",
                back.codes
            );
        }
        let mut beside_passport = back("USA", "USA", licence);
        let zone = beside_passport.mrz.as_mut().unwrap();
        (zone.format, zone.lines[0]) = (MrzFormat::Td3, "P<USA".into());
        assert_eq!(
            retake_reasons(licence, &beside_passport, []),
            [Reason::DocumentTypeMismatch]
        );
    }

    #[test]
    fn a_back_with_an_individual_number_is_not_kept_whichever_card_it_is_on() {
        for kind in [
            DocumentType::ResidenceCard,
            DocumentType::SpecialPermanentResidentCertificate,
        ] {
            let back = DocumentFindings {
                individual_number: true,
                ..shows(kind, Side::Back)
            };
            assert!(must_not_be_kept(&back), "{kind}");
            assert_eq!(retake_reasons(kind, &back, []), [Reason::DocumentWrongSide], "{kind}");
        }
    }
}
