//! Copies made with the commands in `docs/OPERATIONS.md` while the node is running; and copies made in other ways.
//!
//! Planted faults that these tests detect: `cp` instead of `VACUUM INTO`; the keys before the sessions; the pictures before
//! either.

use super::{
    free_port,
    http::{create, read},
    node::{Installation, Node, add_tenant, settings},
};
use domain::{ids::SessionId, scope::Scope, time::Millis};
use server::state::App;
use service::{access::tenant_by_key, session::create::create_session};
use std::{
    fs,
    net::{IpAddr, SocketAddr},
    path::Path,
    process::Command,
    sync::{Arc, Mutex},
};
use store::{capture::pictures::Pictures, webhook::events};
use tempfile::TempDir;
use testkit::{authority::acceptor, receiver::Receiver};
use tokio::{sync::Notify, task::JoinSet};
use tokio_util::sync::CancellationToken;

const NAME: &str = "Tanaka";
/// Part of the log message for a copy that lacks the most recent changes.
const INCOMPLETE: &str = "was copied while it was open, without its write-ahead log";

/// The shell commands of the section about backups: making a copy, and restoring it.
fn documented() -> [String; 2] {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/OPERATIONS.md");
    let page = fs::read_to_string(page).unwrap();
    let (_, section) = page.split_once("\n## Backup and restore\n").unwrap();
    let (section, _) = section.split_once("\n## ").unwrap();
    let blocks: Vec<String> = section
        .split("\n```sh\n")
        .skip(1)
        .map(|rest| rest.split("\n```").next().unwrap().to_owned())
        .collect();
    blocks.try_into().unwrap()
}

/// The folders of a copy: the data, its keys, and the master key, each separate.
struct Copy {
    stored: TempDir,
    keys: TempDir,
    master: TempDir,
}

impl Copy {
    fn new() -> Self {
        let [stored, keys, master] = [(); 3].map(|()| tempfile::tempdir().unwrap());
        Self { stored, keys, master }
    }

    /// Runs the documented commands on `data`. Returns when they have succeeded.
    async fn run(&self, script: &str, data: &Path) {
        let mut shell = Command::new("sh");
        shell.args(["-euc", script]).env("DATA", data);
        for (name, folder) in [("COPY", &self.stored), ("KEYS", &self.keys), ("MASTER", &self.master)] {
            shell.env(name, folder.path());
        }
        let output = tokio::task::spawn_blocking(move || shell.output())
            .await
            .unwrap()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

/// Clients that create sessions, each with a picture, and record which were acknowledged.
struct Customers {
    clients: JoinSet<()>,
    acknowledged: Arc<Mutex<Vec<String>>>,
    more: Arc<Notify>,
    enough: CancellationToken,
}

impl Customers {
    fn start(address: SocketAddr, key: &str, pictures: &Pictures) -> Self {
        let acknowledged = Arc::new(Mutex::new(Vec::new()));
        let (more, enough) = (Arc::new(Notify::new()), CancellationToken::new());
        let mut clients = JoinSet::new();
        for _ in 0..4 {
            let (key, pictures) = (key.to_owned(), pictures.clone());
            let (list, more, enough) = (Arc::clone(&acknowledged), Arc::clone(&more), enough.clone());
            clients.spawn(async move {
                while !enough.is_cancelled() {
                    let id = session_with_picture(address, &key, &pictures).await;
                    list.lock().unwrap().push(id);
                    more.notify_one();
                }
            });
        }
        Self {
            clients,
            acknowledged,
            more,
            enough,
        }
    }

    /// Those acknowledged so far, once there are this many.
    async fn at_least(&self, count: usize) -> Vec<String> {
        loop {
            let so_far = self.acknowledged.lock().unwrap().clone();
            if so_far.len() >= count {
                return so_far;
            }
            self.more.notified().await;
        }
    }

    /// All that were acknowledged.
    async fn end(self) -> Vec<String> {
        self.enough.cancel();
        self.clients.join_all().await;
        self.acknowledged.lock().unwrap().clone()
    }
}

async fn session_with_picture(address: SocketAddr, key: &str, pictures: &Pictures) -> String {
    let body = format!(r#"{{"preRegisteredInfo": {{"lastName": "{NAME}"}}}}"#);
    let (status, session) = create(address, key, &body).await;
    assert_eq!(status, 201, "{session}");
    let id = session["id"].as_str().unwrap().to_owned();
    let parsed = SessionId::parse(&id).unwrap();
    pictures.put(&parsed, "front", id.clone().into_bytes()).await.unwrap();
    id
}

fn pictures(installation: &Installation) -> Pictures {
    Pictures::in_folder(&installation.data().join("pictures")).unwrap()
}

async fn begin(installation: &Installation, command: &str) -> (Node, SocketAddr) {
    let address = SocketAddr::from(([127, 0, 0, 1], free_port()));
    let mut node = installation.start(command, &address.to_string());
    node.until_it_says("listening").await;
    (node, address)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_copy_made_as_documented_while_sessions_are_created_opens_whole_and_has_each_that_was_acknowledged_before() {
    let installation = Installation::new();
    let app = installation.open(Millis(0)).await;
    let tenant = add_tenant(&app, settings(None)).await;
    let key = tenant.key.expose();
    let (node, address) = begin(&installation, "serve").await;
    let customers = Customers::start(address, key, &pictures(&installation));
    let [make, put_back] = documented();
    let copy = Copy::new();
    let before = customers.at_least(100).await;
    let mut so_far = before.len();
    for command in make.lines() {
        copy.run(command, &installation.data()).await;
        // More than the keys of one batch: copying in another order misses some.
        so_far = customers.at_least(so_far + 70).await.len();
    }
    let all = customers.end().await;
    // The machine is lost.
    drop((node, app));

    let other = Installation::new();
    copy.run(&put_back, &other.data()).await;
    let (node, address) = begin(&other, "serve --hold-deliveries").await;
    assert!(!node.said().iter().any(|line| line.contains(INCOMPLETE)));
    let pictures = pictures(&other);
    for id in all {
        let (status, session) = read(address, key, &id).await;
        if status == 404 {
            assert!(!before.contains(&id), "{id} was acknowledged before the copy was begun");
            continue;
        }
        assert_eq!(
            (status, &session["preRegisteredInfo"]["lastName"]),
            (200, &NAME.into()),
            "{session}"
        );
        let picture = pictures.find(&SessionId::parse(&id).unwrap(), "front").await.unwrap();
        assert_eq!(picture.unwrap(), id);
    }
    node.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_copy_without_the_logs_is_told_of_at_its_start_and_one_of_a_node_that_was_stopped_is_not() {
    let installation = Installation::new();
    let (node, _) = begin(&installation, "serve").await;
    let copy = |to: &Installation| {
        fs::create_dir(to.data()).unwrap();
        for name in ["honnin.db", "keys.db", "master.key"] {
            fs::copy(installation.data().join(name), to.data().join(name)).unwrap();
        }
    };
    let (running, stopped) = (Installation::new(), Installation::new());
    copy(&running);
    node.stop().await;
    copy(&stopped);
    for (installation, is_told) in [(running, true), (stopped, false)] {
        let (node, _) = begin(&installation, "serve").await;
        for name in ["honnin.db", "keys.db"] {
            let mut told = node.said().iter().filter(|line| line.contains(INCOMPLETE));
            assert_eq!(told.any(|line| line.contains(name)), is_told, "{name}");
        }
        node.stop().await;
        // Once is enough.
        let (node, _) = begin(&installation, "serve").await;
        assert!(!node.said().iter().any(|line| line.contains(INCOMPLETE)));
        node.stop().await;
    }
}

/// A session whose deadline has passed, created by this app whose clock is an hour late.
async fn overdue_session(late: &App, key: &str) -> String {
    let caller = tenant_by_key(&late.honnin, key, IpAddr::from([127, 0, 0, 1]), Scope::Create)
        .await
        .unwrap();
    create_session(&late.honnin, &caller, b"{}")
        .await
        .unwrap()
        .id
        .to_string()
}

/// Returns when the session has ended and its event waits to be sent.
async fn until_expired(app: &App, id: &str) {
    let id = SessionId::parse(id).unwrap();
    loop {
        let id = id.clone();
        let unit = app
            .honnin
            .db()
            .read(async move |tx| events::list_of_session(tx, &id).await);
        if !unit.await.unwrap().is_empty() {
            return;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_that_holds_deliveries_does_everything_else_and_sends_when_it_no_longer_holds_them() {
    let receiver = Receiver::at("127.0.0.1:0", acceptor(&["127.0.0.1"], true)).await;
    let installation = Installation::new();
    let late = installation.open(Millis(-Millis::hours(1).0)).await;
    let url = format!("https://127.0.0.1:{}/hooks", receiver.port);
    let tenant = add_tenant(&late, settings(Some(url))).await;
    let key = tenant.key.expose();
    let (node, _) = begin(&installation, "serve --hold-deliveries").await;
    let mut overdue = Vec::new();
    // Once the second one has expired, the worker has polled since the first one had.
    for _ in 0..2 {
        let id = overdue_session(&late, key).await;
        until_expired(&late, &id).await;
        overdue.push(id);
    }
    assert_eq!(receiver.connections(), 0);
    node.stop().await;
    let (node, _) = begin(&installation, "serve").await;
    receiver.wait_for(2).await;
    let mut told: Vec<_> = receiver
        .received()
        .iter()
        .map(|request| {
            request.json()["data"]["session"]["sessionId"]
                .as_str()
                .unwrap()
                .to_owned()
        })
        .collect();
    told.sort();
    overdue.sort();
    assert_eq!(told, overdue);
    node.stop().await;
}
