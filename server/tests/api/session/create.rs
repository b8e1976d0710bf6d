//! `POST /v1/verification-sessions`: body, response, errors.

use crate::support::{SESSIONS, Server, add_tenant, settings};
use domain::tenant::TenantSettings;
use insta::assert_snapshot;

#[tokio::test]
async fn a_session_is_created_with_the_contracts_answer() {
    let server = Server::new().await;
    let answer = server.call("POST", SESSIONS, "{}").await;
    assert_snapshot!(answer.shown(), @r#"
    201
    content-type: application/json
    cache-control: no-store
    {"id":"vs_…","status":"created","verificationUrl":"https://id.example/v/…","verificationUrlExpiresAt":"2026-08-04T09:30:00.000Z","expiresAt":"2026-08-09T09:30:00.000Z","createdAt":"2026-08-02T09:30:00.000Z"}
    "#);
}

#[tokio::test]
async fn the_body_may_be_empty_and_of_any_content_type() {
    let server = Server::new().await;
    for (kind, body) in [
        ("", ""),
        ("application/json", ""),
        ("", " {}\n"),
        ("text/plain", "{}"),
        ("application/json; charset=utf-8", "{}"),
    ] {
        let answer = server
            .call_with("POST", SESSIONS, &[("content-type", kind)], body)
            .await;
        assert_eq!(answer.status, 201, "{kind} {body:?} {}", answer.body);
    }
}

#[tokio::test]
async fn unknown_fields_are_ignored() {
    let server = Server::new().await;
    server.create(r#"{"tomorrow": {"a": [1, null]}}"#).await;
}

#[tokio::test]
async fn everything_wrong_with_a_body_is_told_at_once_and_no_value_repeated() {
    let server = Server::new().await;
    let body = r#"{"callbackUrl": null, "state": 17, "metadata": ["sesame"],
        "preRegisteredInfo": {"birthDate": "sesame", "lastName": "", "gender": "sesame"}}"#;
    let answer = server.call("POST", SESSIONS, body).await;
    assert!(!answer.body.contains("sesame"), "{}", answer.body);
    assert_snapshot!(answer.shown(), @r#"
    400
    content-type: application/json
    cache-control: no-store
    {"_tag":"HttpApiDecodeError","issues":[{"_tag":"Type","message":"must be a string","path":["callbackUrl"]},{"_tag":"Type","message":"must be a string","path":["state"]},{"_tag":"Type","message":"must be an object","path":["metadata"]},{"_tag":"Format","message":"must have the form YYYY-MM-DD","path":["preRegisteredInfo","birthDate"]},{"_tag":"Format","message":"must be male or female","path":["preRegisteredInfo","gender"]},{"_tag":"Limit","message":"must have 1 to 128 characters","path":["preRegisteredInfo","lastName"]}],"message":"The request does not match the API description."}
    "#);
}

#[tokio::test]
async fn what_is_no_json_object_is_a_decode_error() {
    let server = Server::new().await;
    let mut shown = String::new();
    for body in [
        "{",
        "null",
        "[]",
        "\"x\"",
        "{\"state\":\"a\",\"state\":\"b\"}",
        "{\"metadata\":{\"a\":1,\"a\":2}}",
        "{\"preRegisteredInfo\":{}}",
        "{} {}",
        "\u{feff}{}",
    ] {
        let answer = server.call("POST", SESSIONS, body).await;
        shown += &format!("{body} -> {} {}\n", answer.status, answer.json()["issues"]);
    }
    assert_snapshot!(shown, @r#"
    { -> 400 [{"_tag":"Syntax","message":"the body ends too early at line 1, column 1","path":[]}]
    null -> 400 [{"_tag":"Type","message":"must be a JSON object","path":[]}]
    [] -> 400 [{"_tag":"Type","message":"must be a JSON object","path":[]}]
    "x" -> 400 [{"_tag":"Type","message":"must be a JSON object","path":[]}]
    {"state":"a","state":"b"} -> 400 [{"_tag":"Syntax","message":"`state` is given twice","path":["state"]}]
    {"metadata":{"a":1,"a":2}} -> 400 [{"_tag":"Syntax","message":"`a` is given twice","path":["metadata","a"]}]
    {"preRegisteredInfo":{}} -> 400 [{"_tag":"Missing","message":"must have at least one field","path":["preRegisteredInfo"]}]
    {} {} -> 400 [{"_tag":"Syntax","message":"the body is not valid JSON at line 1, column 4","path":[]}]
    ﻿{} -> 400 [{"_tag":"Syntax","message":"the body begins with a byte order mark","path":[]}]
    "#);
}

#[tokio::test]
async fn metadata_is_measured_as_compact_json_in_bytes() {
    let server = Server::new().await;
    // {"k":"…"} is 8 bytes around the value.
    for (value, status) in [
        ("a".repeat(8184), 201),
        ("a".repeat(8185), 400),
        ("あ".repeat(2728), 201),
        ("あ".repeat(2729), 400),
    ] {
        let body = format!("{{ \"metadata\" : {{ \"k\" : \"{value}\" }} }}");
        assert_eq!(
            server.call("POST", SESSIONS, &body).await.status,
            status,
            "{} bytes",
            value.len()
        );
    }
}

#[tokio::test]
async fn names_and_addresses_are_counted_in_characters() {
    let server = Server::new().await;
    for (field, most) in [("lastName", 128), ("firstName", 128), ("address", 512)] {
        for (count, status) in [(0, 400), (1, 201), (most, 201), (most + 1, 400)] {
            let body = format!(r#"{{"preRegisteredInfo": {{"{field}": "{}"}}}}"#, "髙".repeat(count));
            assert_eq!(
                server.call("POST", SESSIONS, &body).await.status,
                status,
                "{field} {count}"
            );
        }
    }
}

#[tokio::test]
async fn callback_url_and_state_together_have_8000_bytes() {
    let server = Server::new().await;
    for (state, status) in [(7900, 201), (8000, 400)] {
        let body = format!(
            r#"{{"callbackUrl": "https://shop.example/done", "state": "{}"}}"#,
            "a".repeat(state)
        );
        assert_eq!(server.call("POST", SESSIONS, &body).await.status, status, "{state}");
    }
    for (state, status) in [(8000, 201), (8001, 400)] {
        let body = format!(r#"{{"state": "{}"}}"#, "a".repeat(state));
        assert_eq!(server.call("POST", SESSIONS, &body).await.status, status, "{state}");
    }
}

#[tokio::test]
async fn a_callback_url_off_the_list_not_https_or_with_query_or_fragment_is_not_allowed() {
    let server = Server::new().await;
    for url in [
        "https://shop.example/other",
        "http://shop.example/done",
        "https://shop.example/done?a=1",
        "https://shop.example/done?",
        "https://shop.example/done#f",
        "https://u:p@shop.example/done",
        "shop.example/done",
        "",
    ] {
        let answer = server
            .call("POST", SESSIONS, &format!(r#"{{"callbackUrl": "{url}"}}"#))
            .await;
        assert_eq!(answer.status, 400, "{url}");
        assert_eq!(
            answer.json(),
            serde_json::json!({"_tag": "CallbackUrlNotAllowed", "callbackUrl": url})
        );
    }
    // The same URL after normalisation is the same URL.
    for url in ["https://shop.example/done", "HTTPS://Shop.Example:443/./done"] {
        let answer = server
            .call("POST", SESSIONS, &format!(r#"{{"callbackUrl": "{url}"}}"#))
            .await;
        assert_eq!(answer.status, 201, "{url}");
    }
}

#[tokio::test]
async fn a_tenant_without_settings_or_steps_cannot_create() {
    let server = Server::new().await;
    server.save_settings(None).await;
    assert_snapshot!(server.call("POST", SESSIONS, "{}").await.shown(), @r#"
    409
    content-type: application/json
    cache-control: no-store
    {"_tag":"SessionCreationNotAllowed","message":"The tenant has no settings yet. An admin must save them in the console, under Settings.","reason":"settings_missing"}
    "#);
    server.save_settings(Some(TenantSettings::default())).await;
    assert_snapshot!(server.call("POST", SESSIONS, "{}").await.shown(), @r#"
    409
    content-type: application/json
    cache-control: no-store
    {"_tag":"SessionCreationNotAllowed","message":"The tenant has no verification step enabled. An admin must enable one in the console, under Settings.","reason":"no_steps_enabled"}
    "#);
}

#[tokio::test]
async fn the_checks_run_in_their_order() {
    let server = Server::with("[limits]\ncreations_per_minute = 60\ncreation_burst = 1\n").await;
    let off_list = TenantSettings {
        ip_allow_list: vec!["192.0.2.0/24".parse().unwrap()],
        ..settings()
    };
    let other = add_tenant(&server.app, off_list).await;
    let tag = |answer: &crate::support::Answer| answer.json()["_tag"].as_str().unwrap().to_owned();
    let bad_callback = r#"{"callbackUrl": "http://x/"}"#;

    // Key before address, address before body.
    let answer = server
        .send("POST", SESSIONS, &[("authorization", "Bearer nonsense")], "{")
        .await;
    assert_eq!(tag(&answer), "Unauthorized");
    let bearer = format!("Bearer {}", other.key.expose());
    let answer = server.send("POST", SESSIONS, &[("authorization", &bearer)], "{").await;
    assert_eq!(tag(&answer), "IpNotAllowed");
    // Body before callback, callback before settings.
    assert_eq!(
        tag(&server
            .call("POST", SESSIONS, r#"{"callbackUrl": "http://x/", "state": 1}"#)
            .await),
        "HttpApiDecodeError"
    );
    server.save_settings(None).await;
    assert_eq!(
        tag(&server.call("POST", SESSIONS, bad_callback).await),
        "CallbackUrlNotAllowed"
    );
    assert_eq!(
        tag(&server.call("POST", SESSIONS, "{}").await),
        "SessionCreationNotAllowed"
    );
    // None of these took the one token; once it is gone, the rate limit comes before the body.
    server.save_settings(Some(settings())).await;
    server.create("{}").await;
    assert_eq!(tag(&server.call("POST", SESSIONS, "{").await), "RateLimited");
}

#[tokio::test]
async fn a_body_has_at_most_64_kib() {
    let server = Server::new().await;
    let of = |length: usize| format!("{{}}{}", " ".repeat(length - 2));
    assert_eq!(server.call("POST", SESSIONS, &of(64 * 1024)).await.status, 201);
    assert_snapshot!(server.call("POST", SESSIONS, &of(64 * 1024 + 1)).await.shown(), @r#"
    400
    content-type: application/json
    cache-control: no-store
    {"_tag":"HttpApiDecodeError","issues":[{"_tag":"Limit","message":"the body must be at most 65536 bytes","path":[]}],"message":"The request does not match the API description."}
    "#);
}
