//! Who may call, and how a receiver verifies that a webhook is ours.

use super::{Row, exempt, here, there, world};
use crate::{
    console,
    support::{SESSIONS, add_tenant, between, settings},
};
use domain::{
    role::Role,
    tenant::{Mode, TenantSettings},
    time::Millis,
};
use service::{access::api_key, runtime::random::SystemRandom};
use world::{Received, Reply, World, text};

pub(super) const ROWS: &[Row] = &[
    here!("API: HTTP bearer", a_key_comes_as_a_bearer),
    here!("Header `Authorization", a_key_comes_as_a_bearer),
    here!("Keys are issued", a_key_is_shown_once_and_revoked_at_once),
    here!("A missing, wrong or revoked key", every_bad_key_is_refused_alike),
    here!("The tenant may have an IP", only_addresses_of_the_list_may_call),
    here!("A call from an address off", only_addresses_of_the_list_may_call),
    here!(
        "A session is visible only",
        super::endpoints::unknown_foreign_and_malformed_ids_are_alike
    ),
    here!("Webhook signature", deliveries_are_signed),
    here!(
        "Headers on every delivery: webhook-id",
        a_redelivery_has_the_same_id_and_a_new_time
    ),
    here!("webhook-timestamp |", a_redelivery_has_the_same_id_and_a_new_time),
    here!("webhook-signature |", two_secrets_sign_during_a_rotation),
    here!("The signing secret is", two_secrets_sign_during_a_rotation),
    here!("Verification is over", only_the_very_bytes_verify),
    there!(
        "The receiver checks signature",
        "service/tests/webhook/redeliver.rs",
        "a_pasted_delivery_is_explained"
    ),
    exempt!(
        "On failure the receiver",
        "the receiver's part; the example customer does so"
    ),
    here!("Secret rotation without downtime", two_secrets_sign_during_a_rotation),
    here!("During rotation both", two_secrets_sign_during_a_rotation),
    exempt!(
        "If the secret may have leaked",
        "the customer's part; the console offers it at any time"
    ),
];

pub(super) async fn a_key_comes_as_a_bearer() {
    let world = World::new().await;
    let key = &world.server.key;
    for (value, status) in [
        (format!("Bearer {key}"), 201),
        (format!("bearer {key}"), 201),
        (key.clone(), 401),
        (format!("Basic {key}"), 401),
        (format!("Bearer {key}x"), 401),
    ] {
        let headers = [("authorization", value.as_str())];
        let answer = world.server.send("POST", SESSIONS, &headers, "").await;
        assert_eq!(answer.status, status, "{value}");
    }
    let query = world
        .server
        .send("POST", &format!("{SESSIONS}?access_token={key}"), &[], "")
        .await;
    assert_eq!(query.status, 401, "nowhere else");
}

async fn a_key_is_shown_once_and_revoked_at_once() {
    let world = World::new().await;
    let mut developer = console::Browser::signed_in(&world.server, Role::Developer).await;
    let issued = developer.post("/admin/keys", "name=Till&scope=create").await;
    let key = between(&issued.body, "<code>", &['<']).to_owned();
    assert!(issued.status == 201 && key.starts_with("hn_test_"), "{key}");
    let page = developer.get("/admin/keys").await.body;
    assert!(page.contains("Till") && !page.contains(&key));
    let bearer = format!("Bearer {key}");
    let call = async || {
        world
            .server
            .send("POST", SESSIONS, &[("authorization", &bearer)], "")
            .await
            .status
    };
    assert_eq!(call().await, 201);
    // Each key has a form to revoke it; the newest comes first.
    for form in page.split("action=\"/admin/keys/key_").skip(1) {
        let path = format!("/admin/keys/key_{}", form.split('"').next().unwrap());
        if path.ends_with("/rotate") {
            continue;
        }
        assert_eq!(developer.post(&path, "confirmed=yes").await.status, 303, "{path}");
    }
    assert_eq!(call().await, 401);
}

pub(super) async fn every_bad_key_is_refused_alike() {
    let world = World::new().await;
    let well_formed = api_key::generate(&SystemRandom, Mode::Live);
    let strangers = add_tenant(&world.server.app, settings()).await;
    let tenant = strangers.id.clone();
    let unit = world.server.app.honnin.db().write(async move |tx| {
        let key = store::settings::api_keys::list(tx, &tenant).await?.remove(0);
        store::settings::api_keys::revoke(tx, &tenant, &key.id, crate::support::START).await
    });
    assert!(unit.await.unwrap());
    let bad = [
        None,
        Some(format!("Bearer {}", well_formed.expose())),
        Some(format!("Bearer {}", strangers.key.expose())),
        Some("Bearer x".to_owned()),
    ];
    let mut seen = Vec::new();
    for value in &bad {
        let headers: Vec<_> = value.iter().map(|value| ("authorization", value.as_str())).collect();
        for (method, path) in [
            ("POST", SESSIONS.to_owned()),
            ("GET", format!("{SESSIONS}/x")),
            ("POST", format!("{SESSIONS}/x/reprocess")),
        ] {
            let answer = world.server.send(method, &path, &headers, "").await;
            assert_eq!(answer.header("www-authenticate"), Some("Bearer"));
            seen.push((answer.status, answer.body));
        }
    }
    let told = r#"{"_tag":"Unauthorized","message":"The API key is missing or not valid."}"#;
    assert!(
        seen.iter().all(|(status, body)| *status == 401 && body == told),
        "{seen:?}"
    );
}

pub(super) async fn only_addresses_of_the_list_may_call() {
    let world = World::new().await;
    for (list, status) in [
        (&[][..], 201),
        (&["127.0.0.1/32"], 201),
        (&["192.0.2.0/24", "127.0.0.0/8"], 201),
        (&["192.0.2.0/24", "2001:db8::/32"], 403),
    ] {
        let ip_allow_list = list.iter().map(|net| net.parse().unwrap()).collect();
        let changed = TenantSettings {
            ip_allow_list,
            ..world.settings()
        };
        world.server.save_settings(Some(changed)).await;
        let answer = world.server.call("POST", SESSIONS, "{}").await;
        assert_eq!(answer.status, status, "{list:?}");
        if status == 403 {
            let told = r#"{"_tag":"IpNotAllowed","message":"Calls from 127.0.0.1 are not allowed with this key."}"#;
            assert_eq!(answer.body, told);
            for (method, path) in [
                ("GET", format!("{SESSIONS}/x")),
                ("POST", format!("{SESSIONS}/x/reprocess")),
            ] {
                assert_eq!(world.server.call(method, &path, "").await.body, told);
            }
            let wrong = [("authorization", "Bearer x")];
            assert_eq!(
                world.server.send("POST", SESSIONS, &wrong, "").await.status,
                401,
                "only with a valid key"
            );
        }
    }
}

/// The official library's verdict; the timestamp is checked separately, since the server's clock is manual.
fn verifies(secret: &str, received: &Received) -> bool {
    let judge = standardwebhooks::Webhook::new(secret).unwrap();
    let at = received.header("webhook-timestamp").parse().unwrap();
    let expected = judge.sign(received.header("webhook-id"), at, &received.body).unwrap();
    received
        .header("webhook-signature")
        .split(' ')
        .any(|signature| signature == expected)
}

async fn deliveries_are_signed() {
    let world = World::new().await;
    world.ended(r#"{"metadata": {"b": 1.50}}"#, "approved").await;
    let event = world.event().await;
    let secret = world.server.webhook_secret.clone();
    assert!(verifies(&secret, &event));
    let seconds = world.server.app.honnin.now().as_seconds().to_string();
    assert_eq!(event.header("webhook-timestamp"), seconds);
    assert!(event.header("webhook-signature").starts_with("v1,"));
    assert_eq!(event.header("webhook-id"), text(&event.json()["id"]));
}

async fn a_redelivery_has_the_same_id_and_a_new_time() {
    let world = World::new().await;
    world.receiver.reply([Reply::Status(500)]);
    world.ended("{}", "approved").await;
    world.work().await;
    world.wait(Millis::seconds(10)).await;
    let [first, second] = world.receiver.received().try_into().unwrap();
    assert_eq!(first.body, second.body);
    assert_eq!(first.header("webhook-id"), second.header("webhook-id"));
    assert_eq!(first.header("webhook-id"), text(&first.json()["id"]));
    assert_ne!(first.header("webhook-timestamp"), second.header("webhook-timestamp"));
    assert_ne!(first.header("webhook-signature"), second.header("webhook-signature"));
    assert!(verifies(&world.server.webhook_secret, &second));
}

async fn two_secrets_sign_during_a_rotation() {
    let world = World::new().await;
    let old = world.server.webhook_secret.clone();
    let mut developer = console::Browser::signed_in(&world.server, Role::Developer).await;
    world.server.clock.advance(Millis::seconds(1));
    let issued = developer.post("/admin/webhooks/secrets", "").await;
    let new = format!("whsec_{}", between(&issued.body, "whsec_", &['<', '"']));
    let page = developer.get("/admin/webhooks/secrets").await.body;
    assert!(!page.contains("whsec_"), "shown once");
    world.ended("{}", "approved").await;
    let event = world.event().await;
    assert_eq!(event.header("webhook-signature").split(' ').count(), 2);
    assert!(verifies(&old, &event) && verifies(&new, &event));
    // The first button gives up the new one, the second one ends the rotation.
    let oldest = page.split("/admin/webhooks/secrets/whk_").nth(2).unwrap();
    let disable = format!("/admin/webhooks/secrets/whk_{}/disable", &oldest[..32]);
    assert_eq!(developer.post(&disable, "confirmed=yes").await.status, 303);
    world.ended("{}", "rejected").await;
    let event = world.events().await.remove(1);
    assert_eq!(event.header("webhook-signature").split(' ').count(), 1);
    assert!(!verifies(&old, &event) && verifies(&new, &event));
}

async fn only_the_very_bytes_verify() {
    let world = World::new().await;
    world.ended(r#"{"metadata": {"b": 1.50, "a": 1}}"#, "approved").await;
    let event = world.event().await;
    let again = serde_json::to_vec(&event.json()).unwrap();
    assert_ne!(again, event.body);
    let altered = Received {
        body: again,
        ..event.clone()
    };
    let secret = &world.server.webhook_secret;
    assert!(verifies(secret, &event) && !verifies(secret, &altered));
}
