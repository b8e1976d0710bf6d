//! Putting a copy back into an empty installation.

use super::{
    BackupError, DATA, Half, KEYS, Manifest, PicturePlace, Progress, Verified, at, files, pictures, postgres,
    sqlite_options, verify,
};
use crate::capture::pictures::CHECK;
use std::{
    fs,
    path::{Path, PathBuf},
};

/// The file that is in a data folder while a copy is put back into it: without it, half a copy would look like an installation.
pub const UNFINISHED: &str = "restore-unfinished";

/// Where a database belongs.
#[derive(Clone, Debug)]
pub enum DatabasePlace {
    /// In a file, with SQLite.
    File(PathBuf),
    /// In an empty database on PostgreSQL, at this address.
    Postgres(String),
}

impl DatabasePlace {
    /// By its address.
    ///
    /// # Errors
    /// [`BackupError::UnknownDatabase`].
    pub fn at(url: &str) -> Result<Self, BackupError> {
        if postgres::is_address(url) {
            return Ok(Self::Postgres(url.to_owned()));
        }
        Ok(Self::File(sqlite_options(url)?.get_filename().to_owned()))
    }

    async fn is_empty(&self) -> Result<bool, BackupError> {
        match self {
            Self::File(path) => Ok(!path.exists()),
            Self::Postgres(url) => postgres::is_empty(url).await,
        }
    }

    /// Whether a copy is being put back into it. In a file, the folder says so.
    async fn is_restoring(&self) -> Result<bool, BackupError> {
        match self {
            Self::File(_) => Ok(false),
            Self::Postgres(url) => postgres::is_restoring(url).await,
        }
    }

    /// For people, without a password.
    fn shown(&self) -> &Path {
        match self {
            Self::File(path) => path,
            Self::Postgres(_) => Path::new("the PostgreSQL database"),
        }
    }

    /// The name of the file of a copy from which it is put back.
    const fn file(&self, half: Half) -> &'static str {
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
    /// A part that exists already.
    async fn find_existing(&self) -> Result<Option<PathBuf>, BackupError> {
        for database in [&self.database, &self.keys] {
            if !database.is_empty().await? {
                return Ok(Some(database.shown().to_owned()));
            }
        }
        if let PicturePlace::Bucket(bucket) = &self.pictures
            && !pictures::is_empty(bucket).await?
        {
            return Ok(Some("a picture in the bucket".into()));
        }
        if let PicturePlace::Folder(folder) = &self.pictures
            && folder.exists()
            && let Some(there) = files::below(folder)?.iter().find(|path| *path != Path::new(CHECK))
        {
            return Ok(Some(folder.join(there)));
        }
        Ok(self.master_key.clone().filter(|file| file.exists()))
    }

    /// Declares that everything was put back.
    ///
    /// # Errors
    /// If the file cannot be removed.
    pub fn finish(&self) -> Result<(), BackupError> {
        let mark = self.folder.join(UNFINISHED);
        fs::remove_file(&mark).map_err(at(&mark))?;
        files::sync_folder(&self.folder)
    }
}

/// Verifies a copy and puts it back, with the file `master_key` if there is a place for it. If it was interrupted, it can be run again.
/// The data folder then still has the file [`UNFINISHED`], which [`Target::finish`] removes once what was erased since is erased here, too,
/// and a database on PostgreSQL the mark [`Mark::Restoring`](crate::marks::Mark), which the caller removes before.
///
/// # Errors
/// [`BackupError`]. If the copy is not whole, nothing was written.
pub async fn put_back(
    data: &Path,
    keys: &Path,
    master_key: Option<&Path>,
    target: &Target,
    progress: Progress<'_>,
) -> Result<Verified, BackupError> {
    let verified = verify(data, keys, &mut |_| ()).await?;
    let (of_data, of_keys) = (Manifest::read(data, Half::Data)?, Manifest::read(keys, Half::Keys)?);
    for (folder, manifest, database) in [(data, &of_data, &target.database), (keys, &of_keys, &target.keys)] {
        if !manifest.files.contains_key(database.file(manifest.half)) {
            return Err(BackupError::unfit(
                folder,
                "is a copy of another kind of database than the one in this configuration",
            ));
        }
    }
    let mark = target.folder.join(UNFINISHED);
    if !mark.exists()
        && !target.database.is_restoring().await?
        && let Some(there) = target.find_existing().await?
    {
        return Err(BackupError::unfit(
            &there,
            "exists already; a copy is only put back into an empty installation",
        ));
    }
    files::create_folder(&target.folder)?;
    if let DatabasePlace::Postgres(url) = &target.database {
        postgres::begin_restoring(url).await?;
    }
    files::write(
        &mark,
        b"A copy is being put back into this folder. Run the command again if it was interrupted.\n",
    )?;
    put_pictures(data, &of_data, &target.pictures, progress).await?;
    if let (Some(from), Some(to)) = (master_key, &target.master_key) {
        files::create_folder(to.parent().unwrap_or(&target.folder))?;
        files::copy(from, to)?;
        files::sync_folder(to.parent().unwrap_or(&target.folder))?;
    }
    for (folder, manifest, to) in [(keys, &of_keys, &target.keys), (data, &of_data, &target.database)] {
        put_database(&manifest.place(folder, to.file(manifest.half)), to, target).await?;
    }
    files::sync_folder(&target.folder)?;
    Ok(verified)
}

async fn put_pictures(
    data: &Path,
    manifest: &Manifest,
    to: &PicturePlace,
    progress: Progress<'_>,
) -> Result<(), BackupError> {
    if let PicturePlace::Folder(folder) = to {
        files::create_folder(folder)?;
    }
    // Those of one session follow each other.
    let mut current = PathBuf::new();
    for (done, name) in (1..).zip(manifest.files.keys()) {
        let Some(inner) = verify::picture(name) else { continue };
        match to {
            PicturePlace::Folder(folder) => {
                let target = folder.join(inner);
                let above = target.parent().unwrap_or(folder);
                if above != current {
                    sync_if_any(&current)?;
                    files::create_folder(above)?;
                    above.clone_into(&mut current);
                }
                files::copy(&data.join(name), &target)?;
            }
            PicturePlace::Bucket(bucket) => pictures::upload(bucket, inner, &data.join(name)).await?,
        }
        progress(done);
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
    let above = path.parent().unwrap_or(&target.folder);
    files::create_folder(above)?;
    files::copy(from, path)?;
    files::sync_folder(above)
}
