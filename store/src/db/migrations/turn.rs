//! Migrating on SQLite, by one process at a time: two processes that start together on a new version would find the same migrations
//! missing, and the second would fail on what the first has added.

use crate::folders;
use std::{
    fs::{File, TryLockError},
    path::Path,
    time::Duration,
};
use tokio::time::sleep;

/// How often it is asked whether another process has migrated.
const PAUSE: Duration = Duration::from_millis(20);

/// Waits, for as long as it takes, until no other process migrates a database in the same folder. The lock ends with the returned file, or
/// with this process. It is one of the folder, since a file beside the database would have to be created on a disk that may be full, and on
/// the database itself closing it would take SQLite's own locks away.
///
/// `None` if the folder cannot be locked: if it is not there or not ours, opening the database says so.
pub(in crate::db) async fn take_turn(database: &Path) -> Option<File> {
    let folder = folders::named(database.parent()?);
    let folder = File::open(folder).ok()?;
    let mut logged = false;
    loop {
        match folder.try_lock() {
            Ok(()) => return Some(folder),
            Err(TryLockError::WouldBlock) if logged => {}
            Err(TryLockError::WouldBlock) => {
                tracing::info!("another process opens or migrates a database in this folder: waiting for it");
                logged = true;
            }
            Err(TryLockError::Error(error)) => {
                tracing::warn!(
                    %error,
                    "the folder of the database cannot be locked: start one process at a time on a new version"
                );
                return None;
            }
        }
        sleep(PAUSE).await;
    }
}
