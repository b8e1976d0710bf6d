//! The place of the pictures that are copied or restored.

use super::{BackupError, Done, FileHash, PICTURES, UNFINISHED, files, place::Place};
use crate::{
    StoreError,
    capture::pictures::{CHECK, Pictures, parse_path},
};
use bytes::Bytes;
use domain::ids::SessionId;
use futures::{StreamExt as _, stream};
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

/// Pictures that are on their way to a bucket or from it at a time; each takes up to 16 MiB of memory.
const AT_ONCE: usize = 8;

/// Of something among the pictures.
const STRANGE: &str = "is not a picture of a session; move it elsewhere";

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

    /// The name of the bucket, if they are in one.
    pub(super) fn bucket(&self) -> Option<&str> {
        match self {
            Self::Folder(_) => None,
            Self::Bucket(bucket) => bucket.bucket(),
        }
    }

    /// The parts in which they are listed: all at once in a folder, each of the subfolders in a bucket.
    fn shelves(&self) -> Vec<Option<u8>> {
        match self {
            Self::Folder(_) => vec![None],
            Self::Bucket(_) => (0..=u8::MAX).map(Some).collect(),
        }
    }

    /// The paths of the pictures in one of the [parts](Self::shelves).
    async fn list(&self, shelf: Option<u8>) -> Result<Vec<String>, BackupError> {
        let paths = match self {
            Self::Folder(folder) => return list_folder(folder),
            Self::Bucket(bucket) => bucket.list_all(shelf.unwrap_or_default()).await.map_err(in_bucket)?,
        };
        paths.iter().try_for_each(|path| known(path).map(drop))?;
        Ok(paths)
    }

    /// A picture by its path; `None` if it is no longer there.
    async fn read(&self, path: &str) -> Result<Option<Bytes>, BackupError> {
        match self {
            Self::Folder(folder) => Ok(files::read_if_any(&folder.join(path))?.map(Bytes::from)),
            Self::Bucket(bucket) => {
                let (session, name) = known(path)?;
                bucket.find(&session, &name).await.map_err(in_bucket)
            }
        }
    }
}

fn in_bucket(error: StoreError) -> BackupError {
    BackupError::database(Path::new("bucket"), error)
}

/// The paths of the pictures in a folder.
pub(super) fn list_folder(folder: &Path) -> Result<Vec<String>, BackupError> {
    let mut paths = Vec::new();
    for picture in files::below_where(folder, is_opened)? {
        let path = picture.to_str().unwrap_or_default();
        if path == CHECK || is_unfinished(path) {
            continue;
        }
        known(path).map_err(|_| BackupError::unfit(&folder.join(&picture), STRANGE))?;
        paths.push(path.to_owned());
    }
    Ok(paths)
}

/// At the top, only folders named by two hexadecimal digits have pictures below them. Another one is named instead of what is in it, which
/// may be a lot, or out of reach.
fn is_opened(folder: &Path) -> bool {
    let is_at_the_top = folder.components().count() == 1;
    let name = folder.as_os_str().as_encoded_bytes();
    !is_at_the_top || name.len() == 2 && name.iter().all(u8::is_ascii_hexdigit)
}

/// The object store writes a picture under a name with `#` until it is whole.
fn is_unfinished(name: &str) -> bool {
    name.contains('#')
}

/// The session and the name of a picture; anything else in its place is not passed over in silence.
fn known(path: &str) -> Result<(SessionId, String), BackupError> {
    parse_path(path).ok_or_else(|| BackupError::unfit(Path::new(path), STRANGE))
}

/// Copies every picture, from a bucket or to one. Returns what was copied, by path within the pictures. A picture that is removed meanwhile
/// belongs to somebody who was erased.
pub(super) async fn copy(
    from: &PicturePlace,
    to: &Place,
    progress: super::Progress<'_>,
) -> Result<BTreeMap<String, FileHash>, BackupError> {
    let mut copied = BTreeMap::new();
    if let Place::Folder(folder) = to {
        files::create_folder(&folder.join(PICTURES))?;
    }
    for shelf in from.shelves() {
        let paths = from.list(shelf).await?;
        let each = paths.into_iter().map(|path| copy_one(from, to, path));
        let mut each = stream::iter(each).buffer_unordered(AT_ONCE);
        while let Some(done) = each.next().await {
            if let Some((path, hash)) = done? {
                copied.insert(path, hash);
                progress(Done::Files(copied.len() as u64));
            }
        }
    }
    Ok(copied)
}

/// `None` if the picture is no longer there.
async fn copy_one(from: &PicturePlace, to: &Place, path: String) -> Result<Option<(String, FileHash)>, BackupError> {
    let Some(picture) = from.read(&path).await? else {
        return Ok(None);
    };
    let hash = FileHash::of_bytes(&picture);
    let name = format!("{PICTURES}/{path}");
    match to {
        Place::Folder(folder) => write(&folder.join(name), &picture)?,
        Place::Bucket(objects) => objects.write(&name, picture).await?,
    }
    Ok(Some((path, hash)))
}

/// Writes a picture and, if necessary, the folders that it is in.
fn write(path: &Path, picture: &[u8]) -> Result<(), BackupError> {
    let above = path.parent().unwrap_or(path);
    if !files::exists(above)? {
        files::create_folder(above)?;
    }
    files::write(path, picture)
}

/// Puts pictures of a copy back, from a bucket or to one. Each is given by its path within the pictures.
pub(super) async fn put_back(
    from: &Place,
    pictures: impl Iterator<Item = (&str, &FileHash)>,
    to: &PicturePlace,
    progress: super::Progress<'_>,
) -> Result<(), BackupError> {
    let each = pictures.map(|(path, copied)| put_one(from, path, copied, to));
    let mut each = stream::iter(each).buffer_unordered(AT_ONCE);
    let mut count = 0;
    while let Some(done) = each.next().await {
        done?;
        count += 1;
        progress(Done::Files(count));
    }
    Ok(())
}

async fn put_one(from: &Place, path: &str, copied: &FileHash, to: &PicturePlace) -> Result<(), BackupError> {
    let name = format!("{PICTURES}/{path}");
    let shown = from.shown().join(&name);
    let picture = match from {
        Place::Folder(_) => files::read_if_any(&shown)?.map(Bytes::from),
        Place::Bucket(objects) => objects.read(&name).await?,
    };
    // It was checked before, but a bucket may be somebody else's.
    copied.check(&shown, picture.as_deref().map(FileHash::of_bytes))?;
    let picture = picture.unwrap_or_default();
    match to {
        PicturePlace::Folder(folder) => write(&folder.join(path), &picture),
        PicturePlace::Bucket(bucket) => {
            let (session, name) = known(path)?;
            let put = bucket.put(&session, &name, picture.into()).await;
            put.map_err(|error| BackupError::database(&shown, error))
        }
    }
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
