//! Changing the file of the master keys, by one process at a time: if two each added a version, one would remove the other's, and
//! with it access to what had been encrypted in between.

use super::{
    MasterKeys,
    master::{cannot, keep_owner, staged_name},
};
use crate::StoreError;
use rustix::fs::OFlags;
use std::{
    fs::{self, File, OpenOptions, TryLockError},
    os::unix::fs::{MetadataExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
};

/// The error while another process rotates.
const BUSY: &str = "another process is rotating the master key: wait until it has ended";

/// The error if the file is a link, which a rotation would replace: where it leads, the key would stay that nothing is encrypted with any more.
const LINK: &str = "the master key file is a symbolic link, in whose place the new key would be written, and not where it leads: \
                    name the file itself in storage.master_key_file";

/// The right to change a file of master keys. It ends with its process, however that ends.
#[derive(Debug)]
pub struct Rotation {
    path: PathBuf,
    _lock: File,
}

impl Rotation {
    /// Begins to change the file at `path`. A file beside it, `.lock`, is locked meanwhile, and stays empty afterwards. What an
    /// interrupted rotation has left beside the file is removed.
    ///
    /// # Errors
    /// [`StoreError::Locked`] if another process is doing it, if the file is a symbolic link, or if the file beside it cannot be locked.
    pub fn begin(path: &Path) -> Result<Self, StoreError> {
        if fs::symlink_metadata(path).is_ok_and(|found| found.is_symlink()) {
            return Err(StoreError::Locked(LINK.into()));
        }
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(false).mode(0o600);
        // The owner of the folder must not be able to make root lock, and give away, a file that is elsewhere.
        options.custom_flags(OFlags::NOFOLLOW.bits().cast_signed());
        let lock = options
            .open(path.with_extension("lock"))
            .map_err(|error| cannot("lock", &error))?;
        lock.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => StoreError::Locked(BUSY.into()),
            TryLockError::Error(error) => cannot("lock", &error),
        })?;
        // One that belongs to root would keep the service's user from the next rotation.
        let is_ours = lock.metadata().is_ok_and(|found| found.is_file() && found.nlink() == 1);
        if let Ok(of) = fs::metadata(path)
            && is_ours
        {
            drop(keep_owner(&lock, &of));
        }
        // It holds keys. There usually is none.
        drop(fs::remove_file(staged_name(path)));
        Ok(Self {
            path: path.to_owned(),
            _lock: lock,
        })
    }

    /// The keys in the file.
    ///
    /// # Errors
    /// If the file cannot be read or parsed.
    pub fn keys(&self) -> Result<MasterKeys, StoreError> {
        MasterKeys::load(&self.path)
    }

    /// Adds a new version, and returns its number. Running processes encrypt with it from then on; older versions still decrypt.
    ///
    /// # Errors
    /// If the file cannot be read, parsed or written.
    pub fn add_version(&self) -> Result<u32, StoreError> {
        MasterKeys::add_version(&self.path)
    }

    /// Removes all versions but the newest, and returns how many. What they encrypted cannot be read afterwards.
    ///
    /// # Errors
    /// If the file cannot be read, parsed or written.
    pub fn keep_newest(&self) -> Result<usize, StoreError> {
        MasterKeys::keep_newest(&self.path)
    }
}
