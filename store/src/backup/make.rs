//! Making a copy of a running installation.

use super::{
    BackupError, DATA, FileHash, Half, KEYS, MANIFEST, Manifest, PICTURES, PicturePlace, Progress, files, pictures,
    postgres, sqlite_options, verify,
};
use domain::time::Timestamp;
use sqlx::{ConnectOptions as _, Connection as _};
use std::{
    io,
    path::{Path, PathBuf},
    time::Duration,
};

/// Time-out for the lock of a database that is being written.
const TIMEOUT: Duration = Duration::from_secs(30);

/// What is copied.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// The main database.
    pub database_url: &'a str,
    /// The database of keys.
    pub keys_url: &'a str,
    /// The pictures.
    pub pictures: &'a PicturePlace,
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
    let copied = copy_database(source.database_url, data, Half::Data).await?;
    copied.put_in_place(data, &mut of_data)?;
    of_data.installation.clone_from(&copied.installation);

    let mut of_keys = Manifest::new(Half::Keys, now);
    of_keys.installation.clone_from(&of_data.installation);
    let copied = copy_database(source.keys_url, keys, Half::Keys).await?;

    let to = data.join(PICTURES);
    let pictures = match source.pictures {
        PicturePlace::Folder(folder) => copy_pictures(folder, &to, &mut of_data, progress)?,
        PicturePlace::Bucket(bucket) => {
            let found = pictures::download(bucket, &to, progress).await?;
            let count = found.len() as u64;
            let named = found
                .into_iter()
                .map(|(path, hash)| (format!("{PICTURES}/{path}"), hash));
            of_data.files.extend(named);
            count
        }
    };
    of_data.write(data)?;
    // The older copy of the keys is replaced once the new one is of use.
    copied.put_in_place(keys, &mut of_keys)?;
    of_keys.write(keys)?;
    Ok(pictures)
}

/// The files of a copied database, under names that end in `.new`.
struct Copied {
    files: Vec<(&'static str, FileHash)>,
    /// The oldest tenant of a main database.
    installation: Option<String>,
}

impl Copied {
    fn put_in_place(&self, folder: &Path, manifest: &mut Manifest) -> Result<(), BackupError> {
        for (name, hash) in &self.files {
            files::rename(&staged(folder, name), &folder.join(name))?;
            manifest.files.insert((*name).to_owned(), hash.clone());
        }
        Ok(())
    }
}

fn staged(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!("{name}.new"))
}

async fn copy_database(url: &str, folder: &Path, half: Half) -> Result<Copied, BackupError> {
    if postgres::is_address(url) {
        let (dump, ids) = (postgres::dump_of(half), postgres::ids_of(half));
        let dumped = postgres::copy(url, half, &staged(folder, dump), &staged(folder, ids)).await?;
        return Ok(Copied {
            files: vec![(dump, dumped.dump), (ids, dumped.ids)],
            installation: dumped.oldest_tenant,
        });
    }
    let name = match half {
        Half::Data => DATA,
        Half::Keys => KEYS,
    };
    let to = staged(folder, name);
    let copied = copy_sqlite(url, &to).await?;
    let installation = match half {
        Half::Data => verify::oldest_tenant(&to).await?,
        Half::Keys => None,
    };
    Ok(Copied {
        files: vec![(name, copied)],
        installation,
    })
}

/// Copies a SQLite database as it is at one moment, without free pages and without its log.
async fn copy_sqlite(url: &str, to: &Path) -> Result<FileHash, BackupError> {
    let options = sqlite_options(url)?;
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
