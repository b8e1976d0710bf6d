//! Resending by hand, test events, and the receiver's health.

use domain::{
    delivery::DeliveryFault,
    ids::{EventId, SessionId},
    named::Named,
    role::Role,
    tenant::{Change, TenantSettings},
    time::Millis,
};
use futures::future::{Either, select};
use service::{
    access::Developer,
    jobs::sweep,
    session::{
        overview::{DeliveryCounts, overview},
        rate_limit::CreationRate,
    },
    settings::{self, Confirmation},
    webhook::{
        delivery_log::{self, NoBody},
        diagnose::{BodyComparison, Verdict, diagnose_signature},
        redeliver::{self, MAX_AT_ONCE, RedeliverError, SentAgain},
        unsent,
    },
};
use std::{pin::pin, sync::Arc};
use store::{
    audit,
    webhook::deliveries::{DeliveryFilter, DeliveryState},
};
use testkit::{
    Harness,
    databases::backends,
    loopback_sender,
    receiver::{Receiver, Reply},
    webhooks::settings_for,
};
use tokio::sync::Notify;

#[tokio::test]
async fn a_test_event_arrives_signed_and_names_its_tenant_only() {
    let receiver = Receiver::start().await;
    let (harness, secret) = Harness::with_receiver(&receiver).await;
    let id = redeliver::send_test(&harness.honnin, &harness.developer().await)
        .await
        .unwrap();
    harness.run_until_idle().await;
    let [received] = receiver.received().try_into().unwrap();
    let judge = standardwebhooks::Webhook::new(&secret).unwrap();
    judge.verify(&received.body, &received.headers).unwrap();
    let body = received.json();
    assert_eq!(body["type"], "webhook.test");
    assert_eq!(body["id"], id.as_str());
    assert_eq!(
        body["data"],
        serde_json::json!({"tenantId": harness.tenant.id.as_str()})
    );
    assert_eq!(harness.delivery(&id).await.unwrap().state, DeliveryState::Delivered);
}

/// On PostgreSQL, the sweep may remove an old event while somebody has it sent again.
#[tokio::test]
async fn an_event_that_is_removed_while_it_is_sent_again_is_not_found() {
    for database in backends().await {
        if database.name == "sqlite" {
            // Units run one after another.
            continue;
        }
        let receiver = Receiver::start().await;
        let harness = Harness::on(
            database,
            settings_for(&receiver),
            loopback_sender(),
            CreationRate::default(),
        )
        .await;
        harness.issue_secret().await;
        let developer = harness.developer().await;
        let id = redeliver::send_test(&harness.honnin, &developer).await.unwrap();
        harness.run_until_idle().await;
        for table in ["delivery_attempts", "deliveries"] {
            let delete = format!("DELETE FROM {table}");
            harness.database.run(Box::leak(delete.into_boxed_str())).await;
        }
        let remove = format!("DELETE FROM events WHERE id = '{id}'");
        let again = redeliver::send_again(&harness.honnin, &developer, &id);
        let answer = harness.database.beside(&remove, again).await;
        assert!(matches!(answer, Err(RedeliverError::NotFound)), "{answer:?}");
    }
}

#[tokio::test]
async fn during_a_rotation_a_test_event_carries_both_signatures_like_every_webhook() {
    let receiver = Receiver::start().await;
    let (harness, old) = Harness::with_receiver(&receiver).await;
    harness.clock.advance(Millis::seconds(1));
    let new = harness.issue_secret().await;
    redeliver::send_test(&harness.honnin, &harness.developer().await)
        .await
        .unwrap();
    harness.run_until_idle().await;
    let [received] = receiver.received().try_into().unwrap();
    let accepts = |secret: &str| {
        let judge = standardwebhooks::Webhook::new(secret).unwrap();
        judge.verify(&received.body, &received.headers).is_ok()
    };
    assert!(accepts(&new) && accepts(&old));
    assert_eq!(received.header("webhook-signature").split(' ').count(), 2);
}

#[tokio::test]
async fn a_range_is_sent_again_with_the_same_ids() {
    let receiver = Receiver::start().await;
    let (harness, _) = Harness::with_receiver(&receiver).await;
    let session = harness.create().await.id;
    let developer = harness.developer().await;
    let mut events = Vec::new();
    for _ in 0..4 {
        events.push(harness.record_expired(&session).await);
        harness.wait(Millis::minutes(1)).await;
    }
    let time = |event: &EventId| {
        let event = event.clone();
        async { harness.delivery(&{ event }).await.unwrap().created_at }
    };
    let filter = DeliveryFilter {
        state: Some(DeliveryState::Delivered),
        since: Some(time(&events[1]).await),
        until: Some(time(&events[3]).await),
        ..DeliveryFilter::default()
    };
    let sent = redeliver::send_range_again(&harness.honnin, &developer, &filter);
    assert_eq!(
        sent.await.unwrap(),
        SentAgain {
            count: 2,
            left_out: 0,
            go_on_after: None
        }
    );
    let tenant = harness.tenant.id.clone();
    let log = harness.read(async move |tx| audit::list(tx, &tenant, None, None, 1).await);
    let [from, until] = [filter.since, filter.until].map(|at| at.unwrap().to_iso());
    assert_eq!(
        log.await[0].entry.detail.as_deref(),
        Some(&*format!("2 events, state delivered, from {from}, until {until}"))
    );
    harness.run_until_idle().await;
    let mut again: Vec<_> = receiver.received()[4..]
        .iter()
        .map(|one| one.header("webhook-id").to_owned())
        .collect();
    again.sort();
    let mut expected = [events[1].to_string(), events[2].to_string()];
    expected.sort();
    assert_eq!(again, expected);
}

#[tokio::test]
async fn the_events_of_chosen_sessions_are_sent_again_and_no_others() {
    let receiver = Receiver::start().await;
    let (mut harness, _) = Harness::with_receiver(&receiver).await;
    let sessions = [
        harness.create().await.id,
        harness.create().await.id,
        harness.create().await.id,
    ];
    let unticked = || TenantSettings {
        event_types: vec![],
        ..settings_for(&receiver)
    };
    let without_receiver = || TenantSettings {
        webhook_url: None,
        ..settings_for(&receiver)
    };
    harness.save_settings(unticked()).await;
    harness.record_expired(&sessions[0]).await;
    harness.save_settings(without_receiver()).await;
    let mut events = vec![harness.record_expired(&sessions[0]).await.to_string()];
    harness.save_settings(settings_for(&receiver)).await;
    for session in [&sessions[0], &sessions[1], &sessions[1], &sessions[2]] {
        events.push(harness.record_expired(session).await.to_string());
        harness.wait(Millis::minutes(1)).await;
    }
    let developer = harness.developer().await;
    let nobodys = SessionId::from_random([7; 16]);
    let chosen = [sessions[0].clone(), sessions[1].clone(), nobodys];
    let sent = redeliver::send_sessions_again(&harness.honnin, &developer, &chosen)
        .await
        .unwrap();
    assert_eq!((sent.count, sent.left_out, sent.go_on_after), (4, 0, None));
    let tenant = harness.tenant.id.clone();
    let log = harness.read(async move |tx| audit::list(tx, &tenant, None, None, 2).await);
    let recorded: Vec<_> = log
        .await
        .into_iter()
        .map(|one| (one.entry.subject, one.entry.detail))
        .collect();
    let expected = [&sessions[1], &sessions[0]].map(|session| (Some(session.to_string()), Some("2 events".to_owned())));
    assert_eq!(recorded, expected, "an entry for each session");
    harness.run_until_idle().await;
    let mut again: Vec<_> = receiver.received()[4..]
        .iter()
        .map(|one| one.header("webhook-id").to_owned())
        .collect();
    again.sort();
    let sent_once = events.pop();
    events.sort();
    assert_eq!(again, events);
    harness.save_settings(without_receiver()).await;
    harness.record_expired(&sessions[2]).await;
    harness.save_settings(unticked()).await;
    let sent = redeliver::send_sessions_again(&harness.honnin, &developer, &sessions[2..])
        .await
        .unwrap();
    assert_eq!(
        sent.count, 1,
        "what was sent before, and nothing of a type that is no longer selected"
    );
    harness.run_until_idle().await;
    let received = receiver.received();
    assert_eq!(received.len(), 9);
    assert_eq!(
        received.last().map(|last| last.header("webhook-id")),
        sent_once.as_deref()
    );
}

#[tokio::test]
async fn the_events_of_chosen_sessions_are_sent_again_although_their_deliveries_were_removed() {
    let receiver = Receiver::start().await;
    let (mut harness, _) = Harness::with_receiver(&receiver).await;
    let session = harness.create().await.id;
    let event = harness.record_expired(&session).await;
    harness.run_until_idle().await;
    sweep::plan(&harness.honnin).await.unwrap();
    harness.wait(Millis::days(91)).await;
    assert!(harness.delivery(&event).await.is_none());
    let unticked = TenantSettings {
        event_types: vec![],
        ..settings_for(&receiver)
    };
    harness.save_settings(unticked).await;
    let developer = harness.developer().await;
    let sent = redeliver::send_sessions_again(&harness.honnin, &developer, std::slice::from_ref(&session))
        .await
        .unwrap();
    assert_eq!(sent.count, harness.events(&session).await.len());
    harness.run_until_idle().await;
    assert_eq!(receiver.ids().iter().filter(|id| *id == event.as_str()).count(), 2);
}

#[tokio::test]
async fn asking_twice_sends_once_more_and_not_twice() {
    let receiver = Receiver::start().await;
    let (harness, _) = Harness::with_receiver(&receiver).await;
    let event = harness.record_expired(&harness.create().await.id).await;
    harness.run_until_idle().await;
    let developer = harness.developer().await;
    for _ in 0..3 {
        redeliver::send_again(&harness.honnin, &developer, &event)
            .await
            .unwrap();
    }
    harness.run_until_idle().await;
    assert_eq!(receiver.received().len(), 2);
}

#[tokio::test]
async fn an_attempt_that_was_under_way_is_not_the_one_that_was_asked_for() {
    for status in [200, 500] {
        let (old, new) = (Receiver::start().await, Receiver::start().await);
        let (harness, _) = Harness::with_receiver(&old).await;
        let event = harness.record_expired(&harness.create().await.id).await;
        let admin = Developer::of(&harness.staff(Role::Admin).await).unwrap();
        let told = Arc::new(Notify::new());
        old.reply([Reply::Held(status, Arc::clone(&told))]);
        let ask = async {
            old.wait_for(1).await;
            harness.clock.advance(Millis::seconds(1));
            harness.point_to(Role::Admin, new.url()).await;
            redeliver::send_again(&harness.honnin, &admin, &event).await.unwrap();
            told.notify_one();
        };
        tokio::join!(harness.run_until_idle(), ask);
        assert_eq!(new.ids(), [event.to_string()], "{status}");
        let delivery = harness.delivery(&event).await.unwrap();
        assert_eq!(
            (delivery.state, delivery.attempts, delivery.step),
            (DeliveryState::Delivered, 2, 1),
            "{status}"
        );
        let answers: Vec<_> = harness.attempts(&event).await.iter().map(|one| one.status).collect();
        assert_eq!(answers, [Some(status), Some(200)]);
    }
}

#[tokio::test]
async fn an_event_that_was_never_sent_can_be_sent_by_hand() {
    let receiver = Receiver::start().await;
    let (mut harness, _) = Harness::with_receiver(&receiver).await;
    harness
        .save_settings(TenantSettings {
            event_types: vec![],
            ..settings_for(&receiver)
        })
        .await;
    let event = harness.record_expired(&harness.create().await.id).await;
    let developer = harness.developer().await;
    let found = delivery_log::find(&harness.honnin, &developer, &event).await.unwrap();
    let standing = found.unwrap().standing;
    assert_eq!((standing.delivery, standing.may_be_removed), (None, false));
    redeliver::send_again(&harness.honnin, &developer, &event)
        .await
        .unwrap();
    harness.run_until_idle().await;
    assert_eq!(receiver.received()[0].header("webhook-id"), event.as_str());
}

#[tokio::test]
async fn without_a_receiver_and_for_a_foreign_event_nothing_is_sent() {
    let receiver = Receiver::start().await;
    let (mut harness, _) = Harness::with_receiver(&receiver).await;
    let developer = harness.developer().await;
    let unknown = harness.honnin.event_id();
    let refused = redeliver::send_again(&harness.honnin, &developer, &unknown)
        .await
        .unwrap_err();
    assert!(matches!(refused, RedeliverError::NotFound));
    assert!(
        delivery_log::find(&harness.honnin, &developer, &unknown)
            .await
            .unwrap()
            .is_none()
    );
    harness
        .save_settings(TenantSettings {
            webhook_url: None,
            ..settings_for(&receiver)
        })
        .await;
    let refused = redeliver::send_test(&harness.honnin, &developer).await.unwrap_err();
    assert!(matches!(refused, RedeliverError::NoReceiver));
    assert_eq!(harness.run_until_idle().await, 0);
}

#[tokio::test]
async fn only_those_who_look_after_webhooks_may_touch_them() {
    let harness = Harness::new().await;
    for (role, may) in [
        (Role::Admin, true),
        (Role::Developer, true),
        (Role::Reviewer, false),
        (Role::Auditor, false),
    ] {
        assert_eq!(Developer::of(&harness.staff(role).await).is_ok(), may, "{role:?}");
    }
}

#[tokio::test]
async fn a_receiver_is_failing_since_its_first_failure_after_a_success() {
    let receiver = Receiver::start().await;
    let (harness, _) = Harness::with_receiver(&receiver).await;
    let session = harness.create().await.id;
    let developer = harness.developer().await;
    let health = || redeliver::receiver_health(&harness.honnin, &developer);
    assert_eq!(
        health().await.unwrap(),
        store::webhook::delivery_attempts::ReceiverHealth::default()
    );
    harness.record_expired(&session).await;
    harness.run_until_idle().await;
    let success = harness.honnin.now();
    assert_eq!(
        (
            health().await.unwrap().last_success_at,
            health().await.unwrap().failing_since
        ),
        (Some(success), None)
    );
    harness.clock.advance(Millis::hours(1));
    let failure = harness.honnin.now();
    receiver.reply([Reply::Status(500), Reply::Status(500)]);
    harness.record_expired(&session).await;
    harness.run_until_idle().await;
    harness.wait(Millis::seconds(6)).await;
    assert_eq!(
        health().await.unwrap().failing_since,
        Some(failure),
        "not since the second failure"
    );
    harness.wait(Millis::minutes(6)).await;
    assert_eq!(health().await.unwrap().failing_since, None, "it is back");
}

#[tokio::test]
async fn a_resend_does_not_change_how_many_events_needed_a_retry() {
    let receiver = Receiver::start().await;
    let (harness, _) = Harness::with_receiver(&receiver).await;
    let session = harness.create().await.id;
    let developer = harness.developer().await;
    let counts = async || -> DeliveryCounts {
        let shown = overview(&harness.honnin, developer.staff(), 7).await.unwrap();
        shown.figures.deliveries.iter().map(|(_, counts)| *counts).sum()
    };
    let at_once = harness.record_expired(&session).await;
    harness.run_until_idle().await;
    receiver.reply([Reply::Status(500)]);
    let later = harness.record_expired(&session).await;
    harness.run_until_idle().await;
    harness.wait(Millis::seconds(6)).await;
    let before = counts().await;
    assert_eq!((before.at_once, before.later), (1, 1));
    for event in [&at_once, &later] {
        redeliver::send_again(&harness.honnin, &developer, event).await.unwrap();
    }
    harness.run_until_idle().await;
    assert_eq!(receiver.received().len(), 5);
    assert_eq!(counts().await, before);
}

#[tokio::test]
async fn a_pasted_delivery_is_explained() {
    let receiver = Receiver::start().await;
    let (harness, _) = Harness::with_receiver(&receiver).await;
    let developer = harness.developer().await;
    harness.record_expired(&harness.create().await.id).await;
    harness.run_until_idle().await;
    let [received] = receiver.received().try_into().unwrap();
    let pasted: String = ["webhook-id", "webhook-timestamp", "webhook-signature"]
        .map(|name| format!("{name}: {}\n", received.header(name)))
        .concat();
    harness.clock.advance(Millis::seconds(400));
    let explained = diagnose_signature(&harness.honnin, &developer, &pasted, &received.body)
        .await
        .unwrap();
    assert!(matches!(explained.verdict, Verdict::Matches(_)));
    assert_eq!(
        (explained.age_seconds, explained.body),
        (Some(400), BodyComparison::Same)
    );

    let written_again = serde_json::to_vec_pretty(&received.json()).unwrap();
    let explained = diagnose_signature(&harness.honnin, &developer, &pasted, &written_again)
        .await
        .unwrap();
    assert_eq!(
        (explained.verdict, explained.body),
        (Verdict::NoMatch, BodyComparison::SameJson)
    );
}

#[tokio::test]
async fn the_debugger_shows_what_was_sent_byte_for_byte() {
    let receiver = Receiver::start().await;
    let (harness, _) = Harness::with_receiver(&receiver).await;
    let developer = harness.developer().await;
    let event = harness.record_expired(&harness.create().await.id).await;
    harness.run_until_idle().await;
    let [received] = receiver.received().try_into().unwrap();
    harness.clock.advance(Millis::hours(1));
    let [attempt] = harness.attempts(&event).await.try_into().unwrap();
    let shown = delivery_log::find_request(&harness.honnin, &developer, &event, attempt.attempted_at)
        .await
        .unwrap()
        .unwrap();
    assert_eq!(shown.body.unwrap(), received.body);
    for (name, value) in shown.headers {
        assert_eq!(received.header(name), value);
    }
}

#[tokio::test]
async fn a_developer_cannot_find_out_a_reviewers_note_by_trying_bodies() {
    let receiver = Receiver::start().await;
    let (harness, _) = Harness::with_receiver(&receiver).await;
    let session = harness.create().await.id;
    let note = harness
        .seal_note(&harness.database.vault().await, &session, "Called back.")
        .await;
    let event = harness.record_reviewed(&session, Some(note)).await;
    harness.run_until_idle().await;
    let [received] = receiver.received().try_into().unwrap();
    let headers = format!("webhook-id: {event}\n");
    let developer = harness.developer().await;
    for guess in [&received.body[..], b"", b"{}"] {
        let explained = diagnose_signature(&harness.honnin, &developer, &headers, guess)
            .await
            .unwrap();
        assert_eq!(explained.body, BodyComparison::Hidden);
    }
    let now = harness.honnin.now();
    let shown = delivery_log::find_request(&harness.honnin, &developer, &event, now);
    let shown = shown.await.unwrap().unwrap();
    assert_eq!(shown.body, Err(NoBody::Hidden));
    assert!(shown.headers.iter().all(|(name, _)| *name != "webhook-signature"));
    let read = format!(
        "SELECT COUNT(*) FROM audit WHERE action = 'session.read' AND subject = '{session}' AND detail = 'note in {event}'"
    );
    let read: &'static str = read.leak();
    let reads = async || harness.database.number(read).await;
    assert_eq!(reads().await, 0, "nothing was shown");

    // An admin may read notes, and so gets the comparison.
    let admin = Developer::of(&harness.staff(Role::Admin).await).unwrap();
    let explained = diagnose_signature(&harness.honnin, &admin, &headers, &received.body);
    assert_eq!(explained.await.unwrap().body, BodyComparison::Same);
    assert_eq!(reads().await, 1, "comparisons tell the admin what it says");
    let shown = delivery_log::find_request(&harness.honnin, &admin, &event, now);
    assert_eq!(shown.await.unwrap().unwrap().body.unwrap(), received.body);
    assert_eq!(reads().await, 2, "the admin has read it");
}

#[tokio::test]
async fn a_range_of_more_than_a_thousand_is_sent_oldest_first_and_gone_on_with() {
    let receiver = Receiver::start().await;
    let (harness, _) = Harness::with_receiver(&receiver).await;
    let session = harness.create().await.id;
    let developer = harness.developer().await;
    let most = MAX_AT_ONCE as usize;
    let events = harness.pile(&session, most + 3).await;
    let mut filter = DeliveryFilter {
        state: Some(DeliveryState::Pending),
        ..DeliveryFilter::default()
    };
    let send = async |filter: &DeliveryFilter| {
        redeliver::send_range_again(&harness.honnin, &developer, filter)
            .await
            .unwrap()
    };
    let first = send(&filter).await;
    assert_eq!(first.count, most);
    filter.after = first.go_on_after;
    assert_eq!(filter.after.as_ref().map(|(_, id)| id), Some(&events[most - 1]));
    let rest = send(&filter).await;
    assert_eq!((rest.count, rest.go_on_after), (3, None));
}

/// On SQLite, the writes of all other tenants would wait for many of these at once.
#[tokio::test]
async fn a_tenant_has_one_range_sent_again_at_a_time() {
    let receiver = Receiver::start().await;
    let (harness, _) = Harness::with_receiver(&receiver).await;
    let session = harness.create().await.id;
    harness.record_expired(&session).await;
    let developer = harness.developer().await;
    let filter = DeliveryFilter {
        state: Some(DeliveryState::Pending),
        ..DeliveryFilter::default()
    };
    let range = || redeliver::send_range_again(&harness.honnin, &developer, &filter);
    let sessions = [session];
    let (first, second, third, fourth) = tokio::join!(
        range(),
        range(),
        redeliver::send_sessions_again(&harness.honnin, &developer, &sessions),
        unsent::send_all(&harness.honnin, &developer, None),
    );
    assert_eq!(first.unwrap().count, 1);
    for refused in [second, third, fourth] {
        assert!(matches!(refused, Err(RedeliverError::Busy)), "{refused:?}");
    }
    assert_eq!(range().await.unwrap().count, 1);
}

/// Otherwise, whoever asks for many at once has every connection of the node look at their deliveries.
#[tokio::test]
async fn of_searches_for_a_type_of_event_a_tenant_has_one_at_a_time() {
    let receiver = Receiver::start().await;
    let (harness, _) = Harness::with_receiver(&receiver).await;
    let session = harness.create().await.id;
    harness.pile(&session, 5_000).await;
    let developer = harness.developer().await;
    let of = |kind: &str| DeliveryFilter {
        kind: Some(Named::parse(kind)),
        ..DeliveryFilter::default()
    };
    let (none, all) = (of("webhook.test"), of("verification.expired"));
    let (long, short) = (
        pin!(delivery_log::list(&harness.honnin, &developer, &none, 1)),
        pin!(delivery_log::list(&harness.honnin, &developer, &all, 1)),
    );
    let first = select(long, short).await;
    assert!(matches!(first, Either::Left(_)), "the one that was asked for first");
}

#[tokio::test]
async fn a_new_receiver_is_not_blamed_for_what_the_old_one_failed() {
    let (old, new) = (Receiver::start().await, Receiver::start().await);
    old.reply(vec![Reply::Status(500); 3]);
    let (harness, _) = Harness::with_receiver(&old).await;
    let session = harness.create().await.id;
    let developer = harness.developer().await;
    let health = || redeliver::receiver_health(&harness.honnin, &developer);
    harness.record_expired(&session).await;
    harness.run_until_idle().await;
    let failing = health().await.unwrap();
    assert!(failing.failing_since.is_some());
    assert_eq!(failing.last_fault, Some(DeliveryFault::Status.into()));

    harness.clock.advance(Millis::seconds(1));
    let change = Change::Webhook {
        url: Some(new.url()),
        event_types: Vec::new(),
    };
    let staff = harness.staff(Role::Developer).await;
    settings::change(
        &harness.honnin,
        &staff,
        harness.tenant.version,
        &change,
        Confirmation::Given,
    )
    .await
    .unwrap();
    assert_eq!(health().await.unwrap().failing_since, None);
}

#[tokio::test]
async fn a_new_receiver_is_not_healthy_because_the_old_one_was() {
    let (old, new) = (Receiver::start().await, Receiver::start().await);
    let (harness, _) = Harness::with_receiver(&old).await;
    let developer = harness.developer().await;
    let health = || redeliver::receiver_health(&harness.honnin, &developer);
    harness.record_expired(&harness.create().await.id).await;
    harness.run_until_idle().await;
    assert!(health().await.unwrap().last_success_at.is_some());
    harness.clock.advance(Millis::seconds(1));
    harness.point_to(Role::Developer, new.url()).await;
    assert_eq!(health().await.unwrap().last_success_at, None);
}

#[tokio::test]
async fn a_retry_withholds_a_note_from_an_address_that_no_admin_chose_or_confirmed() {
    let (shops, attackers) = (Receiver::start().await, Receiver::start().await);
    let (harness, _) = Harness::with_receiver(&shops).await;
    let session = harness.create().await.id;
    let note = harness
        .seal_note(&harness.database.vault().await, &session, "Called her back.")
        .await;
    shops.reply([Reply::Status(500), Reply::Status(500)]);
    let noted = harness.record_reviewed(&session, Some(note)).await;
    let plain = harness.record_expired(&session).await;
    harness.run_until_idle().await;

    harness.clock.advance(Millis::seconds(1));
    harness.point_to(Role::Developer, attackers.url()).await;
    harness.clock.advance(Millis::minutes(1));
    harness.run_until_idle().await;
    assert_eq!(attackers.ids(), [plain.to_string()]);
    let held = harness.delivery(&noted).await.unwrap();
    assert_eq!((held.state, held.attempts), (DeliveryState::Pending, 2));

    harness.point_to(Role::Admin, attackers.url()).await;
    harness.clock.advance(Millis::minutes(10));
    harness.run_until_idle().await;
    assert_eq!(attackers.ids(), [plain.to_string(), noted.to_string()]);
}

#[tokio::test]
async fn an_address_that_an_admin_chose_gets_what_is_on_its_way() {
    let (before, after) = (Receiver::start().await, Receiver::start().await);
    let (harness, _) = Harness::with_receiver(&before).await;
    let session = harness.create().await.id;
    let note = harness
        .seal_note(&harness.database.vault().await, &session, "Called her back.")
        .await;
    before.reply([Reply::Status(500)]);
    let noted = harness.record_reviewed(&session, Some(note)).await;
    harness.run_until_idle().await;
    harness.clock.advance(Millis::seconds(1));
    harness.point_to(Role::Admin, after.url()).await;
    harness.clock.advance(Millis::minutes(1));
    harness.run_until_idle().await;
    assert_eq!(after.ids(), [noted.to_string()]);
}

#[tokio::test]
async fn an_old_note_goes_to_a_new_address_by_an_admins_hand_only() {
    let (shops, attackers) = (Receiver::start().await, Receiver::start().await);
    let (harness, _) = Harness::with_receiver(&shops).await;
    let session = harness.create().await.id;
    let vault = harness.database.vault().await;
    let note = harness.seal_note(&vault, &session, "Called her back.").await;
    let noted = harness.record_reviewed(&session, Some(note)).await;
    let plain = harness.record_expired(&session).await;
    harness.run_until_idle().await;
    let developer = harness.developer().await;
    redeliver::send_again(&harness.honnin, &developer, &noted)
        .await
        .unwrap();
    harness.run_until_idle().await;
    assert_eq!(
        shops.received().len(),
        3,
        "to the address it was written for anybody may"
    );

    harness.clock.advance(Millis::seconds(1));
    let change = Change::Webhook {
        url: Some(attackers.url()),
        event_types: Vec::new(),
    };
    settings::change(
        &harness.honnin,
        developer.staff(),
        harness.tenant.version,
        &change,
        Confirmation::Given,
    )
    .await
    .unwrap();
    let refused = redeliver::send_again(&harness.honnin, &developer, &noted).await;
    assert!(matches!(refused, Err(RedeliverError::NeedsAdmin)));
    let range = DeliveryFilter {
        state: Some(DeliveryState::Delivered),
        ..DeliveryFilter::default()
    };
    let sent = redeliver::send_range_again(&harness.honnin, &developer, &range)
        .await
        .unwrap();
    assert_eq!((sent.count, sent.left_out), (1, 1));
    harness.run_until_idle().await;
    assert_eq!(attackers.ids(), [plain.to_string()]);

    let admin = Developer::of(&harness.staff(Role::Admin).await).unwrap();
    redeliver::send_again(&harness.honnin, &admin, &noted).await.unwrap();
    harness.run_until_idle().await;
    assert_eq!(attackers.ids(), [plain.to_string(), noted.to_string()]);
}
