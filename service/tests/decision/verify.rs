//! Decisions that are made again from what is stored.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use domain::{
    document::{FieldName, OcrField, Side},
    findings::SelfieFindings,
    ids::SessionId,
    outcome::Verdict,
    role::Role,
    sandbox::SandboxOutcome,
    session::AttemptNumber,
    time::Millis,
};
use service::{
    access::{CommandLine, Reviewer},
    decision::verify::{Difference, Missing, VerifiedDecision, VerifyError, verify_decisions},
    privacy::erase_now::erase_of_tenant,
    review::{LookedAt, ReviewDecision, UNDO, rule},
    sandbox::complete_in_sandbox,
    session::reprocess::reprocess,
};
use testkit::{
    Harness,
    analyser::{holder, passport},
};

async fn verify(harness: &Harness, id: &SessionId) -> Vec<VerifiedDecision> {
    let verified = verify_decisions(&harness.honnin, CommandLine::here(), id.as_str()).await;
    verified.unwrap()
}

/// Attempts and verdicts, all of which follow from what is stored.
async fn the_same(harness: &Harness, id: &SessionId) -> Vec<(i64, Verdict)> {
    let verified = verify(harness, id).await;
    for one in &verified {
        assert!(one.differences.is_empty() && one.missing.is_empty(), "{one:?}");
    }
    verified.iter().map(|one| (one.attempt.get(), one.verdict)).collect()
}

fn doubtful() -> SelfieFindings {
    SelfieFindings {
        liveness: None,
        ..holder()
    }
}

#[tokio::test]
async fn every_attempt_is_decided_as_it_was_and_who_looked_is_recorded() {
    let harness = Harness::new().await;
    let caller = harness.caller().await;
    harness.analyser.see_selfie(doubtful());
    let (id, _) = harness.decided().await;
    assert_eq!(the_same(&harness, &id).await, [(1, Verdict::NeedsReview)]);
    // The reviewer's verdict and reasons are not the program's.
    let rita = Reviewer::of(&harness.staff(Role::Reviewer).await).unwrap();
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
    assert_eq!(the_same(&harness, &id).await, [(1, Verdict::NeedsReview)]);
    // On a later day, with other pictures.
    harness.wait(Millis::days(3)).await;
    reprocess(&harness.honnin, &caller, id.as_str()).await.unwrap();
    assert_eq!(the_same(&harness, &id).await, [(1, Verdict::NeedsReview)]);
    harness.analyser.see_selfie(holder());
    harness.decided_again(&id).await;
    assert_eq!(
        the_same(&harness, &id).await,
        [(1, Verdict::NeedsReview), (2, Verdict::Approved)]
    );
    let read =
        "SELECT COUNT(*) FROM audit WHERE action = 'session.read' AND actor = 'system' AND tenant_id IS NOT NULL";
    assert_eq!(harness.database.number(read).await, 4);
}

#[tokio::test]
async fn a_row_that_was_changed_is_found() {
    for (change, expected) in [
        ("UPDATE decisions SET verdict = 'rejected'", "verdict"),
        (
            "UPDATE decisions SET policy = json_set(policy, '$.liveness_accept', 1.0)",
            "score",
        ),
        (
            r#"UPDATE decisions SET models = '[{"name": "other", "sha256": "00"}]'"#,
            "models",
        ),
        (
            "UPDATE sessions SET outcome = json_set(outcome, '$.verdict', 'rejected')",
            "verdict of the outcome",
        ),
        (
            "UPDATE sessions SET outcome = json_set(outcome, '$.checks.document.authenticity', 'unknown')",
            "checks of the outcome",
        ),
        ("UPDATE sessions SET document_type = 'residence_card'", "verdict"),
        ("UPDATE sessions SET ocr = NULL", "readings"),
        ("UPDATE attempts SET typed = NULL", "checks of the outcome"),
    ] {
        let harness = Harness::new().await;
        let (id, _) = harness.decided().await;
        assert_eq!(harness.database.run(change).await, 1);
        let verified = verify(&harness, &id).await;
        let different: Vec<&str> = verified[0]
            .differences
            .iter()
            .map(|difference| match difference {
                Difference::Recorded { what, recorded, again } => {
                    assert_ne!(recorded, again);
                    *what
                }
                Difference::Unreadable(fault) => *fault,
            })
            .collect();
        assert!(different.contains(&expected), "{change}: {different:?}");
        assert_eq!(verified[0].missing, [], "{change}");
    }
}

#[tokio::test]
async fn what_cannot_be_decrypted_is_found() {
    let harness = Harness::new().await;
    let (id, _) = harness.decided().await;
    harness
        .database
        .run("UPDATE captures SET findings = x'00' WHERE slot = 'selfie'")
        .await;
    let verified = verify(&harness, &id).await;
    assert!(
        matches!(verified[0].differences[..], [Difference::Unreadable(_)]),
        "{verified:?}"
    );
}

#[tokio::test]
async fn what_is_erased_or_made_up_or_not_kept_is_named() {
    let harness = Harness::new().await;
    let mut page = passport();
    page.fields.push(OcrField {
        side: Side::Front,
        name: FieldName::DocumentNumber,
        text: Some("TK1234567".into()),
        normalized: Some("TK1234567".into()),
    });
    harness.analyser.see_document(page);
    let (first, _) = harness.decided().await;
    assert_eq!(the_same(&harness, &first).await, [(1, Verdict::Approved)]);
    // The same passport again, of the same person.
    let (second, _) = harness.decided().await;
    let verified = verify(&harness, &second).await;
    assert!(verified[0].differences.is_empty(), "{verified:?}");
    assert_eq!(verified[0].missing, [Missing::Holders]);
    harness.database.run("UPDATE decisions SET explanation = NULL").await;
    assert_eq!(verify(&harness, &first).await[0].missing, [Missing::Record]);
    let caller = harness.caller().await;
    erase_of_tenant(&harness.honnin, &caller, first.as_str()).await.unwrap();
    harness.run_until_idle().await;
    assert_eq!(verify(&harness, &first).await[0].missing, [Missing::PersonalData]);

    let sandbox = Harness::new().await.into_sandbox().await;
    let id = sandbox.create().await.id;
    let caller = sandbox.caller().await;
    complete_in_sandbox(&sandbox.honnin, &caller, id.as_str(), SandboxOutcome::Approved)
        .await
        .unwrap();
    assert_eq!(verify(&sandbox, &id).await[0].missing, [Missing::Findings]);
}

#[tokio::test]
async fn of_a_session_without_a_decision_there_is_nothing_and_an_unknown_one_is_not_found() {
    let harness = Harness::new().await;
    let open = harness.create().await.id;
    assert_eq!(verify(&harness, &open).await, []);
    let unknown = SessionId::from_random([7; 16]);
    for id in [unknown.as_str(), "vs_1", ""] {
        let refused = verify_decisions(&harness.honnin, CommandLine::here(), id).await;
        assert!(matches!(refused, Err(VerifyError::NotFound)), "{id}: {refused:?}");
    }
}
