//! The details, the submit, declining, and the way back.

use domain::{
    document::{DocumentType, FieldName, Side},
    event::EventType,
    findings::{DocumentFindings, LayoutReading, Quality, RuleResult, SelfieFindings, SelfieSigns},
    ids::SessionId,
    reasons::Reason,
    secret::Personal,
    session::{FailureReason, Status, Step},
    tenant::TenantSettings,
    time::Millis,
    user_input::{FormStyle, TypedForm},
};
use service::access::{Applicant, capture_cookie};
use service::capture::{
    check::{Checked, PhotoChoice, check_picture},
    choose_document::{Photos, choose_document},
    details::{DetailsError, details, save_details},
    open_link::open_link,
    progress::{Next, Slot, StepRefused, progress},
    result::{Ending, result, return_url_after_deadline},
    retake_selfie::retake_selfie,
    submit::{submit, summary},
    take::capture_document,
};
use testkit::{
    Harness,
    analyser::{GOOD, holder, passport},
    applicant::details as typed_details,
};

#[tokio::test]
async fn a_second_submit_is_out_of_turn_and_one_event_is_sent() {
    let harness = Harness::new().await;
    let (id, applicant) = harness.ready().await;
    let (one, two) = tokio::join!(submit(&harness.honnin, &applicant), submit(&harness.honnin, &applicant));
    assert!(one.is_ok() != two.is_ok());
    assert!(matches!(one.and(two), Err(StepRefused::OutOfTurn)));
    assert_eq!(harness.ending(&applicant).await, Ending::Waiting);
    harness.run_until_idle().await;
    assert!(matches!(
        submit(&harness.honnin, &applicant).await,
        Err(StepRefused::OutOfTurn)
    ));
    assert_eq!(harness.events(&id).await.len(), 1);
}

#[tokio::test]
async fn nothing_is_submitted_before_every_step_is_there() {
    let harness = Harness::new().await;
    let (_, applicant) = harness.agreed().await;
    assert!(matches!(
        submit(&harness.honnin, &applicant).await,
        Err(StepRefused::OutOfTurn)
    ));
    harness.photograph(&applicant).await;
    assert!(matches!(
        submit(&harness.honnin, &applicant).await,
        Err(StepRefused::OutOfTurn)
    ));
    harness.type_details(&applicant).await;
    assert!(matches!(
        submit(&harness.honnin, &applicant).await,
        Err(StepRefused::OutOfTurn)
    ));
    assert!(matches!(
        summary(&harness.honnin, &applicant).await,
        Err(StepRefused::OutOfTurn)
    ));
    harness.selfie(&applicant).await;
    let shown = summary(&harness.honnin, &applicant).await.unwrap();
    assert!(shown.selfie.is_some() && shown.pictures.len() == 1 && shown.input.is_some());
    harness.run_until_idle().await;
}

#[tokio::test]
async fn the_selfie_can_be_taken_again_from_the_last_page_as_long_as_tries_are_left() {
    let harness = Harness::new().await;
    let (_, applicant) = harness.ready().await;
    let honnin = &harness.honnin;
    for _ in 0..4 {
        let before = summary(honnin, &applicant).await.unwrap();
        assert!(before.may_retake_selfie);
        retake_selfie(honnin, &applicant).await.unwrap();
        let next = progress(honnin, &applicant).await.unwrap().next(honnin.now());
        assert_eq!(next, Next::Selfie);
        assert!(matches!(submit(honnin, &applicant).await, Err(StepRefused::OutOfTurn)));
        let twice = retake_selfie(honnin, &applicant).await;
        assert!(matches!(twice, Err(StepRefused::OutOfTurn)), "{twice:?}");
        harness.selfie(&applicant).await;
        harness.run_until_idle().await;
        assert_ne!(before.selfie, summary(honnin, &applicant).await.unwrap().selfie);
    }
    assert!(!summary(honnin, &applicant).await.unwrap().may_retake_selfie);
    let spent = retake_selfie(honnin, &applicant).await;
    assert!(matches!(spent, Err(StepRefused::OutOfTurn)), "{spent:?}");
}

#[tokio::test]
async fn the_summary_says_that_a_selfie_without_tries_left_is_poor() {
    for poor in [true, false] {
        let harness = Harness::new().await;
        let (_, applicant) = harness.agreed().await;
        harness.photograph(&applicant).await;
        harness.type_details(&applicant).await;
        if poor {
            harness.analyser.see_selfie(SelfieFindings {
                faces: 0,
                face: None,
                ..holder()
            });
        }
        while harness.next(&applicant).await == Next::Selfie {
            harness.selfie(&applicant).await;
            harness.run_until_idle().await;
        }
        let shown = summary(&harness.honnin, &applicant).await.unwrap();
        assert_eq!((shown.has_poor_selfie, shown.may_retake_selfie), (poor, !poor));
    }
}

/// The user's way to the selfie, with a face that is covered or badly lit.
async fn at_the_selfie_of(selfie: SelfieFindings) -> (Harness, SessionId, Applicant) {
    let harness = Harness::new().await;
    let (id, applicant) = harness.agreed().await;
    harness.photograph(&applicant).await;
    harness.type_details(&applicant).await;
    harness.analyser.see_selfie(selfie);
    (harness, id, applicant)
}

#[tokio::test]
async fn a_selfie_whose_face_is_too_dark_is_asked_again_although_the_rest_of_the_picture_is_bright() {
    let backlit = SelfieFindings {
        quality: Quality { exposure: 0.01, ..GOOD },
        ..holder()
    };
    let (harness, _, applicant) = at_the_selfie_of(backlit).await;
    harness.selfie(&applicant).await;
    harness.run_until_idle().await;
    let attempt = progress(&harness.honnin, &applicant).await.unwrap();
    assert_eq!(attempt.next(harness.honnin.now()), Next::Selfie);
    let shown = attempt.shown(Slot::Selfie).unwrap();
    assert_eq!(shown.problems, [Reason::SelfieLowQuality]);
}

#[tokio::test]
async fn a_selfie_whose_face_is_bright_enough_is_not_asked_again_although_the_room_is_dark() {
    let (harness, _, applicant) = at_the_selfie_of(holder()).await;
    harness.analyser.judge(Quality { exposure: 0.01, ..GOOD });
    harness.selfie(&applicant).await;
    assert_eq!(harness.next(&applicant).await, Next::Selfie, "not analysed yet");
    harness.run_until_idle().await;
    assert_eq!(harness.next(&applicant).await, Next::Submit);
}

/// Planted faults that this test detects: the first selfie can be used at once; what is wrong with it is forgotten by the decision.
#[tokio::test]
async fn a_selfie_in_which_the_same_is_found_again_can_be_used_anyway_and_a_person_looks_at_it() {
    let covered = SelfieFindings {
        signs: SelfieSigns {
            mouth_covered: Some(1.0),
            ..SelfieSigns::NOTHING_SEEN
        },
        ..holder()
    };
    let (harness, id, applicant) = at_the_selfie_of(covered).await;
    let honnin = &harness.honnin;
    let covered = vec![Reason::SelfieFaceCovered];
    let use_anyway = async |shown: Vec<Reason>| {
        let attempt = progress(honnin, &applicant).await.unwrap();
        let photo = attempt.shown(Slot::Selfie).unwrap();
        check_picture(honnin, &applicant, &photo.id, PhotoChoice::Use(shown)).await
    };
    harness.selfie(&applicant).await;
    harness.run_until_idle().await;
    let attempt = progress(honnin, &applicant).await.unwrap();
    assert_eq!(attempt.shown(Slot::Selfie).unwrap().problems, covered);
    assert!(!attempt.may_use_selfie_anyway());
    assert_eq!(use_anyway(covered.clone()).await.unwrap(), Checked::OutOfDate);
    harness.selfie(&applicant).await;
    harness.run_until_idle().await;
    assert!(progress(honnin, &applicant).await.unwrap().may_use_selfie_anyway());
    // Whoever was not shown what is wrong has not decided.
    assert_eq!(use_anyway(vec![]).await.unwrap(), Checked::FoundMore(covered.clone()));
    assert_eq!(harness.next(&applicant).await, Next::Selfie);
    assert_eq!(use_anyway(covered).await.unwrap(), Checked::Done);
    assert_eq!(harness.next(&applicant).await, Next::Submit);
    submit(honnin, &applicant).await.unwrap();
    harness.run_until_idle().await;
    let detail = harness.detail(&id).await;
    assert_eq!(detail.status, Status::Reviewing);
    let outcome = detail.outcome.unwrap();
    let reasons: Vec<&str> = outcome.reasons.iter().map(|reason| reason.as_str()).collect();
    assert!(reasons.contains(&Reason::SelfieFaceCovered.as_str()), "{reasons:?}");
}

/// Detects if somebody without a mask, whose camera has a smeared lens, is asked to take it off.
#[tokio::test]
async fn a_selfie_that_looks_covered_behind_stray_light_is_asked_for_again_as_not_clear_enough() {
    let veiled = SelfieFindings {
        quality: Quality {
            face_range: Some([0.55, 0.77]),
            ..GOOD
        },
        signs: SelfieSigns {
            eyes_covered: Some(1.0),
            ..SelfieSigns::NOTHING_SEEN
        },
        ..holder()
    };
    let (harness, _, applicant) = at_the_selfie_of(veiled).await;
    harness.selfie(&applicant).await;
    harness.run_until_idle().await;
    let attempt = progress(&harness.honnin, &applicant).await.unwrap();
    let asked = attempt.shown(Slot::Selfie).unwrap().problems;
    assert_eq!(asked, [Reason::SelfieLowQuality]);
}

#[tokio::test]
async fn whoever_uses_a_selfie_anyway_may_still_take_another() {
    let nobody = SelfieFindings {
        faces: 0,
        face: None,
        ..holder()
    };
    let (harness, _, applicant) = at_the_selfie_of(nobody).await;
    for _ in 0..2 {
        harness.selfie(&applicant).await;
        harness.run_until_idle().await;
    }
    let honnin = &harness.honnin;
    let attempt = progress(honnin, &applicant).await.unwrap();
    let photo = attempt.shown(Slot::Selfie).unwrap();
    let choice = PhotoChoice::Use(photo.problems);
    check_picture(honnin, &applicant, &photo.id, choice).await.unwrap();
    retake_selfie(honnin, &applicant).await.unwrap();
    assert_eq!(harness.next(&applicant).await, Next::Selfie);
}

#[tokio::test]
async fn the_selfie_that_was_taken_again_is_the_one_that_is_decided_on() {
    let harness = Harness::new().await;
    let (id, applicant) = harness.ready().await;
    retake_selfie(&harness.honnin, &applicant).await.unwrap();
    harness.analyser.see_selfie(SelfieFindings {
        liveness: None,
        ..holder()
    });
    harness.selfie(&applicant).await;
    harness.run_until_idle().await;
    submit(&harness.honnin, &applicant).await.unwrap();
    harness.run_until_idle().await;
    assert_eq!(harness.detail(&id).await.status, Status::Reviewing);
}

#[tokio::test]
async fn an_only_name_is_kept_as_the_family_name_and_a_person_compares_it_with_the_document() {
    let harness = Harness::new().await;
    let (id, applicant) = harness.agreed().await;
    harness.photograph(&applicant).await;
    let form = TypedForm {
        first_name: String::new(),
        one_name: true,
        ..typed_details()
    };
    save_details(&harness.honnin, &applicant, &Personal::new(form))
        .await
        .unwrap();
    let kept = details(&harness.honnin, &applicant).await.unwrap().form.into_exposed();
    assert!(kept.one_name && kept.first_name.is_empty());
    harness.selfie(&applicant).await;
    harness.run_until_idle().await;
    submit(&harness.honnin, &applicant).await.unwrap();
    harness.run_until_idle().await;
    let detail = harness.detail(&id).await;
    assert_eq!(detail.status, Status::Reviewing);
    // The passport has a given name.
    let reasons = detail.outcome.unwrap().reasons;
    assert!(
        reasons.iter().any(|reason| reason.as_str() == "input_name_mismatch"),
        "{reasons:?}"
    );
    let typed = detail.typed.unwrap().into_exposed();
    assert_eq!(typed.first_name, None);
    assert_eq!(typed.only_name(), typed.last_name.as_deref());
}

#[tokio::test]
async fn declining_ends_the_session_and_tells_the_tenant() {
    let harness = Harness::new().await;
    let created = harness.create().await;
    let applicant = harness.start(&created).await;
    service::capture::decline::decline(&harness.honnin, &applicant)
        .await
        .unwrap();
    assert_eq!(harness.detail(&created.id).await.status, Status::Failed);
    assert_eq!(harness.ending(&applicant).await, Ending::Declined);
    let events = harness.events(&created.id).await;
    assert_eq!(events.len(), 1);
    assert_eq!(events[0].content.kind().as_str(), EventType::Failed.as_str());
    assert!(
        format!("{events:?}").contains(FailureReason::ConsentDeclined.as_str())
            || format!("{events:?}").contains("ConsentDeclined")
    );
    assert!(matches!(
        service::capture::decline::decline(&harness.honnin, &applicant).await,
        Err(StepRefused::OutOfTurn)
    ));
    harness.run_until_idle().await;
}

#[tokio::test]
async fn the_details_are_filled_in_from_the_document_and_kept_as_typed() {
    let harness = Harness::new().await;
    let (_, applicant) = harness.agreed().await;
    harness.photograph(&applicant).await;
    let before = details(&harness.honnin, &applicant).await.unwrap();
    assert!(*before.read.expose() == TypedForm::default(), "not analysed yet");
    harness.run_until_idle().await;
    let filled = details(&harness.honnin, &applicant).await.unwrap();
    assert!(filled.read.expose() == filled.form.expose());
    assert_eq!(filled.style, FormStyle::International);
    let mut form = filled.form.into_exposed();
    assert_eq!(
        (form.last_name.as_str(), form.birth_date.as_str()),
        ("TANAKA", "1990-02-28")
    );
    let refused = save_details(&harness.honnin, &applicant, &Personal::new(form.clone())).await;
    assert!(
        matches!(refused, Err(DetailsError::Faults { faults, .. }) if faults.len() == 1),
        "the address is missing"
    );
    form.address = "1-2-3 Chiyoda".into();
    save_details(&harness.honnin, &applicant, &Personal::new(form.clone()))
        .await
        .unwrap();
    let again = details(&harness.honnin, &applicant).await.unwrap();
    assert_eq!(again.form.expose(), &form);
}

#[tokio::test]
async fn what_a_later_entry_on_the_document_replaces_is_not_filled_in() {
    let harness = Harness::new().await;
    let (_, applicant) = harness.agreed().await;
    let layout = LayoutReading {
        layout: "passport".into(),
        issuer: None,
        kind: DocumentType::Passport,
        also: vec![],
        side: Side::Front,
        score: 1.0,
        rules: vec![RuleResult::superseded(FieldName::LastName)],
        hidden: 0.0,
    };
    harness.analyser.see_document(DocumentFindings {
        layout: Some(layout),
        ..passport()
    });
    harness.photograph(&applicant).await;
    harness.run_until_idle().await;
    let filled = details(&harness.honnin, &applicant).await.unwrap();
    let form = filled.form.expose();
    assert_eq!(form.last_name, "");
    assert_eq!(form.birth_date, "1990-02-28");
    assert!(!form.first_name.is_empty());
}

#[tokio::test]
async fn an_individual_number_that_was_read_is_never_kept() {
    let harness = Harness::new().await;
    let (id, applicant) = harness.agreed().await;
    let mut findings: DocumentFindings = DocumentFindings {
        mrz: None,
        ..passport()
    };
    for text in ["123456789018", "1234 5678 9018", "１２３４５６７８９０１８"] {
        let mut field = findings.fields[0].clone();
        (field.name, field.text, field.normalized) = (FieldName::DocumentNumber, Some(text.into()), None);
        findings.fields.push(field);
    }
    harness.analyser.see_document(findings);
    let kind = DocumentType::MyNumberCard;
    choose_document(&harness.honnin, &applicant, kind, Photos::KeepGood)
        .await
        .unwrap();
    capture_document(&harness.honnin, &applicant, kind, Side::Front, b"card".to_vec())
        .await
        .unwrap();
    harness.check_photo(&applicant, PhotoChoice::Use(vec![])).await.unwrap();
    let mut form = typed_details();
    (form.last_name_kana, form.first_name_kana) = ("たなか".into(), "はなこ".into());
    save_details(&harness.honnin, &applicant, &Personal::new(form))
        .await
        .unwrap();
    harness.selfie(&applicant).await;
    submit(&harness.honnin, &applicant).await.unwrap();
    harness.run_until_idle().await;
    let ocr = harness.detail(&id).await.ocr.unwrap();
    assert!(ocr.expose().iter().all(|field| field.name != FieldName::DocumentNumber));
    assert!(!ocr.expose().is_empty());
}

#[tokio::test]
async fn the_way_back_carries_the_session_and_the_state() {
    let harness = Harness::new().await;
    let body = br#"{"callbackUrl":"https://shop.example/done","state":"a b&c"}"#;
    let caller = harness.caller().await;
    let created = service::session::create::create_session(&harness.honnin, &caller, body)
        .await
        .unwrap();
    let applicant = harness.start(&created).await;
    assert!(
        result(&harness.honnin, &applicant).await.unwrap().return_url.is_none(),
        "not before the end"
    );
    service::capture::decline::decline(&harness.honnin, &applicant)
        .await
        .unwrap();
    let url = result(&harness.honnin, &applicant).await.unwrap().return_url.unwrap();
    assert_eq!(
        url.expose(),
        &format!("https://shop.example/done?sessionId={}&state=a%20b%26c", created.id)
    );
    harness.run_until_idle().await;
}

#[tokio::test]
async fn the_deadline_leads_back_whoever_took_part_until_then_and_nobody_else() {
    let harness = Harness::with(TenantSettings {
        steps: Step::ALL.to_vec(),
        callback_urls: vec!["https://shop.example/done".into()],
        session_lifetime: Millis::hours(1),
        ..TenantSettings::default()
    })
    .await;
    let body = br#"{"callbackUrl":"https://shop.example/done","state":"a b&c"}"#;
    let caller = harness.caller().await;
    let created = service::session::create::create_session(&harness.honnin, &caller, body)
        .await
        .unwrap();
    let opened = open_link(&harness.honnin, &Harness::token(&created), None)
        .await
        .unwrap();
    let cookie = opened.cookie.expose().as_str();
    let back = async |cookie: &str| {
        let url = return_url_after_deadline(&harness.honnin, cookie).await.unwrap();
        url.map(Personal::into_exposed)
    };
    for _ in 0..2 {
        harness.clock.advance(Millis::minutes(20));
        capture_cookie::applicant(&harness.honnin, cookie).await.unwrap();
    }
    assert_eq!(back(cookie).await, None, "there is time left");
    harness.wait(Millis::minutes(20)).await;
    let url = format!("https://shop.example/done?sessionId={}&state=a%20b%26c", created.id);
    assert_eq!(back(cookie).await, Some(url));
    for stranger in [Harness::token(&created).as_str(), "nonsense", ""] {
        assert_eq!(back(stranger).await, None, "{stranger}");
    }
    harness.clock.advance(Millis::minutes(10));
    assert_eq!(back(cookie).await, None, "the browser was left alone");
}
