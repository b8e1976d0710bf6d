//! Whether a copy is whole, and whether its halves fit.

use super::{BackupError, DATA, FileHash, Half, KEYS, Manifest, PICTURES, Progress, at, files, postgres};
use crate::vault::DataKeyId;
use domain::time::Timestamp;
use sqlx::{ConnectOptions as _, Connection as _, SqliteConnection, sqlite::SqliteConnectOptions};
use std::{collections::BTreeSet, path::Path};

/// What a whole copy contains.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verified {
    /// When the copy of the data was begun.
    pub data_begun_at: Timestamp,
    /// When the copy of the keys was begun.
    pub keys_begun_at: Timestamp,
    /// Sessions whose personal data can be read.
    pub readable: u64,
    /// Sessions that were erased after the data was copied: their keys are gone.
    pub erased_since: u64,
    /// Pictures.
    pub pictures: u64,
}

/// Checks every file against its manifest, both databases, and that the keys are those of the data.
///
/// # Errors
/// [`BackupError`], with the first file that is not as it should be.
pub async fn verify(data: &Path, keys: &Path, progress: Progress<'_>) -> Result<Verified, BackupError> {
    let (of_data, of_keys) = (Manifest::read(data, Half::Data)?, Manifest::read(keys, Half::Keys)?);
    if of_keys.installation != of_data.installation {
        return Err(BackupError::unfit(keys, "holds the keys of another installation"));
    }
    if of_keys.begun_at < of_data.begun_at {
        return Err(BackupError::unfit(
            keys,
            "is older than the copy of the data: keys of its newest sessions are missing, and erased people would come back",
        ));
    }
    check_files(keys, &of_keys, &mut |_| ())?;
    check_files(data, &of_data, progress)?;
    let (sessions, known) = (session_keys(data, &of_data).await?, stored_keys(keys, &of_keys).await?);
    let readable = sessions.iter().filter(|key| known.contains(*key)).count();
    Ok(Verified {
        data_begun_at: Timestamp::from_millis(of_data.begun_at),
        keys_begun_at: Timestamp::from_millis(of_keys.begun_at),
        readable: readable as u64,
        erased_since: (sessions.len() - readable) as u64,
        pictures: of_data.files.keys().filter(|name| is_picture(name)).count() as u64,
    })
}

fn check_files(folder: &Path, manifest: &Manifest, progress: Progress<'_>) -> Result<(), BackupError> {
    for (done, (name, copied)) in (1..).zip(&manifest.files) {
        check_file(&folder.join(name), copied)?;
        progress(done);
    }
    for path in files::below(&folder.join(PICTURES))? {
        let name = format!("{PICTURES}/{}", path.display());
        if !manifest.files.contains_key(&name) {
            return Err(BackupError::unfit(
                &folder.join(name),
                "is not in the manifest: it belongs to another copy",
            ));
        }
    }
    Ok(())
}

fn check_file(path: &Path, copied: &FileHash) -> Result<(), BackupError> {
    if !path.exists() {
        return Err(BackupError::unfit(path, "is missing, but is in the manifest"));
    }
    if files::hash(path)? == *copied {
        Ok(())
    } else {
        Err(BackupError::unfit(path, "is damaged: it is not what was copied"))
    }
}

/// Opens a database of a copy without changing anything.
async fn open(path: &Path) -> Result<SqliteConnection, BackupError> {
    let options = SqliteConnectOptions::new()
        .filename(path)
        .read_only(true)
        .immutable(true);
    let mut connection = options
        .connect()
        .await
        .map_err(|error| BackupError::database(path, error))?;
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

/// Whether a file of a copy is a picture.
fn is_picture(name: &str) -> bool {
    name.strip_prefix(PICTURES).is_some_and(|rest| rest.starts_with('/'))
}

/// The keys of the sessions that were not erased when they were copied.
async fn session_keys(folder: &Path, manifest: &Manifest) -> Result<BTreeSet<DataKeyId>, BackupError> {
    if manifest.files.contains_key(DATA) {
        return ids(
            &folder.join(DATA),
            "SELECT data_key FROM sessions WHERE purged_at IS NULL",
        )
        .await;
    }
    listed(folder, Half::Data).await
}

async fn stored_keys(folder: &Path, manifest: &Manifest) -> Result<BTreeSet<DataKeyId>, BackupError> {
    if manifest.files.contains_key(KEYS) {
        return ids(&folder.join(KEYS), "SELECT id FROM data_keys").await;
    }
    listed(folder, Half::Keys).await
}

/// The ids beside a dump of PostgreSQL, which must be readable.
async fn listed(folder: &Path, half: Half) -> Result<BTreeSet<DataKeyId>, BackupError> {
    postgres::check(&folder.join(postgres::dump_of(half))).await?;
    let path = folder.join(postgres::ids_of(half));
    let text = std::fs::read_to_string(&path).map_err(at(&path))?;
    parsed(&path, text.lines())
}

fn parsed<'a>(path: &Path, ids: impl Iterator<Item = &'a str>) -> Result<BTreeSet<DataKeyId>, BackupError> {
    ids.map(DataKeyId::parse)
        .collect::<Option<_>>()
        .ok_or_else(|| BackupError::database(path, "a malformed key id"))
}

/// Names the installation that a main database belongs to.
pub(super) async fn oldest_tenant(path: &Path) -> Result<Option<String>, BackupError> {
    let failed = |error: sqlx::Error| BackupError::database(path, error);
    let mut connection = open(path).await?;
    let found = sqlx::query_scalar("SELECT id FROM tenants ORDER BY created_at, id LIMIT 1")
        .fetch_optional(&mut connection)
        .await
        .map_err(failed)?;
    connection.close().await.map_err(failed)?;
    Ok(found)
}

async fn ids(path: &Path, statement: &'static str) -> Result<BTreeSet<DataKeyId>, BackupError> {
    let failed = |error: sqlx::Error| BackupError::database(path, error);
    let mut connection = open(path).await?;
    let found: Vec<String> = sqlx::query_scalar(statement)
        .fetch_all(&mut connection)
        .await
        .map_err(failed)?;
    connection.close().await.map_err(failed)?;
    parsed(path, found.iter().map(String::as_str))
}
