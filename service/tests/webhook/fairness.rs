//! One receiver's problems do not affect others: slow, dead and hostile receivers beside a healthy one.

use domain::{ids::TenantId, tenant::TenantSettings, time::Millis};
use service::jobs::worker::{Lane, Worker};
use store::{jobs, settings::tenants::TenantRow, webhook::deliveries::DeliveryState};
use testkit::{
    Harness, add_tenant,
    receiver::{Receiver, Reply},
    webhooks::settings_for,
};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// A second tenant of the same installation with its own receiver.
async fn neighbour(harness: &Harness, receiver: &Receiver) -> TenantRow {
    let tenant = TenantRow {
        id: TenantId::from_random(harness.honnin.random_bytes()),
        name: "Neighbour".into(),
        settings: Some(TenantSettings {
            event_types: domain::event::EventType::ALL.to_vec(),
            ..settings_for(receiver)
        }),
        ..harness.tenant.clone()
    };
    add_tenant(&harness.honnin, &tenant).await;
    tenant
}

#[tokio::test]
async fn a_receiver_that_keeps_silent_holds_up_nobody_else() {
    let (silent, quick) = (Receiver::start().await, Receiver::start().await);
    silent.reply(vec![Reply::Silence; 100]);
    let (mut harness, _) = Harness::with_receiver(&silent).await;
    let session = harness.create().await.id;
    let mut waiting = Vec::new();
    for _ in 0..60 {
        waiting.push(harness.record_expired(&session).await);
    }
    let first = harness.tenant.clone();
    harness.tenant = neighbour(&harness, &quick).await;
    harness.issue_secret().await;
    let theirs = harness.record_expired(&session).await;
    harness.tenant = first;

    // 20 slots, all of which the silent receiver's 60 events would take and hold.
    let (stop, wake) = (CancellationToken::new(), Notify::new());
    let worker = Worker::new(harness.honnin.clone(), Lane::Deliver, 20);
    let arrived = async {
        quick.wait_for(1).await;
        silent.wait_for(16).await;
    };
    tokio::select! {
        () = worker.run(stop, &wake) => panic!("nobody stopped it"),
        () = arrived => {}
    }
    assert_eq!(quick.received()[0].header("webhook-id"), theirs.as_str());
    assert_eq!(silent.received().len(), 16, "no more than its share at a time");
    for event in &waiting {
        assert_eq!(harness.delivery(event).await.unwrap().state, DeliveryState::Pending);
        assert!(
            harness.attempts(event).await.is_empty(),
            "waiting for a permit is not an attempt"
        );
    }
}

/// How often unfinished jobs were claimed, in total.
async fn claims(harness: &Harness) -> i64 {
    let open = harness.read(async |tx| jobs::list(tx, None, 100_000).await);
    open.await.iter().map(|job| job.attempt).sum()
}

#[tokio::test]
async fn ten_thousand_events_of_a_silent_receiver_wait_untouched_and_a_neighbours_fresh_one_goes_past_them() {
    let (silent, quick) = (Receiver::start().await, Receiver::start().await);
    silent.reply(vec![Reply::Silence; 100]);
    let (mut harness, _) = Harness::with_receiver(&silent).await;
    let session = harness.create().await.id;
    harness.pile(&session, 10_000).await;
    // A large backlog, all of it due before the neighbour's event.
    harness.clock.advance(Millis::minutes(1));
    harness.tenant = neighbour(&harness, &quick).await;
    harness.issue_secret().await;
    let first = harness.record_expired(&session).await;

    let (stop, wake) = (CancellationToken::new(), Notify::new());
    let worker = Worker::new(harness.honnin.clone(), Lane::Deliver, 20);
    let arrived = async {
        quick.wait_for(1).await;
        silent.wait_for(16).await;
        // Again, while the silent one occupies all its permits.
        let second = harness.record_expired(&session).await;
        wake.notify_one();
        quick.wait_for(2).await;
        second
    };
    let second = tokio::select! {
        () = worker.run(stop, &wake) => panic!("nobody stopped it"),
        second = arrived => second,
    };
    let ids = quick
        .received()
        .iter()
        .map(|one| one.header("webhook-id").to_owned())
        .collect::<Vec<_>>();
    assert_eq!(ids, [first.as_str(), second.as_str()]);
    // One claim for each attempt made: nothing is claimed only to be released.
    let claims = claims(&harness).await;
    assert!((16..=18).contains(&claims), "{claims} claims");
}

#[tokio::test]
async fn tenants_with_the_same_receiver_share_no_connection() {
    let receiver = Receiver::start().await;
    let (mut harness, _) = Harness::with_receiver(&receiver).await;
    let session = harness.create().await.id;
    harness.record_expired(&session).await;
    harness.record_expired(&session).await;
    harness.tenant = neighbour(&harness, &receiver).await;
    harness.issue_secret().await;
    harness.record_expired(&session).await;
    harness.run_until_idle().await;
    assert_eq!((receiver.received().len(), receiver.connections()), (3, 3));
}
