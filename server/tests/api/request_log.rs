//! What developers see of the requests of their servers: enough to find a fault, and nothing personal.

use crate::{
    console::Browser,
    support::{SESSIONS, Server, add_sandbox, settings},
};
use domain::{role::Role, tenant::TenantSettings};
use testkit::databases::number_at;

async fn log(browser: &mut Browser<'_>, query: &str) -> String {
    let page = browser.get(&format!("/admin/requests{query}")).await;
    assert_eq!(page.status, 200);
    page.body
}

/// The table's rows as text: what is between the tags.
fn rows(page: &str) -> Vec<String> {
    let Some((_, table)) = page.split_once("<tbody") else {
        return Vec::new();
    };
    let table = table.split("</tbody>").next().unwrap();
    let text = |html: &str| {
        let parts = html.split('<').filter_map(|part| part.split_once('>'));
        let words: Vec<_> = parts
            .map(|(_, text)| text.trim())
            .filter(|text| !text.is_empty())
            .collect();
        words.join(" | ")
    };
    table.split("<tr").skip(1).map(text).collect()
}

#[tokio::test]
async fn a_developer_finds_a_request_by_its_id_with_its_error_and_its_key() {
    let server = Server::new().await;
    let id = server.create("{}").await["id"].as_str().unwrap().to_owned();
    let missing = server.call("GET", &format!("{SESSIONS}/vs_nothing?debug=1"), "").await;
    let request = missing.header("x-request-id").unwrap();
    server.call("POST", &format!("{SESSIONS}/{id}/cancel"), "").await;
    let mut developer = Browser::signed_in(&server, Role::Developer).await;
    let all = rows(&log(&mut developer, "").await);
    assert_eq!(all.len(), 3, "{all:?}");
    for (row, expected) in all.iter().zip([
        ["POST /v1/verification-sessions/{id}/cancel | req_", " | 200 | "],
        [
            "GET /v1/verification-sessions/{id} | req_",
            " | 404 | SessionNotFound | ",
        ],
        ["POST /v1/verification-sessions | req_", " | 201 | "],
    ]) {
        assert!(
            row.starts_with("2026-08-02 09:30:00.000 | ") && expected.iter().all(|part| row.contains(part)),
            "{row}"
        );
        assert!(
            row.contains(" ms | ") && row.contains("| req_") && row.ends_with("| 127.0.0.1"),
            "{row}"
        );
    }
    let page = log(&mut developer, "?status=404").await;
    let link = page.split("href=\"/docs#").nth(1).unwrap().split('"').next().unwrap();
    let docs = server.send("GET", "/docs", &[], "").await.body;
    let explained = format!("<tr id=\"{link}\"><td data-label=\"Status\">404</td>");
    assert!(docs.contains(&explained), "{link}");
    let found = rows(&log(&mut developer, &format!("?request={request}")).await);
    assert!(found.len() == 1 && found[0].contains(request), "{found:?}");
    for (query, count) in [
        ("?status=4xx", 1),
        ("?status=404", 1),
        ("?status=2xx", 2),
        ("?status=5xx", 0),
        ("?operation=GET+%2Fv1%2Fverification-sessions%2F%7Bid%7D", 1),
        ("?operation=DELETE+%2Fv1%2Fevents", 0),
        ("?operation=nonsense", 3),
        ("?request=req_nothing", 0),
    ] {
        assert_eq!(rows(&log(&mut developer, query).await).len(), count, "{query}");
    }
    let page = log(&mut developer, "").await;
    assert!(
        page.contains("<option value=\"POST /v1/verification-sessions\">"),
        "{page}"
    );
    let key = page.split("value=\"key_").nth(1).unwrap().split('"').next().unwrap();
    assert_eq!(rows(&log(&mut developer, &format!("?key=key_{key}")).await).len(), 3);
    let other = format!("?key=key_{}", "0".repeat(32));
    assert_eq!(rows(&log(&mut developer, &other).await).len(), 0);
}

#[tokio::test]
async fn refusals_of_a_valid_key_are_listed_and_strangers_are_not() {
    let server = Server::new().await;
    let wrong = format!("Bearer {}", server.key.replace("hn_live_", "hn_test_"));
    assert_eq!(
        server
            .send("GET", SESSIONS, &[("authorization", &wrong)], "")
            .await
            .status,
        401
    );
    assert_eq!(server.send("GET", SESSIONS, &[], "").await.status, 401);
    server
        .save_settings(Some(TenantSettings {
            ip_allow_list: vec!["192.0.2.0/24".parse().unwrap()],
            ..settings()
        }))
        .await;
    assert_eq!(server.call("GET", SESSIONS, "").await.status, 403);
    let mut developer = Browser::signed_in(&server, Role::Developer).await;
    let listed = rows(&log(&mut developer, "").await);
    assert_eq!(listed.len(), 1, "{listed:?}");
    assert!(
        listed[0].contains("403 | IpNotAllowed") && listed[0].contains("127.0.0.1"),
        "{listed:?}"
    );
}

#[tokio::test]
async fn what_leads_nowhere_is_listed_with_a_valid_key_and_no_operation_has_an_empty_id() {
    let server = Server::new().await;
    let calls = [
        ("PUT", SESSIONS.to_owned(), 405, "PUT /v1/verification-sessions | "),
        // A client can make up methods of any length.
        ("BREW", SESSIONS.to_owned(), 405, "other /v1/verification-sessions | "),
        ("POST", "/v1/nothing".to_owned(), 404, "POST /v1/* | "),
        ("POST", format!("{SESSIONS}/"), 404, "POST /v1/* | "),
        (
            "GET",
            format!("{SESSIONS}/"),
            404,
            "GET /v1/verification-sessions/{id} | ",
        ),
        (
            "POST",
            format!("{SESSIONS}//cancel"),
            404,
            "POST /v1/verification-sessions/{id}/cancel | ",
        ),
        (
            "GET",
            format!("{SESSIONS}/vs_1/"),
            404,
            "GET /v1/verification-sessions/{id} | ",
        ),
    ];
    for (method, path, status, _) in &calls {
        assert_eq!(server.call(method, path, "").await.status, *status, "{method} {path}");
        server.send(method, path, &[], "").await;
    }
    let mut developer = Browser::signed_in(&server, Role::Developer).await;
    let page = log(&mut developer, "").await;
    let listed = rows(&page);
    assert_eq!(listed.len(), calls.len(), "{listed:?}");
    for ((_, _, status, operation), row) in calls.iter().rev().zip(&listed) {
        assert!(
            row.contains(operation) && row.contains(&format!(" | {status} | ")),
            "{row}"
        );
    }
    assert!(
        !page.contains("verification-sessions//") && !page.contains("verification-sessions/\""),
        "{page}"
    );
}

#[tokio::test]
async fn another_tenants_requests_are_not_shown() {
    let mut server = Server::new().await;
    server.create("{}").await;
    let made = add_sandbox(&server.app, settings()).await;
    (server.tenant, server.key) = (made.id, made.key.expose().clone());
    let theirs = server.call("GET", SESSIONS, "").await;
    let mut developer = Browser::signed_in(&server, Role::Developer).await;
    let listed = rows(&log(&mut developer, "").await);
    assert_eq!(listed.len(), 1, "{listed:?}");
    assert!(listed[0].contains(theirs.header("x-request-id").unwrap()));
}

#[tokio::test]
async fn nothing_personal_and_nothing_secret_is_in_the_log() {
    let server = Server::sandbox().await;
    let body = r#"{"state": "canary-state", "metadata": {"order": "canary-metadata"},
        "preRegisteredInfo": {"lastName": "Canarylast", "address": "Canary street"}}"#;
    let created = server.create(body).await;
    let id = created["id"].as_str().unwrap().to_owned();
    let path = format!("/v1/sandbox/verification-sessions/{id}/complete");
    server.call("POST", &path, r#"{"outcome":"approved"}"#).await;
    let read = server.call("GET", &format!("{SESSIONS}/{id}"), "").await;
    assert!(read.body.contains("Canarylast"));
    server
        .call("GET", &format!("{SESSIONS}?metadata[order]=canary-metadata"), "")
        .await;
    server
        .call("GET", &format!("{SESSIONS}/Canarylast?name=Canarylast"), "")
        .await;
    server
        .call_with(
            "POST",
            SESSIONS,
            &[("idempotency-key", "canary-key"), ("user-agent", "canary-agent")],
            body,
        )
        .await;
    server
        .call("POST", SESSIONS, r#"{"callbackUrl": "https://canary.example/"}"#)
        .await;
    let mut developer = Browser::signed_in(&server, Role::Developer).await;
    let listed = rows(&log(&mut developer, "").await);
    assert_eq!(listed.len(), 7, "{listed:?}");
    let stored = server.app.honnin.db().read(async |tx| {
        let tenants = store::settings::tenants::list(tx).await?;
        let mut all = String::new();
        for tenant in tenants {
            let any = store::request_log::Filter::default();
            all += &format!("{:?}", store::request_log::list(tx, &tenant.id, &any, None, 100).await?);
        }
        Ok::<_, store::StoreError>(all)
    });
    let stored = stored.await.unwrap();
    assert_eq!(stored.matches("request: ").count(), 7, "{stored}");
    for secret in ["anary", "SAMPLE", "order", id.as_str(), &server.key, &server.key[8..20]] {
        assert!(!stored.contains(secret), "{secret} in {stored}");
        assert!(!listed.concat().contains(secret), "{secret} in {listed:?}");
    }
}

#[tokio::test]
async fn the_log_can_be_switched_off() {
    let server = Server::sandbox_with("[retention]\nrequests_per_tenant = 0\n").await;
    server.create("{}").await;
    let mut developer = Browser::signed_in(&server, Role::Developer).await;
    let page = log(&mut developer, "").await;
    assert!(
        rows(&page).is_empty() && page.contains("The request log is switched off"),
        "{page}"
    );
}

#[tokio::test]
async fn a_server_that_stops_writes_what_it_still_has() {
    let mut server = Server::new().await;
    server.create("{}").await;
    server.app.stopping.cancel();
    (&mut server.task).await.unwrap();
    let written = number_at(&server.app.config.database_url, "SELECT COUNT(*) FROM request_log").await;
    assert_eq!(written, 1);
}
