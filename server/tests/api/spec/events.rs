//! What a receiver gets, and how often.

use super::{Row, exempt, here, there, world};
use crate::{
    console,
    support::{SESSIONS, START, between},
};
use domain::{event::EventType, role::Role, tenant::TenantSettings, time::Millis};
use serde_json::{Value, json};
use service::review::UNDO;
use world::{Reply, World, is_id, is_time, keys, text};

pub(super) const INBOUND: &[Row] = &[here!("The service sends `POST`", each_end_is_told_to_the_receiver)];

pub(super) const EVENTS: &[Row] = &[
    here!("A notification is an HTTP POST", each_end_is_told_to_the_receiver),
    here!("Event types delivered", only_selected_types_are_sent),
];

pub(super) const ENVELOPE: &[Row] = &[
    here!("Envelope (all required", each_end_is_told_to_the_receiver),
    here!("id |", each_end_is_told_to_the_receiver),
    here!("type |", each_end_is_told_to_the_receiver),
    here!("apiVersion |", each_end_is_told_to_the_receiver),
    here!("createdAt |", each_end_is_told_to_the_receiver),
    here!("metadata |", after_erasure_a_redelivery_carries_nulls),
    here!("data |", each_end_is_told_to_the_receiver),
];

pub(super) const TYPES: &[Row] = &[
    here!("verification.approved |", each_end_is_told_to_the_receiver),
    here!("verification.rejected |", each_end_is_told_to_the_receiver),
    here!(
        "verification.needs_review | Automatic",
        each_end_is_told_to_the_receiver
    ),
    here!(
        "verification.needs_review: After",
        super::outcome::a_note_is_told_until_it_is_erased
    ),
    here!("verification.expired |", each_end_is_told_to_the_receiver),
    here!("verification.failed |", each_end_is_told_to_the_receiver),
    here!("After reprocessing", super::states::three_states_return_to_collecting),
];

pub(super) const DELIVERY: &[Row] = &[
    here!("A 2xx response counts", any_2xx_is_a_delivery),
    here!("A non-2xx response", a_failure_is_tried_again_ten_times),
    there!(
        "A slow response times out",
        "service/tests/webhook/hostile.rs",
        "whoever_keeps_us_waiting_is_hung_up_on"
    ),
    exempt!(
        "The number of retries",
        "left open there; the check of failures holds ours"
    ),
    here!("A 3xx response is not followed", a_redirect_is_a_failure),
    here!("Only HTTPS receiver URLs", only_https_receivers_can_be_registered),
    there!(
        "URLs resolving to private",
        "service/tests/ssrf/mod.rs",
        "no_name_leads_to_an_address_that_is_not_public"
    ),
    there!(
        "The same event can arrive several times",
        "service/tests/webhook/deliver.rs",
        "an_event_in_flight_when_the_process_dies_is_sent_again_with_the_same_id"
    ),
    exempt!("Order of arrival", "a freedom of ours, which a retry uses"),
    exempt!(
        "The receiver fetches",
        "the receiver's part; the example customer does so"
    ),
    exempt!(
        "An unknown `type`",
        "the receiver's part; a test event of the console has one"
    ),
    exempt!("Unknown fields and unknown reason", "the receiver's part"),
    here!("After the retention period", after_erasure_a_redelivery_carries_nulls),
    here!(
        "`data.review.note` and `metadata`",
        super::response::no_secret_is_logged
    ),
];

pub(super) async fn each_end_is_told_to_the_receiver() {
    let world = World::new().await;
    for outcome in ["approved", "rejected", "needs_review", "expired", "failed"] {
        let id = world.ended(r#"{"metadata": {"n": 1}}"#, outcome).await;
        let received = world.events().await.pop().unwrap();
        assert_eq!(received.line, "POST /hooks HTTP/1.1");
        let event = received.json();
        let mut fields = keys(&event);
        fields.sort_unstable();
        assert_eq!(fields, ["apiVersion", "createdAt", "data", "id", "metadata", "type"]);
        assert!(is_id("evt_", &event["id"]) && is_time(&event["createdAt"]));
        assert_eq!(event["createdAt"], START.to_iso());
        assert_eq!(
            (&event["apiVersion"], &event["metadata"]),
            (&json!("2026-08-02"), &json!({"n": 1}))
        );
        assert_eq!(event["type"], format!("verification.{outcome}"));
        let (data, session) = (&event["data"], &event["data"]["session"]);
        assert_eq!(session["sessionId"], json!(id));
        assert!(is_id("tn_", &session["tenantId"]));
        match outcome {
            "expired" => assert_eq!((keys(data).len(), &data["expiredAt"]), (2, &json!(START.to_iso()))),
            "failed" => assert!(keys(data).len() == 2 && !text(&data["reason"]).is_empty()),
            _ => assert_eq!(*data, world.read(&id).await["outcome"]),
        }
    }
    assert_eq!(world.receiver.received().len(), 5);
    world.ended("{}", "approved").await;
    assert_eq!(
        world.events().await[5].json()["metadata"],
        Value::Null,
        "none was given"
    );
}

pub(super) async fn no_personal_data_is_sent() {
    let world = World::new().await;
    let body = r#"{"preRegisteredInfo": {"lastName": "Quandary", "firstName": "Zebedee", "birthDate": "1971-11-11",
        "address": "9 Elm Row", "gender": "male"}, "state": "stately"}"#;
    for outcome in ["approved", "rejected", "needs_review", "expired", "failed"] {
        world.ended(body, outcome).await;
    }
    for received in world.events().await {
        let sent = String::from_utf8(received.body).unwrap();
        for personal in ["Quandary", "Zebedee", "Elm", "\"male\"", "UTO000000", "stately"] {
            assert!(!sent.contains(personal), "{personal} in {sent}");
        }
        // Not in the 32 random hex digits of an id, which can contain any year.
        let mut words = sent.split(|character: char| !character.is_ascii_alphanumeric());
        assert!(
            !words.any(|word| word.len() != 32 && word.contains("1971")),
            "a year in {sent}"
        );
    }
}

async fn only_selected_types_are_sent() {
    let world = World::new().await;
    let chosen = TenantSettings {
        event_types: vec![EventType::Rejected, EventType::Failed],
        ..world.settings()
    };
    world.server.save_settings(Some(chosen)).await;
    for outcome in ["approved", "rejected", "needs_review", "expired", "failed"] {
        world.ended("{}", outcome).await;
    }
    let types: Vec<_> = world
        .events()
        .await
        .iter()
        .map(|event| text(&event.json()["type"]))
        .collect();
    assert_eq!(types, ["verification.rejected", "verification.failed"]);
    let mut admin = console::Browser::signed_in(&world.server, Role::Admin).await;
    let page = admin.get("/admin/settings/webhook").await.body;
    for kind in EventType::ALL {
        assert!(page.contains(&format!("value=\"{kind}\"")), "{kind}");
    }
}

async fn any_2xx_is_a_delivery() {
    let world = World::new().await;
    for reply in [Reply::Status(204), Reply::Status(299), Reply::EndlessBody(200)] {
        let before = world.receiver.received().len();
        world.receiver.reply([reply]);
        world.ended("{}", "approved").await;
        assert_eq!(world.events().await.len(), before + 1);
        world.wait(Millis::hours(80)).await;
        assert_eq!(world.receiver.received().len(), before + 1, "never sent again");
    }
}

async fn a_failure_is_tried_again_ten_times() {
    let world = World::new().await;
    let failures = [404, 500, 503, 429, 400, 410, 502].map(Reply::Status);
    world.receiver.reply(failures);
    world
        .receiver
        .reply([Reply::Close, Reply::CloseBeforeTls, Reply::NoTls, Reply::Status(500)]);
    world.ended("{}", "approved").await;
    world.work().await;
    for _ in 0..20 {
        world.wait(Millis::hours(29)).await;
    }
    // Two of the ten failed before a request was sent.
    assert_eq!((world.receiver.connections(), world.receiver.received().len()), (10, 8));
    let mut developer = console::Browser::signed_in(&world.server, Role::Developer).await;
    assert!(
        developer
            .get("/admin/webhooks?state=abandoned")
            .await
            .body
            .contains("/admin/webhooks/evt_")
    );
}

async fn a_redirect_is_a_failure() {
    let world = World::new().await;
    let elsewhere = format!("https://127.0.0.1:{}/elsewhere", world.receiver.port);
    world
        .receiver
        .reply([301, 302, 303, 307, 308].map(|status| Reply::Header(status, "location", elsewhere.clone())));
    world.ended("{}", "approved").await;
    world.work().await;
    for _ in 0..6 {
        world.wait(Millis::hours(13)).await;
    }
    let received = world.receiver.received();
    assert_eq!(received.len(), 6, "five redirects, then 200");
    assert!(received.iter().all(|request| request.line.starts_with("POST /hooks ")));
}

async fn only_https_receivers_can_be_registered() {
    let world = World::new().await;
    let mut admin = console::Browser::signed_in(&world.server, Role::Admin).await;
    // The one network that this installation allows stands for the public ones.
    let port = world.receiver.port;
    let (plain, good) = (
        format!("http://127.0.0.1:{port}/"),
        format!("https://127.0.0.1:{port}/"),
    );
    for (url, status) in [
        (plain.as_str(), 422),
        ("ftp://hooks.example/", 422),
        ("https://10.0.0.1/", 422),
        (good.as_str(), 303),
    ] {
        let page = admin.get("/admin/settings/webhook").await.body;
        let version = between(&page, "name=\"version\" value=\"", &['"']).to_owned();
        let url = url.replace(':', "%3A").replace('/', "%2F");
        let form = format!("version={version}&webhook_url={url}&event=verification.approved&confirmed=yes");
        assert_eq!(
            admin.post("/admin/settings/webhook", &form).await.status,
            status,
            "{url}"
        );
    }
}

async fn after_erasure_a_redelivery_carries_nulls() {
    let world = World::new().await;
    let id = world.ended(r#"{"metadata": {"order": "7"}}"#, "needs_review").await;
    let mut reviewer = console::Browser::signed_in(&world.server, Role::Reviewer).await;
    reviewer
        .post(&format!("/admin/review/{id}"), "attempt=1&decision=approve&note=seen")
        .await;
    world.wait(UNDO).await;
    let before = world.events().await.remove(1);
    assert_eq!(before.json()["data"]["review"]["note"], "seen");
    world.wait(Millis::days(90)).await;
    let mut developer = console::Browser::signed_in(&world.server, Role::Developer).await;
    let path = format!("/admin/webhooks/{}/again", before.header("webhook-id"));
    assert_eq!(developer.post(&path, "").await.status, 303);
    let after = world.events().await.remove(2);
    assert_eq!(after.header("webhook-id"), before.header("webhook-id"));
    let (before, after) = (before.json(), after.json());
    assert_eq!(before["metadata"], json!({"order": "7"}));
    assert_eq!(
        (&after["metadata"], &after["data"]["review"]["note"]),
        (&Value::Null, &Value::Null)
    );
    assert_eq!(after["data"]["verdict"], before["data"]["verdict"]);
    let read = world.server.call("GET", &format!("{SESSIONS}/{id}"), "").await;
    assert_eq!(read.status, 200);
}
