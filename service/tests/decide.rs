//! From the submit to the decision and its event.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod support;

use domain::{
    document::{FieldName, Side},
    event::EventType,
    findings::{DocumentFindings, Face, SelfieFindings},
    ids::SessionId,
    outcome::{Authenticity, Source, Verdict},
    reasons::Reason,
    secret::Personal,
    session::{FailureReason, Status},
    time::Millis,
};
use service::{
    access::Applicant,
    capture::{Burst, capture_selfie},
    progress::{Next, NotNow},
    read_session::{self, SessionDetail},
    reprocess,
    result::{Ending, result},
    submit::{submit, summary},
    type_in::{TypeInError, details, type_in},
};
use support::{Harness, face, holder, passport};

async fn read(harness: &Harness, id: &SessionId) -> SessionDetail {
    let caller = harness.caller().await;
    read_session::read_session(&harness.honnin, &caller, id.as_str()).await.unwrap()
}

async fn reasons(harness: &Harness, id: &SessionId) -> Vec<String> {
    read(harness, id).await.outcome.unwrap().reasons
}

async fn ending(harness: &Harness, applicant: &Applicant) -> Ending {
    result(&harness.honnin, applicant).await.unwrap().ending
}

#[tokio::test]
async fn a_genuine_passport_and_its_living_holder_are_approved() {
    let harness = Harness::new().await;
    let (id, applicant) = harness.decided().await;
    let detail = read(&harness, &id).await;
    let outcome = detail.outcome.unwrap();
    assert_eq!(detail.status, Status::Completed);
    assert_eq!((outcome.verdict, outcome.source), (Verdict::Approved, Source::Automatic));
    assert_eq!(outcome.reasons, Vec::<String>::new());
    assert_eq!(outcome.checks.document.unwrap().authenticity, Some(Authenticity::Authentic));
    assert_eq!(outcome.checks.input_match.unwrap().matched, Some(true));
    assert_eq!(detail.typed.unwrap().expose().last_name.as_deref(), Some("Tanaka"));
    let ocr = detail.ocr.unwrap();
    assert!(ocr.expose().iter().any(|field| field.name == FieldName::BirthDate));
    assert_eq!(ending(&harness, &applicant).await, Ending::Approved);
    let kinds: Vec<_> = harness.events(&id).await.iter().map(|event| event.content.type_name().to_owned()).collect();
    assert_eq!(kinds, [EventType::Approved.as_str()]);
}

#[tokio::test]
async fn another_persons_selfie_is_rejected() {
    let harness = Harness::new().await;
    let other = Face { descriptor: vec![0.9; 128], ..face() };
    harness.eyes.see_selfie(SelfieFindings { face: Some(other), ..holder() });
    let (id, applicant) = harness.decided().await;
    assert_eq!(read(&harness, &id).await.outcome.unwrap().verdict, Verdict::Rejected);
    assert!(reasons(&harness, &id).await.contains(&Reason::SelfieFaceMismatch.to_string()));
    assert_eq!(ending(&harness, &applicant).await, Ending::Rejected);
}

#[tokio::test]
async fn who_cannot_move_goes_to_a_person() {
    let harness = Harness::new().await;
    let (id, applicant) = harness.agreed().await;
    harness.photograph(&applicant).await;
    harness.type_details(&applicant).await;
    let burst = Burst { challenge: None, frames: vec![(0, b"me".to_vec())] };
    capture_selfie(&harness.honnin, &applicant, burst).await.unwrap();
    submit(&harness.honnin, &applicant).await.unwrap();
    harness.run_until_idle().await;
    assert_eq!(read(&harness, &id).await.status, Status::Reviewing);
    assert_eq!(reasons(&harness, &id).await, [Reason::SelfieLivenessUncertain.as_str()]);
    assert_eq!(ending(&harness, &applicant).await, Ending::Review);
}

#[tokio::test]
async fn a_second_submit_is_out_of_turn_and_one_event_is_sent() {
    let harness = Harness::new().await;
    let (id, applicant) = harness.ready().await;
    let (one, two) = tokio::join!(submit(&harness.honnin, &applicant), submit(&harness.honnin, &applicant));
    assert!(one.is_ok() != two.is_ok());
    assert!(matches!(one.and(two), Err(NotNow::OutOfTurn)));
    assert_eq!(ending(&harness, &applicant).await, Ending::Waiting);
    harness.run_until_idle().await;
    assert!(matches!(submit(&harness.honnin, &applicant).await, Err(NotNow::OutOfTurn)));
    assert_eq!(harness.events(&id).await.len(), 1);
}

#[tokio::test]
async fn nothing_is_submitted_before_every_step_is_there() {
    let harness = Harness::new().await;
    let (_, applicant) = harness.agreed().await;
    assert!(matches!(submit(&harness.honnin, &applicant).await, Err(NotNow::OutOfTurn)));
    harness.photograph(&applicant).await;
    assert!(matches!(submit(&harness.honnin, &applicant).await, Err(NotNow::OutOfTurn)));
    harness.type_details(&applicant).await;
    assert!(matches!(submit(&harness.honnin, &applicant).await, Err(NotNow::OutOfTurn)));
    assert!(matches!(summary(&harness.honnin, &applicant).await, Err(NotNow::OutOfTurn)));
    harness.selfie(&applicant).await;
    let shown = summary(&harness.honnin, &applicant).await.unwrap();
    assert!(shown.selfie.is_some() && shown.pictures.len() == 1 && shown.input.is_some());
    harness.run_until_idle().await;
}

#[tokio::test]
async fn a_decision_waits_for_the_analysis_and_survives_its_failures() {
    let harness = Harness::new().await;
    let (id, applicant) = harness.agreed().await;
    harness.photograph(&applicant).await;
    harness.type_details(&applicant).await;
    harness.selfie(&applicant).await;
    harness.eyes.fail(2);
    submit(&harness.honnin, &applicant).await.unwrap();
    harness.run_until_idle().await;
    assert_eq!(read(&harness, &id).await.status, Status::Deciding);
    for _ in 0..10 {
        harness.wait(Millis::seconds(2)).await;
    }
    assert_eq!(read(&harness, &id).await.outcome.unwrap().verdict, Verdict::Approved);
    assert_eq!(harness.eyes.looks(), 4, "two failed, two saw");
}

#[tokio::test]
async fn an_analysis_that_never_works_leads_to_a_person_and_never_to_failure() {
    let harness = Harness::new().await;
    harness.eyes.fail(1000);
    let (id, applicant) = harness.agreed().await;
    harness.photograph(&applicant).await;
    harness.type_details(&applicant).await;
    harness.selfie(&applicant).await;
    submit(&harness.honnin, &applicant).await.unwrap();
    for _ in 0..60 {
        harness.wait(Millis::seconds(2)).await;
    }
    let detail = read(&harness, &id).await;
    assert_eq!(detail.status, Status::Reviewing);
    assert!(reasons(&harness, &id).await.contains(&Reason::CheckUnavailable.to_string()));
    assert_eq!(harness.eyes.looks(), 8, "four runs for each of two captures");
    assert_eq!(harness.events(&id).await.len(), 1);
}

#[tokio::test]
async fn a_picture_that_is_gone_leads_to_a_person() {
    let harness = Harness::new().await;
    let (id, applicant) = harness.agreed().await;
    harness.photograph(&applicant).await;
    let pictures = store::pictures::Pictures::in_folder(&harness.folder.path().join("pictures")).unwrap();
    assert_eq!(pictures.delete_session(&id).await.unwrap(), 1);
    harness.type_details(&applicant).await;
    harness.selfie(&applicant).await;
    submit(&harness.honnin, &applicant).await.unwrap();
    for _ in 0..60 {
        harness.wait(Millis::seconds(2)).await;
    }
    assert_eq!(read(&harness, &id).await.status, Status::Reviewing);
    assert!(reasons(&harness, &id).await.contains(&Reason::CheckUnavailable.to_string()));
}

#[tokio::test]
async fn a_decision_begun_before_a_kill_is_made_once_after_the_restart() {
    let mut harness = Harness::new().await;
    let (id, applicant) = harness.ready().await;
    submit(&harness.honnin, &applicant).await.unwrap();
    harness.restart().await;
    harness.run_until_idle().await;
    harness.wait(Millis::minutes(5)).await;
    assert_eq!(read(&harness, &id).await.status, Status::Completed);
    assert_eq!(harness.events(&id).await.len(), 1);
}

#[tokio::test]
async fn submitted_in_time_it_is_decided_after_the_deadline() {
    let harness = Harness::new().await;
    let (id, applicant) = harness.ready().await;
    submit(&harness.honnin, &applicant).await.unwrap();
    harness.wait(Millis::days(8)).await;
    assert_eq!(read(&harness, &id).await.status, Status::Completed);
    let kinds: Vec<_> = harness.events(&id).await.iter().map(|event| event.content.type_name().to_owned()).collect();
    assert_eq!(kinds, [EventType::Approved.as_str()]);
}

#[tokio::test]
async fn expiry_midway_sends_one_expired_event_and_nothing_is_decided() {
    let harness = Harness::new().await;
    let (id, applicant) = harness.ready().await;
    harness.clock.advance(Millis::days(7));
    assert!(matches!(submit(&harness.honnin, &applicant).await, Err(NotNow::OutOfTurn)));
    harness.run_until_idle().await;
    assert_eq!(read(&harness, &id).await.status, Status::Expired);
    assert_eq!(ending(&harness, &applicant).await, Ending::Expired);
    assert_eq!(harness.events(&id).await.len(), 1);
}

#[tokio::test]
async fn declining_ends_the_session_and_tells_the_tenant() {
    let harness = Harness::new().await;
    let created = harness.create().await;
    let applicant = harness.start(&created).await;
    service::decline::decline(&harness.honnin, &applicant).await.unwrap();
    assert_eq!(read(&harness, &created.id).await.status, Status::Failed);
    assert_eq!(ending(&harness, &applicant).await, Ending::Declined);
    let events = harness.events(&created.id).await;
    assert_eq!(events.len(), 1);
    assert_eq!(events[0].content.type_name(), EventType::Failed.as_str());
    assert!(format!("{events:?}").contains(FailureReason::ConsentDeclined.as_str()) || format!("{events:?}").contains("ConsentDeclined"));
    assert!(matches!(service::decline::decline(&harness.honnin, &applicant).await, Err(NotNow::OutOfTurn)));
    harness.run_until_idle().await;
}

#[tokio::test]
async fn the_details_are_filled_in_from_the_document_and_kept_as_typed() {
    let harness = Harness::new().await;
    let (_, applicant) = harness.agreed().await;
    harness.photograph(&applicant).await;
    let before = details(&harness.honnin, &applicant).await.unwrap();
    assert!(!before.read, "not analysed yet");
    harness.run_until_idle().await;
    let filled = details(&harness.honnin, &applicant).await.unwrap();
    assert!(filled.read && !filled.kana);
    let mut form = filled.form.into_exposed();
    assert_eq!((form.last_name.as_str(), form.birth_date.as_str()), ("TANAKA", "1990-02-28"));
    let refused = type_in(&harness.honnin, &applicant, &Personal::new(form.clone())).await;
    assert!(matches!(refused, Err(TypeInError::Faults(faults)) if faults.len() == 1), "the address is missing");
    form.address = "1-2-3 Chiyoda".into();
    type_in(&harness.honnin, &applicant, &Personal::new(form.clone())).await.unwrap();
    let again = details(&harness.honnin, &applicant).await.unwrap();
    assert_eq!(again.form.expose(), &form);
}

#[tokio::test]
async fn an_individual_number_that_was_read_is_never_kept() {
    let harness = Harness::new().await;
    let (id, applicant) = harness.agreed().await;
    let mut findings: DocumentFindings = DocumentFindings { mrz: None, ..passport() };
    for text in ["123456789018", "1234 5678 9018", "１２３４５６７８９０１８"] {
        let mut field = findings.fields[0].clone();
        (field.name, field.text, field.normalized) = (FieldName::DocumentNumber, Some(text.into()), None);
        findings.fields.push(field);
    }
    harness.eyes.see_document(findings);
    let kind = domain::document::DocumentType::MyNumberCard;
    service::choose_document::choose_document(&harness.honnin, &applicant, kind).await.unwrap();
    service::capture::capture_document(&harness.honnin, &applicant, Side::Front, b"card".to_vec()).await.unwrap();
    service::check_picture::check_picture(&harness.honnin, &applicant, service::check_picture::Wish::Use).await.unwrap();
    let mut form = support::details();
    (form.last_name_kana, form.first_name_kana) = ("たなか".into(), "はなこ".into());
    type_in(&harness.honnin, &applicant, &Personal::new(form)).await.unwrap();
    harness.selfie(&applicant).await;
    submit(&harness.honnin, &applicant).await.unwrap();
    harness.run_until_idle().await;
    let ocr = read(&harness, &id).await.ocr.unwrap();
    assert!(ocr.expose().iter().all(|field| field.name != FieldName::DocumentNumber));
    assert!(!ocr.expose().is_empty());
}

#[tokio::test]
async fn a_reprocessed_session_starts_anew_and_its_second_decision_has_another_event() {
    let harness = Harness::new().await;
    let (id, _) = harness.decided().await;
    let caller = harness.caller().await;
    reprocess::reprocess(&harness.honnin, &caller, id.as_str()).await.unwrap();
    assert_eq!(harness.run_until_idle().await, 0, "nothing is checked before the user resubmits");
    let applicant = harness.reissued(&id).await;
    assert_eq!(harness.next(&applicant).await, Next::Consent);
    service::consent::consent(&harness.honnin, &applicant, "1", domain::language::Language::En).await.unwrap();
    harness.photograph(&applicant).await;
    harness.type_details(&applicant).await;
    harness.selfie(&applicant).await;
    submit(&harness.honnin, &applicant).await.unwrap();
    harness.run_until_idle().await;
    let events = harness.events(&id).await;
    assert_eq!(events.len(), 2);
    assert_ne!(events[0].id, events[1].id);
}

#[tokio::test]
async fn the_way_back_carries_the_session_and_the_state() {
    let harness = Harness::new().await;
    let body = br#"{"callbackUrl":"https://shop.example/done","state":"a b&c"}"#;
    let caller = harness.caller().await;
    let created = service::create_session::create_session(&harness.honnin, &caller, body).await.unwrap();
    let applicant = harness.start(&created).await;
    assert!(result(&harness.honnin, &applicant).await.unwrap().return_url.is_none(), "not before the end");
    service::decline::decline(&harness.honnin, &applicant).await.unwrap();
    let url = result(&harness.honnin, &applicant).await.unwrap().return_url.unwrap();
    assert_eq!(url.expose(), &format!("https://shop.example/done?sessionId={}&state=a+b%26c", created.id));
    harness.run_until_idle().await;
}
