//! Restoring a copy into an empty installation.

use super::{
    BackupError, DATA, Done, Half, KEYS, Manifest, PICTURES, PicturePlace, Progress, Verified, at, files, picture,
    pictures,
    place::{Halves, Part, Place},
    postgres, sqlite_options,
    verify::{Checked, check},
};
use crate::{capture::pictures::CHECK, db::is_postgres, vault::MasterKeys};
use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// The file that is in a data folder while a copy is put back into it: without it, half a copy would look like an installation. It names
/// the files and folders that were begun. An object of the same name is in the bucket.
pub const UNFINISHED: &str = "restore-unfinished";
/// The first line of that file.
const BEGUN: &str = "A copy is being put back. Run the command again if it was interrupted.";
/// All of that file once everything is back and only the marks are left to be removed.
const DONE: &str = "A copy was put back. Run the command again to finish it.";

/// Where a database belongs.
#[derive(Clone, Debug)]
pub enum DatabasePlace {
    /// In a file, with SQLite.
    File(PathBuf),
    /// In an empty database on PostgreSQL, at this address.
    Postgres(String),
}

impl DatabasePlace {
    /// The place at an address.
    ///
    /// # Errors
    /// [`BackupError::UnknownDatabase`].
    pub fn at(url: &str) -> Result<Self, BackupError> {
        if is_postgres(url) {
            return Ok(Self::Postgres(url.to_owned()));
        }
        Ok(Self::File(sqlite_options(url)?.get_filename().to_owned()))
    }

    /// Whether no installation is in it.
    ///
    /// # Errors
    /// If the database does not respond.
    pub async fn is_empty(&self) -> Result<bool, BackupError> {
        match self {
            Self::File(path) => Ok(!files::exists(path)?),
            Self::Postgres(url) => postgres::is_empty(url).await,
        }
    }

    /// Whether a copy is being put back into it, by its own mark. Of a file, only [`UNFINISHED`] in the data folder says so.
    ///
    /// # Errors
    /// If the database does not respond.
    pub async fn is_restoring(&self) -> Result<bool, BackupError> {
        match self {
            Self::File(_) => Ok(false),
            Self::Postgres(url) => postgres::is_restoring(url).await,
        }
    }

    async fn begin_restoring(&self) -> Result<(), BackupError> {
        match self {
            Self::File(_) => Ok(()),
            Self::Postgres(url) => postgres::begin_restoring(url).await,
        }
    }

    async fn end_restoring(&self) -> Result<(), BackupError> {
        match self {
            Self::File(_) => Ok(()),
            Self::Postgres(url) => postgres::end_restoring(url).await,
        }
    }

    /// As people see it, without a password.
    fn shown(&self) -> &Path {
        match self {
            Self::File(path) => path,
            Self::Postgres(_) => Path::new("the PostgreSQL database"),
        }
    }

    /// The file that it is in, if it is in one.
    fn file(&self) -> Option<&Path> {
        match self {
            Self::File(path) => Some(path),
            Self::Postgres(_) => None,
        }
    }

    /// The name of the file of a copy from which it is put back.
    const fn source(&self, half: Half) -> &'static str {
        match (self, half) {
            (Self::File(_), Half::Data) => DATA,
            (Self::File(_), Half::Keys) => KEYS,
            (Self::Postgres(_), half) => postgres::dump_of(half),
        }
    }
}

/// Where the parts of an installation belong.
#[derive(Clone, Debug)]
pub struct Target {
    /// The data folder.
    pub folder: PathBuf,
    /// The main database.
    pub database: DatabasePlace,
    /// The database of keys.
    pub keys: DatabasePlace,
    /// The file of the master keys; `None` if they are kept elsewhere.
    pub master_key: Option<PathBuf>,
    /// The pictures.
    pub pictures: PicturePlace,
}

impl Target {
    /// A part that exists already, and that no attempt that was interrupted had begun. A mark speaks for what it is in or names, and for
    /// nothing else: another part may belong to an installation that somebody uses.
    async fn find_existing(&self, mark: &str) -> Result<Option<PathBuf>, BackupError> {
        let is_begun = |part: &Path| mark.lines().any(|line| Path::new(line) == part);
        for database in [&self.database, &self.keys] {
            let is_marked = match database {
                DatabasePlace::File(path) => is_begun(path),
                DatabasePlace::Postgres(_) => database.is_restoring().await?,
            };
            if !is_marked && !database.is_empty().await? {
                return Ok(Some(database.shown().to_owned()));
            }
        }
        match &self.pictures {
            PicturePlace::Bucket(bucket) => {
                if !pictures::is_restoring(bucket).await? && !pictures::is_empty(bucket).await? {
                    return Ok(Some("a picture in the bucket".into()));
                }
            }
            PicturePlace::Folder(folder) => {
                if !is_begun(folder)
                    && files::exists(folder)?
                    && let Some(there) = files::below(folder)?.iter().find(|path| *path != Path::new(CHECK))
                {
                    return Ok(Some(folder.join(there)));
                }
            }
        }
        match &self.master_key {
            Some(file) if !is_begun(file) && files::exists(file)? => Ok(Some(file.clone())),
            _ => Ok(None),
        }
    }

    /// The file that marks the data folder.
    fn mark(&self) -> PathBuf {
        self.folder.join(UNFINISHED)
    }

    /// What the mark says that an attempt has left; nothing if there is none.
    fn read_mark(&self) -> Result<String, BackupError> {
        let path = self.mark();
        match fs::read_to_string(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(String::new()),
            text => text.map_err(at(&path)),
        }
    }

    /// Whether an attempt was interrupted when everything was back.
    async fn is_done(&self, mark: &str) -> Result<bool, BackupError> {
        Ok(mark == DONE && !self.database.is_empty().await? && !self.keys.is_empty().await?)
    }

    /// Marks every part, before anything is written to it.
    async fn begin(&self) -> Result<(), BackupError> {
        files::create_folder(&self.folder)?;
        self.database.begin_restoring().await?;
        self.keys.begin_restoring().await?;
        if let PicturePlace::Bucket(bucket) = &self.pictures {
            pictures::begin_restoring(bucket).await?;
        }
        let local = [self.database.file(), self.keys.file(), self.pictures.folder()];
        let local = local.into_iter().chain([self.master_key.as_deref()]).flatten();
        let lines: Vec<String> = [BEGUN.to_owned()]
            .into_iter()
            .chain(local.map(|path| path.display().to_string()))
            .collect();
        files::write(&self.mark(), lines.join("\n").as_bytes())
    }

    /// Declares that everything was put back: removes every mark.
    ///
    /// # Errors
    /// If a mark cannot be removed. Putting back again then removes what is left.
    pub async fn finish(&self) -> Result<(), BackupError> {
        // Once one of the others is gone, its part looks like an installation in use.
        files::write(&self.mark(), DONE.as_bytes())?;
        self.database.end_restoring().await?;
        self.keys.end_restoring().await?;
        if let PicturePlace::Bucket(bucket) = &self.pictures {
            pictures::end_restoring(bucket).await?;
        }
        files::remove(&self.mark())?;
        files::sync_folder(&self.folder)
    }
}

/// The master keys that a copy is put back with.
pub enum GivenKeys<'a> {
    /// In this file, which is put in its place.
    File(&'a Path),
    /// From elsewhere, where they stay. People know the place by this name.
    Elsewhere(&'a str, MasterKeys),
}

/// Verifies a copy and puts it back, with the file of the master keys if there is a place for it. If it was interrupted, it can be run again.
/// The data folder then still has the file [`UNFINISHED`], a database on PostgreSQL the mark [`Mark::Restoring`](crate::marks::Mark), and a
/// bucket an object. The caller removes them with [`Target::finish`] once what was erased since is erased here, too.
///
/// # Errors
/// [`BackupError`]. If the copy is not whole, or `given` are not its master keys, nothing was written.
pub async fn put_back(
    halves: &Halves,
    given: Option<&GivenKeys<'_>>,
    target: &Target,
    progress: Progress<'_>,
) -> Result<Verified, BackupError> {
    let master = given.map(GivenKeys::load).transpose()?;
    let staged = halves.stage()?;
    let (data, keys) = (&staged.data, &staged.keys);
    let Checked {
        of_data,
        of_keys,
        verified,
    } = check(&staged, master.as_ref().map(|(from, master)| (*from, master)), progress).await?;
    for (part, manifest, database) in [(data, &of_data, &target.database), (keys, &of_keys, &target.keys)] {
        check_kind(part, manifest, database)?;
    }
    let mark = target.read_mark()?;
    if target.is_done(&mark).await? {
        return Ok(verified);
    }
    if let Some(there) = target.find_existing(&mark).await? {
        return Err(BackupError::unfit(
            &there,
            "exists already; a backup can only be restored into an empty installation",
        ));
    }
    target.begin().await?;
    put_pictures(data.place, &of_data, &target.pictures, progress).await?;
    if let (Some(GivenKeys::File(from)), Some(to)) = (given, &target.master_key) {
        put_file(from, to, target)?;
    }
    for (part, manifest, to) in [(keys, &of_keys, &target.keys), (data, &of_data, &target.database)] {
        put_database(&manifest.place(&part.local, to.source(manifest.half)), to, target).await?;
    }
    files::sync_folder(&target.folder)?;
    Ok(verified)
}

impl GivenKeys<'_> {
    /// The keys, and the place that they are from as people know it.
    fn load(&self) -> Result<(&Path, MasterKeys), BackupError> {
        match self {
            Self::File(file) => {
                let keys = MasterKeys::load(file).map_err(|error| BackupError::database(file, error))?;
                Ok((*file, keys))
            }
            Self::Elsewhere(name, keys) => Ok((Path::new(name), keys.clone())),
        }
    }
}

/// Refuses a copy of a database that is of another kind than the one it would become.
fn check_kind(part: &Part<'_>, manifest: &Manifest, database: &DatabasePlace) -> Result<(), BackupError> {
    if manifest.files.contains_key(database.source(manifest.half)) {
        return Ok(());
    }
    Err(BackupError::unfit(
        part.place.shown(),
        "is a backup of another kind of database than the one in this configuration",
    ))
}

/// Copies the pictures that a manifest names, each to its place.
async fn put_pictures(
    from: &Place,
    manifest: &Manifest,
    to: &PicturePlace,
    progress: Progress<'_>,
) -> Result<(), BackupError> {
    let pictures = manifest.files.iter();
    let pictures = pictures.filter_map(|(name, copied)| Some((picture(name)?, copied)));
    match (from, to) {
        (Place::Folder(from), PicturePlace::Folder(to)) => {
            copy_pictures(&from.join(PICTURES), pictures.map(|(path, _)| path), to, progress)
        }
        (from, to) => pictures::put_back(from, pictures, to, progress).await,
    }
}

/// Copies pictures from one folder to another.
fn copy_pictures<'a>(
    from: &Path,
    pictures: impl Iterator<Item = &'a str>,
    to: &Path,
    progress: Progress<'_>,
) -> Result<(), BackupError> {
    files::create_folder(to)?;
    // Those of one session follow each other.
    let mut current = PathBuf::new();
    for (done, path) in (1..).zip(pictures) {
        let target = to.join(path);
        let above = target.parent().unwrap_or(to);
        if above != current {
            sync_if_any(&current)?;
            files::create_folder(above)?;
            above.clone_into(&mut current);
        }
        files::copy(&from.join(path), &target)?;
        progress(Done::Files(done));
    }
    sync_if_any(&current)
}

fn sync_if_any(folder: &Path) -> Result<(), BackupError> {
    if folder.as_os_str().is_empty() {
        return Ok(());
    }
    files::sync_folder(folder)
}

async fn put_database(from: &Path, to: &DatabasePlace, target: &Target) -> Result<(), BackupError> {
    let path = match to {
        DatabasePlace::Postgres(url) => return postgres::put_back(from, url).await,
        DatabasePlace::File(path) => path,
    };
    // A log of an earlier attempt does not belong to the database that is put in its place.
    for log in ["-wal", "-shm"] {
        let mut name = path.as_os_str().to_owned();
        name.push(log);
        files::remove(Path::new(&name))?;
    }
    put_file(from, path, target)
}

/// Copies a file to its place, in a folder that is created if there is none.
fn put_file(from: &Path, to: &Path, target: &Target) -> Result<(), BackupError> {
    let above = to.parent().unwrap_or(&target.folder);
    files::create_folder(above)?;
    files::copy(from, to)?;
    files::sync_folder(above)
}
