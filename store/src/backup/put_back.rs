//! Putting a copy back into an empty data folder.

use super::{BackupError, DATA, Half, KEYS, Manifest, PICTURES, Progress, Verified, at, files, verify};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// The file that is in a data folder while a copy is put back into it: without it, half a copy would look like an installation.
pub const UNFINISHED: &str = "restore-unfinished";

/// Where the parts of an installation belong.
#[derive(Clone, Debug)]
pub struct Target {
    /// The data folder.
    pub folder: PathBuf,
    /// The main database.
    pub database: PathBuf,
    /// The database of keys.
    pub keys: PathBuf,
    /// The file of the master keys; `None` if they are kept elsewhere.
    pub master_key: Option<PathBuf>,
    /// The folder of pictures.
    pub pictures: PathBuf,
}

impl Target {
    fn parts(&self) -> impl Iterator<Item = &Path> {
        let master_key = self.master_key.as_deref();
        [&self.database, &self.keys, &self.pictures]
            .into_iter()
            .map(PathBuf::as_path)
            .chain(master_key)
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

/// Verifies a copy and puts it back, with the file `master_key` if there is a place for it. If it was interrupted, it can be run again. The data folder then still has the file
/// [`UNFINISHED`], which [`Target::finish`] removes once what was erased since is erased here, too.
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
    let mark = target.folder.join(UNFINISHED);
    if !mark.exists()
        && let Some(there) = target.parts().find(|part| part.exists())
    {
        return Err(BackupError::unfit(
            there,
            "exists already; a copy is only put back into an empty data folder",
        ));
    }
    files::create_folder(&target.folder)?;
    files::write(
        &mark,
        b"A copy is being put back into this folder. Run the command again if it was interrupted.\n",
    )?;
    let of_data = Manifest::read(data, Half::Data)?;
    files::create_folder(&target.pictures)?;
    for (done, name) in (1..).zip(of_data.files.keys()) {
        let Some(inner) = name.strip_prefix(PICTURES).map(|rest| rest.trim_start_matches('/')) else {
            continue;
        };
        let to = target.pictures.join(inner);
        files::create_folder(to.parent().unwrap_or(&target.pictures))?;
        files::copy(&data.join(name), &to)?;
        progress(done);
    }
    let master_key = master_key.map(Path::to_owned).zip(target.master_key.as_ref());
    let databases = [(keys.join(KEYS), &target.keys), (data.join(DATA), &target.database)];
    for (from, to) in master_key.into_iter().chain(databases) {
        // A log of an earlier attempt does not belong to the database that is put in its place.
        for log in ["-wal", "-shm"] {
            let mut name = to.as_os_str().to_owned();
            name.push(log);
            files::remove(Path::new(&name))?;
        }
        files::create_folder(to.parent().unwrap_or(&target.folder))?;
        files::copy(&from, to)?;
    }
    files::sync_folder(&target.folder)?;
    Ok(verified)
}
