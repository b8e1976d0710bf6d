//! Each operation with keys of each set of scopes: without the required scope, the response equals that of a wrong key, byte
//! for byte.

use super::tenant_isolation::routes::routes;
use crate::support::{SESSIONS, Server, settings};
use domain::{
    ids::ApiKeyId,
    scope::{Scope, Scopes},
    tenant::{Mode, TenantSettings},
};
use service::{
    access::api_key,
    runtime::random::{Random as _, SystemRandom},
};
use std::collections::BTreeSet;
use store::settings::api_keys;

/// Method, path and body of each operation, its scope, and its status for a key that has it.
const OPERATIONS: [(&str, &str, &str, Scope, u16); 16] = [
    ("POST", SESSIONS, "{}", Scope::Create, 201),
    ("GET", SESSIONS, "", Scope::Read, 200),
    ("GET", "/v1/events", "", Scope::Read, 200),
    ("POST", "/v1/verification-sessions/{id}/cancel", "", Scope::Manage, 200),
    ("POST", "/v1/verification-sessions//cancel", "", Scope::Manage, 404),
    ("POST", "/v1/verification-sessions/{id}/erase", "", Scope::Manage, 202),
    ("POST", "/v1/verification-sessions//erase", "", Scope::Manage, 404),
    ("GET", "/v1/verification-sessions/{id}", "", Scope::Read, 200),
    ("GET", "/v1/verification-sessions/{id}/", "", Scope::Read, 404),
    ("GET", "/v1/verification-sessions/", "", Scope::Read, 404),
    (
        "POST",
        "/v1/verification-sessions/{id}/reprocess",
        "",
        Scope::Manage,
        409,
    ),
    ("POST", "/v1/verification-sessions//reprocess", "", Scope::Manage, 404),
    (
        "POST",
        "/v1/sandbox/verification-sessions/{id}/complete",
        "{\"outcome\":\"approved\"}",
        Scope::Create,
        200,
    ),
    (
        "POST",
        "/v1/sandbox/verification-sessions//complete",
        "{\"outcome\":\"approved\"}",
        Scope::Create,
        404,
    ),
    (
        "POST",
        "/v1/sandbox/verification-sessions/{id}/advance",
        "{\"to\":\"deadline\"}",
        Scope::Create,
        200,
    ),
    (
        "POST",
        "/v1/sandbox/verification-sessions//advance",
        "{\"to\":\"deadline\"}",
        Scope::Create,
        404,
    ),
];

/// What describes the API, without a key.
const PUBLIC: [&str; 2] = ["GET /v1/openapi.json", "GET /v1/openapi-3.0.json"];

/// A key of the server's tenant with these scopes.
async fn key(server: &Server, scopes: Scopes) -> String {
    let key = api_key::generate(&SystemRandom, Mode::Sandbox);
    let mut id = [0; 16];
    SystemRandom.fill(&mut id);
    let row = api_keys::ApiKeyRow {
        id: ApiKeyId::from_random(id),
        tenant: server.tenant.clone(),
        name: scopes.to_string(),
        prefix: api_key::prefix(key.expose()),
        hash: api_key::hash(key.expose()),
        scopes,
        created_at: crate::support::START,
        expires_at: None,
        revoked_at: None,
        replaced_at: None,
        last_used_at: None,
        last_used_from: None,
        networks: Vec::new(),
    };
    let unit = server
        .app
        .honnin
        .db()
        .write(async move |tx| api_keys::insert(tx, &row).await);
    unit.await.unwrap();
    key.expose().clone()
}

#[tokio::test]
async fn every_operation_of_the_api_has_a_row_and_every_row_an_operation() {
    let server = Server::new().await;
    let of_api = |route: &String| route.contains(" /v1/") && !PUBLIC.contains(&route.as_str());
    let operations: BTreeSet<String> = routes(&server.app).into_iter().filter(of_api).collect();
    let rows = OPERATIONS.iter().map(|(method, path, ..)| format!("{method} {path}"));
    let rows: BTreeSet<String> = rows.collect();
    assert_eq!(rows, operations);
}

#[tokio::test]
async fn a_key_without_the_scope_of_an_operation_is_a_wrong_key_there() {
    let server = Server::sandbox_with("limits.creations_per_minute = 0").await;
    for bits in 1..8_u8 {
        let chosen = Scope::ALL
            .iter()
            .enumerate()
            .filter(|(place, _)| bits & (1 << place) != 0);
        let scopes: Scopes = chosen.map(|(_, scope)| *scope).collect();
        let bearer = format!("Bearer {}", key(&server, scopes).await);
        for (method, path, body, scope, status) in OPERATIONS {
            let id = server.create("{}").await["id"].as_str().unwrap().to_owned();
            let path = path.replace("{id}", &id);
            let answer = server.send(method, &path, &[("authorization", &bearer)], body).await;
            if scopes.contains(scope) {
                assert_eq!(answer.status, status, "{method} {path} with {scopes}: {}", answer.body);
            } else {
                let wrong = server.send(method, &path, &[], body).await;
                assert_eq!(answer.shown(), wrong.shown(), "{method} {path} with {scopes}");
                assert_eq!(wrong.status, 401);
            }
        }
    }
}

#[tokio::test]
async fn a_key_without_the_scope_is_wrong_from_an_address_off_the_list_as_well() {
    let mut server = Server::sandbox().await;
    let creating = key(&server, Scopes::NONE.with(Scope::Create)).await;
    server
        .save_settings(Some(TenantSettings {
            ip_allow_list: vec!["192.0.2.0/24".parse().unwrap()],
            ..settings()
        }))
        .await;
    server.key = creating;
    assert_eq!(server.call("GET", &format!("{SESSIONS}/x"), "").await.status, 401);
    assert_eq!(server.call("POST", SESSIONS, "").await.status, 403);
}
