//! Encrypted pictures in the object store: a local folder by default, or a bucket. They are encrypted before they get here; names reveal
//! nothing about a person. Pictures are in 256 subfolders, so that no folder grows with the number of sessions and a sweep can
//! go through them one by one.

use crate::{
    StoreError,
    capture::bucket::{self, Bucket},
    folders::{self, create_durably},
};
use bytes::{Bytes, BytesMut};
use domain::{ids::SessionId, time::Timestamp};
use futures::TryStreamExt;
use object_store::{GetResult, ObjectStore, ObjectStoreExt, local::LocalFileSystem, path::Path as ObjectPath};
use sha2::{Digest, Sha256};
use std::{
    collections::HashSet,
    io::ErrorKind,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::time::timeout;

/// Bytes that must be free: the largest accepted picture has 10 MiB, and the databases may be on the same disk.
const ROOM: u64 = 16 << 20;
/// The largest object that is read: the largest accepted picture, and what encryption adds to it, with room to spare. A larger one was
/// not stored by this program.
const LARGEST: u64 = 16 << 20;
/// Time-out of one operation on a bucket, with its retries. A folder has none.
const TIME_LIMIT: Duration = Duration::from_secs(60);
/// How many sessions' folders are remembered as durable; any other folder is synced again.
const REMEMBERED: usize = 4096;
/// The object that the readiness check stores, beside the subfolders.
pub(crate) const CHECK: &str = "check";

/// The object store with the pictures of all sessions. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Pictures {
    objects: Arc<dyn ObjectStore>,
    place: Place,
    durable: Arc<Mutex<Durable>>,
}

/// Where the objects are.
#[derive(Clone, Debug)]
enum Place {
    /// In a local folder. Removals reach the disk only once their folders are synced, which the object store does not do.
    Folder(Root),
    /// In the bucket of this name.
    Bucket(String),
}

/// A local folder, and the disk that it was on when it was opened.
#[derive(Clone, Debug)]
struct Root {
    path: PathBuf,
    disk: u64,
}

/// The folders whose names this process knows to be durable. A folder that was there already may have been created a moment ago, for
/// another picture or by a process that was killed, and not be synced yet.
#[derive(Debug, Default)]
struct Durable {
    /// They are never removed.
    shelves: HashSet<ObjectPath>,
    /// At most [`REMEMBERED`].
    sessions: HashSet<SessionId>,
}

impl Pictures {
    /// Pictures in a local folder, which is created if missing, accessible to its owner only.
    ///
    /// # Errors
    /// If the folder cannot be created.
    pub fn in_folder(folder: &Path) -> Result<Self, StoreError> {
        create_durably(folder).map_err(StoreError::unavailable)?;
        let disk = folders::disk_of(folder).map_err(StoreError::unavailable)?;
        let files = LocalFileSystem::new_with_prefix(folder).map_err(unavailable)?;
        // An acknowledged picture survives a power cut: the file, and the folders that were created for it, are synced before `put`
        // returns.
        Ok(Self {
            objects: Arc::new(files.with_fsync(true)),
            place: Place::Folder(Root {
                path: folder.to_owned(),
                disk,
            }),
            durable: Arc::default(),
        })
    }

    /// Pictures in a bucket. Nothing is sent until it is used.
    ///
    /// # Errors
    /// If the settings of the bucket are not usable.
    pub fn in_bucket(bucket: &Bucket) -> Result<Self, StoreError> {
        Ok(Self {
            objects: bucket.open()?,
            place: Place::Bucket(bucket.name.clone()),
            durable: Arc::default(),
        })
    }

    /// The name of the bucket that they are in, if they are in one.
    pub(crate) fn bucket(&self) -> Option<&str> {
        match &self.place {
            Place::Folder(_) => None,
            Place::Bucket(name) => Some(name),
        }
    }

    /// The folder that they are in, if they are in one.
    const fn root(&self) -> Option<&Root> {
        match &self.place {
            Place::Folder(root) => Some(root),
            Place::Bucket(_) => None,
        }
    }

    /// Runs one operation of the object store.
    async fn within<T>(
        &self,
        operation: impl Future<Output = Result<T, object_store::Error>>,
    ) -> Result<T, StoreError> {
        if self.root().is_some() {
            return operation.await.map_err(unavailable);
        }
        let ended = timeout(TIME_LIMIT, operation).await;
        ended.map_err(StoreError::unavailable)?.map_err(unavailable)
    }

    /// Stores an encrypted picture durably, replacing one with the same name.
    ///
    /// # Errors
    /// If the name is malformed or the store does not respond.
    pub async fn put(&self, session: &SessionId, name: &str, sealed: Vec<u8>) -> Result<(), StoreError> {
        let path = picture_path(session, name)?;
        // Storing would create it.
        self.refuse_missing_folder().await?;
        self.within(self.objects.put(&path, sealed.into())).await?;
        self.make_durable(session).await
    }

    /// Makes the name of a session's folder durable, and that of its shelf.
    async fn make_durable(&self, session: &SessionId) -> Result<(), StoreError> {
        let Some(shelf) = parent(&session_folder(session)).filter(|_| self.root().is_some()) else {
            return Ok(());
        };
        let mut folders = vec![shelf.clone()];
        {
            let durable = self.durable();
            if durable.sessions.contains(session) {
                return Ok(());
            }
            if !durable.shelves.contains(&shelf) {
                folders.push(ObjectPath::default());
            }
        }
        self.sync(folders).await?;
        let mut durable = self.durable();
        durable.shelves.insert(shelf);
        if durable.sessions.len() >= REMEMBERED {
            durable.sessions.clear();
        }
        durable.sessions.insert(session.clone());
        Ok(())
    }

    fn durable(&self) -> MutexGuard<'_, Durable> {
        self.durable.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An encrypted picture, or `None` if there is none with this name.
    ///
    /// # Errors
    /// If the name is malformed or the store does not respond.
    pub async fn find(&self, session: &SessionId, name: &str) -> Result<Option<Bytes>, StoreError> {
        let path = picture_path(session, name)?;
        let found = async {
            Ok(match self.get(&path).await? {
                Some(found) => Some(read(found).await),
                None => None,
            })
        };
        let found = self.within(found).await?;
        if found.is_none() {
            self.refuse_missing_folder().await?;
        }
        found.transpose()
    }

    /// An object, or `None` if there is none.
    async fn get(&self, path: &ObjectPath) -> Result<Option<GetResult>, object_store::Error> {
        match self.objects.get(path).await {
            Ok(found) => Ok(Some(found)),
            Err(error) if self.is_absence(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Whether an error says that there is no such object.
    fn is_absence(&self, error: &object_store::Error) -> bool {
        let is_local = self.root().is_some() && matches!(error, object_store::Error::NotFound { .. });
        is_local || bucket::is_absence(error)
    }

    /// Refuses to look into a folder that is not there, or not on the disk on which it was opened. If its disk is not mounted, the folder
    /// in its place is empty: every picture would count as absent or removed, and new ones would be hidden once it is mounted.
    async fn refuse_missing_folder(&self) -> Result<(), StoreError> {
        let Some(Root { path, disk }) = self.root().cloned() else {
            return Ok(());
        };
        let found = tokio::task::spawn_blocking(move || folders::disk_of(&path)).await;
        match found.map_err(StoreError::unavailable)? {
            Ok(found) if found == disk => Ok(()),
            Ok(_) => Err(StoreError::unavailable(
                "the folder of pictures is on another disk than at the start",
            )),
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                Err(StoreError::unavailable("the folder of pictures is missing"))
            }
            Err(error) => Err(StoreError::unavailable(format_args!(
                "the folder of pictures cannot be looked at: {error}"
            ))),
        }
    }

    /// Removes one picture durably; a missing one is not an error.
    ///
    /// # Errors
    /// If the name is malformed or the store does not respond.
    pub async fn delete(&self, session: &SessionId, name: &str) -> Result<(), StoreError> {
        let path = picture_path(session, name)?;
        self.refuse_missing_folder().await?;
        self.remove(&path).await?;
        self.sync(vec![session_folder(session)]).await
    }

    /// Removes all pictures of a session, durably. Returns how many there were.
    ///
    /// # Errors
    /// If the store does not respond. Some may be gone then: retry.
    pub async fn delete_session(&self, session: &SessionId) -> Result<usize, StoreError> {
        self.refuse_missing_folder().await?;
        let folder = session_folder(session);
        let found: Vec<_> = self.within(self.objects.list(Some(&folder)).try_collect()).await?;
        for picture in &found {
            self.remove(&picture.location).await?;
        }
        self.durable().sessions.remove(session);
        self.remove_folder(session).await?;
        self.sync(parent(&folder).into_iter().collect()).await?;
        Ok(found.len())
    }

    /// Removes one object; a missing one is not an error.
    async fn remove(&self, path: &ObjectPath) -> Result<(), StoreError> {
        let removed = async {
            match self.objects.delete(path).await {
                Err(error) if !self.is_absence(&error) => Err(error),
                _ => Ok(()),
            }
        };
        self.within(removed).await
    }

    /// Removes a session's local folder with what the object store does not list: an incomplete file left by a crash.
    async fn remove_folder(&self, session: &SessionId) -> Result<(), StoreError> {
        let Some(root) = self.root() else { return Ok(()) };
        let folder = root.path.join(session_folder(session).as_ref());
        let removed = tokio::task::spawn_blocking(move || std::fs::remove_dir_all(folder)).await;
        match removed.map_err(StoreError::unavailable)? {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(StoreError::unavailable(error)),
            _ => Ok(()),
        }
    }

    /// Syncs those of the local folders that exist.
    async fn sync(&self, folders: Vec<ObjectPath>) -> Result<(), StoreError> {
        let Some(root) = self.root() else { return Ok(()) };
        let folders: Vec<PathBuf> = folders.iter().map(|folder| root.path.join(folder.as_ref())).collect();
        let sync = move || {
            folders.iter().try_for_each(|folder| match folders::sync(folder) {
                Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
                synced => synced,
            })
        };
        let synced = tokio::task::spawn_blocking(sync).await;
        synced
            .map_err(StoreError::unavailable)?
            .map_err(StoreError::unavailable)
    }

    /// The names of a session's pictures, in order. However many objects there are, only those of the session are listed.
    ///
    /// # Errors
    /// If the store does not respond.
    pub async fn list_names(&self, session: &SessionId) -> Result<Vec<String>, StoreError> {
        self.refuse_missing_folder().await?;
        let folder = session_folder(session);
        let listed = self.objects.list(Some(&folder));
        let names = listed.map_ok(|picture| picture.location.filename().unwrap_or_default().to_owned());
        let mut names: Vec<String> = self.within(names.try_collect()).await?;
        names.sort();
        Ok(names)
    }

    /// The sessions that have pictures in one of the 256 subfolders. A sweep compares them with the sessions that may have any.
    ///
    /// # Errors
    /// If the store does not respond.
    pub async fn list_sessions(&self, shelf: u8) -> Result<Vec<SessionId>, StoreError> {
        self.refuse_missing_folder().await?;
        let shelf = ObjectPath::from(format!("{shelf:02x}"));
        let listed = self.within(self.objects.list_with_delimiter(Some(&shelf))).await?;
        let mut sessions: Vec<SessionId> = listed
            .common_prefixes
            .iter()
            .filter_map(|folder| SessionId::parse(folder.filename().unwrap_or_default()))
            .collect();
        sessions.sort();
        Ok(sessions)
    }

    /// When the newest of a session's pictures was stored, by the clock of the store; `None` if it has none.
    ///
    /// # Errors
    /// If the store does not respond.
    pub async fn find_newest(&self, session: &SessionId) -> Result<Option<Timestamp>, StoreError> {
        self.refuse_missing_folder().await?;
        let folder = session_folder(session);
        let listed = self.objects.list(Some(&folder));
        let times = listed.map_ok(|picture| Timestamp::from_millis(picture.last_modified.timestamp_millis()));
        let times: Vec<_> = self.within(times.try_collect()).await?;
        Ok(times.into_iter().max())
    }

    /// The paths of everything in one of the 256 subfolders, for a copy of it. [`parse_path`] says whether one is a picture's.
    ///
    /// # Errors
    /// If the store does not respond.
    pub async fn list_all(&self, shelf: u8) -> Result<Vec<String>, StoreError> {
        self.refuse_missing_folder().await?;
        let folder = ObjectPath::from(format!("{shelf:02x}"));
        let listed = self.objects.list(Some(&folder));
        let paths = listed.map_ok(|object| object.location.to_string());
        self.within(paths.try_collect()).await
    }

    /// Whether a picture can be stored, for the readiness check: there is space for one, and a small object is made durable.
    ///
    /// # Errors
    /// If it cannot.
    pub async fn check(&self) -> Result<(), StoreError> {
        // Storing would create it.
        self.refuse_missing_folder().await?;
        if let Some(root) = self.root().cloned() {
            let free = tokio::task::spawn_blocking(move || folders::free_bytes(&root.path)).await;
            let free = free
                .map_err(StoreError::unavailable)?
                .map_err(StoreError::unavailable)?;
            if free < ROOM {
                return Err(StoreError::unavailable("there is no space for a picture"));
            }
        }
        self.mark(CHECK).await
    }

    /// Stores a marker beside the subfolders: an object that carries no information except its existence.
    pub(crate) async fn mark(&self, name: &'static str) -> Result<(), StoreError> {
        let path = ObjectPath::from(name);
        self.within(self.objects.put(&path, name.into())).await.map(drop)
    }

    /// Removes what [`Pictures::mark`] has stored.
    pub(crate) async fn unmark(&self, name: &str) -> Result<(), StoreError> {
        self.remove(&ObjectPath::from(name)).await
    }

    /// Whether the marker that [`Pictures::mark`] stores exists.
    pub(crate) async fn is_marked(&self, name: &str) -> Result<bool, StoreError> {
        let path = ObjectPath::from(name);
        self.within(self.get(&path)).await.map(|found| found.is_some())
    }
}

/// The whole object, and nothing that is larger or shorter than the store said.
async fn read(found: GetResult) -> Result<Bytes, StoreError> {
    let size = found.meta.size;
    if size > LARGEST {
        return Err(StoreError::unavailable("an object is too large to be a picture"));
    }
    let mut bytes = BytesMut::with_capacity(usize::try_from(size).unwrap_or_default());
    let mut parts = found.into_stream();
    while let Some(part) = parts.try_next().await.map_err(unavailable)? {
        bytes.extend_from_slice(&part);
        if bytes.len() as u64 > size {
            break;
        }
    }
    if bytes.len() as u64 == size {
        Ok(bytes.freeze())
    } else {
        Err(StoreError::unavailable("an object is not as long as the store said"))
    }
}

/// The subfolder follows from the id, so that a session's pictures are found without a listing.
fn session_folder(session: &SessionId) -> ObjectPath {
    let shelf = hex::encode(&Sha256::digest(session.as_str())[..1]);
    ObjectPath::from_iter([shelf.as_str(), session.as_str()])
}

/// The path of a picture below the folder, or below the prefix of the bucket.
///
/// # Errors
/// If the name is malformed.
pub fn path_of(session: &SessionId, name: &str) -> Result<String, StoreError> {
    picture_path(session, name).map(String::from)
}

/// The session and the name of the picture with this path; `None` if no picture is ever stored there.
#[must_use]
pub fn parse_path(path: &str) -> Option<(SessionId, String)> {
    let mut parts = path.split('/').skip(1);
    let (session, name) = (SessionId::parse(parts.next()?)?, parts.next()?);
    (path_of(&session, name).ok()? == path).then(|| (session, name.to_owned()))
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

fn unavailable(error: object_store::Error) -> StoreError {
    StoreError::unavailable(error)
}
