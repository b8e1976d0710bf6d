//! Backups of an installation: created while it is running, verified, and restored.
//!
//! A backup is two halves that are kept apart, each in a folder or in a bucket, because together with the master key they reveal
//! everything: the main database with the pictures, and the keys. They are copied in that order, main database, pictures, keys: a key is
//! stored before its session, and a picture before its row, so that everything that a copied session refers to is in the copies made
//! after it, unless it was erased in the meantime. An erasure destroys the key before it deletes the pictures, so where a picture is
//! missing for that reason, the key is missing as well. So a copy of the keys also fits every older copy of the data, and takes from it
//! what was erased since. A picture that must not be kept, such as one of a My Number, is deleted on its own, after its row has ceased to
//! name it: where one is missing, the rows are read again.
//!
//! A half holds a manifest with the hash of each file, which is written last: a half without one is not finished. In the half
//! of keys, which always holds the newest copy of them, files are named after their content, so that writing the manifest replaces all
//! of the older copy at once. The manifest of the data is the very last: whatever interrupts it before, the older copies can be read, and
//! the copy can be made again into the same places.
//!
//! The keys can be copied alone, more often than the rest: a person who is erased between two copies of the keys would come back with the older one.
//!
//! One backup at a time changes a place of keys: a lock in a folder, or a mark in a bucket, keeps out others, which would remove the files
//! that it has copied but not yet named. Nothing is removed there before the manifest has been read again and everything that it names has
//! been found.

mod claim;
mod compare;
mod files;
#[cfg(test)]
mod fuzz;
mod make;
mod objects;
mod pictures;
mod place;
mod postgres;
mod put_back;
mod references;
#[cfg(test)]
mod tests;
mod verify;

pub use claim::Stale;
pub use make::{Gaps, Options, Source, make, make_keys};
pub use objects::Objects;
pub use pictures::PicturePlace;
pub use place::{Halves, KeysAlone, Place, remove_left};
pub use put_back::{DatabasePlace, GivenKeys, Target, UNFINISHED, put_back};
pub use verify::{Verified, verify};

use crate::capture::pictures::parse_path;
use domain::time::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use sqlx::sqlite::SqliteConnectOptions;
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt, io,
    path::{Component, Path, PathBuf},
    str::FromStr as _,
};

/// The file that lists the others.
const MANIFEST: &str = "manifest.json";
/// The main database in its folder.
const DATA: &str = "honnin.db";
/// The database of keys in its folder.
const KEYS: &str = "keys.db";
/// The folder of pictures beside the main database.
const PICTURES: &str = "pictures";
/// The ids of the keys of sessions that had been erased when the keys were copied.
const ERASED: &str = "erased-keys.txt";
/// The number of digits of its SHA-256 that a key file's name begins with.
const DIGEST_PREFIX: usize = 16;
/// The format of the manifests that are written.
const FORMAT: u32 = 2;
/// The format before that: files of keys were not named after their content, and erased sessions were not listed. Such copies can still be restored.
const EARLIER: u32 = 1;

/// Why a copy was not made, is not complete, or was not restored.
#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    /// A file or folder.
    #[error("{}: {source}", path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A database.
    #[error("{}: {reason}", path.display())]
    Database {
        /// Which file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// The copy differs from its manifest, or its halves do not belong together.
    #[error("{}: {reason}", path.display())]
    Unfit {
        /// The file or folder concerned.
        path: PathBuf,
        /// Why.
        reason: &'static str,
    },
    /// Something that the sessions of the copy refer to is missing.
    #[error("{}: {what} are missing whose sessions were not erased; the first of {count} is {first}", folder.display())]
    Missing {
        /// Where they should be.
        folder: PathBuf,
        /// Keys or pictures.
        what: &'static str,
        /// One of them.
        first: String,
        /// How many there are.
        count: usize,
    },
    /// The address of a database that is neither SQLite nor PostgreSQL.
    #[error("this is not the address of a database")]
    UnknownDatabase,
}

impl BackupError {
    fn unfit(path: &Path, reason: &'static str) -> Self {
        Self::Unfit {
            path: path.to_owned(),
            reason,
        }
    }

    fn database(path: &Path, reason: impl fmt::Display) -> Self {
        Self::Database {
            path: path.to_owned(),
            reason: reason.to_string(),
        }
    }
}

/// Names the file that an operation failed on.
fn at(path: &Path) -> impl FnOnce(io::Error) -> BackupError {
    let path = path.to_owned();
    move |source| BackupError::File { path, source }
}

/// The file of the SQLite database at this address.
fn sqlite_options(url: &str) -> Result<SqliteConnectOptions, BackupError> {
    if !url.starts_with("sqlite:") {
        return Err(BackupError::UnknownDatabase);
    }
    SqliteConnectOptions::from_str(url).map_err(|_| BackupError::UnknownDatabase)
}

/// Which half of a copy a place holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Half {
    Data,
    Keys,
}

/// What a half of a copy holds.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Manifest {
    format: u32,
    half: Half,
    /// The oldest tenant: halves with the same one belong together. `None` if there was none.
    installation: Option<String>,
    /// When the copy was begun, in milliseconds since 1970.
    begun_at: i64,
    /// The last entry of the audit log when this half was begun, which tells what was copied later even if a clock was wrong. Earlier versions do not
    /// note it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    last_entry: Option<i64>,
    /// By path within the folder.
    files: BTreeMap<String, FileHash>,
    /// Pictures or keys that the installation had lost before: they are not reported again.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    lost: BTreeSet<String>,
    /// Pictures that the installation deleted while the copy was made, because they must not be kept. The copied sessions still name them.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    deleted: BTreeSet<String>,
}

/// A file as it was copied.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct FileHash {
    bytes: u64,
    sha256: String,
}

impl Manifest {
    const fn new(half: Half, begun_at: Timestamp) -> Self {
        Self {
            format: FORMAT,
            half,
            installation: None,
            begun_at: begun_at.as_millis(),
            last_entry: None,
            files: BTreeMap::new(),
            lost: BTreeSet::new(),
            deleted: BTreeSet::new(),
        }
    }

    /// Parses a manifest, if everything that it names lies within its folder.
    fn parse(text: &[u8]) -> Result<Self, &'static str> {
        let manifest: Self = serde_json::from_slice(text).map_err(|_| "is not a manifest")?;
        if !matches!(manifest.format, EARLIER | FORMAT) {
            return Err("was written by another version of this program");
        }
        let are_good = |(name, file): (&String, &FileHash)| is_of_a_copy(name) && file.is_well_formed();
        if manifest.files.iter().all(are_good) {
            Ok(manifest)
        } else {
            Err("names a file that no backup has")
        }
    }

    /// Whether this half was copied before another one. By the clock, unless the audit log shows that the clock was wrong.
    fn is_before(&self, other: &Self) -> bool {
        let entries = self.last_entry.zip(other.last_entry);
        self.begun_at < other.begun_at && entries.is_none_or(|(mine, theirs)| mine <= theirs)
    }

    /// The name under which a file is stored. Those of keys are named after their content.
    fn stored_name(&self, name: &str) -> String {
        match self.files.get(name) {
            Some(file) if self.half == Half::Keys && self.format != EARLIER => file.with_digest(name),
            _ => name.to_owned(),
        }
    }

    /// Where a file lies.
    fn place(&self, folder: &Path, name: &str) -> PathBuf {
        folder.join(self.stored_name(name))
    }
}

impl FileHash {
    fn of(hash: Sha256, bytes: u64) -> Self {
        Self {
            bytes,
            sha256: hex::encode(hash.finalize()),
        }
    }

    fn of_bytes(content: &[u8]) -> Self {
        Self::of(Sha256::new_with_prefix(content), content.len() as u64)
    }

    /// Refuses a file that is missing or not what was copied; `path` names it.
    fn check(&self, path: &Path, found: Option<Self>) -> Result<(), BackupError> {
        match found {
            None => Err(BackupError::unfit(path, "is missing, but is in the manifest")),
            Some(found) if found != *self => Err(BackupError::unfit(path, "is damaged: it is not what was copied")),
            Some(_) => Ok(()),
        }
    }

    fn is_well_formed(&self) -> bool {
        self.sha256.len() == 64 && is_hexadecimal(&self.sha256)
    }

    fn with_digest(&self, name: &str) -> String {
        format!("{}-{name}", self.sha256.get(..DIGEST_PREFIX).unwrap_or_default())
    }
}

fn is_hexadecimal(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// The name of a file without the digits of its SHA-256 before it.
fn without_digest(name: &str) -> &str {
    match name.split_once('-') {
        Some((prefix, rest)) if prefix.len() == DIGEST_PREFIX && is_hexadecimal(prefix) => rest,
        _ => name,
    }
}

/// Whether a copy can contain a file with this name: a database, one of its auxiliary files, or something in the folder of pictures.
fn is_of_a_copy(name: &str) -> bool {
    let mut parts = Path::new(name).components();
    match parts.next() {
        Some(Component::Normal(first)) if first == PICTURES => {
            let mut inner = parts.peekable();
            inner.peek().is_some() && inner.all(|part| matches!(part, Component::Normal(_)))
        }
        _ => [Half::Data, Half::Keys].iter().any(|half| half.names().contains(&name)),
    }
}

impl Half {
    /// Every file that such a folder can have, beside its manifest and pictures.
    const fn names(self) -> [&'static str; 4] {
        match self {
            Self::Data => [
                DATA,
                postgres::dump_of(self),
                postgres::ids_of(self),
                postgres::PICTURES,
            ],
            Self::Keys => [KEYS, postgres::dump_of(self), postgres::ids_of(self), ERASED],
        }
    }
}

/// The path of a picture within its folder, by its name in a manifest. Copies of earlier versions may have other files there.
fn picture(name: &str) -> Option<&str> {
    let path = name.strip_prefix(PICTURES)?.strip_prefix('/')?;
    parse_path(path).map(|_| path)
}

/// How far a command has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Done {
    /// This many pictures or files.
    Files(u64),
    /// This many bytes of a database, to or from a bucket.
    Bytes {
        /// So far.
        done: u64,
        /// In all.
        of: u64,
    },
}

/// Called whenever a command has made progress.
pub type Progress<'a> = &'a mut (dyn FnMut(Done) + Send);
