//! The deadline.

use domain::{
    event::EventType,
    session::{Status, Step},
    time::Millis,
};
use service::{
    jobs::worker::{Lane, Worker},
    session::{
        read::read_session,
        reprocess::{ReprocessError, reprocess},
    },
};
use sqlx::{Connection as _, PgConnection};
use testkit::Harness;

#[tokio::test]
async fn every_reader_sees_the_deadline_at_once_and_the_event_is_recorded_once() {
    let harness = Harness::new().await;
    let created = harness.create().await;
    harness.clock.advance(Millis::days(7));
    let detail = read_session(&harness.honnin, &harness.caller().await, created.id.as_str())
        .await
        .unwrap();
    assert_eq!(detail.status, Status::Expired, "before any job ran");
    assert!(harness.events(&created.id).await.is_empty());
    assert_eq!(harness.run_until_idle().await, 1);
    assert_eq!(harness.wait(Millis::days(30)).await, 0);
    let events = harness.events(&created.id).await;
    assert_eq!(events.len(), 1);
    assert_eq!(events[0].content.kind().as_str(), EventType::Expired.as_str());
}

#[tokio::test]
async fn a_session_in_time_is_left_alone() {
    let harness = Harness::new().await;
    let created = harness.create().await;
    assert_eq!(harness.wait(Millis(Millis::days(7).0 - 1)).await, 0);
    let detail = read_session(&harness.honnin, &harness.caller().await, created.id.as_str())
        .await
        .unwrap();
    assert_eq!(detail.status, Status::Created);
}

#[tokio::test]
async fn expired_session_refuses_reprocess() {
    let harness = Harness::new().await;
    let created = harness.create().await;
    harness.clock.advance(Millis::days(7));
    let caller = harness.caller().await;
    for _ in 0..2 {
        let refused = reprocess(&harness.honnin, &caller, created.id.as_str())
            .await
            .unwrap_err();
        assert!(matches!(refused, ReprocessError::NotAllowed));
        harness.run_until_idle().await;
    }
}

#[tokio::test]
async fn unknown_foreign_and_malformed_ids_are_alike() {
    let harness = Harness::new().await;
    let foreign = harness.create().await.id.to_string();
    let caller = harness.another_tenant().await;
    for id in [
        foreign.as_str(),
        "vs_00000000000000000000000000000000",
        "",
        "vs_",
        "\0",
        &"x".repeat(10_000),
    ] {
        let read = read_session(&harness.honnin, &caller, id).await.unwrap_err();
        assert_eq!(read.to_string(), "no such session");
        let reprocessed = reprocess(&harness.honnin, &caller, id).await.unwrap_err();
        assert_eq!(reprocessed.to_string(), "no such session");
    }
}

/// Detects a job that is done although it has found the deadline ahead of it.
#[tokio::test]
async fn a_clock_that_is_set_back_a_little_as_a_deadline_is_due_only_puts_it_off() {
    let Some(harness) = Harness::on_postgres(Step::ALL).await else {
        return;
    };
    let sessions = [harness.create().await.id, harness.create().await.id];
    harness.clock.advance(Millis::days(7));
    // Both are claimed, and the first one waits, while the clock is set back.
    let mut other = PgConnection::connect(&harness.database.url).await.unwrap();
    let lock = "BEGIN; SELECT id FROM sessions FOR UPDATE";
    sqlx::raw_sql(lock).execute(&mut other).await.unwrap();
    let set_back = async {
        while !harness.database.one_waits().await {
            tokio::task::yield_now().await;
        }
        harness.clock.jump(Millis::minutes(-1));
        sqlx::raw_sql("ROLLBACK").execute(&mut other).await.unwrap();
    };
    let worker = Worker::new(harness.honnin.clone(), Lane::Housekeeping, 2);
    let (ran, ()) = tokio::join!(worker.run_once(), set_back);
    assert_eq!(ran.unwrap().len(), 2);
    let expired = [
        harness.events(&sessions[0]).await.len(),
        harness.events(&sessions[1]).await.len(),
    ];
    assert_eq!(expired.iter().sum::<usize>(), 1, "one waits for its deadline");
    harness.wait(Millis::minutes(1)).await;
    for session in &sessions {
        assert_eq!(harness.detail(session).await.session.status, Status::Expired);
        assert_eq!(harness.events(session).await.len(), 1);
    }
}
