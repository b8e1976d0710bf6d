//! Encrypted pictures in the object store: a local folder by default. They are encrypted before they get here; names reveal
//! nothing about a person. Pictures are in 256 subfolders, so that no folder grows with the number of sessions and a sweep can
//! go through them one by one.

use crate::StoreError;
use bytes::Bytes;
use domain::ids::SessionId;
use futures::TryStreamExt;
use object_store::{ObjectStore, ObjectStoreExt, local::LocalFileSystem, path::Path as ObjectPath};
use sha2::{Digest, Sha256};
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

/// Bytes that must be free: the largest accepted picture has 10 MiB, and the databases may be on the same disk.
const ROOM: u64 = 16 << 20;
/// The object that the readiness check stores, beside the subfolders.
const CHECK: &str = "check";

/// The object store with the pictures of all sessions. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Pictures {
    objects: Arc<dyn ObjectStore>,
    /// The local folder. Removals reach the disk only once their folders are synced, which the object store does not do.
    root: PathBuf,
}

impl Pictures {
    /// Pictures in a local folder, which is created if missing, accessible to its owner only.
    ///
    /// # Errors
    /// If the folder cannot be created.
    pub fn in_folder(folder: &Path) -> Result<Self, StoreError> {
        let mut builder = std::fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(folder).map_err(StoreError::unavailable)?;
        let files = LocalFileSystem::new_with_prefix(folder).map_err(unavailable)?;
        // An acknowledged picture survives a power cut: file and folders are synced before `put` returns.
        Ok(Self {
            objects: Arc::new(files.with_fsync(true).with_automatic_cleanup(true)),
            root: folder.to_owned(),
        })
    }

    /// Stores an encrypted picture durably, replacing one with the same name.
    ///
    /// # Errors
    /// If the name is malformed or the store does not respond.
    pub async fn put(&self, session: &SessionId, name: &str, sealed: Vec<u8>) -> Result<(), StoreError> {
        let path = picture_path(session, name)?;
        self.objects
            .put(&path, sealed.into())
            .await
            .map(drop)
            .map_err(unavailable)
    }

    /// An encrypted picture, or `None` if there is none with this name.
    ///
    /// # Errors
    /// If the name is malformed or the store does not respond.
    pub async fn find(&self, session: &SessionId, name: &str) -> Result<Option<Bytes>, StoreError> {
        let path = picture_path(session, name)?;
        match self.objects.get(&path).await {
            Ok(found) => found.bytes().await.map(Some).map_err(unavailable),
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(unavailable(error)),
        }
    }

    /// Removes one picture durably; a missing one is no error.
    ///
    /// # Errors
    /// If the name is malformed or the store does not respond.
    pub async fn delete(&self, session: &SessionId, name: &str) -> Result<(), StoreError> {
        gone(self.objects.delete(&picture_path(session, name)?).await)?;
        self.sync(session).await
    }

    /// Removes all pictures of a session, durably. Returns how many there were.
    ///
    /// # Errors
    /// If the store does not respond. Some may be gone then: retry.
    pub async fn delete_session(&self, session: &SessionId) -> Result<usize, StoreError> {
        let folder = session_folder(session);
        let found: Vec<_> = self
            .objects
            .list(Some(&folder))
            .try_collect()
            .await
            .map_err(unavailable)?;
        for picture in &found {
            gone(self.objects.delete(&picture.location).await)?;
        }
        self.remove_folder(session).await?;
        self.sync(session).await?;
        Ok(found.len())
    }

    /// Removes a session's local folder with what the object store does not list: an incomplete file left by a crash.
    async fn remove_folder(&self, session: &SessionId) -> Result<(), StoreError> {
        let folder = self.root.join(session_folder(session).as_ref());
        let removed = tokio::task::spawn_blocking(move || std::fs::remove_dir_all(folder)).await;
        match removed.map_err(StoreError::unavailable)? {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(StoreError::unavailable(error)),
            _ => Ok(()),
        }
    }

    /// Syncs the folders above a session's pictures that still exist: empty ones are removed with the last picture.
    async fn sync(&self, session: &SessionId) -> Result<(), StoreError> {
        let folders: Vec<PathBuf> = std::iter::successors(Some(session_folder(session)), parent)
            .map(|folder| self.root.join(folder.as_ref()))
            .collect();
        let sync = move || {
            folders.iter().try_for_each(|folder| match std::fs::File::open(folder) {
                Ok(folder) => folder.sync_all(),
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
                Err(error) => Err(error),
            })
        };
        let synced = tokio::task::spawn_blocking(sync).await;
        synced
            .map_err(StoreError::unavailable)?
            .map_err(StoreError::unavailable)
    }

    /// The names of a session's pictures, in order.
    ///
    /// # Errors
    /// If the store does not respond.
    pub async fn list_names(&self, session: &SessionId) -> Result<Vec<String>, StoreError> {
        let folder = session_folder(session);
        let mut names: Vec<String> = self
            .objects
            .list(Some(&folder))
            .map_ok(|picture| picture.location.filename().unwrap_or_default().to_owned())
            .try_collect()
            .await
            .map_err(unavailable)?;
        names.sort();
        Ok(names)
    }

    /// The sessions that have pictures in one of the 256 subfolders. A sweep compares them with the sessions that may have any.
    ///
    /// # Errors
    /// If the store does not respond.
    pub async fn list_sessions(&self, shelf: u8) -> Result<Vec<SessionId>, StoreError> {
        let shelf = ObjectPath::from(format!("{shelf:02x}"));
        let listed = self
            .objects
            .list_with_delimiter(Some(&shelf))
            .await
            .map_err(unavailable)?;
        let mut sessions: Vec<SessionId> = listed
            .common_prefixes
            .iter()
            .filter_map(|folder| SessionId::parse(folder.filename().unwrap_or_default()))
            .collect();
        sessions.sort();
        Ok(sessions)
    }

    /// Whether a picture can be stored, for the readiness check: there is space for one, and a small object is made durable.
    ///
    /// # Errors
    /// If it cannot.
    pub async fn check(&self) -> Result<(), StoreError> {
        let root = self.root.clone();
        let room = tokio::task::spawn_blocking(move || rustix::fs::statvfs(&root)).await;
        let room = room
            .map_err(StoreError::unavailable)?
            .map_err(StoreError::unavailable)?;
        if room.f_bavail.saturating_mul(room.f_frsize) < ROOM {
            return Err(StoreError::unavailable("there is no space for a picture"));
        }
        let check = ObjectPath::from(CHECK);
        let put = self.objects.put(&check, CHECK.into()).await;
        put.map(drop).map_err(unavailable)
    }
}

/// The subfolder follows from the id, so that a session's pictures are found without a listing.
fn session_folder(session: &SessionId) -> ObjectPath {
    let shelf = hex::encode(&Sha256::digest(session.as_str())[..1]);
    ObjectPath::from_iter([shelf.as_str(), session.as_str()])
}

/// The parent folder; the root is the last.
fn parent(folder: &ObjectPath) -> Option<ObjectPath> {
    let parts: Vec<_> = folder.parts().collect();
    let (_, above) = parts.split_last()?;
    Some(ObjectPath::from_iter(above.iter().cloned()))
}

fn picture_path(session: &SessionId, name: &str) -> Result<ObjectPath, StoreError> {
    let plain = name
        .bytes()
        .all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_'));
    if name.is_empty() || name.len() > 100 || !plain {
        return Err(StoreError::refused(
            "a picture's name may contain only lowercase letters, digits, - and _",
        ));
    }
    Ok(session_folder(session).join(name))
}

fn gone(result: Result<(), object_store::Error>) -> Result<(), StoreError> {
    match result {
        Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
        Err(error) => Err(unavailable(error)),
    }
}

fn unavailable(error: object_store::Error) -> StoreError {
    StoreError::unavailable(error)
}
