//! The same document for another person, and the same face in another session.

use super::*;
use crate::{
    decision::{
        Decision, Evidence, decide,
        tests::{TODAY, face, field, passport, selfie, typed},
    },
    document::Side,
    findings::{CodeStandard, LayoutReading, Signature},
    outcome::Verdict,
    session::{Plan, Step},
};

/// A person who was approved with the passport of the other tests, and is its holder unless a test changes that.
fn holder() -> Person {
    Person {
        fields: passport().fields,
        typed: Some(typed()),
        face: selfie().face,
    }
}

fn judge(earlier: &Earlier, policy: &Policy) -> Decision {
    let plan = Plan {
        steps: vec![Step::Document, Step::Selfie],
    };
    let (typed, selfie, document) = (typed(), selfie(), [passport()]);
    let evidence = Evidence {
        plan: &plan,
        document_type: Some(DocumentType::Passport),
        document: &document,
        selfie: Some(&selfie),
        typed: Some(&typed),
        known: None,
        earlier,
        draw: 1.0,
        today: TODAY,
    };
    decide(&evidence, policy)
}

fn of(holder: Person) -> (Verdict, Vec<Reason>) {
    let earlier = Earlier {
        holders: vec![holder],
        ..Earlier::default()
    };
    let decision = judge(&earlier, &Policy::default());
    (decision.verdict, decision.reasons)
}

#[test]
fn the_holder_may_come_again_with_the_same_document() {
    assert_eq!(of(holder()), (Verdict::Approved, vec![]));
    // Spelt differently, as the document allows.
    let mut spelt = holder();
    spelt.typed.as_mut().unwrap().first_name = Some("Anna Maria".into());
    assert_eq!(of(spelt), (Verdict::Approved, vec![]));
}

#[test]
fn another_name_date_of_birth_or_face_is_another_person() {
    let reused = (Verdict::NeedsReview, vec![Reason::DocumentReused]);
    let mut named = holder();
    named.typed.as_mut().unwrap().last_name = Some("Nyberg".into());
    let mut born = holder();
    born.fields[2] = field(FieldName::BirthDate, "1975-08-12");
    let mut seen = holder();
    seen.face = Some(face(0.4 + 0.7));
    for (what, other) in [("name", named), ("birth", born), ("face", seen)] {
        assert_eq!(of(other), reused, "{what}");
    }
    assert_eq!(of(Person::default()), reused, "nothing to compare: unknown");
}

#[test]
fn a_face_approved_before_goes_to_a_person_where_the_tenant_searches() {
    let with = |faces| {
        let earlier = Earlier {
            faces,
            ..Earlier::default()
        };
        judge(&earlier, &Policy::default()).reasons
    };
    assert_eq!(with(FaceSearch::Made(Some(0.3))), [Reason::DuplicatePerson]);
    assert_eq!(with(FaceSearch::Made(Some(0.5))), []);
    assert_eq!(with(FaceSearch::Made(None)), []);
    assert_eq!(
        with(FaceSearch::NotMade),
        [Reason::CheckUnavailable],
        "wanted but not made"
    );
}

#[test]
fn a_document_is_told_by_kind_state_and_number_however_the_number_is_set() {
    let page = |number: &str, state: &str| {
        let mut page = DocumentFindings::none(Side::Front);
        page.fields = vec![
            field(FieldName::DocumentNumber, number),
            field(FieldName::IssuingCountry, state),
        ];
        page
    };
    let of = |kind, number, state| document_identity(kind, &[page(number, state)]);
    let one = of(DocumentType::Passport, "L898902C3", "UTO");
    assert!(one.is_some());
    assert_eq!(of(DocumentType::Passport, "l898 902-C3", "UTO"), one);
    assert_ne!(of(DocumentType::Passport, "L898902C3", "SWE"), one);
    assert_ne!(of(DocumentType::IdCard, "L898902C3", "UTO"), one);
    assert_eq!(of(DocumentType::Passport, " -", "UTO"), None);
    assert_eq!(document_identity(DocumentType::Passport, &[]), None);
    let card = |state| of(DocumentType::ResidenceCard, "AB12345678CD", state);
    assert_eq!(card("JPN"), card(""), "issued by one state only");
    let licence = |state| of(DocumentType::DrivingLicense, "069973907", state);
    assert_ne!(licence("JPN"), licence(""), "any country has licences");
    assert_ne!(licence("USA"), licence("CAN"), "one number in two countries");
}

#[test]
fn a_licence_that_does_not_name_its_state_is_of_the_state_or_states_of_its_layout() {
    let of = |layout: &str, issuer: Option<&str>, side| {
        let mut page = DocumentFindings::none(side);
        page.fields = vec![field(FieldName::DocumentNumber, "12345678")];
        page.layout = Some(LayoutReading {
            layout: layout.to_owned(),
            issuer: issuer.map(str::to_owned),
            kind: DocumentType::DrivingLicense,
            also: vec![],
            side,
            score: 1.0,
            rules: vec![],
            hidden: 0.0,
        });
        document_identity(DocumentType::DrivingLicense, &[page])
    };
    let japanese = ["driving_license", "JPN", "12345678"].map(str::to_owned);
    let front = Side::Front;
    assert_eq!(
        of("jp.driving_license", Some("JPN"), front).as_ref(),
        Some(&japanese),
        "as it always was"
    );
    assert_eq!(of("jp.driving_license", None, front), Some(japanese), "stored before");
    let irish = of("gb.driving_license.ni", Some("GBR"), front);
    let danish = of("eu.driving_license", None, front);
    assert_eq!(irish.as_ref().map(|[_, issuer, _]| issuer.as_str()), Some("GBR"));
    assert_ne!(irish, danish, "one number in two countries");
    assert_eq!(danish, of("eu.driving_license.back", None, Side::Back));
}

/// A licence of an American state: the number is in print and, if `state` is given, in the barcode.
fn american(number: &str, printed: &str, state: Option<&str>) -> [DocumentFindings; 2] {
    let mut sides = [DocumentFindings::none(Side::Front), DocumentFindings::none(Side::Back)];
    sides[0].fields = vec![field(FieldName::DocumentNumber, printed)];
    let coded = vec![
        field(FieldName::DocumentNumber, number),
        field(FieldName::IssuingCountry, "USA"),
        field(FieldName::IssuingAuthority, state.unwrap_or_default()),
    ];
    sides[1].codes = vec![CodeReading {
        standard: CodeStandard::Aamva,
        kind: Some(DocumentType::DrivingLicense),
        issuer: Some("636015".into()),
        fields: coded.clone(),
        signature: Signature::Absent,
    }];
    sides[1].fields = coded;
    sides
}

#[test]
fn an_enhanced_licence_has_one_number_whether_its_zone_is_read_or_covered() {
    let kind = DocumentType::DrivingLicense;
    let covered = american("WDL1234567", "WDL1234567", Some("Washington"));
    let mut whole = covered.clone();
    // What its zone gives goes before what its barcode gives.
    whole[1].fields[0] = field(FieldName::DocumentNumber, "L898902C3");
    assert!(document_identity(kind, &covered).is_some());
    assert_eq!(document_identity(kind, &whole), document_identity(kind, &covered));
}

#[test]
fn one_number_in_two_states_is_two_licences_and_a_misread_letter_is_none() {
    for kind in [DocumentType::DrivingLicense, DocumentType::IdCard] {
        let of = |sides: &[DocumentFindings]| document_identity(kind, sides);
        let texan = of(&american("12345678", "12345678", Some("Texas")));
        assert!(texan.is_some());
        assert_ne!(
            of(&american("12345678", "12345678", Some("Pennsylvania"))),
            texan,
            "{kind}"
        );
        assert_eq!(of(&american("12345678", "I2345678", Some("Texas"))), texan, "{kind}");
    }
}
