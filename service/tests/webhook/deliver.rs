//! Delivering events to a real TLS receiver on loopback: what arrives, what counts as a failure, when it is retried.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use domain::{
    delivery::DeliveryFault,
    ids::EventId,
    role::Role,
    session::Step,
    tenant::TenantSettings,
    time::{Millis, Timestamp},
};
use service::{
    access::Developer,
    privacy::after_restore::{erase_again, note_sent},
    session::create,
    webhook::{
        delivery_log::{self, NoBody},
        redeliver,
        schedule::WAITS,
        sender::SenderConfig,
        signing_secret,
    },
};
use store::{vault::MasterKeys, webhook::deliveries::DeliveryState};
use testkit::{
    Harness,
    databases::run_at,
    loopback_sender,
    receiver::{HOST, Received, Receiver, Reply},
    webhooks::settings_for,
};

/// The official library's verdict.
fn is_accepted(secret: &str, received: &Received) -> bool {
    let judge = standardwebhooks::Webhook::new(secret).unwrap();
    judge.verify(&received.body, &received.headers).is_ok()
}

async fn created_with(harness: &Harness, body: &str) -> domain::ids::SessionId {
    let caller = harness.caller().await;
    create::create_session(&harness.honnin, &caller, body.as_bytes())
        .await
        .unwrap()
        .id
}

#[tokio::test]
async fn an_expired_session_arrives_as_the_contract_says_and_the_official_library_accepts_it() {
    let receiver = Receiver::start().await;
    let (harness, secret) = Harness::with_receiver(&receiver).await;
    let session = created_with(&harness, r#"{"metadata": {"b": 1.50, "a": [ 2 ]}}"#).await;
    let event = harness.record_expired(&session).await;
    harness.run_until_idle().await;
    let [received] = receiver.received().try_into().unwrap();
    let now = harness.honnin.now();
    assert_eq!(received.line, "POST /hooks?from=honnin HTTP/1.1");
    assert_eq!(received.header("host"), format!("{HOST}:{}", receiver.port));
    assert_eq!(received.header("content-type"), "application/json");
    assert_eq!(received.header("webhook-id"), event.as_str());
    assert_eq!(received.header("webhook-timestamp"), now.as_seconds().to_string());
    assert!(is_accepted(&secret, &received));
    assert_eq!(
        String::from_utf8(received.body).unwrap(),
        format!(
            r#"{{"id":"{event}","type":"verification.expired","apiVersion":"2026-08-02","createdAt":"{now}","metadata":{{"b":1.50,"a":[2]}},"data":{{"session":{{"sessionId":"{session}","tenantId":"{}"}},"expiredAt":"{now}"}}}}"#,
            harness.tenant.id
        )
    );
    let delivery = harness.delivery(&event).await.unwrap();
    assert_eq!((delivery.state, delivery.attempts), (DeliveryState::Delivered, 1));
    let [attempt] = harness.attempts(&event).await.try_into().unwrap();
    assert_eq!(
        (attempt.status, attempt.fault, attempt.attempted_at),
        (Some(200), None, now)
    );
}

#[tokio::test]
async fn what_the_tenant_has_not_selected_is_recorded_and_not_sent() {
    let receiver = Receiver::start().await;
    let (mut harness, _) = Harness::with_receiver(&receiver).await;
    let session = harness.create().await.id;
    for settings in [
        TenantSettings {
            event_types: vec![],
            ..settings_for(&receiver)
        },
        TenantSettings {
            webhook_url: None,
            ..settings_for(&receiver)
        },
    ] {
        harness.save_settings(settings).await;
        let event = harness.record_expired(&session).await;
        harness.run_until_idle().await;
        assert_eq!(harness.delivery(&event).await, None);
    }
    assert_eq!(harness.events(&session).await.len(), 2);
    assert_eq!(receiver.connections(), 0);
}

#[tokio::test]
async fn any_2xx_is_a_delivery_whatever_else_the_answer_says() {
    let receiver = Receiver::start().await;
    let (harness, _) = Harness::with_receiver(&receiver).await;
    let session = harness.create().await.id;
    for reply in [
        Reply::Status(200),
        Reply::Status(204),
        Reply::Status(299),
        Reply::EndlessBody(200),
        Reply::Raw("HTTP/1.1 202 Accepted\r\ncontent-length: 999999999\r\n\r\n"),
        Reply::Raw("HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\n\r\n"),
        Reply::Header(201, "location", "https://10.0.0.1/".into()),
    ] {
        receiver.reply([reply.clone()]);
        let event = harness.record_expired(&session).await;
        harness.run_until_idle().await;
        assert_eq!(
            harness.delivery(&event).await.unwrap().state,
            DeliveryState::Delivered,
            "{reply:?}"
        );
    }
}

#[tokio::test]
async fn a_dead_receiver_is_tried_ten_times_with_one_id_and_new_signatures_then_the_event_waits_for_a_person() {
    let receiver = Receiver::start().await;
    let (harness, _) = Harness::with_receiver(&receiver).await;
    let event = harness.record_expired(&harness.create().await.id).await;
    receiver.reply(vec![Reply::Status(500); WAITS.len()]);
    let started = harness.honnin.now();
    harness.run_until_idle().await;
    while let Some(next) = harness.delivery(&event).await.unwrap().next_attempt_at {
        assert_eq!(
            harness.run_at(Timestamp::from_millis(next.as_millis() - 1)).await,
            0,
            "not a moment early"
        );
        assert_eq!(harness.run_at(next).await, 1);
    }
    let delivery = harness.delivery(&event).await.unwrap();
    assert_eq!((delivery.state, delivery.attempts), (DeliveryState::Abandoned, 10));
    let hours = (harness.honnin.now().as_millis() - started.as_millis()) / Millis::hours(1).0;
    assert!((71..=80).contains(&hours), "{hours}");
    assert!(
        harness
            .open_jobs()
            .await
            .iter()
            .all(|job| job.subject != event.as_str())
    );
    let received = receiver.received();
    assert!(received.iter().all(|one| one.header("webhook-id") == event.as_str()));
    let mut times: Vec<_> = received.iter().map(|one| one.header("webhook-timestamp")).collect();
    times.dedup();
    assert_eq!(times.len(), 10);

    redeliver::send_again(&harness.honnin, &harness.developer().await, &event)
        .await
        .unwrap();
    harness.run_until_idle().await;
    let delivery = harness.delivery(&event).await.unwrap();
    assert_eq!((delivery.state, delivery.attempts), (DeliveryState::Delivered, 11));
    assert_eq!(receiver.received().last().unwrap().header("webhook-id"), event.as_str());
}

#[tokio::test]
async fn a_receiver_may_ask_for_up_to_twice_the_wait() {
    let receiver = Receiver::start().await;
    let (harness, _) = Harness::with_receiver(&receiver).await;
    let session = harness.create().await.id;
    for (status, wish, expected) in [(503, "7", 7_000), (429, "3600", 10_000), (503, "0", 5_000)] {
        receiver.reply([Reply::Header(status, "retry-after", wish.into())]);
        let event = harness.record_expired(&session).await;
        harness.run_until_idle().await;
        let next = harness.delivery(&event).await.unwrap().next_attempt_at.unwrap();
        assert_eq!(next.as_millis() - harness.honnin.now().as_millis(), expected, "{wish}");
    }
}

#[tokio::test]
async fn during_a_rotation_both_secrets_verify_and_afterwards_only_the_new_one() {
    let receiver = Receiver::start().await;
    let (harness, old) = Harness::with_receiver(&receiver).await;
    let session = harness.create().await.id;
    let developer = harness.developer().await;
    harness.clock.advance(Millis::seconds(1));
    let new = harness.issue_secret().await;
    let refused = signing_secret::issue(&harness.honnin, &developer, signing_secret::draft(&harness.honnin))
        .await
        .unwrap_err();
    assert!(matches!(refused, signing_secret::IssueSecretError::TwoValid));
    harness.record_expired(&session).await;
    harness.run_until_idle().await;
    let received = receiver.received().pop().unwrap();
    assert_eq!(received.header("webhook-signature").split(' ').count(), 2);
    assert!(is_accepted(&old, &received) && is_accepted(&new, &received));

    let listed = signing_secret::list(&harness.honnin, &developer).await.unwrap();
    signing_secret::disable(&harness.honnin, &developer, &listed[1].id)
        .await
        .unwrap();
    harness.record_expired(&session).await;
    harness.run_until_idle().await;
    let received = receiver.received().pop().unwrap();
    assert_eq!(received.header("webhook-signature").split(' ').count(), 1);
    assert!(!is_accepted(&old, &received) && is_accepted(&new, &received));
    let refused = signing_secret::disable(&harness.honnin, &developer, &listed[0].id)
        .await
        .unwrap_err();
    assert!(matches!(refused, signing_secret::DisableSecretError::OnlyOne));
}

#[tokio::test]
async fn an_event_in_flight_when_the_process_dies_is_sent_again_with_the_same_id() {
    let receiver = Receiver::start().await;
    let (mut harness, _) = Harness::with_receiver(&receiver).await;
    let event = harness.record_expired(&harness.create().await.id).await;
    receiver.reply([Reply::Silence]);
    tokio::select! {
        _ = harness.run_until_idle() => panic!("the receiver keeps silent"),
        () = receiver.wait_for(1) => {}
    }
    harness.restart().await;
    assert_eq!(
        harness.run_until_idle().await,
        0,
        "the lease of the dead process still runs"
    );
    harness.wait(Millis::seconds(20)).await;
    let ids: Vec<_> = receiver
        .received()
        .iter()
        .map(|one| one.header("webhook-id").to_owned())
        .collect();
    assert_eq!(ids, [event.as_str(), event.as_str()]);
    let delivery = harness.delivery(&event).await.unwrap();
    assert_eq!((delivery.state, delivery.attempts), (DeliveryState::Delivered, 1));
}

#[tokio::test]
async fn an_event_in_flight_when_the_process_dies_is_sent_again_without_metadata_if_its_session_is_erased_meanwhile() {
    let receiver = Receiver::start().await;
    let (mut harness, _) = Harness::with_receiver(&receiver).await;
    let session = created_with(&harness, r#"{"metadata": {"order": 7}}"#).await;
    harness.record_expired(&session).await;
    receiver.reply([Reply::Silence]);
    tokio::select! {
        _ = harness.run_until_idle() => panic!("the receiver keeps silent"),
        () = receiver.wait_for(1) => {}
    }
    harness.restart().await;
    harness.mark_erased(&session).await;
    harness.wait(Millis::seconds(20)).await;
    let [first, again] = receiver.received().try_into().unwrap();
    assert_eq!(first.json()["metadata"]["order"], 7);
    assert_eq!(again.json()["metadata"], serde_json::Value::Null);
    assert_eq!(first.header("webhook-id"), again.header("webhook-id"));
}

/// Fails every attempt of the schedule of an event, none of which sends anything.
async fn abandon_unsent(harness: &Harness, event: &EventId) {
    harness.names.say(HOST, &[]);
    harness.run_until_idle().await;
    while let Some(next) = harness.delivery(event).await.unwrap().next_attempt_at {
        harness.run_at(next).await;
    }
    harness.names.say(HOST, &[&["127.0.0.1".parse().unwrap()]]);
}

/// Begins an attempt, which arrives, and kills the process before it has an answer.
async fn send_and_die(harness: &mut Harness, receiver: &Receiver) {
    let before = receiver.received().len();
    receiver.reply([Reply::Silence]);
    tokio::select! {
        _ = harness.run_until_idle() => panic!("the receiver keeps silent"),
        () = receiver.wait_for(before + 1) => {}
    }
    harness.restart().await;
}

#[tokio::test]
async fn an_event_resent_by_hand_that_is_in_flight_when_the_process_dies_has_no_metadata_once_its_session_is_erased() {
    let receiver = Receiver::start().await;
    let (mut harness, _) = Harness::with_receiver(&receiver).await;
    let session = created_with(&harness, r#"{"metadata": {"order": 7}}"#).await;
    let event = harness.record_expired(&session).await;
    abandon_unsent(&harness, &event).await;
    let developer = harness.developer().await;
    redeliver::send_again(&harness.honnin, &developer, &event)
        .await
        .unwrap();
    send_and_die(&mut harness, &receiver).await;
    harness.mark_erased(&session).await;
    harness.wait(Millis::seconds(20)).await;
    let [first, again] = receiver.received().try_into().unwrap();
    assert_eq!(first.json()["metadata"]["order"], 7);
    assert_eq!(again.json()["metadata"], serde_json::Value::Null);
}

#[tokio::test]
async fn an_event_that_a_dead_process_has_sent_is_resent_without_metadata_though_all_noted_attempts_sent_nothing() {
    let receiver = Receiver::start().await;
    let (mut harness, _) = Harness::with_receiver(&receiver).await;
    let session = created_with(&harness, r#"{"metadata": {"order": 7}}"#).await;
    let event = harness.record_expired(&session).await;
    send_and_die(&mut harness, &receiver).await;
    harness.clock.advance(Millis::seconds(20));
    abandon_unsent(&harness, &event).await;
    harness.mark_erased(&session).await;
    let developer = harness.developer().await;
    redeliver::send_again(&harness.honnin, &developer, &event)
        .await
        .unwrap();
    harness.run_until_idle().await;
    let [first, again] = receiver.received().try_into().unwrap();
    assert_eq!(first.json()["metadata"]["order"], 7);
    assert_eq!(again.json()["metadata"], serde_json::Value::Null);
}

#[tokio::test]
async fn a_receiver_that_cannot_be_reached_by_ipv6_is_reached_by_ipv4() {
    let receiver = Receiver::start().await;
    let sender = SenderConfig {
        allow_networks: ["127.0.0.0/8", "2001:db8::/32"]
            .map(|network| network.parse().unwrap())
            .to_vec(),
        ..loopback_sender()
    };
    let harness = Harness::with_sender(settings_for(&receiver), sender).await;
    harness.issue_secret().await;
    // Nobody has addresses of 2001:db8::/32, which is for documentation.
    let addresses = ["2001:db8::1", "2001:db8::2", "2001:db8::3", "127.0.0.1"].map(|address| address.parse().unwrap());
    harness.names.say(HOST, &[&addresses]);
    let event = harness.record_expired(&harness.create().await.id).await;
    harness.run_until_idle().await;
    assert_eq!(receiver.ids(), [event.to_string()]);
}

#[tokio::test]
async fn after_an_erasure_neither_metadata_nor_the_note_is_sent() {
    let receiver = Receiver::start().await;
    let (harness, _) = Harness::with_receiver(&receiver).await;
    let session = created_with(&harness, r#"{"metadata": {"order": 7}}"#).await;
    let vault = harness.database.vault().await;
    let note = harness.seal_note(&vault, &session, "Called back.").await;
    let event = harness.record_reviewed(&session, Some(note)).await;
    let developer = harness.developer().await;
    let mut bodies = Vec::new();
    for erased in [false, true] {
        if erased {
            harness.mark_erased(&session).await;
            redeliver::send_again(&harness.honnin, &developer, &event)
                .await
                .unwrap();
        }
        harness.run_until_idle().await;
        bodies.push(receiver.received().pop().unwrap().json());
    }
    assert_eq!(bodies[0]["metadata"]["order"], 7);
    assert_eq!(bodies[0]["data"]["review"]["note"], "Called back.");
    assert_eq!(bodies[1]["metadata"], serde_json::Value::Null);
    assert_eq!(bodies[1]["data"]["review"]["note"], serde_json::Value::Null);
    assert_eq!(bodies[1]["data"]["verdict"], "approved", "the decision remains");
    assert_eq!(bodies[0]["id"], bodies[1]["id"]);
}

#[tokio::test]
async fn an_event_that_an_erasure_overtakes_has_its_metadata_the_first_time_it_is_sent() {
    let receiver = Receiver::start().await;
    receiver.reply([Reply::Status(503)]);
    let (harness, _) = Harness::with_receiver(&receiver).await;
    let session = created_with(&harness, r#"{"metadata": {"order": 7}}"#).await;
    let vault = harness.database.vault().await;
    let note = harness.seal_note(&vault, &session, "Called back.").await;
    let event = harness.record_reviewed(&session, Some(note)).await;
    harness.mark_erased(&session).await;
    // The first attempt finds no receiver, and sends nothing.
    harness.names.say(HOST, &[]);
    harness.run_until_idle().await;
    harness.names.say(HOST, &[&["127.0.0.1".parse().unwrap()]]);
    for _ in 0..2 {
        let next = harness.delivery(&event).await.unwrap().next_attempt_at.unwrap();
        harness.run_at(next).await;
    }
    let [first, second] = receiver.received().try_into().unwrap();
    assert_eq!(first.json()["metadata"]["order"], 7);
    assert_eq!(first.json()["data"]["review"]["note"], serde_json::Value::Null);
    assert_eq!(second.json()["metadata"], serde_json::Value::Null);
}

/// The last webhook is of this event, and has metadata unless its session is erased.
fn assert_last_sent(receiver: &Receiver, event: &EventId, erased: bool) {
    let last = receiver.received().pop().unwrap().json();
    assert_eq!(last["id"], event.as_str());
    assert_eq!(last["metadata"].is_null(), erased, "{last}");
}

#[tokio::test]
async fn an_event_that_a_copy_believes_unsent_has_no_metadata_if_its_session_was_erased_after_the_copy() {
    let receiver = Receiver::start().await;
    let (harness, _) = Harness::with_receiver(&receiver).await;
    let session = created_with(&harness, r#"{"metadata": {"order": 7}}"#).await;
    // The installation that is lost has sent it and erased the session; the copy has it pending, and newer keys.
    let event = harness.record_expired(&session).await;
    assert_ne!(run_at(&harness.database.keys_url, "DELETE FROM data_keys").await, 0);
    assert_eq!(erase_again(&harness.honnin).await.unwrap(), 1);
    harness.run_until_idle().await;
    assert!(harness.detail(&session).await.session.purged_at.is_some());
    let bodies: Vec<_> = receiver.received().iter().map(Received::json).collect();
    let again = bodies.iter().find(|body| body["id"] == event.as_str()).unwrap();
    assert!(again["metadata"].is_null(), "{again}");
}

#[tokio::test]
async fn an_event_that_a_copy_believes_unsent_has_no_metadata_if_its_session_is_erased_before_it_is_sent_again() {
    let receiver = Receiver::start().await;
    let (harness, _) = Harness::with_receiver(&receiver).await;
    for erased in [false, true] {
        let session = created_with(&harness, r#"{"metadata": {"order": 7}}"#).await;
        let event = harness.record_expired(&session).await;
        note_sent(&harness.honnin).await.unwrap();
        if erased {
            harness.mark_erased(&session).await;
        }
        harness.run_until_idle().await;
        assert_last_sent(&receiver, &event, erased);
    }
}

#[tokio::test]
async fn an_event_that_had_no_receiver_in_a_copy_has_no_metadata_if_its_session_is_erased_before_it_is_sent() {
    let receiver = Receiver::start().await;
    for erased in [false, true] {
        let (mut harness, _) = Harness::with_receiver(&receiver).await;
        let session = created_with(&harness, r#"{"metadata": {"order": 7}}"#).await;
        let without_receiver = TenantSettings {
            webhook_url: None,
            ..settings_for(&receiver)
        };
        harness.save_settings(without_receiver).await;
        let event = harness.record_expired(&session).await;
        // The installation that is lost may have got a receiver after the copy.
        note_sent(&harness.honnin).await.unwrap();
        harness.save_settings(settings_for(&receiver)).await;
        if erased {
            harness.mark_erased(&session).await;
        }
        let developer = harness.developer().await;
        redeliver::send_again(&harness.honnin, &developer, &event)
            .await
            .unwrap();
        harness.run_until_idle().await;
        assert_last_sent(&receiver, &event, erased);
    }
}

/// On PostgreSQL, the failure of its session may get a new time meanwhile, which locks the delivery before the event.
#[tokio::test]
async fn an_attempt_after_a_run_that_left_no_trace_is_stored_with_its_delivery_before_its_event() {
    let Some(mut harness) = Harness::on_postgres(Step::ALL).await else {
        return;
    };
    let settings = TenantSettings {
        steps: Step::ALL.to_vec(),
        webhook_url: Some("https://shop.example/hook".to_owned()),
        ..TenantSettings::default()
    };
    harness.save_settings(settings).await;
    let event = harness.record_expired(&harness.create().await.id).await;
    harness
        .database
        .run("UPDATE jobs SET attempt = attempt + 1 WHERE kind = 'deliver'")
        .await;
    let lock = format!("SELECT 1 FROM deliveries WHERE event_id = '{event}' FOR NO KEY UPDATE");
    let note = format!("UPDATE events SET removed_delivery = removed_delivery WHERE id = '{event}'");
    harness
        .database
        .beside_both(&lock, &note, harness.run_until_idle())
        .await;
    assert_eq!(harness.delivery(&event).await.unwrap().attempts, 1);
    let noted = "SELECT COUNT(*) FROM events WHERE removed_delivery = 'sent'";
    assert_eq!(harness.database.number(noted).await, 1);
}

#[tokio::test]
async fn an_event_whose_secret_needs_a_lost_master_key_waits_for_half_a_day_fails_by_the_schedule_and_can_be_resent() {
    let receiver = Receiver::start().await;
    let (mut harness, _) = Harness::with_receiver(&receiver).await;
    let event = harness.record_expired(&harness.create().await.id).await;
    let file = harness.folder().join("master.key");
    let whole = std::fs::read(&file).unwrap();
    std::fs::write(&file, MasterKeys::generate(2).unwrap().as_str()).unwrap();
    harness.restart().await;
    for _ in 0..70 {
        harness.wait(Millis::minutes(10)).await;
    }
    let delivery = harness.delivery(&event).await.unwrap();
    assert_eq!((delivery.state, delivery.attempts), (DeliveryState::Pending, 0));
    for _ in 0..10 {
        harness.wait(Millis::minutes(10)).await;
    }
    // Each attempt is made when it is due: the key is not waited for again.
    for _ in 0..10 {
        if let Some(next) = harness.delivery(&event).await.unwrap().next_attempt_at {
            harness.run_at(next).await;
        }
    }
    let delivery = harness.delivery(&event).await.unwrap();
    assert_eq!((delivery.state, delivery.attempts), (DeliveryState::Abandoned, 10));
    let attempts = harness.attempts(&event).await;
    assert!(
        attempts
            .iter()
            .all(|attempt| attempt.fault == Some(DeliveryFault::CannotRender.into()))
    );
    std::fs::write(&file, &whole).unwrap();
    harness.restart().await;
    let developer = harness.developer().await;
    redeliver::send_again(&harness.honnin, &developer, &event)
        .await
        .unwrap();
    harness.run_until_idle().await;
    assert_eq!(receiver.ids(), [event.to_string()]);
}

#[tokio::test]
async fn an_event_that_cannot_be_rendered_fails_by_the_schedule_and_is_abandoned() {
    let receiver = Receiver::start().await;
    let (harness, _) = Harness::with_receiver(&receiver).await;
    let session = created_with(&harness, "{}").await;
    let event = harness
        .record_reviewed(&session, Some(b"no note of ours".to_vec()))
        .await;
    harness.run_until_idle().await;
    let [first] = harness.attempts(&event).await.try_into().unwrap();
    assert_eq!(
        (first.status, first.fault),
        (None, Some(DeliveryFault::CannotRender.into()))
    );
    while let Some(next) = harness.delivery(&event).await.unwrap().next_attempt_at {
        harness.run_at(next).await;
    }
    let delivery = harness.delivery(&event).await.unwrap();
    assert_eq!((delivery.state, delivery.attempts), (DeliveryState::Abandoned, 10));
    assert!(receiver.received().is_empty());
    // The page that shows the attempts also shows why there is no request.
    let admin = Developer::of(&harness.staff(Role::Admin).await).unwrap();
    let shown = delivery_log::find_request(&harness.honnin, &admin, &event, harness.honnin.now());
    assert_eq!(shown.await.unwrap().unwrap().body, Err(NoBody::Unreadable));
}
