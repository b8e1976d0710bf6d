//! From the submit to the decision and its event.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use domain::{
    document::FieldName,
    event::{EventData, EventType},
    findings::{Face, FaceEngine, SelfieFindings},
    ids::SessionId,
    outcome::{Authenticity, Source, Verdict},
    reasons::Reason,
    session::{FailureReason, Status, Step},
    time::{Clock as _, Millis},
};
use service::{
    access::Applicant,
    capture::{
        progress::{Next, StepRefused},
        result::Ending,
        submit::submit,
        take::{Answers, Burst, capture_selfie},
    },
    session::reprocess,
};
use std::cell::Cell;
use store::{
    StoreError,
    capture::pictures::path_of,
    jobs::{self, Claim, JobKind, Moment},
    vault::MasterKeys,
    webhook::events::EventContent,
};
use testkit::{
    Harness,
    analyser::{face, holder},
    applicant::agree,
};

async fn reasons(harness: &Harness, id: &SessionId) -> Vec<String> {
    let outcome = harness.detail(id).await.outcome.unwrap();
    outcome.reasons.iter().map(ToString::to_string).collect()
}

/// Why the session failed, as its only event says.
async fn failure(harness: &Harness, id: &SessionId) -> Option<FailureReason> {
    let events = harness.events(id).await;
    assert_eq!(events.len(), 1);
    match &events[0].content {
        EventContent::Session {
            data: EventData::Failed { reason, .. },
            ..
        } => Some(*reason),
        _ => None,
    }
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

/// Planted faults that this test detects: a decision that is stored again and again with the session as it was; one that counts as a failure.
#[tokio::test]
async fn a_decision_on_a_session_that_has_changed_meanwhile_is_made_anew_a_second_later() {
    let Some(harness) = Harness::on_postgres(Step::ALL).await else {
        return;
    };
    let (id, applicant) = harness.ready().await;
    submit(&harness.honnin, &applicant).await.unwrap();
    let change = "UPDATE sessions SET version = version + 1";
    harness.database.beside(change, harness.run_until_idle()).await;
    assert_eq!(harness.detail(&id).await.status, Status::Deciding);
    let open = harness.open_jobs().await;
    let job = open.iter().find(|job| job.kind == JobKind::Decide).unwrap();
    assert_eq!(job.last_error, None);
    harness.wait(Millis::seconds(1)).await;
    assert_eq!(harness.detail(&id).await.status, Status::Completed);
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

/// A session whose selfie was chosen as this file, and decided.
async fn decided_by_a_file(harness: &Harness, file: &[u8]) -> (SessionId, Applicant) {
    let (id, applicant) = harness.agreed().await;
    harness.photograph(&applicant).await;
    harness.type_details(&applicant).await;
    let burst = Burst {
        answers: Answers::Nothing,
        frames: vec![(0, file.to_vec())],
    };
    capture_selfie(&harness.honnin, &applicant, burst).await.unwrap();
    submit(&harness.honnin, &applicant).await.unwrap();
    harness.run_until_idle().await;
    (id, applicant)
}

#[tokio::test]
async fn who_cannot_move_goes_to_a_person() {
    let harness = Harness::new().await;
    let (id, applicant) = decided_by_a_file(&harness, b"me").await;
    assert_eq!(harness.detail(&id).await.status, Status::Reviewing);
    assert_eq!(reasons(&harness, &id).await, [Reason::SelfieLivenessUncertain.as_str()]);
    assert_eq!(harness.ending(&applicant).await, Ending::Review);
}

/// Detects if only the frames of a run are compared: the photos of somebody else would pass in one session after the other.
#[tokio::test]
async fn a_file_that_another_session_sent_before_is_suspicious() {
    let harness = Harness::new().await;
    for repeated in [false, true] {
        let (id, _) = decided_by_a_file(&harness, b"me").await;
        let suspected = Reason::SelfieInjectionSuspected.to_string();
        assert_eq!(reasons(&harness, &id).await.contains(&suspected), repeated);
        assert_ne!(harness.detail(&id).await.outcome.unwrap().verdict, Verdict::Approved);
    }
}

/// Detects if somebody in the dark is taken for whoever has sent a black picture before.
#[tokio::test]
async fn a_file_in_which_nothing_can_be_seen_is_nobody_elses() {
    let harness = Harness::new().await;
    for file in ["black", "black again"] {
        let (id, _) = decided_by_a_file(&harness, file.as_bytes()).await;
        assert_eq!(
            reasons(&harness, &id).await,
            [Reason::SelfieLivenessUncertain.as_str()],
            "{file}"
        );
    }
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
async fn a_picture_that_is_gone_or_damaged_fails_the_session_and_the_audit_log_says_why() {
    for (reason, told) in [
        (
            FailureReason::MediaLost,
            "SELECT COUNT(*) FROM audit WHERE action = 'session.decide' AND detail = 'media_lost'",
        ),
        (
            FailureReason::MediaCorrupted,
            "SELECT COUNT(*) FROM audit WHERE action = 'session.decide' AND detail = 'media_corrupted'",
        ),
    ] {
        let harness = Harness::new().await;
        let (id, applicant) = harness.agreed().await;
        harness.photograph(&applicant).await;
        let names = harness.pictures.list_names(&id).await.unwrap();
        assert_eq!(names.len(), 1);
        if reason == FailureReason::MediaCorrupted {
            let picture = harness.folder().join("pictures").join(path_of(&id, &names[0]).unwrap());
            std::fs::write(picture, "damaged").unwrap();
        } else {
            harness.pictures.delete(&id, &names[0]).await.unwrap();
        }
        harness.type_details(&applicant).await;
        harness.selfie(&applicant).await;
        submit(&harness.honnin, &applicant).await.unwrap();
        for _ in 0..60 {
            harness.wait(Millis::seconds(2)).await;
        }
        assert_eq!(harness.detail(&id).await.status, Status::Failed, "{reason}");
        assert_eq!(failure(&harness, &id).await, Some(reason));
        assert_eq!(harness.database.number(told).await, 1, "{reason}");
    }
}

#[tokio::test]
async fn a_sandbox_session_never_fails_for_its_pictures() {
    let harness = Harness::new().await.into_sandbox().await;
    let (id, applicant) = harness.agreed().await;
    harness.photograph(&applicant).await;
    assert_eq!(harness.pictures.delete_session(&id).await.unwrap(), 1);
    harness.type_details(&applicant).await;
    harness.selfie(&applicant).await;
    submit(&harness.honnin, &applicant).await.unwrap();
    harness.run_until_idle().await;
    assert_eq!(harness.detail(&id).await.status, Status::Reviewing);
}

#[tokio::test]
async fn a_decision_that_the_database_refuses_fails_the_session_within_an_hour() {
    let harness = Harness::new().await;
    let (id, applicant) = harness.ready().await;
    submit(&harness.honnin, &applicant).await.unwrap();
    let refuse = "CREATE TRIGGER refuse BEFORE UPDATE ON sessions WHEN NEW.status = 'completed'
        BEGIN INSERT INTO audit (at, actor, action) VALUES (NULL, '', ''); END";
    harness.database.run(refuse).await;
    harness.run_until_idle().await;
    assert_eq!(harness.detail(&id).await.status, Status::Deciding, "it may be mended");
    for _ in 0..60 {
        harness.wait(Millis::minutes(1)).await;
    }
    assert_eq!(harness.detail(&id).await.status, Status::Failed);
    assert_eq!(failure(&harness, &id).await, Some(FailureReason::AttemptsExhausted));
}

#[tokio::test]
async fn a_decision_is_counted_before_it_is_made() {
    let harness = Harness::new().await;
    let (_, applicant) = harness.ready().await;
    submit(&harness.honnin, &applicant).await.unwrap();
    harness.database.run("CREATE TABLE counted (n INTEGER)").await;
    let count = "CREATE TRIGGER counted AFTER UPDATE ON jobs WHEN NEW.kind = 'decide' AND NEW.last_error LIKE 'begun%'
            AND EXISTS (SELECT 1 FROM sessions WHERE status = 'deciding')
        BEGIN INSERT INTO counted VALUES (1); END";
    harness.database.run(count).await;
    harness.run_until_idle().await;
    assert_eq!(harness.database.number("SELECT COUNT(*) FROM counted").await, 1);
    let noted = "SELECT COUNT(*) FROM jobs WHERE last_error IS NOT NULL";
    assert_eq!(harness.database.number(noted).await, 0, "it has ended");
}

#[tokio::test]
async fn a_decision_that_takes_the_process_down_each_time_fails_its_session_within_minutes() {
    for (runs, status) in [(7, Status::Completed), (8, Status::Failed)] {
        let harness = Harness::new().await;
        let (id, applicant) = harness.ready().await;
        submit(&harness.honnin, &applicant).await.unwrap();
        for _ in 0..runs {
            let now = harness.clock.now();
            let claim = Claim {
                worker: "killed",
                at: Moment::by_one_clock(now),
                until: now.plus(Millis::seconds(15)),
                limit: 1,
            };
            let unit = harness.honnin.db().write(async move |tx| -> Result<(), StoreError> {
                let job = jobs::claim(tx, &[JobKind::Decide], claim).await?.remove(0);
                jobs::note_begun(tx, &job).await
            });
            unit.await.unwrap();
            harness.clock.advance(Millis::seconds(15));
        }
        harness.run_until_idle().await;
        assert_eq!(harness.detail(&id).await.status, status, "{runs}");
        if status == Status::Failed {
            assert_eq!(failure(&harness, &id).await, Some(FailureReason::AttemptsExhausted));
        }
    }
}

/// Detects if a worker that outlives an outage leaves its run as one that did not end.
#[tokio::test]
async fn a_decision_that_an_outage_of_the_database_interrupts_does_not_count_as_one_that_crashes() {
    let Some(harness) = Harness::on_postgres(Step::ALL).await else {
        return;
    };
    let (id, applicant) = harness.ready().await;
    submit(&harness.honnin, &applicant).await.unwrap();
    // What is counted in a sequence is not rolled back. The code is that of a full disk.
    for sql in [
        "CREATE SEQUENCE refused",
        "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
         'BEGIN PERFORM nextval(''refused''); RAISE EXCEPTION ''away'' USING ERRCODE = ''53100''; END'",
        "CREATE TRIGGER refuse_decision BEFORE UPDATE ON sessions FOR EACH ROW
         WHEN (NEW.status = 'completed') EXECUTE FUNCTION refuse()",
        "CREATE TRIGGER refuse_end BEFORE UPDATE ON jobs FOR EACH ROW
         WHEN (NEW.kind = 'decide' AND NEW.failures > OLD.failures) EXECUTE FUNCTION refuse()",
    ] {
        harness.database.run(sql).await;
    }
    let is_done = Cell::new(false);
    let run = async {
        harness.run_until_idle().await;
        is_done.set(true);
    };
    let mend = async {
        // The decision once, and its end twice.
        while !is_done.get() && harness.database.number("SELECT last_value FROM refused").await < 3 {
            tokio::task::yield_now().await;
        }
        harness.database.run("DROP TRIGGER refuse_decision ON sessions").await;
        harness.database.run("DROP TRIGGER refuse_end ON jobs").await;
    };
    tokio::join!(run, mend);
    let begun = "SELECT COUNT(*) FROM jobs WHERE kind = 'decide' AND last_error LIKE 'begun%'";
    assert_eq!(harness.database.number(begun).await, 0);
    harness.wait(Millis::minutes(1)).await;
    assert_eq!(harness.detail(&id).await.status, Status::Completed);
}

#[tokio::test]
async fn a_session_whose_attempt_does_not_parse_fails_within_an_hour() {
    let harness = Harness::new().await;
    let (id, applicant) = harness.ready().await;
    submit(&harness.honnin, &applicant).await.unwrap();
    harness.database.run("UPDATE captures SET frames = 'x'").await;
    for _ in 0..60 {
        harness.wait(Millis::minutes(1)).await;
    }
    assert_eq!(failure(&harness, &id).await, Some(FailureReason::ProcessingError));
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

/// A session that was submitted, before its pictures were analysed or after that, and for these times could not be decrypted.
async fn without_its_master_key<const N: usize>(analysed: bool, waits: [Millis; N]) -> (Harness, SessionId) {
    let mut harness = Harness::new().await;
    let file = harness.folder().join("master.key");
    let whole = std::fs::read(&file).unwrap();
    let (id, applicant) = harness.agreed().await;
    harness.photograph(&applicant).await;
    harness.type_details(&applicant).await;
    harness.selfie(&applicant).await;
    if analysed {
        harness.run_until_idle().await;
    }
    submit(&harness.honnin, &applicant).await.unwrap();
    std::fs::write(&file, MasterKeys::generate(2).unwrap().as_str()).unwrap();
    harness.restart().await;
    for wait in waits {
        harness.wait(wait).await;
    }
    std::fs::write(&file, &whole).unwrap();
    harness.restart().await;
    (harness, id)
}

#[tokio::test]
async fn a_master_key_that_this_process_does_not_have_yet_ends_neither_an_analysis_nor_a_decision() {
    for analysed in [false, true] {
        let (harness, id) = without_its_master_key(analysed, [Millis::minutes(2); 50]).await;
        assert_eq!(harness.detail(&id).await.status, Status::Deciding);
        for _ in 0..3 {
            harness.wait(Millis::minutes(10)).await;
        }
        assert_eq!(harness.detail(&id).await.outcome.unwrap().verdict, Verdict::Approved);
    }
}

#[tokio::test]
async fn a_picture_is_analysed_however_often_the_master_key_was_missing_before() {
    let mut harness = Harness::new().await;
    let file = harness.folder().join("master.key");
    let whole = std::fs::read(&file).unwrap();
    let (id, applicant) = harness.agreed().await;
    harness.photograph(&applicant).await;
    harness.type_details(&applicant).await;
    harness.selfie(&applicant).await;
    submit(&harness.honnin, &applicant).await.unwrap();
    std::fs::write(&file, MasterKeys::generate(2).unwrap().as_str()).unwrap();
    harness.restart().await;
    for _ in 0..40 {
        harness.wait(Millis::minutes(10)).await;
    }
    std::fs::write(&file, &whole).unwrap();
    harness.restart().await;
    for _ in 0..3 {
        harness.wait(Millis::minutes(10)).await;
    }
    assert_eq!(harness.detail(&id).await.outcome.unwrap().verdict, Verdict::Approved);
}

#[tokio::test]
async fn a_session_whose_master_key_stays_away_for_a_day_has_failed() {
    for analysed in [false, true] {
        let (harness, id) = without_its_master_key(analysed, [Millis::minutes(10); 170]).await;
        assert_eq!(
            harness.detail(&id).await.status,
            Status::Failed,
            "analysed before: {analysed}"
        );
    }
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
        Err(StepRefused::OutOfTurn)
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
    agree(&harness.honnin, &applicant, None).await.unwrap();
    harness.photograph(&applicant).await;
    harness.type_details(&applicant).await;
    harness.selfie(&applicant).await;
    submit(&harness.honnin, &applicant).await.unwrap();
    harness.run_until_idle().await;
    let events = harness.events(&id).await;
    assert_eq!(events.len(), 2);
    assert_ne!(events[0].id, events[1].id);
}
