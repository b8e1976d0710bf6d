//! `kill -9` at random moments while people go through the pages by their plain forms and customers create, complete and erase
//! sessions. After each restart, what was acknowledged is there: sessions, used links, pictures, submissions, events, erasures.
//!
//! A planted fault that this test detects: a picture written in the background, 400 ms after the response that names it.

use super::{
    acknowledged::{Keys, Note, Notes, use_until_it_fails},
    comparison::{compare, completed},
    free_port,
    node::{Installation, add_tenant, settings},
};
use domain::{tenant::Mode, time::Millis};
use rand::RngExt as _;
use service::{
    access::Operator,
    settings::create_tenant::{NewTenant, create_tenant},
};
use std::{
    collections::BTreeMap,
    net::SocketAddr,
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};
use testkit::{authority::acceptor, databases, long_runs::count, receiver::Receiver};
use tokio::time::timeout;

/// Longest use of the process before it is killed.
const LONGEST_USE: Duration = Duration::from_millis(500);
/// How many of the older facts are compared after each restart.
const SAMPLE: usize = 10;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_people_were_told_is_there_however_often_the_process_is_killed() {
    let installation = Installation::new();
    let url = format!("sqlite://{}", installation.data().join("honnin.db").display());
    killed(installation, &url).await;
    // Skipped without a server: `scripts/with-postgres` starts one.
    if let Some(server) = databases::postgres_server() {
        let database = databases::postgres(&server).await;
        let installation = Installation::new().on(&database);
        killed(installation, &database.url).await;
    }
}

async fn killed(installation: Installation, url: &str) {
    let kills = usize::try_from(count("HONNIN_PEOPLE_KILLS", 5)).unwrap();
    let receiver = Receiver::at("127.0.0.1:0", acceptor(&["127.0.0.1"], true)).await;
    let keys = tenants(&installation, &receiver).await;
    let time = AtomicU64::new(0);
    let notes = Notes::new(move || time.fetch_add(1, Ordering::SeqCst));
    let mut known = 0;
    for _ in 0..kills {
        let address = SocketAddr::from(([127, 0, 0, 1], free_port()));
        let mut node = installation.start("serve", &address.to_string());
        node.until_it_says("listening").await;
        let all = notes.since(0);
        same(&installation, address, &chosen(&all, known)).await;
        known = all.len();
        let moment = LONGEST_USE.mul_f64(rand::rng().random());
        if let Ok(error) = timeout(moment, use_until_it_fails(address, &keys, &notes)).await {
            panic!("a request failed before the process was killed: {error}");
        }
        // Dropping it is `kill -9`.
        drop(node);
    }
    let address = SocketAddr::from(([127, 0, 0, 1], free_port()));
    let mut node = installation.start("serve", &address.to_string());
    node.until_it_says("listening").await;
    let all = notes.since(0);
    same(&installation, address, &all).await;
    let facts: Vec<_> = all.iter().map(|note| &note.fact).collect();
    completed(address, &facts, url, &receiver).await.unwrap();
    node.stop().await;
    let delivered = each_session_has_one_event(&receiver);
    println!(
        "{kills} kills, {} facts acknowledged, events of {delivered} sessions delivered",
        all.len()
    );
    assert!(all.len() > kills, "nobody did anything");
}

/// A live tenant and a sandbox.
async fn tenants(installation: &Installation, receiver: &Receiver) -> Keys {
    let webhook = Some(format!("https://127.0.0.1:{}/hooks", receiver.port));
    let app = installation.open(Millis(0)).await;
    let live = add_tenant(&app, settings(webhook.clone())).await.key.expose().clone();
    let sandbox = NewTenant {
        name: "Example Shop's sandbox".into(),
        settings: settings(webhook),
        mode: Mode::Sandbox,
    };
    let sandbox = create_tenant(&app.honnin, &Operator::at_command_line(), sandbox)
        .await
        .unwrap();
    app.honnin.close().await.unwrap();
    Keys {
        live,
        sandbox: sandbox.key.expose().clone(),
    }
}

/// What was acknowledged since the last restart, and some of what was before.
fn chosen(all: &[Note], known: usize) -> Vec<Note> {
    let older = (0..SAMPLE.min(known)).map(|_| &all[rand::rng().random_range(0..known)]);
    all[known..].iter().chain(older).cloned().collect()
}

async fn same(installation: &Installation, address: SocketAddr, notes: &[Note]) {
    let holding = notes.iter().filter(|note| note.until == u64::MAX);
    let facts: Vec<_> = holding.map(|note| &note.fact).collect();
    compare(address, &facts, &installation.data()).await.unwrap();
}

/// Returns how many sessions the receiver heard of.
fn each_session_has_one_event(receiver: &Receiver) -> usize {
    let mut events = BTreeMap::new();
    for request in receiver.received() {
        let session = request.json()["data"]["session"]["sessionId"].to_string();
        let id = request.header("webhook-id").to_owned();
        let known = events.entry(session.clone()).or_insert_with(|| id.clone());
        assert_eq!(*known, id, "{session} has two events");
    }
    events.len()
}
