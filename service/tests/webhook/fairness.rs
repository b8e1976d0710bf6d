//! One receiver's problems do not affect others: slow, dead and hostile receivers beside a healthy one.

use domain::{
    delivery::DeliveryFault,
    ids::{EventId, TenantId},
    secret::Secret,
    tenant::TenantSettings,
    time::{Millis, Timestamp},
};
use futures::future::join_all;
use service::{
    jobs::worker::{Lane, Worker},
    people::sign_in::{SignInError, sign_in},
    webhook::sender::{
        SenderConfig, WebhookSender, fault::Answer, receiver_url::UrlFault, resolve::SystemResolver,
        signature::SignedRequest,
    },
};
use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
        mpsc,
    },
    time::Duration,
};
use store::{jobs, settings::tenants::TenantRow, webhook::deliveries::DeliveryState};
use testkit::{
    Harness, add_tenant, client_at, localhost, loopback_sender,
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

/// Such a name server blocks a thread with each look-up, which nobody can end.
#[tokio::test]
async fn silent_name_servers_of_some_tenants_hold_up_neither_the_names_of_others_nor_passwords() {
    let harness = Harness::new().await;
    let (answer, silence) = mpsc::channel::<()>();
    let (silence, begun) = (Mutex::new(silence), Arc::new(AtomicUsize::new(0)));
    let counted = Arc::clone(&begun);
    let resolver = SystemResolver::over(move |name| {
        if name.ends_with(".silent.example") {
            counted.fetch_add(1, Ordering::SeqCst);
            // Until the test has ended.
            let _ended = silence.lock().unwrap().recv();
        }
        Ok(vec![localhost()])
    });
    let resolver = Arc::new(resolver);
    let waiting = |connect_timeout| {
        let config = SenderConfig {
            connect_timeout,
            ..loopback_sender()
        };
        WebhookSender::with_resolver(config, resolver.clone()).unwrap()
    };
    // One that gives up soon, for what is never answered, and one that waits as long as a busy machine takes.
    let [sender, patient] = [Duration::from_millis(500), Duration::from_secs(60)].map(waiting);
    let register = async |sender: &WebhookSender, tenant: &TenantId, name: &str| {
        let found = sender.check_receiver_url(tenant, &format!("https://{name}/")).await;
        found.map(drop)
    };
    let at = Timestamp::from_millis(0);
    let request = SignedRequest::new(EventId::from_random([1; 16]), at, b"{}".to_vec(), &[]);
    let send = async |sender: &WebhookSender, name: &str| {
        let url = sender.parse_receiver(&format!("https://{name}:8443/")).unwrap();
        sender.send(&url, &request, at).await
    };

    // As many as tokio has threads for all of it.
    let (one, other) = (TenantId::from_random([1; 16]), TenantId::from_random([2; 16]));
    let names: Vec<String> = (0..512).map(|number| format!("n{number}.silent.example")).collect();
    let refused = join_all(names.iter().map(|name| register(&sender, &one, name))).await;
    assert!(refused.iter().all(|refused| *refused == Err(UrlFault::NotPublic)));
    let registering = begun.load(Ordering::SeqCst);
    assert!(registering <= 2, "{registering}");
    let refused = join_all((0..512).map(|_| send(&sender, "hooks.silent.example"))).await;
    let unresolved = Answer::failed(DeliveryFault::Unresolved);
    assert!(refused.iter().all(|refused| *refused == unresolved));
    let sending = begun.load(Ordering::SeqCst) - registering;
    assert!(sending <= 8, "{sending}");
    assert_eq!(register(&patient, &other, "shop.example").await, Ok(()));
    assert_ne!(send(&patient, "shop.example").await, unresolved);

    let tenants: Vec<_> = (0..512_u128)
        .map(|number| TenantId::from_random(number.to_be_bytes()))
        .collect();
    let all = tenants.iter().zip(&names);
    let refused = join_all(all.map(|(tenant, name)| register(&sender, tenant, name))).await;
    assert!(refused.iter().all(|refused| *refused == Err(UrlFault::NotPublic)));
    let begun = begun.load(Ordering::SeqCst);
    assert!(begun <= 64, "{begun}");
    let password = Secret::new("correct horse battery".to_owned());
    let client = client_at(localhost());
    let stranger = sign_in(&harness.honnin, "nobody@shop.example", password, &client).await;
    assert!(matches!(stranger, Err(SignInError::Wrong)), "{stranger:?}");
    drop(answer);
}
