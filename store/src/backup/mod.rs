//! Copies of an installation: made while it is running, verified, and put back.
//!
//! A copy is two folders that are kept apart, because together with the master key they reveal everything: the main database with
//! the pictures, and the keys. The databases are copied in that order, and the pictures last: a key is stored before its session,
//! and a picture before its row, so that everything that a copied session refers to is in the copies made after it, unless it was
//! erased in the meantime. So a copy of the keys also fits every older copy of the data, and takes from it what was erased since.
//!
//! A folder holds a manifest with the hash of each file, which is written last: a folder without one is not a finished copy.

mod files;
mod make;
mod pictures;
mod postgres;
mod put_back;
mod verify;

pub use make::{Source, make};
pub use pictures::PicturePlace;
pub use put_back::{DatabasePlace, Target, UNFINISHED, put_back};
pub use verify::{Verified, verify};

use domain::time::Timestamp;
use serde::{Deserialize, Serialize};
use sqlx::sqlite::SqliteConnectOptions;
use std::{
    collections::BTreeMap,
    fmt, io,
    path::{Path, PathBuf},
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
/// Of manifests; another one is refused.
const FORMAT: u32 = 1;

/// Why a copy was not made, is not whole, or was not put back.
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
    /// The copy is not what its manifest says, or its halves do not fit.
    #[error("{}: {reason}", path.display())]
    Unfit {
        /// The file or folder concerned.
        path: PathBuf,
        /// Why.
        reason: &'static str,
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

/// The file of a SQLite database by its address.
fn sqlite_options(url: &str) -> Result<SqliteConnectOptions, BackupError> {
    if !url.starts_with("sqlite:") {
        return Err(BackupError::UnknownDatabase);
    }
    SqliteConnectOptions::from_str(url).map_err(|_| BackupError::UnknownDatabase)
}

/// Which half of a copy a folder holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Half {
    Data,
    Keys,
}

/// What a folder of a copy holds.
#[derive(Debug, Serialize, Deserialize)]
struct Manifest {
    format: u32,
    half: Half,
    /// The oldest tenant: halves with the same one belong together. `None` if there was none.
    installation: Option<String>,
    /// When the copy was begun, in milliseconds since 1970.
    begun_at: i64,
    /// By path within the folder.
    files: BTreeMap<String, FileHash>,
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
            files: BTreeMap::new(),
        }
    }

    fn read(folder: &Path, half: Half) -> Result<Self, BackupError> {
        let path = folder.join(MANIFEST);
        let text = match std::fs::read(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(BackupError::unfit(&path, "is missing: the copy was not finished"));
            }
            text => text.map_err(at(&path))?,
        };
        let manifest: Self =
            serde_json::from_slice(&text).map_err(|_| BackupError::unfit(&path, "is not a manifest"))?;
        if manifest.format != FORMAT {
            return Err(BackupError::unfit(
                &path,
                "was written by another version of this program",
            ));
        }
        if manifest.half != half {
            return Err(BackupError::unfit(folder, "holds the other half of a copy"));
        }
        Ok(manifest)
    }

    fn write(&self, folder: &Path) -> Result<(), BackupError> {
        let path = folder.join(MANIFEST);
        let text = serde_json::to_vec_pretty(self).map_err(|error| BackupError::database(&path, error))?;
        files::write(&path, &text)
    }
}

/// How far it is: pictures done so far.
pub type Progress<'a> = &'a mut (dyn FnMut(u64) + Send);
