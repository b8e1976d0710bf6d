//! Events that happened while there was no receiver.

use domain::{
    event::{EventKind, EventType},
    ids::EventId,
    role::Role,
    session::Step,
    tenant::TenantSettings,
    time::Millis,
};
use service::{
    access::Developer,
    webhook::{
        redeliver::{self, RedeliverError, SentAgain},
        unsent,
    },
};
use testkit::{Harness, receiver::Receiver, webhooks::settings_for};

/// A tenant without a receiver, whose secret is issued.
async fn without_receiver(receiver: &Receiver) -> Harness {
    let (mut harness, _) = Harness::with_receiver(receiver).await;
    let settings = TenantSettings {
        webhook_url: None,
        ..settings_for(receiver)
    };
    harness.save_settings(settings).await;
    harness
}

/// Sets the receiver as `role`, a second later.
async fn set_receiver(harness: &Harness, role: Role, url: String) {
    harness.clock.advance(Millis::seconds(1));
    harness.point_to(role, url).await;
}

#[tokio::test]
async fn they_are_listed_until_they_are_sent_one_by_one_or_all_with_their_ids() {
    let receiver = Receiver::start().await;
    let harness = without_receiver(&receiver).await;
    let (honnin, developer) = (&harness.honnin, harness.developer().await);
    let session = harness.create().await.id;
    let mut events = Vec::new();
    for _ in 0..3 {
        events.push(harness.record_expired(&session).await);
        harness.clock.advance(Millis::seconds(1));
    }
    harness.run_until_idle().await;
    let listed = unsent::list(honnin, &developer, None, 10).await.unwrap();
    let listed: Vec<_> = listed.into_iter().map(|event| (event.id, event.kind)).collect();
    let expected: Vec<_> = events
        .iter()
        .map(|id| (id.clone(), EventKind::Session(EventType::Expired)))
        .collect();
    assert_eq!(listed, expected);
    let refused = unsent::send_all(honnin, &developer, None).await;
    assert!(matches!(refused, Err(RedeliverError::NoReceiver)));

    set_receiver(&harness, Role::Developer, receiver.url()).await;
    redeliver::send_again(honnin, &developer, &events[1]).await.unwrap();
    assert_eq!(unsent::count(honnin, &developer).await.unwrap(), 2);
    let sent = unsent::send_all(honnin, &developer, None).await.unwrap();
    let expected = SentAgain {
        count: 2,
        left_out: 0,
        go_on_after: None,
    };
    assert_eq!(sent, expected);
    assert_eq!(unsent::count(honnin, &developer).await.unwrap(), 0);
    harness.run_until_idle().await;
    let (mut arrived, mut all) = (
        receiver.ids(),
        events.iter().map(ToString::to_string).collect::<Vec<_>>(),
    );
    arrived.sort();
    all.sort();
    assert_eq!(arrived, all, "each once");
    let none = unsent::send_all(honnin, &developer, None).await.unwrap();
    assert_eq!(none.count, 0);
}

#[tokio::test]
async fn types_that_were_not_selected_and_events_with_a_receiver_are_not_among_them() {
    let receiver = Receiver::start().await;
    let mut harness = without_receiver(&receiver).await;
    let developer = harness.developer().await;
    harness
        .save_settings(TenantSettings {
            webhook_url: None,
            event_types: vec![EventType::Approved],
            ..settings_for(&receiver)
        })
        .await;
    let session = harness.create().await.id;
    harness.record_expired(&session).await;
    harness.save_settings(settings_for(&receiver)).await;
    harness.record_expired(&session).await;
    assert_eq!(unsent::count(&harness.honnin, &developer).await.unwrap(), 0);
}

#[tokio::test]
async fn a_note_goes_to_a_receiver_that_is_newer_by_an_admins_hand_only() {
    let receiver = Receiver::start().await;
    let harness = without_receiver(&receiver).await;
    let session = harness.create().await.id;
    let vault = harness.database.vault().await;
    let note = harness.seal_note(&vault, &session, "Called her back.").await;
    let noted = harness.record_reviewed(&session, Some(note)).await;
    let plain = harness.record_expired(&session).await;
    set_receiver(&harness, Role::Developer, receiver.url()).await;

    let developer = harness.developer().await;
    let sent = unsent::send_all(&harness.honnin, &developer, None).await.unwrap();
    assert_eq!((sent.count, sent.left_out), (1, 1));
    let refused = redeliver::send_again(&harness.honnin, &developer, &noted).await;
    assert!(matches!(refused, Err(RedeliverError::NeedsAdmin)));
    harness.run_until_idle().await;
    assert_eq!(receiver.ids(), [plain.to_string()]);

    let admin = Developer::of(&harness.staff(Role::Admin).await).unwrap();
    let sent = unsent::send_all(&harness.honnin, &admin, None).await.unwrap();
    assert_eq!((sent.count, sent.left_out), (1, 0));
    harness.run_until_idle().await;
    assert_eq!(receiver.ids(), [plain.to_string(), noted.to_string()]);
}

/// Planted fault that this test detects: a delivery that somebody else has made at the same moment is taken for a fault of the database.
#[tokio::test]
async fn an_event_that_somebody_else_sends_at_the_same_moment_keeps_nobody_from_sending() {
    let Some(mut harness) = Harness::on_postgres(Step::ALL).await else {
        return;
    };
    let developer = harness.developer().await;
    let session = harness.create().await.id;
    let one = harness.record_expired(&session).await;
    let other = harness.record_expired(&session).await;
    let settings = TenantSettings {
        steps: Step::ALL.to_vec(),
        webhook_url: Some("https://shop.example/hook".to_owned()),
        ..TenantSettings::default()
    };
    harness.save_settings(settings).await;
    let (honnin, database) = (&harness.honnin, &harness.database);
    // As the same form does that was sent twice.
    let sent = |event: &EventId| {
        format!(
            "INSERT INTO deliveries (event_id, tenant_id, kind, created_at, state, attempts, started_at, step, next_attempt_at)
             SELECT id, tenant_id, kind, created_at, 'pending', 0, 1, 0, 1 FROM events WHERE id = '{event}';
             DELETE FROM unsent_events WHERE event_id = '{event}'"
        )
    };
    let again = redeliver::send_again(honnin, &developer, &one);
    database.beside(&sent(&one), again).await.unwrap();
    let all = unsent::send_all(honnin, &developer, None);
    let all = database.beside(&sent(&other), all).await.unwrap();
    assert_eq!(all.count, 0, "it is sent already");
    assert_eq!(database.number("SELECT COUNT(*) FROM deliveries").await, 2);
}
