//! Making a copy of a running installation.

use super::{
    BackupError, DATA, Done, ERASED, FileHash, Half, KEYS, MANIFEST, Manifest, PICTURES, PicturePlace, Progress,
    claim::{Claim, Stale},
    compare::{Compared, compare, compare_keys},
    files, pictures,
    place::{Halves, KeysAlone, Part, Place, Staged},
    postgres,
    references::{CAPTURES, Captured, KEYS_ERASED, KEYS_IN_USE, LAST_ENTRY, OLDEST_TENANT, pictures_of},
    sqlite_options, verify, without_digest,
};
use crate::db::is_postgres;
use domain::time::Timestamp;
use sqlx::{ConnectOptions as _, Connection as _, SqliteConnection};
use std::{
    collections::{BTreeMap, BTreeSet},
    io, mem,
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

/// The file in a place of data while it is filled. With it, the copy is begun again; without it, nothing that is there is touched.
const UNFINISHED: &str = "copy-unfinished";

/// Why a bucket cannot have a copy.
const OWN_BUCKET: &str = "is in the bucket of the installation itself; keep the backup in another one";

/// What happens if something is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gaps {
    /// It is an error: a session that was not erased has no key or lacks a picture.
    Refuse,
    /// What is there is copied. The copy notes what was lost, and verifies. It is an error all the same if there is the key of no session.
    Note,
}

/// How a copy is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// What happens if something is missing.
    pub gaps: Gaps,
    /// What happens if another backup has marked the bucket of the keys.
    pub stale: Stale,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            gaps: Gaps::Refuse,
            stale: Stale::Refuse,
        }
    }
}

/// Makes a copy. The place of the data must be empty, and an older copy of the keys is replaced. Returns the number of pictures. If it was
/// interrupted, it can be run again with the same places. Another backup with the same place of keys is refused meanwhile.
///
/// # Errors
/// [`BackupError`].
pub async fn make(
    source: Source<'_>,
    halves: &Halves,
    options: Options,
    now: Timestamp,
    progress: Progress<'_>,
) -> Result<u64, BackupError> {
    refuse_same_bucket(source, halves)?;
    let staged = halves.stage()?;
    prepare_folders(source, &staged.data.local, &staged.keys.local)?;
    let claim = Claim::of(&halves.keys, options.stale, now).await?;
    let mut copying = Copying {
        source,
        staged: &staged,
        now,
        progress,
    };
    let made = copying.make(&claim, options.gaps).await;
    let released = claim.release().await;
    let count = made?;
    released?;
    // Last, so that it can be run again wherever it was interrupted.
    halves.data.remove([UNFINISHED.to_owned()]).await?;
    Ok(count)
}

/// Copies the keys alone, which replace the older copy of them: they fit every older copy of the data, and whoever was erased in between stays erased.
///
/// # Errors
/// [`BackupError`].
pub async fn make_keys(
    source: Source<'_>,
    alone: &KeysAlone,
    options: Options,
    now: Timestamp,
    progress: Progress<'_>,
) -> Result<(), BackupError> {
    let place = &alone.keys;
    if place.bucket().is_some() && place.bucket() == source.pictures.bucket() {
        return Err(BackupError::unfit(place.shown(), OWN_BUCKET));
    }
    let staged = alone.stage()?;
    files::create_folder(&staged.part.local)?;
    refuse_own_folder(source, &[staged.part.local.as_path()])?;
    let claim = Claim::of(place, options.stale, now).await?;
    let copying = CopyingKeys {
        source,
        keys: &staged.part,
        now,
        progress,
    };
    let made = copying.make(&claim, options.gaps).await;
    let released = claim.release().await;
    made?;
    released
}

/// A copy of the keys alone that is being made.
struct CopyingKeys<'a> {
    source: Source<'a>,
    keys: &'a Part<'a>,
    /// When it began.
    now: Timestamp,
    progress: Progress<'a>,
}

impl CopyingKeys<'_> {
    /// Makes it while no other backup uses the place of the keys.
    async fn make(self, claim: &Claim<'_>, gaps: Gaps) -> Result<(), BackupError> {
        let Self {
            source,
            keys,
            now,
            progress,
        } = self;
        remove_interrupted(keys.place, claim).await?;
        let mut manifest = Manifest::new(Half::Keys, now);
        let oldest = list_live(source.database_url, OLDEST_TENANT).await?;
        manifest.installation = oldest.into_iter().next();
        refuse_keys_of_another(keys.place, &manifest, source.database_url).await?;
        // Before the keys, since a key is stored before its session.
        let in_use = list_live(source.database_url, KEYS_IN_USE).await?;
        copy_keys(source, keys, &mut manifest, progress).await?;
        if let Some(older) = keys.place.find_manifest(Half::Keys).await? {
            manifest.lost = older.lost;
        }
        let mut compared = compare_keys(in_use, (&keys.local, &manifest)).await?;
        if gaps == Gaps::Refuse {
            compared.refuse_gaps(keys.place.shown(), keys.place.shown())?;
        }
        compared.refuse_keys_of_nobody()?;
        manifest.lost.append(&mut compared.lost_keys);
        claim.confirm().await?;
        keys.write_manifest(&manifest).await?;
        remove_older(keys.place, &manifest, claim).await
    }
}

/// A copy that is being made.
struct Copying<'a> {
    source: Source<'a>,
    staged: &'a Staged<'a>,
    /// When it began.
    now: Timestamp,
    progress: Progress<'a>,
}

impl Copying<'_> {
    /// Makes it while no other backup uses the place of the keys. Returns the number of pictures.
    async fn make(&mut self, claim: &Claim<'_>, gaps: Gaps) -> Result<u64, BackupError> {
        let Staged { data, keys, .. } = self.staged;
        begin(data, keys, claim).await?;
        let (mut of_data, count) = self.copy_data().await?;
        let mut of_keys = self.copy_keys(&of_data).await?;
        let mut compared = compare((&data.local, &of_data), (&keys.local, &of_keys)).await?;
        of_data.deleted = take_deleted(self.source.database_url, &mut compared).await?;
        if gaps == Gaps::Refuse {
            compared.refuse_gaps(data.place.shown(), keys.place.shown())?;
        }
        compared.refuse_keys_of_nobody()?;
        (of_data.lost, of_keys.lost) = (compared.lost_pictures, compared.lost_keys);
        // Replaces the older copy of the keys, whose files are of no use from then on.
        claim.confirm().await?;
        keys.write_manifest(&of_keys).await?;
        remove_older(keys.place, &of_keys, claim).await?;
        data.write_manifest(&of_data).await?;
        Ok(count)
    }

    /// Copies the main database, then the pictures. Returns the number of pictures, too.
    async fn copy_data(&mut self) -> Result<(Manifest, u64), BackupError> {
        let (source, data) = (self.source, &self.staged.data);
        let mut manifest = Manifest::new(Half::Data, self.now);
        manifest.last_entry = last_entry(source.database_url).await?;
        let copied = copy_database(source.database_url, &data.local, Half::Data).await?;
        copied.put_in_place(&data.local, &mut manifest)?;
        manifest.installation = copied.installation;
        refuse_keys_of_another(self.staged.keys.place, &manifest, self.source.database_url).await?;
        data.keep(&manifest, self.progress).await?;
        let pictures = match (source.pictures, data.place) {
            (PicturePlace::Folder(from), Place::Folder(to)) => copy_pictures(from, &to.join(PICTURES), self.progress)?,
            (from, to) => pictures::copy(from, to, self.progress).await?,
        };
        let count = pictures.len() as u64;
        let named = pictures
            .into_iter()
            .map(|(path, hash)| (format!("{PICTURES}/{path}"), hash));
        manifest.files.extend(named);
        Ok((manifest, count))
    }

    /// Copies the database of keys, of the installation whose data was copied.
    async fn copy_keys(&mut self, of_data: &Manifest) -> Result<Manifest, BackupError> {
        let mut manifest = Manifest::new(Half::Keys, self.now);
        manifest.installation.clone_from(&of_data.installation);
        copy_keys(self.source, &self.staged.keys, &mut manifest, self.progress).await?;
        Ok(manifest)
    }
}

/// Copies the database of keys and adds it to its manifest, with those of everybody who was erased.
async fn copy_keys(
    source: Source<'_>,
    keys: &Part<'_>,
    manifest: &mut Manifest,
    progress: Progress<'_>,
) -> Result<(), BackupError> {
    manifest.last_entry = last_entry(source.database_url).await?;
    let mut copied = copy_database(source.keys_url, &keys.local, Half::Keys).await?;
    // After the keys: whoever is erased is marked as erased before the key is destroyed.
    copied
        .files
        .push((ERASED, list_erased(source.database_url, &keys.local).await?));
    copied.put_in_place(&keys.local, manifest)?;
    keys.keep(manifest, progress).await
}

/// Refuses halves in one bucket, since whoever can read it would have both, and a copy in the bucket that it is a copy of.
fn refuse_same_bucket(source: Source<'_>, halves: &Halves) -> Result<(), BackupError> {
    let [data, keys] = [&halves.data, &halves.keys].map(Place::bucket);
    if keys.is_some() && keys == data {
        let reason = "is in the bucket of the data; keys are kept in another bucket or in a folder";
        return Err(BackupError::unfit(halves.keys.shown(), reason));
    }
    let of_pictures = |place: &&Place| place.bucket().is_some() && place.bucket() == source.pictures.bucket();
    match [&halves.data, &halves.keys].into_iter().find(of_pictures) {
        Some(place) => Err(BackupError::unfit(place.shown(), OWN_BUCKET)),
        None => Ok(()),
    }
}

/// Prepares the places, and removes what an interrupted copy has left in them.
async fn begin(data: &Part<'_>, keys: &Part<'_>, claim: &Claim<'_>) -> Result<(), BackupError> {
    let (data, keys) = (data.place, keys.place);
    if data.has(UNFINISHED).await? {
        data.remove([MANIFEST.to_owned()]).await?;
        data.remove_pictures().await?;
    } else if data.has(MANIFEST).await? {
        return Err(BackupError::unfit(
            data.shown(),
            "already holds a backup; choose a new place",
        ));
    } else if !data.is_empty().await? {
        return Err(BackupError::unfit(data.shown(), "is not empty; choose a new place"));
    } else {
        data.mark(UNFINISHED).await?;
    }
    remove_interrupted(keys, claim).await
}

/// Removes what an interrupted copy has left in a place of keys.
async fn remove_interrupted(keys: &Place, claim: &Claim<'_>) -> Result<(), BackupError> {
    match keys.find_manifest(Half::Keys).await? {
        // Otherwise the copy is damaged, and what else is there may be worth more than it: the new copy replaces it in the end.
        Some(manifest) if has_all(keys, &manifest).await? => {
            claim.confirm().await?;
            remove_others(keys, &manifest).await
        }
        _ => Ok(()),
    }
}

/// Refuses a place that holds the keys of another installation than the one that is copied: replacing them would leave none of that one. They
/// stay what they are from then on, since the place is this backup's. A copy from before the first tenant is nobody's, and a tenant that was the
/// oldest when the older copy was made need not be the oldest of today, if a clock was wrong.
async fn refuse_keys_of_another(keys: &Place, of_data: &Manifest, database_url: &str) -> Result<(), BackupError> {
    let older = keys.find_manifest(Half::Keys).await?;
    let Some(holder) = older.and_then(|older| older.installation) else {
        return Ok(());
    };
    if Some(&holder) == of_data.installation.as_ref() || has_tenant(database_url, &holder).await? {
        return Ok(());
    }
    Err(BackupError::unfit(
        keys.shown(),
        "holds the keys of another installation; choose another place for these",
    ))
}

/// Removes the older copy of the keys, once it is certain that the new one is what the place holds now.
async fn remove_older(keys: &Place, written: &Manifest, claim: &Claim<'_>) -> Result<(), BackupError> {
    claim.confirm().await?;
    let is_there = keys.find_manifest(Half::Keys).await?.as_ref() == Some(written);
    if is_there && has_all(keys, written).await? {
        remove_others(keys, written).await
    } else {
        Err(BackupError::unfit(
            keys.shown(),
            "does not hold the keys that were just copied: something else has changed it",
        ))
    }
}

/// Whether a place of keys holds everything that its manifest names, as far as names and sizes tell.
async fn has_all(place: &Place, manifest: &Manifest) -> Result<bool, BackupError> {
    let sizes = place.sizes().await?;
    let has = |(name, file): (&String, &FileHash)| sizes.get(&manifest.stored_name(name)) == Some(&file.bytes);
    Ok(manifest.files.iter().all(has))
}

/// Creates the folders of this machine, and refuses those that are not apart from each other and from the installation.
fn prepare_folders(source: Source<'_>, data: &Path, keys: &Path) -> Result<(), BackupError> {
    // Before they are created: the folder of the keys would be in that of the data, which must be empty, when the command is run again.
    refuse_nested(data, keys, |path| std::path::absolute(path).ok())?;
    files::create_folder(data)?;
    files::create_folder(keys)?;
    refuse_nested(data, keys, |path| path.canonicalize().ok())?;
    refuse_own_folder(source, &[data, keys])
}

/// Refuses one half within the other: whoever gets that folder gets both.
fn refuse_nested(data: &Path, keys: &Path, real: impl Fn(&Path) -> Option<PathBuf>) -> Result<(), BackupError> {
    match (real(data), real(keys)) {
        (Some(data), Some(real_keys)) if data.starts_with(&real_keys) || real_keys.starts_with(&data) => {
            let reason = "is not apart from the folder of the data; keys are kept in a folder of their own";
            Err(BackupError::unfit(keys, reason))
        }
        _ => Ok(()),
    }
}

/// Refuses folders that the installation itself has its databases in.
fn refuse_own_folder(source: Source<'_>, folders: &[&Path]) -> Result<(), BackupError> {
    let real = |path: &Path| path.canonicalize().ok();
    for url in [source.database_url, source.keys_url] {
        let file = if is_postgres(url) {
            continue;
        } else {
            sqlite_options(url)?
        };
        let folder = file.get_filename().parent().and_then(real);
        if let Some(taken) = folders.iter().find(|path| real(path) == folder) {
            return Err(BackupError::unfit(taken, "is a folder of the installation itself"));
        }
    }
    Ok(())
}

/// Removes the files of other copies from where keys are kept: older ones, and interrupted ones.
async fn remove_others(place: &Place, manifest: &Manifest) -> Result<(), BackupError> {
    let used: BTreeSet<String> = manifest.files.keys().map(|name| manifest.stored_name(name)).collect();
    let mut names = place.names().await?;
    names.retain(|name| is_of_keys(name) && !used.contains(name));
    place.remove(names).await
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
    let erased = list_live(url, KEYS_ERASED).await?;
    let list = staged(keys, ERASED);
    files::write(&list, erased.join("\n").as_bytes())?;
    files::hash(&list)
}

/// What a statement finds in the main database of an installation that asks for one column of texts.
async fn list_live(url: &str, statement: &'static str) -> Result<Vec<String>, BackupError> {
    if is_postgres(url) {
        return postgres::texts(url, statement).await;
    }
    let (mut connection, path) = read_live(url).await?;
    let failed = |error: sqlx::Error| BackupError::database(&path, error);
    let found = sqlx::query_scalar(statement)
        .fetch_all(&mut connection)
        .await
        .map_err(failed)?;
    connection.close().await.map_err(failed)?;
    Ok(found)
}

/// The last entry of the audit log as it is now.
async fn last_entry(url: &str) -> Result<Option<i64>, BackupError> {
    let found = list_live(url, LAST_ENTRY).await?;
    Ok(found.first().and_then(|entry| entry.parse().ok()))
}

/// Whether a tenant is one of this installation.
async fn has_tenant(url: &str, tenant: &str) -> Result<bool, BackupError> {
    if is_postgres(url) {
        return postgres::has_tenant(url, tenant).await;
    }
    let (mut connection, path) = read_live(url).await?;
    let failed = |error: sqlx::Error| BackupError::database(&path, error);
    let count: i64 = sqlx::query_scalar("SELECT COUNT(*) FROM tenants WHERE id = $1")
        .bind(tenant)
        .fetch_one(&mut connection)
        .await
        .map_err(failed)?;
    connection.close().await.map_err(failed)?;
    Ok(count > 0)
}

/// Takes from what is missing the pictures that no session names any more, and returns them: they were deleted while the copy was made.
async fn take_deleted(url: &str, compared: &mut Compared) -> Result<BTreeSet<String>, BackupError> {
    if compared.lost_pictures.is_empty() {
        return Ok(BTreeSet::new());
    }
    let named = list_pictures(url).await?;
    let missing = mem::take(&mut compared.lost_pictures).into_iter();
    let (lost, deleted) = missing.partition(|path| named.contains(path));
    compared.lost_pictures = lost;
    Ok(deleted)
}

/// The pictures that sessions name now, by path within the folder of pictures.
async fn list_pictures(url: &str) -> Result<BTreeSet<String>, BackupError> {
    let pictures = if is_postgres(url) {
        postgres::pictures(url).await?
    } else {
        let (mut connection, path) = read_live(url).await?;
        let failed = |error: sqlx::Error| BackupError::database(&path, error);
        let captures: Vec<Captured> = sqlx::query_as(CAPTURES)
            .fetch_all(&mut connection)
            .await
            .map_err(failed)?;
        connection.close().await.map_err(failed)?;
        pictures_of(&path, &captures)?
    };
    Ok(pictures.into_iter().map(|picture| picture.path).collect())
}

/// Opens the SQLite database of an installation to read it as it is now. Returns its path, too.
async fn read_live(url: &str) -> Result<(SqliteConnection, PathBuf), BackupError> {
    let options = sqlite_options(url)?;
    let path = options.get_filename().to_owned();
    let options = options.read_only(true).busy_timeout(TIMEOUT);
    let connection = options.connect().await;
    let connection = connection.map_err(|error| BackupError::database(&path, error))?;
    Ok((connection, path))
}

async fn copy_database(url: &str, folder: &Path, half: Half) -> Result<Copied, BackupError> {
    if is_postgres(url) {
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
    // Either file may be at fault; the disk that is full is that of the copy.
    copied.map_err(|error| BackupError::database(to, format_args!("cannot copy {}: {error}", from.display())))?;
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
    for name in pictures::list_folder(from)? {
        let target = to.join(&name);
        let folder = target.parent().unwrap_or(to);
        if folders.insert(folder.to_owned()) {
            files::create_folder(folder)?;
        }
        match files::copy(&from.join(&name), &target) {
            Ok(copied) => drop(copies.insert(name, copied)),
            Err(BackupError::File { path, source })
                if path.starts_with(from) && source.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        progress(Done::Files(copies.len() as u64));
    }
    folders.iter().try_for_each(|folder| files::sync_folder(folder))?;
    Ok(copies)
}
