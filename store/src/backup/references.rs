//! What the sessions of an installation refer to: their keys and their pictures.

use super::BackupError;
use crate::{
    StoreError,
    capture::{captures::Frame, pictures::path_of},
    ids,
    vault::DataKeyId,
};
use std::path::Path;

/// The pictures of the sessions that were not erased: key, session, and frames of each capture.
pub(super) const CAPTURES: &str =
    "SELECT s.data_key, c.session_id, c.frames FROM captures c JOIN sessions s ON s.id = c.session_id
     WHERE s.purged_at IS NULL ORDER BY c.session_id, c.id";
/// The keys of the sessions that were not erased.
pub(super) const KEYS_IN_USE: &str = "SELECT data_key FROM sessions WHERE purged_at IS NULL ORDER BY data_key";
/// The keys of those that were.
pub(super) const KEYS_ERASED: &str = "SELECT data_key FROM sessions WHERE purged_at IS NOT NULL ORDER BY data_key";

/// The keys that an installation has.
pub(super) const KEYS_STORED: &str = "SELECT id FROM data_keys ORDER BY id";
/// The last entry of the audit log, as text; 0 without one.
pub(super) const LAST_ENTRY: &str = "SELECT CAST(COALESCE(MAX(number), 0) AS TEXT) FROM audit";
/// Names the installation.
pub(super) const OLDEST_TENANT: &str = "SELECT id FROM tenants ORDER BY created_at, id LIMIT 1";

/// A row of [`CAPTURES`].
pub(super) type Captured = (String, String, String);

/// A picture that a session refers to.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Picture {
    /// The key of its session.
    pub(super) key: DataKeyId,
    /// Its path within the folder of pictures.
    pub(super) path: String,
}

impl Picture {
    /// The pictures of a capture.
    pub(super) fn of((key, session, frames): &Captured) -> Result<Vec<Self>, StoreError> {
        let key = DataKeyId::stored(key)?;
        let session = ids::session_id(session)?;
        let frames: Vec<Frame> =
            serde_json::from_str(frames).map_err(|_| StoreError::Corrupt("a capture's frames do not parse"))?;
        let picture = |frame: &Frame| {
            Ok(Self {
                key: key.clone(),
                path: path_of(&session, &frame.object)?,
            })
        };
        frames.iter().map(picture).collect()
    }

    /// The line that lists it beside a dump.
    pub(super) fn line(&self) -> String {
        format!("{} {}", self.key, self.path)
    }

    /// Parses such a line; `None` if it is not one.
    pub(super) fn parse(line: &str) -> Option<Self> {
        let (key, path) = line.split_once(' ')?;
        Some(Self {
            key: DataKeyId::parse(key)?,
            path: path.to_owned(),
        })
    }
}

/// The pictures of captures that were read from the database at `path`.
pub(super) fn pictures_of(path: &Path, captures: &[Captured]) -> Result<Vec<Picture>, BackupError> {
    let each: Vec<Vec<Picture>> = captures
        .iter()
        .map(Picture::of)
        .collect::<Result<_, _>>()
        .map_err(|error| BackupError::database(path, error))?;
    Ok(each.into_iter().flatten().collect())
}
