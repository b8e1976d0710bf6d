//! Pictures: taken in turn, stored encrypted, retaken within limits, analysed once.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use domain::{
    document::{DocumentType, FieldName, Side},
    findings::{DocumentFindings, FieldRegion, LayoutReading, Quality, SelfieFindings, Unavailable},
    live::MAX_FRAMES,
    reasons::Reason,
    session::{Status, Step},
    tenant::TenantSettings,
    time::Millis,
    user_input::InputField,
};
use service::{
    access::Applicant,
    capture::{
        check::{Checked, PhotoChoice, check_picture},
        choose_document::{Photos, choose_document},
        details::printed,
        progress::{Next, Slot, StepRefused, progress},
        rectify::View,
        retake::to_check,
        show_picture::show_picture,
        strips::Items,
        take::{Answers, Burst, CaptureError, MOST_UNUSED, capture_document, capture_selfie, challenge},
    },
    runtime::analyser::PictureFault,
    session::rate_limit::CreationRate,
};
use store::capture::{
    captures::{self, CaptureRow},
    pictures::Pictures,
};
use testkit::{
    Harness,
    analyser::{GOOD, holder, passport},
    applicant::agree,
};

async fn list(harness: &Harness, applicant: &Applicant) -> Vec<CaptureRow> {
    let (id, attempt) = (applicant.session().clone(), applicant.attempt());
    harness
        .read(async move |tx| captures::list(tx, &id, attempt).await)
        .await
}

async fn choose(harness: &Harness, applicant: &Applicant, kind: DocumentType) {
    choose_document(&harness.honnin, applicant, kind, Photos::KeepGood)
        .await
        .unwrap();
}

/// Sends a photo of the front.
async fn photograph(harness: &Harness, applicant: &Applicant, kind: DocumentType, photo: &[u8]) {
    capture_document(&harness.honnin, applicant, kind, Side::Front, photo.to_vec())
        .await
        .unwrap();
}

#[tokio::test]
async fn each_step_follows_from_what_is_stored_and_survives_a_restart() {
    let mut harness = Harness::new().await;
    let created = harness.create().await;
    let applicant = harness.start(&created).await;
    assert_eq!(harness.next(&applicant).await, Next::Consent);
    agree(&harness.honnin, &applicant, None).await.unwrap();
    assert_eq!(harness.next(&applicant).await, Next::Choose);
    choose(&harness, &applicant, DocumentType::IdCard).await;
    assert_eq!(harness.next(&applicant).await, Next::Photograph(Side::Front));
    photograph(&harness, &applicant, DocumentType::IdCard, b"front").await;
    harness.restart().await;
    assert_eq!(harness.next(&applicant).await, Next::Check(Side::Front));
    harness.check_photo(&applicant, PhotoChoice::Use(vec![])).await.unwrap();
    assert_eq!(harness.next(&applicant).await, Next::Photograph(Side::Back));
    capture_document(
        &harness.honnin,
        &applicant,
        DocumentType::IdCard,
        Side::Back,
        b"back".to_vec(),
    )
    .await
    .unwrap();
    harness.check_photo(&applicant, PhotoChoice::Use(vec![])).await.unwrap();
    assert_eq!(harness.next(&applicant).await, Next::Details);
    harness.type_details(&applicant).await;
    assert_eq!(harness.next(&applicant).await, Next::Selfie);
    harness.selfie(&applicant).await;
    assert_eq!(harness.next(&applicant).await, Next::Submit);
    harness.run_until_idle().await;
}

#[tokio::test]
async fn what_is_no_picture_is_told_apart_and_costs_no_try() {
    let harness = Harness::new().await;
    let (_, applicant) = harness.agreed().await;
    choose(&harness, &applicant, DocumentType::Passport).await;
    for (bytes, fault) in [
        (&b"text"[..], PictureFault::NotAPicture),
        (b"heic", PictureFault::Heic),
        (b"short", PictureFault::Truncated),
    ] {
        let refused = capture_document(
            &harness.honnin,
            &applicant,
            DocumentType::Passport,
            Side::Front,
            bytes.to_vec(),
        )
        .await;
        assert!(
            matches!(refused, Err(CaptureError::Picture(found)) if found == fault),
            "{refused:?}"
        );
    }
    let attempt = progress(&harness.honnin, &applicant).await.unwrap();
    assert_eq!(attempt.tries_left(Slot::Document(Side::Front)), 5);
}

#[tokio::test]
async fn whoever_sends_damaged_pictures_without_end_has_to_wait_and_good_ones_do_not_count() {
    let harness = Harness::new().await;
    let (_, applicant) = harness.agreed().await;
    choose(&harness, &applicant, DocumentType::Passport).await;
    let send = async |photo: &[u8]| {
        let photo = photo.to_vec();
        capture_document(&harness.honnin, &applicant, DocumentType::Passport, Side::Front, photo).await
    };
    // One that is sent twice because its response was lost, and then damaged ones.
    for _ in 0..2 {
        send(b"good").await.unwrap();
    }
    for _ in 0..MOST_UNUSED {
        let refused = send(b"short").await;
        assert!(
            matches!(refused, Err(CaptureError::Picture(PictureFault::Truncated))),
            "{refused:?}"
        );
    }
    for photo in [&b"short"[..], b"another"] {
        let refused = send(photo).await;
        assert!(matches!(refused, Err(CaptureError::Busy)), "{refused:?}");
    }
    harness.clock.advance(Millis::minutes(15));
    send(b"another").await.unwrap();
    harness.run_until_idle().await;
}

/// A phone sends it again until the server can.
#[tokio::test]
async fn a_picture_that_the_server_cannot_store_does_not_count_as_a_damaged_one() {
    let harness = Harness::new().await;
    let (_, applicant) = harness.agreed().await;
    choose(&harness, &applicant, DocumentType::Passport).await;
    harness.database.run("ALTER TABLE jobs RENAME TO elsewhere").await;
    for _ in 0..=MOST_UNUSED {
        let photo = b"good".to_vec();
        let refused = capture_document(&harness.honnin, &applicant, DocumentType::Passport, Side::Front, photo).await;
        assert!(
            matches!(refused, Err(CaptureError::StepRefused(StepRefused::Store(_)))),
            "{refused:?}"
        );
    }
    harness.database.run("ALTER TABLE elsewhere RENAME TO jobs").await;
    photograph(&harness, &applicant, DocumentType::Passport, b"good").await;
    harness.run_until_idle().await;
}

#[tokio::test]
async fn a_bad_picture_is_kept_with_its_problems_and_can_be_used_anyway() {
    let harness = Harness::new().await;
    let (_, applicant) = harness.agreed().await;
    choose(&harness, &applicant, DocumentType::Passport).await;
    harness.analyser.judge(Quality {
        sharpness: 0.01,
        exposure: 0.01,
        ..GOOD
    });
    photograph(&harness, &applicant, DocumentType::Passport, b"dark").await;
    let shown = progress(&harness.honnin, &applicant)
        .await
        .unwrap()
        .shown(Slot::Document(Side::Front))
        .unwrap();
    assert_eq!(shown.problems, [Reason::DocumentTooDark, Reason::DocumentBlurry]);
    // A user who was shown only one of them has not accepted both.
    for despite in [vec![], vec![Reason::DocumentBlurry]] {
        harness
            .check_photo(&applicant, PhotoChoice::Use(despite))
            .await
            .unwrap();
        assert_eq!(harness.next(&applicant).await, Next::Check(Side::Front));
    }
    harness
        .check_photo(&applicant, PhotoChoice::Use(shown.problems))
        .await
        .unwrap();
    assert_eq!(harness.next(&applicant).await, Next::Details);
    harness.run_until_idle().await;
}

#[tokio::test]
async fn after_the_last_try_it_goes_on_with_what_it_has() {
    let harness = Harness::new().await;
    let (_, applicant) = harness.agreed().await;
    choose(&harness, &applicant, DocumentType::Passport).await;
    for number in 1..=5_u8 {
        capture_document(
            &harness.honnin,
            &applicant,
            DocumentType::Passport,
            Side::Front,
            vec![number],
        )
        .await
        .unwrap();
        assert_eq!(harness.next(&applicant).await, Next::Check(Side::Front));
        harness.check_photo(&applicant, PhotoChoice::Retake).await.unwrap();
    }
    // The fifth can only be used, and a sixth is refused.
    assert_eq!(harness.next(&applicant).await, Next::Details);
    let refused = capture_document(
        &harness.honnin,
        &applicant,
        DocumentType::Passport,
        Side::Front,
        vec![6],
    )
    .await;
    assert!(matches!(refused, Err(CaptureError::NoTryLeft)), "{refused:?}");
    let taken = list(&harness, &applicant).await;
    assert_eq!(taken.iter().filter(|capture| capture.accepted_at.is_some()).count(), 1);
    assert_eq!(taken.len(), 5);
    // Another kind of document has no tries left either, and is no dead end.
    choose(&harness, &applicant, DocumentType::MyNumberCard).await;
    assert_eq!(harness.next(&applicant).await, Next::Details);
    harness.run_until_idle().await;
}

#[tokio::test]
async fn the_same_file_sent_again_because_its_answer_was_lost_counts_once() {
    let harness = Harness::new().await;
    let (_, applicant) = harness.agreed().await;
    choose(&harness, &applicant, DocumentType::Passport).await;
    for _ in 0..3 {
        photograph(&harness, &applicant, DocumentType::Passport, b"once").await;
    }
    assert_eq!(list(&harness, &applicant).await.len(), 1);
    harness.run_until_idle().await;
}

#[tokio::test]
async fn the_back_of_a_my_number_card_is_never_taken() {
    let harness = Harness::new().await;
    let (_, applicant) = harness.agreed().await;
    choose(&harness, &applicant, DocumentType::MyNumberCard).await;
    let refused = capture_document(
        &harness.honnin,
        &applicant,
        DocumentType::MyNumberCard,
        Side::Back,
        b"back".to_vec(),
    )
    .await;
    assert!(matches!(
        refused,
        Err(CaptureError::StepRefused(StepRefused::OutOfTurn))
    ));
    assert_eq!(harness.stored_pictures(&applicant).await, Vec::<String>::new());
}

fn back_of_my_number_card() -> DocumentFindings {
    let layout = LayoutReading {
        layout: "jp.my_number_card.back".into(),
        issuer: Some("JPN".into()),
        kind: DocumentType::MyNumberCard,
        also: vec![],
        side: Side::Back,
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

/// Planted faults that this test detects: a picture that is deleted before what was found in it is committed; one that stays if the process ends
/// between the two.
#[tokio::test]
async fn what_was_found_of_a_deleted_picture_is_kept_and_the_picture_is_not_whatever_fails_in_between() {
    const REFUSE: &str = "CREATE TRIGGER refuse BEFORE UPDATE OF finished_at ON jobs WHEN OLD.kind = 'analyse' AND NEW.finished_at IS NOT NULL
        BEGIN SELECT RAISE(ABORT, 'refused'); END";
    let harness = Harness::new().await;
    harness.analyser.see_document(back_of_my_number_card());
    let (session, applicant) = harness.agreed().await;
    choose(&harness, &applicant, DocumentType::Passport).await;
    photograph(&harness, &applicant, DocumentType::Passport, b"back").await;
    let stored = harness.stored_pictures(&applicant).await;
    harness.database.run(REFUSE).await;
    harness.run_until_idle().await;
    let none = Vec::<String>::new();
    assert_eq!(harness.stored_pictures(&applicant).await, none);
    let photo = to_check(&harness.honnin, &applicant).await.unwrap();
    assert!(!photo.kept && !photo.problems.is_empty(), "the applicant is told");
    // As if the process had ended before it was deleted.
    let sealed = b"sealed".to_vec();
    let pictures = Pictures::in_folder(&harness.folder().join("pictures")).unwrap();
    pictures.put(&session, &stored[0], sealed).await.unwrap();
    harness.database.run("DROP TRIGGER refuse").await;
    harness.wait(Millis::minutes(1)).await;
    assert_eq!(harness.stored_pictures(&applicant).await, none);
    assert_eq!(harness.analyser.looks(), 1);
}

#[tokio::test]
async fn a_picture_that_turns_out_to_be_the_back_of_a_my_number_card_is_deleted_at_once() {
    let harness = Harness::new().await;
    harness.analyser.see_document(back_of_my_number_card());
    for kind in [DocumentType::MyNumberCard, DocumentType::Passport] {
        let (_, applicant) = harness.agreed().await;
        choose(&harness, &applicant, kind).await;
        photograph(&harness, &applicant, kind, b"back").await;
        assert_eq!(harness.stored_pictures(&applicant).await.len(), 1);
        harness.run_until_idle().await;
        assert_eq!(
            harness.stored_pictures(&applicant).await,
            Vec::<String>::new(),
            "{kind}"
        );
        let photo = to_check(&harness.honnin, &applicant).await.unwrap();
        assert!(!photo.kept && !photo.problems.is_empty() && photo.read.expose().is_empty());
        let shown = show_picture(&harness.honnin, &applicant, &photo.id, 0, View::Whole).await;
        assert!(shown.unwrap().is_none());
        // It can still be taken again.
        harness.check_photo(&applicant, PhotoChoice::Retake).await.unwrap();
        assert_eq!(harness.next(&applicant).await, Next::Photograph(Side::Front));
    }
}

#[tokio::test]
async fn a_residence_card_with_an_individual_number_on_it_is_deleted_at_once() {
    let harness = Harness::new().await;
    harness.analyser.see_document(DocumentFindings {
        individual_number: true,
        mrz: None,
        ..passport()
    });
    let (_, applicant) = harness.agreed().await;
    choose(&harness, &applicant, DocumentType::ResidenceCard).await;
    photograph(&harness, &applicant, DocumentType::ResidenceCard, b"card").await;
    assert_eq!(harness.stored_pictures(&applicant).await.len(), 1);
    harness.run_until_idle().await;
    assert_eq!(harness.stored_pictures(&applicant).await, Vec::<String>::new());
    let photo = to_check(&harness.honnin, &applicant).await.unwrap();
    assert!(!photo.kept && photo.read.expose().is_empty());
    assert!(photo.problems.contains(&Reason::DocumentWrongSide));
}

#[tokio::test]
async fn the_card_is_shown_straight_to_its_applicant_once_it_is_found() {
    let harness = Harness::new().await;
    harness.analyser.see_document(DocumentFindings {
        outline: Some([[1.0, 1.0], [9.0, 1.0], [9.0, 6.0], [1.0, 6.0]]),
        ..passport()
    });
    let (_, applicant) = harness.agreed().await;
    choose(&harness, &applicant, DocumentType::Passport).await;
    photograph(&harness, &applicant, DocumentType::Passport, b"card").await;
    for (analysed, expected) in [(false, &b"card"[..]), (true, b"straight card")] {
        if analysed {
            harness.run_until_idle().await;
        }
        let photo = to_check(&harness.honnin, &applicant).await.unwrap();
        assert_eq!(photo.straight, analysed);
        for (view, size) in [(View::Card, &b""[..]), (View::CardOnScreen, b"smaller ")] {
            let shown = show_picture(&harness.honnin, &applicant, &photo.id, 0, view).await;
            assert_eq!(*shown.unwrap().unwrap().expose(), [size, expected].concat(), "{view:?}");
        }
    }
}

#[tokio::test]
async fn the_items_of_the_form_are_shown_as_printed_to_their_applicant_only() {
    let harness = Harness::new().await;
    let region = |name, top: f32| FieldRegion {
        name,
        confidence: 0.9,
        corners: [[10.0, top], [110.0, top], [110.0, top + 20.0], [10.0, top + 20.0]],
    };
    harness.analyser.see_document(DocumentFindings {
        regions: vec![
            region(FieldName::DocumentNumber, 5.0),
            region(FieldName::LastName, 40.0),
            region(FieldName::BirthDate, 80.0),
        ],
        ..passport()
    });
    let (_, applicant) = harness.agreed().await;
    choose(&harness, &applicant, DocumentType::Passport).await;
    photograph(&harness, &applicant, DocumentType::Passport, b"card").await;
    harness.check_photo(&applicant, PhotoChoice::Use(vec![])).await.unwrap();
    let typed = View::Items(Items::Typed);
    let id = list(&harness, &applicant).await[0].id.clone();
    let look = async |who| show_picture(&harness.honnin, who, &id, 0, typed).await.unwrap();
    assert!(printed(&harness.honnin, &applicant).await.unwrap().is_empty());
    assert!(look(&applicant).await.is_none(), "nothing is known of it yet");
    harness.run_until_idle().await;
    let shown = printed(&harness.honnin, &applicant).await.unwrap();
    let fields: Vec<_> = shown.iter().map(|printed| printed.field).collect();
    assert_eq!(fields, [InputField::LastName, InputField::BirthDate]);
    assert!(shown.iter().all(|printed| printed.capture == id));
    assert_eq!(shown[1].strip.top, shown[0].strip.height, "one under the other");
    assert_eq!(look(&applicant).await.unwrap().expose(), b"2 strips of card");
    let (_, stranger) = harness.agreed().await;
    assert!(look(&stranger).await.is_none());
}

#[tokio::test]
async fn a_picture_is_sealed_on_disk_and_shown_to_its_applicant_only() {
    let harness = Harness::new().await;
    let (_, applicant) = harness.agreed().await;
    choose(&harness, &applicant, DocumentType::Passport).await;
    let canary = b"canary-picture-of-a-passport".to_vec();
    capture_document(
        &harness.honnin,
        &applicant,
        DocumentType::Passport,
        Side::Front,
        canary.clone(),
    )
    .await
    .unwrap();
    for file in files(harness.folder()) {
        let bytes = std::fs::read(&file).unwrap();
        assert!(
            !bytes.windows(canary.len()).any(|part| part == canary),
            "{}",
            file.display()
        );
    }
    let id = list(&harness, &applicant).await[0].id.clone();
    let shown = show_picture(&harness.honnin, &applicant, &id, 0, View::Whole)
        .await
        .unwrap()
        .unwrap();
    assert_eq!(shown.expose(), &canary);
    assert!(
        show_picture(&harness.honnin, &applicant, &id, 1, View::Whole)
            .await
            .unwrap()
            .is_none()
    );
    let (_, stranger) = harness.agreed().await;
    assert!(
        show_picture(&harness.honnin, &stranger, &id, 0, View::Whole)
            .await
            .unwrap()
            .is_none()
    );
    harness.run_until_idle().await;
}

fn files(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path))
        } else {
            found.push(path)
        }
    }
    found
}

#[tokio::test]
async fn two_tabs_share_one_attempt_and_an_old_page_changes_nothing() {
    let harness = Harness::new().await;
    let (_, applicant) = harness.agreed().await;
    harness.photograph(&applicant).await;
    // The second tab still shows the check of the photo.
    let shown = list(&harness, &applicant).await[0].id.clone();
    let stale = check_picture(&harness.honnin, &applicant, &shown, PhotoChoice::Retake).await;
    assert_eq!(stale.unwrap(), Checked::OutOfDate);
    // Whoever sends it twice is not told so.
    let again = check_picture(&harness.honnin, &applicant, &shown, PhotoChoice::Use(vec![])).await;
    assert_eq!(again.unwrap(), Checked::Done);
    harness.type_details(&applicant).await;
    let asked = challenge(&harness.honnin, &applicant).await.unwrap();
    assert_eq!(
        challenge(&harness.honnin, &applicant).await.unwrap(),
        asked,
        "reloading does not change the challenge"
    );
    harness.selfie(&applicant).await;
    let burst = Burst {
        answers: Answers::Challenge(asked.id),
        frames: vec![(0, vec![1]), (1, vec![2])],
    };
    let stale = capture_selfie(&harness.honnin, &applicant, burst).await;
    assert!(matches!(stale, Err(CaptureError::StepRefused(StepRefused::OutOfTurn))));
    assert_eq!(list(&harness, &applicant).await.len(), 2);
    harness.run_until_idle().await;
}

/// Planted faults that this test detects: storing a photo as the kind that is chosen now; taking another picture of a side that was accepted.
#[tokio::test]
async fn a_page_that_is_out_of_date_changes_neither_kind_nor_an_accepted_side() {
    let harness = Harness::new().await;
    let (_, applicant) = harness.agreed().await;
    let (passport, card) = (DocumentType::Passport, DocumentType::MyNumberCard);
    let send = async |kind, bytes: &[u8]| {
        let sent = capture_document(&harness.honnin, &applicant, kind, Side::Front, bytes.to_vec()).await;
        matches!(sent, Err(CaptureError::StepRefused(StepRefused::OutOfTurn)))
    };
    for kind in [passport, card] {
        choose_document(&harness.honnin, &applicant, kind, Photos::KeepGood)
            .await
            .unwrap();
    }
    assert!(send(passport, b"from the other tab").await);
    assert_eq!(list(&harness, &applicant).await.len(), 0);
    assert!(!send(card, b"card").await);
    harness.check_photo(&applicant, PhotoChoice::Use(vec![])).await.unwrap();
    assert!(send(card, b"from an old page").await);
    let taken = list(&harness, &applicant).await;
    let kept: Vec<_> = taken
        .iter()
        .map(|row| (row.document_type, row.accepted_at.is_some()))
        .collect();
    assert_eq!(kept, [(Some(card), true)]);
    assert_eq!(harness.stored_pictures(&applicant).await.len(), 1);
    harness.run_until_idle().await;
}

/// Planted faults that this test detects: discarding every photo, whichever kind is chosen; discarding none.
#[tokio::test]
async fn choosing_the_same_kind_again_keeps_the_good_photos_only() {
    let harness = Harness::new().await;
    let (passport, card) = (DocumentType::Passport, DocumentType::MyNumberCard);
    let (_, applicant) = harness.ready().await;
    choose(&harness, &applicant, passport).await;
    assert_eq!(harness.next(&applicant).await, Next::Submit, "nothing has changed");
    // Another kind, and back: the first photo is gone.
    for kind in [card, passport, card] {
        choose(&harness, &applicant, kind).await;
        assert_eq!(harness.next(&applicant).await, Next::Photograph(Side::Front));
    }
    // A good photo that waits to be checked still does.
    photograph(&harness, &applicant, card, b"good").await;
    choose(&harness, &applicant, card).await;
    assert_eq!(harness.next(&applicant).await, Next::Check(Side::Front));
    harness.check_photo(&applicant, PhotoChoice::Retake).await.unwrap();
    // One that was used despite its problems is taken again.
    harness.analyser.judge(Quality { exposure: 0.01, ..GOOD });
    photograph(&harness, &applicant, card, b"dark").await;
    harness
        .check_photo(&applicant, PhotoChoice::Use(vec![Reason::DocumentTooDark]))
        .await
        .unwrap();
    assert_ne!(harness.next(&applicant).await, Next::Photograph(Side::Front));
    choose(&harness, &applicant, card).await;
    assert_eq!(harness.next(&applicant).await, Next::Photograph(Side::Front));
    harness.run_until_idle().await;
}

/// Planted faults that this test detects: keeping the good photos although new ones are wanted; discarding the last when no tries are left.
#[tokio::test]
async fn good_photos_are_taken_again_if_the_user_says_so() {
    let harness = Harness::new().await;
    let kind = DocumentType::Passport;
    let (_, applicant) = harness.ready().await;
    let again = async || {
        choose_document(&harness.honnin, &applicant, kind, Photos::DiscardAll)
            .await
            .unwrap()
    };
    let may = async || {
        let attempt = progress(&harness.honnin, &applicant).await.unwrap();
        attempt.may_photograph_again()
    };
    for number in 2..=5_u8 {
        assert!(may().await);
        again().await;
        assert_eq!(harness.next(&applicant).await, Next::Photograph(Side::Front));
        assert!(!may().await, "there is none any more");
        photograph(&harness, &applicant, kind, &[number]).await;
        harness.check_photo(&applicant, PhotoChoice::Use(vec![])).await.unwrap();
        assert_eq!(harness.next(&applicant).await, Next::Submit, "the details stay");
    }
    assert!(!may().await, "no tries are left");
    again().await;
    assert_eq!(harness.next(&applicant).await, Next::Submit);
    harness.run_until_idle().await;
}

/// Planted fault that this test detects: applying the choice to whichever photo is there now.
#[tokio::test]
async fn an_old_tab_decides_nothing_about_a_photo_that_it_did_not_show() {
    let harness = Harness::new().await;
    let (_, applicant) = harness.agreed().await;
    choose(&harness, &applicant, DocumentType::Passport).await;
    let send = async |bytes: &[u8]| {
        let kind = DocumentType::Passport;
        capture_document(&harness.honnin, &applicant, kind, Side::Front, bytes.to_vec())
            .await
            .unwrap();
        to_check(&harness.honnin, &applicant).await.unwrap().id
    };
    let first = send(b"first").await;
    // The other tab takes it again.
    harness.check_photo(&applicant, PhotoChoice::Retake).await.unwrap();
    let second = send(b"second").await;
    // It has been taken again, as the second of these wants.
    for (choice, told) in [
        (PhotoChoice::Use(vec![]), Checked::OutOfDate),
        (PhotoChoice::Retake, Checked::Done),
    ] {
        let checked = check_picture(&harness.honnin, &applicant, &first, choice).await;
        assert_eq!(checked.unwrap(), told);
        assert_eq!(to_check(&harness.honnin, &applicant).await.unwrap().id, second);
    }
    check_picture(&harness.honnin, &applicant, &second, PhotoChoice::Use(vec![]))
        .await
        .unwrap();
    assert_eq!(harness.next(&applicant).await, Next::Details);
    harness.run_until_idle().await;
}

#[tokio::test]
async fn whoever_was_not_in_the_picture_is_asked_again_with_another_challenge() {
    let harness = Harness::new().await;
    let (_, applicant) = harness.agreed().await;
    harness.photograph(&applicant).await;
    harness.type_details(&applicant).await;
    let first = challenge(&harness.honnin, &applicant).await.unwrap().id;
    harness.analyser.see_selfie(SelfieFindings {
        faces: 0,
        face: None,
        // Faces are found without the network that tells living ones.
        unavailable: vec![Unavailable::Liveness],
        ..holder()
    });
    harness.selfie(&applicant).await;
    harness.run_until_idle().await;
    assert_eq!(harness.next(&applicant).await, Next::Selfie);
    let shown = progress(&harness.honnin, &applicant)
        .await
        .unwrap()
        .shown(Slot::Selfie)
        .unwrap();
    assert_eq!(shown.problems, [Reason::SelfieNoFace]);
    assert_ne!(challenge(&harness.honnin, &applicant).await.unwrap().id, first);
    // From a page that shows the first one still.
    let burst = Burst {
        answers: Answers::Challenge(first),
        frames: vec![(0, vec![1]), (1, vec![2])],
    };
    let stale = capture_selfie(&harness.honnin, &applicant, burst).await;
    assert!(matches!(stale, Err(CaptureError::RunOver)), "{stale:?}");
    harness.analyser.see_selfie(holder());
    harness.selfie(&applicant).await;
    harness.run_until_idle().await;
    assert_eq!(harness.next(&applicant).await, Next::Submit);
}

#[tokio::test]
async fn one_frame_is_no_answer_to_a_challenge_but_enough_for_who_cannot_move() {
    let harness = Harness::new().await;
    let (_, applicant) = harness.agreed().await;
    harness.photograph(&applicant).await;
    harness.type_details(&applicant).await;
    let id = challenge(&harness.honnin, &applicant).await.unwrap().id;
    let burst = |answers, frames| Burst {
        answers,
        frames: vec![(0, b"me".to_vec()); frames],
    };
    let one = capture_selfie(&harness.honnin, &applicant, burst(Answers::Challenge(id.clone()), 1)).await;
    assert!(matches!(one, Err(CaptureError::Missing)));
    let none = capture_selfie(&harness.honnin, &applicant, burst(Answers::Nothing, 0)).await;
    assert!(matches!(none, Err(CaptureError::Missing)));
    let many = capture_selfie(
        &harness.honnin,
        &applicant,
        burst(Answers::Challenge(id), MAX_FRAMES + 1),
    )
    .await;
    assert!(matches!(many, Err(CaptureError::TooMany)));
    capture_selfie(&harness.honnin, &applicant, burst(Answers::Nothing, 1))
        .await
        .unwrap();
    assert_eq!(harness.next(&applicant).await, Next::Submit);
    harness.run_until_idle().await;
}

/// Detects if only the longest burst bounds them: whose face each of several shows, nobody compares without a movement.
#[tokio::test]
async fn who_cannot_move_sends_one_picture_and_no_more() {
    let harness = Harness::new().await;
    let (_, applicant) = harness.agreed().await;
    harness.photograph(&applicant).await;
    harness.type_details(&applicant).await;
    let burst = Burst {
        answers: Answers::Nothing,
        frames: vec![(0, b"me".to_vec()), (400, b"somebody else".to_vec())],
    };
    let several = capture_selfie(&harness.honnin, &applicant, burst).await;
    assert!(matches!(several, Err(CaptureError::TooMany)), "{several:?}");
    assert_eq!(harness.next(&applicant).await, Next::Selfie);
    harness.run_until_idle().await;
}

/// Detects if a phone that sends its form again, because it did not hear that the selfie is not good enough, uses up two tries.
#[tokio::test]
async fn the_picture_of_who_cannot_move_sent_again_because_its_answer_was_lost_counts_once() {
    let harness = Harness::new().await;
    let (_, applicant) = harness.agreed().await;
    harness.photograph(&applicant).await;
    harness.type_details(&applicant).await;
    harness.analyser.judge(Quality {
        sharpness: 0.01,
        ..GOOD
    });
    let left = async || {
        let attempt = progress(&harness.honnin, &applicant).await.unwrap();
        attempt.tries_left(Slot::Selfie)
    };
    let send = async |form: &str| {
        let burst = Burst {
            answers: Answers::CannotMove(form.to_owned()),
            frames: vec![(0, b"me".to_vec())],
        };
        capture_selfie(&harness.honnin, &applicant, burst).await
    };
    let before = left().await;
    let form = challenge(&harness.honnin, &applicant).await.unwrap().id;
    send(&form).await.unwrap();
    assert_eq!(harness.next(&applicant).await, Next::Selfie, "it is not good enough");
    let again = send(&form).await;
    assert!(
        matches!(again, Err(CaptureError::StepRefused(StepRefused::OutOfTurn))),
        "{again:?}"
    );
    // The page was opened again meanwhile.
    let next = challenge(&harness.honnin, &applicant).await.unwrap().id;
    let again = send(&form).await;
    assert!(matches!(again, Err(CaptureError::RunOver)), "{again:?}");
    assert_eq!(left().await, before - 1);
    send(&next).await.unwrap();
    assert_eq!(left().await, before - 2);
    harness.run_until_idle().await;
}

/// Planted fault that this test detects: looking whether a selfie is due before the unit that stores it only.
#[tokio::test]
async fn of_two_selfies_sent_at_the_same_time_the_good_one_that_is_stored_first_stays() {
    for database in testkit::databases::backends().await {
        let name = database.name;
        let harness = Harness::on(
            database,
            TenantSettings {
                steps: Step::ALL.to_vec(),
                ..TenantSettings::default()
            },
            testkit::loopback_sender(),
            CreationRate::default(),
        )
        .await;
        let (_, applicant) = harness.agreed().await;
        harness.photograph(&applicant).await;
        harness.type_details(&applicant).await;
        let before = harness.stored_pictures(&applicant).await.len();
        let send = ["me", "somebody else"].map(|frame| {
            let burst = Burst {
                answers: Answers::Nothing,
                frames: vec![(0, frame.into())],
            };
            capture_selfie(&harness.honnin, &applicant, burst)
        });
        let sent = futures::future::join_all(send).await;
        let refused: Vec<_> = sent.iter().filter_map(|sent| sent.as_ref().err()).collect();
        assert!(
            matches!(refused.as_slice(), [CaptureError::StepRefused(StepRefused::OutOfTurn)]),
            "{name}: {sent:?}"
        );
        let taken = list(&harness, &applicant).await;
        let selfies: Vec<_> = taken.iter().filter(|capture| capture.slot == Slot::Selfie).collect();
        assert_eq!(selfies.len(), 1, "{name}");
        assert_eq!(selfies[0].discarded_at, None, "{name}");
        assert_eq!(
            harness.stored_pictures(&applicant).await.len(),
            before + 1,
            "{name}: nothing of the other is kept"
        );
    }
}

/// Detects if each of a burst may be as large as a photo: small files would keep a core busy for half a minute.
#[tokio::test]
async fn two_pictures_of_a_selfie_may_be_large_photos_and_the_rest_come_from_the_camera() {
    let harness = Harness::new().await;
    let (_, applicant) = harness.agreed().await;
    harness.photograph(&applicant).await;
    harness.type_details(&applicant).await;
    let id = challenge(&harness.honnin, &applicant).await.unwrap().id;
    let burst = |photos: usize| Burst {
        answers: Answers::Challenge(id.clone()),
        frames: (0..photos)
            .map(|number| (0, format!("large {number}").into_bytes()))
            .collect(),
    };
    let three = capture_selfie(&harness.honnin, &applicant, burst(3)).await;
    assert!(
        matches!(three, Err(CaptureError::Frame(2, PictureFault::DimensionsTooLarge))),
        "{three:?}"
    );
    capture_selfie(&harness.honnin, &applicant, burst(2)).await.unwrap();
    harness.run_until_idle().await;
}

#[tokio::test]
async fn a_selfie_says_which_of_its_files_is_no_picture_and_whether_it_was_taken_without_a_movement() {
    let harness = Harness::new().await;
    let (_, applicant) = harness.agreed().await;
    harness.photograph(&applicant).await;
    harness.type_details(&applicant).await;
    let id = challenge(&harness.honnin, &applicant).await.unwrap().id;
    for (frames, number, fault) in [
        ([&b"text"[..], b"me"], 0, PictureFault::NotAPicture),
        ([&b"me"[..], b"heic"], 1, PictureFault::Heic),
    ] {
        let burst = Burst {
            answers: Answers::Challenge(id.clone()),
            frames: frames.map(|frame| (0, frame.to_vec())).to_vec(),
        };
        let refused = capture_selfie(&harness.honnin, &applicant, burst).await;
        assert!(
            matches!(refused, Err(CaptureError::Frame(at, found)) if (at, found) == (number, fault)),
            "{refused:?}"
        );
    }
    // It has to be taken again, and is then taken with one.
    harness.analyser.see_selfie(SelfieFindings {
        faces: 0,
        face: None,
        ..holder()
    });
    let alone = Burst {
        answers: Answers::Nothing,
        frames: vec![(0, b"me".to_vec())],
    };
    capture_selfie(&harness.honnin, &applicant, alone).await.unwrap();
    harness.run_until_idle().await;
    let attempt = progress(&harness.honnin, &applicant).await.unwrap();
    assert!(attempt.has_selfie_without_movement());
    harness.selfie(&applicant).await;
    let attempt = progress(&harness.honnin, &applicant).await.unwrap();
    assert!(!attempt.has_selfie_without_movement());
    harness.run_until_idle().await;
}

#[tokio::test]
async fn a_picture_whose_row_was_never_written_harms_nobody() {
    let harness = Harness::new().await;
    let (_, applicant) = harness.agreed().await;
    choose(&harness, &applicant, DocumentType::Passport).await;
    // What a crash between storing the picture and its row leaves behind.
    let pictures = store::capture::pictures::Pictures::in_folder(&harness.folder().join("pictures")).unwrap();
    pictures
        .put(
            applicant.session(),
            "cap_00000000000000000000000000000000-0",
            vec![1, 2, 3],
        )
        .await
        .unwrap();
    assert_eq!(harness.next(&applicant).await, Next::Photograph(Side::Front));
    photograph(&harness, &applicant, DocumentType::Passport, b"passport").await;
    harness.run_until_idle().await;
    assert_eq!(list(&harness, &applicant).await.len(), 1);
}

#[tokio::test]
async fn an_expired_session_takes_no_more_pictures_and_leaves_none_behind() {
    let harness = Harness::new().await;
    let (id, applicant) = harness.agreed().await;
    choose(&harness, &applicant, DocumentType::Passport).await;
    harness.clock.advance(Millis::days(7));
    let refused = capture_document(
        &harness.honnin,
        &applicant,
        DocumentType::Passport,
        Side::Front,
        b"late".to_vec(),
    )
    .await;
    assert!(matches!(
        refused,
        Err(CaptureError::StepRefused(StepRefused::OutOfTurn))
    ));
    assert_eq!(harness.next(&applicant).await, Next::Expired);
    assert_eq!(harness.stored_pictures(&applicant).await, Vec::<String>::new());
    harness.run_until_idle().await;
    let caller = harness.caller().await;
    let read = service::session::read::read_session(&harness.honnin, &caller, id.as_str())
        .await
        .unwrap();
    assert_eq!(read.status, Status::Expired);
}

/// Planted fault that this test detects: looking for the same file before the unit that stores it only.
#[tokio::test]
async fn the_same_file_sent_to_two_nodes_at_the_same_time_counts_once_and_is_kept_once() {
    for database in testkit::databases::backends().await {
        let name = database.name;
        let harness = Harness::on(
            database,
            TenantSettings {
                steps: Step::ALL.to_vec(),
                ..TenantSettings::default()
            },
            testkit::loopback_sender(),
            CreationRate::default(),
        )
        .await;
        let (_, applicant) = harness.agreed().await;
        choose(&harness, &applicant, DocumentType::Passport).await;
        let send = || {
            capture_document(
                &harness.honnin,
                &applicant,
                DocumentType::Passport,
                Side::Front,
                b"front".to_vec(),
            )
        };
        for sent in futures::future::join_all([send(), send(), send()]).await {
            sent.unwrap();
        }
        let taken = list(&harness, &applicant).await;
        assert_eq!(taken.len(), 1, "{name}");
        let kept = harness.stored_pictures(&applicant).await;
        assert_eq!(kept, [taken[0].frames[0].object.as_str()], "{name}");
    }
}
