//! Sessions that were approved before: the same document for another person, the same face, and what erasing leaves of both.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use domain::{
    decision::Policy,
    document::{DocumentType, FieldName, OcrField, Side},
    findings::{DocumentFindings, Face, LayoutReading, RuleResult, SelfieFindings},
    ids::SessionId,
    named::Named,
    outcome::Verdict,
    reasons::Reason,
    role::Role,
    secret::Personal,
    session::{AttemptNumber, Status, Step},
    tenant::{Change, TenantSettings},
    time::{Millis, SKEW, Timestamp},
    user_input::TypedForm,
};
use futures::future::join_all;
use service::{
    access::{Admin, Applicant, Reviewer},
    capture::{
        details::save_details,
        progress::{Next, StepRefused},
        submit::submit,
    },
    jobs::worker::{Lane, Worker},
    privacy::erase_now::erase_now,
    review::{LookedAt, ReviewDecision, RuleError, UNDO, open_case, rule, undo},
    session::{rate_limit::CreationRate, reprocess::reprocess},
    settings::preview::preview,
};
use std::collections::BTreeSet;
use testkit::{
    Harness,
    analyser::{face, holder, passport},
    applicant::{agree, details},
    databases::{backends, bytes_at, run_at, texts_at},
    files::search,
    loopback_sender,
};

const NUMBER: &str = "TK1234567";

fn item(name: FieldName, text: &str) -> OcrField {
    OcrField {
        side: Side::Front,
        name,
        text: Some(text.into()),
        normalized: Some(text.into()),
    }
}

/// Hanako Tanaka's passport with this number.
fn numbered(number: &str) -> DocumentFindings {
    let mut page = passport();
    page.fields.push(item(FieldName::DocumentNumber, number));
    page
}

/// A passport with the same number and this first name.
fn of(first_name: &str) -> DocumentFindings {
    let mut page = numbered(NUMBER);
    page.fields.retain(|field| field.name != FieldName::FirstName);
    page.fields.push(item(FieldName::FirstName, &first_name.to_uppercase()));
    page
}

/// Another person's passport with the same number, and their details.
fn of_somebody_else() -> (DocumentFindings, TypedForm) {
    let typed = TypedForm {
        first_name: "Yukiko".into(),
        ..details()
    };
    (of("Yukiko"), typed)
}

/// A face at this descriptor distance from the holder's, in the selfie and on the document.
fn somebody(distance: f32) -> Face {
    let mut face = face();
    face.descriptor[0] += distance;
    face
}

/// A session from the link to the decision, with these details and this answer about the face search.
async fn decided(harness: &Harness, typed: &TypedForm, search: Option<bool>) -> SessionId {
    let (id, applicant) = ready(harness, typed, search).await;
    submit(&harness.honnin, &applicant).await.unwrap();
    harness.run_until_idle().await;
    id
}

/// A session ready to be submitted.
async fn ready(harness: &Harness, typed: &TypedForm, search: Option<bool>) -> (SessionId, Applicant) {
    let created = harness.create().await;
    let applicant = harness.start(&created).await;
    agree(&harness.honnin, &applicant, search).await.unwrap();
    harness.photograph(&applicant).await;
    save_details(&harness.honnin, &applicant, &Personal::new(typed.clone()))
        .await
        .unwrap();
    harness.selfie(&applicant).await;
    harness.run_until_idle().await;
    (created.id, applicant)
}

/// Submits the sessions and has them decided by as many workers at the same time: one is approved, and the others go to review for this reason.
async fn assert_one_approved(harness: &Harness, sessions: &[(SessionId, Applicant)], found: Reason) {
    for (_, applicant) in sessions {
        submit(&harness.honnin, applicant).await.unwrap();
    }
    let workers: Vec<_> = sessions
        .iter()
        .map(|_| {
            let worker = Worker::new(harness.honnin.clone(), Lane::Decide, 1);
            tokio::spawn(async move { worker.run_until_idle().await })
        })
        .collect();
    for worker in workers {
        worker.await.unwrap().unwrap();
    }
    harness.wait(Millis::minutes(10)).await;
    let mut outcomes = Vec::new();
    for (id, _) in sessions {
        outcomes.push(outcome(harness, id).await);
    }
    outcomes.sort_by_key(|(verdict, _)| *verdict != Verdict::Approved);
    assert_eq!(outcomes[0], approved());
    let found = reviewed(found);
    assert!(outcomes[1..].iter().all(|other| *other == found), "{outcomes:?}");
}

async fn outcome(harness: &Harness, id: &SessionId) -> (Verdict, Vec<Named<Reason>>) {
    let outcome = harness.detail(id).await.outcome.unwrap();
    (outcome.verdict, outcome.reasons)
}

fn approved() -> (Verdict, Vec<Named<Reason>>) {
    (Verdict::Approved, Vec::new())
}

fn reviewed(reason: Reason) -> (Verdict, Vec<Named<Reason>>) {
    (Verdict::NeedsReview, vec![reason.into()])
}

async fn erase(harness: &Harness, id: &SessionId) {
    let admin = Admin::of(&harness.staff(Role::Admin).await).unwrap();
    erase_now(&harness.honnin, &admin, id).await.unwrap();
    harness.run_until_idle().await;
    assert!(harness.detail(id).await.session.purged_at.is_some());
}

async fn known(harness: &Harness) -> i64 {
    harness.database.number("SELECT COUNT(*) FROM identities").await
}

#[tokio::test]
async fn a_document_that_was_approved_for_another_person_goes_to_a_person() {
    let harness = Harness::new().await;
    harness.analyser.see_document(numbered(NUMBER));
    let first = decided(&harness, &details(), None).await;
    assert_eq!(outcome(&harness, &first).await, approved());
    let again = decided(&harness, &details(), None).await;
    assert_eq!(outcome(&harness, &again).await, approved(), "its holder may come again");

    let (page, typed) = of_somebody_else();
    harness.analyser.see_document(page);
    let second = decided(&harness, &typed, None).await;
    assert_eq!(outcome(&harness, &second).await, reviewed(Reason::DocumentReused));

    // The same details, but another face than the holder's in the selfie and on the document.
    let mut page = numbered(NUMBER);
    page.portrait = Some(somebody(0.8));
    harness.analyser.see_document(page);
    harness.analyser.see_selfie(SelfieFindings {
        face: Some(somebody(0.8)),
        ..holder()
    });
    let third = decided(&harness, &details(), None).await;
    assert_eq!(outcome(&harness, &third).await, reviewed(Reason::DocumentReused));
}

/// Detects if the unit that stores a decision does not check again.
#[tokio::test(flavor = "multi_thread")]
async fn of_people_decided_at_once_with_one_document_one_is_approved() {
    const NAMES: [&str; 8] = ["Aiko", "Botan", "Chika", "Emi", "Fumiko", "Hiromi", "Izumi", "Junko"];
    let harness = Harness::new().await;
    let mut sessions = Vec::new();
    for name in NAMES {
        harness.analyser.see_document(of(name));
        let typed = TypedForm {
            first_name: name.into(),
            ..details()
        };
        sessions.push(ready(&harness, &typed, None).await);
    }
    assert_one_approved(&harness, &sessions, Reason::DocumentReused).await;
}

/// Detects if the unit that stores a decision does not look for faces again.
#[tokio::test(flavor = "multi_thread")]
async fn of_people_decided_at_once_with_one_face_one_is_approved() {
    const NUMBERS: [&str; 6] = [
        "AA1111111",
        "BB2222222",
        "CC3333333",
        "DD4444444",
        "EE5555555",
        "FF6666666",
    ];
    let harness = Harness::searching().await;
    let mut sessions = Vec::new();
    for number in NUMBERS {
        harness.analyser.see_document(numbered(number));
        sessions.push(ready(&harness, &details(), Some(true)).await);
    }
    assert_one_approved(&harness, &sessions, Reason::DuplicatePerson).await;
}

#[tokio::test]
async fn damaged_data_of_somebody_approved_before_stops_nobody() {
    let harness = Harness::searching().await;
    harness.analyser.see_document(numbered(NUMBER));
    let first = decided(&harness, &details(), Some(true)).await;
    assert_eq!(outcome(&harness, &first).await, approved());
    harness.database.run("UPDATE identities SET face = x'00'").await;
    harness.database.run("UPDATE captures SET findings = x'00'").await;
    let again = decided(&harness, &details(), Some(true)).await;
    assert_eq!(outcome(&harness, &again).await, reviewed(Reason::DocumentReused));
    harness.analyser.see_document(numbered("AA1111111"));
    let other = decided(&harness, &details(), Some(false)).await;
    assert_eq!(outcome(&harness, &other).await, reviewed(Reason::CheckUnavailable));
}

#[tokio::test]
async fn somebody_approved_before_whose_master_key_is_lost_stops_nobody_for_ever() {
    let mut harness = Harness::new().await;
    harness.analyser.see_document(numbered(NUMBER));
    let first = decided(&harness, &details(), None).await;
    assert_eq!(outcome(&harness, &first).await, approved());
    let keys = texts_at(&harness.database.url, "SELECT data_key FROM sessions").await;
    let lost = format!(
        "UPDATE data_keys SET sealed = substr(sealed, 2) WHERE id = '{}'",
        keys[0]
    );
    let lost = Box::leak(lost.into_boxed_str());
    assert_eq!(run_at(&harness.database.keys_url, lost).await, 1);
    let (again, applicant) = ready(&harness, &details(), None).await;
    // The keys that were in memory are gone.
    harness.restart().await;
    submit(&harness.honnin, &applicant).await.unwrap();
    for _ in 0..18 {
        harness.wait(Millis::minutes(10)).await;
    }
    assert_eq!(
        harness.detail(&again).await.status,
        Status::Deciding,
        "it may come back"
    );
    for _ in 0..72 {
        harness.wait(Millis::minutes(10)).await;
    }
    assert_eq!(outcome(&harness, &again).await, reviewed(Reason::DocumentReused));
}

#[tokio::test]
async fn a_face_search_without_the_keys_of_faces_has_not_been_made() {
    let harness = Harness::searching().await;
    harness.analyser.see_document(numbered(NUMBER));
    let first = decided(&harness, &details(), Some(true)).await;
    assert_eq!(outcome(&harness, &first).await, approved());
    harness.analyser.see_document(numbered("AA1111111"));
    let (again, applicant) = ready(&harness, &details(), Some(true)).await;
    // As on a node whose master key file lacks the version that encrypts them. Its own key is in memory.
    run_at(
        &harness.database.keys_url,
        "UPDATE data_keys SET sealed = substr(sealed, 2)",
    )
    .await;
    submit(&harness.honnin, &applicant).await.unwrap();
    harness.run_until_idle().await;
    assert_eq!(outcome(&harness, &again).await, reviewed(Reason::CheckUnavailable));
}

#[tokio::test]
async fn whoever_has_a_new_name_entered_on_a_document_is_nobody_else_when_they_come_again() {
    let harness = Harness::new().await;
    let mut renamed = of("Yukiko");
    renamed.layout = Some(LayoutReading {
        layout: "icao.passport".into(),
        issuer: None,
        kind: DocumentType::Passport,
        also: Vec::new(),
        side: Side::Front,
        score: 1.0,
        rules: vec![RuleResult::superseded(FieldName::FirstName)],
        hidden: 0.0,
    });
    harness.analyser.see_document(renamed);
    // Only a person can read the new name.
    let expected = reviewed(Reason::InputNotComparable);
    let first = decided(&harness, &details(), None).await;
    assert_eq!(outcome(&harness, &first).await, expected);
    let reviewer = Reviewer::of(&harness.staff(Role::Reviewer).await).unwrap();
    rule(
        &harness.honnin,
        &reviewer,
        LookedAt::new(&first, AttemptNumber::FIRST),
        ReviewDecision::Approve,
        None,
    )
    .await
    .unwrap();
    harness.wait(UNDO).await;
    let again = decided(&harness, &details(), None).await;
    assert_eq!(outcome(&harness, &again).await, expected);
}

#[tokio::test]
async fn a_document_counts_once_a_reviewer_approves_and_never_where_they_reject() {
    for (ruling, expected) in [
        (ReviewDecision::Approve, reviewed(Reason::DocumentReused)),
        (ReviewDecision::Reject(vec![Reason::ManualRejection]), approved()),
    ] {
        let harness = Harness::new().await;
        harness.analyser.see_document(numbered(NUMBER));
        harness.analyser.see_selfie(SelfieFindings {
            liveness: None,
            ..holder()
        });
        let first = decided(&harness, &details(), None).await;
        assert_eq!(
            outcome(&harness, &first).await,
            reviewed(Reason::SelfieLivenessUncertain)
        );
        let reviewer = Reviewer::of(&harness.staff(Role::Reviewer).await).unwrap();
        rule(
            &harness.honnin,
            &reviewer,
            LookedAt::new(&first, AttemptNumber::FIRST),
            ruling,
            None,
        )
        .await
        .unwrap();
        harness.wait(UNDO).await;

        let (page, typed) = of_somebody_else();
        harness.analyser.see_document(page);
        harness.analyser.see_selfie(holder());
        let second = decided(&harness, &typed, None).await;
        assert_eq!(outcome(&harness, &second).await, expected);
    }
}

/// Detects if only approvals that have taken effect are looked for: whoever comes while one can still be undone would be approved as well.
#[tokio::test]
async fn while_an_approval_can_be_undone_nobody_else_is_approved_with_the_document() {
    for (is_undone, expected) in [(false, reviewed(Reason::DocumentReused)), (true, approved())] {
        let harness = Harness::new().await;
        harness.analyser.see_document(numbered(NUMBER));
        harness.analyser.see_selfie(SelfieFindings {
            liveness: None,
            ..holder()
        });
        let first = decided(&harness, &details(), None).await;
        harness.analyser.see_selfie(holder());
        let (page, typed) = of_somebody_else();
        harness.analyser.see_document(page);
        let (second, applicant) = ready(&harness, &typed, None).await;
        let reviewer = Reviewer::of(&harness.staff(Role::Reviewer).await).unwrap();
        rule(
            &harness.honnin,
            &reviewer,
            LookedAt::new(&first, AttemptNumber::FIRST),
            ReviewDecision::Approve,
            None,
        )
        .await
        .unwrap();
        submit(&harness.honnin, &applicant).await.unwrap();
        harness.run_until_idle().await;
        assert_eq!(harness.detail(&second).await.status, Status::Deciding, "{is_undone}");
        if is_undone {
            undo(&harness.honnin, &reviewer, &first).await.unwrap();
        }
        harness.wait(UNDO).await;
        harness.wait(Millis::minutes(1)).await;
        assert_eq!(outcome(&harness, &second).await, expected, "{is_undone}");
    }
}

#[tokio::test]
async fn a_reviewer_learns_that_the_document_was_approved_while_the_case_waited() {
    let harness = Harness::new().await;
    harness.analyser.see_document(numbered(NUMBER));
    harness.analyser.see_selfie(SelfieFindings {
        liveness: None,
        ..holder()
    });
    let first = decided(&harness, &details(), None).await;
    let second = decided(&harness, &details(), None).await;
    harness.analyser.see_document(numbered("AA1111111"));
    let other = decided(&harness, &details(), None).await;
    let reviewer = Reviewer::of(&harness.staff(Role::Reviewer).await).unwrap();
    let honnin = &harness.honnin;
    let told = async |id: &SessionId| open_case(honnin, &reviewer, id).await.unwrap().same_document;
    assert_eq!(told(&second).await, []);
    harness.clock.advance(Millis::minutes(1));
    rule(
        honnin,
        &reviewer,
        LookedAt::new(&first, AttemptNumber::FIRST),
        ReviewDecision::Approve,
        None,
    )
    .await
    .unwrap();
    assert_eq!(
        told(&second).await,
        std::slice::from_ref(&first),
        "although it can still be undone"
    );
    undo(honnin, &reviewer, &first).await.unwrap();
    assert_eq!(told(&second).await, []);
    rule(
        honnin,
        &reviewer,
        LookedAt::new(&first, AttemptNumber::FIRST),
        ReviewDecision::Approve,
        None,
    )
    .await
    .unwrap();
    harness.wait(UNDO).await;
    assert_eq!(told(&second).await, std::slice::from_ref(&first));
    assert_eq!(told(&other).await, []);
    assert_eq!(told(&first).await, [], "it is decided");
    assert_same_document(approve(&harness, &reviewer, &second).await, &first);
    let seen = ReviewDecision::ApproveDespite(vec![first]);
    rule(
        honnin,
        &reviewer,
        LookedAt::new(&second, AttemptNumber::FIRST),
        seen,
        None,
    )
    .await
    .unwrap();
}

/// Detects if only approvals that have taken effect are looked for: the same face would be approved again in the ten seconds before.
#[tokio::test]
async fn while_an_approval_can_be_undone_nobody_else_is_approved_with_the_face() {
    let harness = Harness::searching().await;
    harness.analyser.see_document(numbered("AA1111111"));
    harness.analyser.see_selfie(SelfieFindings {
        liveness: None,
        ..holder()
    });
    let first = decided(&harness, &details(), Some(true)).await;
    harness.analyser.see_document(numbered("AA2222222"));
    harness.analyser.see_selfie(holder());
    let (second, applicant) = ready(&harness, &details(), Some(true)).await;
    let reviewer = Reviewer::of(&harness.staff(Role::Reviewer).await).unwrap();
    approve(&harness, &reviewer, &first).await.unwrap();
    submit(&harness.honnin, &applicant).await.unwrap();
    harness.run_until_idle().await;
    assert_eq!(outcome(&harness, &second).await, reviewed(Reason::DuplicatePerson));
}

/// Detects if a reviewer approves one person in two cases that waited at once: neither was approved when the other was decided.
#[tokio::test]
async fn a_reviewer_learns_that_the_face_was_approved_while_the_case_waited() {
    let harness = Harness::searching().await;
    let honnin = &harness.honnin;
    harness.analyser.see_selfie(SelfieFindings {
        liveness: None,
        ..holder()
    });
    let mut cases = Vec::new();
    for (number, agrees) in [("AA1111111", true), ("AA2222222", true), ("AA3333333", false)] {
        harness.analyser.see_document(numbered(number));
        cases.push(decided(&harness, &details(), Some(agrees)).await);
    }
    harness.analyser.see_selfie(SelfieFindings {
        liveness: None,
        face: Some(somebody(0.9)),
        ..holder()
    });
    harness.analyser.see_document(DocumentFindings {
        portrait: Some(somebody(0.9)),
        ..numbered("AA4444444")
    });
    cases.push(decided(&harness, &details(), Some(true)).await);
    let [first, second, without_search, somebody_else] = cases.as_slice() else {
        panic!("{cases:?}")
    };
    let reviewer = Reviewer::of(&harness.staff(Role::Reviewer).await).unwrap();
    let told = async |id: &SessionId| open_case(honnin, &reviewer, id).await.unwrap().same_face;
    assert_eq!(told(second).await, []);
    harness.clock.advance(Millis::minutes(1));
    approve(&harness, &reviewer, first).await.unwrap();
    assert_eq!(
        told(second).await,
        std::slice::from_ref(first),
        "it can still be undone"
    );
    harness.wait(UNDO).await;
    assert_eq!(told(second).await, std::slice::from_ref(first));
    assert_eq!(told(without_search).await, [], "the user did not agree");
    assert_eq!(told(somebody_else).await, []);
    let refused = approve(&harness, &reviewer, second).await;
    let Err(RuleError::SameFace(others)) = refused else {
        panic!("{refused:?}")
    };
    assert_eq!(others, std::slice::from_ref(first));
    let seen = ReviewDecision::ApproveDespite(others);
    rule(
        honnin,
        &reviewer,
        LookedAt::new(second, AttemptNumber::FIRST),
        seen,
        None,
    )
    .await
    .unwrap();
    for id in [without_search, somebody_else] {
        approve(&harness, &reviewer, id).await.unwrap();
    }
}

/// Detects if the time of an approval is compared with that of a decision as if one clock had made both.
#[tokio::test]
async fn a_reviewer_learns_of_what_was_approved_meanwhile_on_a_node_whose_clock_is_behind() {
    let harness = Harness::searching().await;
    harness.analyser.see_document(numbered(NUMBER));
    harness.analyser.see_selfie(SelfieFindings {
        liveness: None,
        ..holder()
    });
    let first = decided(&harness, &details(), Some(true)).await;
    let second = decided(&harness, &details(), Some(true)).await;
    let reviewer = Reviewer::of(&harness.staff(Role::Reviewer).await).unwrap();
    approve(&harness, &reviewer, &first).await.unwrap();
    harness.wait(UNDO).await;
    let decided_at = harness.detail(&second).await.outcome.unwrap().decided_at;
    for (behind, is_told) in [(Millis(SKEW.0 - 1), true), (SKEW, false)] {
        let set_back = format!(
            "UPDATE identities SET approved_at = {} WHERE session_id = '{first}'",
            decided_at.minus(behind).as_millis()
        );
        harness.database.run(Box::leak(set_back.into_boxed_str())).await;
        let case = open_case(&harness.honnin, &reviewer, &second).await.unwrap();
        let expected: &[SessionId] = if is_told { std::slice::from_ref(&first) } else { &[] };
        assert_eq!(case.same_document, expected, "{behind:?}");
        assert_eq!(case.same_face, expected, "{behind:?}");
    }
}

/// Approves a case without having been shown other sessions.
async fn approve(harness: &Harness, reviewer: &Reviewer, id: &SessionId) -> Result<Timestamp, RuleError> {
    rule(
        &harness.honnin,
        reviewer,
        LookedAt::new(id, AttemptNumber::FIRST),
        ReviewDecision::Approve,
        None,
    )
    .await
}

/// An approval was refused since `other` was approved with the same document.
#[track_caller]
fn assert_same_document(refused: Result<Timestamp, RuleError>, other: &SessionId) {
    let Err(RuleError::SameDocument(others)) = refused else {
        panic!("{refused:?}")
    };
    assert_eq!(others, std::slice::from_ref(other));
}

/// Somebody's passport in this many cases that wait for review, since liveness is uncertain. A minute has passed.
async fn doubtful(harness: &Harness, count: usize) -> Vec<SessionId> {
    harness.analyser.see_document(numbered(NUMBER));
    harness.analyser.see_selfie(SelfieFindings {
        liveness: None,
        ..holder()
    });
    let mut cases = Vec::new();
    for _ in 0..count {
        cases.push(decided(harness, &details(), None).await);
    }
    harness.clock.advance(Millis::minutes(1));
    cases
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_cases_with_one_document_that_are_approved_at_once_one_is_and_the_others_name_it() {
    for database in backends().await {
        let name = database.name;
        let settings = TenantSettings {
            steps: Step::ALL.to_vec(),
            ..TenantSettings::default()
        };
        let harness = Harness::on(database, settings, loopback_sender(), CreationRate::default()).await;
        let cases = doubtful(&harness, 6).await;
        let reviewer = Reviewer::of(&harness.staff(Role::Reviewer).await).unwrap();
        let approvals = cases.iter().map(|id| approve(&harness, &reviewer, id));
        let (mut approved, mut refused) = (Vec::new(), Vec::new());
        for (id, answer) in cases.iter().zip(join_all(approvals).await) {
            match answer {
                Ok(_) => approved.push(id),
                other => refused.push(other),
            }
        }
        let [approved] = approved.as_slice() else {
            panic!("{name}: {refused:?}")
        };
        for refused in refused {
            assert_same_document(refused, approved);
        }
    }
}

/// SQL of a unit that approves a case.
fn approval_of(harness: &Harness, case: &SessionId) -> String {
    let (tenant, now) = (&harness.tenant.id, harness.honnin.now().as_millis());
    format!(
        "UPDATE tenants SET version = version WHERE id = '{tenant}';
         UPDATE identities SET approved_at = {now} WHERE session_id = '{case}'"
    )
}

/// Detects if an approval looks for others before it waits for them.
#[tokio::test]
async fn an_approval_finds_another_one_with_the_document_that_is_under_way() {
    let Some(harness) = Harness::on_postgres(Step::ALL).await else {
        return;
    };
    let cases = doubtful(&harness, 2).await;
    let reviewer = Reviewer::of(&harness.staff(Role::Reviewer).await).unwrap();
    let first = approval_of(&harness, &cases[0]);
    let second = approve(&harness, &reviewer, &cases[1]);
    let refused = harness.database.beside(&first, second).await;
    assert_same_document(refused, &cases[0]);
}

/// Detects if a decision ends its job before it waits for its session: a late analysis of a picture, which brings the job forward, has locked the
/// session first, and each would wait for the other.
#[tokio::test]
async fn a_decision_that_waits_for_its_session_does_not_hold_its_job() {
    let Some(harness) = Harness::on_postgres(Step::ALL).await else {
        return;
    };
    let (id, applicant) = ready(&harness, &details(), None).await;
    submit(&harness.honnin, &applicant).await.unwrap();
    let lock = format!("SELECT 1 FROM sessions WHERE id = '{id}' FOR NO KEY UPDATE");
    let bring_forward = format!("UPDATE jobs SET run_at = run_at WHERE kind = 'decide' AND subject = '{id}'");
    let decided = harness.run_until_idle();
    harness.database.beside_both(&lock, &bring_forward, decided).await;
    assert_eq!(outcome(&harness, &id).await, approved());
}

/// Detects if only a decision that approves looks again: the reviewer would not learn of what was approved just before it.
#[tokio::test]
async fn a_case_that_goes_to_review_names_the_document_that_is_being_approved_for_another_person() {
    let Some(harness) = Harness::on_postgres(Step::ALL).await else {
        return;
    };
    let cases = doubtful(&harness, 1).await;
    let (page, typed) = of_somebody_else();
    harness.analyser.see_document(page);
    let (second, applicant) = ready(&harness, &typed, None).await;
    submit(&harness.honnin, &applicant).await.unwrap();
    let approval = approval_of(&harness, &cases[0]);
    harness.database.beside(&approval, harness.run_until_idle()).await;
    harness.wait(Millis::minutes(1)).await;
    let (verdict, reasons) = outcome(&harness, &second).await;
    assert_eq!(verdict, Verdict::NeedsReview);
    assert!(reasons.contains(&Reason::DocumentReused.into()), "{reasons:?}");
}

/// Detects if erasing or a new attempt leaves the row.
#[tokio::test]
async fn nothing_knows_a_document_again_once_its_session_is_erased_or_starts_over() {
    let harness = Harness::new().await;
    harness.analyser.see_document(numbered(NUMBER));
    let first = decided(&harness, &details(), None).await;
    assert_eq!(known(&harness).await, 1);
    erase(&harness, &first).await;
    assert_eq!(known(&harness).await, 0);
    let second = decided(&harness, &details(), None).await;
    reprocess(&harness.honnin, &harness.caller().await, second.as_str())
        .await
        .unwrap();
    assert_eq!(known(&harness).await, 0);
    let third = decided(&harness, &details(), None).await;
    assert_eq!(known(&harness).await, 1);
    harness.wait(Millis::days(90)).await;
    assert!(harness.detail(&third).await.session.purged_at.is_some(), "by retention");
    assert_eq!(known(&harness).await, 0);
    let (page, typed) = of_somebody_else();
    harness.analyser.see_document(page);
    let fourth = decided(&harness, &typed, None).await;
    assert_eq!(outcome(&harness, &fourth).await, approved());
}

#[tokio::test]
async fn an_older_copy_of_the_database_knows_nobody_who_was_erased_since() {
    let harness = Harness::new().await;
    harness.analyser.see_document(numbered(NUMBER));
    let first = decided(&harness, &details(), None).await;
    // As in a copy from before the erasure: the row is there, the session's key is not.
    let attempt = "CREATE TABLE copied AS SELECT * FROM identities";
    harness.database.run(attempt).await;
    erase(&harness, &first).await;
    harness
        .database
        .run("INSERT INTO identities SELECT * FROM copied")
        .await;
    let (page, typed) = of_somebody_else();
    harness.analyser.see_document(page);
    let second = decided(&harness, &typed, None).await;
    assert_eq!(outcome(&harness, &second).await, approved());
}

/// The number is short: a guess must not be verifiable with a copy of the database alone.
#[tokio::test]
async fn two_installations_know_one_document_by_different_bytes() {
    let mut prints = Vec::new();
    for _ in 0..2 {
        let harness = Harness::new().await;
        harness.analyser.see_document(numbered(NUMBER));
        decided(&harness, &details(), None).await;
        let stored = bytes_at(&harness.database.url, "SELECT document FROM identities").await;
        assert_eq!(stored.iter().map(Vec::len).collect::<Vec<_>>(), [32]);
        prints.extend(stored);
    }
    assert_ne!(prints[0], prints[1]);
}

#[tokio::test]
async fn a_face_approved_before_goes_to_a_person_where_the_tenant_searches_and_both_agreed() {
    let harness = Harness::searching().await;
    harness.analyser.see_document(numbered(NUMBER));
    let first = decided(&harness, &details(), Some(true)).await;
    assert_eq!(outcome(&harness, &first).await, approved());

    // Another document, another name, the same face.
    let (mut page, typed) = of_somebody_else();
    page.fields.retain(|field| field.name != FieldName::DocumentNumber);
    page.fields.push(item(FieldName::DocumentNumber, "XX7654321"));
    harness.analyser.see_document(page.clone());
    let second = decided(&harness, &typed, Some(true)).await;
    assert_eq!(outcome(&harness, &second).await, reviewed(Reason::DuplicatePerson));

    // A different person, who passes.
    page.portrait = Some(somebody(0.8));
    harness.analyser.see_document(page);
    harness.analyser.see_selfie(SelfieFindings {
        face: Some(somebody(0.8)),
        ..holder()
    });
    let third = decided(&harness, &typed, Some(true)).await;
    assert_eq!(outcome(&harness, &third).await, approved());

    erase(&harness, &first).await;
    let faces = "SELECT COUNT(*) FROM identities WHERE face IS NOT NULL AND approved_at IS NOT NULL";
    assert_eq!(harness.database.number(faces).await, 1, "of the third");
}

/// A planted fault that this detects: `identities::remove` not called by the erasure.
#[tokio::test]
async fn after_an_erasure_no_byte_that_recognises_the_person_is_in_any_file() {
    let harness = Harness::searching().await;
    harness.analyser.see_document(numbered(NUMBER));
    let id = decided(&harness, &details(), Some(true)).await;
    let mut known = bytes_at(&harness.database.url, "SELECT document FROM identities").await;
    known.extend(bytes_at(&harness.database.url, "SELECT face FROM identities").await);
    // A long column continues in another page of the file.
    known.iter_mut().for_each(|bytes| bytes.truncate(32));
    let all: BTreeSet<usize> = (0..known.len()).collect();
    assert_eq!((known.len(), search(harness.folder(), &known)), (2, all));

    erase(&harness, &id).await;
    assert_eq!(search(harness.folder(), &known), BTreeSet::new());
}

#[tokio::test]
async fn who_does_not_agree_to_the_search_is_neither_searched_for_nor_found_and_goes_to_a_person() {
    let harness = Harness::searching().await;
    let shy = decided(&harness, &details(), Some(false)).await;
    assert_eq!(outcome(&harness, &shy).await, reviewed(Reason::CheckUnavailable));
    let kept = "SELECT COUNT(*) FROM identities WHERE face IS NOT NULL";
    assert_eq!(harness.database.number(kept).await, 0);
    let answer = "SELECT COUNT(*) FROM attempts WHERE face_search = 0";
    assert_eq!(harness.database.number(answer).await, 1);
}

#[tokio::test]
async fn a_preview_of_other_thresholds_knows_what_came_of_the_search_for_the_face() {
    let harness = Harness::searching().await;
    harness.analyser.see_document(numbered(NUMBER));
    decided(&harness, &details(), Some(true)).await;
    let (mut page, typed) = of_somebody_else();
    page.fields.retain(|field| field.name != FieldName::DocumentNumber);
    page.portrait = Some(somebody(0.44));
    harness.analyser.see_document(page);
    harness.analyser.see_selfie(SelfieFindings {
        face: Some(somebody(0.44)),
        ..holder()
    });
    decided(&harness, &typed, Some(true)).await;
    decided(&harness, &typed, Some(false)).await;
    let admin = harness.staff(Role::Admin).await;
    let after = async |policy| {
        let change = Change::Decision(policy);
        let seen = preview(&harness.honnin, &admin, &change)
            .await
            .unwrap()
            .decisions
            .unwrap();
        (seen.after.approved, seen.after.needs_review)
    };
    let searching = Policy {
        find_duplicates: true,
        ..Policy::default()
    };
    assert_eq!(
        after(searching.clone()).await,
        (1, 2),
        "a duplicate, and one who did not agree"
    );
    let doubtful = Policy {
        duplicate_from: 1.0,
        ..searching
    };
    assert_eq!(after(doubtful).await, (2, 1));
    assert_eq!(after(Policy::default()).await, (3, 0));
}

#[tokio::test]
async fn without_the_setting_no_face_is_kept_and_nobody_is_asked() {
    let harness = Harness::new().await;
    harness.analyser.see_document(numbered(NUMBER));
    let id = decided(&harness, &details(), None).await;
    assert_eq!(outcome(&harness, &id).await, approved());
    let kept = "SELECT COUNT(*) FROM identities WHERE face IS NOT NULL";
    assert_eq!(harness.database.number(kept).await, 0);
}

#[tokio::test]
async fn a_consent_from_before_the_tenant_searched_is_asked_for_again() {
    let harness = Harness::searching().await;
    let created = harness.create().await;
    let applicant = harness.start(&created).await;
    let refused = agree(&harness.honnin, &applicant, None).await;
    assert!(matches!(refused, Err(StepRefused::OutOfTurn)));
    assert_eq!(harness.next(&applicant).await, Next::Consent);
}
