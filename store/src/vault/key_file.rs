//! The master keys of a running process: read again when their file has changed, so that a rotation reaches every process without a
//! restart.

use super::MasterKeys;
use crate::StoreError;
use std::{
    fs::{self, File},
    path::PathBuf,
    sync::{PoisonError, RwLock},
    time::SystemTime,
};
use zeroize::Zeroizing;

/// Distinguishes a file from what replaces it.
type Stamp = (Option<SystemTime>, u64);

/// The keys, and the file they come from.
pub(super) struct KeyFile {
    path: Option<PathBuf>,
    known: RwLock<Known>,
}

/// The keys as they were read last.
struct Known {
    /// That of the file then; `None` until it is read again.
    stamp: Option<Stamp>,
    keys: MasterKeys,
}

impl KeyFile {
    /// Keys that never change.
    pub(super) fn fixed(keys: MasterKeys) -> Self {
        Self {
            path: None,
            known: RwLock::new(Known { stamp: None, keys }),
        }
    }

    /// The keys of a file, as they were just read.
    pub(super) fn of(path: PathBuf, keys: MasterKeys) -> Self {
        Self {
            path: Some(path),
            known: RwLock::new(Known { stamp: None, keys }),
        }
    }

    /// The newest version.
    pub(super) fn newest(&self) -> u32 {
        self.refresh();
        self.with(|keys| keys.newest().0)
    }

    /// Whether a version that is added reaches this process, and the others with the same file, without a restart.
    pub(super) const fn is_read_again(&self) -> bool {
        self.path.is_some()
    }

    /// Encrypts with this version.
    pub(super) fn seal(&self, version: u32, plain: &[u8], purpose: &[&[u8]]) -> Result<Vec<u8>, StoreError> {
        self.with(|keys| keys.seal(version, plain, purpose))
    }

    /// Decrypts what any version encrypted. A version that is not known may have been added by another process.
    pub(super) fn open(&self, sealed: &[u8], purpose: &[&[u8]]) -> Result<Zeroizing<Vec<u8>>, StoreError> {
        if !self.knows(sealed) {
            self.refresh();
        }
        self.with(|keys| keys.open(sealed, purpose))
    }

    /// Whether it has the version that encrypted this.
    pub(super) fn knows(&self, sealed: &[u8]) -> bool {
        self.with(|keys| keys.knows(sealed))
    }

    /// Those of these versions that it lacks. One that is not known may have been added by another process.
    pub(super) fn lacking(&self, mut versions: Vec<u32>) -> Vec<u32> {
        let lacks = |version: &u32| self.with(|keys| keys.lacks(*version));
        if versions.iter().any(lacks) {
            self.refresh();
        }
        versions.retain(lacks);
        versions
    }

    fn with<T>(&self, use_keys: impl FnOnce(&MasterKeys) -> T) -> T {
        use_keys(&self.known.read().unwrap_or_else(PoisonError::into_inner).keys)
    }

    /// Reads the file if it was changed. If it cannot be read or parsed, the known keys stay in use: they still decrypt what is
    /// stored, and the file is tested at the next start.
    fn refresh(&self) {
        let Some(path) = &self.path else { return };
        // Over NFS, what is known of a file may be a minute old, in which a rotation has begun to remove the version that this process encrypts
        // with. Opening it asks the server.
        drop(File::open(path));
        let Ok(found) = fs::metadata(path) else { return };
        let stamp = Some((found.modified().ok(), found.len()));
        if self.known.read().unwrap_or_else(PoisonError::into_inner).stamp == stamp {
            return;
        }
        match MasterKeys::load(path) {
            Ok(keys) => *self.known.write().unwrap_or_else(PoisonError::into_inner) = Known { stamp, keys },
            Err(error) => tracing::error!(%error, "the changed master key file is not used"),
        }
    }
}
