//! Delivering events to a real TLS receiver on loopback: what arrives, what counts as a failure, when it is tried again.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod support;

use domain::{
    ids::EventId,
    time::{Millis, Timestamp},
};
use service::{create_session, delivery_schedule::WAITS, redeliver, sender::fault::Fault, webhook_secret};
use store::{
    DbOptions,
    deliveries::DeliveryState,
    sessions::{self, column},
    vault::{MasterKeys, Vault},
};
use support::{
    Harness,
    authority::acceptor,
    receiver::{HOST, Received, Receiver, Reply},
    webhooks::settings_for,
};

/// The official library's judgement.
fn is_accepted(secret: &str, received: &Received) -> bool {
    let judge = standardwebhooks::Webhook::new(secret).unwrap();
    judge.verify(&received.body, &received.headers).is_ok()
}

async fn created_with(harness: &Harness, body: &str) -> domain::ids::SessionId {
    let caller = harness.caller().await;
    create_session::create_session(&harness.honnin, &caller, body.as_bytes())
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
        domain::tenant::TenantSettings {
            event_types: vec![],
            ..settings_for(&receiver)
        },
        domain::tenant::TenantSettings {
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
async fn every_failure_has_its_class_and_is_tried_again_after_five_seconds() {
    let receiver = Receiver::start().await;
    let (harness, _) = Harness::with_receiver(&receiver).await;
    let session = harness.create().await.id;
    for (reply, fault, status) in [
        (Reply::Status(500), Fault::Status, Some(500)),
        (Reply::Status(404), Fault::Status, Some(404)),
        (Reply::Status(410), Fault::Status, Some(410)),
        (
            Reply::Header(302, "location", "https://10.0.0.1/".into()),
            Fault::Redirect,
            Some(302),
        ),
        (
            Reply::Header(307, "location", receiver.url()),
            Fault::Redirect,
            Some(307),
        ),
        (Reply::Status(304), Fault::Redirect, Some(304)),
        (Reply::EndlessBody(500), Fault::Status, Some(500)),
        (Reply::EndlessHeaders, Fault::BadAnswer, None),
        (Reply::Raw("SSH-2.0-OpenSSH_9.6\r\n"), Fault::BadAnswer, None),
        (Reply::Raw("HTTP/1.1 200"), Fault::Closed, None),
        (Reply::Close, Fault::Closed, None),
        (Reply::CloseBeforeTls, Fault::Tls, None),
        (Reply::NoTls, Fault::Tls, None),
    ] {
        receiver.reply([reply.clone()]);
        let event = harness.record_expired(&session).await;
        let before = receiver.connections();
        harness.run_until_idle().await;
        assert_eq!(
            receiver.connections(),
            before + 1,
            "one connection for one attempt: {reply:?}"
        );
        let [attempt] = harness.attempts(&event).await.try_into().unwrap();
        assert_eq!(
            (attempt.fault.as_deref(), attempt.status),
            (Some(fault.as_str()), status),
            "{reply:?}"
        );
        let next = harness.delivery(&event).await.unwrap().next_attempt_at.unwrap();
        let wait = next.as_millis() - harness.honnin.now().as_millis();
        assert!((4_000..=6_000).contains(&wait), "{reply:?}: {wait}");
        harness.run_at(next).await;
        assert_eq!(
            harness.delivery(&event).await.unwrap().state,
            DeliveryState::Delivered,
            "{reply:?}"
        );
    }
}

#[tokio::test]
async fn whoever_keeps_us_waiting_is_hung_up_on() {
    let receiver = Receiver::start().await;
    let sender = service::sender::SenderConfig {
        exchange_timeout: std::time::Duration::from_millis(400),
        ..support::loopback_sender()
    };
    let harness = Harness::with_sender(settings_for(&receiver), sender).await;
    harness.issue_secret().await;
    let session = harness.create().await.id;
    for reply in [
        Reply::Silence,
        Reply::OneByte,
        Reply::EndlessInterim,
        Reply::SilenceBeforeTls,
    ] {
        receiver.reply([reply.clone()]);
        let event = harness.record_expired(&session).await;
        harness.run_until_idle().await;
        let [attempt] = harness.attempts(&event).await.try_into().unwrap();
        assert_eq!(attempt.fault.as_deref(), Some(Fault::TimedOut.as_str()), "{reply:?}");
        assert!(
            (400..5_000).contains(&attempt.duration_ms),
            "{reply:?}: {}",
            attempt.duration_ms
        );
    }
}

#[tokio::test]
async fn certificates_of_another_name_or_authority_are_refused() {
    for tls in [acceptor(&["elsewhere.example"], true), acceptor(&[HOST], false)] {
        let receiver = Receiver::with(tls).await;
        let (harness, _) = Harness::with_receiver(&receiver).await;
        let event = harness.record_expired(&harness.create().await.id).await;
        harness.run_until_idle().await;
        let [attempt] = harness.attempts(&event).await.try_into().unwrap();
        assert_eq!(attempt.fault.as_deref(), Some(Fault::Tls.as_str()));
        assert_eq!(receiver.received().len(), 0, "not a byte of the event was sent");
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
    let refused = webhook_secret::issue(&harness.honnin, &developer).await.unwrap_err();
    assert!(matches!(refused, webhook_secret::SecretError::TwoValid));
    harness.record_expired(&session).await;
    harness.run_until_idle().await;
    let received = receiver.received().pop().unwrap();
    assert_eq!(received.header("webhook-signature").split(' ').count(), 2);
    assert!(is_accepted(&old, &received) && is_accepted(&new, &received));

    let listed = webhook_secret::list(&harness.honnin, &developer).await.unwrap();
    webhook_secret::disable(&harness.honnin, &developer, &listed[1].id)
        .await
        .unwrap();
    harness.record_expired(&session).await;
    harness.run_until_idle().await;
    let received = receiver.received().pop().unwrap();
    assert_eq!(received.header("webhook-signature").split(' ').count(), 1);
    assert!(!is_accepted(&old, &received) && is_accepted(&new, &received));
    let refused = webhook_secret::disable(&harness.honnin, &developer, &listed[0].id)
        .await
        .unwrap_err();
    assert!(matches!(refused, webhook_secret::SecretError::OnlyOne));
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
    harness.wait(Millis::seconds(60)).await;
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
async fn after_an_erasure_neither_metadata_nor_the_note_is_sent() {
    let receiver = Receiver::start().await;
    let (harness, _) = Harness::with_receiver(&receiver).await;
    let session = created_with(&harness, r#"{"metadata": {"order": 7}}"#).await;
    let event = harness
        .record_reviewed(&session, Some(sealed_note(&harness, &session).await))
        .await;
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

/// A note sealed as the review seals it.
async fn sealed_note(harness: &Harness, session: &domain::ids::SessionId) -> Vec<u8> {
    let id = session.clone();
    let row = harness
        .read(move |tx| {
            let id = id.clone();
            Box::pin(async move { sessions::find_any(tx, &id).await })
        })
        .await
        .unwrap();
    let master = MasterKeys::load_or_create(&harness.folder.path().join("master.key")).unwrap();
    let url = format!("sqlite://{}", harness.folder.path().join("keys.db").display());
    let vault = Vault::open_at(&url, DbOptions::default(), master).await.unwrap();
    let key = vault.open(&row.data_key).await.unwrap();
    key.seal_text(
        &row.place(column::NOTE),
        &domain::secret::Personal::new("Called back.".into()),
    )
    .unwrap()
}

#[tokio::test]
async fn a_receiver_that_is_gone_or_unsigned_is_a_failed_attempt_and_mending_it_delivers() {
    let receiver = Receiver::start().await;
    let mut harness = Harness::with(settings_for(&receiver)).await;
    let session = harness.create().await.id;
    let event = harness.record_expired(&session).await;
    harness.run_until_idle().await;
    assert_eq!(last_fault(&harness, &event).await, Some("no_secret".into()));
    harness.issue_secret().await;
    let fixed = settings_for(&receiver);
    for (url, fault) in [
        (None, "no_receiver"),
        (Some("http://hooks.example/".to_owned()), "url_refused"),
        (Some("https://192.168.0.1/".to_owned()), "url_refused"),
    ] {
        harness
            .save_settings(domain::tenant::TenantSettings {
                webhook_url: url,
                ..fixed.clone()
            })
            .await;
        let next = harness.delivery(&event).await.unwrap().next_attempt_at.unwrap();
        harness.run_at(next).await;
        assert_eq!(last_fault(&harness, &event).await, Some(fault.to_owned()));
    }
    assert_eq!(receiver.connections(), 0);
    harness.save_settings(fixed).await;
    let next = harness.delivery(&event).await.unwrap().next_attempt_at.unwrap();
    harness.run_at(next).await;
    assert_eq!(harness.delivery(&event).await.unwrap().state, DeliveryState::Delivered);
}

async fn last_fault(harness: &Harness, event: &EventId) -> Option<String> {
    harness.attempts(event).await.pop().unwrap().fault
}

#[tokio::test]
async fn a_name_that_changes_its_mind_after_registration_gains_nothing() {
    let receiver = Receiver::start().await;
    let (harness, _) = Harness::with_receiver(&receiver).await;
    let event = harness.record_expired(&harness.create().await.id).await;
    let private = "10.0.0.1".parse().unwrap();
    let loopback = "127.0.0.1".parse().unwrap();
    harness
        .names
        .say(HOST, &[&[private], &[loopback, private], &[], &[loopback]]);
    harness.run_until_idle().await;
    for _ in 0..2 {
        let next = harness.delivery(&event).await.unwrap().next_attempt_at.unwrap();
        harness.run_at(next).await;
    }
    let faults: Vec<_> = harness
        .attempts(&event)
        .await
        .into_iter()
        .map(|one| one.fault.unwrap())
        .collect();
    assert_eq!(
        faults,
        ["address_refused", "address_refused", "dns_failed"],
        "one bad address spoils the name"
    );
    assert_eq!(receiver.connections(), 0);
    let next = harness.delivery(&event).await.unwrap().next_attempt_at.unwrap();
    harness.run_at(next).await;
    assert_eq!(receiver.received().len(), 1);
}
