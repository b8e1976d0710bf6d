//! Where the pictures are that are copied or put back.

use super::{BackupError, FileHash, UNFINISHED, files};
use crate::{
    StoreError,
    capture::pictures::{Pictures, parse_path},
};
use bytes::Bytes;
use domain::ids::SessionId;
use futures::{StreamExt as _, stream};
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

/// Pictures that are downloaded at a time; each takes up to 16 MiB of memory.
const AT_ONCE: usize = 8;

/// Of something among the pictures.
pub(super) const STRANGE: &str = "is not a picture of a session; move it elsewhere";

/// Where the pictures are: in a folder, whose files are copied, or in a bucket.
#[derive(Clone, Debug)]
pub enum PicturePlace {
    /// A local folder.
    Folder(PathBuf),
    /// A bucket.
    Bucket(Pictures),
}

impl PicturePlace {
    /// The folder, if they are in one.
    pub(super) fn folder(&self) -> Option<&Path> {
        match self {
            Self::Folder(folder) => Some(folder),
            Self::Bucket(_) => None,
        }
    }
}

fn failed(about: &Path) -> impl Fn(StoreError) -> BackupError {
    move |error| BackupError::database(about, error)
}

fn in_bucket(error: StoreError) -> BackupError {
    failed(Path::new("bucket"))(error)
}

/// Copies every picture of a bucket into the folder `to`, laid out as a local folder of pictures is. Returns what was copied, by
/// path within it. A picture that is removed meanwhile belongs to somebody who was erased.
pub(super) async fn download(
    bucket: &Pictures,
    to: &Path,
    progress: super::Progress<'_>,
) -> Result<BTreeMap<String, FileHash>, BackupError> {
    let mut copied = BTreeMap::new();
    files::create_folder(to)?;
    for shelf in 0..=u8::MAX {
        let listed = bucket.list_all(shelf).await.map_err(failed(to))?;
        let pictures: Vec<_> = listed.iter().map(|path| known(path)).collect::<Result<_, _>>()?;
        let fetches = pictures.into_iter().map(|(session, name)| fetch(bucket, session, name));
        let mut fetched = stream::iter(fetches).buffer_unordered(AT_ONCE);
        while let Some(found) = fetched.next().await {
            let Some((session, name, picture)) = found.map_err(failed(to))? else {
                continue;
            };
            let path = format!("{shelf:02x}/{session}/{name}");
            let target = to.join(&path);
            let above = target.parent().unwrap_or(to);
            if !above.exists() {
                files::create_folder(above)?;
            }
            files::write(&target, &picture)?;
            copied.insert(path, files::hash(&target)?);
            progress(copied.len() as u64);
        }
    }
    Ok(copied)
}

/// The session and the name of a picture; anything else in its place is not passed over in silence.
pub(super) fn known(path: &str) -> Result<(SessionId, String), BackupError> {
    parse_path(path).ok_or_else(|| BackupError::unfit(Path::new(path), STRANGE))
}

async fn fetch(
    bucket: &Pictures,
    session: SessionId,
    name: String,
) -> Result<Option<(SessionId, String, Bytes)>, StoreError> {
    let found = bucket.find(&session, &name).await?;
    Ok(found.map(|picture| (session, name, picture)))
}

/// Puts one picture of a copy into a bucket. `path` is that within the folder of pictures.
pub(super) async fn upload(bucket: &Pictures, path: &str, from: &Path) -> Result<(), BackupError> {
    let (session, name) = known(path)?;
    let picture = std::fs::read(from).map_err(super::at(from))?;
    bucket.put(&session, &name, picture).await.map_err(failed(from))
}

/// Whether a bucket has no pictures.
pub(super) async fn is_empty(bucket: &Pictures) -> Result<bool, BackupError> {
    for shelf in 0..=u8::MAX {
        let listed = bucket.list_sessions(shelf).await.map_err(in_bucket)?;
        if !listed.is_empty() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether a copy is being put back into a bucket.
pub(super) async fn is_restoring(bucket: &Pictures) -> Result<bool, BackupError> {
    bucket.is_marked(UNFINISHED).await.map_err(in_bucket)
}

/// Marks a bucket: a copy is being put back into it.
pub(super) async fn begin_restoring(bucket: &Pictures) -> Result<(), BackupError> {
    bucket.mark(UNFINISHED).await.map_err(in_bucket)
}

/// Removes the mark from a bucket.
pub(super) async fn end_restoring(bucket: &Pictures) -> Result<(), BackupError> {
    bucket.unmark(UNFINISHED).await.map_err(in_bucket)
}
