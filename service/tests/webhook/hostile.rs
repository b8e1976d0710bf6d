//! Receivers that are slow, wrong, hostile or gone: each attempt is a recorded failure in bounded time, and delivery succeeds
//! once the receiver is fixed.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use domain::{delivery::DeliveryFault, ids::EventId};
use store::webhook::deliveries::DeliveryState;
use testkit::{
    Harness,
    authority::acceptor,
    receiver::{HOST, Receiver, Reply},
    webhooks::settings_for,
};

#[tokio::test]
async fn whoever_keeps_us_waiting_is_hung_up_on() {
    let receiver = Receiver::start().await;
    let sender = service::webhook::sender::SenderConfig {
        exchange_timeout: std::time::Duration::from_millis(400),
        ..testkit::loopback_sender()
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
        assert_eq!(attempt.fault, Some(DeliveryFault::TimedOut.into()), "{reply:?}");
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
        assert_eq!(attempt.fault, Some(DeliveryFault::Tls.into()));
        assert_eq!(receiver.received().len(), 0, "not a byte of the event was sent");
    }
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
        .map(|one| one.fault.unwrap().to_string())
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

#[tokio::test]
async fn every_failure_has_its_class_and_is_tried_again_after_five_seconds() {
    let receiver = Receiver::start().await;
    let (harness, _) = Harness::with_receiver(&receiver).await;
    let session = harness.create().await.id;
    for (reply, fault, status) in [
        (Reply::Status(500), DeliveryFault::Status, Some(500)),
        (Reply::Status(404), DeliveryFault::Status, Some(404)),
        (Reply::Status(410), DeliveryFault::Status, Some(410)),
        (
            Reply::Header(302, "location", "https://10.0.0.1/".into()),
            DeliveryFault::Redirect,
            Some(302),
        ),
        (
            Reply::Header(307, "location", receiver.url()),
            DeliveryFault::Redirect,
            Some(307),
        ),
        (Reply::Status(304), DeliveryFault::Redirect, Some(304)),
        (Reply::EndlessBody(500), DeliveryFault::Status, Some(500)),
        (Reply::EndlessHeaders, DeliveryFault::BadAnswer, None),
        (Reply::Raw("SSH-2.0-OpenSSH_9.6\r\n"), DeliveryFault::BadAnswer, None),
        (Reply::Raw("HTTP/1.1 200"), DeliveryFault::Closed, None),
        (Reply::Close, DeliveryFault::Closed, None),
        (Reply::CloseBeforeTls, DeliveryFault::Tls, None),
        (Reply::NoTls, DeliveryFault::Tls, None),
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
            (attempt.fault, attempt.status),
            (Some(fault.into()), status),
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

async fn last_fault(harness: &Harness, event: &EventId) -> Option<String> {
    harness
        .attempts(event)
        .await
        .pop()
        .unwrap()
        .fault
        .map(|fault| fault.to_string())
}
