//! Events that a newer version recorded, of a type that this one does not know: during an upgrade, nodes of both versions run.

use domain::{ids::EventId, tenant::TenantSettings, time::Millis};
use service::webhook::{event_log, unsent};
use store::webhook::deliveries::DeliveryState;
use testkit::{Harness, receiver::Receiver, webhooks::settings_for};

/// Changes the type of a stored event.
async fn set_kind(harness: &Harness, event: &EventId, kind: &str) {
    for (table, id) in [("events", "id"), ("deliveries", "event_id")] {
        let change = format!("UPDATE {table} SET kind = '{kind}' WHERE {id} = '{event}'");
        harness.database.run(change.leak()).await;
    }
}

/// Five events of a session, the first and the fourth of a known type. Oldest first.
async fn five_events(harness: &Harness) -> Vec<EventId> {
    let session = harness.create().await.id;
    let events = harness.pile(&session, 5).await;
    for unknown in [1, 2, 4] {
        set_kind(harness, &events[unknown], "verification.future").await;
    }
    let known = harness.events(&session).await;
    let known: Vec<_> = known.iter().map(|event| &event.id).collect();
    assert_eq!(known, [&events[0], &events[3]]);
    events
}

#[tokio::test]
async fn the_list_of_events_leaves_them_out_and_goes_on_after_them() {
    let receiver = Receiver::start().await;
    let (harness, _) = Harness::with_receiver(&receiver).await;
    let events = five_events(&harness).await;
    let caller = harness.caller().await;
    let (mut pages, mut after) = (Vec::new(), None);
    loop {
        let page = event_log::list_events(&harness.honnin, &caller, after, 1)
            .await
            .unwrap();
        let bodies = page.bodies.iter().map(|body| serde_json::from_slice(body).unwrap());
        pages.push(
            bodies
                .map(|body: serde_json::Value| body["id"].clone())
                .collect::<Vec<_>>(),
        );
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    assert_eq!(pages, [[events[3].as_str()], [events[0].as_str()]]);
}

#[tokio::test]
async fn the_list_of_unsent_events_leaves_them_out_and_goes_on_after_them() {
    let receiver = Receiver::start().await;
    let (mut harness, _) = Harness::with_receiver(&receiver).await;
    let without_receiver = TenantSettings {
        webhook_url: None,
        ..settings_for(&receiver)
    };
    harness.save_settings(without_receiver).await;
    let events = five_events(&harness).await;
    let developer = harness.developer().await;
    let list = async |after| unsent::list(&harness.honnin, &developer, after, 1).await.unwrap();
    let [first] = list(None).await.try_into().unwrap();
    assert_eq!(first.id, events[0]);
    let [second] = list(Some((first.created_at, first.id))).await.try_into().unwrap();
    assert_eq!(second.id, events[3]);
    assert_eq!(list(Some((second.created_at, second.id))).await, []);
}

#[tokio::test]
async fn their_delivery_waits_for_a_node_that_knows_them_and_spends_no_attempt() {
    let receiver = Receiver::start().await;
    let (harness, _) = Harness::with_receiver(&receiver).await;
    let event = harness.record_expired(&harness.create().await.id).await;
    set_kind(&harness, &event, "verification.future").await;
    harness.run_until_idle().await;
    let delivery = harness.delivery(&event).await.unwrap();
    assert_eq!(
        (delivery.state, delivery.attempts, delivery.step),
        (DeliveryState::Pending, 0, 0)
    );
    set_kind(&harness, &event, "verification.expired").await;
    harness.wait(Millis::seconds(1)).await;
    let delivery = harness.delivery(&event).await.unwrap();
    assert_eq!((delivery.state, delivery.attempts), (DeliveryState::Delivered, 1));
}
