//! `GET /v1/verification-sessions`.

use crate::support::{SESSIONS, START, Server};
use domain::{session::Status, time::Millis};
use insta::assert_snapshot;
use serde_json::{Value, json};

/// The ids on a page, and its `nextCursor`.
fn page(body: &Value) -> (Vec<&str>, Option<&str>) {
    let sessions = body["sessions"].as_array().unwrap().iter();
    (
        sessions.map(|session| session["id"].as_str().unwrap()).collect(),
        body["nextCursor"].as_str(),
    )
}

async fn create(server: &Server, metadata: &Value) -> String {
    let created = server.create(&json!({ "metadata": metadata }).to_string()).await;
    server.clock.advance(Millis::minutes(1));
    created["id"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_listed_session_has_its_state_and_metadata_and_no_personal_data() {
    let server = Server::sandbox().await;
    let body = r#"{"metadata": {"n": 1.0}, "preRegisteredInfo": {"lastName": "CANARY"}}"#;
    let id = server.create(body).await["id"].as_str().unwrap().to_owned();
    let path = format!("/v1/sandbox/verification-sessions/{id}/complete");
    assert_eq!(
        server.call("POST", &path, r#"{"outcome":"approved"}"#).await.status,
        200
    );
    let answer = server.call("GET", SESSIONS, "").await;
    assert_snapshot!(answer.shown(), @r#"
    200
    content-type: application/json
    cache-control: no-store
    {"sessions":[{"id":"vs_…","status":"completed","verdict":"approved","expiresAt":"2026-08-09T09:30:00.000Z","createdAt":"2026-08-02T09:30:00.000Z","completedAt":"2026-08-02T09:30:00.000Z","purgedAt":null,"metadata":{"n":1.0}}],"nextCursor":null}
    "#);
}

#[tokio::test]
async fn pages_follow_each_other_newest_first_until_there_is_no_cursor() {
    let server = Server::new().await;
    let mut all = Vec::new();
    for n in 0..5 {
        all.insert(0, create(&server, &json!({ "n": n })).await);
    }
    let (mut found, mut path) = (Vec::new(), format!("{SESSIONS}?limit=2"));
    for length in [2, 2, 1] {
        let body = server.call("GET", &path, "").await.json();
        let (ids, next) = page(&body);
        assert_eq!(ids.len(), length);
        found.extend(ids.into_iter().map(str::to_owned));
        path = next.map_or_else(String::new, |next| format!("{SESSIONS}?limit=2&cursor={next}"));
    }
    assert_eq!((found, path.as_str()), (all, ""));
}

#[tokio::test]
async fn sessions_are_found_by_status_verdict_time_and_metadata() {
    let server = Server::sandbox().await;
    let first = create(&server, &json!({"order": "A-1", "n": 7})).await;
    let second = create(&server, &json!({"order": "A-17", "of": {"order": "A-1"}})).await;
    let third = create(&server, &json!({"order": "山田"})).await;
    let path = format!("/v1/sandbox/verification-sessions/{second}/complete");
    assert_eq!(
        server.call("POST", &path, r#"{"outcome":"rejected"}"#).await.status,
        200
    );
    // A verdict that a later attempt has put aside does not count.
    let from = START.plus(Millis::minutes(1)).to_iso();
    for (query, expected) in [
        ("status=created".to_owned(), vec![&third, &first]),
        ("status=completed".to_owned(), vec![&second]),
        ("verdict=rejected".to_owned(), vec![&second]),
        ("verdict=approved".to_owned(), vec![]),
        (format!("createdFrom={from}"), vec![&third, &second]),
        (format!("createdBefore={from}"), vec![&first]),
        ("metadata[order]=A-1".to_owned(), vec![&first]),
        ("metadata[order]=A-1&metadata[n]=7".to_owned(), vec![&first]),
        ("metadata[order]=A-1&metadata[n]=8".to_owned(), vec![]),
        ("metadata%5Border%5D=%E5%B1%B1%E7%94%B0".to_owned(), vec![&third]),
        ("metadata[order]=A-1&status=completed".to_owned(), vec![]),
    ] {
        let answer = server.call("GET", &format!("{SESSIONS}?{query}"), "").await;
        assert_eq!(page(&answer.json()).0, expected, "{query}");
    }
}

/// Planted fault that this test detects: only the beginning of a long value is compared.
#[tokio::test]
async fn metadata_is_compared_as_what_it_means_however_long_it_is() {
    let server = Server::new().await;
    let long = "x".repeat(8_000);
    let escaped = server.create(r#"{"metadata":{"order":"A\u002d17"}}"#).await;
    server.clock.advance(Millis::minutes(1));
    let plain = create(&server, &json!({"order": "A-17"})).await;
    let first = create(&server, &json!({"order": format!("{long}1")})).await;
    create(&server, &json!({"order": format!("{long}2")})).await;
    let escaped = escaped["id"].as_str().unwrap().to_owned();
    for (value, expected) in [
        ("A-17".to_owned(), vec![&plain, &escaped]),
        ("A-1".to_owned(), vec![]),
        (format!("{long}1"), vec![&first]),
        (long, vec![]),
        ("_".repeat(26_000), vec![]),
    ] {
        let answer = server
            .call("GET", &format!("{SESSIONS}?metadata[order]={value}"), "")
            .await;
        assert_eq!(answer.status, 200, "{answer:?}");
        assert_eq!(page(&answer.json()).0, expected, "{} characters", value.len());
    }
}

#[tokio::test]
async fn bounds_between_two_milliseconds_are_compared_exactly() {
    let server = Server::new().await;
    let id = create(&server, &json!({})).await;
    let (begun, ended) = (START.to_iso(), START.plus(Millis(1)).to_iso());
    let (begun, ended) = (begun.trim_end_matches('Z'), ended.trim_end_matches('Z'));
    for (query, is_found) in [
        (format!("createdBefore={begun}Z"), false),
        (format!("createdBefore={begun}001Z"), true),
        (format!("createdBefore={ended}Z"), true),
        (format!("createdFrom={begun}Z"), true),
        (format!("createdFrom={begun}001Z"), false),
        (format!("createdFrom={ended}Z"), false),
    ] {
        let answer = server.call("GET", &format!("{SESSIONS}?{query}"), "").await;
        let expected = if is_found { vec![id.as_str()] } else { vec![] };
        assert_eq!(page(&answer.json()).0, expected, "{query}");
    }
}

#[tokio::test]
async fn a_session_past_its_deadline_is_listed_as_expired_at_once() {
    let server = Server::without_worker().await;
    let id = create(&server, &json!({})).await;
    server.clock.advance(Millis::days(8));
    let body = server
        .call("GET", &format!("{SESSIONS}?status=expired"), "")
        .await
        .json();
    assert_eq!(
        (page(&body).0, &body["sessions"][0]["status"]),
        (vec![id.as_str()], &json!("expired"))
    );
}

#[tokio::test]
async fn a_failed_session_has_no_verdict() {
    let server = Server::sandbox().await;
    let id = create(&server, &json!({})).await;
    let path = format!("/v1/sandbox/verification-sessions/{id}/complete");
    assert_eq!(
        server.call("POST", &path, r#"{"outcome":"approved"}"#).await.status,
        200
    );
    server.change(&id, |row| row.session.status = Status::Failed).await;
    let body = server.call("GET", SESSIONS, "").await.json();
    assert_eq!(body["sessions"][0]["verdict"], Value::Null);
    let found = server
        .call("GET", &format!("{SESSIONS}?verdict=approved"), "")
        .await
        .json();
    assert_eq!(page(&found), (vec![], None));
}

#[tokio::test]
async fn every_parameter_that_is_not_described_is_refused() {
    let server = Server::new().await;
    let answer = server
        .call("GET", &format!("{SESSIONS}?limit=0&cursor=1&staus=created"), "")
        .await;
    assert_snapshot!(answer.shown(), @r#"
    400
    content-type: application/json
    cache-control: no-store
    {"_tag":"HttpApiDecodeError","issues":[{"_tag":"Format","message":"must be a whole number from 1 to 100","path":["limit"]},{"_tag":"Format","message":"must be the nextCursor of a page","path":["cursor"]},{"_tag":"Format","message":"is not a parameter of this operation","path":["staus"]}],"message":"The request does not match the API description."}
    "#);
}
