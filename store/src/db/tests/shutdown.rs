//! How a database was last closed is detected, and copies are distinguished from the original.

use super::super::shutdown::{ShutdownKind, identity, look};
use super::*;
use sqlx::{ConnectOptions as _, Connection as _, sqlite::SqliteConnectOptions};
use std::{fs, path::Path, str::FromStr as _};

/// Copies these files of the database into a separate folder, and returns how they were closed.
async fn copied(backend: &Backend, folder: &str, endings: &[&str]) -> ShutdownKind {
    let copy = backend.folder().join(folder);
    fs::create_dir(&copy).unwrap();
    for ending in endings {
        let name = format!("honnin.db{ending}");
        fs::copy(backend.folder().join(&name), copy.join(name)).unwrap();
    }
    left(&copy.join("honnin.db")).await
}

async fn left(file: &Path) -> ShutdownKind {
    look(&options(file)).await.kind
}

fn options(file: &Path) -> SqliteConnectOptions {
    SqliteConnectOptions::from_str(&format!("sqlite://{}", file.display())).unwrap()
}

async fn write(db: &Db) {
    let unit = db.write(async |tx| add(tx, "kept").await);
    unit.await.unwrap();
}

#[tokio::test]
async fn a_database_that_was_closed_in_order_has_nothing_to_tell_and_neither_has_its_copy() {
    let backend = sqlite().await;
    write(&backend.db).await;
    backend.db.close().await;
    assert_eq!(left(&backend.folder().join("honnin.db")).await, ShutdownKind::Orderly);
    assert_eq!(copied(&backend, "copy", &[""]).await, ShutdownKind::Orderly);
    assert_eq!(left(&backend.folder().join("none.db")).await, ShutdownKind::Orderly);
}

#[tokio::test]
async fn a_copy_made_while_it_is_open_is_known_by_its_missing_log() {
    let backend = sqlite().await;
    assert_eq!(copied(&backend, "at-once", &[""]).await, ShutdownKind::WithoutLog);
    write(&backend.db).await;
    assert_eq!(copied(&backend, "later", &[""]).await, ShutdownKind::WithoutLog);
    assert_eq!(copied(&backend, "crashed", &["", "-wal"]).await, ShutdownKind::Crashed);
    // Also after a checkpoint, as after an erasure.
    backend.db.checkpoint().await.unwrap();
    assert_eq!(copied(&backend, "folded", &[""]).await, ShutdownKind::WithoutLog);
    assert_eq!(
        copied(&backend, "folded-crashed", &["", "-wal"]).await,
        ShutdownKind::Crashed
    );
}

#[tokio::test]
async fn it_is_told_once() {
    let backend = sqlite().await;
    assert_eq!(copied(&backend, "copy", &[""]).await, ShutdownKind::WithoutLog);
    let file = backend.folder().join("copy/honnin.db");
    let restored = Db::open(&format!("sqlite://{}", file.display()), OPTIONS)
        .await
        .unwrap();
    restored.close().await;
    assert_eq!(left(&file).await, ShutdownKind::Orderly);
}

#[tokio::test]
async fn a_copy_that_sqlite_made_is_whole() {
    let backend = sqlite().await;
    write(&backend.db).await;
    let copy = backend.folder().join("copy.db");
    let file = backend.folder().join("honnin.db");
    let mut other = options(&file).read_only(true).connect().await.unwrap();
    let vacuum = sqlx::query("VACUUM INTO $1").bind(copy.to_str().unwrap());
    vacuum.execute(&mut other).await.unwrap();
    assert_eq!(left(&copy).await, ShutdownKind::Orderly);
    let restored = Db::open(&format!("sqlite://{}", copy.display()), OPTIONS)
        .await
        .unwrap();
    assert_eq!(committed(&restored).await, ["kept"]);
}

/// `honnin tenant create` beside `honnin serve`.
#[tokio::test]
async fn of_several_processes_each_signs_off_for_itself() {
    let backend = sqlite().await;
    let file = backend.folder().join("honnin.db");
    let other = backend.reopen().await;
    assert_eq!(left(&file).await, ShutdownKind::Orderly, "it is in use");
    other.close().await;
    assert_eq!(copied(&backend, "one", &[""]).await, ShutdownKind::WithoutLog);
    backend.db.close().await;
    assert_eq!(copied(&backend, "none", &[""]).await, ShutdownKind::Orderly);
}

/// SQLite cleans up after a process that had no time to: its file is complete.
#[tokio::test]
async fn a_file_that_was_never_copied_is_not_taken_for_a_copy() {
    let backend = sqlite().await;
    write(&backend.db).await;
    assert_eq!(copied(&backend, "crashed", &["", "-wal"]).await, ShutdownKind::Crashed);
    let file = backend.folder().join("crashed/honnin.db");
    let mine = identity(&file);
    let mut other = options(&file).connect().await.unwrap();
    let sign = sqlx::query("UPDATE openings SET file = $1").bind(mine);
    sign.execute(&mut other).await.unwrap();
    other.close().await.unwrap();
    assert!(!backend.folder().join("crashed/honnin.db-wal").exists());
    assert_eq!(left(&file).await, ShutdownKind::Orderly);
}
