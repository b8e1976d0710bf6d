//! `POST /v1/verification-sessions/{id}/cancel` and `/erase`.

use crate::support::{SESSIONS, Server};
use domain::{session::Status, time::Millis};
use insta::assert_snapshot;
use serde_json::{Value, json};
use service::jobs::worker::{Lane, Worker};

async fn create(server: &Server) -> String {
    let body = r#"{"metadata": {"n": 1}, "preRegisteredInfo": {"lastName": "CANARY"}}"#;
    server.create(body).await["id"].as_str().unwrap().to_owned()
}

/// The newest event; the next one is a minute younger.
async fn newest_event(server: &Server) -> Value {
    server.clock.advance(Millis::minutes(1));
    server.call("GET", "/v1/events?limit=1", "").await.json()["events"][0].clone()
}

async fn run(server: &Server) {
    Worker::new(server.app.honnin.clone(), Lane::Housekeeping, 1)
        .run_until_idle()
        .await
        .unwrap();
}

#[tokio::test]
async fn a_session_that_was_not_submitted_is_cancelled_and_its_event_says_so() {
    let server = Server::without_worker().await;
    for status in [Status::Created, Status::Collecting] {
        let id = create(&server).await;
        server.change(&id, move |row| row.session.status = status).await;
        let path = format!("{SESSIONS}/{id}/cancel");
        let answer = server.call("POST", &path, "").await;
        insta::allow_duplicates! {
            assert_snapshot!(answer.shown(), @r#"
            200
            content-type: application/json
            cache-control: no-store
            {"id":"vs_…","status":"failed"}
            "#);
        }
        let event = newest_event(&server).await;
        assert_eq!(event["type"], "verification.failed");
        assert_eq!(event["data"]["reason"], "operator_cancelled");
        assert_eq!(event["data"]["session"]["sessionId"], json!(id));
        let again = server.call("POST", &path, "").await;
        assert_eq!((again.status, &again.json()["_tag"]), (409, &json!("CancelNotAllowed")));
    }
}

#[tokio::test]
async fn the_link_of_a_cancelled_session_no_longer_works() {
    let server = Server::without_worker().await;
    let created = server.create("{}").await;
    let link = created["verificationUrl"].as_str().unwrap();
    let path = link.strip_prefix("https://id.example").unwrap();
    let id = created["id"].as_str().unwrap();
    assert_eq!(
        server.call("POST", &format!("{SESSIONS}/{id}/cancel"), "").await.status,
        200
    );
    let unknown = server.send("GET", "/v/unknown", &[], "").await;
    assert_eq!(server.send("GET", path, &[], "").await.status, unknown.status);
}

#[tokio::test]
async fn no_other_session_is_cancelled() {
    let server = Server::without_worker().await;
    let id = create(&server).await;
    let path = format!("{SESSIONS}/{id}/cancel");
    for status in [
        Status::Deciding,
        Status::Reviewing,
        Status::Completed,
        Status::Failed,
        Status::Expired,
    ] {
        server.change(&id, move |row| row.session.status = status).await;
        let answer = server.call("POST", &path, "").await;
        assert_eq!(
            (answer.status, &answer.json()["_tag"]),
            (409, &json!("CancelNotAllowed")),
            "{status}"
        );
    }
}

#[tokio::test]
async fn an_erasure_is_accepted_done_soon_and_can_be_asked_for_again() {
    let server = Server::without_worker().await;
    let id = create(&server).await;
    server.change(&id, |row| row.session.status = Status::Completed).await;
    let path = format!("{SESSIONS}/{id}/erase");
    assert_snapshot!(server.call("POST", &path, "").await.shown(), @r#"
    202
    content-type: application/json
    cache-control: no-store
    {"id":"vs_…","status":"completed","purgedAt":null}
    "#);
    run(&server).await;
    let read = server.call("GET", &format!("{SESSIONS}/{id}"), "").await.json();
    assert_eq!(
        (&read["preRegisteredInfo"], read["purgedAt"].is_string()),
        (&Value::Null, true)
    );
    let again = server.call("POST", &path, "").await;
    assert_eq!((again.status, &again.json()["purgedAt"]), (202, &read["purgedAt"]));
}

#[tokio::test]
async fn an_erasure_ends_a_session_and_its_event_has_no_metadata_afterwards() {
    let server = Server::without_worker().await;
    for status in [Status::Created, Status::Collecting, Status::Deciding, Status::Reviewing] {
        let id = create(&server).await;
        server.change(&id, move |row| row.session.status = status).await;
        let answer = server.call("POST", &format!("{SESSIONS}/{id}/erase"), "").await;
        assert_eq!(
            (answer.status, &answer.json()["status"]),
            (202, &json!("failed")),
            "{status}"
        );
        let before = newest_event(&server).await;
        assert_eq!(
            (&before["data"]["reason"], &before["metadata"]),
            (&json!("erased_before_decision"), &json!({"n": 1})),
            "{status}"
        );
        run(&server).await;
        assert_eq!(newest_event(&server).await["metadata"], Value::Null, "{status}");
    }
}

#[tokio::test]
async fn ids_that_lead_nowhere_are_alike() {
    let server = Server::new().await;
    for operation in ["cancel", "erase"] {
        for id in ["vs_00000000000000000000000000000000", "x", ""] {
            let answer = server.call("POST", &format!("{SESSIONS}/{id}/{operation}"), "").await;
            let body = json!({"_tag": "SessionNotFound", "id": id});
            assert_eq!((answer.status, answer.json()), (404, body), "{operation} {id}");
        }
    }
}
