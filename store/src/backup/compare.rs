//! Whether a copy contains everything that its sessions refer to: their keys and their pictures.

use super::{
    BackupError, DATA, ERASED, Half, KEYS, Manifest, PICTURES, at, postgres,
    references::{CAPTURES, Captured, KEYS_IN_USE, KEYS_STORED, Picture, pictures_of},
};
use crate::vault::DataKeyId;
use sqlx::{ConnectOptions as _, Connection as _, SqliteConnection, sqlite::SqliteConnectOptions};
use std::{collections::BTreeSet, path::Path};

/// What the sessions of a copy refer to.
struct Sessions {
    keys: BTreeSet<DataKeyId>,
    pictures: Vec<Picture>,
}

/// What was found in a copy, and what was not.
#[derive(Debug, Default)]
pub(super) struct Compared {
    /// Sessions whose personal data can be read.
    pub(super) readable: u64,
    /// Sessions that were erased after they were copied.
    pub(super) erased_since: u64,
    /// Keys of sessions that were not erased.
    pub(super) lost_keys: BTreeSet<String>,
    /// Pictures of sessions that were not erased, by path within the folder of pictures.
    pub(super) lost_pictures: BTreeSet<String>,
}

impl Compared {
    /// Refuses a copy from which something is missing.
    pub(super) fn refuse_gaps(&self, data: &Path, keys: &Path) -> Result<(), BackupError> {
        let pictures = data.join(PICTURES);
        for (folder, what, lost) in [
            (keys, "keys", &self.lost_keys),
            (&pictures, "pictures", &self.lost_pictures),
        ] {
            if let Some(first) = lost.first() {
                return Err(BackupError::Missing {
                    folder: folder.to_owned(),
                    what,
                    first: first.clone(),
                    count: lost.len(),
                });
            }
        }
        Ok(())
    }

    /// Refuses a copy that has the key of no session, even where gaps are noted: its keys, which are those of another database or none, would
    /// replace the older copy of them, and that may be all that is left.
    pub(super) fn refuse_keys_of_nobody(&self) -> Result<(), BackupError> {
        if self.readable > 0 || self.lost_keys.is_empty() {
            return Ok(());
        }
        Err(BackupError::unfit(
            Path::new("database.keys_url"),
            "has the key of no session, so it is not the database that belongs to database.url; the earlier copy of the keys is left as it is",
        ))
    }
}

/// Compares the sessions of a copy with its keys and pictures. A key may be missing if its session was erased by the time the keys were
/// copied, and a picture if its key is. What a manifest calls lost or deleted is not missed again.
pub(super) async fn compare(data: (&Path, &Manifest), keys: (&Path, &Manifest)) -> Result<Compared, BackupError> {
    let (of_data, of_keys) = (data.1, keys.1);
    let sessions = sessions_of(data.0, of_data).await?;
    let (stored, erased) = (stored_keys(keys.0, of_keys).await?, erased_keys(keys.0, of_keys)?);
    let mut compared = Compared::default();
    for key in &sessions.keys {
        if stored.contains(key) {
            compared.readable += 1;
        } else if erased.as_ref().is_none_or(|erased| erased.contains(key)) {
            compared.erased_since += 1;
        } else if !of_keys.lost.contains(key.as_str()) {
            compared.lost_keys.insert(key.to_string());
        }
    }
    let missed = sessions.pictures.into_iter().filter(|picture| {
        stored.contains(&picture.key)
            && !of_data.files.contains_key(&format!("{PICTURES}/{}", picture.path))
            && !of_data.lost.contains(&picture.path)
            && !of_data.deleted.contains(&picture.path)
    });
    compared.lost_pictures = missed.map(|picture| picture.path).collect();
    Ok(compared)
}

/// Compares the keys in use with a copy of keys, as [`compare`] does.
pub(super) async fn compare_keys(in_use: Vec<String>, keys: (&Path, &Manifest)) -> Result<Compared, BackupError> {
    let (stored, erased) = (stored_keys(keys.0, keys.1).await?, erased_keys(keys.0, keys.1)?);
    let mut compared = Compared::default();
    for key in in_use {
        let id = DataKeyId::parse(&key);
        let is_in = |ids: &BTreeSet<DataKeyId>| id.as_ref().is_some_and(|id| ids.contains(id));
        if is_in(&stored) {
            compared.readable += 1;
        } else if erased.as_ref().is_some_and(is_in) {
            compared.erased_since += 1;
        } else if !keys.1.lost.contains(&key) {
            compared.lost_keys.insert(key);
        }
    }
    Ok(compared)
}

async fn sessions_of(folder: &Path, manifest: &Manifest) -> Result<Sessions, BackupError> {
    if !manifest.files.contains_key(DATA) {
        return dumped_sessions(folder, manifest).await;
    }
    let path = manifest.place(folder, DATA);
    let failed = |error: sqlx::Error| BackupError::database(&path, error);
    let mut database = open(&path).await?;
    let keys: Vec<String> = sqlx::query_scalar(KEYS_IN_USE)
        .fetch_all(&mut database)
        .await
        .map_err(failed)?;
    let captures: Vec<Captured> = sqlx::query_as(CAPTURES)
        .fetch_all(&mut database)
        .await
        .map_err(failed)?;
    database.close().await.map_err(failed)?;
    Ok(Sessions {
        keys: parsed(&path, keys.iter().map(String::as_str))?,
        pictures: pictures_of(&path, &captures)?,
    })
}

/// From the lists beside a dump of PostgreSQL, which must be readable.
async fn dumped_sessions(folder: &Path, manifest: &Manifest) -> Result<Sessions, BackupError> {
    postgres::check(&manifest.place(folder, postgres::dump_of(Half::Data))).await?;
    let keys = list(&manifest.place(folder, postgres::ids_of(Half::Data)))?;
    let pictures = if manifest.files.contains_key(postgres::PICTURES) {
        let path = manifest.place(folder, postgres::PICTURES);
        let pictures: Option<_> = read(&path)?.lines().map(Picture::parse).collect();
        pictures.ok_or_else(|| BackupError::database(&path, "a malformed line"))?
    } else {
        Vec::new()
    };
    Ok(Sessions { keys, pictures })
}

/// Opens a database of a copy without changing anything, and without looking at all of it.
pub(super) async fn connect(path: &Path) -> Result<SqliteConnection, BackupError> {
    let options = SqliteConnectOptions::new()
        .filename(path)
        .read_only(true)
        .immutable(true);
    let connection = options.connect().await;
    connection.map_err(|error| BackupError::database(path, error))
}

/// Opens a database of a copy without changing anything, if it is intact.
pub(super) async fn open(path: &Path) -> Result<SqliteConnection, BackupError> {
    let mut connection = connect(path).await?;
    let found: String = sqlx::query_scalar("PRAGMA quick_check(1)")
        .fetch_one(&mut connection)
        .await
        .map_err(|error| BackupError::database(path, error))?;
    if found == "ok" {
        Ok(connection)
    } else {
        Err(BackupError::database(path, found))
    }
}

async fn stored_keys(folder: &Path, manifest: &Manifest) -> Result<BTreeSet<DataKeyId>, BackupError> {
    if !manifest.files.contains_key(KEYS) {
        postgres::check(&manifest.place(folder, postgres::dump_of(Half::Keys))).await?;
        return list(&manifest.place(folder, postgres::ids_of(Half::Keys)));
    }
    let path = manifest.place(folder, KEYS);
    let failed = |error: sqlx::Error| BackupError::database(&path, error);
    let mut database = open(&path).await?;
    let found: Vec<String> = sqlx::query_scalar(KEYS_STORED)
        .fetch_all(&mut database)
        .await
        .map_err(failed)?;
    database.close().await.map_err(failed)?;
    parsed(&path, found.iter().map(String::as_str))
}

/// `None` if the copy does not say who had been erased.
fn erased_keys(folder: &Path, manifest: &Manifest) -> Result<Option<BTreeSet<DataKeyId>>, BackupError> {
    let is_known = manifest.files.contains_key(ERASED);
    is_known.then(|| list(&manifest.place(folder, ERASED))).transpose()
}

fn read(path: &Path) -> Result<String, BackupError> {
    std::fs::read_to_string(path).map_err(at(path))
}

fn list(path: &Path) -> Result<BTreeSet<DataKeyId>, BackupError> {
    parsed(path, read(path)?.lines())
}

fn parsed<'a>(path: &Path, ids: impl Iterator<Item = &'a str>) -> Result<BTreeSet<DataKeyId>, BackupError> {
    ids.map(DataKeyId::parse)
        .collect::<Option<_>>()
        .ok_or_else(|| BackupError::database(path, "a malformed key id"))
}
