//! The right to change what a place of keys holds, which one backup has at a time. Two that overlapped could each remove what the other
//! has just copied, and no copy of the keys would be left.

use super::{BackupError, files, objects::Objects, place::Place};
use bytes::Bytes;
use rustix::fs::{FlockOperation, flock};
use std::{
    fs::{File, OpenOptions},
    path::Path,
};

/// The file in a folder that is locked, and the object in a bucket that says who has the right. The file stays, and holds nothing.
pub(super) const CLAIM: &str = "backup-in-progress";

/// What happens if the bucket of the keys has the mark of another backup, which may have been killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stale {
    /// It is refused.
    Refuse,
    /// The mark is replaced. A backup that is still running stops before it changes anything else.
    TakeOver,
}

/// The right to change a place of keys.
#[derive(Debug)]
pub(super) enum Claim<'a> {
    /// The system takes the lock back if this process ends, whatever ends it.
    Folder {
        /// Held as long as it is open.
        _lock: File,
    },
    /// A mark, with a random id.
    Bucket {
        /// Where it is.
        objects: &'a Objects,
        /// Which.
        id: Bytes,
    },
}

impl<'a> Claim<'a> {
    /// Claims a place, whose folder exists.
    pub(super) async fn of(place: &'a Place, stale: Stale) -> Result<Self, BackupError> {
        match place {
            Place::Folder(folder) => lock(folder),
            Place::Bucket(objects) => mark(objects, stale).await,
        }
    }

    /// Whether the place is still this backup's: the mark in a bucket may have been taken over.
    pub(super) async fn confirm(&self) -> Result<(), BackupError> {
        match self {
            Self::Folder { .. } => Ok(()),
            Self::Bucket { objects, id } if objects.read(CLAIM).await?.as_ref() == Some(id) => Ok(()),
            Self::Bucket { objects, .. } => Err(BackupError::unfit(
                &objects.address().join(CLAIM),
                "is no longer the mark of this backup: another one has taken over",
            )),
        }
    }

    /// Gives the place back.
    pub(super) async fn release(self) -> Result<(), BackupError> {
        let Self::Bucket { objects, id } = self else {
            return Ok(());
        };
        // What another one has taken over is its own.
        if objects.read(CLAIM).await? == Some(id) {
            objects.remove([CLAIM.to_owned()]).await?;
        }
        Ok(())
    }
}

fn lock<'a>(folder: &Path) -> Result<Claim<'a>, BackupError> {
    let path = folder.join(CLAIM);
    files::reach(&path)?;
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(&path).map_err(super::at(&path))?;
    match flock(&file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(Claim::Folder { _lock: file }),
        Err(rustix::io::Errno::WOULDBLOCK) => Err(BackupError::unfit(folder, "is used by another backup")),
        Err(error) => Err(super::at(&path)(error.into())),
    }
}

async fn mark(objects: &Objects, stale: Stale) -> Result<Claim<'_>, BackupError> {
    let id = Bytes::from(hex::encode(rand::random::<[u8; 16]>()));
    match stale {
        Stale::Refuse => drop(objects.create(CLAIM, id.clone()).await?),
        Stale::TakeOver => objects.write(CLAIM, id.clone()).await?,
    }
    // Read again, whatever the answer was: a request whose answer was lost may have been repeated, and some servers replace what is there.
    if objects.read(CLAIM).await?.as_ref() == Some(&id) {
        return Ok(Claim::Bucket { objects, id });
    }
    Err(BackupError::unfit(
        &objects.address().join(CLAIM),
        "is the mark of another backup; if it is certain that none is running, pass --take-over",
    ))
}
