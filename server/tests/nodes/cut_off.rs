//! Connections to PostgreSQL that are cut in the middle of everything, as by a restart of the server or a failover.
//!
//! Planted faults that this test detects: a connection that is used again after it was cut; a job that is finished outside the unit of its
//! effect; an answer other than 503 to what may be tried again.

use super::{
    backup::{begin, empty_databases, on_databases},
    http::{Answer, call},
    node::settings,
};
use domain::{tenant::Mode, time::Millis};
use serde_json::Value;
use service::{
    access::Operator,
    settings::create_tenant::{NewTenant, create_tenant},
};
use std::{
    collections::{BTreeMap, BTreeSet},
    net::SocketAddr,
    time::Duration,
};
use testkit::{authority::acceptor, databases, receiver::Receiver};
use tokio::time::timeout;

const SESSIONS: usize = 30;
/// Longer than the lease of a job whose worker could not say that it has done it, and than one waits that was cut off four times.
const PATIENCE: Duration = Duration::from_secs(180);
const CUT: &str = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid()";

/// Sends a request until it is answered with something else than "try again". Returns also whether it was sent more than once.
async fn insist(address: SocketAddr, head: &str, body: &[u8]) -> (Answer, bool) {
    let mut is_repeated = false;
    loop {
        let answer = call(address, head, body).await.unwrap();
        if answer.status != 503 {
            return (answer, is_repeated);
        }
        is_repeated = true;
        tokio::task::yield_now().await;
    }
}

/// Creates a session of a sandbox and completes it. Returns its id.
async fn complete(address: SocketAddr, key: &str, number: usize) -> String {
    let create = format!(
        "POST /v1/verification-sessions HTTP/1.1\r\nauthorization: Bearer {key}\r\nidempotency-key: {number}\r\n"
    );
    let body = br#"{"preRegisteredInfo": {"lastName": "Tanaka", "firstName": "Taro"}}"#;
    let (created, _) = insist(address, &create, body).await;
    assert_eq!(created.status, 201, "{}", created.text());
    let id = created.json()["id"].as_str().unwrap().to_owned();
    let complete =
        format!("POST /v1/sandbox/verification-sessions/{id}/complete HTTP/1.1\r\nauthorization: Bearer {key}\r\n");
    let (done, is_repeated) = insist(address, &complete, br#"{"outcome":"approved"}"#).await;
    // The second of two attempts finds that the first was done, although nobody heard of it.
    assert!(
        done.status == 200 || is_repeated && done.status == 409,
        "{}",
        done.text()
    );
    id
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn however_often_the_connections_to_postgres_are_cut_each_session_ends_once_and_its_event_arrives() {
    let Some(server) = databases::postgres_server() else {
        return;
    };
    let urls = empty_databases(&server).await;
    let installation = on_databases(&urls);
    let receiver = Receiver::at("127.0.0.1:0", acceptor(&["127.0.0.1"], true)).await;
    let app = installation.open(Millis(0)).await;
    let sandbox = NewTenant {
        name: "Example Shop's sandbox".into(),
        settings: settings(Some(format!("https://127.0.0.1:{}/hooks", receiver.port))),
        mode: Mode::Sandbox,
    };
    let made = create_tenant(&app.honnin, &Operator::at_command_line(), sandbox).await;
    let key = made.unwrap().key.expose().clone();
    app.honnin.close().await.unwrap();
    let nodes = [begin(&installation, "serve").await, begin(&installation, "serve").await];
    for (_, address) in &nodes {
        // A start that is cut off ends with an error, and the service manager starts it again.
        let (ready, _) = insist(*address, "GET /readyz HTTP/1.1\r\n", b"").await;
        assert_eq!(ready.status, 200, "{}", ready.text());
    }
    let mut sessions = BTreeSet::new();
    for number in 0..SESSIONS {
        let cut = databases::run_at(&urls[number % 3 / 2], CUT);
        let (id, _) = tokio::join!(complete(nodes[number % 2].1, &key, number), cut);
        sessions.insert(id);
    }
    assert_eq!(sessions.len(), SESSIONS);

    let list = format!("GET /v1/events?limit=100 HTTP/1.1\r\nauthorization: Bearer {key}\r\n");
    let (listed, _) = insist(nodes[0].1, &list, b"").await;
    let listed = listed.json();
    let mut events = BTreeMap::new();
    for event in listed["events"].as_array().unwrap() {
        let session = event["data"]["session"]["sessionId"].as_str().unwrap().to_owned();
        let id = event["id"].as_str().unwrap().to_owned();
        assert_eq!(events.insert(session, id), None, "two events of a session");
    }
    assert!(events.keys().eq(&sessions), "{events:?}");
    let all_arrive = async {
        for count in receiver.count().. {
            let arrived: BTreeSet<_> = receiver.ids().into_iter().collect();
            if events.values().all(|id| arrived.contains(id)) {
                return;
            }
            receiver.wait_for(count + 1).await;
        }
    };
    timeout(PATIENCE, all_arrive).await.expect("events that never arrive");
    for request in receiver.received() {
        let body: Value = request.json();
        let session = body["data"]["session"]["sessionId"].as_str().unwrap();
        assert_eq!(events[session], request.header("webhook-id"), "another id");
    }
    for (node, _) in nodes {
        node.stop().await;
    }
}
