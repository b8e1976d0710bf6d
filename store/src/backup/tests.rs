//! Copies that are interrupted before each change to the disk, while they are made and while they are restored.
//!
//! Planted faults that these tests detect: keys that are replaced before their manifest; the manifest of the data before that of the
//! keys; pictures of an interrupted copy that stay; a folder that is not empty and is taken for a new one; a mark in the data folder that
//! excuses whatever there is elsewhere.

use super::{
    BackupError, DatabasePlace, Gaps, GivenKeys, Half, Halves, KeysAlone, MANIFEST, Objects, PICTURES, PicturePlace,
    Place, Source, Target, UNFINISHED,
    claim::{CLAIM, Stale},
    files::{self, below, interruption},
    make::{Options, make, make_keys},
    postgres, put_back,
    references::KEYS_ERASED,
    remove_left, verify,
};
use crate::{
    Db, DbOptions,
    capture::{
        captures::{self, CaptureRow, Frame, Slot},
        pictures::Pictures,
    },
    session::sessions::{self, SessionRow},
    settings::tenants::{self, TenantRow},
    vault::{MasterKeys, Rotation, Vault},
};
use domain::{
    document::Side,
    ids::{CaptureId, SessionId, TenantId},
    session::{AttemptNumber, Plan, Session, Step},
    tenant::Mode,
    time::{Millis, Timestamp},
};
use object_store::memory::InMemory;
use sqlx::{AssertSqlSafe, Connection as _, PgConnection, SqliteConnection};
use std::{
    os::unix::fs::{FileExt as _, PermissionsExt},
    path::{Path, PathBuf},
    sync::{Arc, mpsc},
    thread,
};
use tempfile::TempDir;

/// A stopped installation with two sessions, each with a picture.
struct Installation {
    folder: TempDir,
    urls: [String; 2],
    pictures: PicturePlace,
    sessions: Vec<SessionRow>,
}

const AT: Timestamp = Timestamp::from_millis(1_785_663_000_000);

/// Changes a database.
const CHANGE: &str = "INSERT INTO write_checks (id, done) VALUES (1, 1) ON CONFLICT (id) DO UPDATE SET done = done + 1";
/// Lets the captures of the first session name no picture.
const FORGOTTEN: &str = "UPDATE captures SET frames = '[]' WHERE session_id = (SELECT MIN(id) FROM sessions)";
/// Lets all captures name their picture.
const NAMED: &str = r#"UPDATE captures SET frames = '[{"object":"front","sha256":"","at":0}]'"#;
/// Takes everybody away.
const WITHOUT_TENANTS: &str = "DELETE FROM captures; DELETE FROM sessions; DELETE FROM tenants";
/// Adds a tenant, of an installation that has none.
const WITH_A_TENANT: &str =
    "INSERT INTO tenants (id, name, livemode, created_at, version) VALUES (printf('tn_%032x', 9), 'A', 1, 0, 0)";
/// Adds another one that seems to be older.
const WITH_AN_OLDER_TENANT: &str =
    "INSERT INTO tenants (id, name, livemode, created_at, version) VALUES (printf('tn_%032x', 8), 'B', 1, -1, 0)";
/// Loses a key.
const FIRST_KEY: &str = "DELETE FROM data_keys WHERE id = (SELECT MIN(id) FROM data_keys)";

fn capture(session: &SessionId) -> CaptureRow {
    let id = CaptureId::from_random(session.as_str().as_bytes()[5..21].try_into().unwrap());
    let frame = Frame {
        object: "front".into(),
        sha256: String::new(),
        at: 0,
        repeated: false,
    };
    CaptureRow::new(
        id,
        (session, AttemptNumber::FIRST),
        Slot::Document(Side::Front),
        vec![frame],
        AT,
    )
}

impl Installation {
    async fn new() -> Self {
        Self::of(1).await
    }

    /// One whose tenant has an id of this byte.
    async fn of(tenant: u8) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let urls = ["honnin.db", "keys.db"].map(|name| format!("sqlite://{}", folder.path().join(name).display()));
        let db = Db::open(&urls[0], DbOptions::default()).await.unwrap();
        let master = MasterKeys::load_or_create(&folder.path().join("master.key")).unwrap();
        let vault = Vault::open_at(&urls[1], DbOptions::default(), master).await.unwrap();
        let pictures = folder.path().join("pictures");
        let store = Pictures::in_folder(&pictures).unwrap();
        let tenant = TenantRow {
            id: TenantId::from_random([tenant; 16]),
            name: "Example Shop".into(),
            settings: None,
            mode: Mode::Live,
            created_at: AT,
            version: 0,
        };
        let plan = Plan::of(&[Step::Document]).unwrap();
        let mut sessions = Vec::new();
        for number in 0..2 {
            let id = SessionId::from_random([number; 16]);
            store.put(&id, "front", b"sealed".to_vec()).await.unwrap();
            let session = Session::new(id, tenant.id.clone(), plan.clone(), AT, Millis::hours(1));
            sessions.push(SessionRow::new(session, vault.take().await.unwrap().id().clone()));
        }
        let stored = sessions.clone();
        let unit = db.write(async move |tx| {
            tenants::insert(tx, &tenant).await?;
            for row in &stored {
                sessions::insert(tx, row).await?;
                captures::insert(tx, &capture(&row.session.id)).await?;
            }
            Ok::<_, crate::StoreError>(())
        });
        unit.await.unwrap();
        db.close().await;
        vault.close().await.unwrap();
        let pictures = PicturePlace::Folder(pictures);
        Self {
            folder,
            urls,
            pictures,
            sessions,
        }
    }

    async fn copy(&self, data: &Path, keys: &Path, at: i64) -> Result<u64, BackupError> {
        self.copy_to(&Halves::in_folders(data, keys), at).await
    }

    async fn copy_with(&self, gaps: Gaps, data: &Path, keys: &Path, at: i64) -> Result<u64, BackupError> {
        let options = Options {
            gaps,
            ..Options::default()
        };
        self.copy_as(options, &Halves::in_folders(data, keys), at).await
    }

    async fn copy_to(&self, halves: &Halves, at: i64) -> Result<u64, BackupError> {
        self.copy_as(Options::default(), halves, at).await
    }

    /// Takes the place of the keys over from a copy that was interrupted.
    async fn take_over(&self, halves: &Halves, at: i64) -> Result<u64, BackupError> {
        let options = Options {
            stale: Stale::TakeOver,
            ..Options::default()
        };
        self.copy_as(options, halves, at).await
    }

    async fn copy_as(&self, options: Options, halves: &Halves, at: i64) -> Result<u64, BackupError> {
        let source = Source {
            database_url: &self.urls[0],
            keys_url: &self.urls[1],
            pictures: &self.pictures,
        };
        make(source, halves, options, Timestamp::from_millis(at), &mut |_| ()).await
    }

    /// Copies the keys alone.
    async fn copy_keys(&self, keys: &Place, at: i64) -> Result<(), BackupError> {
        self.copy_keys_with(Gaps::Refuse, keys, at).await
    }

    async fn copy_keys_with(&self, gaps: Gaps, keys: &Place, at: i64) -> Result<(), BackupError> {
        let source = Source {
            database_url: &self.urls[0],
            keys_url: &self.urls[1],
            pictures: &self.pictures,
        };
        let alone = KeysAlone {
            keys: keys.clone(),
            scratch: self.folder.path().to_owned(),
        };
        let options = Options {
            gaps,
            ..Options::default()
        };
        make_keys(source, &alone, options, Timestamp::from_millis(at), &mut |_| ()).await
    }

    /// Runs SQL on one of the databases.
    async fn run(&self, database: usize, sql: &str) {
        let mut connection = SqliteConnection::connect(&self.urls[database]).await.unwrap();
        sqlx::raw_sql(AssertSqlSafe(sql.to_owned()))
            .execute(&mut connection)
            .await
            .unwrap();
    }

    /// Deletes the picture of the first session, as that of a My Number is: its row names it no more.
    async fn delete_picture(&self) {
        self.run(0, FORGOTTEN).await;
        let store = Pictures::in_folder(self.pictures.folder().unwrap()).unwrap();
        store.delete(&self.sessions[0].session.id, "front").await.unwrap();
    }

    async fn bring_picture_back(&self) {
        self.run(0, NAMED).await;
        let store = Pictures::in_folder(self.pictures.folder().unwrap()).unwrap();
        let put = store.put(&self.sessions[0].session.id, "front", b"sealed".to_vec());
        put.await.unwrap();
    }
}

/// Erases the first session, as far as a copy sees it.
const ERASED: &str = "UPDATE sessions SET status = 'expired', completed_at = 1, purged_at = 1
    WHERE data_key = (SELECT MIN(data_key) FROM sessions)";

#[tokio::test]
async fn keys_that_are_copied_alone_fit_older_copies_and_whoever_was_erased_since_stays_erased() {
    let installation = Installation::new().await;
    let [older, keys, alone] = [(); 3].map(|()| tempfile::tempdir().unwrap());
    let (older, keys) = (older.path(), keys.path());
    installation.copy(older, keys, 1).await.unwrap();
    let halves = Halves::in_folders(older, keys);
    let readable = async || verify(&halves, &mut |_| ()).await.unwrap();
    assert_eq!((readable().await.readable, readable().await.erased_since), (2, 0));

    installation.run(0, ERASED).await;
    installation.run(1, FIRST_KEY).await;
    installation.copy_keys(&halves.keys, 2).await.unwrap();
    let verified = readable().await;
    assert_eq!((verified.readable, verified.erased_since), (1, 1));
    assert_eq!(verified.keys_begun_at, Timestamp::from_millis(2));
    // The manifest, the keys, who was erased, and the file that is locked.
    assert_eq!(std::fs::read_dir(keys).unwrap().count(), 4);

    let other = Halves::in_folders(older, alone.path());
    installation.copy_keys(&other.keys, 3).await.unwrap();
    assert_eq!(verify(&other, &mut |_| ()).await.unwrap().readable, 1);

    // Keys that are lost do not replace those that are not.
    installation.run(1, FIRST_KEY).await;
    let refused = installation.copy_keys(&halves.keys, 4).await.unwrap_err().to_string();
    assert!(refused.contains("the first of 1 is dk_"), "{refused}");
    assert_eq!(readable().await.readable, 1);
    let there = Place::Folder(installation.folder.path().to_owned());
    let refused = installation.copy_keys(&there, 5).await.unwrap_err().to_string();
    assert!(refused.contains("is a folder of the installation itself"), "{refused}");
}

/// Something happens in the first tenant.
const ENTRY: &str = "INSERT INTO audit (at, actor, action) VALUES (1, 'system', 'session.read')";

#[tokio::test]
async fn a_copy_that_was_made_by_a_clock_that_was_ahead_is_whole_with_keys_that_were_copied_later() {
    let installation = Installation::new().await;
    let [data, keys] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let halves = Halves::in_folders(data.path(), keys.path());
    installation.copy_to(&halves, 1_000_000).await.unwrap();
    installation.copy_keys(&halves.keys, 5).await.unwrap();
    let refused = verify(&halves, &mut |_| ()).await.unwrap_err().to_string();
    assert!(refused.contains("is older than the copy of the data"), "{refused}");
    installation.run(0, ENTRY).await;
    installation.copy_keys(&halves.keys, 6).await.unwrap();
    assert_eq!(are_whole(&halves).await, 2);
}

async fn is_whole(data: &Path, keys: &Path) -> u64 {
    are_whole(&Halves::in_folders(data, keys)).await
}

#[tokio::test]
async fn wherever_a_copy_is_interrupted_the_older_ones_stay_whole_and_it_can_be_made_again() {
    let installation = Installation::new().await;
    let [older, keys] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let (older, keys) = (older.path(), keys.path());
    assert_eq!(installation.copy(older, keys, 1).await.unwrap(), 2);
    for changes in 0.. {
        // No copy of the keys is like the one before.
        installation.run(1, CHANGE).await;
        let folder = tempfile::tempdir().unwrap();
        let newer = folder.path().join("newer");
        interruption::after(Some(changes));
        let ended = installation.copy(&newer, keys, 2).await;
        interruption::after(None);
        assert_eq!(is_whole(older, keys).await, 2, "{changes} changes");
        if newer.join(MANIFEST).exists() {
            assert_eq!(is_whole(&newer, keys).await, 2, "{changes} changes");
        }
        if ended.is_ok() {
            assert!(changes > 15, "{changes} changes");
            break;
        }
        assert_eq!(
            installation.copy(&newer, keys, 3).await.unwrap(),
            2,
            "{changes} changes"
        );
        assert_eq!(is_whole(&newer, keys).await, 2, "{changes} changes");
        assert_eq!(is_whole(older, keys).await, 2, "{changes} changes");
        // The manifest, the keys, who was erased, and the file that is locked.
        assert_eq!(std::fs::read_dir(keys).unwrap().count(), 4, "{changes} changes");
    }
}

async fn are_whole(halves: &Halves) -> u64 {
    verify(halves, &mut |_| ()).await.unwrap().readable
}

/// A new bucket on the S3 server of the test, if there is one.
async fn objects() -> Option<Objects> {
    let fresh = testkit::buckets::fresh().await?;
    // The crate that is tested is not the one that `testkit` uses.
    let bucket = crate::capture::bucket::Bucket {
        name: fresh.name,
        prefix: fresh.prefix,
        endpoint: fresh.endpoint,
        region: fresh.region,
        path_style: fresh.path_style,
        credentials: fresh.credentials,
        role: fresh.role,
        extra_roots: Vec::new(),
    };
    Some(Objects::in_bucket(&bucket).unwrap())
}

#[test]
fn what_a_killed_command_has_left_on_its_way_to_a_bucket_is_removed_and_what_a_running_one_has_stays() {
    let scratch = tempfile::tempdir().unwrap();
    remove_left(scratch.path()).unwrap();
    let alone = KeysAlone {
        keys: Place::Bucket(Objects::in_store(Arc::new(InMemory::new()))),
        scratch: scratch.path().to_owned(),
    };
    let running = alone.stage().unwrap();
    let keys = running.part.local.join("keys.db");
    std::fs::write(&keys, "keys").unwrap();
    remove_left(scratch.path()).unwrap();
    assert!(keys.exists());
    drop(running);
    std::fs::create_dir_all(keys.parent().unwrap()).unwrap();
    std::fs::write(&keys, "keys").unwrap();
    remove_left(scratch.path()).unwrap();
    assert_eq!(std::fs::read_dir(scratch.path()).unwrap().count(), 0);
}

#[tokio::test]
async fn wherever_a_copy_to_a_bucket_is_interrupted_the_older_ones_stay_whole_and_it_can_be_made_again() {
    let installation = Installation::new().await;
    let scratch = tempfile::tempdir().unwrap();
    let (Some(older), Some(keys)) = (objects().await, objects().await) else {
        return;
    };
    let halves = |data: &Objects| Halves {
        data: Place::Bucket(data.clone()),
        keys: Place::Bucket(keys.clone()),
        scratch: scratch.path().to_owned(),
    };
    let older = halves(&older);
    assert_eq!(installation.copy_to(&older, 1).await.unwrap(), 2);
    for changes in 0.. {
        // No copy of the keys is like the one before.
        installation.run(1, CHANGE).await;
        let place = objects().await.unwrap();
        let newer = halves(&place);
        interruption::after(Some(changes));
        let ended = installation.copy_to(&newer, 2).await;
        interruption::after(None);
        assert_eq!(are_whole(&older).await, 2, "{changes} changes");
        let is_finished = place.read(MANIFEST).await.unwrap().is_some();
        if is_finished {
            assert_eq!(are_whole(&newer).await, 2, "{changes} changes");
        }
        if ended.is_ok() {
            assert!(is_finished && changes > 15, "{changes} changes");
            break;
        }
        let again = if keys.read(CLAIM).await.unwrap().is_some() {
            let refused = installation.copy_to(&newer, 3).await.unwrap_err().to_string();
            assert!(refused.contains("is the mark of another backup"), "{refused}");
            installation.take_over(&newer, 3).await
        } else {
            installation.copy_to(&newer, 3).await
        };
        assert_eq!(again.unwrap(), 2, "{changes} changes");
        assert_eq!(are_whole(&newer).await, 2, "{changes} changes");
        assert_eq!(are_whole(&older).await, 2, "{changes} changes");
        // The manifest, the keys, and who was erased.
        assert_eq!(keys.names(None).await.unwrap().len(), 3, "{changes} changes");
        assert_eq!(
            std::fs::read_dir(scratch.path()).unwrap().count(),
            0,
            "{changes} changes"
        );
    }
}

#[tokio::test]
async fn a_file_that_is_larger_than_a_part_comes_back_as_it_was_sent() {
    const LENGTH: usize = (17 << 20) + 1;
    let Some(objects) = objects().await else { return };
    let folder = tempfile::tempdir().unwrap();
    let [from, to] = ["from", "to"].map(|name| folder.path().join(name));
    let content: Vec<u8> = (0..LENGTH).map(|place| (place % 251) as u8).collect();
    std::fs::write(&from, &content).unwrap();
    let mut steps = Vec::new();
    objects
        .send("large", &from, &mut |done| steps.push(done))
        .await
        .unwrap();
    assert_eq!(steps.len(), 3, "{steps:?}");
    let found = objects.fetch("large", (LENGTH as u64, &to), &mut |_| ()).await;
    assert_eq!(found.unwrap().unwrap(), super::FileHash::of_bytes(&content));
    assert!(std::fs::read(&to).unwrap() == content);
    // What is longer than it should be is not read to its end.
    let found = objects.pass("large", 1 << 20, |_| Ok(())).await.unwrap().unwrap();
    assert!((1 << 20..LENGTH as u64).contains(&found.bytes), "{found:?}");
    assert!(objects.pass("missing", 1, |_| Ok(())).await.unwrap().is_none());
}

#[tokio::test]
async fn keys_in_the_bucket_of_their_data_and_copies_in_that_of_the_pictures_are_refused() {
    let bucket = |name: &str| crate::capture::bucket::Bucket {
        name: name.into(),
        prefix: "some/prefix".into(),
        endpoint: Some("http://127.0.0.1:9".into()),
        region: "us-east-1".into(),
        path_style: true,
        credentials: Some(("AKIDTEST".into(), domain::secret::Secret::new("sesame".into()))),
        role: Vec::new(),
        extra_roots: Vec::new(),
    };
    let mut installation = Installation::new().await;
    installation.pictures = PicturePlace::Bucket(Pictures::in_bucket(&bucket("pictures")).unwrap());
    for (data, keys, reason) in [
        ("one", "one", "s3://one/some/prefix: is in the bucket of the data"),
        (
            "pictures",
            "one",
            "s3://pictures/some/prefix: is in the bucket of the installation itself",
        ),
        (
            "one",
            "pictures",
            "s3://pictures/some/prefix: is in the bucket of the installation itself",
        ),
    ] {
        let place = |name| Place::Bucket(Objects::in_bucket(&bucket(name)).unwrap());
        let halves = Halves {
            data: place(data),
            keys: place(keys),
            scratch: PathBuf::new(),
        };
        let refused = installation.copy_to(&halves, 1).await;
        assert!(refused.unwrap_err().to_string().starts_with(reason), "{data}, {keys}");
    }
}

/// The parts of an installation in one folder.
fn target(folder: &Path) -> Target {
    Target {
        folder: folder.to_owned(),
        database: DatabasePlace::File(folder.join("honnin.db")),
        keys: DatabasePlace::File(folder.join("keys.db")),
        master_key: Some(folder.join("master.key")),
        pictures: PicturePlace::Folder(folder.join("pictures")),
    }
}

/// A copy of an installation, which is there as well.
struct Copy {
    installation: Installation,
    folders: [TempDir; 2],
}

impl Copy {
    async fn new() -> Self {
        let installation = Installation::new().await;
        let folders = [(); 2].map(|()| tempfile::tempdir().unwrap());
        let made = installation.copy(folders[0].path(), folders[1].path(), 1).await;
        assert_eq!(made.unwrap(), 2);
        Self { installation, folders }
    }

    /// Puts it back, as the command does.
    async fn restore(&self, to: &Target) -> Result<(), BackupError> {
        let master_key = self.installation.folder.path().join("master.key");
        let [data, keys] = &self.folders;
        let halves = Halves::in_folders(data.path(), keys.path());
        put_back(&halves, Some(&GivenKeys::File(&master_key)), to, &mut |_| ()).await?;
        to.finish().await
    }
}

/// Points one of the parts at that of another installation.
type Change = fn(&mut Target, &Target);

/// The files below a folder, with what is in them.
fn contents(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let read = |path: PathBuf| (path.clone(), std::fs::read(folder.join(path)).unwrap());
    below(folder).unwrap().into_iter().map(read).collect()
}

#[tokio::test]
async fn wherever_a_restore_is_interrupted_it_can_be_run_again() {
    let copy = Copy::new().await;
    let whole = tempfile::tempdir().unwrap();
    copy.restore(&target(whole.path())).await.unwrap();
    let whole = contents(whole.path());
    assert_eq!(whole.len(), 5, "two databases, a master key, two pictures");
    for changes in 0.. {
        let folder = tempfile::tempdir().unwrap();
        let to = target(&folder.path().join("data"));
        interruption::after(Some(changes));
        let ended = copy.restore(&to).await;
        interruption::after(None);
        if ended.is_ok() {
            assert!(changes > 10, "{changes} changes");
            break;
        }
        copy.restore(&to).await.unwrap();
        assert!(contents(&to.folder) == whole, "{changes} changes");
        let again = copy.restore(&to).await.unwrap_err().to_string();
        assert!(again.contains("honnin.db: exists already"), "{again}");
    }
}

#[tokio::test]
async fn a_file_that_holds_no_master_key_is_refused_before_anything_is_put_back() {
    let copy = Copy::new().await;
    let folder = tempfile::tempdir().unwrap();
    let letter = folder.path().join("letter");
    std::fs::write(&letter, "mine").unwrap();
    let to = target(&folder.path().join("data"));
    let [data, keys] = &copy.folders;
    let halves = Halves::in_folders(data.path(), keys.path());
    let refused = put_back(&halves, Some(&GivenKeys::File(&letter)), &to, &mut |_| ()).await;
    let refused = refused.unwrap_err().to_string();
    assert!(
        refused.starts_with(&format!("{}: ", letter.display())) && refused.contains("the master key is malformed"),
        "{refused}"
    );
    assert!(!to.folder.exists());
}

#[tokio::test]
async fn the_master_key_of_another_installation_is_refused_before_anything_is_put_back() {
    let copy = Copy::new().await;
    let folder = tempfile::tempdir().unwrap();
    let foreign = folder.path().join("foreign.key");
    drop(MasterKeys::load_or_create(&foreign).unwrap());
    let to = target(&folder.path().join("data"));
    let [data, keys] = &copy.folders;
    let halves = Halves::in_folders(data.path(), keys.path());
    let refused = put_back(&halves, Some(&GivenKeys::File(&foreign)), &to, &mut |_| ()).await;
    assert_eq!(
        refused.unwrap_err().to_string(),
        format!(
            "{}: is not the master key of this backup: it cannot decrypt its keys",
            foreign.display()
        )
    );
    std::fs::write(&foreign, MasterKeys::generate(2).unwrap().as_str()).unwrap();
    let refused = put_back(&halves, Some(&GivenKeys::File(&foreign)), &to, &mut |_| ()).await;
    let refused = refused.unwrap_err().to_string();
    assert!(
        refused.contains("version 1, which encrypts its keys, is missing"),
        "{refused}"
    );
    let elsewhere = GivenKeys::Elsewhere("the credential master-key", MasterKeys::load(&foreign).unwrap());
    let refused = put_back(&halves, Some(&elsewhere), &to, &mut |_| ()).await;
    let refused = refused.unwrap_err().to_string();
    assert!(
        refused.starts_with("the credential master-key: is not the master key"),
        "{refused}"
    );
    assert!(!to.folder.exists());
    copy.restore(&to).await.unwrap();
}

/// A copy is refused for this reason before anything is put back, and restored once the file has the older line again.
async fn assert_restored_with_the_older_line_only(copy: &Copy, older: &str, reason: &str) {
    let folder = tempfile::tempdir().unwrap();
    let to = target(&folder.path().join("data"));
    let refused = copy.restore(&to).await.unwrap_err().to_string();
    assert!(refused.contains(reason), "{refused}");
    assert!(!to.folder.exists());
    let file = copy.installation.folder.path().join("master.key");
    let newest = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, format!("{older}{newest}")).unwrap();
    copy.restore(&to).await.unwrap();
}

/// As a backup that was created while the master key was rotated, and the file as it is afterwards.
#[tokio::test]
async fn a_master_key_without_the_version_of_some_of_the_keys_is_refused_before_anything_is_put_back() {
    let installation = Installation::new().await;
    let file = installation.folder.path().join("master.key");
    let older = std::fs::read_to_string(&file).unwrap();
    let rotation = Rotation::begin(&file).unwrap();
    rotation.add_version().unwrap();
    let both = MasterKeys::load(&file).unwrap();
    let vault = Vault::open_at(&installation.urls[1], DbOptions::default(), both).await;
    let vault = vault.unwrap();
    assert_eq!(vault.reseal_keys(1).await.unwrap(), 1);
    vault.close().await.unwrap();
    rotation.keep_newest().unwrap();
    let folders = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let made = installation.copy(folders[0].path(), folders[1].path(), 1).await;
    assert_eq!(made.unwrap(), 2);
    let copy = Copy { installation, folders };
    assert_restored_with_the_older_line_only(&copy, &older, "version 1, which encrypts its keys, is missing").await;
}

/// As after a rotation since the data was copied, with a newer copy of the keys and the newer file of the master keys.
#[tokio::test]
async fn a_master_key_without_the_version_of_a_secret_in_the_data_is_refused_before_anything_is_put_back() {
    let of_a_webhook = "INSERT INTO webhook_secrets (id, tenant_id, slot, sealed, created_at) SELECT 'whk', id, 1, x'0000000100', 1 FROM tenants";
    let of_an_authenticator =
        "INSERT INTO users (id, email, name, operator, password, created_at) VALUES ('usr', 'rei@shop.example', 'Rei', 1, '', 1);
        INSERT INTO authenticators (user_id, secret, created_at, last_step) VALUES ('usr', x'0000000100', 1, 0)";
    for secret in [of_a_webhook, of_an_authenticator] {
        let installation = Installation::new().await;
        installation.run(0, secret).await;
        let folders = [(); 2].map(|()| tempfile::tempdir().unwrap());
        let made = installation.copy(folders[0].path(), folders[1].path(), 1).await;
        assert_eq!(made.unwrap(), 2);
        let file = installation.folder.path().join("master.key");
        let older = std::fs::read_to_string(&file).unwrap();
        let rotation = Rotation::begin(&file).unwrap();
        rotation.add_version().unwrap();
        let both = MasterKeys::load(&file).unwrap();
        let vault = Vault::open_at(&installation.urls[1], DbOptions::default(), both).await;
        let vault = vault.unwrap();
        while vault.reseal_keys(50).await.unwrap() > 0 {}
        vault.close().await.unwrap();
        rotation.keep_newest().unwrap();
        let keys = Place::Folder(folders[1].path().to_owned());
        installation.copy_keys(&keys, 2).await.unwrap();
        let copy = Copy { installation, folders };
        let reason = "version 1, which encrypts webhook or authenticator secrets of this backup, is missing";
        assert_restored_with_the_older_line_only(&copy, &older, reason).await;
    }
}

#[tokio::test]
async fn what_an_interrupted_restore_had_not_begun_is_refused_and_not_touched() {
    let copy = Copy::new().await;
    let used = Installation::new().await;
    let before = contents(used.folder.path());
    let of_used = target(used.folder.path());
    let changes: [(&str, Change); 4] = [
        ("honnin.db", |to, used| to.database = used.database.clone()),
        ("keys.db", |to, used| to.keys = used.keys.clone()),
        ("master.key", |to, used| to.master_key = used.master_key.clone()),
        ("front", |to, used| to.pictures = used.pictures.clone()),
    ];
    for (name, change) in changes {
        let folder = tempfile::tempdir().unwrap();
        let mut to = target(folder.path());
        for changes in 0.. {
            interruption::after(Some(changes));
            copy.restore(&to).await.unwrap_err();
            interruption::after(None);
            if folder.path().join(UNFINISHED).exists() {
                break;
            }
        }
        // Then the configuration was changed.
        change(&mut to, &of_used);
        let refused = copy.restore(&to).await.unwrap_err().to_string();
        assert!(refused.contains(&format!("{name}: exists already")), "{refused}");
        assert!(contents(used.folder.path()) == before, "{name}");
    }
}

#[tokio::test]
async fn pictures_of_an_interrupted_copy_that_were_erased_since_are_not_in_the_next_one() {
    let installation = Installation::new().await;
    let [data, keys] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let (data, keys) = (data.path(), keys.path());
    for changes in 0.. {
        interruption::after(Some(changes));
        installation.copy(data, keys, 1).await.unwrap_err();
        interruption::after(None);
        let pictures = data.join("pictures");
        if pictures.exists() && below(&pictures).unwrap().len() == 2 {
            break;
        }
    }
    let of_first = "(SELECT MIN(data_key) FROM sessions)";
    let purge =
        format!("UPDATE sessions SET status = 'expired', completed_at = 1, purged_at = 1 WHERE data_key = {of_first}");
    installation.run(0, &purge).await;
    installation.run(1, FIRST_KEY).await;
    let erased = installation
        .sessions
        .iter()
        .min_by_key(|row| row.data_key.clone())
        .unwrap();
    let PicturePlace::Folder(pictures) = &installation.pictures else {
        unreachable!()
    };
    let store = Pictures::in_folder(pictures).unwrap();
    store.delete_session(&erased.session.id).await.unwrap();
    installation.copy(data, keys, 2).await.unwrap();
    is_whole(data, keys).await;
}

#[tokio::test]
async fn a_key_that_is_missing_though_its_session_was_not_erased_is_damage_and_can_be_noted() {
    let installation = Installation::new().await;
    let folder = tempfile::tempdir().unwrap();
    let [older, first, second, keys] = ["older", "first", "second", "keys"].map(|name| folder.path().join(name));
    installation.copy(&older, &keys, 1).await.unwrap();
    installation.run(1, FIRST_KEY).await;
    let refused = installation.copy(&first, &keys, 2).await.unwrap_err().to_string();
    assert!(
        refused.contains("keys are missing whose sessions were not erased; the first of 1 is dk_"),
        "{refused}"
    );
    assert_eq!(is_whole(&older, &keys).await, 2, "the copy with the key is still there");
    installation.copy_with(Gaps::Note, &second, &keys, 3).await.unwrap();
    let found = verify(&Halves::in_folders(&second, &keys), &mut |_| ()).await.unwrap();
    assert_eq!((found.readable, found.erased_since, found.lost), (1, 0, 1));
}

/// Planted fault that this test detects: noting that all keys are lost, and replacing the only copy of them.
#[tokio::test]
async fn keys_of_which_none_is_a_sessions_replace_no_copy_of_those_that_are() {
    let installation = Installation::new().await;
    let folder = tempfile::tempdir().unwrap();
    let [older, newer, keys] = ["older", "newer", "keys"].map(|name| folder.path().join(name));
    installation.copy(&older, &keys, 1).await.unwrap();
    // As where the disk of the database is gone, and a node that was started has begun a new one.
    installation.run(1, "DELETE FROM data_keys").await;
    let alone = Place::Folder(keys.clone());
    for refused in [
        installation.copy_with(Gaps::Note, &newer, &keys, 2).await.map(drop),
        installation.copy_keys_with(Gaps::Note, &alone, 3).await,
    ] {
        let refused = refused.unwrap_err().to_string();
        assert!(refused.contains("has the key of no session"), "{refused}");
        assert_eq!(is_whole(&older, &keys).await, 2);
    }
}

#[tokio::test]
async fn a_folder_that_holds_something_else_or_the_installation_itself_is_refused() {
    let installation = Installation::new().await;
    let folder = tempfile::tempdir().unwrap();
    let [full, keys, new, within] = ["full", "keys", "new", "new/within"].map(|name| folder.path().join(name));
    std::fs::create_dir(&full).unwrap();
    std::fs::write(full.join("letter"), "mine").unwrap();
    let linked = folder.path().join("linked");
    std::os::unix::fs::symlink(&full, &linked).unwrap();
    let itself = installation.folder.path();
    for (data, keys, reason) in [
        (full.as_path(), keys.as_path(), "is not empty"),
        (itself, &keys, "is a folder of the installation itself"),
        (&keys, itself, "is a folder of the installation itself"),
        (&keys, &keys, "is not apart from the folder of the data"),
        (&new, &within, "is not apart from the folder of the data"),
        (&within, &new, "is not apart from the folder of the data"),
        (&full, &linked, "is not apart from the folder of the data"),
    ] {
        let refused = installation.copy(data, keys, 1).await.unwrap_err().to_string();
        assert!(refused.contains(reason), "{refused}");
    }
    assert!(full.join("letter").exists() && itself.join("honnin.db").exists());
    assert!(!new.exists(), "it can be chosen for the data");
}

#[tokio::test]
async fn whenever_a_picture_is_deleted_while_a_copy_is_made_the_copy_is_whole() {
    let installation = Arc::new(Installation::new().await);
    let mut noted = 0;
    for changes in 0.. {
        installation.bring_picture_back().await;
        let folder = tempfile::tempdir().unwrap();
        let [data, keys, restored] = ["data", "keys", "restored"].map(|name| folder.path().join(name));
        let (tell, told) = mpsc::channel();
        let other = Arc::clone(&installation);
        interruption::meanwhile(changes, move || {
            let deletes = thread::spawn(move || {
                let mut runtime = tokio::runtime::Builder::new_current_thread();
                let runtime = runtime.enable_all().build().unwrap();
                runtime.block_on(other.delete_picture());
            });
            deletes.join().unwrap();
            tell.send(()).unwrap();
        });
        let copied = installation.copy(&data, &keys, 1).await;
        if told.try_recv().is_err() {
            assert!(changes > 15, "{changes} changes");
            break;
        }
        copied.unwrap();
        let halves = Halves::in_folders(&data, &keys);
        let manifest = halves.data.find_manifest(Half::Data).await.unwrap().unwrap();
        noted += manifest.deleted.len();
        let found = verify(&halves, &mut |_| ()).await.unwrap();
        assert_eq!((found.readable, found.lost), (2, 0), "{changes} changes");
        let to = target(&restored);
        let master_key = installation.folder.path().join("master.key");
        put_back(&halves, Some(&GivenKeys::File(&master_key)), &to, &mut |_| ())
            .await
            .unwrap();
    }
    assert!(noted > 0, "it was never deleted in between");
    // One that is still named is lost.
    interruption::meanwhile(usize::MAX, || ());
    installation.bring_picture_back().await;
    installation.delete_picture().await;
    installation.run(0, NAMED).await;
    let [data, keys] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let refused = installation.copy(data.path(), keys.path(), 2).await.unwrap_err();
    assert!(refused.to_string().contains("pictures are missing"), "{refused}");
}

/// What became of two copies that overlapped.
struct Overlap {
    first: Result<u64, BackupError>,
    second: Result<u64, BackupError>,
}

/// Makes one copy, and a whole other one after so many of its changes; `None` if it makes fewer.
async fn overlap(installation: &Arc<Installation>, [first, second]: [Halves; 2], changes: usize) -> Option<Overlap> {
    let other = Arc::clone(installation);
    let (tell, told) = mpsc::channel();
    interruption::meanwhile(changes, move || {
        let copied = thread::spawn(move || {
            let mut runtime = tokio::runtime::Builder::new_current_thread();
            let runtime = runtime.enable_all().build().unwrap();
            runtime.block_on(async {
                // No copy of the keys is like the one before.
                other.run(1, CHANGE).await;
                other.copy_to(&second, 1).await
            })
        });
        tell.send(copied.join().unwrap()).unwrap();
    });
    let first = installation.copy_to(&first, 1).await;
    let second = told.try_recv().ok()?;
    Some(Overlap { first, second })
}

#[tokio::test]
async fn of_two_copies_that_overlap_at_whatever_point_the_keys_of_each_that_was_made_are_there() {
    let installation = Arc::new(Installation::new().await);
    for changes in 0.. {
        let folder = tempfile::tempdir().unwrap();
        let [first, second, keys] = ["first", "second", "keys"].map(|name| folder.path().join(name));
        let halves = [&first, &second].map(|data| Halves::in_folders(data, &keys));
        let Some(made) = overlap(&installation, halves, changes).await else {
            assert!(changes > 15, "{changes} changes");
            break;
        };
        assert_eq!(made.first.unwrap(), 2, "{changes} changes");
        assert_eq!(is_whole(&first, &keys).await, 2, "{changes} changes");
        match made.second {
            Ok(_) => assert_eq!(is_whole(&second, &keys).await, 2, "{changes} changes"),
            Err(refused) => assert!(refused.to_string().contains("is used by another backup"), "{refused}"),
        }
    }
}

/// Copies one installation, and then another one to the same place of keys.
async fn the_keys_of_the_first_stay([first, second, elsewhere]: [Halves; 3]) {
    let (owner, other) = (Installation::new().await, Installation::of(2).await);
    assert_eq!(owner.copy_to(&first, 1).await.unwrap(), 2);
    let refused = other.copy_to(&second, 2).await.unwrap_err().to_string();
    assert!(refused.contains("holds the keys of another installation"), "{refused}");
    assert_eq!(are_whole(&first).await, 2);
    // The owner's newer copy is made there, and the other one in a place of its own.
    let again = Halves {
        keys: first.keys.clone(),
        ..elsewhere.clone()
    };
    assert_eq!(owner.copy_to(&again, 3).await.unwrap(), 2);
    assert_eq!((are_whole(&first).await, are_whole(&again).await), (2, 2));
    let apart = Halves {
        keys: elsewhere.keys,
        ..second
    };
    assert_eq!(other.copy_to(&apart, 3).await.unwrap(), 2);
    assert_eq!(are_whole(&apart).await, 2);
}

#[tokio::test]
async fn a_folder_with_the_keys_of_another_installation_is_refused_and_keeps_them() {
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name);
    let names = [("first", "keys"), ("second", "keys"), ("third", "others")];
    let halves = names.map(|(data, keys)| Halves::in_folders(&place(data), &place(keys)));
    the_keys_of_the_first_stay(halves).await;
}

#[tokio::test]
async fn a_bucket_with_the_keys_of_another_installation_is_refused_and_keeps_them() {
    let scratch = tempfile::tempdir().unwrap();
    let mut buckets = Vec::new();
    for _ in 0..5 {
        let Some(bucket) = objects().await else { return };
        buckets.push(bucket);
    }
    let halves = [(0, 3), (1, 3), (2, 4)].map(|(data, keys)| Halves {
        data: Place::Bucket(buckets[data].clone()),
        keys: Place::Bucket(buckets[keys].clone()),
        scratch: scratch.path().to_owned(),
    });
    the_keys_of_the_first_stay(halves).await;
}

#[tokio::test]
async fn keys_that_were_copied_before_there_was_a_tenant_are_replaced() {
    let installation = Installation::new().await;
    let folder = tempfile::tempdir().unwrap();
    let [first, second, keys] = ["first", "second", "keys"].map(|name| folder.path().join(name));
    installation.run(0, WITHOUT_TENANTS).await;
    installation.copy(&first, &keys, 1).await.unwrap();
    installation.run(0, WITH_A_TENANT).await;
    installation.copy(&second, &keys, 2).await.unwrap();
    assert_eq!(is_whole(&second, &keys).await, 0);
}

#[tokio::test]
async fn keys_are_replaced_although_another_tenant_is_the_oldest_since_a_clock_was_set_right() {
    let installation = Installation::new().await;
    let folder = tempfile::tempdir().unwrap();
    let [first, second, keys] = ["first", "second", "keys"].map(|name| folder.path().join(name));
    installation.run(0, WITHOUT_TENANTS).await;
    installation.run(0, WITH_A_TENANT).await;
    installation.copy(&first, &keys, 1).await.unwrap();
    installation.run(0, WITH_AN_OLDER_TENANT).await;
    installation.copy(&second, &keys, 2).await.unwrap();
    assert_eq!(is_whole(&second, &keys).await, 0);
}

#[test]
fn an_error_names_the_file_that_it_happened_on() {
    let folder = tempfile::tempdir().unwrap();
    let [from, to] = ["from", "to"].map(|name| folder.path().join(name));
    // It can be opened and not be read.
    std::fs::create_dir(&from).unwrap();
    let error = files::copy(&from, &to).unwrap_err();
    assert!(
        matches!(&error, BackupError::File { path, .. } if *path == from),
        "{error}"
    );
}

#[cfg(unix)]
#[tokio::test]
async fn what_cannot_be_looked_for_is_not_missing() {
    let folder = tempfile::tempdir().unwrap();
    for name in [MANIFEST, PICTURES] {
        std::os::unix::fs::symlink(name, folder.path().join(name)).unwrap();
    }
    let place = Place::Folder(folder.path().to_owned());
    assert!(place.has(MANIFEST).await.is_err());
    assert!(place.hash(MANIFEST, 1).await.is_err());
    assert!(place.pictures().await.is_err());
}

/// What ext4 keeps in the root of each file system, for nobody but root.
fn add_lost_and_found(folder: &Path) -> PathBuf {
    let path = folder.join("lost+found");
    std::fs::create_dir(&path).unwrap();
    std::fs::write(path.join("#12"), b"recovered").unwrap();
    path
}

fn set_mode(path: &Path, mode: u32) {
    std::fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
}

#[tokio::test]
async fn pictures_on_a_file_system_of_their_own_are_copied_and_put_back() {
    let installation = Installation::new().await;
    let pictures = installation.pictures.folder().unwrap();
    let lost = add_lost_and_found(pictures);
    let [data, keys, target] = [(); 3].map(|()| tempfile::tempdir().unwrap());
    set_mode(&lost, 0o000);
    let copied = installation.copy(data.path(), keys.path(), 1).await;
    set_mode(&lost, 0o700);
    assert_eq!(copied.unwrap(), 2);
    let target = Target {
        folder: target.path().to_owned(),
        database: DatabasePlace::File(target.path().join("honnin.db")),
        keys: DatabasePlace::File(target.path().join("keys.db")),
        master_key: None,
        pictures: PicturePlace::Folder(target.path().join("pictures")),
    };
    let there = target.pictures.folder().unwrap();
    std::fs::create_dir(there).unwrap();
    set_mode(&add_lost_and_found(there), 0o700);
    let halves = Halves::in_folders(data.path(), keys.path());
    put_back(&halves, None, &target, &mut |_| ()).await.unwrap();
    assert_eq!(below(there).unwrap().len(), 2);
}

#[tokio::test]
async fn what_is_no_picture_is_refused_by_the_name_that_is_among_the_pictures() {
    let installation = Installation::new().await;
    let strange = installation.pictures.folder().unwrap().join("older");
    std::fs::create_dir_all(strange.join("below")).unwrap();
    set_mode(&strange, 0o000);
    let [data, keys] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let refused = installation.copy(data.path(), keys.path(), 1).await;
    set_mode(&strange, 0o700);
    let expected = format!(
        "{}: is not a picture of a session; move it elsewhere",
        strange.display()
    );
    assert_eq!(refused.unwrap_err().to_string(), expected);
}

#[tokio::test]
async fn whether_a_master_key_is_the_one_of_a_dump_is_known_before_the_dump_is_put_back() {
    let Some(server) = testkit::databases::postgres_server() else {
        return;
    };
    let url = testkit::databases::empty(&server).await;
    let [own, other] = [1, 1].map(|version| MasterKeys::from_text(&MasterKeys::generate(version).unwrap()).unwrap());
    let vault = Vault::open_at(&url, DbOptions::default(), own.clone()).await.unwrap();
    let key = vault.take().await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name);
    postgres::copy(&url, Half::Keys, place).await.map(drop).unwrap();
    drop((key, vault));
    let dump = place(postgres::dump_of(Half::Keys));
    let found = postgres::list_keys(&dump).await;
    assert_eq!(found.len(), 1);
    let (id, sealed) = &found[0];
    assert!(own.opens(id, sealed) && !other.opens(id, sealed));
    std::fs::write(&dump, "no dump").unwrap();
    assert!(postgres::list_keys(&dump).await.is_empty());
}

/// Planted fault that this test detects: a file that is emptied and written again, to which the `pg_dump` of a command that was killed still writes.
#[tokio::test]
async fn a_dump_is_not_changed_by_that_of_a_command_that_was_killed() {
    let Some(server) = testkit::databases::postgres_server() else {
        return;
    };
    let url = testkit::databases::empty(&server).await;
    Db::open(&url, DbOptions::default()).await.unwrap().close().await;
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name);
    let dump = place(postgres::dump_of(Half::Data));
    let of_the_killed = std::fs::File::create(&dump).unwrap();
    let copied = postgres::copy(&url, Half::Data, place).await.unwrap();
    of_the_killed.write_all_at(b"late", 0).unwrap();
    let found = files::hash(&dump).unwrap();
    assert!(copied.files.contains(&(postgres::dump_of(Half::Data), found)));
}

#[tokio::test]
async fn a_server_that_ends_idle_transactions_can_be_copied() {
    const AFTER_20_MS: &str = "DO $$ BEGIN EXECUTE format(
        'ALTER DATABASE %I SET idle_in_transaction_session_timeout = 20', current_database()); END $$";
    let Some(server) = testkit::databases::postgres_server() else {
        return;
    };
    let url = testkit::databases::empty(&server).await;
    Db::open(&url, DbOptions::default()).await.unwrap().close().await;
    testkit::databases::run_at(&url, AFTER_20_MS).await;
    let folder = tempfile::tempdir().unwrap();
    let copied = postgres::copy(&url, Half::Data, |name| folder.path().join(name)).await;
    assert!(copied.is_ok(), "{:?}", copied.err());
}

/// `ALTER ROLE` sets them where a pool in front of the server refuses what a connection asks for.
#[tokio::test]
async fn the_limits_of_a_role_do_not_end_a_copy() {
    const LIMITS: &str = "DO $$ BEGIN
        EXECUTE format('ALTER DATABASE %I SET statement_timeout = 500', current_database());
        EXECUTE format('ALTER DATABASE %I SET lock_timeout = 500', current_database()); END $$";
    let Some(server) = testkit::databases::postgres_server() else {
        return;
    };
    let url = testkit::databases::empty(&server).await;
    Db::open(&url, DbOptions::default()).await.unwrap().close().await;
    // The limits are not those of a connection from before.
    let mut other = PgConnection::connect(&url).await.unwrap();
    testkit::databases::run_at(&url, LIMITS).await;
    let folder = tempfile::tempdir().unwrap();
    let copied = async { postgres::copy(&url, Half::Data, |name| folder.path().join(name)).await };
    delayed(&mut other, copied).await.unwrap();
    delayed(&mut other, postgres::texts(&url, KEYS_ERASED)).await.unwrap();
}

/// What `reads` returns, which the other connection keeps from its table for longer than those limits.
async fn delayed<T>(
    other: &mut PgConnection,
    reads: impl Future<Output = Result<T, BackupError>>,
) -> Result<(), BackupError> {
    const WAITS: &str = "SELECT EXISTS (SELECT 1 FROM pg_locks WHERE NOT granted AND relation = 'sessions'::regclass
        AND waitstart < clock_timestamp() - interval '2 seconds')";
    let locked = "BEGIN; LOCK TABLE sessions IN ACCESS EXCLUSIVE MODE";
    sqlx::raw_sql(locked).execute(&mut *other).await.unwrap();
    let waits = async {
        while !sqlx::query_scalar::<_, bool>(WAITS)
            .fetch_one(&mut *other)
            .await
            .unwrap()
        {}
    };
    let mut reads = Box::pin(reads);
    let early = tokio::select! {
        ended = &mut reads => Some(ended),
        () = waits => None,
    };
    sqlx::raw_sql("ROLLBACK").execute(&mut *other).await.unwrap();
    match early {
        Some(ended) => ended.map(drop),
        None => reads.await.map(drop),
    }
}

#[tokio::test]
async fn a_postgres_that_does_not_run_is_said_to_refuse_connections() {
    let place = DatabasePlace::at("postgres://nobody@127.0.0.1:1/none").unwrap();
    let why = place.is_restoring().await.unwrap_err().to_string();
    assert!(why.contains("Connection refused"), "{why}");
}
