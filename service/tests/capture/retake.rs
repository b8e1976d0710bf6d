//! A picture of another document or of the wrong side is requested again before the submit, whenever its analysis ends; if the
//! user insists, the session goes to review.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use domain::{
    document::{DocumentType, Side},
    findings::{DocumentFindings, MrzFormat, Quality},
    outcome::Verdict,
    reasons::Reason,
    secret::Personal,
    session::Status,
};
use service::{
    access::Applicant,
    capture::{
        check::{Checked, PhotoChoice},
        choose_document::{Photos, choose_document},
        details::{details, save_details},
        progress::{Next, StepRefused, progress},
        retake::{ToCheck, to_check},
        submit::{submit, summary},
        take::capture_document,
    },
};
use testkit::{
    Harness,
    analyser::{GOOD, passport},
    applicant::details as typed_details,
};

/// The back of a TD1 card: its zone, no portrait.
fn back_of_card() -> DocumentFindings {
    let mut card = passport();
    let zone = card.mrz.as_mut().unwrap();
    zone.format = MrzFormat::Td1;
    zone.lines = vec!["I<UTOD231458907".into()];
    (card.portrait, card.viz_agreement) = (None, None);
    card
}

/// The front of the same card.
fn front_of_card() -> DocumentFindings {
    DocumentFindings {
        mrz: None,
        viz_agreement: None,
        quality: GOOD,
        ..passport()
    }
}

async fn photograph(harness: &Harness, applicant: &Applicant, side: Side, shows: DocumentFindings) {
    harness.analyser.see_document(shows);
    let bytes = format!("{side} {}", harness.analyser.looks()).into_bytes();
    let asked_for = progress(&harness.honnin, applicant).await.unwrap().document_type();
    capture_document(&harness.honnin, applicant, asked_for.unwrap(), side, bytes)
        .await
        .unwrap();
}

async fn analysed(harness: &Harness, applicant: &Applicant) -> ToCheck {
    harness.run_until_idle().await;
    to_check(&harness.honnin, applicant).await.unwrap()
}

async fn keep(harness: &Harness, applicant: &Applicant, despite: &[Reason]) {
    harness
        .check_photo(applicant, PhotoChoice::Use(despite.to_vec()))
        .await
        .unwrap();
}

#[tokio::test]
async fn a_passport_shown_as_a_licence_is_asked_again_and_ends_in_review_where_it_is_insisted_on() {
    let harness = Harness::new().await;
    let (id, applicant) = harness.agreed().await;
    let honnin = &harness.honnin;
    choose_document(honnin, &applicant, DocumentType::DrivingLicense, Photos::KeepGood)
        .await
        .unwrap();
    let mismatch = [Reason::DocumentTypeMismatch];
    for side in [Side::Front, Side::Back] {
        photograph(&harness, &applicant, side, passport()).await;
        let shown = analysed(&harness, &applicant).await;
        assert_eq!(
            (shown.side, shown.problems.as_slice(), shown.looks_like, shown.analysed),
            (side, mismatch.as_slice(), Some(DocumentType::Passport), true)
        );
        // A page from before the analysis did not show the problem, so its button does not accept it.
        keep(&harness, &applicant, &[]).await;
        assert_eq!(harness.next(&applicant).await, Next::Check(side));
        keep(&harness, &applicant, &mismatch).await;
    }
    details(honnin, &applicant).await.unwrap();
    let mut form = typed_details();
    (form.last_name_kana, form.first_name_kana) = ("たなか".into(), "はなこ".into());
    save_details(honnin, &applicant, &Personal::new(form)).await.unwrap();
    harness.selfie(&applicant).await;
    submit(honnin, &applicant).await.unwrap();
    harness.run_until_idle().await;
    let detail = harness.detail(&id).await;
    assert_eq!(detail.status, Status::Reviewing);
    let outcome = detail.outcome.unwrap();
    assert_eq!(outcome.verdict, Verdict::NeedsReview);
    assert!(
        outcome.reasons.contains(&Reason::DocumentTypeMismatch.into()),
        "{:?}",
        outcome.reasons
    );
}

#[tokio::test]
async fn what_is_found_after_the_photo_was_used_is_asked_again_before_the_submit() {
    for late in ["details", "summary", "submit"] {
        let harness = Harness::new().await;
        let (_, applicant) = harness.agreed().await;
        let honnin = &harness.honnin;
        choose_document(honnin, &applicant, DocumentType::Passport, Photos::KeepGood)
            .await
            .unwrap();
        photograph(&harness, &applicant, Side::Front, back_of_card()).await;
        keep(&harness, &applicant, &[]).await;
        let asked_again = match late {
            "details" => {
                harness.run_until_idle().await;
                details(honnin, &applicant).await.err()
            }
            _ => {
                harness.type_details(&applicant).await;
                harness.selfie(&applicant).await;
                harness.run_until_idle().await;
                match late {
                    "summary" => summary(honnin, &applicant).await.err(),
                    _ => submit(honnin, &applicant).await.err(),
                }
            }
        };
        assert!(
            matches!(asked_again, Some(StepRefused::OutOfTurn)),
            "{late}: {asked_again:?}"
        );
        let shown = to_check(honnin, &applicant).await.unwrap();
        assert_eq!(
            (shown.problems.as_slice(), shown.looks_like),
            ([Reason::DocumentTypeMismatch].as_slice(), Some(DocumentType::IdCard))
        );
        // Once insisted on, it is not requested a third time.
        keep(&harness, &applicant, &shown.problems).await;
        assert_ne!(harness.next(&applicant).await, Next::Check(Side::Front), "{late}");
        details(honnin, &applicant).await.unwrap();
    }
}

/// A passport whose quality the analysis judges so.
fn judged(quality: Quality) -> DocumentFindings {
    DocumentFindings { quality, ..passport() }
}

/// Planted fault that this test detects: what the analysis finds counts as shown because it is stored with the photo.
#[tokio::test]
async fn what_hides_the_document_is_asked_again_once_if_it_is_found_after_the_photo_was_used() {
    const COVERED: [Reason; 2] = [Reason::DocumentCutOff, Reason::DocumentObstructed];
    let harness = Harness::new().await;
    let (_, applicant) = harness.agreed().await;
    let honnin = &harness.honnin;
    choose_document(honnin, &applicant, DocumentType::Passport, Photos::KeepGood)
        .await
        .unwrap();
    let covered = judged(Quality {
        cut_off: Some(true),
        obstructed: Some(1.0),
        ..GOOD
    });
    photograph(&harness, &applicant, Side::Front, covered).await;
    keep(&harness, &applicant, &[]).await;
    harness.type_details(&applicant).await;
    harness.selfie(&applicant).await;
    assert_eq!(harness.next(&applicant).await, Next::Submit);
    harness.run_until_idle().await;
    let asked_again = submit(honnin, &applicant).await;
    assert!(matches!(asked_again, Err(StepRefused::OutOfTurn)), "{asked_again:?}");
    assert_eq!(to_check(honnin, &applicant).await.unwrap().problems, COVERED);
    keep(&harness, &applicant, &COVERED).await;
    submit(honnin, &applicant).await.unwrap();
    harness.run_until_idle().await;
}

#[tokio::test]
async fn what_the_analysis_finds_is_not_asked_again_where_the_page_had_said_it_or_worse() {
    let blurry = Quality { sharpness: 0.1, ..GOOD };
    let tiny = Quality {
        coverage: Some(0.05),
        ..GOOD
    };
    let cut_off = Quality {
        cut_off: Some(true),
        ..blurry
    };
    for (at_first, shown, later) in [
        (blurry, Reason::DocumentBlurry, blurry),
        (tiny, Reason::DocumentNotFound, cut_off),
    ] {
        let harness = Harness::new().await;
        let (_, applicant) = harness.agreed().await;
        let honnin = &harness.honnin;
        choose_document(honnin, &applicant, DocumentType::Passport, Photos::KeepGood)
            .await
            .unwrap();
        harness.analyser.judge(at_first);
        photograph(&harness, &applicant, Side::Front, judged(later)).await;
        keep(&harness, &applicant, &[shown]).await;
        harness.run_until_idle().await;
        let asked_again = details(honnin, &applicant).await.err();
        assert!(asked_again.is_none(), "{shown:?}: {asked_again:?}");
    }
}

#[tokio::test]
async fn two_sides_from_two_tabs_that_show_one_side_are_told_apart_whatever_their_order() {
    for first in [Side::Front, Side::Back] {
        let harness = Harness::new().await;
        let (_, applicant) = harness.agreed().await;
        choose_document(&harness.honnin, &applicant, DocumentType::IdCard, Photos::KeepGood)
            .await
            .unwrap();
        let second = if first == Side::Front { Side::Back } else { Side::Front };
        for side in [first, second] {
            photograph(&harness, &applicant, side, back_of_card()).await;
        }
        let shown = analysed(&harness, &applicant).await;
        assert_eq!(
            (shown.side, shown.problems.as_slice()),
            (Side::Front, [Reason::DocumentWrongSide].as_slice())
        );
        harness.check_photo(&applicant, PhotoChoice::Retake).await.unwrap();
        photograph(&harness, &applicant, Side::Front, front_of_card()).await;
        assert_eq!(analysed(&harness, &applicant).await.problems, []);
        keep(&harness, &applicant, &[]).await;
        assert_eq!(analysed(&harness, &applicant).await.problems, []);
        keep(&harness, &applicant, &[]).await;
        assert_eq!(harness.next(&applicant).await, Next::Details);
    }
}

#[tokio::test]
async fn another_kind_chosen_after_the_photograph_is_judged_by_its_own_photographs() {
    let harness = Harness::new().await;
    let (_, applicant) = harness.agreed().await;
    let honnin = &harness.honnin;
    choose_document(honnin, &applicant, DocumentType::Passport, Photos::KeepGood)
        .await
        .unwrap();
    photograph(&harness, &applicant, Side::Front, passport()).await;
    assert_eq!(analysed(&harness, &applicant).await.problems, []);
    keep(&harness, &applicant, &[]).await;
    choose_document(honnin, &applicant, DocumentType::DrivingLicense, Photos::KeepGood)
        .await
        .unwrap();
    assert_eq!(harness.next(&applicant).await, Next::Photograph(Side::Front));
    photograph(&harness, &applicant, Side::Front, passport()).await;
    assert_eq!(
        analysed(&harness, &applicant).await.problems,
        [Reason::DocumentTypeMismatch]
    );
}

/// A photo in which the card is small, cut off and blurred, and something was taken for its outline.
fn far_away() -> DocumentFindings {
    let mut far = passport();
    far.quality = Quality {
        coverage: Some(0.05),
        cut_off: Some(true),
        sharpness: 0.1,
        ..GOOD
    };
    far.outline = Some([[0.0, 0.0], [9.0, 0.0], [9.0, 6.0], [0.0, 6.0]]);
    far
}

/// Planted faults that this test detects: showing the same page again without a word, and a straightened crop of no document.
#[tokio::test]
async fn what_was_found_after_the_choice_is_told_and_a_document_that_was_not_found_is_not_straightened() {
    let harness = Harness::new().await;
    let (_, applicant) = harness.agreed().await;
    choose_document(&harness.honnin, &applicant, DocumentType::Passport, Photos::KeepGood)
        .await
        .unwrap();
    photograph(&harness, &applicant, Side::Front, far_away()).await;
    let shown = analysed(&harness, &applicant).await;
    assert_eq!(
        shown.problems,
        [Reason::DocumentNotFound],
        "the rest was measured on something else"
    );
    assert!(!shown.straight);
    let choice = PhotoChoice::Use(vec![Reason::DocumentGlare]);
    let found = harness.check_photo(&applicant, choice).await.unwrap();
    assert_eq!(found, Checked::FoundMore(vec![Reason::DocumentNotFound]));
    assert_eq!(harness.next(&applicant).await, Next::Check(Side::Front));
    let done = harness
        .check_photo(&applicant, PhotoChoice::Use(shown.problems))
        .await
        .unwrap();
    assert_eq!(done, Checked::Done);
    assert_eq!(harness.next(&applicant).await, Next::Details);
}

#[tokio::test]
async fn whoever_uses_a_photo_without_a_document_is_not_told_that_it_is_blurred() {
    let harness = Harness::new().await;
    let (_, applicant) = harness.agreed().await;
    choose_document(&harness.honnin, &applicant, DocumentType::Passport, Photos::KeepGood)
        .await
        .unwrap();
    let mut nearer = far_away();
    nearer.quality.coverage = Some(0.5);
    photograph(&harness, &applicant, Side::Front, nearer).await;
    let shown = analysed(&harness, &applicant).await;
    assert_eq!(shown.problems, [Reason::DocumentCutOff, Reason::DocumentBlurry]);
    assert!(shown.straight);
    let choice = PhotoChoice::Use(vec![Reason::DocumentNotFound]);
    assert_eq!(harness.check_photo(&applicant, choice).await.unwrap(), Checked::Done);
}
