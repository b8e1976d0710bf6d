//! Where the halves of a copy are kept: in folders, or as objects of buckets. The contents of a bucket, except the pictures, pass through
//! a folder on this machine with the same layout, because databases are read and written as files.

use super::{BackupError, FileHash, Half, MANIFEST, Manifest, PICTURES, Progress, files, objects::Objects, picture};
use rustix::{
    fs::{FlockOperation, flock},
    io::Errno,
};
use std::{
    collections::BTreeMap,
    fs::File,
    io,
    path::{Path, PathBuf},
};

/// The folder for what is in buckets, within the one that is given for it.
const STAGED: &str = "backup-staged";

/// Where a half of a copy is kept.
#[derive(Clone, Debug)]
pub enum Place {
    /// In a folder.
    Folder(PathBuf),
    /// In a bucket.
    Bucket(Objects),
}

/// Where the two halves of a copy are kept.
#[derive(Clone, Debug)]
pub struct Halves {
    /// The sessions and pictures.
    pub data: Place,
    /// The keys.
    pub keys: Place,
    /// The folder of this machine through which databases get into a bucket and out of it. They are removed from it in the end.
    pub scratch: PathBuf,
}

/// Where the keys are kept that are copied alone.
#[derive(Clone, Debug)]
pub struct KeysAlone {
    /// The keys.
    pub keys: Place,
    /// The folder of this machine through which a database gets into a bucket. It is removed from it in the end.
    pub scratch: PathBuf,
}

impl KeysAlone {
    /// Prepares the folder of this machine.
    pub(super) fn stage(&self) -> Result<StagedAlone<'_>, BackupError> {
        let scratch = match self.keys {
            Place::Folder(_) => None,
            Place::Bucket(_) => Some(Scratch::new(&self.scratch)?),
        };
        Ok(StagedAlone {
            part: Part::new(&self.keys, scratch.as_ref(), "keys")?,
            _scratch: scratch,
        })
    }
}

impl Halves {
    /// Both halves in folders.
    #[must_use]
    pub fn in_folders(data: &Path, keys: &Path) -> Self {
        Self {
            data: Place::Folder(data.to_owned()),
            keys: Place::Folder(keys.to_owned()),
            scratch: PathBuf::new(),
        }
    }

    /// Prepares the folders of this machine.
    pub(super) fn stage(&self) -> Result<Staged<'_>, BackupError> {
        let is_local = |place: &Place| matches!(place, Place::Folder(_));
        let scratch = if is_local(&self.data) && is_local(&self.keys) {
            None
        } else {
            Some(Scratch::new(&self.scratch)?)
        };
        Ok(Staged {
            data: Part::new(&self.data, scratch.as_ref(), "data")?,
            keys: Part::new(&self.keys, scratch.as_ref(), "keys")?,
            _scratch: scratch,
        })
    }
}

impl Place {
    /// As people see it.
    pub(super) fn shown(&self) -> &Path {
        match self {
            Self::Folder(folder) => folder,
            Self::Bucket(objects) => objects.address(),
        }
    }

    /// The name of the bucket, if it is in one.
    pub(super) fn bucket(&self) -> Option<&str> {
        match self {
            Self::Folder(_) => None,
            Self::Bucket(objects) => Some(objects.bucket()),
        }
    }

    /// Whether there is a small file with this name.
    pub(super) async fn has(&self, name: &str) -> Result<bool, BackupError> {
        match self {
            Self::Folder(folder) => files::exists(&folder.join(name)),
            Self::Bucket(objects) => Ok(objects.read(name).await?.is_some()),
        }
    }

    pub(super) async fn is_empty(&self) -> Result<bool, BackupError> {
        match self {
            Self::Folder(folder) => Ok(files::names(folder)?.is_empty()),
            Self::Bucket(objects) => objects.is_empty().await,
        }
    }

    /// The names of what is directly in it; other programs' files may have names that are not text.
    pub(super) async fn names(&self) -> Result<Vec<String>, BackupError> {
        Ok(self.sizes().await?.into_keys().collect())
    }

    /// The same, with the size of each in bytes.
    pub(super) async fn sizes(&self) -> Result<BTreeMap<String, u64>, BackupError> {
        match self {
            Self::Folder(folder) => files::sizes(folder),
            Self::Bucket(objects) => objects.sizes().await,
        }
    }

    /// Creates a marker: an empty file whose existence is all that it says.
    pub(super) async fn mark(&self, name: &str) -> Result<(), BackupError> {
        match self {
            Self::Folder(folder) => files::mark(&folder.join(name)),
            Self::Bucket(objects) => objects.write(name, "unfinished".into()).await,
        }
    }

    /// Removes files that may not exist.
    pub(super) async fn remove(&self, names: impl IntoIterator<Item = String>) -> Result<(), BackupError> {
        match self {
            Self::Folder(folder) => {
                names
                    .into_iter()
                    .try_for_each(|name| files::remove(&folder.join(name)))?;
                files::sync_folder(folder)
            }
            Self::Bucket(objects) => objects.remove(names).await,
        }
    }

    pub(super) async fn remove_pictures(&self) -> Result<(), BackupError> {
        match self {
            Self::Folder(folder) => files::remove_folder(&folder.join(PICTURES)),
            Self::Bucket(objects) => objects.remove(objects.names(Some(PICTURES)).await?).await,
        }
    }

    /// The names of all pictures, as a manifest has them.
    pub(super) async fn pictures(&self) -> Result<Vec<String>, BackupError> {
        match self {
            Self::Folder(folder) => {
                let pictures = folder.join(PICTURES);
                if !files::exists(&pictures)? {
                    return Ok(Vec::new());
                }
                let below = files::below(&pictures)?.into_iter();
                Ok(below.map(|path| format!("{PICTURES}/{}", path.display())).collect())
            }
            Self::Bucket(objects) => objects.names(Some(PICTURES)).await,
        }
    }

    /// The hash of a file of this many bytes; `None` if it is missing.
    pub(super) async fn hash(&self, name: &str, bytes: u64) -> Result<Option<FileHash>, BackupError> {
        match self {
            Self::Folder(folder) => {
                let path = folder.join(name);
                files::exists(&path)?.then(|| files::hash(&path)).transpose()
            }
            Self::Bucket(objects) => objects.pass(name, bytes, |_| Ok(())).await,
        }
    }

    /// The manifest of this half, if there is one.
    pub(super) async fn find_manifest(&self, half: Half) -> Result<Option<Manifest>, BackupError> {
        let Some(text) = self.read(MANIFEST).await? else {
            return Ok(None);
        };
        let refused = |reason| BackupError::unfit(&self.shown().join(MANIFEST), reason);
        let manifest = Manifest::parse(&text).map_err(refused)?;
        if manifest.half != half {
            return Err(BackupError::unfit(self.shown(), "holds the other half of a backup"));
        }
        Ok(Some(manifest))
    }

    /// A small file, or `None` if it is missing.
    async fn read(&self, name: &str) -> Result<Option<Vec<u8>>, BackupError> {
        match self {
            Self::Folder(folder) => files::read_if_any(&folder.join(name)),
            Self::Bucket(objects) => Ok(objects.read(name).await?.map(Vec::from)),
        }
    }
}

/// The halves of a copy while it is made, verified or put back.
pub(super) struct Staged<'a> {
    pub(super) data: Part<'a>,
    pub(super) keys: Part<'a>,
    _scratch: Option<Scratch>,
}

/// One half of a copy while it is made.
pub(super) struct StagedAlone<'a> {
    pub(super) part: Part<'a>,
    _scratch: Option<Scratch>,
}

/// A half of a copy.
pub(super) struct Part<'a> {
    pub(super) place: &'a Place,
    /// The folder of this machine with its databases and lists: the place itself, if that is a folder.
    pub(super) local: PathBuf,
}

impl<'a> Part<'a> {
    fn new(place: &'a Place, scratch: Option<&Scratch>, name: &str) -> Result<Self, BackupError> {
        let local = match (place, scratch) {
            (Place::Bucket(_), Some(scratch)) => scratch.folder(name)?,
            (place, _) => place.shown().to_owned(),
        };
        Ok(Self { place, local })
    }

    pub(super) async fn read_manifest(&self, half: Half) -> Result<Manifest, BackupError> {
        let unfinished = || {
            let path = self.place.shown().join(MANIFEST);
            BackupError::unfit(&path, "is missing: there is no finished backup here")
        };
        self.place.find_manifest(half).await?.ok_or_else(unfinished)
    }

    pub(super) async fn write_manifest(&self, manifest: &Manifest) -> Result<(), BackupError> {
        let path = self.place.shown().join(MANIFEST);
        let text = serde_json::to_vec_pretty(manifest).map_err(|error| BackupError::database(&path, error))?;
        match self.place {
            Place::Folder(_) => files::write(&path, &text),
            Place::Bucket(objects) => objects.write(MANIFEST, text.into()).await,
        }
    }

    /// Sends the databases and lists that are in the local folder to where they are kept.
    pub(super) async fn keep(&self, manifest: &Manifest, progress: Progress<'_>) -> Result<(), BackupError> {
        let Place::Bucket(objects) = self.place else {
            return Ok(());
        };
        for name in manifest.files.keys() {
            let (from, name) = (manifest.place(&self.local, name), manifest.stored_name(name));
            objects.send(&name, &from, progress).await?;
        }
        Ok(())
    }

    /// Checks the databases and lists against their manifest, and brings them to the local folder.
    pub(super) async fn fetch(&self, manifest: &Manifest, progress: Progress<'_>) -> Result<(), BackupError> {
        for (name, copied) in manifest.files.iter().filter(|(name, _)| picture(name).is_none()) {
            let stored = manifest.stored_name(name);
            let found = match self.place {
                Place::Folder(_) => self.place.hash(&stored, copied.bytes).await?,
                Place::Bucket(objects) => {
                    let to = manifest.place(&self.local, name);
                    objects.fetch(&stored, (copied.bytes, &to), progress).await?
                }
            };
            copied.check(&self.place.shown().join(stored), found)?;
        }
        Ok(())
    }
}

/// A folder of this machine that is emptied in the end, and before it is used again if a process was killed.
struct Scratch {
    folder: PathBuf,
    /// The one that was created for it.
    created: Option<PathBuf>,
    /// Held while it is used.
    _lock: File,
}

impl Scratch {
    fn new(within: &Path) -> Result<Self, BackupError> {
        let created = (!files::exists(within)?).then(|| within.to_owned());
        let folder = within.join(STAGED);
        files::create_folder(&folder)?;
        let lock = File::open(&folder).map_err(super::at(&folder))?;
        match flock(&lock, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {}
            Err(Errno::WOULDBLOCK) => {
                return Err(BackupError::unfit(&folder, "is used by another command for a backup"));
            }
            Err(error) => return Err(super::at(&folder)(error.into())),
        }
        for name in files::names(&folder)? {
            files::remove_folder(&folder.join(name))?;
        }
        Ok(Self {
            folder,
            created,
            _lock: lock,
        })
    }

    fn folder(&self, name: &str) -> Result<PathBuf, BackupError> {
        let folder = self.folder.join(name);
        files::create_folder(&folder)?;
        Ok(folder)
    }
}

/// Removes what a command that was killed has left within the folder of this machine through which databases get into a bucket and out of it: keys,
/// which would outlive the erasure of those they belong to. A command that is running keeps what it has.
///
/// # Errors
/// If it cannot be removed.
pub fn remove_left(within: &Path) -> Result<(), BackupError> {
    let folder = within.join(STAGED);
    let lock = match File::open(&folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        opened => opened.map_err(super::at(&folder))?,
    };
    match flock(&lock, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => files::remove_folder(&folder),
        Err(Errno::WOULDBLOCK) => Ok(()),
        Err(error) => Err(super::at(&folder)(error.into())),
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What cannot be removed now is removed before it is used again.
        drop(std::fs::remove_dir_all(&self.folder));
        if let Some(created) = &self.created {
            // If it is empty.
            drop(std::fs::remove_dir(created));
        }
    }
}
