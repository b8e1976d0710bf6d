//! Making a copy of a running installation.

use super::{BackupError, DATA, FileHash, Half, KEYS, MANIFEST, Manifest, PICTURES, Progress, files, verify};
use domain::time::Timestamp;
use sqlx::{ConnectOptions as _, Connection as _, sqlite::SqliteConnectOptions};
use std::{
    io,
    path::{Path, PathBuf},
    str::FromStr as _,
    time::Duration,
};

/// Time-out for the lock of a database that is being written.
const TIMEOUT: Duration = Duration::from_secs(30);

/// What is copied.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// The main database, `sqlite:..`.
    pub database_url: &'a str,
    /// The database of keys, `sqlite:..`.
    pub keys_url: &'a str,
    /// The folder of pictures.
    pub pictures: &'a Path,
}

/// Makes a copy: the data in the folder `data`, which must not hold one, and the keys in the folder `keys`, where an older copy of
/// them is replaced. Returns the number of pictures. If it was interrupted, it can be run again.
///
/// # Errors
/// [`BackupError`].
pub async fn make(
    source: Source<'_>,
    data: &Path,
    keys: &Path,
    now: Timestamp,
    progress: Progress<'_>,
) -> Result<u64, BackupError> {
    if data.join(MANIFEST).exists() {
        return Err(BackupError::unfit(data, "holds a copy already; choose a new folder"));
    }
    files::create_folder(data)?;
    files::create_folder(keys)?;
    if data.canonicalize().ok() == keys.canonicalize().ok() {
        return Err(BackupError::unfit(
            keys,
            "is the folder of the data; keys are kept in a folder of their own",
        ));
    }
    let mut of_data = Manifest::new(Half::Data, now);
    let copied = copy_database(source.database_url, &data.join(DATA)).await?;
    of_data.files.insert(DATA.to_owned(), copied);
    of_data.installation = verify::oldest_tenant(&data.join(DATA)).await?;

    let mut of_keys = Manifest::new(Half::Keys, now);
    of_keys.installation.clone_from(&of_data.installation);
    let staged = keys.join("keys.db.new");
    let copied = copy_database(source.keys_url, &staged).await?;
    of_keys.files.insert(KEYS.to_owned(), copied);

    let pictures = copy_pictures(source.pictures, &data.join(PICTURES), &mut of_data, progress)?;
    of_data.write(data)?;
    // The older copy of the keys is replaced once the new one is of use.
    files::rename(&staged, &keys.join(KEYS))?;
    of_keys.write(keys)?;
    Ok(pictures)
}

/// The file of a SQLite database by its address.
///
/// # Errors
/// [`BackupError::NotSqlite`].
pub fn sqlite_file(url: &str) -> Result<PathBuf, BackupError> {
    options(url).map(|options| options.get_filename().to_owned())
}

fn options(url: &str) -> Result<SqliteConnectOptions, BackupError> {
    if !url.starts_with("sqlite:") {
        return Err(BackupError::NotSqlite);
    }
    SqliteConnectOptions::from_str(url).map_err(|_| BackupError::NotSqlite)
}

/// Copies a SQLite database as it is at one moment, without free pages and without its log.
async fn copy_database(url: &str, to: &Path) -> Result<FileHash, BackupError> {
    let options = options(url)?;
    let from = options.get_filename().to_owned();
    let failed = |error: sqlx::Error| BackupError::database(&from, error);
    files::remove(to)?;
    let mut connection = options
        .read_only(true)
        .busy_timeout(TIMEOUT)
        .connect()
        .await
        .map_err(failed)?;
    let name = to
        .to_str()
        .ok_or_else(|| BackupError::unfit(to, "is not valid UTF-8"))?;
    let copied = sqlx::query("VACUUM INTO $1").bind(name).execute(&mut connection).await;
    copied.map_err(failed)?;
    connection.close().await.map_err(failed)?;
    restrict(to)?;
    files::hash(to)
}

/// SQLite creates files for everybody that the process's mask allows.
fn restrict(path: &Path) -> Result<(), BackupError> {
    let file = std::fs::File::open(path).map_err(super::at(path))?;
    #[cfg(unix)]
    {
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o600);
        file.set_permissions(mode).map_err(super::at(path))?;
    }
    file.sync_all().map_err(super::at(path))
}

/// Copies every picture; one that is removed meanwhile belongs to somebody who was erased.
fn copy_pictures(from: &Path, to: &Path, manifest: &mut Manifest, progress: Progress<'_>) -> Result<u64, BackupError> {
    let (mut done, mut folders) = (0, std::collections::BTreeSet::<PathBuf>::new());
    files::create_folder(to)?;
    for picture in files::below(from)? {
        let Some(name) = picture.to_str().filter(|name| !is_unfinished(name)) else {
            continue;
        };
        let target = to.join(&picture);
        let folder = target.parent().unwrap_or(to);
        if folders.insert(folder.to_owned()) {
            files::create_folder(folder)?;
        }
        match files::copy(&from.join(&picture), &target) {
            Ok(copied) => drop(manifest.files.insert(format!("{PICTURES}/{name}"), copied)),
            Err(BackupError::File { path, source })
                if path.starts_with(from) && source.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        done += 1;
        progress(done);
    }
    folders.iter().try_for_each(|folder| files::sync_folder(folder))?;
    Ok(done)
}

/// The object store writes a picture under a name with `#` until it is whole.
fn is_unfinished(name: &str) -> bool {
    name.contains('#')
}
