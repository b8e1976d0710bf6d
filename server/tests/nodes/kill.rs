//! `kill -9` at random moments, while deadlines pass and their events are being sent to a receiver that records everything.
//!
//! Planted faults that this test detects: recording the event after the unit that ends the session instead of within it;
//! finishing the job before the request is sent; an id drawn at each attempt.

use super::node::{Installation, add_tenant, settings};
use domain::{
    ids::SessionId,
    scope::Scope,
    time::{Clock as _, Millis},
};
use rand::RngExt as _;
use server::state::App;
use service::{
    access::{Tenant, tenant_by_key},
    jobs::worker::{Lane, Worker},
    runtime::clock::SystemClock,
    session::create::create_session,
};
use std::{
    collections::{BTreeMap, BTreeSet},
    net::IpAddr,
    time::Duration,
};
use store::{
    StoreError,
    webhook::{
        deliveries::{self, DeliveryRow, DeliveryState},
        delivery_attempts, events,
    },
};
use testkit::{
    authority::acceptor,
    long_runs::count,
    receiver::{Receiver, Reply},
};
use tokio::time::timeout;

/// Sessions whose deadline passes in each run of the process.
const EVENTS_A_LIFE: usize = 6;
/// Longest run after the process has begun to work.
const LONGEST_LIFE: Duration = Duration::from_millis(120);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn however_often_the_process_is_killed_each_event_arrives_and_none_has_two_ids() {
    let kills = usize::try_from(count("HONNIN_KILLS", 40)).unwrap();
    let receiver = Receiver::at("127.0.0.1:0", acceptor(&["127.0.0.1"], true)).await;
    let installation = Installation::new();
    // An hour late: the deadline of any session it creates is now.
    let late = installation.open(Millis(-Millis::hours(1).0)).await;
    let url = format!("https://127.0.0.1:{}/hooks", receiver.port);
    let mut tenants = Vec::new();
    for _ in 0..3 {
        let made = add_tenant(&late, settings(Some(url.clone()))).await;
        let key = made.key.expose().clone();
        tenants.push(
            tenant_by_key(&late.honnin, &key, IpAddr::from([127, 0, 0, 1]), Scope::Create)
                .await
                .unwrap(),
        );
    }
    let mut sessions = Vec::new();
    for life in 0..kills {
        let mut node = installation.start("worker", "127.0.0.1:0");
        sessions.extend(create(&late, &tenants).await);
        if life == 0 {
            // The first is certain to die before it knows of the response.
            receiver.reply([Reply::Silence]);
            receiver.wait_for(1).await;
            continue;
        }
        receiver.reply([Reply::Status(500), Reply::Close].into_iter().take(life % 3));
        // One in eight is killed while it starts.
        if life % 8 != 1 {
            node.until_it_says("working").await;
        }
        let moment = LONGEST_LIFE.mul_f64(rand::rng().random());
        timeout(moment, node.until_it_ends())
            .await
            .expect_err("it ended by itself");
        // Dropping it is `kill -9`.
        drop(node);
    }
    finish(&installation).await;
    judge(&late, &receiver, &sessions, kills).await;
}

async fn create(app: &App, tenants: &[Tenant]) -> Vec<SessionId> {
    let calls = (0..EVENTS_A_LIFE).map(|call| create_session(&app.honnin, &tenants[call % tenants.len()], b"{}"));
    let created = futures::future::join_all(calls).await;
    created.into_iter().map(|created| created.unwrap().id).collect()
}

/// Finishes what the processes left undone, at a time when their leases have expired and every attempt is due.
async fn finish(installation: &Installation) {
    for later in [Millis::minutes(2), Millis::hours(1), Millis::hours(9)] {
        let app = installation.open(later).await;
        for lane in [Lane::Housekeeping, Lane::Deliver] {
            Worker::new(app.honnin.clone(), lane, 1).run_until_idle().await.unwrap();
        }
        app.honnin.close().await.unwrap();
    }
}

/// The one event of a session, its delivery and how many attempts of it are recorded.
async fn told(app: &App, session: &SessionId) -> (DeliveryRow, usize) {
    let id = session.clone();
    let unit = app.honnin.db().read(async move |tx| {
        let [event] = events::list_of_session(tx, &id).await?.try_into().unwrap();
        let delivery = deliveries::find_any(tx, &event.id).await?.unwrap();
        Ok::<_, StoreError>((delivery, delivery_attempts::list(tx, &event.id).await?.len()))
    });
    unit.await.unwrap()
}

async fn judge(app: &App, receiver: &Receiver, sessions: &[SessionId], kills: usize) {
    let mut arrived: BTreeMap<String, (BTreeSet<String>, usize)> = BTreeMap::new();
    for request in receiver.received() {
        let body = request.json();
        assert_eq!(body["id"], request.header("webhook-id"));
        let session = body["data"]["session"]["sessionId"].as_str().unwrap().to_owned();
        let (ids, times) = arrived.entry(session).or_default();
        ids.insert(request.header("webhook-id").to_owned());
        *times += 1;
    }
    let (mut requests, mut unrecorded) = (0, 0);
    for session in sessions {
        let (delivery, attempts) = told(app, session).await;
        let (ids, count) = arrived.remove(session.as_str()).unwrap_or_default();
        assert_eq!(
            ids,
            BTreeSet::from([delivery.event.to_string()]),
            "{session}: its one event, under one id"
        );
        assert_eq!(delivery.state, DeliveryState::Delivered, "{session}");
        requests += count;
        unrecorded += usize::from(count > attempts);
    }
    assert!(
        arrived.is_empty(),
        "an event of a session that nobody made: {arrived:?}"
    );
    println!(
        "{} kills, {} sessions, {requests} requests; {unrecorded} events were sent by a process that died before it knew",
        kills,
        sessions.len(),
    );
    assert!(unrecorded > 0, "no kill met a delivery");
    // The rows are not dated by the clock of the late one.
    assert!(sessions.len() == kills * EVENTS_A_LIFE && app.honnin.now() < SystemClock.now());
}
