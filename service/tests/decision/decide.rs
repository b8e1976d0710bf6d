//! From the submit to the decision and its event.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use domain::{
    document::FieldName,
    event::EventType,
    findings::{Face, FaceEngine, SelfieFindings},
    ids::SessionId,
    outcome::{Authenticity, Source, Verdict},
    reasons::Reason,
    session::Status,
    time::Millis,
};
use service::{
    capture::{
        progress::{Next, NotNow},
        result::Ending,
        submit::submit,
        take::{Answers, Burst, capture_selfie},
    },
    session::reprocess,
};
use testkit::{
    Harness,
    analyser::{face, holder},
};

async fn reasons(harness: &Harness, id: &SessionId) -> Vec<String> {
    let outcome = harness.detail(id).await.outcome.unwrap();
    outcome.reasons.iter().map(ToString::to_string).collect()
}

#[tokio::test]
async fn a_genuine_passport_and_its_living_holder_are_approved() {
    let harness = Harness::new().await;
    let (id, applicant) = harness.decided().await;
    let detail = harness.detail(&id).await;
    let outcome = detail.outcome.unwrap();
    assert_eq!(detail.status, Status::Completed);
    assert_eq!(
        (outcome.verdict, outcome.source),
        (Verdict::Approved, Source::Automatic)
    );
    assert_eq!(outcome.reasons, Vec::<Reason>::new());
    assert_eq!(
        outcome.checks.document.unwrap().authenticity,
        Some(Authenticity::Authentic)
    );
    assert_eq!(outcome.checks.input_match.unwrap().matched, Some(true));
    assert_eq!(detail.typed.unwrap().expose().last_name.as_deref(), Some("Tanaka"));
    let ocr = detail.ocr.unwrap();
    assert!(ocr.expose().iter().any(|field| field.name == FieldName::BirthDate));
    assert_eq!(harness.ending(&applicant).await, Ending::Approved);
    let kinds: Vec<_> = harness
        .events(&id)
        .await
        .iter()
        .map(|event| event.content.kind().as_str().to_owned())
        .collect();
    assert_eq!(kinds, [EventType::Approved.as_str()]);
}

#[tokio::test]
async fn a_session_whose_stored_data_cannot_be_read_fails_within_an_hour_and_says_so() {
    let harness = Harness::new().await;
    let (id, applicant) = harness.ready().await;
    submit(&harness.honnin, &applicant).await.unwrap();
    harness.database.run("UPDATE captures SET findings = x'00'").await;
    harness.run_until_idle().await;
    assert_eq!(harness.detail(&id).await.status, Status::Deciding, "it may be mended");
    for _ in 0..60 {
        harness.wait(Millis::minutes(1)).await;
    }
    assert_eq!(harness.detail(&id).await.status, Status::Failed);
    let events = harness.events(&id).await;
    assert_eq!(events.len(), 1);
    assert_eq!(events[0].content.kind().as_str(), EventType::Failed.as_str());
}

#[tokio::test]
async fn another_persons_selfie_is_rejected() {
    let harness = Harness::new().await;
    let other = Face {
        descriptor: vec![0.9; 128],
        engine: FaceEngine::default(),
        ..face()
    };
    harness.analyser.see_selfie(SelfieFindings {
        face: Some(other),
        ..holder()
    });
    let (id, applicant) = harness.decided().await;
    assert_eq!(harness.detail(&id).await.outcome.unwrap().verdict, Verdict::Rejected);
    assert!(
        reasons(&harness, &id)
            .await
            .contains(&Reason::SelfieFaceMismatch.to_string())
    );
    assert_eq!(harness.ending(&applicant).await, Ending::Rejected);
}

#[tokio::test]
async fn who_cannot_move_goes_to_a_person() {
    let harness = Harness::new().await;
    let (id, applicant) = harness.agreed().await;
    harness.photograph(&applicant).await;
    harness.type_details(&applicant).await;
    let burst = Burst {
        answers: Answers::Nothing,
        frames: vec![(0, b"me".to_vec())],
    };
    capture_selfie(&harness.honnin, &applicant, burst).await.unwrap();
    submit(&harness.honnin, &applicant).await.unwrap();
    harness.run_until_idle().await;
    assert_eq!(harness.detail(&id).await.status, Status::Reviewing);
    assert_eq!(reasons(&harness, &id).await, [Reason::SelfieLivenessUncertain.as_str()]);
    assert_eq!(harness.ending(&applicant).await, Ending::Review);
}

#[tokio::test]
async fn a_decision_waits_for_the_analysis_and_survives_its_failures() {
    let harness = Harness::new().await;
    let (id, applicant) = harness.agreed().await;
    harness.photograph(&applicant).await;
    harness.type_details(&applicant).await;
    harness.selfie(&applicant).await;
    harness.analyser.fail(2);
    submit(&harness.honnin, &applicant).await.unwrap();
    harness.run_until_idle().await;
    assert_eq!(harness.detail(&id).await.status, Status::Deciding);
    for _ in 0..10 {
        harness.wait(Millis::seconds(2)).await;
    }
    assert_eq!(harness.detail(&id).await.outcome.unwrap().verdict, Verdict::Approved);
    assert_eq!(harness.analyser.looks(), 4, "two failed, two saw");
}

#[tokio::test]
async fn an_analysis_that_never_works_leads_to_a_person_and_never_to_failure() {
    let harness = Harness::new().await;
    harness.analyser.fail(1000);
    let (id, applicant) = harness.agreed().await;
    harness.photograph(&applicant).await;
    harness.type_details(&applicant).await;
    harness.selfie(&applicant).await;
    submit(&harness.honnin, &applicant).await.unwrap();
    for _ in 0..60 {
        harness.wait(Millis::seconds(2)).await;
    }
    let detail = harness.detail(&id).await;
    assert_eq!(detail.status, Status::Reviewing);
    assert!(
        reasons(&harness, &id)
            .await
            .contains(&Reason::CheckUnavailable.to_string())
    );
    assert_eq!(harness.analyser.looks(), 8, "four runs for each of two captures");
    assert_eq!(harness.events(&id).await.len(), 1);
}

#[tokio::test]
async fn a_picture_that_is_gone_leads_to_a_person() {
    let harness = Harness::new().await;
    let (id, applicant) = harness.agreed().await;
    harness.photograph(&applicant).await;
    let pictures = store::capture::pictures::Pictures::in_folder(&harness.folder().join("pictures")).unwrap();
    assert_eq!(pictures.delete_session(&id).await.unwrap(), 1);
    harness.type_details(&applicant).await;
    harness.selfie(&applicant).await;
    submit(&harness.honnin, &applicant).await.unwrap();
    for _ in 0..60 {
        harness.wait(Millis::seconds(2)).await;
    }
    assert_eq!(harness.detail(&id).await.status, Status::Reviewing);
    assert!(
        reasons(&harness, &id)
            .await
            .contains(&Reason::CheckUnavailable.to_string())
    );
}

#[tokio::test]
async fn an_outage_of_the_picture_store_ends_no_analysis() {
    let harness = Harness::new().await;
    let (id, applicant) = harness.agreed().await;
    harness.photograph(&applicant).await;
    harness.type_details(&applicant).await;
    harness.selfie(&applicant).await;
    // A file takes the place of the folder.
    let folder = harness.folder().join("pictures");
    let shelf = std::fs::read_dir(&folder).unwrap().next().unwrap().unwrap().path();
    let away = harness.folder().join("away");
    std::fs::rename(&shelf, &away).unwrap();
    std::fs::write(&shelf, "").unwrap();
    submit(&harness.honnin, &applicant).await.unwrap();
    for _ in 0..12 {
        harness.wait(Millis::minutes(10)).await;
    }
    assert_eq!(harness.detail(&id).await.status, Status::Deciding);
    std::fs::remove_file(&shelf).unwrap();
    std::fs::rename(&away, &shelf).unwrap();
    harness.wait(Millis::minutes(10)).await;
    assert_eq!(harness.detail(&id).await.outcome.unwrap().verdict, Verdict::Approved);
}

#[tokio::test]
async fn a_decision_begun_before_a_kill_is_made_once_after_the_restart() {
    let mut harness = Harness::new().await;
    let (id, applicant) = harness.ready().await;
    submit(&harness.honnin, &applicant).await.unwrap();
    harness.restart().await;
    harness.run_until_idle().await;
    harness.wait(Millis::minutes(5)).await;
    assert_eq!(harness.detail(&id).await.status, Status::Completed);
    assert_eq!(harness.events(&id).await.len(), 1);
}

#[tokio::test]
async fn submitted_in_time_it_is_decided_after_the_deadline() {
    let harness = Harness::new().await;
    let (id, applicant) = harness.ready().await;
    submit(&harness.honnin, &applicant).await.unwrap();
    harness.wait(Millis::days(8)).await;
    assert_eq!(harness.detail(&id).await.status, Status::Completed);
    let kinds: Vec<_> = harness
        .events(&id)
        .await
        .iter()
        .map(|event| event.content.kind().as_str().to_owned())
        .collect();
    assert_eq!(kinds, [EventType::Approved.as_str()]);
}

#[tokio::test]
async fn expiry_midway_sends_one_expired_event_and_nothing_is_decided() {
    let harness = Harness::new().await;
    let (id, applicant) = harness.ready().await;
    harness.clock.advance(Millis::days(7));
    assert!(matches!(
        submit(&harness.honnin, &applicant).await,
        Err(NotNow::OutOfTurn)
    ));
    harness.run_until_idle().await;
    assert_eq!(harness.detail(&id).await.status, Status::Expired);
    assert_eq!(harness.ending(&applicant).await, Ending::Expired);
    assert_eq!(harness.events(&id).await.len(), 1);
}

#[tokio::test]
async fn a_reprocessed_session_starts_anew_and_its_second_decision_has_another_event() {
    let harness = Harness::new().await;
    let (id, _) = harness.decided().await;
    let caller = harness.caller().await;
    reprocess::reprocess(&harness.honnin, &caller, id.as_str())
        .await
        .unwrap();
    assert_eq!(
        harness.run_until_idle().await,
        0,
        "nothing is checked before the user resubmits"
    );
    let applicant = harness.reissued(&id).await;
    assert_eq!(harness.next(&applicant).await, Next::Consent);
    service::capture::consent::consent(&harness.honnin, &applicant, "1", domain::language::Language::En, None)
        .await
        .unwrap();
    harness.photograph(&applicant).await;
    harness.type_details(&applicant).await;
    harness.selfie(&applicant).await;
    submit(&harness.honnin, &applicant).await.unwrap();
    harness.run_until_idle().await;
    let events = harness.events(&id).await;
    assert_eq!(events.len(), 2);
    assert_ne!(events[0].id, events[1].id);
}
