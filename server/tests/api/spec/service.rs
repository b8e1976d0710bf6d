//! The service as a whole, and its identifiers.

use super::{Row, exempt, here, there, world};
use crate::{
    browser::Browser,
    console,
    support::{SESSIONS, add_tenant, settings},
};
use domain::role::Role;
use serde_json::Value;
use world::{World, is_id, is_time, text};

pub(super) const DOCUMENT: &[Row] = &[
    exempt!("This document covers", "a table of contents"),
    here!("Base address", links_begin_with_the_base_address),
    here!("All request and response bodies are JSON", every_body_is_json),
    here!("Timestamps are", every_time_is_utc_to_the_millisecond),
];

pub(super) const SERVICE: &[Row] = &[
    exempt!("The service performs", "what the whole of it is for"),
    here!("One session is one verification", a_session_is_its_tenants),
    here!(
        "The customer's server creates",
        super::response::the_answer_has_exactly_these_fields
    ),
    here!("The response carries", super::response::the_url_is_secret_and_told_once),
    here!("The customer sends the end user", the_url_opens_the_first_page),
    there!(
        "The user opens it in a smartphone browser",
        "server/tests/api/capture/steps.rs",
        "a_whole_verification_works_without_scripts_and_a_step_out_of_turn_leads_to_the_right_one"
    ),
    there!(
        "The service decides automatically",
        "service/tests/decision/decide.rs",
        "a_genuine_passport_and_its_living_holder_are_approved"
    ),
    here!(
        "The service sends a webhook",
        super::events::each_end_is_told_to_the_receiver
    ),
    here!("The customer's server reads", super::detail::personal_data_is_read),
    here!(
        "A session in `completed`",
        super::states::three_states_return_to_collecting
    ),
    here!("Progress (`status`)", decision_and_progress_are_apart),
    here!("The decision appears only", decision_and_progress_are_apart),
    here!("The API key is used only", no_page_of_another_site_may_read_an_answer),
    here!(
        "Webhooks carry no personal data",
        super::events::no_personal_data_is_sent
    ),
    here!(
        "They carry the decision",
        super::events::each_end_is_told_to_the_receiver
    ),
    here!("Personal data is read", super::detail::personal_data_is_read),
    here!("Configured in the admin", all_this_is_set_in_the_console_only),
];

pub(super) const IDENTIFIERS: &[Row] = &[
    here!("Session id", ids_have_their_forms),
    here!("Tenant id", ids_have_their_forms),
    here!("Event id", ids_have_their_forms),
];

async fn links_begin_with_the_base_address() {
    let world = World::new().await;
    let created = world.server.create("{}").await;
    assert!(text(&created["verificationUrl"]).starts_with("https://id.example/v/"));
}

async fn every_body_is_json() {
    let world = World::new().await;
    let id = world.ended("{}", "approved").await;
    let server = &world.server;
    for (method, path, body) in [
        ("POST", SESSIONS.to_owned(), "{}"),
        ("POST", SESSIONS.to_owned(), "not json"),
        ("GET", format!("{SESSIONS}/{id}"), ""),
        ("GET", format!("{SESSIONS}/x"), ""),
        ("POST", format!("{SESSIONS}/{id}/reprocess"), ""),
        ("DELETE", SESSIONS.to_owned(), ""),
        ("GET", "/v1/nothing".to_owned(), ""),
    ] {
        let answer = server.call(method, &path, body).await;
        assert_eq!(answer.header("content-type"), Some("application/json"), "{path}");
        assert!(answer.json().is_object(), "{path}");
        assert_eq!(answer.status == 400, body == "not json", "{path}");
    }
    let event = world.event().await;
    assert_eq!(event.header("content-type"), "application/json");
}

async fn every_time_is_utc_to_the_millisecond() {
    let world = World::new().await;
    let created = world.server.create("{}").await;
    let id = text(&created["id"]);
    world.end(&id, "approved").await;
    let (read, event) = (world.read(&id).await, world.event().await.json());
    for time in [
        &created["createdAt"],
        &created["expiresAt"],
        &created["verificationUrlExpiresAt"],
        &read["createdAt"],
        &read["expiresAt"],
        &read["completedAt"],
        &read["outcome"]["decidedAt"],
        &event["createdAt"],
        &event["data"]["decidedAt"],
    ] {
        assert!(is_time(time), "{time}");
    }
}

async fn a_session_is_its_tenants() {
    let world = World::new().await;
    let id = world.create("{}").await;
    let other = add_tenant(&world.server.app, settings()).await;
    let bearer = format!("Bearer {}", other.key.expose());
    let headers = [("authorization", bearer.as_str())];
    let foreign = world
        .server
        .send("GET", &format!("{SESSIONS}/{id}"), &headers, "")
        .await;
    assert_eq!((world.get(&id).await.status, foreign.status), (200, 404));
    assert_ne!(world.create("{}").await, id, "each creation is another verification");
}

async fn the_url_opens_the_first_page() {
    let world = World::new().await;
    let url = text(&world.server.create("{}").await["verificationUrl"]);
    let path = url.strip_prefix("https://id.example").unwrap();
    let mut browser = Browser::new(&world.server);
    let page = browser.get(path).await;
    assert!(page.status == 200 && page.body.contains("Start"));
    assert_eq!(browser.post(path, "").await.header("location"), Some("/capture"));
    assert_eq!(
        browser.get("/capture").await.header("location"),
        Some("/capture/consent")
    );
}

async fn decision_and_progress_are_apart() {
    let world = World::new().await;
    for (outcome, status) in [
        ("approved", "completed"),
        ("rejected", "completed"),
        ("needs_review", "reviewing"),
    ] {
        let id = world.ended("{}", outcome).await;
        let mut read = world.read(&id).await;
        assert_eq!(
            (&read["status"], &read["outcome"]["verdict"]),
            (&Value::from(status), &Value::from(outcome))
        );
        read["outcome"] = Value::Null;
        assert!(!read.to_string().contains(outcome), "{read}");
    }
}

async fn no_page_of_another_site_may_read_an_answer() {
    let world = World::new().await;
    let origin = [
        ("origin", "https://shop.example"),
        ("access-control-request-method", "POST"),
    ];
    for method in ["OPTIONS", "POST", "GET"] {
        let answer = world.server.call_with(method, SESSIONS, &origin, "").await;
        let allows = answer
            .headers
            .iter()
            .any(|(name, _)| name.starts_with("access-control-allow"));
        assert!(!allows, "{method}");
    }
}

async fn all_this_is_set_in_the_console_only() {
    let world = World::new().await;
    let mut admin = console::Browser::signed_in(&world.server, Role::Admin).await;
    for (page, forms) in [
        ("/admin/keys", &["action=\"/admin/keys\""][..]),
        ("/admin/webhooks/secrets", &["action=\"/admin/webhooks/secrets\""]),
        ("/admin/settings/webhook", &["name=\"webhook_url\"", "name=\"event\""]),
        ("/admin/settings/callbacks", &["name=\"callback_urls\""]),
        ("/admin/settings/addresses", &["name=\"ip_allow_list\""]),
        ("/admin/settings/steps", &["name=\"step\""]),
    ] {
        let shown = admin.get(page).await;
        for form in forms {
            assert!(shown.status == 200 && shown.body.contains(form), "{page} {form}");
        }
    }
    let api = world.server.send("GET", "/v1/openapi.json", &[], "").await.json();
    let operations: Vec<_> = api["paths"].as_object().unwrap().keys().cloned().collect();
    assert!(
        operations
            .iter()
            .all(|path| path.contains("/verification-sessions") || path == "/v1/events"),
        "{operations:?}"
    );
}

async fn ids_have_their_forms() {
    let world = World::new().await;
    let id = world.ended("{}", "approved").await;
    let (read, event) = (world.read(&id).await, world.event().await.json());
    assert!(is_id("vs_", &read["id"]) && is_id("vs_", &event["data"]["session"]["sessionId"]));
    assert!(is_id("tn_", &read["outcome"]["session"]["tenantId"]));
    assert!(is_id("evt_", &event["id"]));
}
