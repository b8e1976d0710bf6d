//! The shape of every response under `/v1`, whatever was requested.

use crate::support::{SESSIONS, Server};
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
    assert_snapshot!(shown, @r#"
    GET /v1 -> 404 allow - {"_tag":"NotFound"}
    GET /v1/ -> 404 allow - {"_tag":"NotFound"}
    GET /v1/nothing -> 404 allow - {"_tag":"NotFound"}
    GET /v1/%ff -> 404 allow - {"_tag":"NotFound"}
    GET /v1//verification-sessions -> 404 allow - {"_tag":"NotFound"}
    POST /v1/verification-sessions/a/b/c -> 404 allow - {"_tag":"NotFound"}
    PUT /v1/verification-sessions -> 405 allow GET,HEAD,POST {"_tag":"MethodNotAllowed"}
    OPTIONS /v1/verification-sessions -> 405 allow GET,HEAD,POST {"_tag":"MethodNotAllowed"}
    DELETE /v1/verification-sessions/vs_… -> 405 allow GET,HEAD {"_tag":"MethodNotAllowed"}
    POST /v1/verification-sessions/vs_… -> 405 allow GET,HEAD {"_tag":"MethodNotAllowed"}
    GET /v1/verification-sessions/vs_…/reprocess -> 405 allow POST {"_tag":"MethodNotAllowed"}
    OPTIONS /v1/verification-sessions/vs_…/reprocess -> 405 allow POST {"_tag":"MethodNotAllowed"}
    BREW /v1/verification-sessions -> 405 allow GET,HEAD,POST {"_tag":"MethodNotAllowed"}
    "#);
}

#[tokio::test]
async fn every_answer_carries_these_headers() {
    let server = Server::new().await;
    let answer = server.call("POST", SESSIONS, "{}").await;
    let mut shown = String::new();
    for (name, value) in &answer.headers {
        let value = match name.as_str() {
            "date" | "content-length" => "…".to_owned(),
            _ => crate::support::mask(value),
        };
        writeln!(shown, "{name}: {value}").unwrap();
    }
    assert_snapshot!(shown, @r#"
    content-type: application/json
    x-request-id: req_…
    content-security-policy: default-src 'none'; frame-ancestors 'none'
    x-content-type-options: nosniff
    x-frame-options: DENY
    referrer-policy: no-referrer
    cross-origin-opener-policy: same-origin
    cross-origin-resource-policy: same-origin
    permissions-policy: camera=(), microphone=(), geolocation=(), payment=(), usb=(), display-capture=()
    strict-transport-security: max-age=31536000
    cache-control: no-store
    content-length: …
    connection: close
    date: …
    "#);
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
