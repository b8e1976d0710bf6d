//! A half of a copy as objects in a bucket. Only a piece of a file, or a few pictures, are in memory at a time.

use super::{BackupError, Done, FileHash, Progress, files};
use crate::capture::bucket::{self, Bucket};
use bytes::Bytes;
use domain::time::Timestamp;
use futures::{StreamExt as _, TryStreamExt as _, stream};
use object_store::{ObjectStore, ObjectStoreExt as _, PutMode, PutOptions, path::Path as ObjectPath};
use sha2::{Digest as _, Sha256};
use std::{
    collections::BTreeMap,
    fmt,
    fs::File,
    io::{self, Read as _, Write as _},
    path::{Path, PathBuf},
    sync::Arc,
};

/// A file that is larger is sent in parts of at least this size.
const PART: u64 = 8 << 20;
/// S3 takes 10,000 parts of one object.
const MAX_PARTS: u64 = 9_000;
/// Objects that are removed at a time.
const AT_ONCE: usize = 8;

/// Objects of a bucket, below a prefix. Cheap to clone.
#[derive(Clone)]
pub struct Objects {
    store: Arc<dyn ObjectStore>,
    bucket: String,
    /// As people see it, such as `s3://bucket/prefix`.
    address: PathBuf,
}

impl fmt::Debug for Objects {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.address.display())
    }
}

impl Objects {
    /// Those of a bucket. Nothing is sent until they are used.
    ///
    /// # Errors
    /// If the settings of the bucket are not usable.
    pub fn in_bucket(bucket: &Bucket) -> Result<Self, BackupError> {
        let address = Path::new("s3://").join(&bucket.name).join(&bucket.prefix);
        let store = bucket.open().map_err(|error| BackupError::database(&address, error))?;
        Ok(Self {
            store,
            bucket: bucket.name.clone(),
            address,
        })
    }

    /// Those of a store of a test.
    #[cfg(test)]
    pub(super) fn in_store(store: Arc<dyn ObjectStore>) -> Self {
        Self {
            store,
            bucket: "memory".into(),
            address: "s3://memory".into(),
        }
    }

    /// The name of the bucket.
    pub(super) fn bucket(&self) -> &str {
        &self.bucket
    }

    /// As people see it.
    pub(super) fn address(&self) -> &Path {
        &self.address
    }

    fn failed(&self, name: &str) -> impl Fn(object_store::Error) -> BackupError {
        let path = self.address.join(name);
        move |error| BackupError::database(&path, error)
    }

    /// The names of everything below a folder, or of everything there is.
    pub(super) async fn names(&self, folder: Option<&str>) -> Result<Vec<String>, BackupError> {
        let folder = folder.map(ObjectPath::from);
        let listed = self.store.list(folder.as_ref());
        let names = listed.map_ok(|object| object.location.to_string());
        names.try_collect().await.map_err(self.failed(""))
    }

    /// The sizes of everything there is, in bytes, by name.
    pub(super) async fn sizes(&self) -> Result<BTreeMap<String, u64>, BackupError> {
        let listed = self.store.list(None);
        let sizes = listed.map_ok(|object| (object.location.to_string(), object.size));
        sizes.try_collect().await.map_err(self.failed(""))
    }

    /// Whether there is nothing.
    pub(super) async fn is_empty(&self) -> Result<bool, BackupError> {
        let first = self.store.list(None).try_next().await;
        first.map(|found| found.is_none()).map_err(self.failed(""))
    }

    /// An object that is small enough for memory, or `None` if there is none.
    pub(super) async fn read(&self, name: &str) -> Result<Option<Bytes>, BackupError> {
        let found = self.read_dated(name).await?;
        Ok(found.map(|(content, _)| content))
    }

    /// The same, and when it was stored, by the clock of the server.
    pub(super) async fn read_dated(&self, name: &str) -> Result<Option<(Bytes, Timestamp)>, BackupError> {
        let Some(found) = self.get(name).await? else {
            return Ok(None);
        };
        let at = Timestamp::from_millis(found.meta.last_modified.timestamp_millis());
        let content = found.bytes().await.map_err(self.failed(name))?;
        Ok(Some((content, at)))
    }

    async fn get(&self, name: &str) -> Result<Option<object_store::GetResult>, BackupError> {
        match self.store.get(&ObjectPath::from(name)).await {
            Ok(found) => Ok(Some(found)),
            Err(error) if bucket::is_absence(&error) => Ok(None),
            Err(error) => Err(self.failed(name)(error)),
        }
    }

    /// The hash of an object, whose bytes are given to `each`; `None` if there is no such object. No more is read than is `expected`.
    pub(super) async fn pass(
        &self,
        name: &str,
        expected: u64,
        mut each: impl FnMut(&[u8]) -> Result<(), BackupError>,
    ) -> Result<Option<FileHash>, BackupError> {
        let Some(found) = self.get(name).await? else {
            return Ok(None);
        };
        let (mut parts, mut hash, mut bytes) = (found.into_stream(), Sha256::new(), 0);
        while let Some(part) = parts.try_next().await.map_err(self.failed(name))? {
            hash.update(&part);
            bytes += part.len() as u64;
            each(&part)?;
            if bytes > expected {
                break;
            }
        }
        Ok(Some(FileHash::of(hash, bytes)))
    }

    /// Fetches an object into a file; `None` if there is no such object.
    pub(super) async fn fetch(
        &self,
        name: &str,
        (expected, to): (u64, &Path),
        progress: Progress<'_>,
    ) -> Result<Option<FileHash>, BackupError> {
        let mut file = files::create(to).map_err(super::at(to))?;
        let mut done = 0;
        self.pass(name, expected, |part| {
            done += part.len() as u64;
            progress(Done::Bytes { done, of: expected });
            file.write_all(part).map_err(super::at(to))
        })
        .await
    }

    /// Stores a small object.
    pub(super) async fn write(&self, name: &str, content: Bytes) -> Result<(), BackupError> {
        files::reach(&self.address.join(name))?;
        let stored = self.store.put(&ObjectPath::from(name), content.into()).await;
        stored.map(drop).map_err(self.failed(name))
    }

    /// Stores a small object unless there is one with this name already. Returns whether it was stored. A server that does not know such
    /// requests replaces what is there: whoever depends on it reads it again.
    pub(super) async fn create(&self, name: &str, content: Bytes) -> Result<bool, BackupError> {
        files::reach(&self.address.join(name))?;
        let options = PutOptions::from(PutMode::Create);
        match self
            .store
            .put_opts(&ObjectPath::from(name), content.into(), options)
            .await
        {
            Err(object_store::Error::AlreadyExists { .. }) => Ok(false),
            stored => stored.map(|_| true).map_err(self.failed(name)),
        }
    }

    /// Stores a file, in parts if it is large. An object appears only when all of it has been sent.
    pub(super) async fn send(&self, name: &str, from: &Path, progress: Progress<'_>) -> Result<(), BackupError> {
        let mut file = File::open(from).map_err(super::at(from))?;
        let of = file.metadata().map_err(super::at(from))?.len();
        if of <= PART {
            let content = next_part(&mut file, PART).map_err(super::at(from))?;
            return self.write(name, content).await;
        }
        files::reach(&self.address.join(name))?;
        let part = PART.max(of.div_ceil(MAX_PARTS));
        let failed = self.failed(name);
        let mut upload = self
            .store
            .put_multipart(&ObjectPath::from(name))
            .await
            .map_err(&failed)?;
        let sent = async {
            let mut done = 0;
            while done < of {
                let content = next_part(&mut file, part).map_err(super::at(from))?;
                if content.is_empty() {
                    return Err(super::at(from)(io::ErrorKind::UnexpectedEof.into()));
                }
                done += content.len() as u64;
                upload.put_part(content.into()).await.map_err(&failed)?;
                progress(Done::Bytes { done, of });
            }
            upload.complete().await.map(drop).map_err(&failed)
        }
        .await;
        if sent.is_err() {
            // What is left of it is not an object, but the server keeps it. If this fails too, a rule of the bucket removes it.
            drop(upload.abort().await);
        }
        sent
    }

    /// Removes objects; missing ones are not an error.
    pub(super) async fn remove(&self, names: impl IntoIterator<Item = String>) -> Result<(), BackupError> {
        let removals = names.into_iter().map(async |name| {
            files::reach(&self.address.join(&name))?;
            match self.store.delete(&ObjectPath::from(name.as_str())).await {
                Err(error) if !bucket::is_absence(&error) => Err(self.failed(&name)(error)),
                _ => Ok(()),
            }
        });
        stream::iter(removals).buffer_unordered(AT_ONCE).try_collect().await
    }
}

/// At most `length` bytes, and fewer only at the end.
fn next_part(file: &mut File, length: u64) -> io::Result<Bytes> {
    let mut part = Vec::new();
    file.take(length).read_to_end(&mut part)?;
    Ok(part.into())
}
