//! Queue, case and decision.

use domain::{
    audit::AuditAction,
    document::{DocumentType, FieldName, Side},
    event::EventType,
    findings::{DocumentFindings, FieldRegion, Quality, SelfieFindings},
    ids::{SessionId, UserId},
    named::Named,
    outcome::{Source, Verdict},
    reasons::Reason,
    role::Role,
    ruling::{RESERVATION, Ruling},
    secret::Personal,
    session::{AttemptNumber, Status, Step},
    time::{Millis, SKEW},
};
use futures::future::{join, join_all};
use service::{
    access::{Admin, Forbidden, Reviewer},
    capture::{open_link::open_link, rectify::View, strips::Items, submit::submit},
    people::{Change, change_person},
    review::{
        self, AssignError, CaseError, CasesOf, LookedAt, Reassignment, ReviewDecision, RuleError, UNDO, UndoError,
        ask_again, find_picture, keep_case, leave_case, list_pending, open_case, queue, reopen, reserve_next, rule,
        undo,
    },
    runtime::analyser::Size,
    session::{
        read::{SessionDetail, read_session},
        reissue_link::{ReissueError, reissue_link},
        reprocess::reprocess,
        search::{Filter, Order, Page, count_waiting},
    },
    stored::Slot,
};
use sqlx::{Connection as _, PgConnection};
use std::{cell::Cell, pin::pin, time::Duration};
use store::{StoreError, audit, jobs::JobKind, session::sessions};
use testkit::{
    Harness,
    analyser::{GOOD, holder, passport},
    databases::WriteLock,
};
use tokio::time::timeout;

/// A session with uncertain liveness.
async fn waiting() -> (Harness, SessionId) {
    let harness = Harness::new().await;
    let id = wait_for_review(&harness).await;
    (harness, id)
}

async fn wait_for_review(harness: &Harness) -> SessionId {
    harness.analyser.see_selfie(SelfieFindings {
        liveness: None,
        ..holder()
    });
    let (id, _) = harness.decided().await;
    assert_eq!(read(harness, &id).await.status, Status::Reviewing);
    id
}

async fn read(harness: &Harness, id: &SessionId) -> SessionDetail {
    read_session(&harness.honnin, &harness.caller().await, id.as_str())
        .await
        .unwrap()
}

async fn reviewer(harness: &Harness) -> Reviewer {
    Reviewer::of(&harness.staff(Role::Reviewer).await).unwrap()
}

/// Opens a case; whether it is reserved for the reviewer then.
async fn opens_as_own(harness: &Harness, reviewer: &Reviewer, id: &SessionId) -> bool {
    let case = open_case(&harness.honnin, reviewer, id).await.unwrap();
    case.is_reserved_by(reviewer.staff().user())
}

fn first_page() -> Page {
    Page {
        order: Order::LongestWaiting,
        after: None,
        limit: 10,
    }
}

#[tokio::test]
async fn waiting_cases_are_counted_by_reason_and_kind_of_document() {
    let (harness, id) = waiting().await;
    let rita = reviewer(&harness).await;
    let reasons = read(&harness, &id).await.outcome.unwrap().reasons;
    let counts = review::count_by_reason(&harness.honnin, &rita, None, CasesOf::Everybody)
        .await
        .unwrap();
    assert_eq!(counts.all, 1);
    let counted: Vec<_> = counts
        .by_reason
        .iter()
        .map(|(reason, count)| (Named::Known(*reason), *count))
        .collect();
    let expected: Vec<_> = reasons.into_iter().map(|reason| (reason, 1)).collect();
    assert!(!expected.is_empty());
    assert_eq!(counted, expected);
    let other = Some(DocumentType::ResidenceCard);
    let none = review::count_by_reason(&harness.honnin, &rita, other, CasesOf::Everybody)
        .await
        .unwrap();
    assert_eq!(none, review::ReasonCounts::default());
}

#[tokio::test]
async fn each_case_has_the_one_before_and_the_one_after_it_in_the_part_of_the_queue_that_is_worked_on() {
    let harness = Harness::new().await;
    let rita = reviewer(&harness).await;
    let mut cases = Vec::new();
    for _ in 0..3 {
        cases.push(wait_for_review(&harness).await);
        harness.clock.advance(Millis::seconds(1));
    }
    let all = Filter::default();
    let mut walked = Vec::new();
    for case in &cases {
        let beside = review::neighbours(&harness.honnin, &rita, all.clone(), case)
            .await
            .unwrap();
        walked.push((beside.previous, beside.next));
    }
    let case = |index: usize| Some(cases[index].clone());
    assert_eq!(walked, [(None, case(1)), (case(0), case(2)), (case(1), None)]);
    let others = Filter {
        document_type: Some(DocumentType::ResidenceCard),
        ..Filter::default()
    };
    let none = review::neighbours(&harness.honnin, &rita, others, &cases[1])
        .await
        .unwrap();
    assert_eq!(none, review::Neighbours::default());
    // A decided one is not waiting any more: its neighbours are each other's.
    let looked_at = LookedAt::new(&cases[1], AttemptNumber::FIRST);
    review::rule(&harness.honnin, &rita, looked_at, ReviewDecision::Approve, None)
        .await
        .unwrap();
    let beside = review::neighbours(&harness.honnin, &rita, all.clone(), &cases[0])
        .await
        .unwrap();
    assert_eq!(beside.next, case(2));
    let gone = review::neighbours(&harness.honnin, &rita, all, &cases[1])
        .await
        .unwrap();
    assert_eq!(gone, review::Neighbours::default());
}

/// A search that finds nothing looks at every waiting case: on SQLite, nobody else could write for so long.
#[tokio::test]
async fn whoever_looks_for_the_next_case_keeps_nobody_from_writing() {
    let (harness, id) = waiting().await;
    let reviewer = reviewer(&harness).await;
    let nothing = Filter {
        metadata: Some("of no case".into()),
        ..Filter::default()
    };
    let lock = WriteLock::acquire(&harness.database.url).await;
    let none = reserve_next(&harness.honnin, &reviewer, nothing).await.unwrap();
    assert_eq!(none, None);
    lock.release().await;
    let next = reserve_next(&harness.honnin, &reviewer, Filter::default())
        .await
        .unwrap();
    assert_eq!(next, Some(id));
}

#[tokio::test]
async fn only_reviewers_and_admins_review() {
    let harness = Harness::new().await;
    for (role, may) in [
        (Role::Admin, true),
        (Role::Reviewer, true),
        (Role::Auditor, false),
        (Role::Developer, false),
    ] {
        let staff = harness.staff(role).await;
        assert_eq!(Reviewer::of(&staff).err(), (!may).then_some(Forbidden), "{role:?}");
    }
}

#[tokio::test]
async fn an_approval_ends_the_case_with_note_outcome_and_an_event_of_its_own() {
    let (harness, id) = waiting().await;
    let rita = reviewer(&harness).await;
    let case = open_case(&harness.honnin, &rita, &id).await.unwrap();
    assert!(case.is_reserved_by(rita.staff().user()) && case.not_performed.is_empty());
    assert!(!case.history.captures.is_empty() && !case.history.decisions[0].scores.is_empty());
    harness.clock.advance(Millis::minutes(1));
    let note = Some(Personal::new("Same person, seen by eye.".to_owned()));
    let ruled_at = harness.honnin.now();
    let due = rule(&harness.honnin, &rita, first(&id), ReviewDecision::Approve, note).await;
    assert_eq!(due.unwrap(), ruled_at.plus(UNDO));
    harness.wait(UNDO).await;
    let detail = read(&harness, &id).await;
    let outcome = detail.outcome.unwrap();
    assert_eq!(
        (detail.status, outcome.verdict, outcome.source),
        (Status::Completed, Verdict::Approved, Source::ManualReview)
    );
    let ruling = outcome.review.unwrap();
    assert_eq!(ruling.note.as_deref(), Some("Same person, seen by eye."));
    assert_eq!(
        (ruling.reviewed_at, outcome.decided_at),
        (ruled_at, harness.honnin.now())
    );
    assert_eq!(outcome.reasons, Vec::<Reason>::new());
    let events = harness.events(&id).await;
    let kinds: Vec<_> = events.iter().map(|event| event.content.kind().as_str()).collect();
    assert_eq!(kinds, [EventType::NeedsReview.as_str(), EventType::Approved.as_str()]);
    assert_ne!(events[0].id, events[1].id);
    assert!(
        queue(&harness.honnin, &rita, Filter::default(), first_page())
            .await
            .unwrap()
            .is_empty()
    );
}

/// The first attempt of a session, which a reviewer has looked at.
const fn first(id: &SessionId) -> LookedAt<'_> {
    LookedAt::new(id, AttemptNumber::FIRST)
}

fn reject() -> ReviewDecision {
    ReviewDecision::Reject(vec![Reason::ManualRejection])
}

#[tokio::test]
async fn a_rejection_needs_a_reason_and_names_it() {
    let (harness, id) = waiting().await;
    let rita = reviewer(&harness).await;
    for none in [vec![], vec![Reason::QualitySampling]] {
        let refused = rule(&harness.honnin, &rita, first(&id), ReviewDecision::Reject(none), None).await;
        assert!(matches!(refused, Err(RuleError::NoReason)), "{refused:?}");
    }
    harness.wait(UNDO).await;
    assert_eq!(read(&harness, &id).await.status, Status::Reviewing);
    let reasons = vec![Reason::SelfieFaceMismatch, Reason::DocumentTampered];
    rule(
        &harness.honnin,
        &rita,
        first(&id),
        ReviewDecision::Reject(reasons),
        None,
    )
    .await
    .unwrap();
    harness.wait(UNDO).await;
    let outcome = read(&harness, &id).await.outcome.unwrap();
    let told: Vec<&str> = outcome.reasons.iter().map(Named::as_str).collect();
    assert_eq!(
        (outcome.verdict, told),
        (Verdict::Rejected, vec!["selfie_face_mismatch", "document_tampered"])
    );
    assert_eq!(outcome.review.unwrap().note, None);
}

#[tokio::test]
async fn a_reason_that_is_chosen_more_than_once_is_named_once() {
    let (harness, id) = waiting().await;
    let rita = reviewer(&harness).await;
    let mut chosen = vec![Reason::SelfieFaceMismatch, Reason::DocumentTampered];
    chosen.extend([Reason::SelfieFaceMismatch; 1_000]);
    let ruling = ReviewDecision::Reject(chosen);
    let decide = async || rule(&harness.honnin, &rita, first(&id), ruling.clone(), None).await;
    decide().await.unwrap();
    let again = decide().await;
    assert!(matches!(again, Err(RuleError::Repeated)), "{again:?}");
    harness.wait(UNDO).await;
    let outcome = read(&harness, &id).await.outcome.unwrap();
    let told: Vec<&str> = outcome.reasons.iter().map(Named::as_str).collect();
    assert_eq!(told, ["selfie_face_mismatch", "document_tampered"]);
}

/// A node of an older version must not lose what a newer one found.
#[tokio::test]
async fn a_reason_that_this_version_does_not_know_stays_in_a_rejection() {
    let (harness, id) = waiting().await;
    let (rita, found) = (reviewer(&harness).await, id.clone());
    let unit = harness.honnin.db().write(async move |tx| {
        let mut row = sessions::find_any(tx, &found).await?.unwrap();
        let outcome = row.outcome.as_mut().unwrap();
        outcome.reasons.push(Named::Other("selfie_from_the_future".into()));
        sessions::save(tx, &mut row).await
    });
    let saved: Result<(), StoreError> = unit.await;
    saved.unwrap();
    rule(&harness.honnin, &rita, first(&id), reject(), None).await.unwrap();
    harness.wait(UNDO).await;
    let outcome = read(&harness, &id).await.outcome.unwrap();
    let told: Vec<&str> = outcome.reasons.iter().map(Named::as_str).collect();
    assert_eq!(told, ["manual_rejection", "selfie_from_the_future"]);
}

#[tokio::test]
async fn nobody_is_told_of_a_decision_before_ten_seconds_have_passed() {
    let (mut harness, id) = waiting().await;
    let (rita, otto) = (reviewer(&harness).await, reviewer(&harness).await);
    rule(&harness.honnin, &rita, first(&id), ReviewDecision::Approve, None)
        .await
        .unwrap();
    harness.wait(Millis(UNDO.0 - 1)).await;
    assert_eq!(read(&harness, &id).await.status, Status::Reviewing);
    assert_eq!(harness.events(&id).await.len(), 1);
    // Meanwhile nobody else can decide it, and nobody gets it to work on.
    let seen = open_case(&harness.honnin, &otto, &id).await.unwrap();
    assert!(!seen.is_reserved_by(otto.staff().user()));
    assert!(
        seen.pending
            .is_some_and(|made| made.pending.user == *rita.staff().user())
    );
    for ruling in [ReviewDecision::Approve, reject()] {
        let refused = rule(&harness.honnin, &otto, first(&id), ruling, None).await;
        assert!(matches!(refused, Err(RuleError::Pending { .. })));
    }
    let refused = ask_again(&harness.honnin, &rita, first(&id), None).await;
    assert!(matches!(refused, Err(RuleError::Pending { .. })));
    // The process is killed in between, and another one takes over.
    harness.restart().await;
    harness.wait(Millis(1)).await;
    assert_eq!(read(&harness, &id).await.status, Status::Completed);
    assert_eq!(harness.events(&id).await.len(), 2);
    assert!(list_pending(&harness.honnin, &rita).await.unwrap().is_empty());
}

#[tokio::test]
async fn the_ten_seconds_begin_when_a_decision_is_stored_however_long_it_had_to_wait() {
    let (harness, id) = waiting().await;
    let rita = reviewer(&harness).await;
    let lock = WriteLock::acquire(&harness.database.url).await;
    let mut decided = pin!(rule(&harness.honnin, &rita, first(&id), reject(), None));
    let too_soon = timeout(Duration::from_millis(200), &mut decided).await;
    assert!(too_soon.is_err(), "somebody else writes");
    harness.clock.advance(UNDO);
    lock.release().await;
    let until = harness.honnin.now().plus(UNDO);
    assert_eq!(decided.await.unwrap(), until);
    let pending = list_pending(&harness.honnin, &rita).await.unwrap();
    assert_eq!(pending[0].due_at, until);
    harness.run_until_idle().await;
    undo(&harness.honnin, &rita, &id).await.unwrap();
}

#[tokio::test]
async fn a_decision_is_undone_by_who_made_it_and_leaves_only_an_audit_entry() {
    let (harness, id) = waiting().await;
    let (rita, otto) = (reviewer(&harness).await, reviewer(&harness).await);
    let note = Some(Personal::new("The wrong button.".to_owned()));
    rule(&harness.honnin, &rita, first(&id), reject(), note).await.unwrap();
    let pending = list_pending(&harness.honnin, &rita).await.unwrap();
    assert_eq!((pending.len(), &pending[0].session), (1, &id));
    let refused = undo(&harness.honnin, &otto, &id).await;
    assert!(matches!(refused, Err(UndoError::TooLate)));
    undo(&harness.honnin, &rita, &id).await.unwrap();
    assert!(opens_as_own(&harness, &rita, &id).await);
    assert!(!opens_as_own(&harness, &otto, &id).await);
    // Decided again within the first ten seconds: the full time runs again.
    harness.clock.advance(Millis::seconds(5));
    rule(&harness.honnin, &rita, first(&id), ReviewDecision::Approve, None)
        .await
        .unwrap();
    harness.wait(Millis::seconds(5)).await;
    assert_eq!(read(&harness, &id).await.status, Status::Reviewing);
    harness.wait(Millis::seconds(5)).await;
    let outcome = read(&harness, &id).await.outcome.unwrap();
    assert_eq!(
        (outcome.verdict, outcome.review.unwrap().note),
        (Verdict::Approved, None)
    );
    let refused = undo(&harness.honnin, &rita, &id).await;
    assert!(matches!(refused, Err(UndoError::TooLate)));
    let (tenant, subject) = (harness.tenant.id.clone(), id.to_string());
    let log = harness
        .read(async move |tx| audit::list(tx, &tenant, Some(&subject), None, 100).await)
        .await;
    let by_rita = log.iter().filter(|one| {
        one.entry.actor.person() == Some(rita.staff().user()) && one.entry.action != AuditAction::CaseOpen
    });
    let said: Vec<_> = by_rita
        .map(|one| (one.entry.action.as_str(), one.entry.detail.as_deref()))
        .collect();
    assert_eq!(said, [("case.rule", Some("approved")), ("case.undo", Some("rejected"))]);
    let open = harness.open_jobs().await;
    assert!(open.iter().all(|job| job.kind != JobKind::ApplyRuling));
}

#[tokio::test]
async fn what_was_written_and_ticked_for_a_decision_is_there_again_once_it_is_undone_for_who_made_it_only() {
    let (harness, id) = waiting().await;
    let (rita, otto) = (reviewer(&harness).await, reviewer(&harness).await);
    let written = "Two letters differ.".to_owned();
    rule(
        &harness.honnin,
        &rita,
        first(&id),
        reject(),
        Some(Personal::new(written.clone())),
    )
    .await
    .unwrap();
    undo(&harness.honnin, &rita, &id).await.unwrap();
    let undone = open_case(&harness.honnin, &rita, &id).await.unwrap().undone.unwrap();
    assert_eq!(undone.reasons, [Named::Known(Reason::ManualRejection)]);
    assert_eq!(undone.note.unwrap().expose(), &written);
    assert!(open_case(&harness.honnin, &otto, &id).await.unwrap().undone.is_none());
    // Whoever has the case next begins again, and so does its first reviewer after them.
    harness.clock.advance(Millis(RESERVATION.0 + 1));
    assert!(open_case(&harness.honnin, &otto, &id).await.unwrap().undone.is_none());
    harness.clock.advance(Millis(RESERVATION.0 + 1));
    assert!(open_case(&harness.honnin, &rita, &id).await.unwrap().undone.is_none());
}

#[tokio::test]
async fn the_last_decision_is_the_first_that_can_be_undone() {
    let harness = Harness::new().await;
    let rita = reviewer(&harness).await;
    let mut cases = Vec::new();
    for _ in 0..2 {
        cases.push(wait_for_review(&harness).await);
    }
    for case in &cases {
        harness.clock.advance(Millis::seconds(1));
        rule(&harness.honnin, &rita, first(case), reject(), None).await.unwrap();
    }
    let pending = list_pending(&harness.honnin, &rita).await.unwrap();
    let pending: Vec<_> = pending.iter().map(|pending| &pending.session).collect();
    assert_eq!(pending, [&cases[1], &cases[0]]);
}

#[tokio::test]
async fn a_case_that_was_just_decided_waits_for_nobody_unless_it_is_undone() {
    let (harness, id) = waiting().await;
    let (rita, otto) = (reviewer(&harness).await, reviewer(&harness).await);
    let waiting = async || {
        let listed = queue(&harness.honnin, &otto, Filter::default(), first_page())
            .await
            .unwrap();
        let counted = count_waiting(&harness.honnin, otto.staff()).await.unwrap();
        (listed.len(), counted)
    };
    assert_eq!(waiting().await, (1, 1));
    rule(&harness.honnin, &rita, first(&id), ReviewDecision::Approve, None)
        .await
        .unwrap();
    assert_eq!(waiting().await, (0, 0));
    undo(&harness.honnin, &rita, &id).await.unwrap();
    assert_eq!(waiting().await, (1, 1));
}

#[tokio::test]
async fn a_reprocess_overtakes_a_decision_that_has_not_taken_effect() {
    let (harness, id) = waiting().await;
    let rita = reviewer(&harness).await;
    rule(&harness.honnin, &rita, first(&id), ReviewDecision::Approve, None)
        .await
        .unwrap();
    reprocess(&harness.honnin, &harness.caller().await, id.as_str())
        .await
        .unwrap();
    harness.wait(UNDO).await;
    assert_eq!(read(&harness, &id).await.status, Status::Collecting);
    assert_eq!(harness.events(&id).await.len(), 1);
    let refused = undo(&harness.honnin, &rita, &id).await;
    assert!(matches!(refused, Err(UndoError::TooLate)));
}

#[tokio::test]
async fn who_has_looked_at_an_earlier_attempt_does_not_decide_the_present_one() {
    let (harness, id) = waiting().await;
    let rita = reviewer(&harness).await;
    assert!(opens_as_own(&harness, &rita, &id).await);
    reprocess(&harness.honnin, &harness.caller().await, id.as_str())
        .await
        .unwrap();
    harness.decided_again(&id).await;
    let seen = read(&harness, &id).await;
    assert_eq!(
        (seen.status, seen.session.attempt),
        (Status::Reviewing, AttemptNumber::new(2))
    );
    for ruling in [ReviewDecision::Approve, reject()] {
        let refused = rule(&harness.honnin, &rita, first(&id), ruling, None).await;
        assert!(matches!(refused, Err(RuleError::AnotherAttempt)), "{refused:?}");
    }
    for refused in [
        ask_again(&harness.honnin, &rita, first(&id), None).await,
        reopen(&harness.honnin, &rita, first(&id)).await,
    ] {
        assert!(matches!(refused, Err(RuleError::AnotherAttempt)), "{refused:?}");
    }
    assert_eq!(keep_case(&harness.honnin, &rita, first(&id)).await.unwrap(), None);
    assert!(
        keep_case(&harness.honnin, &rita, LookedAt::new(&id, AttemptNumber::new(2)))
            .await
            .unwrap()
            .is_some()
    );
    rule(
        &harness.honnin,
        &rita,
        LookedAt::new(&id, AttemptNumber::new(2)),
        ReviewDecision::Approve,
        None,
    )
    .await
    .unwrap();
    harness.wait(UNDO).await;
    let refused = reopen(&harness.honnin, &rita, first(&id)).await;
    assert!(matches!(refused, Err(RuleError::AnotherAttempt)), "{refused:?}");
}

#[tokio::test]
async fn an_attempt_that_no_session_has_is_refused_as_another_one() {
    let (harness, id) = waiting().await;
    let rita = reviewer(&harness).await;
    for number in [i64::MIN, 0, i64::MAX] {
        let case = LookedAt::new(&id, AttemptNumber::new(number));
        let refused = reopen(&harness.honnin, &rita, case).await;
        assert!(
            matches!(refused, Err(RuleError::AnotherAttempt)),
            "{number}: {refused:?}"
        );
    }
}

#[tokio::test]
async fn a_case_opened_by_a_clock_that_was_ahead_is_free_once_it_is_right() {
    let (harness, id) = waiting().await;
    let (rita, otto) = (reviewer(&harness).await, reviewer(&harness).await);
    harness.clock.jump(Millis::days(1));
    open_case(&harness.honnin, &rita, &id).await.unwrap();
    harness.clock.jump(Millis::days(-1));
    let listed = queue(&harness.honnin, &otto, Filter::default(), first_page())
        .await
        .unwrap();
    assert_eq!(listed[0].held_by, None);
    assert!(opens_as_own(&harness, &otto, &id).await);
    let refused = rule(&harness.honnin, &rita, first(&id), ReviewDecision::Approve, None).await;
    assert!(matches!(refused, Err(RuleError::Held { .. })), "{refused:?}");
    harness.clock.jump(Millis(-SKEW.0));
    let seen = open_case(&harness.honnin, &rita, &id).await.unwrap();
    assert!(
        seen.reservation.unwrap().user == *otto.staff().user(),
        "held by a clock that was a minute ahead"
    );
}

#[tokio::test]
async fn a_case_is_held_by_who_opened_it_for_a_quarter_of_an_hour() {
    let (harness, id) = waiting().await;
    let (rita, otto) = (reviewer(&harness).await, reviewer(&harness).await);
    open_case(&harness.honnin, &rita, &id).await.unwrap();
    harness.clock.advance(Millis::minutes(14));
    let seen = open_case(&harness.honnin, &otto, &id).await.unwrap();
    assert!(!seen.is_reserved_by(otto.staff().user()));
    assert!(seen.is_reserved_by(rita.staff().user()));
    let refused = rule(&harness.honnin, &otto, first(&id), ReviewDecision::Approve, None)
        .await
        .unwrap_err();
    assert!(matches!(refused, RuleError::Held { .. }));
    let listed = queue(&harness.honnin, &otto, Filter::default(), first_page())
        .await
        .unwrap();
    assert_eq!(listed[0].held_by.as_ref().unwrap().id, *rita.staff().user());
    harness.clock.advance(Millis::minutes(1));
    assert!(opens_as_own(&harness, &otto, &id).await, "the reservation ran out");
    assert!(
        rule(&harness.honnin, &otto, first(&id), ReviewDecision::Approve, None)
            .await
            .is_ok()
    );
}

#[tokio::test]
async fn a_case_that_somebody_has_open_is_free_once_they_may_no_longer_review() {
    for out in [Change::Disable, Change::Role(Role::Auditor)] {
        let (harness, id) = waiting().await;
        let (rita, otto) = (reviewer(&harness).await, reviewer(&harness).await);
        let admin = Admin::of(&harness.staff(Role::Admin).await).unwrap();
        assert!(opens_as_own(&harness, &rita, &id).await);
        change_person(&harness.honnin, &admin, rita.staff().user(), out)
            .await
            .unwrap();
        assert!(opens_as_own(&harness, &otto, &id).await, "{out:?}");
    }
}

#[tokio::test]
async fn a_case_that_is_left_for_another_is_free_at_once_and_the_other_is_still_held() {
    let harness = Harness::new().await;
    let (rita, otto) = (reviewer(&harness).await, reviewer(&harness).await);
    let (left, other) = (wait_for_review(&harness).await, wait_for_review(&harness).await);
    for case in [&left, &other] {
        assert!(opens_as_own(&harness, &rita, case).await);
    }
    leave_case(&harness.honnin, &otto, &left).await.unwrap();
    let is_ottos = async |case: &SessionId| opens_as_own(&harness, &otto, case).await;
    assert!(!is_ottos(&left).await, "nobody ends the reservation of somebody else");
    leave_case(&harness.honnin, &rita, &left).await.unwrap();
    assert!(is_ottos(&left).await);
    assert!(!is_ottos(&other).await, "it may be open in another tab");
    let foreign = Harness::new().await;
    let stranger = reviewer(&foreign).await;
    let refused = leave_case(&foreign.honnin, &stranger, &other).await;
    assert!(matches!(refused, Err(CaseError::NotFound)), "{refused:?}");
}

#[tokio::test]
async fn a_case_that_is_left_keeps_its_decision_and_what_was_undone() {
    let (harness, id) = waiting().await;
    let rita = reviewer(&harness).await;
    assert!(opens_as_own(&harness, &rita, &id).await);
    let note = Some(Personal::new("Two letters differ.".to_owned()));
    rule(&harness.honnin, &rita, first(&id), reject(), note).await.unwrap();
    leave_case(&harness.honnin, &rita, &id).await.unwrap();
    let (subject, now) = (id.clone(), harness.honnin.now());
    let reservation = harness
        .read(async move |tx| store::review::find_reservation(tx, &subject, now).await)
        .await;
    assert_eq!(
        reservation.map(|reservation| reservation.user).as_ref(),
        Some(rita.staff().user())
    );
    undo(&harness.honnin, &rita, &id).await.unwrap();
    leave_case(&harness.honnin, &rita, &id).await.unwrap();
    let listed = queue(&harness.honnin, &rita, Filter::default(), first_page())
        .await
        .unwrap();
    assert_eq!(listed[0].held_by, None);
    let again = open_case(&harness.honnin, &rita, &id).await.unwrap().undone.unwrap();
    assert_eq!(again.note.unwrap().expose(), "Two letters differ.");
}

#[tokio::test]
async fn of_two_reviewers_at_once_one_decides_and_the_other_is_told_who_and_when() {
    let (harness, id) = waiting().await;
    let (rita, otto) = (reviewer(&harness).await, reviewer(&harness).await);
    let (one, two) = tokio::join!(
        rule(&harness.honnin, &rita, first(&id), ReviewDecision::Approve, None),
        rule(&harness.honnin, &otto, first(&id), reject(), None),
    );
    let (winner, loser, lost) = match (one, two) {
        (Ok(_), Err(error)) => (rita, otto, error),
        (Err(error), Ok(_)) => (otto, rita, error),
        both => panic!("exactly one wins: {both:?}"),
    };
    assert!(matches!(lost, RuleError::Pending { .. }), "{lost:?}");
    let ruled_at = harness.honnin.now();
    harness.wait(UNDO).await;
    let late = rule(&harness.honnin, &loser, first(&id), reject(), None)
        .await
        .unwrap_err();
    let RuleError::Decided(Some(first)) = late else {
        panic!("{late:?}")
    };
    assert_eq!((first.user, first.at), (winner.staff().user().clone(), ruled_at));
    assert_eq!(harness.events(&id).await.len(), 2, "needs_review and one ruling");
}

#[tokio::test]
async fn the_same_decision_sent_twice_is_told_from_another_one() {
    let (harness, id) = waiting().await;
    let rita = reviewer(&harness).await;
    let decide = async |ruling: ReviewDecision, note: &str| {
        let note = Some(Personal::new(note.to_owned()));
        rule(&harness.honnin, &rita, first(&id), ruling, note).await
    };
    decide(reject(), "Two letters differ.").await.unwrap();
    let again = decide(reject(), "Two letters differ.").await;
    assert!(matches!(again, Err(RuleError::Repeated)), "{again:?}");
    let other_reason = ReviewDecision::Reject(vec![Reason::DocumentTampered]);
    for (ruling, note) in [
        (reject(), "Three letters differ."),
        (other_reason, "Two letters differ."),
        (ReviewDecision::Approve, "Two letters differ."),
    ] {
        let refused = decide(ruling, note).await;
        assert!(matches!(refused, Err(RuleError::Pending { .. })), "{refused:?}");
    }
}

#[tokio::test]
async fn what_was_not_performed_cannot_be_approved() {
    let harness = Harness::new().await;
    harness.analyser.fail(1000);
    let (id, _) = harness.decided().await;
    for _ in 0..100 {
        harness.wait(Millis::minutes(1)).await;
    }
    assert_eq!(read(&harness, &id).await.status, Status::Reviewing);
    let rita = reviewer(&harness).await;
    let case = open_case(&harness.honnin, &rita, &id).await.unwrap();
    assert_eq!(case.not_performed, Step::ALL);
    let refused = rule(&harness.honnin, &rita, first(&id), ReviewDecision::Approve, None)
        .await
        .unwrap_err();
    assert!(matches!(refused, RuleError::NotPerformed(steps) if steps == Step::ALL));
    assert!(rule(&harness.honnin, &rita, first(&id), reject(), None).await.is_ok());
}

#[tokio::test]
async fn asking_again_begins_another_attempt_with_a_new_link_and_keeps_the_history() {
    let (harness, id) = waiting().await;
    let rita = reviewer(&harness).await;
    let note = Some(Personal::new(
        "The back is cut off; ask for a ruler beside it.".to_owned(),
    ));
    let asked = ask_again(&harness.honnin, &rita, first(&id), note).await.unwrap();
    assert!(asked.url.expose().starts_with("https://id.example/v/"));
    let detail = read(&harness, &id).await;
    assert_eq!(
        (detail.status, detail.session.attempt, detail.outcome),
        (Status::Collecting, AttemptNumber::new(2), None)
    );
    let refused = rule(&harness.honnin, &rita, first(&id), ReviewDecision::Approve, None)
        .await
        .unwrap_err();
    assert!(matches!(refused, RuleError::Decided(Some(_))));
    let kept = review::open_case(&harness.honnin, &rita, &id).await.unwrap().history;
    assert!(
        kept.decisions.len() == 1
            && kept.rulings.len() == 1
            && kept.captures.iter().all(|taken| taken.attempt == AttemptNumber::FIRST)
    );
    let told = kept.rulings[0].note.as_ref().map(|note| note.expose().as_str());
    assert_eq!(told, Some("The back is cut off; ask for a ruler beside it."));
    let too_long = Some(Personal::new("x".repeat(2001)));
    let refused = ask_again(&harness.honnin, &rita, first(&id), too_long)
        .await
        .unwrap_err();
    assert!(matches!(refused, RuleError::LongNote));
}

#[tokio::test]
async fn asking_again_twice_begins_one_attempt_whose_link_still_opens() {
    let harness = Harness::new().await;
    let (rita, otto) = (reviewer(&harness).await, reviewer(&harness).await);
    for in_queue in [true, false] {
        let id = wait_for_review(&harness).await;
        let ask = async |who: &Reviewer| {
            if in_queue {
                ask_again(&harness.honnin, who, first(&id), None).await
            } else {
                reopen(&harness.honnin, who, first(&id)).await
            }
        };
        let made = ask(&rita).await.unwrap();
        let again = ask(&rita).await;
        assert!(matches!(again, Err(RuleError::Repeated)), "{again:?}");
        let another = ask(&otto).await;
        assert!(
            matches!(another, Err(RuleError::Decided(Some(_)) | RuleError::AnotherAttempt)),
            "{another:?}"
        );
        assert_eq!(read(&harness, &id).await.session.attempt, AttemptNumber::new(2));
        let token = made.url.expose().rsplit('/').next().unwrap();
        assert!(open_link(&harness.honnin, token, None).await.is_ok());
    }
}

#[tokio::test]
async fn who_has_asked_again_is_not_taken_for_who_began_the_attempt_after_that() {
    let (harness, id) = waiting().await;
    let rita = reviewer(&harness).await;
    reopen(&harness.honnin, &rita, first(&id)).await.unwrap();
    harness.decided_again(&id).await;
    reprocess(&harness.honnin, &harness.caller().await, id.as_str())
        .await
        .unwrap();
    let refused = reopen(&harness.honnin, &rita, LookedAt::new(&id, AttemptNumber::new(2))).await;
    assert!(matches!(refused, Err(RuleError::AnotherAttempt)), "{refused:?}");
}

/// What a person did to a session, newest first.
async fn done_by(harness: &Harness, who: &Reviewer, id: &SessionId) -> Vec<(String, Option<String>)> {
    let (tenant, subject) = (harness.tenant.id.clone(), id.to_string());
    let log = harness
        .read(async move |tx| audit::list(tx, &tenant, Some(&subject), None, 100).await)
        .await;
    log.into_iter()
        .filter(|entry| entry.entry.actor.person() == Some(who.staff().user()))
        .map(|entry| (entry.entry.action.to_string(), entry.entry.detail))
        .collect()
}

/// Detects if a reviewer decides without the selfie that the decision was based on, since nobody had to use it in spite of a problem.
#[tokio::test]
async fn a_selfie_that_only_seemed_too_dark_when_it_arrived_is_shown_to_the_reviewer() {
    let harness = Harness::new().await;
    harness.analyser.see_selfie(SelfieFindings {
        liveness: None,
        ..holder()
    });
    let (id, applicant) = harness.agreed().await;
    harness.photograph(&applicant).await;
    harness.type_details(&applicant).await;
    harness.analyser.judge(Quality { exposure: 0.01, ..GOOD });
    harness.selfie(&applicant).await;
    harness.run_until_idle().await;
    submit(&harness.honnin, &applicant).await.unwrap();
    harness.run_until_idle().await;
    let case = open_case(&harness.honnin, &reviewer(&harness).await, &id)
        .await
        .unwrap();
    let taken = case.history.captures.iter().find(|taken| taken.slot == Slot::Selfie);
    let selfie = taken.unwrap();
    assert!(selfie.used);
    assert!(case.pictures.contains(&selfie.id), "{:?}", case.pictures);
}

#[tokio::test]
async fn an_opened_case_says_which_pictures_were_on_its_page_and_any_other_look_is_recorded_before_it_opens() {
    let (harness, id) = waiting().await;
    let [rita, rob] = [reviewer(&harness).await, reviewer(&harness).await];
    let case = open_case(&harness.honnin, &rita, &id).await.unwrap();
    assert!(!case.pictures.is_empty());
    let capture = case.pictures[0].clone();
    let look = async |who: &Reviewer| {
        let picture = find_picture(&harness.honnin, who, &capture, 0, View::Whole).await;
        assert!(!picture.unwrap().expose().is_empty());
    };
    look(&rita).await;
    look(&rita).await;
    let mine = done_by(&harness, &rita, &id).await;
    assert_eq!(mine.len(), 1, "{mine:?}");
    let detail = mine[0].1.as_deref().unwrap();
    assert_eq!(mine[0].0, "case.open");
    for picture in &case.pictures {
        assert!(detail.contains(picture.as_str()), "{detail}");
    }
    // Somebody who did not open the case, and the same person after the page was given up.
    look(&rob).await;
    harness.clock.advance(Millis::minutes(16));
    look(&rita).await;
    look(&rita).await;
    for (who, expected) in [(&rob, &["picture.view"][..]), (&rita, &["picture.view", "case.open"])] {
        let actions: Vec<_> = done_by(&harness, who, &id)
            .await
            .into_iter()
            .map(|(action, _)| action)
            .collect();
        assert_eq!(actions, expected);
    }
    assert!(
        find_picture(&harness.honnin, &rita, &capture, 99, View::Whole)
            .await
            .is_err()
    );
}

#[tokio::test]
async fn a_card_that_was_found_is_shown_straight_and_the_photo_as_taken_stays() {
    let harness = Harness::new().await;
    let outline = Some([[1.0, 1.0], [9.0, 1.0], [9.0, 6.0], [1.0, 6.0]]);
    for (outline, card) in [(None, &b"passport"[..]), (outline, b"straight passport")] {
        harness.analyser.see_document(DocumentFindings {
            outline,
            portrait: None,
            ..passport()
        });
        let (id, _) = harness.decided().await;
        let rita = reviewer(&harness).await;
        let case = open_case(&harness.honnin, &rita, &id).await.unwrap();
        let taken = &case.history.captures[0];
        assert_eq!(taken.straight, outline.is_some());
        for (view, expected) in [(View::Whole, &b"passport"[..]), (View::Card, card)] {
            let picture = find_picture(&harness.honnin, &rita, &taken.id, 0, view).await.unwrap();
            assert_eq!(picture.expose(), expected, "{view:?}");
        }
        // The card cannot be cropped now: the photo is shown as taken.
        harness.analyser.fail(1);
        let picture = find_picture(&harness.honnin, &rita, &taken.id, 0, View::Card)
            .await
            .unwrap();
        assert_eq!(picture.expose(), b"passport");
        harness.analyser.fail(0);
    }
}

/// Detects if somebody multiplies their views by the number of cases that they open.
#[tokio::test]
async fn whoever_asks_for_the_pictures_of_many_cases_at_once_keeps_no_colleague_waiting_behind_all_of_them() {
    let harness = Harness::new().await;
    let [rita, rob] = [reviewer(&harness).await, reviewer(&harness).await];
    let mut captures = Vec::new();
    for _ in 0..7 {
        let (id, _) = harness.decided().await;
        let case = open_case(&harness.honnin, &rita, &id).await.unwrap();
        captures.push(case.history.captures[0].id.clone());
    }
    let of_rob = captures.pop().unwrap();
    // Long enough for each view to come as far as it can.
    let others_work = async || {
        for _ in 0..100 {
            harness.database.number("SELECT COUNT(*) FROM sessions").await;
        }
    };
    let earlier = harness.analyser.reduced().len();
    harness.analyser.hold_reduced(true);
    let of_rita = captures.iter().flat_map(|capture| [capture; 4]);
    let of_rita = of_rita.map(|capture| find_picture(&harness.honnin, &rita, capture, 0, View::Small));
    let mut many = pin!(join_all(of_rita));
    tokio::select! {
        biased;
        _ = &mut many => panic!("they are held"),
        () = others_work() => {}
    }
    let mut one = pin!(find_picture(&harness.honnin, &rob, &of_rob, 0, View::Screen));
    tokio::select! {
        biased;
        _ = &mut many => panic!("they are held"),
        _ = &mut one => panic!("it is held"),
        () = others_work() => {}
    }
    harness.analyser.hold_reduced(false);
    let (many, one) = join(many, one).await;
    assert!(one.is_ok() && many.iter().all(Result::is_ok));
    let order = harness.analyser.reduced().split_off(earlier);
    assert_eq!(order.len(), 25);
    let before = order.iter().position(|size| *size == Size::Screen).unwrap();
    assert!(before < 12, "{before} views of Rita's");
}

#[tokio::test]
async fn faces_are_those_that_were_compared() {
    let harness = Harness::new().await;
    let region = FieldRegion {
        name: FieldName::LastName,
        confidence: 0.9,
        corners: [[1.0, 1.0], [90.0, 1.0], [90.0, 20.0], [1.0, 20.0]],
    };
    harness.analyser.see_document(DocumentFindings {
        regions: vec![region],
        ..passport()
    });
    harness.analyser.see_selfie(SelfieFindings {
        best_frame: Some(1),
        liveness: None,
        ..holder()
    });
    let (id, _) = harness.decided().await;
    let rita = reviewer(&harness).await;
    let case = open_case(&harness.honnin, &rita, &id).await.unwrap();
    let of = |slot| {
        let taken = case.history.captures.iter().find(|taken| taken.slot == slot);
        taken.unwrap().id.clone()
    };
    let (document, selfie) = (of(Slot::Document(Side::Front)), of(Slot::Selfie));
    let look = async |capture, frame, view| find_picture(&harness.honnin, &rita, capture, frame, view).await;
    let begins = |picture: Result<review::Picture, CaseError>, words: &str| {
        let picture = picture.unwrap();
        assert!(picture.expose().starts_with(words.as_bytes()), "{words}");
    };
    begins(look(&document, 0, View::Face).await, "face of ");
    begins(look(&selfie, 1, View::Face).await, "face of ");
    begins(look(&document, 0, View::Items(Items::All)).await, "1 strips of ");
    for (capture, frame, view) in [(&selfie, 0, View::Face), (&selfie, 1, View::Items(Items::All))] {
        let refused = look(capture, frame, view).await.unwrap_err();
        assert!(matches!(refused, CaseError::NotFound), "{view:?}");
    }
}

/// To somebody, of a case that nobody had.
const fn first_assignment(to: &UserId) -> Reassignment<'_> {
    Reassignment {
        from: None,
        to: Some(to),
    }
}

#[tokio::test]
async fn a_case_is_taken_assigned_and_given_back_and_of_two_who_take_it_the_second_is_told() {
    let (harness, id) = waiting().await;
    let [rita, rob] = [reviewer(&harness).await, reviewer(&harness).await];
    let (first, second) = (rita.staff().user(), rob.staff().user());
    let assign = async |who: &Reviewer, before: Option<&UserId>, to: Option<&UserId>| {
        review::assign(&harness.honnin, who, &id, Reassignment { from: before, to }).await
    };
    let mine = async |who: &Reviewer| {
        let filter = Filter {
            assigned_to: Some(who.staff().user().clone()),
            ..Filter::default()
        };
        let listed = queue(&harness.honnin, who, filter, first_page()).await.unwrap().len();
        let counts = review::count_by_reason(&harness.honnin, who, None, CasesOf::Caller)
            .await
            .unwrap();
        (listed, counts.mine, counts.all)
    };
    assign(&rita, None, Some(first)).await.unwrap();
    let late = assign(&rob, None, Some(second)).await.unwrap_err();
    assert!(
        matches!(&late, AssignError::Changed(Some(name)) if name == rita.staff().name()),
        "{late:?}"
    );
    assert_eq!((mine(&rita).await, mine(&rob).await), ((1, 1, 1), (0, 0, 0)));
    // To somebody else, who gives it back.
    assign(&rita, Some(first), Some(second)).await.unwrap();
    assert_eq!((mine(&rita).await, mine(&rob).await), ((0, 0, 0), (1, 1, 1)));
    let opened = open_case(&harness.honnin, &rita, &id).await.unwrap();
    assert_eq!(opened.assigned_to.as_ref().map(|colleague| &colleague.id), Some(second));
    assert!(
        opened.is_reserved_by(rita.staff().user()),
        "an assignment keeps nobody from working on the case"
    );
    assign(&rob, Some(second), None).await.unwrap();
    assert_eq!(mine(&rob).await, (0, 0, 0));
    let (tenant, subject) = (harness.tenant.id.clone(), id.to_string());
    let log = harness
        .read(async move |tx| audit::list(tx, &tenant, Some(&subject), None, 100).await)
        .await;
    let assigned = log.iter().filter(|entry| entry.entry.action == AuditAction::CaseAssign);
    let details: Vec<_> = assigned.filter_map(|entry| entry.entry.detail.clone()).collect();
    assert_eq!(
        details,
        [
            format!("{second} → nobody"),
            format!("{first} → {second}"),
            format!("nobody → {first}"),
        ]
    );
}

#[tokio::test]
async fn a_case_is_assigned_to_reviewers_of_the_tenant_only_and_only_while_it_waits() {
    let (harness, id) = waiting().await;
    let rita = reviewer(&harness).await;
    let assign = async |to: &UserId| review::assign(&harness.honnin, &rita, &id, first_assignment(to)).await;
    let auditor = harness.staff(Role::Auditor).await;
    let foreign = Harness::new().await;
    let stranger = reviewer(&foreign).await;
    for nobody in [auditor.user(), stranger.staff().user()] {
        let refused = assign(nobody).await.unwrap_err();
        assert!(matches!(refused, AssignError::NoReviewer), "{refused:?}");
    }
    let people = review::list_reviewers(&harness.honnin, &rita).await.unwrap();
    assert!(people.iter().any(|colleague| colleague.id == *rita.staff().user()));
    assert!(people.iter().all(|colleague| colleague.id != *auditor.user()));
    let refused = review::assign(&foreign.honnin, &stranger, &id, Reassignment { from: None, to: None })
        .await
        .unwrap_err();
    assert!(matches!(refused, AssignError::NotFound), "{refused:?}");
    assign(rita.staff().user()).await.unwrap();
    rule(&harness.honnin, &rita, first(&id), ReviewDecision::Approve, None)
        .await
        .ok();
    rule(&harness.honnin, &rita, first(&id), reject(), None).await.ok();
    harness.clock.advance(UNDO);
    harness.run_until_idle().await;
    let (subject, user) = (id.clone(), rita.staff().user().clone());
    let left = harness
        .read(async move |tx| store::review::find_assignee(tx, &subject).await)
        .await;
    assert_eq!(left, None, "the decision has taken effect");
    let refused = assign(&user).await.unwrap_err();
    assert!(matches!(refused, AssignError::NotWaiting), "{refused:?}");
}

#[tokio::test]
async fn who_may_no_longer_review_loses_their_cases() {
    let (harness, id) = waiting().await;
    let rita = reviewer(&harness).await;
    let admin = Admin::of(&harness.staff(Role::Admin).await).unwrap();
    let rita_id = rita.staff().user();
    for change in [Change::Role(Role::Auditor), Change::Disable] {
        change_person(&harness.honnin, &admin, rita_id, Change::Role(Role::Reviewer))
            .await
            .unwrap();
        review::assign(&harness.honnin, &rita, &id, first_assignment(rita_id))
            .await
            .unwrap();
        change_person(&harness.honnin, &admin, rita_id, change).await.unwrap();
        let subject = id.clone();
        let left = harness
            .read(async move |tx| store::review::find_assignee(tx, &subject).await)
            .await;
        assert_eq!(left, None, "{change:?}");
    }
}

/// Detects if only the middleware asks what somebody is: the search for a face takes a while, in which they may be shut out.
#[tokio::test]
async fn whoever_may_no_longer_review_decides_nothing_and_gets_no_link_with_a_request_that_is_under_way() {
    let (harness, id) = waiting().await;
    let honnin = &harness.honnin;
    let open = harness.create().await.id;
    let admin = Admin::of(&harness.staff(Role::Admin).await).unwrap();
    for out in [Change::Role(Role::Auditor), Change::Disable] {
        let leaving = reviewer(&harness).await;
        change_person(honnin, &admin, leaving.staff().user(), out)
            .await
            .unwrap();
        for decision in [ReviewDecision::Approve, reject()] {
            let late = rule(honnin, &leaving, first(&id), decision, None).await;
            assert!(matches!(late, Err(RuleError::Forbidden(_))), "{out:?}: {late:?}");
        }
        let late = ask_again(honnin, &leaving, first(&id), None).await;
        assert!(matches!(late, Err(RuleError::Forbidden(_))), "{out:?}: {late:?}");
        let late = reissue_link(honnin, &leaving, &open, None).await;
        assert!(matches!(late, Err(ReissueError::Forbidden(_))), "{out:?}: {late:?}");
    }
    assert_eq!(read(&harness, &id).await.status, Status::Reviewing);
}

#[tokio::test]
async fn another_tenants_case_does_not_exist() {
    let (harness, id) = waiting().await;
    let foreign = Harness::new().await;
    let stranger = reviewer(&foreign).await;
    assert!(open_case(&foreign.honnin, &stranger, &id).await.is_err());
    let refused = rule(&foreign.honnin, &stranger, first(&id), ReviewDecision::Approve, None)
        .await
        .unwrap_err();
    assert!(matches!(refused, RuleError::NotFound));
    assert_eq!(read(&harness, &id).await.status, Status::Reviewing);
}

#[tokio::test]
async fn a_note_of_a_novels_length_or_with_hidden_characters_is_refused() {
    let (harness, id) = waiting().await;
    let rita = reviewer(&harness).await;
    for (bad, is_long) in [("a".repeat(2001), true), ("bell\u{7}".to_owned(), false)] {
        let refused = rule(
            &harness.honnin,
            &rita,
            first(&id),
            ReviewDecision::Approve,
            Some(Personal::new(bad)),
        )
        .await
        .unwrap_err();
        match refused {
            RuleError::LongNote => assert!(is_long),
            RuleError::HiddenCharacters => assert!(!is_long),
            other => panic!("{other}"),
        }
    }
}

/// Planted fault that this test detects: a person who is looked up before they are locked.
#[tokio::test]
async fn nobody_gets_a_case_who_is_being_disabled_at_this_moment() {
    let Some(harness) = Harness::on_postgres(Step::ALL).await else {
        return;
    };
    let id = wait_for_review(&harness).await;
    let (rita, rob) = (reviewer(&harness).await, reviewer(&harness).await);
    let to = rob.staff().user();
    let disable = format!("UPDATE users SET disabled_at = 1 WHERE id = '{to}'");
    let assign = review::assign(&harness.honnin, &rita, &id, first_assignment(to));
    let assigned = harness.database.beside(&disable, assign).await;
    assert!(matches!(assigned, Err(AssignError::NoReviewer)), "{assigned:?}");
}

/// An erasure, for example, locks the session before it removes the decision.
///
/// Planted fault that this test detects: a decision that is removed before its session is locked, so that each waits for the other.
#[tokio::test]
async fn a_decision_that_is_being_carried_out_waits_for_whoever_overtakes_it_and_holds_nothing_they_need() {
    let Some(harness) = Harness::on_postgres(Step::ALL).await else {
        return;
    };
    let id = wait_for_review(&harness).await;
    let rita = reviewer(&harness).await;
    rule(&harness.honnin, &rita, first(&id), ReviewDecision::Approve, None)
        .await
        .unwrap();
    let mut other = PgConnection::connect(&harness.database.url).await.unwrap();
    let lock = "BEGIN; SELECT 1 FROM sessions FOR NO KEY UPDATE";
    sqlx::raw_sql(lock).execute(&mut other).await.unwrap();
    let is_done = Cell::new(false);
    let overtake = async {
        while !harness.database.one_waits().await {
            assert!(!is_done.get(), "nothing waits for the session");
            tokio::task::yield_now().await;
        }
        let overtaken = "DELETE FROM pending_rulings; COMMIT";
        sqlx::raw_sql(overtaken).execute(&mut other).await.unwrap();
    };
    let carry_out = async {
        harness.wait(UNDO).await;
        is_done.set(true);
    };
    tokio::join!(carry_out, overtake);
    assert_eq!(read(&harness, &id).await.status, Status::Reviewing);
    assert_eq!(harness.events(&id).await.len(), 1, "nobody is told");
}

/// A worker has read a decision that is due, and its machine hangs for a moment. Meanwhile the reviewer undoes the decision and makes
/// another one.
///
/// Planted fault that this test detects: a decision that is removed by its case, whichever decision it is.
#[tokio::test]
async fn of_a_decision_that_is_replaced_while_it_is_carried_out_nothing_is_carried_out() {
    let Some(harness) = Harness::on_postgres(Step::ALL).await else {
        return;
    };
    let id = wait_for_review(&harness).await;
    let rita = reviewer(&harness).await;
    rule(&harness.honnin, &rita, first(&id), ReviewDecision::Approve, None)
        .await
        .unwrap();
    // It can be read, but not removed.
    let mut other = PgConnection::connect(&harness.database.url).await.unwrap();
    let lock = "BEGIN; LOCK TABLE pending_rulings IN EXCLUSIVE MODE";
    sqlx::raw_sql(lock).execute(&mut other).await.unwrap();
    let replace = async {
        let stands = "SELECT COUNT(*) FROM pg_locks WHERE NOT granted AND relation = 'pending_rulings'::regclass";
        while harness.database.number(stands).await == 0 {
            tokio::task::yield_now().await;
        }
        let replaced = "UPDATE pending_rulings SET ruling = 'rejected', made_at = made_at + 20000, due_at = due_at + 20000; COMMIT";
        sqlx::raw_sql(replaced).execute(&mut other).await.unwrap();
    };
    tokio::join!(harness.wait(UNDO), replace);
    assert_eq!(read(&harness, &id).await.status, Status::Reviewing);
    let pending = list_pending(&harness.honnin, &rita).await.unwrap();
    let left: Vec<_> = pending.iter().map(|one| one.ruling).collect();
    assert_eq!(left, [Ruling::Rejected]);
    assert_eq!(harness.events(&id).await.len(), 1, "nobody is told");
}

/// An erasure ends the reservation of a case and then removes its decision: the note of one that is undone in between would stay with the reservation.
///
/// Planted fault that this test detects: a decision that is undone before its session is locked.
#[tokio::test]
async fn a_decision_that_is_undone_waits_for_an_erasure_that_is_under_way_and_leaves_no_note() {
    let Some(harness) = Harness::on_postgres(Step::ALL).await else {
        return;
    };
    let id = wait_for_review(&harness).await;
    let rita = reviewer(&harness).await;
    let note = Some(Personal::new("She moved house.".to_owned()));
    rule(&harness.honnin, &rita, first(&id), reject(), note).await.unwrap();
    let mut other = PgConnection::connect(&harness.database.url).await.unwrap();
    let lock = "BEGIN; SELECT 1 FROM sessions FOR NO KEY UPDATE";
    sqlx::raw_sql(lock).execute(&mut other).await.unwrap();
    let is_done = Cell::new(false);
    let erase = async {
        while !harness.database.one_waits().await {
            assert!(!is_done.get(), "nothing waits for the session");
            tokio::task::yield_now().await;
        }
        let erased = "DELETE FROM review_holds; DELETE FROM pending_rulings; COMMIT";
        sqlx::raw_sql(erased).execute(&mut other).await.unwrap();
    };
    let undo = async {
        let undone = undo(&harness.honnin, &rita, &id).await;
        is_done.set(true);
        undone
    };
    let (undone, ()) = tokio::join!(undo, erase);
    assert!(matches!(undone, Err(UndoError::TooLate)), "{undone:?}");
    let notes = "SELECT COUNT(*) FROM review_holds WHERE undone_note IS NOT NULL";
    assert_eq!(harness.database.number(notes).await, 0);
}
