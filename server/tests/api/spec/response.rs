//! The responses to a creation and to a reprocess.

use super::{Row, here, world};
use crate::{
    browser::Browser,
    support::{SESSIONS, START, settings},
};
use domain::{session::Step, tenant::TenantSettings, time::Millis};
use serde_json::json;
use service::review::UNDO;
use std::{
    io::Write,
    sync::{Arc, LazyLock, Mutex},
};
use world::{World, is_id, keys, text};

pub(super) const CREATION: &[Row] = &[
    here!(
        "Session creation response (HTTP 201)",
        the_answer_has_exactly_these_fields
    ),
    here!("id |", the_answer_has_exactly_these_fields),
    here!("status |", the_answer_has_exactly_these_fields),
    here!("verificationUrl |", the_url_is_secret_and_told_once),
    here!("verificationUrl: It must not be logged", no_secret_is_logged),
    here!("verificationUrlExpiresAt |", the_url_opens_until_its_time),
    here!("expiresAt |", the_answer_has_exactly_these_fields),
    here!(
        "expiresAt: A session still",
        super::states::only_two_states_expire_by_time
    ),
    here!("createdAt |", the_answer_has_exactly_these_fields),
];

pub(super) const REPROCESS: &[Row] = &[
    here!("Reprocess response", a_reprocess_has_exactly_these_fields),
    here!("id |", a_reprocess_has_exactly_these_fields),
    here!("status |", a_reprocess_has_exactly_these_fields),
    here!("plan |", a_reprocess_has_exactly_these_fields),
    here!("plan: Each step", the_plan_is_fixed_at_creation),
    here!("plan: The plan is fixed", the_plan_is_fixed_at_creation),
    here!("expiresAt |", a_reprocess_has_exactly_these_fields),
    here!("createdAt |", a_reprocess_has_exactly_these_fields),
    here!("metadata |", a_reprocess_has_exactly_these_fields),
    here!("The response contains no", a_reprocess_has_exactly_these_fields),
];

pub(super) async fn the_answer_has_exactly_these_fields() {
    let world = World::new().await;
    let answer = world.server.call("POST", SESSIONS, "{}").await;
    assert_eq!(answer.status, 201);
    let created = answer.json();
    let mut fields = keys(&created);
    fields.sort_unstable();
    assert_eq!(
        fields,
        [
            "createdAt",
            "expiresAt",
            "id",
            "status",
            "verificationUrl",
            "verificationUrlExpiresAt"
        ]
    );
    assert!(is_id("vs_", &created["id"]) && created["status"] == "created");
    assert_eq!(created["createdAt"], START.to_iso());
    assert_eq!(
        created["verificationUrlExpiresAt"],
        START.plus(Millis::hours(48)).to_iso()
    );
    assert_eq!(created["expiresAt"], START.plus(Millis::days(7)).to_iso());
}

pub(super) async fn the_url_is_secret_and_told_once() {
    let world = World::new().await;
    let created = world.server.create("{}").await;
    let (id, url) = (text(&created["id"]), text(&created["verificationUrl"]));
    let token = url.rsplit('/').next().unwrap();
    // After the time, 32 random bytes in base64url cannot be guessed.
    assert!(
        token.len() == 51
            && token
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
    );
    assert!(!world.get(&id).await.body.contains(token));
    let path = format!("/v/{token}");
    assert_eq!(Browser::new(&world.server).open(&path).await.status, 303);
    assert_eq!(Browser::new(&world.server).open(&path).await.status, 404, "used");
    assert!(!world.get(&id).await.body.contains("erificationUrl"));
}

async fn the_url_opens_until_its_time() {
    let world = World::new().await;
    let url = text(&world.server.create("{}").await["verificationUrl"]);
    let path = url.strip_prefix("https://id.example").unwrap();
    let look = || async { Browser::new(&world.server).get(path).await.status };
    world.server.clock.advance(Millis(Millis::hours(48).0 - 1));
    assert_eq!(look().await, 200);
    world.server.clock.advance(Millis(1));
    assert_eq!(look().await, 404);
}

/// Everything that was logged.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Captures the log of the whole process from its first use.
static LOG: LazyLock<Log> = LazyLock::new(|| {
    let log = Log::default();
    let writer = log.clone();
    let listener = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_writer(move || writer.clone());
    listener.try_init().unwrap();
    log
});

/// A whole session at the finest log level: nothing secret or personal is written.
pub(super) async fn no_secret_is_logged() {
    LazyLock::force(&LOG);
    let world = World::new().await;
    let body = json!({
        "state": "canary-state", "metadata": {"canary-metadata": 1},
        "preRegisteredInfo": {"lastName": "Canarylast", "firstName": "Canaryfirst", "address": "Canary street"},
    });
    let created = world.server.create(&body.to_string()).await;
    let (id, url) = (text(&created["id"]), text(&created["verificationUrl"]));
    let path = url.strip_prefix("https://id.example").unwrap();
    let mut browser = Browser::new(&world.server);
    browser.get(path).await;
    browser.post(path, "outcome=needs_review").await;
    assert_eq!(browser.get("/capture/result").await.status, 200);
    assert!(world.get(&id).await.body.contains("Canarylast"));
    let mut reviewer = crate::console::Browser::signed_in(&world.server, domain::role::Role::Reviewer).await;
    assert!(
        reviewer
            .get(&format!("/admin/sessions/{id}"))
            .await
            .body
            .contains("Canarylast")
    );
    let form = "attempt=1&decision=approve&note=canary-note";
    assert_eq!(reviewer.post(&format!("/admin/review/{id}"), form).await.status, 303);
    world.wait(UNDO).await;
    assert_eq!(world.events().await.len(), 2);
    let written = String::from_utf8(LOG.0.lock().unwrap().clone()).unwrap();
    assert!(written.contains("answered"), "it did listen");
    let token = url.rsplit('/').next().unwrap();
    for secret in [token, &world.server.key, "canary", "Canary", "SAMPLE", "correct horse"] {
        let at = written.find(secret).map(|at| &written[at.saturating_sub(300)..at + 40]);
        assert_eq!(at, None, "{secret}");
    }
}

pub(super) async fn a_reprocess_has_exactly_these_fields() {
    let world = World::new().await;
    let id = world.ended(r#"{"metadata": {"n": 1.0}}"#, "approved").await;
    world.server.clock.advance(Millis::days(3));
    let answer = world.reprocess(&id).await;
    assert_eq!(answer.status, 200);
    let again = answer.json();
    let mut fields = keys(&again);
    fields.sort_unstable();
    assert_eq!(fields, ["createdAt", "expiresAt", "id", "metadata", "plan", "status"]);
    assert_eq!(
        (text(&again["id"]), text(&again["status"])),
        (id.clone(), "collecting".to_owned())
    );
    assert_eq!(again["plan"], json!({"steps": ["document", "selfie"]}));
    assert_eq!(again["expiresAt"], START.plus(Millis::days(10)).to_iso());
    assert_eq!(again["createdAt"], START.to_iso());
    assert!(answer.body.contains(r#""metadata":{"n":1.0}"#) && !answer.body.contains("/v/"));
    assert_eq!(world.read(&id).await["expiresAt"], again["expiresAt"]);
    let bare = world.ended("{}", "failed").await;
    assert_eq!(world.reprocess(&bare).await.json()["metadata"], json!(null));
}

async fn the_plan_is_fixed_at_creation() {
    let world = World::new().await;
    let both = world.ended("{}", "rejected").await;
    for (steps, plan) in [
        (vec![Step::Selfie], json!({"steps": ["selfie"]})),
        (
            vec![Step::Selfie, Step::Document],
            json!({"steps": ["document", "selfie"]}),
        ),
        (vec![Step::Document], json!({"steps": ["document"]})),
    ] {
        let changed = TenantSettings { steps, ..settings() };
        world.server.save_settings(Some(changed)).await;
        let id = world.create("{}").await;
        assert_eq!(world.read(&id).await["plan"], plan);
    }
    assert_eq!(
        world.reprocess(&both).await.json()["plan"],
        json!({"steps": ["document", "selfie"]})
    );
}
