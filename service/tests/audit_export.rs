//! Exporting the audit log to a receiver that confirms what it takes, and to one that does not.

use async_trait::async_trait;
use domain::time::Millis;
use service::audit_export::{Line, Sink, SinkError, run};
use std::sync::{Arc, Mutex};
use testkit::Harness;
use tokio_util::sync::CancellationToken;

/// A receiver that keeps the positions of what it gets.
#[derive(Default)]
struct Receiver {
    positions: Arc<Mutex<Vec<i64>>>,
    confirms: bool,
    is_connected: bool,
}

#[async_trait]
impl Sink for Receiver {
    async fn connect(&mut self) -> Result<bool, SinkError> {
        let was_connected = std::mem::replace(&mut self.is_connected, true);
        Ok(!was_connected && !self.confirms)
    }

    fn disconnect(&mut self) {
        self.is_connected = false;
    }

    async fn take(&mut self, lines: &[Line]) -> Result<(), SinkError> {
        for line in lines {
            let entry: serde_json::Value = serde_json::from_str(&line.json)?;
            self.positions.lock().unwrap().push(entry["position"].as_i64().unwrap());
        }
        Ok(())
    }
}

/// What a process exports that starts and stops. Without entries that come meanwhile, there is nothing new at the second start.
async fn exported_by_a_start(harness: &Harness, confirms: bool) -> Vec<i64> {
    let receiver = Receiver {
        confirms,
        ..Receiver::default()
    };
    let (positions, stop) = (Arc::clone(&receiver.positions), CancellationToken::new());
    stop.cancel();
    run(harness.honnin.clone(), Box::new(receiver), stop).await;
    let exported = positions.lock().unwrap();
    exported.clone()
}

/// Waits until every entry is noted as exported.
async fn until_noted(harness: &Harness) {
    const OPEN: &str = "SELECT COUNT(*) FROM audit
                        WHERE position IS NULL OR position > (SELECT position FROM audit_export)";
    while harness.database.number(OPEN).await > 0 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn every_start_begins_with_what_was_exported_lately_unless_the_receiver_has_confirmed_it() {
    let harness = Harness::new().await;
    harness.create().await;
    harness.create().await;
    let first = exported_by_a_start(&harness, false).await;
    assert!(first.len() >= 2);
    assert_eq!(first, (1..=first.len() as i64).collect::<Vec<_>>());
    assert!(exported_by_a_start(&harness, true).await.is_empty());
    assert_eq!(exported_by_a_start(&harness, false).await, first);
    harness.create().await;
    let second = exported_by_a_start(&harness, true).await;
    assert_eq!(second, [first.len() as i64 + 1]);
    assert_eq!(exported_by_a_start(&harness, false).await, [first, second].concat());
}

#[tokio::test]
async fn of_several_nodes_the_one_that_is_connected_goes_on_exporting_however_quiet_the_log_is() {
    let harness = Harness::new().await;
    let stop = CancellationToken::new();
    let start = || {
        let receiver = Receiver::default();
        let taken = Arc::clone(&receiver.positions);
        let process = tokio::spawn(run(harness.honnin.clone(), Box::new(receiver), stop.clone()));
        (taken, process)
    };
    let (first, one) = start();
    harness.create().await;
    until_noted(&harness).await;
    let (second, other) = start();
    for _ in 0..2 {
        // Much longer than a lease lasts, in which it is renewed.
        for _ in 0..2 {
            harness.clock.advance(Millis::seconds(20));
            let end = harness.honnin.now().plus(Millis::seconds(30)).as_millis();
            while harness.database.number("SELECT until FROM audit_export").await < end {
                tokio::task::yield_now().await;
            }
        }
        harness.create().await;
        until_noted(&harness).await;
    }
    let last = harness.database.number("SELECT position FROM audit_export").await;
    assert_eq!(*first.lock().unwrap(), (1..=last).collect::<Vec<_>>(), "each once");
    assert!(second.lock().unwrap().is_empty());
    stop.cancel();
    one.await.unwrap();
    other.await.unwrap();
}

#[tokio::test]
async fn what_was_exported_long_ago_is_not_exported_again() {
    let harness = Harness::new().await;
    let (receiver, stop) = (Receiver::default(), CancellationToken::new());
    let taken = Arc::clone(&receiver.positions);
    let process = tokio::spawn(run(harness.honnin.clone(), Box::new(receiver), stop.clone()));
    for _ in 0..3 {
        harness.create().await;
        until_noted(&harness).await;
        harness.clock.advance(Millis::minutes(6));
    }
    stop.cancel();
    process.await.unwrap();
    let taken = taken.lock().unwrap().clone();
    let [before @ .., second, third] = taken.as_slice() else {
        panic!("{taken:?}");
    };
    assert!(
        !before.is_empty() && *third == taken.len() as i64,
        "each once: {taken:?}"
    );
    assert_eq!(exported_by_a_start(&harness, false).await, [*second, *third]);
}
