//! What every answer under `/v1` is, whatever was asked.

use super::support::{SESSIONS, Server};
use insta::assert_snapshot;
use std::fmt::Write as _;

#[tokio::test]
async fn unknown_paths_and_wrong_methods_are_json() {
    let server = Server::new().await;
    let id = format!("{SESSIONS}/vs_{}", "0".repeat(32));
    let mut shown = String::new();
    for (method, path) in [
        ("GET", "/v1"),
        ("GET", "/v1/"),
        ("GET", "/v1/nothing"),
        ("GET", "/v1/%ff"),
        ("GET", "/v1//verification-sessions"),
        ("POST", "/v1/verification-sessions/a/b/c"),
        ("GET", SESSIONS),
        ("PUT", SESSIONS),
        ("OPTIONS", SESSIONS),
        ("DELETE", &id),
        ("POST", &id),
        ("GET", &format!("{id}/reprocess")),
        ("OPTIONS", &format!("{id}/reprocess")),
        ("BREW", SESSIONS),
    ] {
        let answer = server.call(method, path, "").await;
        let allow = answer.header("allow").unwrap_or("-");
        writeln!(
            shown,
            "{method} {} -> {} allow {allow} {}",
            path.replace(&"0".repeat(32), "…"),
            answer.status,
            answer.body
        )
        .unwrap();
        assert_eq!(
            answer.header("content-type"),
            Some("application/json"),
            "{method} {path}"
        );
        assert_eq!(answer.header("cache-control"), Some("no-store"), "{method} {path}");
    }
    assert_snapshot!(shown, @"");
}

#[tokio::test]
async fn every_answer_carries_these_headers() {
    let server = Server::new().await;
    let answer = server.call("POST", SESSIONS, "{}").await;
    let mut shown = String::new();
    for (name, value) in &answer.headers {
        let value = match name.as_str() {
            "date" | "content-length" => "…".to_owned(),
            _ => super::support::mask(value),
        };
        writeln!(shown, "{name}: {value}").unwrap();
    }
    assert_snapshot!(shown, @"");
}

#[tokio::test]
async fn two_requests_have_two_ids_whatever_the_client_sends() {
    let server = Server::new().await;
    let ids = [0, 1].map(|_| async { server.call_with("GET", "/v1/x", &[("x-request-id", "mine")], "").await });
    let [a, b] = ids;
    let (a, b) = (a.await, b.await);
    assert_ne!(a.header("x-request-id"), b.header("x-request-id"));
    assert_ne!(a.header("x-request-id"), Some("mine"));
}
