//! The details, the submit, declining, and the way back.

use domain::{
    document::{DocumentType, FieldName, Side},
    event::EventType,
    findings::{DocumentFindings, LayoutReading, RuleResult, SelfieFindings},
    secret::Personal,
    session::{FailureReason, Status},
    user_input::TypedForm,
};
use service::capture::{
    check::Wish,
    choose_document::{Photos, choose_document},
    details::{DetailsError, details, save_details},
    progress::{Next, NotNow, progress},
    result::{Ending, result},
    retake_selfie::retake_selfie,
    submit::{submit, summary},
    take::capture_document,
};
use testkit::{
    Harness,
    analyser::{holder, passport},
    applicant::details as typed_details,
};

#[tokio::test]
async fn a_second_submit_is_out_of_turn_and_one_event_is_sent() {
    let harness = Harness::new().await;
    let (id, applicant) = harness.ready().await;
    let (one, two) = tokio::join!(submit(&harness.honnin, &applicant), submit(&harness.honnin, &applicant));
    assert!(one.is_ok() != two.is_ok());
    assert!(matches!(one.and(two), Err(NotNow::OutOfTurn)));
    assert_eq!(harness.ending(&applicant).await, Ending::Waiting);
    harness.run_until_idle().await;
    assert!(matches!(
        submit(&harness.honnin, &applicant).await,
        Err(NotNow::OutOfTurn)
    ));
    assert_eq!(harness.events(&id).await.len(), 1);
}

#[tokio::test]
async fn nothing_is_submitted_before_every_step_is_there() {
    let harness = Harness::new().await;
    let (_, applicant) = harness.agreed().await;
    assert!(matches!(
        submit(&harness.honnin, &applicant).await,
        Err(NotNow::OutOfTurn)
    ));
    harness.photograph(&applicant).await;
    assert!(matches!(
        submit(&harness.honnin, &applicant).await,
        Err(NotNow::OutOfTurn)
    ));
    harness.type_details(&applicant).await;
    assert!(matches!(
        submit(&harness.honnin, &applicant).await,
        Err(NotNow::OutOfTurn)
    ));
    assert!(matches!(
        summary(&harness.honnin, &applicant).await,
        Err(NotNow::OutOfTurn)
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
        assert!(matches!(submit(honnin, &applicant).await, Err(NotNow::OutOfTurn)));
        let twice = retake_selfie(honnin, &applicant).await;
        assert!(matches!(twice, Err(NotNow::OutOfTurn)), "{twice:?}");
        harness.selfie(&applicant).await;
        harness.run_until_idle().await;
        assert_ne!(before.selfie, summary(honnin, &applicant).await.unwrap().selfie);
    }
    assert!(!summary(honnin, &applicant).await.unwrap().may_retake_selfie);
    let spent = retake_selfie(honnin, &applicant).await;
    assert!(matches!(spent, Err(NotNow::OutOfTurn)), "{spent:?}");
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
        Err(NotNow::OutOfTurn)
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
    assert!(filled.read.expose() == filled.form.expose() && !filled.kana);
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
    harness.check_photo(&applicant, Wish::Use(vec![])).await.unwrap();
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
