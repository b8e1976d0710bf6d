//! Decisions by example, and the invariant that nothing doubtful is ever approved.

use super::*;
use crate::{
    document::{FieldName, OcrField, Side},
    findings::{
        Challenge, CodeReading, CodeStandard, Commitment, Face, FaceCrop, FaceEngine, LayoutReading, LiveFindings,
        LivenessFindings, Movement, MrzFormat, MrzReading, PassiveFindings, Pose, PrintedDays, Quality, RuleResult,
        SelfieSigns, Signature, Unavailable,
    },
    reasons::Reason,
    request::PreRegistered,
};
use proptest::{prelude::*, strategy::ValueTree, test_runner::TestRunner};

pub(super) const TODAY: Date = time::macros::date!(2026 - 08 - 02);

/// Nobody was approved before.
pub(super) static NOBODY: Earlier = Earlier {
    holders: Vec::new(),
    faces: FaceSearch::NotWanted,
    noted: Vec::new(),
};

pub(super) fn field(name: FieldName, value: &str) -> OcrField {
    OcrField {
        side: Side::Front,
        name,
        text: Some(value.into()),
        normalized: Some(value.into()),
    }
}

pub(super) fn face(offset: f32) -> Face {
    Face {
        bounds: [0.0; 4],
        eye_distance: 80.0,
        eyes: [[0.0; 2]; 2],
        score: 0.9,
        descriptor: vec![offset, 0.0],
        engine: FaceEngine::default(),
    }
}

pub(super) const GOOD: Quality = Quality {
    sharpness: 0.9,
    glare: 0.0,
    exposure: 0.5,
    face_range: None,
    coverage: Some(0.6),
    cut_off: Some(false),
    obstructed: None,
};

pub(super) fn passport() -> DocumentFindings {
    DocumentFindings {
        quality: GOOD,
        mrz: Some(MrzReading {
            format: MrzFormat::Td3,
            lines: vec![format!("P<SWE{}", "<".repeat(39)), "<".repeat(44)],
            log_probability: -0.01,
            checks_passed: 5,
            checks_total: 5,
            agrees_with_free_reading: true,
            names_in_doubt: false,
        }),
        fields: vec![
            field(FieldName::LastName, "ERIKSSON"),
            field(FieldName::FirstName, "ANNA MARIA"),
            field(FieldName::BirthDate, "1974-08-12"),
            field(FieldName::ExpiryDate, "2030-04-15"),
            field(FieldName::IssuingCountry, "SWE"),
            field(FieldName::DocumentNumber, "L898902C3"),
        ],
        text_lines: 12,
        viz_agreement: Some(1.0),
        portrait: Some(face(0.0)),
        grey_share: Some(0.4),
        raster_z: Some(5.0),
        halftone_z: Some(4.0),
        ..DocumentFindings::none(Side::Front)
    }
}

pub(super) fn selfie() -> SelfieFindings {
    SelfieFindings {
        quality: GOOD,
        frames: 15,
        faces: 1,
        face: Some(face(0.4)),
        face_crop: None,
        best_frame: Some(0),
        watched_faces: Vec::new(),
        poses: Vec::new(),
        repeated_files: 0,
        liveness: Some(LivenessFindings {
            movements: vec![Movement {
                challenge: Challenge::TurnLeft,
                extent: 0.5,
                plane_residual: Some(0.15),
            }],
            frontal_yaw: 0.02,
            same_person_distance: Some(0.3),
            turned_person_distance: Some(0.4),
            still: false,
            live: Some(LiveFindings {
                answered_ms: vec![900],
                same_frames: true,
                watched: None,
                commitment: None,
                run: 1,
                repeated_frames: 0,
                unseen_turns: 0,
                flashes: None,
            }),
            colours_followed: None,
        }),
        signs: SelfieSigns::NOTHING_SEEN,
        passive: None,
        unavailable: vec![],
        models: vec![],
        timings: vec![],
    }
}

pub(super) fn typed() -> UserInput {
    UserInput {
        last_name: Some("Eriksson".into()),
        first_name: Some("Anna".into()),
        birth_date: Some("1974-08-12".into()),
        address: Some("Somewhere 1".into()),
        ..UserInput::default()
    }
}

/// The decision on a document of that kind and a good selfie of its holder, whom nobody has met before.
pub(super) fn decide_on(
    kind: DocumentType,
    document: &[DocumentFindings],
    typed: &UserInput,
    policy: &Policy,
) -> Decision {
    let plan = Plan {
        steps: vec![Step::Document, Step::Selfie],
    };
    let selfie = selfie();
    let evidence = Evidence {
        plan: &plan,
        document_type: Some(kind),
        document,
        selfie: Some(&selfie),
        typed: Some(typed),
        known: None,
        earlier: &NOBODY,
        draw: 1.0,
        today: TODAY,
    };
    decide(&evidence, policy)
}

fn judge(document: &[DocumentFindings], selfie: Option<&SelfieFindings>, policy: &Policy) -> Decision {
    let plan = Plan {
        steps: vec![Step::Document, Step::Selfie],
    };
    let typed = typed();
    let evidence = Evidence {
        plan: &plan,
        document_type: Some(DocumentType::Passport),
        document,
        selfie,
        typed: Some(&typed),
        known: None,
        earlier: &NOBODY,
        draw: 1.0,
        today: TODAY,
    };
    decide(&evidence, policy)
}

#[test]
fn a_whole_passport_and_the_same_living_face_are_approved() {
    let decision = judge(&[passport()], Some(&selfie()), &Policy::default());
    assert_eq!(
        (decision.verdict, decision.reasons.as_slice()),
        (Verdict::Approved, [].as_slice())
    );
    assert_eq!(
        decision.checks.document.unwrap().authenticity,
        Some(Authenticity::Authentic)
    );
    assert_eq!(decision.checks.input_match.unwrap().matched, Some(true));
}

#[test]
fn a_document_of_which_much_is_hidden_is_asked_for_again() {
    let covered = |hidden| DocumentFindings {
        layout: Some(LayoutReading {
            layout: "icao.passport".into(),
            issuer: None,
            kind: DocumentType::Passport,
            also: vec![],
            side: Side::Front,
            score: 1.0,
            rules: vec![],
            hidden,
        }),
        ..passport()
    };
    for (hidden, told) in [(0.0, false), (0.3, false), (0.5, true), (f32::NAN, true)] {
        let decision = judge(&[covered(hidden)], Some(&selfie()), &Policy::default());
        assert_eq!(decision.reasons.contains(&Reason::DocumentObstructed), told, "{hidden}");
        assert_eq!(decision.verdict == Verdict::Approved, !told, "{hidden}");
    }
}

#[test]
fn a_document_under_a_hand_is_asked_for_again() {
    for (obstructed, told) in [(None, false), (Some(0.1), false), (Some(0.2), true)] {
        let covered = DocumentFindings {
            quality: Quality { obstructed, ..GOOD },
            ..passport()
        };
        let decision = judge(&[covered], Some(&selfie()), &Policy::default());
        assert_eq!(
            decision.reasons.contains(&Reason::DocumentObstructed),
            told,
            "{obstructed:?}"
        );
        assert_eq!(decision.verdict == Verdict::Approved, !told, "{obstructed:?}");
    }
}

/// A side of a card with these items, and with a zone or without.
fn card_side(side: Side, zone: bool, items: &[(FieldName, &str)]) -> DocumentFindings {
    DocumentFindings {
        mrz: passport().mrz.filter(|_| zone),
        fields: items.iter().map(|(name, value)| field(*name, value)).collect(),
        ..DocumentFindings::none(side)
    }
}

#[test]
fn sides_with_one_number_belong_together_however_it_is_grouped() {
    use FieldName::{BirthDate, DocumentNumber};
    use Reason::{DocumentDataInconsistent, DocumentSidesMismatch};
    type Items<'a> = &'a [(FieldName, &'a str)];
    let cases: [(bool, Items<'_>, Items<'_>, &[Reason]); 5] = [
        (
            false,
            &[(DocumentNumber, "A123-4567-8901")],
            &[(DocumentNumber, "A12345678901")],
            &[],
        ),
        // The letter O, read from print.
        (
            false,
            &[(DocumentNumber, "AO123456")],
            &[(DocumentNumber, "A0123456")],
            &[],
        ),
        (
            false,
            &[(DocumentNumber, "A123-4567-8901")],
            &[(DocumentNumber, "A12345678902")],
            &[DocumentDataInconsistent],
        ),
        (
            false,
            &[(DocumentNumber, "A1234567"), (BirthDate, "1990-01-01")],
            &[(DocumentNumber, "B7654321"), (BirthDate, "1971-03-09")],
            &[DocumentSidesMismatch, DocumentDataInconsistent],
        ),
        (
            true,
            &[(DocumentNumber, "A1234567")],
            &[(DocumentNumber, "B7654321")],
            &[DocumentSidesMismatch],
        ),
    ];
    let known = LayoutReading {
        layout: "icao.id_card".into(),
        issuer: None,
        kind: DocumentType::IdCard,
        also: vec![],
        side: Side::Front,
        score: 1.0,
        rules: vec![],
        hidden: 0.0,
    };
    for (front_has_zone, front, back, expected) in cases {
        let mut sides = [
            card_side(Side::Front, front_has_zone, front),
            card_side(Side::Back, true, back),
        ];
        sides[0].layout = Some(known.clone());
        let mut told = judge(&sides, None, &Policy::default()).reasons;
        told.retain(|reason| matches!(reason, DocumentSidesMismatch | DocumentDataInconsistent));
        assert_eq!(told, expected, "{front:?} {back:?}");
    }
}

#[test]
fn another_number_and_another_date_at_the_labels_of_an_unknown_front_reject_nobody() {
    use FieldName::{BirthDate, DocumentNumber};
    let sides = [
        card_side(
            Side::Front,
            false,
            &[(DocumentNumber, "A1234567"), (BirthDate, "1990-01-01")],
        ),
        card_side(
            Side::Back,
            true,
            &[(DocumentNumber, "B7654321"), (BirthDate, "1971-03-09")],
        ),
    ];
    let decision = judge(&sides, Some(&selfie()), &Policy::default());
    assert_eq!(decision.verdict, Verdict::NeedsReview, "{:?}", decision.reasons);
    assert!(decision.reasons.contains(&Reason::DocumentDataInconsistent));
}

#[test]
fn another_persons_face_is_rejected() {
    let other = SelfieFindings {
        face: Some(face(0.9)),
        ..selfie()
    };
    let decision = judge(&[passport()], Some(&other), &Policy::default());
    assert_eq!(
        (decision.verdict, decision.reasons),
        (Verdict::Rejected, vec![Reason::SelfieFaceMismatch])
    );
}

#[test]
fn a_name_that_the_document_does_not_confirm_goes_to_a_person_though_everybody_agrees_on_it() {
    let plan = Plan {
        steps: vec![Step::Document, Step::Selfie],
    };
    let typed = UserInput {
        last_name: Some("田中".into()),
        ..typed()
    };
    let known = PreRegistered {
        last_name: Some("田中".into()),
        ..PreRegistered::default()
    };
    let evidence = Evidence {
        plan: &plan,
        document_type: Some(DocumentType::Passport),
        document: &[passport()],
        selfie: Some(&selfie()),
        typed: Some(&typed),
        known: Some(&known),
        earlier: &NOBODY,
        draw: 1.0,
        today: TODAY,
    };
    let decision = decide(&evidence, &Policy::default());
    assert_eq!(
        (decision.verdict, decision.reasons),
        (Verdict::NeedsReview, vec![Reason::InputNotComparable])
    );
    assert_eq!(
        decision.checks.input_match.unwrap().matched,
        Some(true),
        "of what could be compared"
    );
}

#[test]
fn a_name_with_marks_is_compared_as_the_page_prints_it_where_its_zone_spells_them_out() {
    for (printed, known, verdict) in [
        ("SØRENSEN", "Sorensen", Verdict::Approved),
        ("SØRENSEN", "Soerensen", Verdict::Approved),
        ("SØRENSEN", "Sørensen", Verdict::Approved),
        ("SØRENSEN", "Sorenson", Verdict::NeedsReview),
        // Nothing says that the two letters of the zone are one, nor whether they are in somebody else's name.
        ("SORENSEN", "Sorensen", Verdict::NeedsReview),
        ("SÖRENSSON", "Sorensson", Verdict::NeedsReview),
    ] {
        let mut page = passport();
        page.fields[0] = field(FieldName::LastName, "SOERENSEN");
        page.printed = vec![field(FieldName::LastName, printed)];
        let typed = UserInput {
            last_name: Some(known.into()),
            ..typed()
        };
        let decision = decide_on(DocumentType::Passport, &[page], &typed, &Policy::default());
        assert_eq!(decision.verdict, verdict, "{printed} {known}: {:?}", decision.reasons);
        let is_mismatch = decision.reasons.contains(&Reason::InputNameMismatch);
        assert_eq!(is_mismatch, verdict != Verdict::Approved, "{printed} {known}");
    }
}

#[test]
fn a_pre_registered_value_in_another_script_goes_to_a_person_though_document_and_user_agree() {
    let plan = Plan {
        steps: vec![Step::Document, Step::Selfie],
    };
    let name = PreRegistered {
        last_name: Some("鈴木".into()),
        first_name: Some("一郎".into()),
        ..PreRegistered::default()
    };
    let reading = PreRegistered {
        last_name: Some("スズキ".into()),
        ..PreRegistered::default()
    };
    let address = PreRegistered {
        address: Some("東京都渋谷区神宮前1-2-3".into()),
        ..PreRegistered::default()
    };
    for known in [name, reading, address] {
        let evidence = Evidence {
            plan: &plan,
            document_type: Some(DocumentType::Passport),
            document: &[passport()],
            selfie: Some(&selfie()),
            typed: Some(&typed()),
            known: Some(&known),
            earlier: &NOBODY,
            draw: 1.0,
            today: TODAY,
        };
        let decision = decide(&evidence, &Policy::default());
        assert_eq!(
            (decision.verdict, decision.reasons),
            (Verdict::NeedsReview, vec![Reason::InputNotComparable]),
            "{known:?}"
        );
        let compared = decision.checks.input_match.unwrap();
        assert_eq!(compared.matched, Some(true), "of what could be compared: {known:?}");
    }
}

#[test]
fn an_expired_document_is_rejected_once_its_last_day_is_over_everywhere() {
    let until = |day: &str| {
        let mut passport = passport();
        passport.fields[3] = field(FieldName::ExpiryDate, day);
        judge(&[passport], Some(&selfie()), &Policy::default()).verdict
    };
    assert_eq!(until("2026-07-31"), Verdict::Rejected);
    assert_eq!(
        until("2026-08-01"),
        Verdict::NeedsReview,
        "in Honolulu it is still that day"
    );
    assert_eq!(until("2026-08-02"), Verdict::Approved);
}

#[test]
fn a_date_that_was_read_once_in_print_rejects_nobody() {
    let mut page = passport();
    page.fields[3] = field(FieldName::ExpiryDate, "2021-04-12");
    page.mrz.as_mut().unwrap().checks_passed = 4;
    let decision = judge(&[page], Some(&selfie()), &Policy::default());
    assert_eq!(decision.verdict, Verdict::NeedsReview);
    assert!(
        !decision.reasons.contains(&Reason::DocumentExpired),
        "{:?}",
        decision.reasons
    );
}

#[test]
fn a_last_day_in_a_zone_with_a_wrong_check_digit_rejects_nobody() {
    let mut page = passport();
    page.fields[3] = field(FieldName::ExpiryDate, "2021-04-12");
    page.mrz.as_mut().unwrap().checks_passed = 4;
    page.layout = Some(LayoutReading {
        layout: "icao.passport".into(),
        issuer: None,
        kind: DocumentType::Passport,
        also: vec![],
        side: Side::Front,
        score: 1.0,
        rules: vec![],
        hidden: 0.0,
    });
    let is_expired = |page: &DocumentFindings| {
        let decision = judge(std::slice::from_ref(page), Some(&selfie()), &Policy::default());
        let is_expired = decision.reasons.contains(&Reason::DocumentExpired);
        let verdict = if is_expired {
            Verdict::Rejected
        } else {
            Verdict::NeedsReview
        };
        assert_eq!(decision.verdict, verdict, "{:?}", decision.reasons);
        is_expired
    };
    // Where the zone gives no items, the day is that in its place on the page.
    assert!(is_expired(&page));
    page.fields.push(field(FieldName::Mrz, "P<SWE"));
    assert!(!is_expired(&page));
    page.codes = vec![CodeReading {
        standard: CodeStandard::Aamva,
        kind: None,
        issuer: None,
        fields: vec![],
        signature: Signature::Absent,
    }];
    assert!(!is_expired(&page), "nor beside a code");
}

#[test]
fn a_last_day_in_print_beside_a_code_without_it_rejects_nobody() {
    let past = field(FieldName::ExpiryDate, "2021-04-12");
    let number = field(FieldName::DocumentNumber, "L898902C3");
    let unknown = OcrField {
        normalized: None,
        ..past.clone()
    };
    for (coded, rejects) in [
        (vec![], false),
        (vec![number.clone()], false),
        // The year and the month alone.
        (vec![number, unknown], false),
        (vec![past.clone()], true),
    ] {
        let mut page = passport();
        page.mrz = None;
        page.fields[3] = past.clone();
        page.codes = vec![CodeReading {
            standard: CodeStandard::Seal,
            kind: None,
            issuer: Some("SE01".into()),
            fields: coded,
            signature: Signature::NotChecked,
        }];
        let decision = judge(&[page], Some(&selfie()), &Policy::default());
        let reasons = decision.reasons;
        assert_eq!(reasons.contains(&Reason::DocumentExpired), rejects, "{reasons:?}");
        assert_eq!(decision.verdict == Verdict::Rejected, rejects, "{reasons:?}");
    }
}

#[test]
fn on_its_last_day_a_japanese_document_may_have_expired_in_japan() {
    for (issuer, verdict) in [("JPN", Verdict::NeedsReview), ("SWE", Verdict::Approved)] {
        let mut page = passport();
        page.fields[3] = field(FieldName::ExpiryDate, "2026-08-02");
        page.fields[4] = field(FieldName::IssuingCountry, issuer);
        let decision = judge(&[page], Some(&selfie()), &Policy::default());
        assert_eq!(decision.verdict, verdict, "{issuer}: {:?}", decision.reasons);
    }
}

#[test]
fn on_its_last_day_a_licence_may_have_expired_in_japan_only_if_its_layout_is_japanese() {
    for (layout, issuer, verdict) in [
        ("jp.driving_license", Some("JPN"), Verdict::NeedsReview),
        ("jp.driving_license", None, Verdict::NeedsReview),
        ("gb.driving_license", Some("GBR"), Verdict::Approved),
        ("eu.driving_license", None, Verdict::Approved),
    ] {
        let kind = DocumentType::DrivingLicense;
        let mut licence = printed_card(kind, &[("documentNumber_sound", true)]);
        licence[0].fields[3] = field(FieldName::ExpiryDate, "2026-08-02");
        for side in &mut licence {
            side.fields.retain(|item| item.name != FieldName::IssuingCountry);
            let known = side.layout.as_mut().unwrap();
            (known.layout, known.issuer) = (layout.to_owned(), issuer.map(str::to_owned));
        }
        let decision = decide_visually(kind, &licence);
        assert_eq!(decision.verdict, verdict, "{layout} {issuer:?}: {:?}", decision.reasons);
    }
}

#[test]
fn a_residence_card_that_ran_out_within_two_months_may_still_hold_and_rejects_nobody() {
    for (kind, day, verdict) in [
        (DocumentType::ResidenceCard, "2026-08-03", Verdict::Approved),
        (DocumentType::ResidenceCard, "2026-07-20", Verdict::NeedsReview),
        // In Honolulu it is still the last day of the two months.
        (DocumentType::ResidenceCard, "2026-06-01", Verdict::NeedsReview),
        (DocumentType::ResidenceCard, "2026-05-31", Verdict::Rejected),
        (DocumentType::DrivingLicense, "2026-07-20", Verdict::Rejected),
    ] {
        let mut card = printed_card(kind, &[("documentNumber_sound", true)]);
        card[0].fields[3] = field(FieldName::ExpiryDate, day);
        let decision = decide_visually(kind, &card);
        assert_eq!(decision.verdict, verdict, "{kind} {day}: {:?}", decision.reasons);
        let rejected = decision.reasons.contains(&Reason::DocumentExpired);
        assert_eq!(rejected, verdict == Verdict::Rejected, "{kind} {day}");
    }
}

#[test]
fn a_licence_that_ended_on_a_day_off_may_hold_until_the_next_working_day_and_rejects_nobody() {
    for (kind, day, verdict) in [
        (DocumentType::DrivingLicense, "2026-08-03", Verdict::Approved),
        (DocumentType::DrivingLicense, "2026-07-31", Verdict::NeedsReview),
        // In Honolulu it is still the day after ten days off.
        (DocumentType::DrivingLicense, "2026-07-22", Verdict::NeedsReview),
        (DocumentType::DrivingLicense, "2026-07-21", Verdict::Rejected),
        (DocumentType::MyNumberCard, "2026-07-31", Verdict::Rejected),
    ] {
        let mut card = printed_card(kind, &[("documentNumber_sound", true)]);
        card[0].fields[3] = field(FieldName::ExpiryDate, day);
        let decision = decide_visually(kind, &card[..kind.sides().len()]);
        assert_eq!(decision.verdict, verdict, "{kind} {day}: {:?}", decision.reasons);
        let rejected = decision.reasons.contains(&Reason::DocumentExpired);
        assert_eq!(rejected, verdict == Verdict::Rejected, "{kind} {day}");
    }
}

#[test]
fn a_date_from_a_check_digit_goes_before_one_that_is_printed() {
    let sides = [
        card_side(Side::Front, false, &[(FieldName::ExpiryDate, "2021-08-02")]),
        card_side(Side::Back, true, &[(FieldName::ExpiryDate, "2031-08-02")]),
    ];
    let reasons = judge(&sides, None, &Policy::default()).reasons;
    assert!(!reasons.contains(&Reason::DocumentExpired), "{reasons:?}");
    assert!(reasons.contains(&Reason::DocumentDataInconsistent), "{reasons:?}");
}

#[test]
fn a_document_issued_where_it_is_tomorrow_already_is_not_from_the_future() {
    for (day, future) in [("2026-08-03", false), ("2026-08-04", true)] {
        let mut page = passport();
        page.fields.push(field(FieldName::IssueDate, day));
        let reasons = judge(&[page], Some(&selfie()), &Policy::default()).reasons;
        assert_eq!(reasons.contains(&Reason::DocumentDataInconsistent), future, "{day}");
    }
}

#[test]
fn a_statistical_signal_is_reviewed_unless_the_tenant_rejects_on_it() {
    let screen = DocumentFindings {
        raster_z: Some(10.0),
        ..passport()
    };
    let strict = Policy {
        reject_on_fraud_signals: true,
        ..Policy::default()
    };
    let lenient = judge(std::slice::from_ref(&screen), Some(&selfie()), &Policy::default());
    assert_eq!(
        (lenient.verdict, lenient.reasons),
        (Verdict::NeedsReview, vec![Reason::DocumentScreenCapture])
    );
    assert_eq!(judge(&[screen], Some(&selfie()), &strict).verdict, Verdict::Rejected);
}

#[test]
fn of_two_rasters_the_clearer_one_says_whether_a_printer_or_a_screen_made_it() {
    for (raster, halftone, reason) in [
        (9.4, 21.9, Reason::DocumentPrintedCopy),
        (9.7, 7.6, Reason::DocumentScreenCapture),
        (12.0, 10.0, Reason::DocumentScreenCapture),
        (4.8, 10.6, Reason::DocumentPrintedCopy),
    ] {
        let copy = DocumentFindings {
            raster_z: Some(raster),
            halftone_z: Some(halftone),
            ..passport()
        };
        let reasons = judge(&[copy], Some(&selfie()), &Policy::default()).reasons;
        assert_eq!(reasons, [reason], "{raster} {halftone}");
    }
}

#[test]
fn a_specimen_is_rejected_unless_the_tenant_demonstrates() {
    let mut utopian = passport();
    utopian.specimen_words = true;
    let demo = Policy {
        accept_specimens: true,
        ..Policy::default()
    };
    assert_eq!(
        judge(std::slice::from_ref(&utopian), Some(&selfie()), &Policy::default()).verdict,
        Verdict::Rejected
    );
    assert_eq!(judge(&[utopian], Some(&selfie()), &demo).verdict, Verdict::Approved);
}

#[test]
fn a_zone_of_no_issuer_that_exists_proves_nothing_and_rejects_nobody() {
    let demo = Policy {
        accept_specimens: true,
        ..Policy::default()
    };
    let decision = |issuer: &str, policy: &Policy| {
        let mut page = passport();
        page.mrz.as_mut().unwrap().lines[0] = format!("P<{issuer}{}", "<".repeat(39));
        judge(&[page], Some(&selfie()), policy)
    };
    for issuer in ["SWE", "D<<", "UNO", "RKS", "GBD", "XOM"] {
        let decision = decision(issuer, &Policy::default());
        assert_eq!(decision.verdict, Verdict::Approved, "{issuer}: {:?}", decision.reasons);
    }
    for issuer in ["ZZZ", "5R3", "<<<", "XXA", "UTO"] {
        let decision = decision(issuer, &Policy::default());
        assert_eq!(decision.verdict, Verdict::NeedsReview, "{issuer}");
        assert_eq!(decision.reasons, [Reason::DocumentAuthenticityUnknown], "{issuer}");
    }
    assert_eq!(decision("UTO", &demo).verdict, Verdict::Approved);
    assert_eq!(decision("ZZZ", &demo).verdict, Verdict::NeedsReview);
}

#[test]
fn a_last_day_in_the_zone_of_no_issuer_that_exists_rejects_nobody() {
    // Cards of Kenya have KYA.
    for (issuer, rejects) in [("KEN", true), ("D<<", true), ("KYA", false), ("ZZZ", false)] {
        let mut page = passport();
        page.fields[3] = field(FieldName::ExpiryDate, "2021-04-12");
        page.mrz.as_mut().unwrap().lines[0] = format!("P<{issuer}{}", "<".repeat(39));
        let decision = judge(&[page], Some(&selfie()), &Policy::default());
        let is_expired = decision.reasons.contains(&Reason::DocumentExpired);
        assert_eq!(is_expired, rejects, "{issuer}: {:?}", decision.reasons);
        assert_eq!(decision.verdict == Verdict::Rejected, rejects, "{issuer}");
    }
}

/// A Japanese document of two sides without machine-readable data, whose front keeps or breaks these rules.
fn printed_card(kind: DocumentType, rules: &[(&str, bool)]) -> [DocumentFindings; 2] {
    let layout = |layout: &str, side, rules: &[(&str, bool)]| {
        let result = |(rule, held): &(&str, bool)| RuleResult {
            rule: (*rule).to_owned(),
            held: *held,
            contradiction: false,
        };
        LayoutReading {
            layout: layout.to_owned(),
            issuer: Some("JPN".into()),
            kind,
            also: vec![],
            side,
            score: 1.0,
            rules: rules.iter().map(result).collect(),
            hidden: 0.0,
        }
    };
    let mut front = DocumentFindings {
        mrz: None,
        viz_agreement: None,
        layout: Some(layout(&format!("jp.{kind}"), Side::Front, rules)),
        ..passport()
    };
    front.fields.push(field(FieldName::Address, "Somewhere 1"));
    let back = DocumentFindings {
        side: Side::Back,
        fields: vec![],
        portrait: None,
        layout: Some(layout(&format!("jp.{kind}.back"), Side::Back, &[])),
        ..front.clone()
    };
    [front, back]
}

/// The decision under visual evidence.
fn decide_visually(kind: DocumentType, document: &[DocumentFindings]) -> Decision {
    let policy = Policy {
        accepted: Accepted::Visual,
        ..Policy::default()
    };
    decide_on(kind, document, &typed(), &policy)
}

#[test]
fn a_front_is_proved_visually_by_rules_on_its_items_only() {
    let in_place = ("labels_in_place", true);
    for (rules, verdict) in [
        (&[in_place, ("documentNumber_sound", true)][..], Verdict::Approved),
        (&[in_place, ("documentNumber_sound", false)], Verdict::NeedsReview),
        (&[in_place], Verdict::NeedsReview),
        (&[], Verdict::NeedsReview),
    ] {
        let kind = DocumentType::DrivingLicense;
        let decision = decide_visually(kind, &printed_card(kind, rules));
        assert_eq!(decision.verdict, verdict, "{rules:?}: {:?}", decision.reasons);
        let unknown = decision.reasons == [Reason::DocumentAuthenticityUnknown];
        assert_eq!(unknown, verdict == Verdict::NeedsReview, "{rules:?}");
    }
}

#[test]
fn the_front_of_one_licence_and_the_back_of_another_are_not_proved_visually() {
    let kind = DocumentType::DrivingLicense;
    for (front, back, verdict) in [
        ("jp.driving_license", "jp.driving_license.back", Verdict::Approved),
        ("eu.driving_license", "eu.driving_license.back", Verdict::Approved),
        ("gb.driving_license", "eu.driving_license.back", Verdict::Approved),
        ("gb.driving_license.ni", "eu.driving_license.back", Verdict::Approved),
        // Every American licence has a barcode.
        ("us.driving_license", "eu.driving_license.back", Verdict::NeedsReview),
        ("jp.driving_license", "eu.driving_license.back", Verdict::NeedsReview),
        ("eu.driving_license", "jp.driving_license.back", Verdict::NeedsReview),
    ] {
        let mut licence = printed_card(kind, &[("documentNumber_sound", true)]);
        for (side, name) in licence.iter_mut().zip([front, back]) {
            let known = side.layout.as_mut().unwrap();
            (known.layout, known.issuer) = (name.to_owned(), None);
        }
        let decision = decide_visually(kind, &licence);
        assert_eq!(decision.verdict, verdict, "{front}, {back}: {:?}", decision.reasons);
    }
}

/// The licence, with a strip on its front that has a zone of this format, of which so many check digits hold. It gives items.
fn with_strip(
    [mut front, back]: [DocumentFindings; 2],
    (format, begins): (MrzFormat, &str),
    (checks_passed, log_probability): (u8, f32),
) -> [DocumentFindings; 2] {
    front.mrz = Some(MrzReading {
        format,
        lines: vec![begins.to_owned()],
        log_probability,
        checks_passed,
        checks_total: 4,
        agrees_with_free_reading: true,
        names_in_doubt: false,
    });
    front.fields.push(field(FieldName::Mrz, begins));
    [front, back]
}

#[test]
fn a_licence_is_not_proved_visually_beside_a_zone_that_it_cannot_have() {
    let kind = DocumentType::DrivingLicense;
    let licence = || printed_card(kind, &[("documentNumber_sound", true)]);
    assert_eq!(decide_visually(kind, &licence()).verdict, Verdict::Approved);
    for (zone, read) in [
        // Licences of Japan have none, and as one of Sweden it would be another document than when it was approved before.
        ((MrzFormat::License, "D1SWE"), (4, -0.01)),
        // Smeared, so that it is of no kind, but with a last day and its check digit.
        ((MrzFormat::Td1, "I<SWE"), (2, -1.0)),
    ] {
        let decision = decide_visually(kind, &with_strip(licence(), zone, read));
        assert_eq!(decision.verdict, Verdict::NeedsReview, "{zone:?}");
        assert_eq!(decision.reasons, [Reason::DocumentAuthenticityUnknown], "{zone:?}");
    }
    let mut french = with_strip(licence(), (MrzFormat::License, "D1FRA"), (4, -0.01));
    let layouts = ["eu.driving_license", "eu.driving_license.back"];
    for (side, name) in french.iter_mut().zip(layouts) {
        let known = side.layout.as_mut().unwrap();
        (known.layout, known.issuer) = (name.to_owned(), None);
    }
    for (days, verdict) in [
        (&["1974-08-12", "2030-04-15"][..], Verdict::Approved),
        // A strip with a later last day, and a thumb on the one in print.
        (&["1974-08-12"], Verdict::NeedsReview),
    ] {
        french[0].days_in_print = PrintedDays(days.iter().map(|day| (*day).to_owned()).collect());
        let decision = decide_visually(kind, &french);
        assert_eq!(decision.verdict, verdict, "{days:?}: {:?}", decision.reasons);
    }
}

#[test]
fn a_barcode_gives_no_last_day_to_a_zone_that_has_none() {
    let mut page = passport();
    // The zone has fillers there, and a thumb lies on the day in print.
    page.codes = vec![CodeReading {
        standard: CodeStandard::Aamva,
        kind: None,
        issuer: Some("636028".into()),
        fields: vec![field(FieldName::ExpiryDate, "2030-04-15")],
        signature: Signature::Absent,
    }];
    for (days, verdict) in [
        (&["1974-08-12"][..], Verdict::NeedsReview),
        (&["1974-08-12", "2030-04-15"], Verdict::Approved),
    ] {
        page.days_in_print = PrintedDays(days.iter().map(|day| (*day).to_owned()).collect());
        let decision = judge(std::slice::from_ref(&page), Some(&selfie()), &Policy::default());
        assert_eq!(decision.verdict, verdict, "{days:?}: {:?}", decision.reasons);
    }
}

#[test]
fn a_visa_is_no_kind_that_is_taken() {
    let mut visa = passport();
    let zone = visa.mrz.as_mut().unwrap();
    (zone.format, zone.lines[0]) = (MrzFormat::MrvA, "V<SWE".into());
    let decision = judge(std::slice::from_ref(&visa), Some(&selfie()), &Policy::default());
    assert_eq!(decision.verdict, Verdict::Rejected);
    assert!(decision.reasons.contains(&Reason::DocumentTypeNotSupported));
    // Half legible, it may be anything: a person reviews it.
    visa.mrz.as_mut().unwrap().checks_passed = 3;
    let decision = judge(&[visa], Some(&selfie()), &Policy::default());
    assert_eq!(decision.verdict, Verdict::NeedsReview);
}

#[test]
fn a_seal_whose_signature_is_not_its_issuers_rejects_and_one_of_an_unknown_issuer_does_not() {
    let sealed = |mut page: DocumentFindings, signature| {
        page.codes = vec![CodeReading {
            standard: CodeStandard::Seal,
            kind: None,
            issuer: Some("UT01".into()),
            fields: vec![],
            signature,
        }];
        judge(&[page], Some(&selfie()), &Policy::default())
    };
    let forged = sealed(passport(), Signature::Invalid);
    assert_eq!(
        (forged.verdict, forged.reasons.as_slice()),
        (Verdict::Rejected, [Reason::DocumentTampered].as_slice())
    );
    assert_eq!(sealed(passport(), Signature::NotChecked).verdict, Verdict::Approved);
    // What rejects comes before what was noted earlier and only leads to a review.
    let differs = DocumentFindings {
        viz_agreement: Some(0.0),
        ..passport()
    };
    let inconsistent = sealed(differs, Signature::Invalid);
    assert_eq!(inconsistent.verdict, Verdict::Rejected);
    assert_eq!(
        inconsistent.reasons,
        [Reason::DocumentTampered, Reason::DocumentDataInconsistent]
    );
}

#[test]
fn a_second_portrait_of_somebody_else_means_that_the_first_was_replaced() {
    let with_second = |distance| DocumentFindings {
        portrait_repeated: Some(distance),
        ..passport()
    };
    let decision = |distance| judge(&[with_second(distance)], Some(&selfie()), &Policy::default());
    assert_eq!(decision(0.3).verdict, Verdict::Approved);
    for distance in [0.7, f32::NAN] {
        let replaced = decision(distance);
        assert_eq!(
            (replaced.verdict, replaced.reasons.as_slice()),
            (Verdict::NeedsReview, [Reason::DocumentTampered].as_slice())
        );
    }
    let strict = Policy {
        reject_on_fraud_signals: true,
        ..Policy::default()
    };
    let rejected = judge(&[with_second(0.7)], Some(&selfie()), &strict);
    assert_eq!(rejected.verdict, Verdict::Rejected);
}

#[test]
fn a_check_that_could_not_run_goes_to_a_person_with_its_reason() {
    let blind = DocumentFindings {
        mrz: None,
        fields: vec![],
        text_lines: 0,
        unavailable: vec![Unavailable::Text],
        ..passport()
    };
    let decision = judge(&[blind], Some(&selfie()), &Policy::default());
    assert_eq!(decision.verdict, Verdict::NeedsReview);
    assert!(decision.reasons.contains(&Reason::CheckUnavailable));
    let check = decision.checks.document.unwrap();
    assert_eq!((check.performed, check.authenticity), (false, None));
}

#[test]
fn a_missing_face_is_told_where_only_the_network_for_liveness_is_missing() {
    let reasons = |missing| {
        let nobody = SelfieFindings {
            faces: 0,
            face: None,
            unavailable: vec![missing],
            ..selfie()
        };
        judge(&[passport()], Some(&nobody), &Policy::default()).reasons
    };
    assert_eq!(
        reasons(Unavailable::Liveness),
        [Reason::CheckUnavailable, Reason::SelfieNoFace]
    );
    assert_eq!(reasons(Unavailable::Face), [Reason::CheckUnavailable]);
}

#[test]
fn nothing_submitted_is_never_approved() {
    let decision = judge(&[], None, &Policy::default());
    assert_eq!(decision.verdict, Verdict::NeedsReview);
    assert_eq!(
        decision.reasons,
        [
            Reason::DocumentSideMissing,
            Reason::SelfieNoFace,
            Reason::InputNotComparable
        ]
    );
}

#[test]
fn a_selfie_alone_needs_no_match() {
    let plan = Plan {
        steps: vec![Step::Selfie],
    };
    let selfie = selfie();
    let evidence = Evidence {
        plan: &plan,
        document_type: None,
        document: &[],
        selfie: Some(&selfie),
        typed: None,
        known: None,
        earlier: &NOBODY,
        draw: 1.0,
        today: TODAY,
    };
    let decision = decide(&evidence, &Policy::default());
    assert_eq!(decision.verdict, Verdict::Approved);
    assert_eq!((decision.checks.document, decision.checks.input_match), (None, None));
}

#[test]
fn a_date_or_number_that_contradicts_the_rest_is_never_approved() {
    let decision = |page: &DocumentFindings| judge(std::slice::from_ref(page), Some(&selfie()), &Policy::default());
    assert_eq!(decision(&passport()).verdict, Verdict::Approved);
    let mut printed = passport();
    printed.printed = vec![field(FieldName::BirthDate, "1994-08-12")];
    let mut impossible = passport();
    let rule = RuleResult {
        rule: "issueDate_sound".into(),
        held: false,
        contradiction: true,
    };
    impossible.layout = Some(LayoutReading {
        layout: "icao.passport".into(),
        issuer: None,
        kind: DocumentType::Passport,
        also: vec![],
        side: Side::Front,
        score: 0.9,
        rules: vec![rule],
        hidden: 0.0,
    });
    for (page, score) in [
        (&printed, "print repeats: birthDate"),
        (&impossible, "layout: issueDate_sound"),
    ] {
        let decision = decision(page);
        assert_eq!(decision.verdict, Verdict::NeedsReview);
        assert!(decision.reasons.contains(&Reason::DocumentDataInconsistent));
        let check = decision.checks.document.unwrap();
        assert_eq!(check.authenticity, Some(Authenticity::Suspicious));
        assert!(
            decision.scores.iter().any(|s| s.name.as_str() == score && !s.passed),
            "{score}"
        );
    }
    // Of a layout that was hardly recognised, nothing counts.
    impossible.layout.as_mut().unwrap().score = 0.3;
    assert_eq!(decision(&impossible).verdict, Verdict::Approved);
}

#[test]
fn names_of_the_zone_that_are_in_doubt_prove_nothing_until_they_are_printed() {
    let mut page = passport();
    let zone = page.mrz.as_mut().unwrap();
    zone.lines[0] = format!("{:<<44}", "P<SWEERIKSSON<<ANNA<MARIA");
    zone.names_in_doubt = true;
    let authenticity = |page: &DocumentFindings| {
        let decision = judge(std::slice::from_ref(page), Some(&selfie()), &Policy::default());
        decision.checks.document.unwrap().authenticity
    };
    assert_eq!(authenticity(&page), Some(Authenticity::Authentic));
    page.fields[1] = field(FieldName::FirstName, "Anna Märia");
    assert_eq!(authenticity(&page), Some(Authenticity::Authentic));
    page.fields[1] = field(FieldName::FirstName, "ANNA MARLA");
    assert_eq!(authenticity(&page), Some(Authenticity::Unknown));
    page.fields[1].normalized = None;
    assert_eq!(authenticity(&page), Some(Authenticity::Unknown));
}

/// The good value nine times in ten: a case with several things wrong is refused for any of them and proves little. Boxed, since a case of many
/// such values is too large for the stack.
fn mostly<T: std::fmt::Debug + Clone + 'static>(good: T, any: impl Strategy<Value = T> + 'static) -> BoxedStrategy<T> {
    prop_oneof![9 => Just(good), 1 => any].boxed()
}

prop_compose! {
    fn any_liveness()(turned in mostly(0.5, -1.0_f32..1.0), plane in mostly(Some(0.15), proptest::option::of(0.0_f32..0.3)),
        same in mostly(Some(0.3), proptest::option::of(0.0_f32..1.2)), still in mostly(false, any::<bool>()),
        beside in mostly(Some(0.4), proptest::option::of(0.0_f32..1.2)), closer in mostly(Some(1.4), proptest::option::of(0.9_f32..1.5)),
        same_frames in mostly(Some(true), proptest::option::of(any::<bool>())), run in mostly(1, 1_u32..6),
        unseen_turns in mostly(0, 0_u32..3), commitment in mostly(Some(Commitment::Kept), proptest::sample::select(Commitment::ALL).prop_map(Some)),
        watched in mostly(Some(4), proptest::option::of(0_u32..6))) -> LivenessFindings {
        let movement = |challenge, extent| Movement { challenge, extent, plane_residual: plane };
        let mut movements = vec![movement(Challenge::TurnRight, turned)];
        movements.extend(closer.map(|extent| Movement { plane_residual: None, ..movement(Challenge::ComeCloser, extent) }));
        let watched = watched.map(|frames| (0..frames).collect::<Vec<_>>());
        LivenessFindings { movements, frontal_yaw: 0.0, same_person_distance: same, turned_person_distance: beside, still,
            live: same_frames.map(|same_frames| LiveFindings { answered_ms: vec![], same_frames, watched: watched.clone(), commitment, run, repeated_frames: 0, unseen_turns, flashes: None }), colours_followed: None }
    }
}

prop_compose! {
    /// What the frames show that were watched before and after the movements of [`any_liveness`].
    fn any_poses()(before in mostly(0.02, -0.5_f32..0.5), turned in mostly(-0.31, -0.5_f32..0.5), between in mostly(0.02, -0.5_f32..0.5),
        away in mostly(0.2, 0.1_f32..0.4), close in mostly(0.26, 0.1_f32..0.4), lost in mostly(None, (0_u32..4).prop_map(Some))) -> Vec<Pose> {
        let shown = [(before, 0.2), (turned, 0.2), (between, away), (0.03, close)];
        let poses = (0..).zip(shown).map(|(frame, (yaw, eye_distance))| Pose { frame, yaw, eye_distance });
        poses.filter(|pose| Some(pose.frame) != lost).collect()
    }
}

prop_compose! {
    fn any_case()(passed in mostly(5, 3_u8..=5), agreement in mostly(Some(1.0), proptest::option::of(0.0_f32..1.0)),
        grey in mostly(Some(0.4), proptest::option::of(0.0_f32..1.0)),
        raster in mostly(Some(5.0), proptest::option::of(prop_oneof![0.0_f32..12.0, Just(f32::NAN)])),
        portrait in mostly(true, any::<bool>()), distance in mostly(0.4, 0.0_f32..1.2), faces in mostly(1, 0_u32..3),
        liveness in prop_oneof![9 => any_liveness().prop_map(Some), 1 => Just(None)],
        expiry in mostly(Some(2030), proptest::option::of(2020..2040)), sharp in mostly(0.9, 0.0_f32..1.0),
        grid in mostly(Some(0.7), proptest::option::of(prop_oneof![-0.5_f32..4.0, Just(f32::NAN)])),
        eyes in mostly(Some(0.0), proptest::option::of(prop_oneof![0.0_f32..1.0, Just(f32::NAN)])),
        mouth in mostly(Some(0.0), proptest::option::of(prop_oneof![0.0_f32..1.0, Just(f32::NAN)])),
        poses in any_poses(), sees in mostly(true, any::<bool>()), described in mostly(true, any::<bool>())) -> (DocumentFindings, SelfieFindings) {
        let mut document = passport();
        document.mrz.as_mut().unwrap().checks_passed = passed;
        document.fields[3].normalized = expiry.map(|year| format!("{year}-01-01"));
        document.viz_agreement = agreement;
        document.grey_share = grey;
        document.raster_z = raster;
        document.quality.sharpness = sharp;
        if !portrait { document.portrait = None; }
        if !sees { document.unavailable = vec![Unavailable::Face]; }
        let mut face = (faces > 0).then(|| face(distance));
        if !described { face.iter_mut().for_each(|face| face.descriptor.clear()); }
        let signs = SelfieSigns { grid, eyes_covered: eyes, mouth_covered: mouth, ..SelfieSigns::NOTHING_SEEN };
        (document, SelfieFindings { faces, face, poses, liveness, signs, ..selfie() })
    }
}

/// 5,000 cases, or as many more as `PROPTEST_CASES` says.
fn cases() -> ProptestConfig {
    let wanted = ProptestConfig::default();
    ProptestConfig {
        cases: wanted.cases.max(5_000),
        ..wanted
    }
}

proptest! {
    #![proptest_config(cases())]

    /// Planted faults that this test detected: `>=` reversed in `at_least`; the `performed` clause of `verdict` dropped; a face
    /// without a descriptor counted as compared; an unread expiry counted as in the future.
    #[test]
    fn approved_implies_every_check_over_its_threshold((document, selfie) in any_case()) {
        let policy = Policy::default();
        let decision = judge(std::slice::from_ref(&document), Some(&selfie), &policy);
        if decision.verdict == Verdict::Approved {
            let check = decision.checks.selfie.unwrap();
            prop_assert!(check.liveness_confidence.unwrap() >= policy.liveness_accept);
            prop_assert!(check.face_match_confidence.unwrap() >= policy.match_accept);
            prop_assert_eq!(decision.checks.document.unwrap().authenticity, Some(Authenticity::Authentic));
            let mrz = document.mrz.unwrap();
            prop_assert_eq!(mrz.checks_passed, mrz.checks_total);
            let liveness = selfie.liveness.unwrap();
            prop_assert!(document.unavailable.is_empty() && selfie.faces == 1 && !liveness.still);
            let live = liveness.live.unwrap();
            prop_assert!(live.same_frames && live.run <= 3, "only what was watched, and soon, is approved");
            prop_assert_eq!(live.commitment, Some(Commitment::Kept), "no frame that may have been altered is approved");
            let least = |challenge| if challenge == Challenge::ComeCloser { 1.18 } else { 0.21 };
            prop_assert!(selfie.signs.grid.is_some_and(|grid| grid <= 1.3), "no screen is approved");
            for covered in [selfie.signs.eyes_covered, selfie.signs.mouth_covered] {
                prop_assert!(covered.is_some_and(|covered| covered <= policy.selfie().covered), "no covered face is approved");
            }
            prop_assert!(liveness.movements.iter().all(|movement| movement.extent >= least(movement.challenge)));
            for pair in live.watched.iter().flat_map(|frames| frames.chunks(2)) {
                let pose = |at: usize| pair.get(at).and_then(|frame| selfie.poses.iter().find(|pose| pose.frame == *frame));
                let (from, to) = (pose(0).unwrap(), pose(1).unwrap());
                prop_assert!(from.yaw.abs() < 0.2, "nobody has moved before the request");
                let moved = if pair[0] == 0 { to.yaw <= -0.14 } else { to.eye_distance >= 1.12 * from.eye_distance };
                prop_assert!(moved, "the frames that were watched show the movement");
            }
            prop_assert!(live.watched.is_none_or(|frames| frames.len() == 2 * liveness.movements.len()));
            prop_assert!(document.fields[3].normalized.as_deref().is_some_and(|expiry| expiry >= "2026-08-02"));
            prop_assert!(decision.reasons.is_empty());
        } else {
            prop_assert!(!decision.reasons.is_empty(), "every refusal says why");
        }
    }
}

/// Of cases that are never approved, the property above would say nothing.
#[test]
fn one_in_twenty_of_those_cases_at_least_is_approved() {
    let mut runner = TestRunner::deterministic();
    let approved = (0..2_000).filter(|_| {
        let (document, selfie) = any_case().new_tree(&mut runner).unwrap().current();
        judge(&[document], Some(&selfie), &Policy::default()).verdict == Verdict::Approved
    });
    let approved = approved.count();
    assert!(approved >= 100, "{approved} of 2000");
}

#[test]
fn a_back_that_two_kinds_share_is_the_back_of_both() {
    let mut back = passport();
    (back.side, back.mrz, back.portrait) = (Side::Back, None, None);
    back.layout = Some(LayoutReading {
        layout: "jp.driving_license.back".into(),
        issuer: Some("JPN".into()),
        kind: DocumentType::DrivingLicense,
        also: vec![DocumentType::DrivingHistoryCertificate],
        side: Side::Back,
        score: 1.0,
        rules: vec![],
        hidden: 0.0,
    });
    for kind in [DocumentType::DrivingLicense, DocumentType::DrivingHistoryCertificate] {
        assert_eq!(retake_reasons(kind, &back, []), [], "{kind}");
        assert_eq!(kind_shown_instead(kind, &back), None, "{kind}");
    }
    assert_eq!(
        retake_reasons(DocumentType::IdCard, &back, []),
        [Reason::DocumentTypeMismatch]
    );
    assert_eq!(
        kind_shown_instead(DocumentType::IdCard, &back),
        Some(DocumentType::DrivingLicense)
    );
}

#[test]
fn files_that_nobody_watched_being_taken_are_never_approved_by_themselves() {
    let mut sent = selfie();
    sent.liveness.as_mut().unwrap().live = None;
    // Not even for the tenant that asks for the least.
    let policy = Policy {
        liveness_accept: Policy::LEAST_LIVENESS_ACCEPT,
        ..Policy::default()
    };
    let decision = judge(&[passport()], Some(&sent), &policy);
    assert_eq!(decision.verdict, Verdict::NeedsReview);
    assert_eq!(decision.reasons, [Reason::SelfieLivenessUncertain]);
    // A recording may fit one of many runs by chance.
    sent.liveness.as_mut().unwrap().live = Some(LiveFindings {
        answered_ms: vec![800],
        same_frames: true,
        watched: None,
        commitment: None,
        run: 4,
        repeated_frames: 0,
        unseen_turns: 0,
        flashes: None,
    });
    let decision = judge(&[passport()], Some(&sent), &policy);
    assert_eq!(decision.reasons, [Reason::SelfieLivenessUncertain]);
    // Of a turn that nobody saw begin, the head may be another picture.
    for (unseen_turns, verdict) in [(0, Verdict::Approved), (1, Verdict::NeedsReview)] {
        let live = sent.liveness.as_mut().unwrap().live.as_mut().unwrap();
        (live.run, live.unseen_turns) = (1, unseen_turns);
        let decision = judge(&[passport()], Some(&sent), &policy);
        assert_eq!(
            decision.verdict, verdict,
            "{unseen_turns} unseen: {:?}",
            decision.reasons
        );
    }
    // Watched, and then other pictures were sent.
    sent.liveness.as_mut().unwrap().live = Some(LiveFindings {
        answered_ms: vec![800],
        same_frames: false,
        watched: None,
        commitment: None,
        run: 1,
        repeated_frames: 0,
        unseen_turns: 0,
        flashes: None,
    });
    let decision = judge(&[passport()], Some(&sent), &policy);
    assert!(
        decision.reasons.contains(&Reason::SelfieInjectionSuspected),
        "{:?}",
        decision.reasons
    );
    assert_ne!(decision.verdict, Verdict::Approved);
}

/// Detects if a tenant that asks for more than anybody can show without the camera takes everybody without one for an attacker, and rejects them.
#[test]
fn nobody_is_taken_for_an_attacker_because_nobody_watched_or_because_a_sign_could_not_be_measured() {
    let policy = Policy {
        liveness_accept: 0.8,
        liveness_review: 0.5,
        reject_on_fraud_signals: true,
        ..Policy::default()
    };
    assert!(policy.is_sane());
    let doubtful: [fn(&mut LivenessFindings); 5] = [
        |found| found.live = None,
        |found| found.live.as_mut().unwrap().run = 4,
        |found| found.live.as_mut().unwrap().unseen_turns = 1,
        |found| found.movements[0].plane_residual = None,
        |found| found.same_person_distance = None,
    ];
    for (case, change) in doubtful.into_iter().enumerate() {
        let mut seen = selfie();
        change(seen.liveness.as_mut().unwrap());
        let decision = judge(&[passport()], Some(&seen), &policy);
        assert_eq!(decision.reasons, [Reason::SelfieLivenessUncertain], "{case}");
        assert_eq!(decision.verdict, Verdict::NeedsReview, "{case}");
    }
    // A face as flat as a picture was measured, in files as well.
    for is_watched in [true, false] {
        let mut flat = selfie();
        let found = flat.liveness.as_mut().unwrap();
        found.movements[0].plane_residual = Some(0.05);
        found.live = found.live.take().filter(|_| is_watched);
        let decision = judge(&[passport()], Some(&flat), &policy);
        assert_eq!(decision.reasons, [Reason::SelfieLivenessFailed], "{is_watched}");
        assert_eq!(decision.verdict, Verdict::Rejected, "{is_watched}");
    }
}

/// Detects if somebody who chooses the same photo for both fields of the form is taken for a picture before the camera.
#[test]
fn a_file_that_was_chosen_twice_is_no_attack_and_a_picture_that_does_not_move_before_the_camera_is_one() {
    let policy = Policy {
        reject_on_fraud_signals: true,
        ..Policy::default()
    };
    let judged = |live: Option<LiveFindings>| {
        let mut seen = selfie();
        let found = seen.liveness.as_mut().unwrap();
        (found.still, found.live) = (true, live);
        (found.movements[0].extent, found.movements[0].plane_residual) = (0.0, None);
        judge(&[passport()], Some(&seen), &policy)
    };
    let chosen = judged(None);
    assert_eq!(chosen.verdict, Verdict::NeedsReview);
    assert_eq!(
        chosen.reasons,
        [Reason::SelfieChallengeNotFollowed, Reason::SelfieLivenessUncertain]
    );
    let watched = judged(selfie().liveness.unwrap().live);
    assert_eq!(watched.verdict, Verdict::Rejected);
    assert!(
        watched.reasons.contains(&Reason::SelfieLivenessFailed),
        "{:?}",
        watched.reasons
    );
}

/// A crop whose cells are scattered by this number.
fn crop(number: usize) -> FaceCrop {
    let cells = (1..=FaceCrop::COLUMNS * FaceCrop::ROWS).map(|cell| (cell * cell * number % 251) as u8);
    FaceCrop::new(cells.collect()).unwrap()
}

/// Detects if a portrait that is animated, so that no edge of a card is seen, is taken for its holder.
#[test]
fn a_selfie_with_the_details_of_the_portrait_is_the_portrait_itself() {
    let cases = [
        (None, crop(3), Verdict::Approved),
        (Some(crop(7)), crop(3), Verdict::Approved),
        (Some(crop(3)), crop(3), Verdict::NeedsReview),
        (Some(crop(3).mirrored()), crop(3), Verdict::NeedsReview),
    ];
    for (portrait, face, verdict) in cases {
        let page = DocumentFindings {
            portrait_crop: portrait,
            ..passport()
        };
        let seen = SelfieFindings {
            face_crop: Some(face),
            ..selfie()
        };
        let decision = judge(&[page], Some(&seen), &Policy::default());
        assert_eq!(decision.verdict, verdict, "{:?}", decision.reasons);
        if verdict == Verdict::NeedsReview {
            assert_eq!(decision.reasons, [Reason::SelfieIsDocumentPhoto]);
        }
    }
}

/// Detects if one frame that was made up of two faces joins their owners: the portrait's, and whoever answered the requests.
#[test]
fn every_face_that_the_server_watched_must_be_like_the_portrait() {
    let mut seen = selfie();
    for (watched, verdict) in [
        (vec![0.45, 0.5], Verdict::Approved),
        (vec![0.45, 0.6], Verdict::Approved),
        (vec![0.45, 0.65, 0.4], Verdict::NeedsReview),
    ] {
        seen.watched_faces = watched.iter().map(|distance| face(*distance)).collect();
        let decision = judge(&[passport()], Some(&seen), &Policy::default());
        assert_eq!(decision.verdict, verdict, "{watched:?}: {:?}", decision.reasons);
        if verdict == Verdict::NeedsReview {
            assert_eq!(decision.reasons, [Reason::SelfieFaceMatchUncertain]);
        }
    }
}

/// Detects if somebody who looks like the portrait's owner can take over after the first movement.
#[test]
fn the_straight_faces_that_the_server_watched_must_be_like_each_other() {
    let strict = Policy {
        reject_on_fraud_signals: true,
        ..Policy::default()
    };
    let mut seen = selfie();
    for (watched, verdict) in [
        (vec![0.3, 0.5], Verdict::Approved),
        (vec![0.0, 0.45], Verdict::Approved),
        // Far from the best face, though near the portrait.
        (vec![0.3, -0.15], Verdict::NeedsReview),
        // Each near the best face and the portrait.
        (vec![0.0, 0.55], Verdict::NeedsReview),
    ] {
        seen.watched_faces = watched.iter().map(|distance| face(*distance)).collect();
        let decision = judge(&[passport()], Some(&seen), &strict);
        assert_eq!(decision.verdict, verdict, "{watched:?}: {:?}", decision.reasons);
        if verdict == Verdict::NeedsReview {
            assert_eq!(decision.reasons, [Reason::SelfieInjectionSuspected], "{watched:?}");
        }
    }
}

/// Detects if frames that were altered after the server had watched them are approved, and if a page that does not name its files looks like fraud.
#[test]
fn frames_other_than_those_the_browser_committed_itself_to_are_suspicious_and_without_a_commitment_a_person_looks() {
    let cases: [(Option<Commitment>, &[Reason]); 4] = [
        (None, &[]),
        (Some(Commitment::Kept), &[]),
        (Some(Commitment::Absent), &[Reason::SelfieLivenessUncertain]),
        (Some(Commitment::Broken), &[Reason::SelfieInjectionSuspected]),
    ];
    for (commitment, reasons) in cases {
        let mut sent = selfie();
        let live = sent.liveness.as_mut().unwrap().live.as_mut().unwrap();
        live.commitment = commitment;
        let decision = judge(&[passport()], Some(&sent), &Policy::default());
        assert_eq!(decision.reasons, reasons, "{commitment:?}");
        assert_eq!(decision.verdict == Verdict::Approved, reasons.is_empty());
    }
}

#[test]
fn one_file_that_another_session_sent_before_is_suspicious() {
    for repeated_files in [0, 1] {
        let mut sent = SelfieFindings {
            repeated_files,
            ..selfie()
        };
        sent.liveness = None;
        let decision = judge(&[passport()], Some(&sent), &Policy::default());
        let suspected = decision.reasons.contains(&Reason::SelfieInjectionSuspected);
        assert_eq!(suspected, repeated_files > 0, "{:?}", decision.reasons);
    }
}

/// Detects if somebody who chooses the same photo again after their session has expired is rejected before a person has looked.
#[test]
fn a_file_that_another_session_sent_before_rejects_nobody_by_itself() {
    let policy = Policy {
        reject_on_fraud_signals: true,
        ..Policy::default()
    };
    let mut sent = SelfieFindings {
        repeated_files: 1,
        ..selfie()
    };
    sent.liveness.as_mut().unwrap().live = None;
    for (distance, verdict) in [(0.3, Verdict::NeedsReview), (0.9, Verdict::Rejected)] {
        // Two people in the files are a sign of their own.
        sent.liveness.as_mut().unwrap().same_person_distance = Some(distance);
        let decision = judge(&[passport()], Some(&sent), &policy);
        assert_eq!(decision.verdict, verdict, "{distance}: {:?}", decision.reasons);
        assert!(
            decision.reasons.contains(&Reason::SelfieInjectionSuspected),
            "{distance}"
        );
    }
}

/// A selfie whose watched frames, two for each movement, show a face with this yaw and distance between the eyes; `None`: nobody.
fn watched(movements: &[Challenge], shown: &[Option<(f32, f32)>]) -> SelfieFindings {
    let mut seen = selfie();
    let poses = (0..).zip(shown).filter_map(|(frame, shown)| {
        let (yaw, eye_distance) = (*shown)?;
        Some(Pose {
            frame,
            yaw,
            eye_distance,
        })
    });
    seen.poses = poses.collect();
    let found = seen.liveness.as_mut().unwrap();
    found.movements = movements
        .iter()
        .map(|challenge| Movement {
            challenge: *challenge,
            extent: 1.5,
            plane_residual: Some(0.15),
        })
        .collect();
    found.live.as_mut().unwrap().watched = Some((0..u32::try_from(shown.len()).unwrap()).collect());
    seen
}

#[test]
fn the_frames_that_were_watched_must_show_in_the_burst_what_they_showed_then() {
    let asked = [Challenge::TurnLeft, Challenge::ComeCloser];
    let (straight, left, close) = (Some((0.02, 0.2)), Some((0.31, 0.2)), Some((0.03, 0.26)));
    let reasons = |shown: &[Option<(f32, f32)>]| {
        let decision = judge(&[passport()], Some(&watched(&asked, shown)), &Policy::default());
        decision.reasons
    };
    assert_eq!(reasons(&[straight, left, straight, close]), []);
    // Measured again in a larger picture, a turn may be a little smaller.
    assert_eq!(reasons(&[straight, Some((0.15, 0.2)), straight, close]), []);
    for shown in [
        // Altered so that nobody is found in it.
        [straight, None, straight, close],
        [None, left, straight, close],
        [straight, Some((-0.31, 0.2)), straight, close],
        [straight, straight, straight, close],
        [straight, left, straight, straight],
        // Turned before it was asked for.
        [left, left, straight, close],
    ] {
        assert_eq!(reasons(&shown), [Reason::SelfieInjectionSuspected], "{shown:?}");
    }
    assert_eq!(reasons(&[straight, left]), [Reason::SelfieInjectionSuspected]);
}

#[test]
fn the_requests_that_the_watched_frames_do_not_show_are_known_by_their_numbers() {
    let asked = [Challenge::TurnLeft, Challenge::ComeCloser];
    let (straight, left, close) = (Some((0.02, 0.2)), Some((0.31, 0.2)), Some((0.03, 0.26)));
    for (shown, expected) in [
        (vec![straight, left, straight, close], Vec::<usize>::new()),
        (vec![straight, straight, straight, close], vec![0]),
        (vec![straight, left, straight, None], vec![1]),
        (vec![straight, left], vec![1]),
        (vec![], vec![0, 1]),
    ] {
        let seen = watched(&asked, &shown);
        let live = seen.liveness.unwrap().live.unwrap();
        let found = unfollowed_requests(&asked, &live.watched.unwrap(), &seen.poses);
        assert_eq!(found, expected, "{shown:?}");
    }
}

#[test]
fn a_sign_that_could_not_be_looked_for_goes_to_a_person() {
    let unmeasured: [fn(&mut SelfieSigns); 5] = [
        |signs| signs.grid = None,
        |signs| signs.eyes_covered = None,
        |signs| signs.mouth_covered = None,
        |signs| signs.eyes_covered = Some(f32::NAN),
        |signs| signs.mouth_covered = Some(f32::NAN),
    ];
    for remove in unmeasured {
        let mut seen = selfie();
        remove(&mut seen.signs);
        let decision = judge(&[passport()], Some(&seen), &Policy::default());
        assert_eq!(decision.verdict, Verdict::NeedsReview);
        assert_eq!(decision.reasons, [Reason::SelfieLivenessUncertain]);
    }
}

#[test]
fn a_small_or_blurred_face_is_never_said_to_be_another_persons() {
    let clear = (passport(), {
        let mut seen = selfie();
        seen.face = Some(face(0.9));
        seen
    });
    let reasons = |change: fn(&mut (DocumentFindings, SelfieFindings))| {
        let mut case = clear.clone();
        change(&mut case);
        judge(&[case.0], Some(&case.1), &Policy::default()).reasons
    };
    assert_eq!(reasons(|_| ()), [Reason::SelfieFaceMismatch]);
    let unclear: [fn(&mut (DocumentFindings, SelfieFindings)); 3] = [
        |(page, _)| page.portrait.as_mut().unwrap().eye_distance = 15.0,
        |(page, _)| page.quality.sharpness = 0.2,
        |(_, seen)| seen.quality.sharpness = 0.1,
    ];
    for change in unclear {
        let found = reasons(change);
        assert!(found.contains(&Reason::SelfieFaceMatchUncertain), "{found:?}");
        assert!(!found.contains(&Reason::SelfieFaceMismatch), "{found:?}");
    }
}

/// Detects if somebody who cannot take off their mask, who has company, or whose document reflects the light is rejected by a comparison that says nothing.
#[test]
fn a_face_that_is_not_seen_whole_or_not_alone_is_never_said_to_be_another_persons() {
    let unclear: [fn(&mut DocumentFindings, &mut SelfieFindings); 8] = [
        |_, seen| seen.signs.mouth_covered = Some(1.0),
        |_, seen| seen.signs.eyes_covered = Some(1.0),
        // It looks aside.
        |_, seen| seen.signs.eyes_covered = None,
        |_, seen| seen.signs.mouth_covered = None,
        |_, seen| seen.faces = 2,
        |page, _| page.quality.glare = 0.2,
        |page, _| page.quality.exposure = 0.05,
        |page, _| page.quality.obstructed = Some(0.3),
    ];
    for (at, change) in unclear.into_iter().enumerate() {
        let mut page = passport();
        let mut seen = SelfieFindings {
            face: Some(face(0.9)),
            ..selfie()
        };
        change(&mut page, &mut seen);
        let decision = judge(&[page], Some(&seen), &Policy::default());
        assert_eq!(decision.verdict, Verdict::NeedsReview, "{at}: {:?}", decision.reasons);
        assert!(decision.reasons.contains(&Reason::SelfieFaceMatchUncertain), "{at}");
    }
}

#[test]
fn a_face_that_does_not_follow_the_screens_colours_goes_to_a_person_and_one_that_does_counts_no_more_than_before() {
    let liveness = |found: &SelfieFindings| liveness_confidence(found.liveness.as_ref().unwrap());
    for (followed, verdict) in [
        (Some(0.9), Verdict::Approved),
        (Some(0.74), Verdict::NeedsReview),
        (Some(-1.0), Verdict::NeedsReview),
        (Some(f32::NAN), Verdict::NeedsReview),
        (None, Verdict::NeedsReview),
    ] {
        let mut shown = selfie();
        let found = shown.liveness.as_mut().unwrap();
        found.live.as_mut().unwrap().flashes = Some(Vec::new());
        found.colours_followed = followed;
        let policy = Policy {
            reject_on_fraud_signals: true,
            ..Policy::default()
        };
        let decision = judge(&[passport()], Some(&shown), &policy);
        assert_eq!(decision.verdict, verdict, "{followed:?}");
        let uncertain = decision.reasons == [Reason::SelfieLivenessUncertain];
        assert_eq!(uncertain, verdict != Verdict::Approved, "{followed:?}");
        assert_eq!(liveness(&shown).to_bits(), liveness(&selfie()).to_bits());
    }
}

#[test]
fn every_requested_movement_must_be_in_the_burst() {
    let mut two = selfie();
    let movements = &mut two.liveness.as_mut().unwrap().movements;
    movements.push(Movement {
        challenge: Challenge::ComeCloser,
        extent: 1.4,
        plane_residual: None,
    });
    let policy = Policy::default();
    assert_eq!(judge(&[passport()], Some(&two), &policy).verdict, Verdict::Approved);
    for (at, too_little) in [(0, 0.1), (1, 1.05)] {
        let mut less = two.clone();
        less.liveness.as_mut().unwrap().movements[at].extent = too_little;
        let decision = judge(&[passport()], Some(&less), &policy);
        assert!(decision.reasons.contains(&Reason::SelfieChallengeNotFollowed), "{at}");
        assert_ne!(decision.verdict, Verdict::Approved, "{at}");
    }
}

#[test]
fn a_turn_whose_solidity_could_not_be_measured_goes_to_a_person_however_solid_another_one_was() {
    for (residual, verdict) in [
        (Some(0.15), Verdict::Approved),
        (Some(f32::NAN), Verdict::NeedsReview),
        (None, Verdict::NeedsReview),
    ] {
        let mut two = selfie();
        two.liveness.as_mut().unwrap().movements.push(Movement {
            challenge: Challenge::TurnLeft,
            extent: 0.5,
            plane_residual: residual,
        });
        let decision = judge(&[passport()], Some(&two), &Policy::default());
        assert_eq!(decision.verdict, verdict, "{residual:?}");
    }
}

#[test]
fn somebody_elses_head_in_the_turn_is_no_verification() {
    // The nearest that two different people's heads came in rendered recordings, and the furthest that one person's own did, but for one.
    for (distance, verdict) in [(0.545, Verdict::Approved), (0.651, Verdict::NeedsReview)] {
        let mut turned = selfie();
        turned.liveness.as_mut().unwrap().turned_person_distance = Some(distance);
        let decision = judge(&[passport()], Some(&turned), &Policy::default());
        assert_eq!(decision.verdict, verdict, "{distance}");
        let suspected = decision.reasons.contains(&Reason::SelfieInjectionSuspected);
        assert_eq!(suspected, verdict != Verdict::Approved, "{distance}");
    }
}

#[test]
fn findings_of_one_unwatched_turn_are_still_read_as_they_counted() {
    let stored = r#"{"challenge":"turn_right","frontal_yaw":0.02,"turned_yaw":0.5,"plane_residual":0.15,
        "same_person_distance":0.3,"still":false}"#;
    let found: LivenessFindings = serde_json::from_str(stored).unwrap();
    assert_eq!(found.movements[0].challenge, Challenge::TurnRight);
    assert!(liveness_confidence(&found) > 0.8);
    let again: LivenessFindings = serde_json::from_value(serde_json::to_value(&found).unwrap()).unwrap();
    assert_eq!(again, found);
}

#[test]
fn a_tiny_portrait_never_proves_that_it_is_somebody_else() {
    let mut page = passport();
    let mut other = selfie();
    other.face = Some(face(0.9));
    let reasons = |page: &DocumentFindings, other: &SelfieFindings| {
        judge(std::slice::from_ref(page), Some(other), &Policy::default()).reasons
    };
    assert!(reasons(&page, &other).contains(&Reason::SelfieFaceMismatch));
    page.portrait.as_mut().unwrap().eye_distance = 11.0;
    let doubtful = reasons(&page, &other);
    assert!(doubtful.contains(&Reason::SelfieFaceMatchUncertain) && !doubtful.contains(&Reason::SelfieFaceMismatch));
}

#[test]
fn a_passive_network_can_send_a_selfie_to_a_person_and_nothing_else() {
    let seen = |score, liveness| SelfieFindings {
        passive: Some(PassiveFindings {
            model: "passive".into(),
            score,
            limit: 0.7,
        }),
        liveness,
        ..selfie()
    };
    let alive = selfie().liveness;
    for (score, liveness, verdict) in [
        (0.9, alive.clone(), Verdict::Approved),
        (0.1, alive.clone(), Verdict::NeedsReview),
        (f32::NAN, alive, Verdict::NeedsReview),
        (1.0, None, Verdict::NeedsReview),
    ] {
        let decision = judge(&[passport()], Some(&seen(score, liveness)), &Policy::default());
        assert_eq!(decision.verdict, verdict, "{score}: {:?}", decision.reasons);
    }
}

/// Planted faults that this test detects: a person is told of a mask that nobody wears; what cannot be seen through stray light counts as bare.
#[test]
fn a_face_that_looks_covered_behind_stray_light_leads_to_a_person_who_is_not_told_of_a_mask() {
    let mut seen = selfie();
    seen.signs.eyes_covered = Some(0.9);
    for (face_range, reason) in [
        (None, Reason::SelfieFaceCovered),
        (Some([0.32, 0.69]), Reason::SelfieFaceCovered),
        (Some([0.55, 0.77]), Reason::SelfieLowQuality),
    ] {
        seen.quality.face_range = face_range;
        let decision = judge(&[passport()], Some(&seen), &Policy::default());
        assert_eq!(decision.verdict, Verdict::NeedsReview, "{face_range:?}");
        assert_eq!(decision.reasons, [reason], "{face_range:?}");
    }
}

#[test]
fn the_limits_that_people_are_shown_are_those_that_decide() {
    let page = DocumentFindings {
        grey_share: Some(0.2),
        raster_z: Some(3.0),
        portrait_repeated: Some(0.1),
        ..passport()
    };
    let policy = Policy {
        match_accept: 0.9,
        liveness_accept: 0.7,
        ..Policy::default()
    };
    let mut seen = selfie();
    seen.signs = SelfieSigns {
        eyes_covered: Some(0.1),
        mouth_covered: Some(0.1),
        grid: Some(0.7),
        in_card: Some(1.0),
    };
    let scores = judge(&[page], Some(&seen), &policy).scores;
    assert!(scores.len() > 10, "{scores:?}");
    for score in scores {
        let Named::Known(name) = score.name else { continue };
        if let Some(limit) = limit(name, &policy) {
            assert_eq!(score.threshold, limit, "{name}");
        }
    }
}
