//! Whether a copy is complete, and whether its halves belong together.

use super::{
    BackupError, DATA, Done, Half, KEYS, Manifest, Progress,
    compare::{compare, connect, open},
    picture,
    place::{Halves, Place, Staged},
    postgres,
    references::OLDEST_TENANT,
};
use crate::{capture::pictures::parse_path, vault::MasterKeys};
use domain::{ids::SessionId, time::Timestamp};
use futures::{StreamExt as _, stream};
use sqlx::Connection as _;
use std::path::Path;

/// Pictures that are read at a time, if they are in a bucket.
const AT_ONCE: usize = 8;

/// A key of each version of the master key.
const KEY_OF_EACH_VERSION: &str =
    "SELECT id, sealed FROM data_keys WHERE id IN (SELECT MIN(id) FROM data_keys GROUP BY master_version)";
/// What the master key encrypts in a main database.
const SECRETS: &str =
    "SELECT sealed FROM webhook_secrets WHERE sealed IS NOT NULL UNION ALL SELECT secret FROM authenticators";

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
    /// Pictures that were deleted while the copy was made, by session and name. Its sessions still name them, so once they are put back, they have
    /// to forget them: otherwise the next copy would miss them.
    pub deleted: Vec<(SessionId, String)>,
}

/// Checks every file against its manifest, both databases, that the keys are those of the data, and that every session that was not
/// erased has its key and its pictures.
///
/// # Errors
/// [`BackupError`], with the first file that is not as it should be.
pub async fn verify(halves: &Halves, progress: Progress<'_>) -> Result<Verified, BackupError> {
    check(&halves.stage()?, None, progress)
        .await
        .map(|checked| checked.verified)
}

/// A copy that was verified. Its databases are in the local folders.
pub(super) struct Checked {
    pub(super) of_data: Manifest,
    pub(super) of_keys: Manifest,
    pub(super) verified: Verified,
}

/// Verifies a copy, and first that the master keys, which are from the place that is named with them, decrypt its keys.
pub(super) async fn check(
    staged: &Staged<'_>,
    master: Option<(&Path, &MasterKeys)>,
    progress: Progress<'_>,
) -> Result<Checked, BackupError> {
    let (data, keys) = (&staged.data, &staged.keys);
    let of_data = data.read_manifest(Half::Data).await?;
    let of_keys = keys.read_manifest(Half::Keys).await?;
    if of_keys.installation != of_data.installation {
        return Err(BackupError::unfit(
            keys.place.shown(),
            "holds the keys of another installation",
        ));
    }
    if of_keys.is_before(&of_data) {
        return Err(BackupError::unfit(
            keys.place.shown(),
            "is older than the copy of the data: keys of its newest sessions are missing, and erased people would come back",
        ));
    }
    keys.fetch(&of_keys, progress).await?;
    if let Some((from, master)) = master {
        test_master_keys(from, master, (&keys.local, &of_keys)).await?;
    }
    data.fetch(&of_data, progress).await?;
    if let Some((from, master)) = master {
        test_secrets(from, master, (&data.local, &of_data)).await?;
    }
    let pictures = check_pictures(data.place, &of_data, progress).await?;
    let compared = compare((&data.local, &of_data), (&keys.local, &of_keys)).await?;
    compared.refuse_gaps(data.place.shown(), keys.place.shown())?;
    let verified = Verified {
        data_begun_at: Timestamp::from_millis(of_data.begun_at),
        keys_begun_at: Timestamp::from_millis(of_keys.begun_at),
        readable: compared.readable,
        erased_since: compared.erased_since,
        pictures,
        lost: (of_data.lost.len() + of_keys.lost.len()) as u64,
        deleted: of_data.deleted.iter().filter_map(|path| parse_path(path)).collect(),
    };
    Ok(Checked {
        of_data,
        of_keys,
        verified,
    })
}

/// Tests the master keys on a key of each version: a copy that was made during a rotation has keys of two.
async fn test_master_keys(
    from: &Path,
    master: &MasterKeys,
    (folder, manifest): (&Path, &Manifest),
) -> Result<(), BackupError> {
    let found = if manifest.files.contains_key(KEYS) {
        list_keys(&manifest.place(folder, KEYS)).await?
    } else {
        postgres::list_keys(&manifest.place(folder, postgres::dump_of(Half::Keys))).await
    };
    match found.iter().find(|(id, sealed)| !master.opens(id, sealed)) {
        Some((_, sealed)) => Err(match master.missing_version(sealed) {
            Some(version) => BackupError::database(
                from,
                format_args!(
                    "is not the master key of this backup: version {version}, which encrypts its keys, is missing"
                ),
            ),
            None => BackupError::unfit(from, "is not the master key of this backup: it cannot decrypt its keys"),
        }),
        None => Ok(()),
    }
}

/// Tests that the master keys have every version that encrypts the secret of a webhook or an authenticator. These are in the copy of the data: one
/// from before a rotation needs the older version, whatever its keys need.
async fn test_secrets(
    from: &Path,
    master: &MasterKeys,
    (folder, manifest): (&Path, &Manifest),
) -> Result<(), BackupError> {
    let secrets = if manifest.files.contains_key(DATA) {
        list_secrets(&manifest.place(folder, DATA)).await?
    } else {
        postgres::list_secrets(&manifest.place(folder, postgres::dump_of(Half::Data))).await
    };
    match secrets.iter().find_map(|sealed| master.missing_version(sealed)) {
        None => Ok(()),
        Some(version) => Err(BackupError::database(
            from,
            format_args!(
                "version {version}, which encrypts webhook or authenticator secrets of this backup, is missing: add its line"
            ),
        )),
    }
}

/// The secrets of webhooks and authenticators in a main database, as they are stored.
async fn list_secrets(path: &Path) -> Result<Vec<Vec<u8>>, BackupError> {
    let failed = |error: sqlx::Error| BackupError::database(path, error);
    let mut connection = connect(path).await?;
    let found = sqlx::query_scalar(SECRETS)
        .fetch_all(&mut connection)
        .await
        .map_err(failed)?;
    connection.close().await.map_err(failed)?;
    Ok(found)
}

/// A key of each version of the master key in a database of keys: its id, and the key as it is stored.
async fn list_keys(path: &Path) -> Result<Vec<(String, Vec<u8>)>, BackupError> {
    let failed = |error: sqlx::Error| BackupError::database(path, error);
    let mut connection = open(path).await?;
    let found = sqlx::query_as(KEY_OF_EACH_VERSION)
        .fetch_all(&mut connection)
        .await
        .map_err(failed)?;
    connection.close().await.map_err(failed)?;
    Ok(found)
}

/// Checks every picture, and refuses those that the manifest does not name. Returns how many there are.
async fn check_pictures(place: &Place, manifest: &Manifest, progress: Progress<'_>) -> Result<u64, BackupError> {
    let named = manifest.files.iter().filter(|(name, _)| picture(name).is_some());
    let hashes = named.map(async |(name, copied)| {
        let found = place.hash(name, copied.bytes).await?;
        copied.check(&place.shown().join(name), found)
    });
    let mut hashes = stream::iter(hashes).buffer_unordered(AT_ONCE);
    let mut count = 0;
    while let Some(checked) = hashes.next().await {
        checked?;
        count += 1;
        progress(Done::Files(count));
    }
    drop(hashes);
    for name in place.pictures().await? {
        if !manifest.files.contains_key(&name) {
            return Err(BackupError::unfit(
                &place.shown().join(name),
                "is not in the manifest: it belongs to another backup",
            ));
        }
    }
    Ok(count)
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
