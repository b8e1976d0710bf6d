//! `GET /v1/events`.

use crate::support::Server;
use domain::time::Millis;
use insta::assert_snapshot;
use serde_json::{Value, json};

/// Creates a session and completes it, a minute before the next.
pub(crate) async fn complete(server: &Server, outcome: &str) -> String {
    let id = server.create(r#"{"metadata": {"n": 1.50}}"#).await["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let path = format!("/v1/sandbox/verification-sessions/{id}/complete");
    let done = server
        .call("POST", &path, &json!({ "outcome": outcome }).to_string())
        .await;
    assert_eq!(done.status, 200);
    server.clock.advance(Millis::minutes(1));
    id
}

#[tokio::test]
async fn events_are_listed_newest_first_as_their_webhooks_although_no_receiver_is_set() {
    let server = Server::sandbox().await;
    for outcome in ["failed", "approved", "expired"] {
        complete(&server, outcome).await;
    }
    let body = server.call("GET", "/v1/events", "").await.json();
    let types: Vec<_> = body["events"]
        .as_array()
        .unwrap()
        .iter()
        .map(|event| &event["type"])
        .collect();
    assert_eq!(
        types,
        ["verification.expired", "verification.approved", "verification.failed"]
    );
    assert_eq!(
        (&body["nextCursor"], &body["events"][0]["apiVersion"]),
        (&Value::Null, &json!("2026-08-02"))
    );
    let first = server.call("GET", "/v1/events?limit=2", "").await;
    assert!(
        first.body.contains(r#""metadata":{"n":1.50}"#),
        "as written: {}",
        first.body
    );
    let next = first.json()["nextCursor"].as_str().unwrap().to_owned();
    let second = server
        .call("GET", &format!("/v1/events?limit=2&cursor={next}"), "")
        .await
        .json();
    assert_eq!(second, json!({"events": [body["events"][2]], "nextCursor": null}));
}

#[tokio::test]
async fn parameters_are_checked() {
    let server = Server::new().await;
    let answer = server.call("GET", "/v1/events?limit=101&status=created", "").await;
    assert_snapshot!(answer.shown(), @r#"
    400
    content-type: application/json
    cache-control: no-store
    {"_tag":"HttpApiDecodeError","issues":[{"_tag":"Format","message":"must be a whole number from 1 to 100","path":["limit"]},{"_tag":"Format","message":"is not a parameter of this operation","path":["status"]}],"message":"The request does not match the API description."}
    "#);
}
