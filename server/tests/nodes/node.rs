//! The program as a separate process, and the same installation as seen from the test's process.

use super::Shifted;
use domain::{
    session::Step,
    tenant::{Mode, TenantSettings},
    time::Millis,
};
use rustix::process::{Pid, Signal, kill_process};
use server::{
    config::{Config, Layers},
    open::open_with,
    state::App,
};
use service::{
    access::Operator,
    runtime::random::SystemRandom,
    settings::create_tenant::{CreatedTenant, NewTenant, create_tenant},
};
use std::{
    io::{BufRead as _, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::Arc,
    thread,
};
use tempfile::TempDir;
use testkit::{authority, buckets::Bucket, databases::Backend};
use tokio::sync::mpsc;
use vision::Vision;

pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_honnin");

/// An installation: its folder and its settings.
pub(crate) struct Installation {
    /// TOML.
    settings: String,
    /// Environment variables of its processes.
    environment: Vec<(&'static str, PathBuf)>,
    pub(crate) folder: TempDir,
    /// Held, since it is dropped with its last holder.
    _database: Option<Backend>,
}

impl Installation {
    /// One with a tenant, whose API key is returned as well.
    pub(crate) async fn with_tenant() -> (Self, String) {
        let installation = Self::new();
        let app = installation.open(Millis(0)).await;
        let tenant = add_tenant(&app, settings(None)).await;
        app.honnin.close().await.unwrap();
        (installation, tenant.key.expose().to_owned())
    }

    /// On SQLite, with receivers on loopback.
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
        std::fs::write(path("authority.pem"), authority::root_pem()).unwrap();
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
        Self {
            settings,
            environment: Vec::new(),
            folder,
            _database: None,
        }
    }

    /// With further settings.
    pub(crate) fn with(mut self, toml: &str) -> Self {
        self.settings.push_str(toml);
        self
    }

    /// With its databases on PostgreSQL.
    pub(crate) fn on(mut self, database: &Backend) -> Self {
        self._database = Some(database.clone());
        self.on_postgres(&database.url, &database.keys_url)
    }

    /// On the databases at these addresses.
    pub(crate) fn on_postgres(self, url: &str, keys_url: &str) -> Self {
        self.with(&format!(
            "database.url = {url:?}\ndatabase.keys_url = {keys_url:?}\ndatabase.connections = 8\n"
        ))
    }

    /// With its pictures in a bucket.
    pub(crate) fn in_bucket(self, bucket: &Bucket) -> Self {
        let (name, prefix) = (&bucket.name, &bucket.prefix);
        self.with(&format!("s3.bucket = {name:?}\ns3.prefix = {prefix:?}\n"))
            .with_s3(bucket)
    }

    /// With the S3 server of a bucket.
    pub(crate) fn with_s3(self, bucket: &Bucket) -> Self {
        let (id, secret) = bucket.credentials.as_ref().unwrap();
        self.with(&format!(
            "s3.endpoint = {:?}\ns3.path_style = true\ns3.access_key_id = {id:?}\ns3.secret_access_key = {:?}\n",
            bucket.endpoint.as_ref().unwrap(),
            secret.expose(),
        ))
    }

    /// With environment variables for its processes.
    pub(crate) fn with_environment(mut self, environment: Vec<(&'static str, PathBuf)>) -> Self {
        self.environment = environment;
        self
    }

    /// The same installation inside the test's process, whose clock is off by `shift`. It runs no background jobs.
    pub(crate) async fn open(&self, shift: Millis) -> App {
        let mut layers = Layers::defaults();
        layers.add_file("test.toml", &self.settings);
        let config = Arc::new(Config::read(&layers).unwrap());
        let blind = Vision::load(Path::new(""));
        open_with(config, blind, Arc::new(Shifted(shift)), Arc::new(SystemRandom))
            .await
            .unwrap()
    }

    /// The data folder.
    pub(crate) fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// A shell script in which `honnin` is the program with this installation's settings.
    pub(crate) fn shell(&self, script: &str) -> Command {
        self.shell_by(Command::new("sh"), script)
    }

    /// The same with mounts of its own. `None` if this machine permits no mount namespaces.
    pub(crate) fn shell_with_mounts(&self, script: &str) -> Option<Command> {
        let mut shell = Command::new("unshare");
        shell.args(way_to_mount()?).arg("sh");
        Some(self.shell_by(shell, script))
    }

    fn shell_by(&self, mut shell: Command, script: &str) -> Command {
        let file = self.folder.path().join("honnin.toml");
        std::fs::write(&file, &self.settings).unwrap();
        // The variables that control these tests are not settings, and unknown settings are refused.
        let script = format!(
            "unset $(env | sed -n 's/^\\(HONNIN_[A-Z_0-9]*\\)=.*/\\1/p')\n\
             honnin() {{ \"$PROGRAM\" \"$@\" --config \"$SETTINGS\"; }}\n\
             exec_honnin() {{ exec \"$PROGRAM\" \"$@\" --config \"$SETTINGS\"; }}\n{script}"
        );
        shell
            .args(["-euc", &script])
            .env("PROGRAM", PROGRAM)
            .env("SETTINGS", file)
            .envs(self.environment.iter().map(|(name, value)| (name, value)));
        shell
    }

    /// Starts `honnin command`.
    pub(crate) fn start(&self, command: &str, listen: &str) -> Node {
        self.spawn(Command::new(PROGRAM), command, listen)
    }

    /// Starts `honnin serve` on a separate disk of this many MiB, with a copy of the data folder; only the process sees it.
    /// `None` if this machine permits no mount namespaces.
    pub(crate) fn start_on_small_disk(&self, listen: &str, mib: u32) -> Option<Node> {
        let way = way_to_mount()?;
        let script = "cp -a \"$0\" \"$0.kept\" && mount -t tmpfs -o size=\"$1\"m tmpfs \"$0\" && cp -a \"$0.kept/.\" \"$0\" && \
                      shift && exec \"$@\"";
        let mut process = Command::new("unshare");
        process.args(way).args(["sh", "-c", script]).arg(self.data());
        process.args([&mib.to_string(), PROGRAM]);
        Some(self.spawn(process, "serve", listen))
    }

    /// Starts `honnin command` as the first process of a container; [`Node::ask_first_to_stop`] reaches it. `None` if this machine permits no such
    /// namespaces.
    pub(crate) fn start_as_first(&self, command: &str) -> Option<Node> {
        let ways: [&[&str]; 2] = [&["--pid", "--fork"], &["--map-root-user", "--pid", "--fork"]];
        let way = ways.into_iter().find(|way| is_permitted(way, &["true"]))?;
        let mut process = Command::new("unshare");
        process.args(way).args(["--kill-child", PROGRAM]);
        Some(self.spawn(process, command, "127.0.0.1:0"))
    }

    /// Starts `process` with the arguments and the settings of `honnin command`.
    fn spawn(&self, mut process: Command, command: &str, listen: &str) -> Node {
        let file = self.folder.path().join("honnin.toml");
        std::fs::write(&file, &self.settings).unwrap();
        // The variables that control these tests are not settings, and unknown settings are refused.
        process.env_clear().env("HONNIN_LISTEN", listen);
        process.envs(self.environment.iter().map(|(name, value)| (name, value)));
        process.args(command.split(' ')).arg("--config").arg(file);
        // Whoever runs these tests may do so in a terminal.
        process.stdin(Stdio::null());
        let process = process.stdout(Stdio::null()).stderr(Stdio::piped());
        let mut process = process.spawn().unwrap();
        let log = BufReader::new(process.stderr.take().unwrap());
        let (writer, reader) = mpsc::unbounded_channel();
        thread::spawn(move || {
            for line in log.lines().map_while(Result::ok) {
                // The receiver may be gone; the process must not wait for it.
                drop(writer.send(line));
            }
        });
        Node {
            process,
            log: reader,
            said: Vec::new(),
        }
    }
}

/// The options of `unshare` with which a process may mount disks that no other sees; `None` if this machine does not permit it.
fn way_to_mount() -> Option<&'static [&'static str]> {
    let ways: [&[&str]; 2] = [&["--mount"], &["--map-root-user", "--mount"]];
    ways.into_iter()
        .find(|way| is_permitted(way, &["mount", "-t", "tmpfs", "tmpfs", "/mnt"]))
}

/// Whether `unshare` with these options runs a program.
fn is_permitted(way: &[&str], program: &[&str]) -> bool {
    let mut probe = Command::new("unshare");
    let status = probe.args(way).args(program).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
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
        mode: Mode::Live,
    };
    create_tenant(&app.honnin, &Operator::at_command_line(), new)
        .await
        .unwrap()
}

/// A running process; killed when dropped.
pub(crate) struct Node {
    process: Child,
    log: mpsc::UnboundedReceiver<String>,
    said: Vec<String>,
}

impl Drop for Node {
    fn drop(&mut self) {
        // If it has ended already, there is nothing to kill.
        drop(self.process.kill());
        drop(self.process.wait());
    }
}

impl Node {
    /// Returns when its log contains `words`.
    pub(crate) async fn until_it_says(&mut self, words: &str) {
        assert!(
            self.says(words).await,
            "it ended too early, and last said: {:?}",
            self.said.last()
        );
    }

    /// Waits until its log contains `words`. Returns false if it ends before.
    pub(crate) async fn says(&mut self, words: &str) -> bool {
        while let Some(line) = self.log.recv().await {
            let said = line.contains(words);
            self.said.push(line);
            if said {
                return true;
            }
        }
        false
    }

    /// Its log so far, up to what was waited for.
    pub(crate) fn said(&self) -> &[String] {
        &self.said
    }

    /// The path of this process's `path` outside its namespace.
    pub(crate) fn sees(&self, path: &Path) -> PathBuf {
        let root = format!("/proc/{}/root", self.process.id());
        Path::new(&root).join(path.strip_prefix("/").unwrap())
    }

    /// Returns when it has ended.
    pub(crate) async fn until_it_ends(&mut self) {
        while self.log.recv().await.is_some() {}
    }

    /// Kills it.
    pub(crate) fn kill(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    /// Sends SIGTERM.
    pub(crate) fn ask_to_stop(&self) {
        kill_process(Pid::from_child(&self.process), Signal::TERM).unwrap();
    }

    /// Sends SIGTERM to what [`Installation::start_as_first`] has started.
    pub(crate) fn ask_first_to_stop(&self) {
        let id = self.process.id();
        let children = std::fs::read_to_string(format!("/proc/{id}/task/{id}/children")).unwrap();
        let first = Pid::from_raw(children.trim().parse().unwrap()).unwrap();
        kill_process(first, Signal::TERM).unwrap();
    }

    /// Sends SIGHUP.
    pub(crate) fn hang_up(&self) {
        kill_process(Pid::from_child(&self.process), Signal::HUP).unwrap();
    }

    /// Sends SIGTERM. Returns when the process has ended successfully.
    pub(crate) async fn stop(self) {
        self.ask_to_stop();
        self.ends().await;
    }

    /// Returns when the process has ended successfully.
    pub(crate) async fn ends(self) {
        assert_eq!(self.status().await, Some(0));
    }

    /// Returns with which status the process has ended, once it has.
    pub(crate) async fn status(mut self) -> Option<i32> {
        self.until_it_ends().await;
        self.process.wait().unwrap().code()
    }
}
