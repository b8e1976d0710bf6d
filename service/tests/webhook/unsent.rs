//! Events that happened while there was no receiver.

use domain::{
    event::{EventKind, EventType},
    role::Role,
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
