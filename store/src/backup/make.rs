//! Making a copy of a running installation.

use super::{
    BackupError, DATA, ERASED, FileHash, Half, KEYS, MANIFEST, Manifest, PICTURES, PicturePlace, Progress,
    compare::compare, files, pictures, postgres, references::KEYS_ERASED, sqlite_options, verify, without_digest,
};
use crate::capture::pictures::CHECK;
use domain::time::Timestamp;
use sqlx::{ConnectOptions as _, Connection as _};
use std::{
    collections::{BTreeMap, BTreeSet},
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

/// The file in a folder of data while it is filled. With it, the copy is begun again; without it, nothing that is in the folder is touched.
const UNFINISHED: &str = "copy-unfinished";

/// What is copied although something is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gaps {
    /// Nothing: it is an error if a session that was not erased has no key or lacks a picture.
    Refuse,
    /// What there is. The copy notes what was lost, and verifies.
    Note,
}

/// Makes a copy: the data in the folder `data`, which must be empty, and the keys in the folder `keys`, where an older copy of
/// them is replaced. Returns the number of pictures. If it was interrupted, it can be run again with the same folders.
///
/// # Errors
/// [`BackupError`].
pub async fn make(
    source: Source<'_>,
    (data, keys): (&Path, &Path),
    gaps: Gaps,
    now: Timestamp,
    progress: Progress<'_>,
) -> Result<u64, BackupError> {
    begin(source, data, keys)?;
    let mut of_data = Manifest::new(Half::Data, now);
    let copied = copy_database(source.database_url, data, Half::Data).await?;
    copied.put_in_place(data, &mut of_data)?;
    of_data.installation = copied.installation;

    let to = data.join(PICTURES);
    let pictures = match source.pictures {
        PicturePlace::Folder(folder) => copy_pictures(folder, &to, progress)?,
        PicturePlace::Bucket(bucket) => pictures::download(bucket, &to, progress).await?,
    };
    let count = pictures.len() as u64;
    let named = pictures
        .into_iter()
        .map(|(path, hash)| (format!("{PICTURES}/{path}"), hash));
    of_data.files.extend(named);

    let mut of_keys = Manifest::new(Half::Keys, now);
    of_keys.installation.clone_from(&of_data.installation);
    let mut copied = copy_database(source.keys_url, keys, Half::Keys).await?;
    // After the keys: whoever is erased is marked as erased before the key is destroyed.
    copied
        .files
        .push((ERASED, list_erased(source.database_url, keys).await?));
    copied.put_in_place(keys, &mut of_keys)?;

    let compared = compare((data, &of_data), (keys, &of_keys)).await?;
    if gaps == Gaps::Refuse {
        compared.refuse_gaps(data, keys)?;
    }
    (of_data.lost, of_keys.lost) = (compared.lost_pictures, compared.lost_keys);
    // Replaces the older copy of the keys, whose files are of no use from then on.
    of_keys.write(keys)?;
    remove_others(keys, &of_keys)?;
    of_data.write(data)?;
    files::remove(&data.join(UNFINISHED))?;
    files::sync_folder(data)?;
    Ok(count)
}

/// Prepares the folders, and removes what an interrupted copy has left in them.
fn begin(source: Source<'_>, data: &Path, keys: &Path) -> Result<(), BackupError> {
    files::create_folder(data)?;
    files::create_folder(keys)?;
    let real = |path: &Path| path.canonicalize().ok();
    if real(data) == real(keys) {
        return Err(BackupError::unfit(
            keys,
            "is the folder of the data; keys are kept in a folder of their own",
        ));
    }
    for url in [source.database_url, source.keys_url] {
        let file = if postgres::is_address(url) {
            continue;
        } else {
            sqlite_options(url)?
        };
        let folder = file.get_filename().parent().and_then(real);
        if let Some(taken) = [data, keys].into_iter().find(|path| real(path) == folder) {
            return Err(BackupError::unfit(taken, "is a folder of the installation itself"));
        }
    }
    let mark = data.join(UNFINISHED);
    if mark.exists() {
        files::remove(&data.join(MANIFEST))?;
        files::sync_folder(data)?;
        files::remove_folder(&data.join(PICTURES))?;
    } else if data.join(MANIFEST).exists() {
        return Err(BackupError::unfit(data, "holds a copy already; choose a new folder"));
    } else if !files::names(data)?.is_empty() {
        return Err(BackupError::unfit(data, "is not empty; choose a new folder"));
    } else {
        files::mark(&mark)?;
    }
    if keys.join(MANIFEST).exists() {
        return remove_others(keys, &Manifest::read(keys, Half::Keys)?);
    }
    Ok(())
}

/// Removes the files of other copies from a folder of keys: older ones, and interrupted ones.
fn remove_others(folder: &Path, manifest: &Manifest) -> Result<(), BackupError> {
    let used: BTreeSet<PathBuf> = manifest.files.keys().map(|name| manifest.place(folder, name)).collect();
    for name in files::names(folder)? {
        let path = folder.join(&name);
        if name.to_str().is_some_and(is_of_keys) && !used.contains(&path) {
            files::remove(&path)?;
        }
    }
    files::sync_folder(folder)
}

/// Whether a file is one of a copy of keys, finished or not.
fn is_of_keys(name: &str) -> bool {
    let whole = [NEW, files::STAGED].iter().fold(name, |name, end| {
        name.strip_suffix(end)
            .and_then(|rest| rest.strip_suffix('.'))
            .unwrap_or(name)
    });
    Half::Keys.names().contains(&without_digest(whole))
}

/// The files of a copied database, under names that end in [`NEW`].
struct Copied {
    files: Vec<(&'static str, FileHash)>,
    /// The oldest tenant of a main database.
    installation: Option<String>,
}

impl Copied {
    fn put_in_place(&self, folder: &Path, manifest: &mut Manifest) -> Result<(), BackupError> {
        for (name, hash) in &self.files {
            manifest.files.insert((*name).to_owned(), hash.clone());
            files::rename(&staged(folder, name), &manifest.place(folder, name))?;
        }
        Ok(())
    }
}

/// The extension of a file until it is whole.
const NEW: &str = "new";

fn staged(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!("{name}.{NEW}"))
}

/// Lists the keys of everybody who was erased, so that a key that is missing for another reason is noticed.
async fn list_erased(url: &str, keys: &Path) -> Result<FileHash, BackupError> {
    let erased = if postgres::is_address(url) {
        postgres::erased_keys(url).await?
    } else {
        let options = sqlite_options(url)?;
        let path = options.get_filename().to_owned();
        let failed = |error: sqlx::Error| BackupError::database(&path, error);
        let options = options.read_only(true).busy_timeout(TIMEOUT);
        let mut connection = options.connect().await.map_err(failed)?;
        let erased = sqlx::query_scalar(KEYS_ERASED)
            .fetch_all(&mut connection)
            .await
            .map_err(failed)?;
        connection.close().await.map_err(failed)?;
        erased
    };
    let list = staged(keys, ERASED);
    files::write(&list, erased.join("\n").as_bytes())?;
    files::hash(&list)
}

async fn copy_database(url: &str, folder: &Path, half: Half) -> Result<Copied, BackupError> {
    if postgres::is_address(url) {
        let dumped = postgres::copy(url, half, |name| staged(folder, name)).await?;
        return Ok(Copied {
            files: dumped.files,
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

/// Copies every picture; one that is removed meanwhile belongs to somebody who was erased. Returns what was copied, by path within the
/// folder.
fn copy_pictures(from: &Path, to: &Path, progress: Progress<'_>) -> Result<BTreeMap<String, FileHash>, BackupError> {
    let (mut copies, mut folders) = (BTreeMap::new(), BTreeSet::<PathBuf>::new());
    files::create_folder(to)?;
    for picture in files::below(from)? {
        let name = picture.to_str().unwrap_or_default();
        if name == CHECK || is_unfinished(name) {
            continue;
        }
        pictures::known(name).map_err(|_| BackupError::unfit(&from.join(&picture), pictures::STRANGE))?;
        let target = to.join(&picture);
        let folder = target.parent().unwrap_or(to);
        if folders.insert(folder.to_owned()) {
            files::create_folder(folder)?;
        }
        match files::copy(&from.join(&picture), &target) {
            Ok(copied) => drop(copies.insert(name.to_owned(), copied)),
            Err(BackupError::File { path, source })
                if path.starts_with(from) && source.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        progress(copies.len() as u64);
    }
    folders.iter().try_for_each(|folder| files::sync_folder(folder))?;
    Ok(copies)
}

/// The object store writes a picture under a name with `#` until it is whole.
fn is_unfinished(name: &str) -> bool {
    name.contains('#')
}
