//! The master key: its file, its rotation, and that nothing can be decrypted without it.

use super::{PLAIN, tenant};
use crate::fixtures::{at, keep, read, world, write};
use domain::ids::SecretId;
use std::{
    fs::Permissions,
    os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown, symlink},
    path::Path,
    sync::Barrier,
    thread,
};
use store::{
    StoreError,
    settings::webhook_secrets,
    vault::{MasterKeys, Rotation, Vault},
};
use testkit::databases::{Backend, OPTIONS, backends, number_at};

async fn vault_with(backend: &Backend, master: MasterKeys) -> Vault {
    Vault::open_at(&backend.keys_url, OPTIONS, master).await.unwrap()
}

#[tokio::test]
async fn a_backup_of_the_keys_is_worthless_without_the_master_key() {
    for backend in backends().await {
        let key = backend.vault().await.take().await.unwrap();
        let foreign = MasterKeys::load_or_create(&backend.folder().join("other.key")).unwrap();
        let thief = vault_with(&backend, foreign).await;
        assert!(
            matches!(thief.open(key.id()).await, Err(StoreError::Corrupt(_))),
            "{}",
            backend.name
        );
    }
}

#[tokio::test]
async fn after_a_rotation_old_keys_open_and_can_be_sealed_anew() {
    for backend in backends().await {
        let file = backend.folder().join("master.key");
        let before = backend.vault().await;
        let (old_key, secret) = (
            before.take().await.unwrap(),
            before.seal_secret(tenant(1).as_str(), "whk", PLAIN).await.unwrap(),
        );
        assert_eq!(Rotation::begin(&file).unwrap().add_version().unwrap(), 2);

        let after = vault_with(&backend, MasterKeys::load(&file).unwrap()).await;
        after.open(old_key.id()).await.unwrap();
        assert_eq!(
            after.open_secret(tenant(1).as_str(), "whk", &secret).unwrap().expose(),
            PLAIN
        );
        while after.reseal_keys(50).await.unwrap() > 0 {}
        let old = number_at(
            &backend.keys_url,
            "SELECT COUNT(*) FROM data_keys WHERE master_version <> 2",
        )
        .await;
        assert_eq!(old, 0, "{}", backend.name);

        let text = std::fs::read_to_string(&file).unwrap();
        let newest_only: String = text
            .lines()
            .filter(|line| !line.starts_with("1 "))
            .flat_map(|l| [l, "\n"])
            .collect();
        std::fs::write(&file, newest_only).unwrap();
        let later = vault_with(&backend, MasterKeys::load(&file).unwrap()).await;
        later.open(old_key.id()).await.unwrap();
        assert!(matches!(
            later.open_secret(tenant(1).as_str(), "whk", &secret),
            Err(StoreError::MasterKeyMissing)
        ));
    }
}

#[tokio::test]
async fn a_version_that_was_added_elsewhere_is_used_once_a_rotation_has_encrypted_a_key_with_it() {
    for backend in backends().await {
        let (name, tenant) = (backend.name, tenant(1));
        let file = backend.folder().join("master.key");
        let old = backend.vault().await;
        let seal = async |vault: &Vault| vault.seal_secret(tenant.as_str(), "whk", PLAIN).await;
        // A node that has keys of its own in advance.
        old.take().await.unwrap();
        Rotation::begin(&file).unwrap().add_version().unwrap();
        let restarted = vault_with(&backend, MasterKeys::load(&file).unwrap()).await;
        let key = restarted.take().await.unwrap();
        old.open(key.id()).await.unwrap();
        let secret = seal(&restarted).await.unwrap();
        assert!(!restarted.is_current(&secret), "{name}");
        assert_eq!(
            old.open_secret(tenant.as_str(), "whk", &secret).unwrap().expose(),
            PLAIN,
            "{name}"
        );
        let anew = restarted.seal_secret_anew(tenant.as_str(), "whk", PLAIN).unwrap();
        assert!(restarted.is_current(&anew), "{name}");

        assert_eq!(restarted.reseal_keys(1).await.unwrap(), 1, "{name}");
        assert!(restarted.is_current(&seal(&restarted).await.unwrap()), "{name}");
        // One that was forgotten says so, and makes nothing that is lost with the old version.
        assert!(matches!(seal(&old).await, Err(StoreError::MasterKeyMissing)), "{name}");
        while restarted.reseal_keys(50).await.unwrap() > 0 {}
        let late = backend.vault().await;
        let stale = vault_with(&backend, MasterKeys::from_text(&line_of(&file, 1)).unwrap()).await;
        late.open(key.id()).await.unwrap();
        assert!(
            matches!(stale.open(key.id()).await, Err(StoreError::MasterKeyMissing)),
            "{name}"
        );
    }
}

/// The line of a version in the file of the master keys.
fn line_of(file: &Path, version: u32) -> String {
    let text = std::fs::read_to_string(file).unwrap();
    let mut lines = text.lines();
    let found = lines.find(|line| line.starts_with(&format!("{version} ")));
    found.unwrap().to_owned()
}

async fn start(backend: &Backend, file: &Path) -> Result<Vault, StoreError> {
    Vault::open_with_file(&backend.keys_url, OPTIONS, file, &backend.db).await
}

#[tokio::test]
async fn a_master_key_file_is_made_only_where_nothing_is_sealed() {
    for backend in backends().await {
        let (file, name) = (backend.folder().join("m.key"), backend.name);
        let vault = start(&backend, &file).await.unwrap();
        vault.close().await.unwrap();
        std::fs::remove_file(&file).unwrap();
        let vault = start(&backend, &file).await.unwrap();
        vault.take().await.unwrap();
        start(&backend, &file).await.unwrap();
        let moved = file.with_extension("moved");
        std::fs::rename(&file, &moved).unwrap();
        let refused = start(&backend, &file).await;
        assert!(matches!(refused, Err(StoreError::Locked(_))), "{name}");
        assert!(!file.exists(), "{name}: nothing is made in its place");
        MasterKeys::load_or_create(&file).unwrap();
        let refused = start(&backend, &file).await;
        assert!(matches!(refused, Err(StoreError::Locked(_))), "{name}: another key");
        names_the_missing_version(&backend, &file).await;
        std::fs::rename(&moved, &file).unwrap();
        start(&backend, &file).await.unwrap();
    }
}

#[tokio::test]
async fn a_webhook_secret_alone_also_needs_its_master_key() {
    for backend in backends().await {
        let (file, name) = (backend.folder().join("m.key"), backend.name);
        let world = world(&backend.db).await;
        let vault = start(&backend, &file).await.unwrap();
        let id = keep(SecretId::from_random([1; 16]));
        let sealed = vault.seal_secret(world.tenant.id.as_str(), id.as_str(), PLAIN).await;
        let sealed = keep(sealed.unwrap());
        let db = &backend.db;
        write!(db, tx => webhook_secrets::insert(tx, &world.tenant.id, id, sealed, at(0))).unwrap();
        start(&backend, &file).await.unwrap();
        std::fs::remove_file(&file).unwrap();
        let refused = start(&backend, &file).await;
        assert!(matches!(refused, Err(StoreError::Locked(_))), "{name}");
        MasterKeys::load_or_create(&file).unwrap();
        let refused = start(&backend, &file).await;
        assert!(matches!(refused, Err(StoreError::Locked(_))), "{name}: another key");
        names_the_missing_version(&backend, &file).await;
    }
}

/// A start without version 1, with which everything is encrypted, says so.
async fn names_the_missing_version(backend: &Backend, file: &Path) {
    std::fs::write(file, MasterKeys::generate(2).unwrap().as_str()).unwrap();
    let refused = start(backend, file).await.map(drop).unwrap_err().to_string();
    assert!(refused.contains("version 1 is missing"), "{}: {refused}", backend.name);
}

#[tokio::test]
async fn a_version_that_encrypts_session_keys_is_lacking_where_nobody_added_it() {
    for backend in backends().await {
        let (file, name) = (backend.folder().join("m.key"), backend.name);
        let running = start(&backend, &file).await.unwrap();
        assert!(running.list_versions().await.unwrap().is_empty(), "{name}");
        running.take().await.unwrap();
        Rotation::begin(&file).unwrap().add_version().unwrap();
        let other = start(&backend, &file).await.unwrap();
        assert_eq!(other.reseal_keys(1).await.unwrap(), 1, "{name}");
        let used = other.list_versions().await.unwrap();
        assert_eq!(used, [1, 2], "{name}");
        assert!(
            running.lacking(used.clone()).is_empty(),
            "{name}: it reads the file again"
        );
        let half = vault_with(&backend, MasterKeys::from_text(&line_of(&file, 2)).unwrap()).await;
        assert_eq!(half.lacking(used), [1], "{name}");
    }
}

#[tokio::test]
async fn a_running_process_uses_a_version_that_was_added_to_its_file_and_secrets_are_replaced() {
    for backend in backends().await {
        let (file, name) = (backend.folder().join("m.key"), backend.name);
        let (world, db) = (world(&backend.db).await, &backend.db);
        let running = start(&backend, &file).await.unwrap();
        let id = keep(SecretId::from_random([1; 16]));
        let tenant = world.tenant.id.as_str();
        let first = keep(running.seal_secret(tenant, id.as_str(), PLAIN).await.unwrap());
        write!(db, tx => webhook_secrets::insert(tx, &world.tenant.id, id, first, at(0))).unwrap();
        assert!(running.is_current(first));
        let rotation = Rotation::begin(&file).unwrap();
        rotation.add_version().unwrap();
        // Another process with the new version: what it encrypts is read by the one that was running before.
        let other = start(&backend, &file).await.unwrap();
        let second = keep(other.seal_secret(tenant, id.as_str(), PLAIN).await.unwrap());
        assert_eq!(
            running.open_secret(tenant, id.as_str(), second).unwrap().expose(),
            PLAIN,
            "{name}"
        );
        assert!(!running.is_current(first) && running.is_current(second), "{name}");
        let third = running.seal_secret(tenant, id.as_str(), PLAIN).await.unwrap();
        assert!(other.is_current(&third), "{name}");
        write!(db, tx => webhook_secrets::replace_sealed(tx, id, second)).unwrap();
        let stored = read!(db, tx => webhook_secrets::list_sealed(tx));
        assert_eq!(stored.len(), 1, "{name}");
        assert_eq!(stored[0].sealed.as_ref(), Some(second), "{name}");
        // A disabled one has no content to replace.
        write!(db, tx => webhook_secrets::disable(tx, &world.tenant.id, id, at(1))).unwrap();
        write!(db, tx => webhook_secrets::replace_sealed(tx, id, first)).unwrap();
        assert!(read!(db, tx => webhook_secrets::list_sealed(tx)).is_empty(), "{name}");
        assert_eq!(rotation.keep_newest().unwrap(), 1, "{name}");
        assert_eq!(rotation.keys().unwrap().versions(), [2], "{name}");
        assert!(running.open_secret(tenant, id.as_str(), second).is_ok(), "{name}");
    }
}

#[test]
fn only_one_rotation_runs_at_a_time_and_what_a_killed_one_has_left_is_removed() {
    let folder = tempfile::TempDir::new().unwrap();
    let (file, left) = (folder.path().join("master.key"), folder.path().join("master.new"));
    MasterKeys::load_or_create(&file).unwrap();
    let first = Rotation::begin(&file).unwrap();
    let refused = Rotation::begin(&file).unwrap_err();
    assert!(refused.to_string().contains("another process is rotating"), "{refused}");
    drop(first);
    std::fs::write(&left, "keys").unwrap();
    Rotation::begin(&file).unwrap();
    assert!(!left.exists());
}

#[tokio::test]
async fn the_master_key_file_is_its_owners_alone_and_is_not_made_twice() {
    let backend = testkit::databases::sqlite().await;
    let path = backend.folder().join("m.key");
    MasterKeys::load_or_create(&path).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    MasterKeys::load_or_create(&path).unwrap();
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
}

#[test]
fn what_a_process_left_that_was_killed_while_it_made_the_master_key_stops_no_later_start() {
    let folder = tempfile::TempDir::new().unwrap();
    // Of a process with the same number, as in a container.
    let left = folder.path().join(format!("m.{}.part", std::process::id()));
    std::fs::write(left, "").unwrap();
    let path = folder.path().join("m.key");
    MasterKeys::load_or_create(&path).unwrap();
    assert_eq!(MasterKeys::load(&path).unwrap().versions(), [1]);
}

#[test]
fn of_those_who_make_the_master_key_at_the_same_time_one_does_and_nothing_else_is_left() {
    for _ in 0..20 {
        let folder = tempfile::TempDir::new().unwrap();
        let (path, together) = (folder.path().join("m.key"), Barrier::new(4));
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    together.wait();
                    MasterKeys::load_or_create(&path).unwrap();
                });
            }
        });
        let left: Vec<_> = std::fs::read_dir(folder.path()).unwrap().collect();
        assert_eq!(left.len(), 1, "{left:?}");
    }
}

#[test]
fn a_malformed_master_key_file_is_refused() {
    let folder = tempfile::TempDir::new().unwrap();
    let key = "ab".repeat(32);
    for text in [
        String::new(),
        "# nothing".into(),
        format!("1 {key}0"),
        key.clone(),
        format!("1 {key}\n1 {key}"),
    ] {
        let path = folder.path().join("m.key");
        std::fs::write(&path, &text).unwrap();
        assert!(
            matches!(MasterKeys::load_or_create(&path), Err(StoreError::Corrupt(_))),
            "{text}"
        );
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text, "left as it was");
    }
}

#[test]
fn a_rotation_that_has_no_number_left_for_a_version_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("master.key");
    let text = format!("{} {}\n", u32::MAX, "ab".repeat(32));
    std::fs::write(&file, &text).unwrap();
    let refused = Rotation::begin(&file).unwrap().add_version();
    assert!(matches!(refused, Err(StoreError::Corrupt(_))), "{refused:?}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), text);
}

#[test]
fn a_rotation_takes_the_file_from_nobody_who_could_read_it() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("master.key");
    drop(MasterKeys::load_or_create(&file).unwrap());
    std::fs::set_permissions(&file, Permissions::from_mode(0o640)).unwrap();
    // Only root can give it away; with everybody else, only the mode is tested.
    drop(chown(&file, Some(65_534), Some(65_534)));
    let access = || {
        let found = std::fs::metadata(&file).unwrap();
        (found.mode() & 0o777, found.uid(), found.gid())
    };
    let before = access();
    assert_eq!(before.0, 0o640);
    let rotation = Rotation::begin(&file).unwrap();
    rotation.add_version().unwrap();
    assert_eq!(access(), before, "with a version more");
    rotation.keep_newest().unwrap();
    assert_eq!(access(), before, "with the newest version alone");
    let lock = std::fs::metadata(file.with_extension("lock")).unwrap();
    assert_eq!(
        (lock.mode() & 0o777, lock.uid()),
        (0o600, before.1),
        "the next rotation"
    );
}

#[test]
fn a_rotation_opens_no_file_elsewhere_in_place_of_its_lock() {
    let folder = tempfile::tempdir().unwrap();
    let (file, elsewhere) = (folder.path().join("master.key"), folder.path().join("elsewhere"));
    drop(MasterKeys::load_or_create(&file).unwrap());
    std::fs::write(&elsewhere, "").unwrap();
    symlink(&elsewhere, file.with_extension("lock")).unwrap();
    assert!(matches!(Rotation::begin(&file), Err(StoreError::Locked(_))));
}

#[test]
fn a_rotation_replaces_no_link_to_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let [file, link] = ["elsewhere.key", "master.key"].map(|name| folder.path().join(name));
    MasterKeys::load_or_create(&file).unwrap();
    symlink(&file, &link).unwrap();
    let refused = Rotation::begin(&link).unwrap_err().to_string();
    assert!(refused.contains("is a symbolic link"), "{refused}");
    assert!(!link.with_extension("lock").exists());
    assert_eq!(Rotation::begin(&file).unwrap().add_version().unwrap(), 2);
}
