//! The three operations, their errors, limits and versions.

use super::{Row, access, exempt, here, request, response, states, world};
use crate::support::{Answer, SESSIONS, Server, add_tenant, between, settings};
use domain::{audit::AuditAction, tenant::TenantSettings};
use serde_json::json;
use store::audit;
use world::{World, text};

pub(super) const ALL_THREE: &[Row] = &[
    here!("All three require", access::every_bad_key_is_refused_alike),
    here!("The path `{id}`", unknown_foreign_and_malformed_ids_are_alike),
];

pub(super) const CREATE: &[Row] = &[
    here!("Request body", a_body_is_one_object),
    here!("Success: HTTP 201", response::the_answer_has_exactly_these_fields),
    here!("Error tags", request::only_plain_urls_of_the_list_are_taken),
    here!("Another refusal", a_tenant_that_is_not_ready_is_told_why),
    here!("An oversized metadata", an_oversized_metadata_is_400),
];

pub(super) const READ: &[Row] = &[
    here!("No request body", a_body_that_nobody_asked_for_is_not_looked_at),
    here!("Success", super::detail::personal_data_is_read),
    here!("The response contains personal", response::no_secret_is_logged),
    here!("Each retrieval", each_retrieval_is_on_record),
    here!("Error tags", unknown_foreign_and_malformed_ids_are_alike),
    here!("A nonexistent id", unknown_foreign_and_malformed_ids_are_alike),
    here!(
        "A session whose personal data",
        super::detail::after_erasure_the_outcome_remains
    ),
];

pub(super) const REPROCESS: &[Row] = &[
    here!("No request body", a_body_that_nobody_asked_for_is_not_looked_at),
    here!("Success", response::a_reprocess_has_exactly_these_fields),
    here!("Error tags", states::no_other_state_is_reprocessed),
    here!("To let the user resubmit", the_console_reissues_the_link),
];

pub(super) const ERRORS: &[Row] = &[
    here!("Error bodies are", every_refusal_has_a_tag),
    here!("CallbackUrlNotAllowed |", every_refusal_has_a_tag),
    here!("Unauthorized |", access::every_bad_key_is_refused_alike),
    here!("IpNotAllowed |", access::only_addresses_of_the_list_may_call),
    here!("RateLimited |", creations_alone_are_limited),
    here!("RateLimited: Limit value", creations_alone_are_limited),
    here!("SessionNotFound |", unknown_foreign_and_malformed_ids_are_alike),
    here!("ReprocessNotAllowed |", states::no_other_state_is_reprocessed),
    here!("HTTP statuses stated", every_refusal_has_a_tag),
    exempt!(
        "HTTP status codes of",
        "left open there; the table of errors in docs/API.md is ours"
    ),
    exempt!("Error body of", "left open there; it is HttpApiDecodeError"),
    exempt!(
        "Error tag and status",
        "left open there; it is SessionCreationNotAllowed, 409"
    ),
];

pub(super) const LIMITS: &[Row] = &[
    here!("callbackUrl with state", callback_url_and_state_have_8000_bytes),
    here!("metadata |", request::metadata_has_at_most_8192_bytes),
    here!(
        "preRegisteredInfo.lastName",
        request::names_and_addresses_have_their_lengths
    ),
    here!(
        "preRegisteredInfo.address",
        request::names_and_addresses_have_their_lengths
    ),
    here!("preRegisteredInfo |", request::what_is_known_has_at_least_one_field),
    exempt!(
        "Webhook timestamp tolerance",
        "the receiver's; the debugger in the console judges by the same"
    ),
    here!("Session creation |", creations_alone_are_limited),
    exempt!(
        "The numeric rate limit",
        "left open there; default.toml and the settings say ours"
    ),
];

pub(super) const VERSIONING: &[Row] = &[
    here!("Paths are prefixed", the_description_has_its_version),
    here!("The API description version", the_description_has_its_version),
    here!(
        "Webhook payloads carry",
        super::events::each_end_is_told_to_the_receiver
    ),
    exempt!("Within one version", "a freedom of ours, which the description repeats"),
    exempt!("Receivers ignore", "the receiver's part"),
    exempt!("Policy for retiring", "left open there"),
];

/// Asserts a status and a body.
fn refused(answer: &Answer, status: u16, body: &serde_json::Value) {
    assert_eq!((answer.status, &answer.json()), (status, body));
    assert_eq!(answer.header("retry-after"), None);
}

async fn a_body_is_one_object() {
    let world = World::new().await;
    for (body, status) in [
        ("", 201),
        ("{}", 201),
        (" {\n} ", 201),
        ("[]", 400),
        ("null", 400),
        ("{", 400),
        ("{}{}", 400),
        ("{\"a\":1,\"a\":1}", 400),
        ("{\"a\":{\"b\":[{\"c\":1,\"c\":1}]}}", 400),
    ] {
        for kind in ["application/json", "text/plain", "application/json; charset=utf-16"] {
            let answer = world
                .server
                .call_with("POST", SESSIONS, &[("content-type", kind)], body)
                .await;
            assert_eq!(answer.status, status, "{kind} {body}");
        }
    }
    let large = world
        .server
        .call("POST", SESSIONS, &format!("{{}}{}", " ".repeat(64 * 1024)))
        .await;
    assert_eq!(
        (large.status, &large.json()["_tag"]),
        (400, &json!("HttpApiDecodeError"))
    );
}

async fn a_tenant_that_is_not_ready_is_told_why() {
    let world = World::new().await;
    for (settings, reason, message) in [
        (
            None,
            "settings_missing",
            "The tenant has no settings yet. An admin must save them in the console, under Settings.",
        ),
        (
            Some(TenantSettings::default()),
            "no_steps_enabled",
            "The tenant has no verification step enabled. An admin must enable one in the console, under Settings.",
        ),
    ] {
        world.server.save_settings(settings).await;
        let answer = world.server.call("POST", SESSIONS, "{}").await;
        let body = json!({"_tag": "SessionCreationNotAllowed", "reason": reason, "message": message});
        refused(&answer, 409, &body);
    }
}

async fn an_oversized_metadata_is_400() {
    let world = World::new().await;
    let body = json!({"metadata": {"k": "a".repeat(8185)}}).to_string();
    let answer = world.server.call("POST", SESSIONS, &body).await;
    let issue = json!({"_tag": "Limit", "path": ["metadata"],
        "message": "must be at most 8192 bytes of compact JSON, but is 8193"});
    let body = json!({"_tag": "HttpApiDecodeError", "message": "The request does not match the API description.", "issues": [issue]});
    refused(&answer, 400, &body);
}

async fn a_body_that_nobody_asked_for_is_not_looked_at() {
    let world = World::new().await;
    let id = world.ended("{}", "approved").await;
    for body in ["nonsense", "{\"status\":\"created\"}"] {
        assert_eq!(
            world.server.call("GET", &format!("{SESSIONS}/{id}"), body).await.status,
            200
        );
    }
    let path = format!("{SESSIONS}/{id}/reprocess");
    assert_eq!(world.server.call("POST", &path, "nonsense").await.status, 200);
}

async fn each_retrieval_is_on_record() {
    let world = World::new().await;
    let id = world.create("{}").await;
    let reads = async || {
        let (tenant, id) = (world.server.tenant.clone(), id.clone());
        let unit = world
            .server
            .app
            .honnin
            .db()
            .read(async move |tx| audit::list(tx, &tenant, Some(&id), None, 100).await);
        let log = unit.await.unwrap();
        log.iter()
            .filter(|kept| kept.entry.action == AuditAction::SessionRead)
            .count()
    };
    assert_eq!(reads().await, 0);
    for times in 1..4 {
        let method = if times == 3 { "HEAD" } else { "GET" };
        world.server.call(method, &format!("{SESSIONS}/{id}"), "").await;
        assert_eq!(reads().await, times, "on record when the answer is there");
    }
}

pub(super) async fn unknown_foreign_and_malformed_ids_are_alike() {
    let world = World::new().await;
    let mine = world.create("{}").await;
    let other = add_tenant(&world.server.app, settings()).await;
    let bearer = format!("Bearer {}", other.key.expose());
    let long = "a".repeat(10_240);
    let (high, upper) = ("%E9%AB%99".repeat(100), mine.to_uppercase());
    let (slash, space) = (format!("{mine}/"), format!("{mine}%20"));
    for (raw, id) in [
        (mine.as_str(), mine.as_str()),
        (&format!("vs_{}", "0".repeat(32)), &format!("vs_{}", "0".repeat(32))),
        (&upper, &upper),
        (&slash, &slash),
        (&space, &format!("{mine} ")),
        ("nonsense", "nonsense"),
        ("%ff", "\u{fffd}"),
        ("%00", "\0"),
        ("%22%5c", "\"\\"),
        (&long, &long[..64]),
        (&high, &"髙".repeat(64)),
    ] {
        let headers = [("authorization", bearer.as_str())];
        let read = world
            .server
            .send("GET", &format!("{SESSIONS}/{raw}"), &headers, "")
            .await;
        refused(&read, 404, &json!({"_tag": "SessionNotFound", "id": id}));
        let path = format!("{SESSIONS}/{}/reprocess", raw.trim_end_matches('/'));
        let again = world.server.send("POST", &path, &headers, "").await;
        refused(
            &again,
            404,
            &json!({"_tag": "SessionNotFound", "id": id.trim_end_matches('/')}),
        );
    }
    let empty = world.server.call("GET", &format!("{SESSIONS}/"), "").await;
    refused(&empty, 404, &json!({"_tag": "SessionNotFound", "id": ""}));
    let empty = world.server.call("POST", &format!("{SESSIONS}//reprocess"), "").await;
    refused(&empty, 404, &json!({"_tag": "SessionNotFound", "id": ""}));
    assert_eq!(world.get(&mine).await.status, 200, "its own tenant finds it");
}

async fn the_console_reissues_the_link() {
    let world = World::new().await;
    let created = world.server.create("{}").await;
    let id = text(&created["id"]);
    world.end(&id, "failed").await;
    assert_eq!(world.reprocess(&id).await.status, 200);
    let mut reviewer = crate::console::Browser::signed_in(&world.server, domain::role::Role::Reviewer).await;
    let page = reviewer.post(&format!("/admin/sessions/{id}/link"), "").await.body;
    let path = format!("/v/{}", between(&page, "https://id.example/v/", &['<', '"']));
    let old = text(&created["verificationUrl"]);
    let mut browser = crate::browser::Browser::new(&world.server);
    assert_eq!(
        browser
            .get(old.strip_prefix("https://id.example").unwrap())
            .await
            .status,
        404
    );
    assert_eq!(browser.get(&path).await.status, 200);
}

async fn every_refusal_has_a_tag() {
    let world = World::new().await;
    let server = &world.server;
    let url = "https://evil.example/é?\"";
    let body = json!({ "callbackUrl": url }).to_string();
    let callback = server.call("POST", SESSIONS, &body).await;
    refused(
        &callback,
        400,
        &json!({"_tag": "CallbackUrlNotAllowed", "callbackUrl": url}),
    );
    let missing = server.call("GET", &format!("{SESSIONS}/x"), "").await;
    refused(&missing, 404, &json!({"_tag": "SessionNotFound", "id": "x"}));
    for (method, path, allow) in [
        ("PUT", SESSIONS.to_owned(), "GET,HEAD,POST"),
        ("OPTIONS", SESSIONS.to_owned(), "GET,HEAD,POST"),
        ("HEAD", format!("{SESSIONS}/x/reprocess"), "POST"),
        ("PATCH", format!("{SESSIONS}/x"), "GET,HEAD"),
        ("GET", format!("{SESSIONS}/x/reprocess"), "POST"),
    ] {
        let answer = server.call(method, &path, "").await;
        assert_eq!(
            (answer.status, answer.header("allow")),
            (405, Some(allow)),
            "{method} {path}"
        );
        assert!(method == "HEAD" || answer.json() == json!({"_tag": "MethodNotAllowed"}));
    }
    let nowhere = server.call("GET", "/v1/verification-session", "").await;
    refused(&nowhere, 404, &json!({"_tag": "NotFound"}));
    assert_eq!(server.call("POST", SESSIONS, "{}").await.status, 201);
}

async fn creations_alone_are_limited() {
    let server = Server::with("[limits]\ncreations_per_minute = 60\ncreation_burst = 2\n").await;
    let id = text(&server.create("{}").await["id"]);
    server.create("{}").await;
    let answer = server.call("POST", SESSIONS, "{").await;
    let message = "The session-creation limit is reached. Retry later.";
    refused(&answer, 429, &json!({"_tag": "RateLimited", "message": message}));
    let revealing = |(name, _): &&(String, String)| name.contains("limit") || name.contains("retry");
    assert_eq!(answer.headers.iter().find(revealing), None);
    for _ in 0..5 {
        assert_eq!(server.call("GET", &format!("{SESSIONS}/{id}"), "").await.status, 200);
        assert_eq!(
            server
                .call("POST", &format!("{SESSIONS}/{id}/reprocess"), "")
                .await
                .status,
            409
        );
    }
    server.clock.advance(domain::time::Millis::seconds(1));
    server.create("{}").await;
}

async fn callback_url_and_state_have_8000_bytes() {
    const DECODE: Option<&str> = Some("HttpApiDecodeError");
    let url = "https://shop.example/done";
    let room = 8000 - format!("{url}?state=").len();
    request::judged(&[
        (json!({"callbackUrl": url, "state": "a".repeat(room)}), None),
        (json!({"callbackUrl": url, "state": "a".repeat(room + 1)}), DECODE),
        // As it is appended: three bytes each.
        (json!({"callbackUrl": url, "state": "%".repeat(room / 3)}), None),
        (json!({"callbackUrl": url, "state": "%".repeat(room / 3 + 1)}), DECODE),
        // As it is given, too.
        (
            json!({"callbackUrl": format!("https://shop.example/{}done", "./".repeat(4000))}),
            DECODE,
        ),
        (json!({"state": "a".repeat(8000)}), None),
        (json!({"state": "a".repeat(8001)}), DECODE),
        (json!({"state": "あ".repeat(2666)}), None),
        (json!({"state": "あ".repeat(2667)}), DECODE),
    ])
    .await;
}

async fn the_description_has_its_version() {
    let world = World::new().await;
    let description = world.server.send("GET", "/v1/openapi.json", &[], "").await.json();
    assert_eq!(description["openapi"], "3.1.0");
    assert_eq!(description["info"]["version"], "0.0.1");
    let paths = description["paths"].as_object().unwrap();
    assert!(paths.keys().all(|path| path.starts_with("/v1/")));
}
