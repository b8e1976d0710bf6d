//! The program as a process of its own, and the same installation as seen from the test's process.

use super::{Shifted, authority};
use base64::{Engine as _, engine::general_purpose::STANDARD as BASE64};
use domain::{session::Step, tenant::TenantSettings, time::Millis};
use rustix::process::{Pid, Signal, kill_process};
use server::{
    config::{Config, Layers},
    open::open_with,
    state::App,
};
use service::{
    access::Operator,
    create_tenant::{CreatedTenant, NewTenant, create_tenant},
    random::SystemRandom,
};
use std::{
    io::{BufRead as _, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
    sync::Arc,
    thread,
};
use tempfile::TempDir;
use tokio::sync::mpsc;
use vision::Vision;

/// An installation: its folder and its settings.
pub(crate) struct Installation {
    /// TOML.
    settings: String,
    pub(crate) folder: TempDir,
}

impl Installation {
    /// On SQLite, with receivers on loopback.
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
        let pem = BASE64.encode(authority::root());
        let pem = format!("-----BEGIN CERTIFICATE-----\n{pem}\n-----END CERTIFICATE-----\n");
        std::fs::write(path("authority.pem"), pem).unwrap();
        let settings = format!(
            "base_url = \"http://id.example\"\n\
             data_dir = {:?}\n\
             models.dir = {:?}\n\
             site.dir = {:?}\n\
             webhooks.allow_networks = [\"127.0.0.0/8\"]\n\
             webhooks.extra_ca_file = {:?}\n\
             limits.creations_per_minute = 0\n",
            path("data"),
            path("none"),
            path("none"),
            path("authority.pem"),
        );
        Self { settings, folder }
    }

    /// With further settings.
    pub(crate) fn with(mut self, toml: &str) -> Self {
        self.settings.push_str(toml);
        self
    }

    /// The same installation inside the test's process, whose clock is wrong by `shift`. It does no background work.
    pub(crate) async fn open(&self, shift: Millis) -> App {
        let mut layers = Layers::defaults();
        layers.add_file("test.toml", &self.settings);
        let config = Arc::new(Config::read(&layers).unwrap());
        let blind = Vision::load(Path::new(""));
        open_with(config, blind, Arc::new(Shifted(shift)), Arc::new(SystemRandom))
            .await
            .unwrap()
    }

    /// Begins `honnin command`.
    pub(crate) fn start(&self, command: &str, listen: &str) -> Node {
        let file = self.folder.path().join("honnin.toml");
        std::fs::write(&file, &self.settings).unwrap();
        let mut process = Command::new(env!("CARGO_BIN_EXE_honnin"));
        // The variables that steer these tests are no settings, and what is no setting is refused.
        process.env_clear().env("HONNIN_LISTEN", listen);
        process.arg(command).arg("--config").arg(file);
        let process = process.stdout(Stdio::null()).stderr(Stdio::piped());
        let mut process = process.spawn().unwrap();
        let log = BufReader::new(process.stderr.take().unwrap());
        let (writer, reader) = mpsc::unbounded_channel();
        thread::spawn(move || {
            for line in log.lines().map_while(Result::ok) {
                // Nobody may listen any more; the process must not wait for that.
                drop(writer.send(line));
            }
        });
        Node { process, log: reader }
    }
}

/// Both steps, sessions of an hour, and a receiver.
pub(crate) fn settings(receiver: Option<String>) -> TenantSettings {
    TenantSettings {
        steps: Step::ALL.to_vec(),
        session_lifetime: Millis::hours(1),
        webhook_url: receiver,
        ..TenantSettings::default()
    }
}

pub(crate) async fn add_tenant(app: &App, settings: TenantSettings) -> CreatedTenant {
    let new = NewTenant {
        name: "Example Shop".into(),
        settings,
        livemode: true,
    };
    create_tenant(&app.honnin, &Operator::at_command_line(), new)
        .await
        .unwrap()
}

/// A running process; killed when dropped.
pub(crate) struct Node {
    process: Child,
    log: mpsc::UnboundedReceiver<String>,
}

impl Drop for Node {
    fn drop(&mut self) {
        // Where it has ended by itself there is nothing to kill.
        drop(self.process.kill());
        drop(self.process.wait());
    }
}

impl Node {
    /// Returns when its log says `words`.
    pub(crate) async fn until_it_says(&mut self, words: &str) {
        let mut last = String::new();
        while !last.contains(words) {
            let Some(line) = self.log.recv().await else {
                panic!("it ended too early, and last said: {last}")
            };
            last = line;
        }
    }

    /// Returns when it has ended.
    pub(crate) async fn until_it_ends(&mut self) {
        while self.log.recv().await.is_some() {}
    }

    /// SIGTERM. Returns when the process has ended well.
    pub(crate) async fn stop(mut self) {
        kill_process(Pid::from_child(&self.process), Signal::TERM).unwrap();
        self.until_it_ends().await;
        assert!(self.process.wait().unwrap().success());
    }
}
