//! The fixture of the checks: a server whose tenant is a sandbox, so that a session can end in every way, with a real receiver.

pub(super) use testkit::receiver::{Received, Receiver, Reply};

use crate::support::{Answer, SESSIONS, Server, settings};
use domain::{tenant::TenantSettings, time::Millis};
use serde_json::Value;
use service::jobs::worker::{Lane, Worker};
use tempfile::TempDir;
use testkit::authority;

/// A sandbox tenant with its own receiver. Background jobs run when a check says so.
pub(super) struct World {
    pub(super) server: Server,
    pub(super) receiver: Receiver,
    _authorities: TempDir,
}

impl World {
    pub(super) async fn new() -> Self {
        let authorities = tempfile::tempdir().unwrap();
        let file = authorities.path().join("ca.pem");
        std::fs::write(&file, authority::root_pem()).unwrap();
        let toml = format!(
            "[worker]\nembedded = false\n[webhooks]\nallow_networks = [\"127.0.0.0/8\"]\nextra_ca_file = \"{}\"\n",
            file.display()
        );
        let server = Server::sandbox_with(&toml).await;
        let receiver = Receiver::with(authority::acceptor(&["127.0.0.1"], true)).await;
        let world = Self {
            server,
            receiver,
            _authorities: authorities,
        };
        world.server.save_settings(Some(world.settings())).await;
        world
    }

    pub(super) fn settings(&self) -> TenantSettings {
        TenantSettings {
            webhook_url: Some(format!("https://127.0.0.1:{}/hooks", self.receiver.port)),
            ..settings()
        }
    }

    /// A new session's id.
    pub(super) async fn create(&self, body: &str) -> String {
        text(&self.server.create(body).await["id"])
    }

    /// A session that was completed with `outcome`.
    pub(super) async fn ended(&self, body: &str, outcome: &str) -> String {
        let id = self.create(body).await;
        self.end(&id, outcome).await;
        id
    }

    pub(super) async fn end(&self, id: &str, outcome: &str) {
        let path = format!("/v1/sandbox/verification-sessions/{id}/complete");
        let body = format!(r#"{{"outcome":"{outcome}"}}"#);
        let answer = self.server.call("POST", &path, &body).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
    }

    pub(super) async fn get(&self, id: &str) -> Answer {
        self.server.call("GET", &format!("{SESSIONS}/{id}"), "").await
    }

    /// The session's detail.
    pub(super) async fn read(&self, id: &str) -> Value {
        let answer = self.get(id).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
        answer.json()
    }

    pub(super) async fn reprocess(&self, id: &str) -> Answer {
        self.server
            .call("POST", &format!("{SESSIONS}/{id}/reprocess"), "")
            .await
    }

    /// Runs all due background jobs, including those they create.
    pub(super) async fn work(&self) {
        let mut busy = true;
        while busy {
            busy = false;
            for lane in Lane::ALL {
                let worker = Worker::new(self.server.app.honnin.clone(), lane, 1);
                busy |= worker.run_until_idle().await.unwrap() > 0;
            }
        }
    }

    pub(super) async fn wait(&self, span: Millis) {
        self.server.clock.advance(span);
        self.work().await;
    }

    /// Everything that the receiver got, after running the due jobs.
    pub(super) async fn events(&self) -> Vec<Received> {
        self.work().await;
        self.receiver.received()
    }

    /// The single event that the receiver got.
    pub(super) async fn event(&self) -> Received {
        let [received] = self.events().await.try_into().unwrap();
        received
    }
}

/// A JSON string.
pub(super) fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

/// Whether it is `prefix` and 32 lowercase hex digits.
pub(super) fn is_id(prefix: &str, value: &Value) -> bool {
    value
        .as_str()
        .and_then(|id| id.strip_prefix(prefix))
        .is_some_and(|hex| hex.len() == 32 && hex.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f')))
}

/// Whether it is an ISO 8601 time in UTC to the millisecond.
pub(super) fn is_time(value: &Value) -> bool {
    const FORM: &[u8] = b"dddd-dd-ddTdd:dd:dd.dddZ";
    value.as_str().is_some_and(|time| {
        time.len() == FORM.len()
            && time.bytes().zip(FORM).all(|(have, want)| {
                if *want == b'd' {
                    have.is_ascii_digit()
                } else {
                    have == *want
                }
            })
    })
}

/// The names of an object's fields.
pub(super) fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}
