//! Copies made with the commands in `docs/BACKUP.md` while the node is running; and copies made in other ways.
//!
//! Planted faults that these tests detect: `cp` instead of `VACUUM INTO`; the keys before the sessions; the pictures before
//! the sessions; a manifest without hashes; keys that may be older than the data.

use super::{
    free_port,
    http::{create, read},
    node::{Installation, Node, add_tenant, settings},
};
use domain::{
    document::Side,
    ids::{CaptureId, SessionId},
    scope::Scope,
    session::{AttemptNumber, Status},
    time::Millis,
};
use serde_json::Value;
use server::state::App;
use service::{access::tenant_by_key, privacy::after_restore::erase_again, session::create::create_session};
use std::{
    fs,
    net::{IpAddr, SocketAddr},
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    sync::{Arc, Mutex},
};
use store::{
    DbOptions,
    backup::UNFINISHED,
    capture::{
        captures::{self, CaptureRow, Frame, Slot},
        pictures::Pictures,
    },
    session::sessions::{self, SessionRow},
    vault::Vault,
    webhook::events,
};
use tempfile::TempDir;
use testkit::{
    authority::acceptor,
    buckets::{self, Bucket},
    databases,
    proxy::Link,
    receiver::Receiver,
};
use tokio::{sync::Notify, task::JoinSet};
use tokio_util::sync::CancellationToken;

pub(super) const NAME: &str = "Tanaka";
/// Part of the log message for a copy that lacks the most recent changes.
const INCOMPLETE: &str = "was copied while it was open, without its write-ahead log";

/// The shell commands that create a backup, verify it, and restore it.
fn documented() -> [String; 3] {
    ["Creating a backup", "Verifying a backup", "Restoring a backup"].map(block)
}

/// The only block of shell commands in a section.
fn block(section: &str) -> String {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/BACKUP.md");
    let page = fs::read_to_string(page).unwrap();
    let (_, rest) = page.split_once(&format!("\n## {section}\n")).unwrap();
    let text = rest.split("\n## ").next().unwrap();
    let blocks: Vec<&str> = text.split("\n```sh\n").skip(1).collect();
    let [block] = blocks[..] else {
        panic!("{section}: {} blocks", blocks.len())
    };
    block.split("\n```").next().unwrap().to_owned()
}

/// The places of a copy: the data and its keys, in folders or in buckets, and the folder of the master key.
struct Copy {
    stored: TempDir,
    keys: TempDir,
    master: TempDir,
    buckets: Option<[Bucket; 2]>,
}

impl Copy {
    fn new() -> Self {
        let [stored, keys, master] = [(); 3].map(|()| tempfile::tempdir().unwrap());
        Self {
            stored,
            keys,
            master,
            buckets: None,
        }
    }

    /// With the data in a new bucket and the keys in another; `None` without an S3 server.
    async fn in_buckets() -> Option<Self> {
        let buckets = [buckets::fresh().await?, buckets::fresh().await?];
        Some(Self {
            buckets: Some(buckets),
            ..Self::new()
        })
    }

    fn buckets(&self) -> &[Bucket; 2] {
        self.buckets.as_ref().unwrap()
    }

    /// The same data and master key with the keys of a newer copy.
    fn with_keys_of(self, newer: Self) -> Self {
        let buckets = self.buckets.zip(newer.buckets);
        Self {
            keys: newer.keys,
            buckets: buckets.map(|([data, _], [_, keys])| [data, keys]),
            ..self
        }
    }

    /// Runs documented commands on an installation. Returns when they have succeeded.
    async fn run(&self, script: &str, installation: &Installation) {
        let output = self.output(script, installation).await;
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }

    /// Why documented commands are refused.
    async fn refusal(&self, script: &str, installation: &Installation) -> String {
        let output = self.output(script, installation).await;
        assert!(!output.status.success(), "{script}");
        String::from_utf8_lossy(&output.stderr).into_owned()
    }

    async fn output(&self, script: &str, installation: &Installation) -> Output {
        let mut shell = self.shell(script, installation);
        tokio::task::spawn_blocking(move || shell.output())
            .await
            .unwrap()
            .unwrap()
    }

    /// A shell script that knows the places.
    fn shell(&self, script: &str, installation: &Installation) -> Command {
        self.with_places(installation.shell(script), installation)
    }

    fn with_places(&self, mut shell: Command, installation: &Installation) -> Command {
        shell.env("DATA", installation.data());
        for (name, folder) in [("COPY", &self.stored), ("KEYS", &self.keys), ("MASTER", &self.master)] {
            shell.env(name, folder.path());
        }
        for (name, bucket) in ["COPY", "KEYS"].into_iter().zip(self.buckets.iter().flatten()) {
            shell.env(name, address(bucket));
        }
        shell
    }
}

/// A place in a bucket, as it is written on the command line.
fn address(bucket: &Bucket) -> String {
    format!("s3://{}/{}", bucket.name, bucket.prefix)
}

/// Clients at a time, each of which stores the picture of its session before it creates the next.
const CUSTOMERS: usize = 4;

/// Clients that create sessions, each with a picture, and record which were acknowledged.
pub(super) struct Customers {
    clients: JoinSet<()>,
    acknowledged: Arc<Mutex<Vec<String>>>,
    more: Arc<Notify>,
    enough: CancellationToken,
}

impl Customers {
    pub(super) fn start(address: SocketAddr, key: &str, pictures: &Pictures) -> Self {
        let acknowledged = Arc::new(Mutex::new(Vec::new()));
        let (more, enough) = (Arc::new(Notify::new()), CancellationToken::new());
        let mut clients = JoinSet::new();
        for _ in 0..CUSTOMERS {
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
    pub(super) async fn at_least(&self, count: usize) -> Vec<String> {
        loop {
            let so_far = self.acknowledged.lock().unwrap().clone();
            if so_far.len() >= count {
                return so_far;
            }
            self.more.notified().await;
        }
    }

    /// All that were acknowledged.
    pub(super) async fn end(self) -> Vec<String> {
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

pub(super) fn pictures(installation: &Installation) -> Pictures {
    Pictures::in_folder(&installation.data().join("pictures")).unwrap()
}

pub(super) async fn begin(installation: &Installation, command: &str) -> (Node, SocketAddr) {
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
    let [make, verify, put_back] = documented();
    let copy = Copy::new();
    let before = customers.at_least(100).await;
    copy.run(&make, &installation).await;
    // More than the keys of one batch: copying in another order misses some.
    customers.at_least(before.len() + 70).await;
    let all = customers.end().await;
    // The machine is lost.
    drop((node, app));

    let other = Installation::new();
    copy.run(&verify, &other).await;
    // A volume that was mounted for them.
    fs::create_dir_all(other.data().join("pictures")).unwrap();
    copy.run(&put_back, &other).await;
    let (mut node, address) = begin(&other, "serve").await;
    node.until_it_says("webhooks are on hold").await;
    assert!(!node.said().iter().any(|line| line.contains(INCOMPLETE)));
    assert!(
        copy.refusal(&put_back, &other)
            .await
            .contains("honnin.db: exists already")
    );
    let pictures = pictures(&other);
    all_are_back((address, key), &all, &before, &pictures).await;
    node.stop().await;
}

/// Every session is there with its data and its picture, but those that were created after the copy was begun.
async fn all_are_back((address, key): (SocketAddr, &str), all: &[String], before: &[String], pictures: &Pictures) {
    let mut without: Vec<&String> = Vec::new();
    for id in all {
        let (status, session) = read(address, key, id).await;
        if status == 404 {
            assert!(!before.contains(id), "{id} was acknowledged before the copy was begun");
            continue;
        }
        assert_eq!(
            (status, &session["preRegisteredInfo"]["lastName"]),
            (200, &NAME.into()),
            "{session}"
        );
        let picture = pictures.find(&SessionId::parse(id).unwrap(), "front").await.unwrap();
        let Some(picture) = picture else {
            assert!(!before.contains(id), "{id} was acknowledged with its picture");
            without.push(id);
            continue;
        };
        assert_eq!(picture, id.as_str());
    }
    // The copy may have been made while a customer had created a session and not yet stored its picture.
    assert!(without.len() <= CUSTOMERS, "{without:?}");
}

/// A stopped installation with one session, whose picture is in it, and a copy of it.
async fn copied() -> (Installation, Copy, SessionId) {
    let (installation, copy) = (Installation::new(), Copy::new());
    let id = fill(&installation).await;
    copy.run(&documented()[0], &installation).await;
    (installation, copy, id)
}

/// The same with the copy in buckets; `None` without an S3 server.
async fn copied_to_buckets() -> Option<(Installation, Copy, SessionId)> {
    let copy = Copy::in_buckets().await?;
    let installation = Installation::new().with_s3(&copy.buckets()[0]);
    let id = fill(&installation).await;
    copy.run(&documented()[0], &installation).await;
    Some((installation, copy, id))
}

/// Stores a session, whose picture is in it.
async fn fill(installation: &Installation) -> SessionId {
    let app = installation.open(Millis(0)).await;
    let tenant = add_tenant(&app, settings(None)).await;
    let id = SessionId::parse(&overdue_session(&app, tenant.key.expose()).await).unwrap();
    photograph(&app, &pictures(installation), &id).await;
    app.honnin.close().await.unwrap();
    id
}

/// Stores a picture of a session, as a phone does.
async fn photograph(app: &App, pictures: &Pictures, session: &SessionId) {
    pictures.put(session, "front", b"sealed".to_vec()).await.unwrap();
    let frame = Frame {
        object: "front".into(),
        sha256: String::new(),
        at: 0,
        repeated: false,
    };
    let (id, slot) = (
        CaptureId::from_random(app.honnin.random_bytes()),
        Slot::Document(Side::Front),
    );
    let row = CaptureRow::new(id, (session, AttemptNumber::FIRST), slot, vec![frame], app.honnin.now());
    let unit = app.honnin.db().write(async move |tx| captures::insert(tx, &row).await);
    unit.await.unwrap();
}

/// Planted faults that this test detects: a missing folder that counts as an empty one; a picture that is neither in the copy nor in its
/// manifest; files among the pictures that are passed over; the file of the readiness check as a picture.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_copy_without_a_picture_that_a_session_refers_to_is_refused_with_its_name() {
    let [make, verify, put_back] = documented();
    let (installation, copy, id) = copied().await;
    let picture = a_picture(&copy);
    let name = picture
        .strip_prefix(copy.stored.path())
        .unwrap()
        .to_str()
        .unwrap()
        .to_owned();
    let manifest = copy.stored.path().join("manifest.json");
    let mut changed: Value = serde_json::from_slice(&fs::read(&manifest).unwrap()).unwrap();
    assert!(changed["files"].as_object_mut().unwrap().remove(&name).is_some());
    fs::write(manifest, changed.to_string()).unwrap();
    fs::remove_file(picture).unwrap();
    let gap = format!(
        "pictures are missing whose sessions were not erased; the first of 1 is {}",
        &name[9..]
    );
    for script in [&verify, &put_back] {
        let refusal = copy.refusal(script, &Installation::new()).await;
        assert!(refusal.contains(&gap), "{refusal}");
    }

    let kept = installation.data().join("pictures");
    let moved = installation.data().join("elsewhere");
    fs::rename(&kept, &moved).unwrap();
    let refusal = Copy::new().refusal(&make, &installation).await;
    assert!(refusal.contains("pictures: No such file"), "{refusal}");
    fs::create_dir(&kept).unwrap();
    let refusal = Copy::new().refusal(&make, &installation).await;
    assert!(refusal.contains(&gap), "{refusal}");
    let noting = make.replace("backup create", "backup create --allow-missing");
    let noted = Copy::new();
    noted.run(&noting, &installation).await;
    noted.run(&verify, &installation).await;
    fs::remove_dir(&kept).unwrap();
    fs::rename(&moved, &kept).unwrap();

    pictures(&installation).check().await.unwrap();
    let whole = Copy::new();
    whole.run(&make, &installation).await;
    assert!(!whole.stored.path().join("pictures/check").exists());
    fs::write(kept.join("letter"), "mine").unwrap();
    let refusal = Copy::new().refusal(&make, &installation).await;
    assert!(refusal.contains("letter: is not a picture of a session"), "{refusal}");
    let Some(bucket) = buckets::fresh().await else { return };
    whole.run(&put_back, &Installation::new().in_bucket(&bucket)).await;
    let restored = Pictures::in_bucket(&bucket).unwrap();
    assert_eq!(restored.find(&id, "front").await.unwrap().unwrap(), "sealed");
}

/// Planted fault that this test detects: a restored session that names the picture, which every later backup would miss.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_picture_that_was_deleted_while_a_copy_was_made_is_missed_neither_by_the_restore_nor_by_the_next_backup() {
    let [make, verify, put_back] = documented();
    let (_, copy, _) = copied().await;
    let picture = a_picture(&copy);
    let name = picture.strip_prefix(copy.stored.path()).unwrap();
    let name = name.to_str().unwrap().to_owned();
    // As it is noted then.
    let manifest = copy.stored.path().join("manifest.json");
    let mut changed: Value = serde_json::from_slice(&fs::read(&manifest).unwrap()).unwrap();
    assert!(changed["files"].as_object_mut().unwrap().remove(&name).is_some());
    changed["deleted"] = vec![&name[9..]].into();
    fs::write(manifest, changed.to_string()).unwrap();
    fs::remove_file(picture).unwrap();
    let restored = Installation::new();
    copy.run(&verify, &restored).await;
    copy.run(&put_back, &restored).await;
    Copy::new().run(&make, &restored).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_copy_that_is_damaged_mixed_or_unfinished_is_refused_with_the_name_of_the_file_and_writes_nothing() {
    let [_, verify, put_back] = documented();
    let damage: [(&str, Damage); 6] = [
        ("honnin.db: is damaged", |copy| {
            let path = copy.stored.path().join("honnin.db");
            let mut bytes = fs::read(&path).unwrap();
            let middle = bytes.len() / 2;
            bytes[middle] ^= 1;
            fs::write(path, bytes).unwrap();
        }),
        ("front: is damaged", |copy| {
            fs::write(a_picture(copy), b"sealee").unwrap()
        }),
        ("front: is missing", |copy| fs::remove_file(a_picture(copy)).unwrap()),
        ("back: is not in the manifest", |copy| {
            fs::write(a_picture(copy).with_file_name("back"), b"another's").unwrap();
        }),
        ("manifest.json: is missing", |copy| {
            fs::remove_file(copy.keys.path().join("manifest.json")).unwrap();
        }),
        ("is older than the copy of the data", |copy| {
            let path = copy.keys.path().join("manifest.json");
            let mut manifest: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
            manifest["begun_at"] = (manifest["begun_at"].as_i64().unwrap() - 1).into();
            fs::write(path, manifest.to_string()).unwrap();
        }),
    ];
    for (what, damage) in damage {
        let (_, copy, _) = copied().await;
        damage(&copy);
        let empty = Installation::new();
        for script in [&verify, &put_back] {
            let refusal = copy.refusal(script, &empty).await;
            assert!(refusal.contains(what), "{what}: {refusal}");
        }
        assert!(!empty.data().exists(), "{what}");
    }
    let ((_, one, _), (_, other, _)) = (copied().await, copied().await);
    let mixed = one.with_keys_of(other);
    let refusal = mixed.refusal(&verify, &Installation::new()).await;
    assert!(refusal.contains("holds the keys of another installation"), "{refusal}");
}

/// An installation on two empty databases of a PostgreSQL server and, if there is an S3 server, with its pictures in an empty bucket.
async fn on_servers() -> Option<Servers> {
    let databases = empty_databases(&databases::postgres_server()?).await;
    let bucket = buckets::fresh().await;
    let mut installation = on_databases(&databases);
    if let Some(bucket) = &bucket {
        installation = installation.in_bucket(bucket);
    }
    Some(Servers { installation, bucket })
}

struct Servers {
    installation: Installation,
    bucket: Option<Bucket>,
}

impl Servers {
    /// The pictures of the installation, which is there.
    fn pictures(&self) -> Pictures {
        match &self.bucket {
            Some(bucket) => Pictures::in_bucket(bucket).unwrap(),
            None => pictures(&self.installation),
        }
    }
}

/// Two empty databases of a PostgreSQL server: of an installation, and of its keys.
pub(super) async fn empty_databases(server: &str) -> [String; 2] {
    [databases::empty(server).await, databases::empty(server).await]
}

/// An installation on these databases.
pub(super) fn on_databases([url, keys_url]: &[String; 2]) -> Installation {
    Installation::new().on_postgres(url, keys_url)
}

/// Planted faults that this test detects: the keys dumped before the sessions; a list of keys read outside the snapshot of its dump.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_copy_of_an_installation_on_postgres_and_s3_made_while_sessions_are_created_is_whole() {
    let (Some(lost), Some(found)) = (on_servers().await, on_servers().await) else {
        return;
    };
    let (installation, other) = (&lost.installation, &found.installation);
    let app = installation.open(Millis(0)).await;
    let tenant = add_tenant(&app, settings(None)).await;
    let key = tenant.key.expose();
    let (node, address) = begin(installation, "serve").await;
    let customers = Customers::start(address, key, &lost.pictures());
    let [make, verify, put_back] = documented();
    let copy = Copy::new();
    let before = customers.at_least(60).await;
    // More than the keys of one batch are created while it is copied; then no more, because the S3 server of the test is slow.
    let more = async {
        customers.at_least(before.len() + 70).await;
        customers.end().await
    };
    let ((), all) = tokio::join!(copy.run(&make, installation), more);
    drop((node, app));

    copy.run(&verify, other).await;
    copy.run(&put_back, other).await;
    let refusal = copy.refusal(&put_back, other).await;
    assert!(refusal.contains("the PostgreSQL database: exists already"), "{refusal}");
    let (mut node, address) = begin(other, "serve").await;
    node.until_it_says("webhooks are on hold").await;
    let noted = node.said().iter().find(|line| line.contains("already exists"));
    assert_eq!(noted, None, "what PostgreSQL notes of every start");
    all_are_back((address, key), &all, &before, &found.pictures()).await;
    node.stop().await;
    if let (Some(server), Some(bucket)) = (databases::postgres_server(), &found.bucket) {
        // A bucket that somebody uses, whatever was interrupted in the folder.
        let another = on_databases(&empty_databases(&server).await).in_bucket(bucket);
        leave_unfinished(&another);
        let refusal = copy.refusal(&put_back, &another).await;
        assert!(refusal.contains("a picture in the bucket: exists already"), "{refusal}");
    }
    // A copy of another kind of database, and one whose dump was cut off, are refused.
    let refusal = copy.refusal(&put_back, &Installation::new()).await;
    assert!(refusal.contains("is a backup of another kind of database"), "{refusal}");
    let mut files = fs::read_dir(copy.keys.path())
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let dump = files
        .find(|path| path.to_str().unwrap().ends_with("keys.pgdump"))
        .unwrap();
    let bytes = fs::read(&dump).unwrap();
    fs::write(&dump, &bytes[..bytes.len() / 2]).unwrap();
    let refusal = copy.refusal(&verify, other).await;
    assert!(refusal.contains("keys.pgdump: is damaged"), "{refusal}");
}

/// Does something to a copy.
type Damage = fn(&Copy);

fn a_picture(copy: &Copy) -> PathBuf {
    let mut path = copy.stored.path().join("pictures");
    for _ in 0..3 {
        path = fs::read_dir(path).unwrap().next().unwrap().unwrap().path();
    }
    path
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_was_erased_after_the_copy_does_not_come_back_with_it() {
    let (installation, copy, id) = copied().await;
    erase(&installation, &id).await;
    // Only the keys are copied again, as for every older copy of the data.
    let newer = Copy::new();
    newer.run(&documented()[0], &installation).await;
    stays_erased(&copy.with_keys_of(newer), &Installation::new(), &id).await;
}

/// Planted fault that this test detects: keys of the older copy that stay in the bucket.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_was_erased_after_a_copy_to_a_bucket_does_not_come_back_with_it_and_no_object_holds_their_key() {
    let Some((installation, copy, id)) = copied_to_buckets().await else {
        return;
    };
    let [data, keys] = copy.buckets().clone();
    let sealed = sealed_key(&installation, &id).await;
    let holders = async |bucket: &Bucket| {
        let objects = buckets::objects(bucket).await.into_iter();
        let holds = |content: &[u8]| content.windows(sealed.len()).any(|window| window == sealed);
        let holders = objects.filter(|(_, content)| holds(content));
        holders.map(|(name, _)| name).collect::<Vec<_>>()
    };
    let before = holders(&keys).await;
    assert!(
        matches!(before.as_slice(), [name] if name.ends_with("-keys.db")),
        "{before:?}"
    );
    assert!(holders(&data).await.is_empty(), "the halves are apart");
    erase(&installation, &id).await;
    let newer = Copy {
        buckets: Some([buckets::fresh().await.unwrap(), keys.clone()]),
        ..Copy::new()
    };
    newer.run(&documented()[0], &installation).await;
    for bucket in [&keys, &data, &newer.buckets()[0]] {
        assert!(holders(bucket).await.is_empty(), "{bucket:?}");
    }
    stays_erased(&copy, &Installation::new().with_s3(&data), &id).await;
}

/// Planted faults that this test detects: keys that stay forever because no session has them; keys that are removed unasked.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn keys_of_sessions_that_only_newer_copies_have_are_counted_after_a_restore_and_removed_on_request() {
    let (installation, older, known) = copied().await;
    fill(&installation).await;
    let newer = Copy::new();
    newer.run(&documented()[0], &installation).await;
    let app = installation.open(Millis(0)).await;
    let known = find_session(&app, &known).await.unwrap().data_key.to_string();
    app.honnin.close().await.unwrap();
    let copy = older.with_keys_of(newer);
    let put_back = &documented()[2];
    let restored = Installation::new();
    let output = copy.output(put_back, &restored).await;
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("Keys that belong to no session here: 1."), "{said}");
    let kept = ids_of_keys(&restored).await;
    assert!(kept.len() == 2 && kept.contains(&known), "{kept:?}");

    let other = Installation::new();
    let forgetting = put_back.replace("backup restore", "backup restore --forget-unknown-keys");
    copy.run(&forgetting, &other).await;
    assert_eq!(ids_of_keys(&other).await, [known.as_str()]);
}

/// The ids of the keys of an installation.
async fn ids_of_keys(installation: &Installation) -> Vec<String> {
    let url = format!("sqlite://{}", installation.data().join("keys.db").display());
    databases::texts_at(&url, "SELECT id FROM data_keys ORDER BY id").await
}

/// The key of a session as it is stored.
async fn sealed_key(installation: &Installation, id: &SessionId) -> Vec<u8> {
    let app = installation.open(Millis(0)).await;
    let row = find_session(&app, id).await.unwrap();
    app.honnin.close().await.unwrap();
    let url = format!("sqlite://{}", installation.data().join("keys.db").display());
    let ids = databases::texts_at(&url, "SELECT id FROM data_keys ORDER BY id").await;
    let sealed = databases::bytes_at(&url, "SELECT sealed FROM data_keys ORDER BY id").await;
    let mut keys = ids.into_iter().zip(sealed);
    keys.find(|(id, _)| id == row.data_key.as_str()).unwrap().1
}

/// Erases a session, with its key and its pictures.
async fn erase(installation: &Installation, id: &SessionId) {
    let app = installation.open(Millis(0)).await;
    let row = find_session(&app, id).await.unwrap();
    let (url, master) = (
        format!("sqlite://{}", installation.data().join("keys.db").display()),
        installation.data().join("master.key"),
    );
    let vault = Vault::open_with_file(&url, DbOptions::default(), &master, app.honnin.db());
    let vault = vault.await.unwrap();
    assert!(vault.destroy(&row.data_key).await.unwrap());
    vault.close().await.unwrap();
    assert_eq!(erase_again(&app.honnin).await.unwrap(), 1);
    let (node, _) = begin(installation, "serve").await;
    until_erased(&app, &pictures(installation), id).await;
    node.stop().await;
    app.honnin.close().await.unwrap();
}

/// Puts a copy back that was made before a session was erased, with keys that were copied afterwards.
async fn stays_erased(copy: &Copy, other: &Installation, id: &SessionId) {
    copy.run(&documented()[2], other).await;
    let (node, _) = begin(other, "serve").await;
    let app = other.open(Millis(0)).await;
    let row = until_erased(&app, &pictures(other), id).await;
    assert!(row.known.is_none() && matches!(row.session.status, Status::Expired | Status::Failed));
    assert!(other.data().join("pictures").exists());
    node.stop().await;
}

/// What somebody does to an object; `None` removes it.
type Change = Option<fn(&mut Vec<u8>)>;

/// Planted fault that this test detects: pictures that are not compared.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_copy_in_buckets_with_an_object_that_is_damaged_missing_or_anothers_is_refused_with_its_name() {
    let Some((_, copy, _)) = copied_to_buckets().await else {
        return;
    };
    let [_, verify, put_back] = documented();
    let [data, keys] = copy.buckets();
    let other = Installation::new().with_s3(data);
    copy.run(&verify, &other).await;
    assert!(!other.data().exists(), "verifying leaves nothing behind");
    let picture = buckets::objects(data)
        .await
        .into_keys()
        .find(|name| name.ends_with("front"));
    let picture = picture.unwrap();
    let key_file = buckets::objects(keys)
        .await
        .into_keys()
        .find(|name| name.ends_with("-keys.db"));
    let key_file = key_file.unwrap();
    let anothers = picture.replace("front", "back");
    let flip: fn(&mut Vec<u8>) = |content| {
        let middle = content.len() / 2;
        content[middle] ^= 1;
    };
    let changes: [(&Bucket, &str, &str, Change); 9] = [
        (data, "honnin.db", "is damaged", Some(flip)),
        (data, "honnin.db", "is damaged", Some(|content| content.truncate(100))),
        (data, "honnin.db", "is missing", None),
        (keys, &key_file, "is damaged", Some(flip)),
        (data, &picture, "is damaged", Some(flip)),
        (data, &picture, "is damaged", Some(|content| content.push(0))),
        (data, &picture, "is missing", None),
        (
            data,
            "manifest.json",
            "is missing: there is no finished backup here",
            None,
        ),
        (
            keys,
            "manifest.json",
            "is not a manifest",
            Some(|content| content.truncate(9)),
        ),
    ];
    for (bucket, name, reason, change) in changes {
        let whole = buckets::objects(bucket).await.remove(name).unwrap();
        match change {
            Some(change) => {
                let mut content = whole.clone();
                change(&mut content);
                buckets::put(bucket, name, &content).await;
            }
            None => buckets::delete(bucket, name).await,
        }
        let expected = format!("{}/{name}: {reason}", address(bucket));
        for script in [&verify, &put_back] {
            let refusal = copy.refusal(script, &other).await;
            assert!(refusal.contains(&expected), "{expected}: {refusal}");
            assert!(!other.data().exists(), "{expected}");
        }
        buckets::put(bucket, name, &whole).await;
    }
    buckets::put(data, &anothers, b"another's").await;
    let refusal = copy.refusal(&verify, &other).await;
    assert!(refusal.contains("back: is not in the manifest"), "{refusal}");
    buckets::delete(data, &anothers).await;
    let another = copied_to_buckets().await.unwrap().1;
    let mixed = Copy {
        buckets: Some([data.clone(), another.buckets()[1].clone()]),
        ..Copy::new()
    };
    let refusal = mixed.refusal(&verify, &other).await;
    assert!(refusal.contains("holds the keys of another installation"), "{refusal}");
    let there = copy.refusal(&documented()[0], &other).await;
    assert!(there.contains("already holds a backup"), "{there}");
    copy.run(&verify, &other).await;
}

/// Planted faults that this test detects: a manifest that is written first; a second run that keeps what the first one has left.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_copy_to_a_bucket_that_was_cut_off_is_unfinished_and_can_be_made_again() {
    const CREATE: &str = "exec_honnin backup create --to \"$COPY\" --keys \"$KEYS\"";
    let Some(copy) = Copy::in_buckets().await else { return };
    let [data, keys] = copy.buckets();
    let (behind, proxy) = buckets::behind_proxy(data).await;
    let installation = Installation::new().with_s3(&behind);
    let id = fill(&installation).await;
    let url = format!("sqlite://{}", installation.data().join("honnin.db").display());
    // Several parts, whose upload ends in the middle.
    databases::run_at(&url, "CREATE TABLE padding AS SELECT randomblob(30000000) AS padding").await;
    let [_, verify, put_back] = documented();
    let other = Installation::new().with_s3(data);
    proxy.stall_after(20_000_000);
    let mut shell = copy.shell(CREATE, &installation);
    let mut killed = shell.stderr(Stdio::null()).spawn().unwrap();
    proxy.until_stalled().await;
    killed.kill().unwrap();
    killed.wait().unwrap();
    assert!(
        installation.data().join("backup-staged").exists(),
        "it was killed in the middle"
    );
    proxy.set(Link::Open);
    let unfinished = format!(
        "{}/manifest.json: is missing: there is no finished backup here",
        address(data)
    );
    let refusal = copy.refusal(&verify, &other).await;
    assert!(refusal.contains(&unfinished), "{refusal}");

    // Nothing but a person can tell that the killed one is not running on some other machine.
    let refusal = copy.refusal(CREATE, &installation).await;
    assert!(refusal.contains("pass --take-over"), "{refusal}");

    // The connection ends, and the server does not come back.
    proxy.stall_after(20_000_000);
    let cut = async {
        proxy.until_stalled().await;
        proxy.set(Link::Cut);
    };
    let take_over = format!("{CREATE} --take-over");
    let (refusal, ()) = tokio::join!(copy.refusal(&take_over, &installation), cut);
    assert!(refusal.contains(&format!("{}/honnin.db: ", address(data))), "{refusal}");
    proxy.set(Link::Open);
    let refusal = copy.refusal(&verify, &other).await;
    assert!(refusal.contains(&unfinished), "{refusal}");
    // Nothing of the keys, only the mark, which could not be removed either.
    assert!(buckets::objects(keys).await.into_keys().eq(["backup-in-progress"]));

    // A picture of somebody who was erased meanwhile, from an attempt that came further.
    buckets::put(data, "pictures/00/left", b"sealed").await;
    let again = documented()[0].replace("backup create", "backup create --take-over");
    copy.run(&again, &installation).await;
    assert!(!installation.data().join("backup-staged").exists());
    copy.run(&verify, &other).await;
    copy.run(&put_back, &other).await;
    let app = other.open(Millis(0)).await;
    assert!(find_session(&app, &id).await.is_some());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn keys_that_a_killed_backup_has_left_on_their_way_to_a_bucket_are_removed_at_the_next_start_and_by_the_next_backup()
 {
    let (installation, _) = Installation::with_tenant().await;
    let left = installation.data().join("backup-staged");
    let leave = || {
        fs::create_dir_all(left.join("keys")).unwrap();
        fs::write(left.join("keys/keys.db"), "keys").unwrap();
    };
    leave();
    let (node, _) = begin(&installation, "serve").await;
    assert!(!left.exists());
    leave();
    Copy::new().run(&documented()[0], &installation).await;
    assert!(!left.exists());
    node.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_copy_for_which_the_disk_has_no_room_is_unfinished_and_can_be_made_again() {
    /// Makes the copy on a disk that is too small for it, and again on one that is not.
    const SCRIPT: &str = r#"
mount -t tmpfs -o size=4m tmpfs "$COPY"
create() { honnin backup create --to "$COPY" --keys "$KEYS"; }
verify() { honnin backup verify --from "$COPY" --keys "$KEYS"; }
if create; then exit 7; fi
if verify; then exit 8; fi
mount -o remount,size=64m "$COPY"
create
verify
"#;
    // What does not fit: the database, or a picture.
    for (padding, picture, named) in [(8 << 20, 1, "honnin.db"), (1, 8 << 20, "front")] {
        let (installation, copy) = (Installation::new(), Copy::new());
        let id = fill(&installation).await;
        let url = format!("sqlite://{}", installation.data().join("honnin.db").display());
        databases::run_at(&url, "CREATE TABLE padding (content BLOB)").await;
        for _ in 0..padding / 1_000_000 {
            databases::run_at(&url, "INSERT INTO padding VALUES (randomblob(1000000))").await;
        }
        pictures(&installation)
            .put(&id, "front", vec![7; picture])
            .await
            .unwrap();
        let Some(shell) = installation.shell_with_mounts(SCRIPT) else {
            eprintln!("SKIPPED: this machine permits no mount namespaces; a full disk was not tried");
            return;
        };
        let mut shell = copy.with_places(shell, &installation);
        let output = tokio::task::spawn_blocking(move || shell.output())
            .await
            .unwrap()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{said}");
        let failure = said.lines().next().unwrap();
        let on_the_full_disk = format!("honnin: {}/", copy.stored.path().display());
        assert!(
            failure.starts_with(&on_the_full_disk) && failure.contains(named),
            "{failure}"
        );
        let manifest = copy.stored.path().join("manifest.json");
        let unfinished = format!("{}: is missing: there is no finished backup here", manifest.display());
        assert!(said.contains(&unfinished), "{said}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_installation_on_postgres_and_s3_is_copied_to_buckets_while_sessions_are_created() {
    let Some((lost, found, copy)) =
        async { Some((on_servers().await?, on_servers().await?, Copy::in_buckets().await?)) }.await
    else {
        return;
    };
    let (installation, other) = (&lost.installation, &found.installation);
    let app = installation.open(Millis(0)).await;
    let tenant = add_tenant(&app, settings(None)).await;
    let key = tenant.key.expose();
    let (node, address) = begin(installation, "serve").await;
    let customers = Customers::start(address, key, &lost.pictures());
    let before = customers.at_least(20).await;
    let more = async {
        customers.at_least(before.len() + 70).await;
        customers.end().await
    };
    let [make, verify, put_back] = documented();
    let ((), all) = tokio::join!(copy.run(&make, installation), more);
    drop((node, app));
    copy.run(&verify, other).await;
    copy.run(&put_back, other).await;
    let (mut node, address) = begin(other, "serve").await;
    node.until_it_says("webhooks are on hold").await;
    all_are_back((address, key), &all, &before, &found.pictures()).await;
    node.stop().await;
}

async fn find_session(app: &App, id: &SessionId) -> Option<SessionRow> {
    let id = id.clone();
    let unit = app.honnin.db().read(async move |tx| sessions::find_any(tx, &id).await);
    unit.await.unwrap()
}

/// The row of a session once nothing of it is left.
async fn until_erased(app: &App, pictures: &Pictures, id: &SessionId) -> SessionRow {
    loop {
        let row = find_session(app, id).await.unwrap();
        if row.session.purged_at.is_some() && pictures.find(id, "front").await.unwrap().is_none() {
            return row;
        }
        tokio::task::yield_now().await;
    }
}

/// Marks an installation as one into which a copy is being put back, with everything that is in its folder.
fn leave_unfinished(installation: &Installation) {
    let data = installation.data();
    let parts = ["honnin.db", "keys.db", "pictures", "master.key"].map(|name| data.join(name).display().to_string());
    fs::create_dir_all(&data).unwrap();
    fs::write(data.join(UNFINISHED), parts.join("\n")).unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_restore_that_was_interrupted_is_told_of_and_can_be_run_again() {
    let (_, copy, id) = copied().await;
    let other = Installation::new();
    copy.run(&documented()[2], &other).await;
    // As if it had ended before its last step.
    leave_unfinished(&other);
    let mut node = other.start("serve", "127.0.0.1:0");
    node.until_it_says("a backup is being restored into this folder").await;
    drop(node);
    copy.run(&documented()[2], &other).await;
    let app = other.open(Millis(0)).await;
    assert!(find_session(&app, &id).await.is_some());
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

/// An overdue session of a tenant with a receiver, copied before anybody has been told of its end.
async fn copied_before_it_was_told(receiver: &Receiver, installation: &Installation) -> Copy {
    fill_before_it_was_told(receiver, installation).await;
    let copy = Copy::new();
    copy.run(&documented()[0], installation).await;
    copy
}

async fn fill_before_it_was_told(receiver: &Receiver, installation: &Installation) {
    let late = installation.open(Millis(-Millis::hours(1).0)).await;
    let url = format!("https://127.0.0.1:{}/hooks", receiver.port);
    let tenant = add_tenant(&late, settings(Some(url))).await;
    overdue_session(&late, tenant.key.expose()).await;
    late.honnin.close().await.unwrap();
}

/// Everything but webhooks happens on a restored installation, whichever node it is, until one is started with the option that sends them.
///
/// `node` is another node of the same installation than that on which the copy was put back.
async fn is_held_until_it_is_released(receiver: &Receiver, restored: &Installation, node: &Installation) {
    let app = node.open(Millis(0)).await;
    let (mut process, _) = begin(node, "serve").await;
    process.until_it_says("webhooks are on hold").await;
    let waiting = "SELECT COUNT(*) FROM deliveries WHERE state = 'pending'";
    while databases::number_at(&app.config.database_url, waiting).await == 0 {
        tokio::task::yield_now().await;
    }
    process.stop().await;
    app.honnin.close().await.unwrap();
    assert_eq!(receiver.connections(), 0, "it is held");
    let (process, _) = begin(restored, "serve --send-deliveries").await;
    receiver.wait_for(1).await;
    process.stop().await;
    let (mut process, _) = begin(node, "serve").await;
    process.ask_to_stop();
    assert!(!process.says("webhooks are on hold").await, "it was released");
    process.ends().await;
}

/// Planted faults that this test detects: a mark in the folder of one node; a mark that a start forgets.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_node_of_a_restored_installation_sends_webhooks_until_one_is_told_to() {
    let receiver = Receiver::at("127.0.0.1:0", acceptor(&["127.0.0.1"], true)).await;
    let copy = copied_before_it_was_told(&receiver, &Installation::new()).await;
    let restored = Installation::new();
    copy.run(&documented()[2], &restored).await;
    is_held_until_it_is_released(&receiver, &restored, &restored).await;

    let Some(server) = databases::postgres_server() else {
        return;
    };
    let receiver = Receiver::at("127.0.0.1:0", acceptor(&["127.0.0.1"], true)).await;
    let lost = empty_databases(&server).await;
    let copy = copied_before_it_was_told(&receiver, &on_databases(&lost)).await;
    let found = empty_databases(&server).await;
    let restored = on_databases(&found);
    copy.run(&documented()[2], &restored).await;
    // A node with an empty folder of its own, as in a container, and the same master key.
    let other = on_databases(&found);
    fs::create_dir(other.data()).unwrap();
    fs::copy(restored.data().join("master.key"), other.data().join("master.key")).unwrap();
    is_held_until_it_is_released(&receiver, &restored, &other).await;
}

/// Planted faults that this test detects: a look at the mark after the migration; a mark of one part that excuses the others.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nobody_starts_on_a_database_into_which_a_copy_is_being_restored_and_the_command_can_be_run_again() {
    const MARKS: &str = "CREATE TABLE marks (name TEXT PRIMARY KEY NOT NULL)";
    const RESTORING: &str = "INSERT INTO marks (name) VALUES ('restoring')";
    const TABLES: &str = "SELECT COUNT(*) FROM pg_tables WHERE schemaname = 'public'";
    let Some(server) = databases::postgres_server() else {
        return;
    };
    let receiver = Receiver::at("127.0.0.1:0", acceptor(&["127.0.0.1"], true)).await;
    let lost = empty_databases(&server).await;
    let copy = copied_before_it_was_told(&receiver, &on_databases(&lost)).await;
    let put_back = &documented()[2];
    let found = empty_databases(&server).await;
    // As if it had ended after its first step, on another node.
    databases::run_at(&found[0], MARKS).await;
    databases::run_at(&found[0], RESTORING).await;
    is_refused(&on_databases(&found)).await;
    assert_eq!(databases::number_at(&found[0], TABLES).await, 1, "nothing was migrated");
    copy.run(put_back, &on_databases(&found)).await;
    // As if it had ended before its last step.
    for url in &found {
        databases::run_at(url, RESTORING).await;
    }
    is_refused(&on_databases(&found)).await;
    let other = on_databases(&found);
    copy.run(put_back, &other).await;
    let (node, _) = begin(&other, "serve").await;
    node.stop().await;

    // Databases that somebody uses, whatever was interrupted in the folder or in another database.
    let half = [databases::empty(&server).await, found[1].clone()];
    databases::run_at(&half[0], MARKS).await;
    databases::run_at(&half[0], RESTORING).await;
    for used in [&found, &half] {
        let used = on_databases(used);
        leave_unfinished(&used);
        let refusal = copy.refusal(put_back, &used).await;
        assert!(refusal.contains("the PostgreSQL database: exists already"), "{refusal}");
    }
}

/// A node with a folder of its own does not start, and says why.
async fn is_refused(installation: &Installation) {
    fs::create_dir_all(installation.data()).unwrap();
    let mut node = installation.start("serve", "127.0.0.1:0");
    node.until_it_says("a backup is being restored into this database")
        .await;
}

/// Planted faults that this test detects: a restored installation that exports its audit log; a drill that uses the master key file of the package.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_restore_drill_succeeds_as_documented_and_tells_nobody() {
    rehearse(&Installation::new(), Copy::new()).await;
    let Some(copy) = Copy::in_buckets().await else { return };
    rehearse(&Installation::new().with_s3(&copy.buckets()[0]), copy).await;
}

async fn rehearse(installation: &Installation, copy: Copy) {
    let receiver = Receiver::at("127.0.0.1:0", acceptor(&["127.0.0.1"], true)).await;
    fill_before_it_was_told(&receiver, installation).await;
    copy.run(&documented()[0], installation).await;
    let drill = block("Restore drill");
    let folder = tempfile::tempdir().unwrap();
    let exported = folder.path().join("audit.jsonl");
    // As in the configuration of the installation that is rehearsed.
    let setting = format!(
        "DRILL={:?}\nLISTEN=127.0.0.1:{}\nexport HONNIN_AUDIT_EXPORT=file://{}\n",
        folder.path().join("data"),
        free_port(),
        exported.display(),
    );
    // A function cannot be killed, but what takes its place can.
    let drill = drill.replace("honnin serve &", "exec_honnin serve &");
    let output = copy.output(&(setting + &drill), installation).await;
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success(),
        "{said}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(said.contains("1 with personal data"), "{said}");
    assert!(folder.path().join("data/honnin.db").exists());
    assert_eq!(receiver.connections(), 0);
    assert!(!exported.exists(), "the receiver of the audit log was told");
}
