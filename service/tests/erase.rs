//! Erasure when retention has run out.

mod support;

use domain::{
    session::Status,
    time::{Millis, Timestamp},
};
use service::{
    create_session::create_session,
    read_session::read_session,
    reprocess::{ReprocessError, reprocess},
};
use support::Harness;

const CANARY: &str = r#"{"metadata":{"order":"7"},"preRegisteredInfo":{"lastName":"Qwertzuiop"}}"#;

#[tokio::test]
async fn an_ended_session_keeps_its_outcome_and_loses_its_personal_data_at_the_end_of_retention() {
    let mut harness = Harness::new().await;
    let caller = harness.caller().await;
    let created = create_session(&harness.honnin, &caller, CANARY.as_bytes())
        .await
        .unwrap();
    harness.wait(Millis::days(7)).await;
    let before = read_session(&harness.honnin, &caller, created.id.as_str())
        .await
        .unwrap();
    assert!(before.session.purged_at.is_none() && before.pre_registered.is_some());

    assert_eq!(
        harness.wait(Millis(Millis::days(90).0 - 1)).await,
        0,
        "not a moment too early"
    );
    assert_eq!(harness.wait(Millis(1)).await, 1);
    let after = read_session(&harness.honnin, &caller, created.id.as_str())
        .await
        .unwrap();
    assert_eq!(after.session.purged_at, Some(erased_at(created.expires_at)));
    assert_eq!(
        (after.status, after.metadata.as_deref()),
        (Status::Expired, Some(r#"{"order":"7"}"#))
    );
    assert!(after.pre_registered.is_none());

    harness.restart().await;
    let again = read_session(&harness.honnin, &caller, created.id.as_str())
        .await
        .unwrap();
    assert!(again.pre_registered.is_none(), "nor after a restart");
    let refused = reprocess(&harness.honnin, &caller, created.id.as_str())
        .await
        .unwrap_err();
    assert!(matches!(refused, ReprocessError::NotAllowed));
}

const fn erased_at(expired_at: Timestamp) -> Timestamp {
    expired_at.plus(Millis::days(90))
}

#[tokio::test]
async fn a_session_that_goes_on_is_not_erased() {
    let harness = Harness::new().await;
    let caller = harness.caller().await;
    let created = create_session(&harness.honnin, &caller, CANARY.as_bytes())
        .await
        .unwrap();
    harness.clock.advance(Millis(Millis::days(7).0 - 1));
    harness.run_until_idle().await;
    let detail = read_session(&harness.honnin, &caller, created.id.as_str())
        .await
        .unwrap();
    assert!(detail.pre_registered.is_some());
    assert!(
        harness
            .open_jobs()
            .await
            .iter()
            .all(|job| job.kind != store::jobs::JobKind::Erase)
    );
}
