//! Tenant isolation: whatever route a caller of one tenant requests with whatever id of another tenant, the response equals,
//! byte for byte, the one for an id that does not exist; and nothing of the other tenant has changed.
//!
//! The routes are those that the router tells, so that a new one without a row here fails. A planted fault that this test
//! detected: `events::find` for any tenant.

pub(super) mod routes;

use crate::{
    browser::{self, PASSPORT, photo},
    console,
    support::{Answer, SESSIONS, START, Server, add_sandbox, settings},
};
use domain::role::Role;
use serde_json::Value;
use service::jobs::worker::{Lane, Worker};
use std::collections::BTreeSet;
use store::{
    StoreError,
    people::{invitations, users},
    settings::{api_keys, webhook_secrets},
};

/// The credentials that a route requires.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Door {
    /// The tenant's key.
    Key,
    /// A person signed in to the console: an admin, who may do everything there.
    Console,
    /// A browser that belongs to a session.
    Capture,
}

/// Routes that take an id: credentials, method, path with `{}` for the id, form or body with `{}` for it.
const WITH_ID: &[(Door, &str, &str, &str)] = &[
    (Door::Key, "GET", "/v1/verification-sessions/{}", ""),
    (Door::Key, "GET", "/v1/verification-sessions/{}/", ""),
    (Door::Key, "POST", "/v1/verification-sessions/{}/reprocess", ""),
    (
        Door::Key,
        "GET",
        "/v1/verification-sessions?cursor=9999999999999.{}",
        "",
    ),
    (Door::Key, "GET", "/v1/verification-sessions?metadata[order]={}", ""),
    (Door::Key, "GET", "/v1/events?cursor=9999999999999.{}", ""),
    (Door::Key, "POST", "/v1/verification-sessions/{}/cancel", ""),
    (Door::Key, "POST", "/v1/verification-sessions/{}/erase", ""),
    (
        Door::Key,
        "POST",
        "/v1/sandbox/verification-sessions/{}/complete",
        "{\"outcome\":\"approved\"}",
    ),
    (
        Door::Key,
        "POST",
        "/v1/sandbox/verification-sessions/{}/advance",
        "{\"to\":\"deadline\"}",
    ),
    (Door::Capture, "GET", "/v/{}", ""),
    (Door::Capture, "POST", "/v/{}", "outcome=approved"),
    (Door::Capture, "GET", "/v/{}/opened", ""),
    (Door::Capture, "GET", "/capture/pictures/{}", ""),
    (Door::Capture, "GET", "/capture/pictures/{}?frame=1", ""),
    (Door::Capture, "GET", "/capture/pictures/{}?view=card", ""),
    (Door::Capture, "GET", "/capture/pictures/{}?view=card-on-screen", ""),
    (Door::Capture, "GET", "/capture/pictures/{}?view=typed-items", ""),
    (Door::Capture, "GET", "/logos/{}", ""),
    (Door::Console, "POST", "/admin/review/{}/undo", ""),
    (Door::Console, "POST", "/admin/keys/{}/rotate", "hours=24"),
    (Door::Console, "POST", "/admin/account/passkeys/{}/remove", ""),
    (
        Door::Console,
        "POST",
        "/admin/account/passkeys/{}/remove",
        "confirmed=yes",
    ),
    (Door::Console, "POST", "/admin/account/sessions/{}/end", ""),
    (Door::Console, "POST", "/admin/account/browsers/{}/forget", ""),
    (Door::Console, "GET", "/admin/set-up/{}", ""),
    (
        Door::Console,
        "POST",
        "/admin/set-up/{}",
        "name=A&email=a%40b.example&password=correct+horse+battery",
    ),
    (Door::Console, "GET", "/admin/invitation/{}", ""),
    (
        Door::Console,
        "POST",
        "/admin/invitation/{}",
        "password=correct+horse+battery",
    ),
    (Door::Console, "GET", "/admin/invitation/{}/openid", ""),
    (Door::Console, "GET", "/admin/reset/{}", ""),
    (
        Door::Console,
        "POST",
        "/admin/reset/{}",
        "password=correct+horse+battery",
    ),
    (Door::Console, "POST", "/admin/invitations/{}/revoke", ""),
    (Door::Console, "POST", "/admin/tenant", "tenant={}"),
    (Door::Console, "GET", "/admin/sessions?id={}", ""),
    (Door::Console, "GET", "/admin/sessions?q={}", ""),
    (Door::Console, "POST", "/admin/sessions/resend", "session={}"),
    (Door::Console, "GET", "/admin/sessions?metadata={}", ""),
    (Door::Console, "GET", "/admin/sessions?after=9999999999999.{}", ""),
    (Door::Console, "GET", "/admin/sessions/{}", ""),
    (Door::Console, "POST", "/admin/sessions/{}/link", ""),
    (Door::Console, "POST", "/admin/sessions/{}/reprocess", ""),
    (Door::Console, "POST", "/admin/sessions/{}/reprocess", "confirmed=yes"),
    (Door::Console, "POST", "/admin/sessions/{}/complete", "outcome=approved"),
    (Door::Console, "POST", "/admin/sessions/{}/advance", "to=deadline"),
    (Door::Console, "GET", "/admin/requests?request={}", ""),
    (Door::Console, "GET", "/admin/requests?key={}", ""),
    (Door::Console, "GET", "/admin/webhooks/unsent?after=0.{}", ""),
    (Door::Console, "GET", "/admin/sessions/{}/erase", ""),
    (Door::Console, "POST", "/admin/sessions/{}/erase", "word=ERASE"),
    (Door::Console, "POST", "/admin/review/{}/hold", ""),
    (Door::Console, "GET", "/admin/review/{}", ""),
    (Door::Console, "POST", "/admin/review/{}/assign", ""),
    (Door::Console, "POST", "/admin/review/{}/take", ""),
    (
        Door::Console,
        "POST",
        "/admin/review/{}/assign",
        "back=case&attempt=1&note=mine",
    ),
    (Door::Console, "POST", "/admin/review/{}/leave", "case={}"),
    (Door::Console, "POST", "/admin/review/{}", "decision=approve&note=mine"),
    (Door::Console, "POST", "/admin/review/{}", "decision=ask_again"),
    (
        Door::Console,
        "POST",
        "/admin/review/{}",
        "decision=ask_again&confirmed=yes",
    ),
    (Door::Console, "GET", "/admin/pictures/{}/0", ""),
    (Door::Console, "GET", "/admin/pictures/{}/0?view=card", ""),
    (Door::Console, "GET", "/admin/pictures/{}/0?view=items", ""),
    (Door::Console, "GET", "/admin/pictures/{}/0?view=face", ""),
    (Door::Console, "POST", "/admin/keys/{}/revoke", ""),
    (Door::Console, "POST", "/admin/keys/{}/revoke", "confirmed=yes"),
    (
        Door::Console,
        "POST",
        "/admin/webhooks/check",
        "headers=webhook-id%3A+{}%0D%0Awebhook-timestamp%3A+1%0D%0Awebhook-signature%3A+v1%2CAAAA&body=%7B%7D",
    ),
    (Door::Console, "POST", "/admin/webhooks/secrets/{}/disable", ""),
    (
        Door::Console,
        "POST",
        "/admin/webhooks/secrets/{}/disable",
        "confirmed=yes",
    ),
    (Door::Console, "GET", "/admin/webhooks/{}", ""),
    (Door::Console, "GET", "/admin/webhooks/{}?attempt=1", ""),
    (Door::Console, "GET", "/admin/webhooks?after=9999999999999.{}", ""),
    (Door::Console, "POST", "/admin/webhooks/{}/again", ""),
    (Door::Console, "POST", "/admin/people/{}", "change=disable"),
    (Door::Console, "POST", "/admin/people/{}", "change=reset"),
    (Door::Console, "POST", "/admin/people/{}", "change=remove_factors"),
    (
        Door::Console,
        "POST",
        "/admin/people/{}",
        "change=remove_factors&confirmed=yes",
    ),
    (Door::Console, "POST", "/admin/people/{}", "change=role&role=auditor"),
];

/// Routes that take none, besides those of the console. They show only the caller's own data, if any.
const WITHOUT_ID: &[&str] = &[
    "POST /v1/verification-sessions",
    "GET /v1/verification-sessions/",
    "POST /v1/verification-sessions//reprocess",
    "POST /v1/sandbox/verification-sessions//complete",
    "POST /v1/sandbox/verification-sessions//advance",
    "GET /v1/openapi.json",
    "GET /v1/openapi-3.0.json",
    "GET /docs",
    "GET /docs/",
    "GET /docs/search",
    "GET /docs/honnin.postman_collection.json",
    // The names of guides, which belong to nobody.
    "GET /docs/{guide}",
    "GET /v1/verification-sessions",
    "GET /v1/events",
    "POST /v1/verification-sessions//cancel",
    "POST /v1/verification-sessions//erase",
    // Only in the demonstration: webhooks for people at the machine, and the types of those about a session for whoever knows its id.
    "GET /demo/inbox",
    "GET /demo/callback",
    "POST /csp-reports",
    "GET /healthz",
    "GET /readyz",
    "GET /",
    "GET /capture",
    "GET /capture/consent",
    "POST /capture/consent",
    "GET /capture/document-type",
    "POST /capture/document-type",
    "GET /capture/document",
    "GET /capture/check",
    "POST /capture/check",
    "GET /capture/check/found",
    "GET /capture/pictures",
    "POST /capture/pictures",
    "GET /capture/details",
    "POST /capture/details",
    "GET /capture/selfie",
    "POST /capture/selfie",
    // The token of its form: `service/tests/capture/live.rs`.
    "POST /capture/selfie/live",
    "GET /capture/queue",
    "GET /capture/submit",
    "POST /capture/submit",
    "GET /capture/result",
    "GET /capture/another-device",
    "POST /capture/another-device",
    "GET /capture/more-time",
    "POST /capture/more-time",
];

/// What stands in braces in a route of the console and is no id.
const NO_IDS: &[&str] = &["{step}", "{section}", "{*nothing}"];

#[tokio::test]
async fn every_route_of_the_router_has_a_row() {
    let server = Server::demo().await;
    let routes = routes::routes(&server.app);
    assert!(routes.len() > 100, "{routes:?}");
    // A path parameter takes an id, whatever its name.
    let bare = |route: &str| {
        let mut out = String::new();
        let mut rest = route;
        while let Some((before, after)) = rest.split_once('{') {
            out += &format!("{before}{{}}");
            rest = after.split_once('}').unwrap().1;
        }
        out + rest
    };
    let rows: BTreeSet<String> = WITH_ID
        .iter()
        .map(|(_, method, path, _)| format!("{method} {}", path.split('?').next().unwrap()))
        .collect();
    let console = console::ROUTES
        .iter()
        .map(|(method, path, ..)| format!("{method} {path}"))
        .filter(|route| !route.contains('{') || NO_IDS.iter().any(|part| route.contains(part)));
    let without: BTreeSet<String> = WITHOUT_ID
        .iter()
        .map(|&route| route.to_owned())
        .chain(console)
        .collect();
    let covers = |route: &String| without.contains(route) || rows.contains(&bare(route).replace("{}/{}", "{}/0"));
    let missing: Vec<_> = routes.iter().filter(|route| !covers(route)).collect();
    assert!(
        missing.is_empty(),
        "no row in the table of tenant isolation: {missing:?}"
    );
    let gone: Vec<_> = WITHOUT_ID.iter().filter(|route| !routes.contains(**route)).collect();
    assert!(gone.is_empty(), "rows of routes that are gone: {gone:?}");
}

/// The ids of a tenant's objects, by prefix.
struct Belongings {
    tenant: String,
    key: String,
    ids: Vec<(&'static str, String)>,
}

/// A tenant with one of everything: sessions in every state that an id could change, a picture, an event, a key, people.
async fn furnish(server: &mut Server) -> Belongings {
    let made = add_sandbox(&server.app, settings()).await;
    (server.tenant, server.key) = (made.id.clone(), made.key.expose().clone());
    server
        .save_settings(Some(domain::tenant::TenantSettings {
            webhook_url: Some("https://192.168.0.1/hooks".into()),
            ..settings()
        }))
        .await;
    let mut ids = Vec::new();
    for outcome in ["", "needs_review", "approved", "failed"] {
        let id = server.create(r#"{"metadata": {"order": "A-17"}}"#).await["id"]
            .as_str()
            .unwrap()
            .to_owned();
        if !outcome.is_empty() {
            let path = format!("/v1/sandbox/verification-sessions/{id}/complete");
            let done = server
                .call("POST", &path, &format!(r#"{{"outcome":"{outcome}"}}"#))
                .await;
            assert_eq!(done.status, 200);
        }
        ids.push(("vs_", id));
    }
    ids.push(("cap_", picture(server).await));
    for lane in Lane::ALL {
        Worker::new(server.app.honnin.clone(), lane, 1)
            .run_until_idle()
            .await
            .unwrap();
    }
    let mut admin = console::Browser::signed_in_as(server, made.id.as_str(), Role::Admin).await;
    let address = made.id.as_str().replace('_', "-");
    let form = format!(
        "name=Ines&email=ines%40{address}.example&role=auditor&tenant={}",
        made.id
    );
    assert_eq!(admin.post("/admin/people", &form).await.status, 201);
    let events = admin.get("/admin/webhooks").await.body;
    let event = events.split("/admin/webhooks/evt_").nth(1).unwrap();
    ids.push(("evt_", format!("evt_{}", &event[..32])));
    let tenant = made.id.clone();
    let unit = server.app.honnin.db().read(async move |tx| {
        let invitation = invitations::list(tx, &tenant, START).await?.remove(0).id.to_string();
        let key = api_keys::list(tx, &tenant).await?.remove(0).id.to_string();
        let secret = webhook_secrets::list_valid(tx, &tenant).await?.remove(0).id.to_string();
        let user = users::list(tx, &tenant).await?.remove(0).id.to_string();
        Ok::<_, StoreError>([("key_", key), ("whk_", secret), ("usr_", user), ("inv_", invitation)])
    });
    ids.extend(unit.await.unwrap());
    ids.push(("tn_", made.id.to_string()));
    Belongings {
        tenant: made.id.to_string(),
        key: made.key.expose().clone(),
        ids,
    }
}

/// The id of a picture just taken.
async fn picture(server: &Server) -> String {
    let mut browser = browser::Browser::new(server);
    browser.agree().await;
    browser.choose_passport().await;
    browser
        .upload("/capture/pictures", &PASSPORT, &[("picture", &photo(90))], false)
        .await;
    let page = browser.get("/capture/check").await.body;
    let id = page.split("/capture/pictures/cap_").nth(1).unwrap();
    format!("cap_{}", &id[..32])
}

/// What distinguishes one response from another for a caller.
fn seen(answer: &Answer, id: &str) -> (u16, Vec<(String, String)>, String) {
    let nonce = answer
        .header("content-security-policy")
        .and_then(|policy| policy.split("'nonce-").nth(1))
        .map_or("no nonce", |rest| rest.split('\'').next().unwrap());
    // A page shows the request's own id, to be quoted.
    let request = answer.header("x-request-id").unwrap();
    let plain = |text: &str| {
        text.replace(id, "ID")
            .replace(nonce, "NONCE")
            .replace(request, "REQUEST")
    };
    let mut headers: Vec<_> = answer
        .headers
        .iter()
        .filter(|(name, _)| !["date", "x-request-id"].contains(&name.as_str()))
        .map(|(name, value)| (name.clone(), plain(value)))
        .collect();
    // The mark of a browser that views a link is random.
    headers.retain(|(name, value)| name != "set-cookie" || !value.contains("honnin-start"));
    headers.sort();
    (answer.status, headers, plain(&answer.body))
}

#[tokio::test]
async fn a_foreign_id_is_like_one_that_does_not_exist() {
    let mut server = Server::with("[worker]\nembedded = false\n").await;
    let theirs = furnish(&mut server).await;
    let before = state(&server, &theirs).await;
    let mine = furnish(&mut server).await;
    assert_ne!(mine.tenant, theirs.tenant);
    let server = server;
    let mut admin = console::Browser::signed_in_as(&server, "mine", Role::Admin).await;
    let mut applicant = browser::Browser::new(&server);
    applicant.agree().await;
    let mut leaks = Vec::new();
    for (door, method, path, form) in WITH_ID {
        for (prefix, foreign) in &theirs.ids {
            let unknown = format!("{prefix}{}", "0123456789abcdef".repeat(2));
            let mut answers = Vec::new();
            for id in [foreign, &unknown] {
                let (path, form) = (path.replace("{}", id), form.replace("{}", id));
                let answer = match door {
                    Door::Key => server.call(method, &path, &form).await,
                    Door::Console if *method == "GET" => admin.get(&path).await,
                    Door::Console => admin.post(&path, &form).await,
                    Door::Capture if *method == "GET" => applicant.get(&path).await,
                    Door::Capture => applicant.post(&path, &form).await,
                };
                assert!(
                    answer.status > 0 && answer.status < 500,
                    "{method} {path}: {}",
                    answer.status
                );
                answers.push(seen(&answer, id));
                if *door == Door::Console {
                    // A notice shown on the next page is part of the response. This page is a fifth of the overview, and is made in half the time.
                    answers.push(seen(&admin.get("/admin/settings").await, id));
                }
            }
            let (theirs, nobodys) = answers.split_at(answers.len() / 2);
            if theirs != nobodys {
                leaks.push(format!(
                    "{method} {path} with a foreign {prefix}\n{theirs:?}\n{nobodys:?}"
                ));
            }
        }
    }
    assert!(leaks.is_empty(), "{}", leaks.join("\n\n"));
    assert_eq!(state(&server, &theirs).await, before, "nothing of theirs has changed");
    assert_eq!(admin.get("/admin").await.status, 200, "the caller did get in");
}

/// Everything of a tenant that a request could have changed, as its own key sees it.
async fn state(server: &Server, of: &Belongings) -> Vec<Value> {
    let bearer = format!("Bearer {}", of.key);
    let mut state = Vec::new();
    for (_, id) in of.ids.iter().filter(|(prefix, _)| *prefix == "vs_") {
        let headers = [("authorization", bearer.as_str())];
        let answer = server.send("GET", &format!("{SESSIONS}/{id}"), &headers, "").await;
        assert_eq!(answer.status, 200, "{}", answer.body);
        state.push(answer.json());
    }
    let tenant = domain::ids::TenantId::parse(&of.tenant).unwrap();
    let unit = server.app.honnin.db().read(async move |tx| {
        let people = users::list(tx, &tenant).await?;
        let secrets = webhook_secrets::list_valid(tx, &tenant).await?.len();
        let keys = api_keys::list(tx, &tenant).await?;
        let revoked = keys.iter().filter(|key| key.revoked_at.is_some()).count();
        let disabled = people.iter().filter(|user| user.disabled_at.is_some()).count();
        let invited = invitations::list(tx, &tenant, START).await?.len();
        let memberships: Vec<_> = people.iter().map(|user| format!("{:?}", user.membership)).collect();
        Ok::<_, StoreError>(serde_json::json!([secrets, revoked, disabled, memberships, invited]))
    });
    state.push(unit.await.unwrap());
    state
}
