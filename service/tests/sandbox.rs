//! Completing sandbox sessions with test data: only the data is fictional.

use domain::{
    audit::{Actor, AuditAction},
    event::EventType,
    outcome::{Source, Verdict},
    reasons::Reason,
    role::Role,
    sandbox::{SandboxOutcome, SandboxTime},
    session::{AttemptNumber, FailureReason, Session, Status},
    time::Millis,
};
use service::{
    access::Reviewer,
    capture::{open_link::view_link, submit::submit},
    review::{LookedAt, ReviewDecision, UNDO, open_case, rule},
    sandbox::{
        CompleteError, Completed,
        clock::{AdvanceError, advance},
        complete_as_applicant, complete_in_sandbox,
    },
    session::{
        create::create_session,
        reprocess::{ReprocessError, reprocess},
    },
};
use store::{audit, decision::decisions};
use testkit::{Harness, START, receiver::Receiver, webhooks::settings_for};

async fn sandbox() -> Harness {
    Harness::new().await.into_sandbox().await
}

async fn complete(harness: &Harness, id: &str, outcome: SandboxOutcome) -> Result<Completed, CompleteError> {
    complete_in_sandbox(&harness.honnin, &harness.caller().await, id, outcome).await
}

async fn event_types(harness: &Harness, id: &domain::ids::SessionId) -> Vec<&'static str> {
    let events = harness.events(id).await;
    events.iter().map(|event| event.content.kind().as_str()).collect()
}

/// The result of each outcome.
const ENDS: [(SandboxOutcome, Status, EventType); 5] = [
    (SandboxOutcome::Approved, Status::Completed, EventType::Approved),
    (SandboxOutcome::Rejected, Status::Completed, EventType::Rejected),
    (SandboxOutcome::NeedsReview, Status::Reviewing, EventType::NeedsReview),
    (SandboxOutcome::Failed, Status::Failed, EventType::Failed),
    (SandboxOutcome::Expired, Status::Expired, EventType::Expired),
];

#[tokio::test]
async fn each_outcome_ends_a_session_with_its_status_and_its_event_once() {
    let harness = sandbox().await;
    for (outcome, status, event) in ENDS {
        for opened in [false, true] {
            let created = harness.create().await;
            if opened {
                harness.start(&created).await;
            }
            let done = complete(&harness, created.id.as_str(), outcome).await.unwrap();
            assert_eq!((done.id, done.status), (created.id.clone(), status), "{outcome}");
            let detail = harness.detail(&created.id).await;
            assert_eq!(detail.status, status);
            let verdict = detail.outcome.as_ref().map(|outcome| outcome.verdict);
            assert_eq!(verdict, outcome.verdict());
            assert_eq!(detail.session.completed_at.is_some(), status == Status::Completed);
            assert_eq!(event_types(&harness, &created.id).await, [event.as_str()]);
            let link = view_link(&harness.honnin, &Harness::token(&created)).await;
            assert!(link.is_err(), "a link of a session that has ended opens nothing");
        }
    }
    harness.wait(Millis::days(8)).await;
    let again = harness.create().await;
    assert!(event_types(&harness, &again.id).await.is_empty());
    assert_eq!(
        harness.run_until_idle().await,
        0,
        "the first deadlines ended nothing twice"
    );
}

#[tokio::test]
async fn the_deadline_that_comes_later_sends_no_second_event() {
    let harness = sandbox().await;
    for (outcome, _, event) in ENDS {
        let created = harness.create().await;
        complete(&harness, created.id.as_str(), outcome).await.unwrap();
        harness.wait(Millis::days(8)).await;
        assert_eq!(event_types(&harness, &created.id).await, [event.as_str()], "{outcome}");
    }
}

#[tokio::test]
async fn an_approved_session_has_everything_a_real_one_has() {
    let harness = sandbox().await;
    let body = br#"{"preRegisteredInfo": {"lastName": "Tanaka", "birthDate": "1985-05-05"}}"#;
    let caller = harness.caller().await;
    let id = create_session(&harness.honnin, &caller, body).await.unwrap().id;
    complete(&harness, id.as_str(), SandboxOutcome::Approved).await.unwrap();
    let detail = harness.detail(&id).await;
    let typed = detail.typed.unwrap();
    assert_eq!(typed.expose().last_name.as_deref(), Some("Tanaka"));
    let read = detail.ocr.unwrap();
    assert!(read.expose().len() >= 6 && detail.document_type.is_some());
    let outcome = detail.outcome.unwrap();
    assert_eq!((outcome.source, outcome.decided_at), (Source::Automatic, START));
    assert_eq!(outcome.checks.input_match.unwrap().matched, Some(true));
    assert!(outcome.checks.selfie.unwrap().face_match_confidence.unwrap() > 0.9);
    assert_eq!(harness.analyser.looks(), 0, "nothing was analysed");
    let kept = harness.read(async move |tx| decisions::list(tx, &id).await).await;
    assert_eq!(kept.len(), 1);
    assert!(kept[0].verdict == Verdict::Approved && kept[0].explanation.is_some());
}

#[tokio::test]
async fn live_tenants_and_strangers_have_no_such_session() {
    let live = Harness::new().await;
    let mine = live.create().await.id.to_string();
    let applicant = live.start(&live.create().await).await;
    for id in [mine.as_str(), "vs_00000000000000000000000000000000", "", "\0"] {
        let refused = complete(&live, id, SandboxOutcome::Approved).await;
        assert!(matches!(refused, Err(CompleteError::NotFound)), "{id}");
    }
    let refused = complete_as_applicant(&live.honnin, &applicant, SandboxOutcome::Approved).await;
    assert!(matches!(refused, Err(CompleteError::NotFound)));
    let sandbox = live.into_sandbox().await;
    let foreign = complete(&sandbox, &mine, SandboxOutcome::Approved).await;
    assert!(matches!(foreign, Err(CompleteError::NotFound)));
}

#[tokio::test]
async fn a_session_that_has_ended_or_is_being_decided_is_left_as_it_is() {
    let harness = sandbox().await;
    for (first, status, _) in ENDS {
        let id = harness.create().await.id;
        complete(&harness, id.as_str(), first).await.unwrap();
        for (second, ..) in ENDS {
            let refused = complete(&harness, id.as_str(), second).await;
            assert!(matches!(refused, Err(CompleteError::NotAllowed)), "{first} {second}");
        }
        assert_eq!(harness.detail(&id).await.status, status);
        assert_eq!(harness.events(&id).await.len(), 1);
    }
    let (id, applicant) = harness.ready().await;
    submit(&harness.honnin, &applicant).await.unwrap();
    for (outcome, ..) in ENDS {
        let refused = complete(&harness, id.as_str(), outcome).await;
        assert!(matches!(refused, Err(CompleteError::NotAllowed)), "{outcome}");
    }
    let late = harness.create().await.id;
    harness.clock.advance(Millis::days(7));
    let refused = complete(&harness, late.as_str(), SandboxOutcome::Approved).await;
    assert!(matches!(refused, Err(CompleteError::NotAllowed)), "past its deadline");
}

#[tokio::test]
async fn of_many_at_once_one_wins() {
    let harness = sandbox().await;
    let id = harness.create().await.id;
    let tries = (0..16).map(|i| complete(&harness, id.as_str(), ENDS[i % 5].0));
    let done = futures::future::join_all(tries).await;
    assert_eq!(done.iter().filter(|done| done.is_ok()).count(), 1);
    let lost = |done: &Result<_, _>| matches!(done, Err(CompleteError::NotAllowed));
    assert_eq!(done.iter().filter(|done| lost(done)).count(), 15);
    assert_eq!(harness.events(&id).await.len(), 1);
}

#[tokio::test]
async fn review_reprocess_and_another_completion_go_on_from_there() {
    let harness = sandbox().await;
    let id = harness.create().await.id;
    complete(&harness, id.as_str(), SandboxOutcome::NeedsReview)
        .await
        .unwrap();
    harness.clock.advance(Millis::minutes(1));
    let rita = Reviewer::of(&harness.staff(Role::Reviewer).await).unwrap();
    let case = open_case(&harness.honnin, &rita, &id).await.unwrap();
    assert!(case.is_reserved_by(rita.staff().user()) && case.not_performed.is_empty());
    assert!(!case.history.decisions[0].scores.is_empty());
    rule(
        &harness.honnin,
        &rita,
        LookedAt::new(&id, AttemptNumber::FIRST),
        ReviewDecision::Approve,
        None,
    )
    .await
    .unwrap();
    harness.wait(UNDO).await;
    let ruled = harness.detail(&id).await.outcome.unwrap();
    assert_eq!(ruled.verdict, Verdict::Approved);
    harness.clock.advance(Millis::minutes(1));
    reprocess(&harness.honnin, &harness.caller().await, id.as_str())
        .await
        .unwrap();
    complete(&harness, id.as_str(), SandboxOutcome::Failed).await.unwrap();
    let page = harness.detail(&id).await;
    assert!(page.status == Status::Failed && page.outcome.is_none());
    assert_eq!(
        event_types(&harness, &id).await,
        [
            "verification.needs_review",
            "verification.approved",
            "verification.failed"
        ]
    );
}

#[tokio::test]
async fn retention_erases_the_made_up_data_as_it_does_all_others() {
    let harness = sandbox().await;
    let id = harness.create().await.id;
    complete(&harness, id.as_str(), SandboxOutcome::Rejected).await.unwrap();
    assert!(harness.detail(&id).await.typed.is_some());
    harness.wait(Millis::days(90)).await;
    let after = harness.detail(&id).await;
    assert!(after.session.purged_at.is_some() && after.typed.is_none() && after.ocr.is_none());
    assert_eq!(after.outcome.unwrap().verdict, Verdict::Rejected);
}

#[tokio::test]
async fn the_webhook_is_sent_to_the_real_receiver() {
    let receiver = Receiver::start().await;
    let harness = Harness::with(settings_for(&receiver)).await.into_sandbox().await;
    harness.issue_secret().await;
    let id = harness.create().await.id;
    complete(&harness, id.as_str(), SandboxOutcome::Failed).await.unwrap();
    harness.run_until_idle().await;
    let [received] = receiver.received().try_into().unwrap();
    let event = received.json();
    assert_eq!(event["type"], "verification.failed");
    assert_eq!(event["data"]["reason"], FailureReason::ProcessingError.as_str());
    assert_eq!(event["data"]["session"]["sessionId"], id.as_str());
}

#[tokio::test]
async fn who_completed_it_is_on_record() {
    let harness = sandbox().await;
    let id = harness.create().await.id;
    complete(&harness, id.as_str(), SandboxOutcome::Expired).await.unwrap();
    let (tenant, subject) = (harness.tenant.id.clone(), id.to_string());
    let log = harness
        .read(async move |tx| audit::list(tx, &tenant, Some(&subject), None, 10).await)
        .await;
    let entry = &log[0].entry;
    assert_eq!(entry.action, AuditAction::SessionCompleteInSandbox);
    assert_eq!(entry.detail.as_deref(), Some("expired"));
    assert!(matches!(entry.actor, Actor::ApiKey(_)), "{}", entry.actor);
}

#[tokio::test]
async fn a_user_of_the_start_page_completes_their_own_attempt_only() {
    let harness = sandbox().await;
    let created = harness.create().await;
    let applicant = harness.start(&created).await;
    let done = complete_as_applicant(&harness.honnin, &applicant, SandboxOutcome::Approved).await;
    assert_eq!(done.unwrap().status, Status::Completed);
    reprocess(&harness.honnin, &harness.caller().await, created.id.as_str())
        .await
        .unwrap();
    let earlier = complete_as_applicant(&harness.honnin, &applicant, SandboxOutcome::Approved).await;
    assert!(matches!(earlier, Err(CompleteError::NotFound)));
}

#[tokio::test]
async fn pictures_of_a_sandbox_are_not_analysed_and_go_to_review() {
    let harness = sandbox().await;
    let (id, _) = harness.decided().await;
    assert_eq!(harness.analyser.looks(), 0);
    let outcome = harness.detail(&id).await.outcome.unwrap();
    assert_eq!(outcome.verdict, Verdict::NeedsReview);
    assert!(outcome.reasons.contains(&Reason::CheckUnavailable.into()));
}

async fn move_to(harness: &Harness, id: &str, to: SandboxTime) -> Result<Session, AdvanceError> {
    advance(&harness.honnin, &harness.caller().await, id, to).await
}

#[tokio::test]
async fn a_session_moved_to_its_deadline_expires_by_its_own_job_and_its_webhook_arrives() {
    let receiver = Receiver::start().await;
    let harness = Harness::with(settings_for(&receiver)).await.into_sandbox().await;
    harness.issue_secret().await;
    for opened in [false, true] {
        let created = harness.create().await;
        if opened {
            harness.start(&created).await;
        }
        let moved = move_to(&harness, created.id.as_str(), SandboxTime::Deadline)
            .await
            .unwrap();
        assert_eq!((moved.expires_at, moved.status_at(START)), (START, Status::Expired));
        assert_eq!(
            harness.detail(&created.id).await.status,
            Status::Expired,
            "readers see it at once"
        );
        assert!(
            event_types(&harness, &created.id).await.is_empty(),
            "the job does the rest"
        );
        harness.run_until_idle().await;
        assert_eq!(event_types(&harness, &created.id).await, [EventType::Expired.as_str()]);
        let link = view_link(&harness.honnin, &Harness::token(&created)).await;
        assert!(link.is_err());
    }
    let received = receiver.received();
    assert_eq!(received.len(), 2);
    assert_eq!(received[0].json()["type"], "verification.expired");
    harness.wait(Millis::days(8)).await;
    assert_eq!(
        receiver.received().len(),
        2,
        "the deadlines that come later end nothing twice"
    );
}

#[tokio::test]
async fn a_session_moved_to_the_end_of_its_retention_loses_its_personal_data_and_keeps_its_outcome() {
    let harness = sandbox().await;
    for (outcome, status) in [
        (SandboxOutcome::Approved, Status::Completed),
        (SandboxOutcome::Failed, Status::Failed),
        (SandboxOutcome::Expired, Status::Expired),
    ] {
        let caller = harness.caller().await;
        let body = br#"{"preRegisteredInfo": {"lastName": "Tanaka"}}"#;
        let id = create_session(&harness.honnin, &caller, body).await.unwrap().id;
        complete(&harness, id.as_str(), outcome).await.unwrap();
        assert!(harness.detail(&id).await.pre_registered.is_some());
        let moved = move_to(&harness, id.as_str(), SandboxTime::RetentionEnd).await.unwrap();
        assert_eq!(moved.purged_at, None);
        let revived = reprocess(&harness.honnin, &caller, id.as_str()).await;
        assert!(matches!(revived, Err(ReprocessError::NotAllowed)), "{outcome}");
        harness.run_until_idle().await;
        let after = harness.detail(&id).await;
        assert_eq!(
            (after.status, after.session.purged_at),
            (status, Some(START)),
            "{outcome}"
        );
        assert!(after.pre_registered.is_none() && after.typed.is_none() && after.ocr.is_none());
        assert_eq!(after.outcome.is_some(), status == Status::Completed);
        let again = move_to(&harness, id.as_str(), SandboxTime::RetentionEnd).await;
        assert!(matches!(again, Err(AdvanceError::NotAllowed)), "{outcome}");
    }
}

#[tokio::test]
async fn both_moves_in_a_row_need_no_pause() {
    let harness = sandbox().await;
    let id = harness.create().await.id;
    move_to(&harness, id.as_str(), SandboxTime::Deadline).await.unwrap();
    let moved = move_to(&harness, id.as_str(), SandboxTime::RetentionEnd).await.unwrap();
    assert_eq!(moved.status, Status::Expired);
    harness.run_until_idle().await;
    assert!(harness.detail(&id).await.session.purged_at.is_some());
    assert_eq!(event_types(&harness, &id).await, [EventType::Expired.as_str()], "once");
    let (tenant, subject) = (harness.tenant.id.clone(), id.to_string());
    let log = harness
        .read(async move |tx| audit::list(tx, &tenant, Some(&subject), None, 10).await)
        .await;
    let moves: Vec<_> = log
        .iter()
        .filter(|recorded| recorded.entry.action == AuditAction::SessionAdvanceInSandbox)
        .map(|recorded| recorded.entry.detail.as_deref())
        .collect();
    assert_eq!(moves, [Some("retention_end"), Some("deadline")]);
}

#[tokio::test]
async fn a_clock_moves_only_forward_and_only_in_a_sandbox() {
    let harness = sandbox().await;
    let waiting = harness.create().await.id;
    let refused = move_to(&harness, waiting.as_str(), SandboxTime::RetentionEnd).await;
    assert!(matches!(refused, Err(AdvanceError::NotAllowed)), "it has not ended");
    complete(&harness, waiting.as_str(), SandboxOutcome::NeedsReview)
        .await
        .unwrap();
    for to in SandboxTime::ALL {
        let refused = move_to(&harness, waiting.as_str(), *to).await;
        assert!(
            matches!(refused, Err(AdvanceError::NotAllowed)),
            "{to}: a review has no deadline"
        );
    }
    let live = Harness::new().await;
    let mine = live.create().await.id.to_string();
    for id in [mine.as_str(), "vs_00000000000000000000000000000000", "", "\0"] {
        for to in SandboxTime::ALL {
            let refused = move_to(&live, id, *to).await;
            assert!(matches!(refused, Err(AdvanceError::NotFound)), "{id} {to}");
        }
    }
    let stranger = harness.another_tenant().await;
    let id = harness.create().await.id;
    let refused = advance(&harness.honnin, &stranger, id.as_str(), SandboxTime::Deadline).await;
    assert!(matches!(refused, Err(AdvanceError::NotFound)));
}

#[tokio::test]
async fn no_session_ends_by_a_clock_that_has_just_jumped_and_the_caller_can_try_again() {
    let harness = sandbox().await;
    let id = harness.create().await.id;
    let before = harness.detail(&id).await.session;
    let (hour, year) = (Millis::hours(1), Millis::days(365));
    // Under the second one, its deadline seems to have passed.
    for (by, to) in [(hour, SandboxTime::Deadline), (year, SandboxTime::RetentionEnd)] {
        harness.clock.jump(by);
        let refused = move_to(&harness, id.as_str(), to).await;
        assert!(matches!(refused, Err(AdvanceError::ClockJumped)), "{refused:?}");
        assert_eq!(harness.detail(&id).await.session, before);
        harness.clock.jump(Millis(-by.0));
    }
    harness.run_until_idle().await;
    harness.wait(Millis::minutes(10)).await;
    move_to(&harness, id.as_str(), SandboxTime::Deadline).await.unwrap();
    harness.run_until_idle().await;
    assert_eq!(harness.detail(&id).await.session.status, Status::Expired);
    assert_eq!(event_types(&harness, &id).await, [EventType::Expired.as_str()]);
}
