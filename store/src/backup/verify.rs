//! Whether a copy is whole, and whether its halves fit.

use super::{
    BackupError, FileHash, Half, Manifest, PICTURES, Progress,
    compare::{compare, open},
    files,
    references::OLDEST_TENANT,
};
use crate::capture::pictures::parse_path;
use domain::time::Timestamp;
use sqlx::Connection as _;
use std::path::Path;

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
    /// Pictures and keys that the installation had lost before the copy was made.
    pub lost: u64,
}

/// Checks every file against its manifest, both databases, that the keys are those of the data, and that every session that was not
/// erased has its key and its pictures.
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
    check_pictures(data, &of_data)?;
    let compared = compare((data, &of_data), (keys, &of_keys)).await?;
    compared.refuse_gaps(data, keys)?;
    Ok(Verified {
        data_begun_at: Timestamp::from_millis(of_data.begun_at),
        keys_begun_at: Timestamp::from_millis(of_keys.begun_at),
        readable: compared.readable,
        erased_since: compared.erased_since,
        pictures: of_data.files.keys().filter(|name| is_picture(name)).count() as u64,
        lost: (of_data.lost.len() + of_keys.lost.len()) as u64,
    })
}

fn check_files(folder: &Path, manifest: &Manifest, progress: Progress<'_>) -> Result<(), BackupError> {
    for (done, (name, copied)) in (1..).zip(&manifest.files) {
        check_file(&manifest.place(folder, name), copied)?;
        progress(done);
    }
    Ok(())
}

/// Refuses pictures that the manifest does not name. The folder itself may be missing if there are none.
fn check_pictures(folder: &Path, manifest: &Manifest) -> Result<(), BackupError> {
    let pictures = folder.join(PICTURES);
    if !pictures.exists() {
        return Ok(());
    }
    for path in files::below(&pictures)? {
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

/// Whether a file of a copy is a picture.
fn is_picture(name: &str) -> bool {
    picture(name).is_some()
}

/// The path of a picture within its folder, by its name in a manifest. Copies of earlier versions may have other files there.
pub(super) fn picture(name: &str) -> Option<&str> {
    let path = name.strip_prefix(PICTURES)?.strip_prefix('/')?;
    parse_path(path).map(|_| path)
}

/// Names the installation that a main database belongs to.
pub(super) async fn oldest_tenant(path: &Path) -> Result<Option<String>, BackupError> {
    let failed = |error: sqlx::Error| BackupError::database(path, error);
    let mut connection = open(path).await?;
    let found = sqlx::query_scalar(OLDEST_TENANT)
        .fetch_optional(&mut connection)
        .await
        .map_err(failed)?;
    connection.close().await.map_err(failed)?;
    Ok(found)
}
