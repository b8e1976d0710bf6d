//! The master keys: a small text file, one key per line, the newest in use. They encrypt the sessions' keys and the few secrets
//! that must be readable again. Anyone who has the file and both databases can read everything, so it is stored separately.

use super::{
    associated_data::context,
    seal::{self, RawKey},
};
use crate::{StoreError, folders::sync_name};
use std::{
    collections::BTreeMap,
    fs::{self, File, Metadata, OpenOptions, Permissions},
    io::{ErrorKind, Write as _},
    os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _, fchown},
    path::{Path, PathBuf},
    sync::Arc,
};
use zeroize::Zeroizing;

const HEADER: &str =
    "# Honnin's master keys: a version and 64 hex digits on each line. Losing this file loses all personal data.\n";

/// What a mode says of who may read, write and execute.
const MODE: u32 = 0o777;

/// All versions of the master key.
#[derive(Clone)]
pub struct MasterKeys {
    /// Used for encryption, at the latest once a rotation has begun to use it.
    newest: (u32, RawKey),
    older: BTreeMap<u32, RawKey>,
}

impl MasterKeys {
    /// Reads the file at `path`, or creates it with one new key, readable by its owner only, if there is none. Only for an
    /// installation that has nothing encrypted yet: [`super::Vault::open_with_file`] makes sure of that.
    ///
    /// # Errors
    /// If the file cannot be read, created or parsed.
    pub fn load_or_create(path: &Path) -> Result<Self, StoreError> {
        match fs::read_to_string(path) {
            Ok(text) => {
                let text = Zeroizing::new(text);
                // A process that was killed may have created it a moment ago, and what it encrypts is about to be acknowledged. A
                // folder that cannot be synced is not one that it was created in.
                drop(sync_name(path));
                Self::parse(&text)
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {
                let text = Zeroizing::new(format!("{HEADER}{}", new_line(1)?.as_str()));
                match write_new(path, &text) {
                    Ok(()) => Self::parse(&text),
                    // Another process was faster; its key is used.
                    Err(error) if error.kind() == ErrorKind::AlreadyExists => Self::load(path),
                    Err(error) => Err(cannot("create", &error)),
                }
            }
            Err(error) => Err(cannot("read", &error)),
        }
    }

    /// Reads the file at `path`.
    ///
    /// # Errors
    /// If the file cannot be read or parsed.
    pub fn load(path: &Path) -> Result<Self, StoreError> {
        let text = fs::read_to_string(path).map_err(|error| cannot("read", &error))?;
        Self::parse(&Zeroizing::new(text))
    }

    /// Adds a new version to the file at `path`, and returns its number.
    pub(super) fn add_version(path: &Path) -> Result<u32, StoreError> {
        let text = Zeroizing::new(fs::read_to_string(path).map_err(|error| cannot("read", &error))?);
        let next = Self::parse(&text)?.newest().0.checked_add(1);
        let next = next.ok_or(StoreError::Corrupt(
            "no version of the master key can follow the newest",
        ))?;
        let separator = if text.ends_with('\n') { "" } else { "\n" };
        let text = Zeroizing::new(format!("{}{separator}{}", text.as_str(), new_line(next)?.as_str()));
        replace(path, &text)?;
        Ok(next)
    }

    /// Removes all versions but the newest from the file at `path`, and returns how many.
    pub(super) fn keep_newest(path: &Path) -> Result<usize, StoreError> {
        let keys = Self::load(path)?;
        let (version, key) = keys.newest();
        let digits = Zeroizing::new(hex::encode(***key));
        let text = Zeroizing::new(format!("{HEADER}{version} {}\n", digits.as_str()));
        replace(path, &text)?;
        Ok(keys.older.len())
    }

    /// The versions in the file, oldest first.
    #[must_use]
    pub fn versions(&self) -> Vec<u32> {
        self.older.keys().copied().chain([self.newest.0]).collect()
    }

    /// Reads the text of a key file that is kept elsewhere. A key alone, 64 hex digits, is version 1.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] if it does not parse.
    pub fn from_text(text: &str) -> Result<Self, StoreError> {
        let bare = text.trim();
        if bare.len() == 64 && bare.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            let text = Zeroizing::new(format!("1 {bare}"));
            return Self::parse(&text);
        }
        Self::parse(text)
    }

    /// The text of a key file with one new key.
    ///
    /// # Errors
    /// If the operating system provides no randomness.
    pub fn generate(version: u32) -> Result<Zeroizing<String>, StoreError> {
        new_line(version)
    }

    fn parse(text: &str) -> Result<Self, StoreError> {
        const MALFORMED: StoreError =
            StoreError::Corrupt("the master key is malformed: each line has a version, a blank and 64 hex digits");
        let mut versions = BTreeMap::new();
        for line in text
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty() && !line.starts_with('#'))
        {
            let (version, digits) = line.split_once(' ').ok_or(MALFORMED)?;
            let mut key = Zeroizing::new([0; 32]);
            hex::decode_to_slice(digits.trim(), &mut *key).map_err(|_| MALFORMED)?;
            if versions
                .insert(version.parse().map_err(|_| MALFORMED)?, Arc::new(key))
                .is_some()
            {
                return Err(MALFORMED);
            }
        }
        let newest = versions.pop_last().ok_or(MALFORMED)?;
        Ok(Self {
            newest,
            older: versions,
        })
    }

    /// The newest version, and its key.
    pub(super) const fn newest(&self) -> (u32, &RawKey) {
        (self.newest.0, &self.newest.1)
    }

    fn find(&self, version: u32) -> Option<&RawKey> {
        let (newest, key) = self.newest();
        if version == newest {
            Some(key)
        } else {
            self.older.get(&version)
        }
    }

    /// Whether this version is not among them.
    pub(super) fn lacks(&self, version: u32) -> bool {
        self.find(version).is_none()
    }

    /// Encrypts with this version, whose number precedes the encrypted bytes.
    pub(super) fn seal(&self, version: u32, plain: &[u8], purpose: &[&[u8]]) -> Result<Vec<u8>, StoreError> {
        let key = self.find(version).ok_or(StoreError::MasterKeyMissing)?;
        let mut sealed = version.to_be_bytes().to_vec();
        sealed.extend(seal::seal(key, plain, &bound_to(version, purpose))?);
        Ok(sealed)
    }

    /// Whether the version that encrypted this is known.
    pub(super) fn knows(&self, sealed: &[u8]) -> bool {
        version_of(sealed).is_some_and(|version| self.find(version).is_some())
    }

    /// Whether they decrypt a stored data key.
    pub(crate) fn opens(&self, data_key: &str, sealed: &[u8]) -> bool {
        self.open(sealed, &super::data_key(data_key)).is_ok()
    }

    /// The version that encrypted this, if it is not known.
    pub(crate) fn missing_version(&self, sealed: &[u8]) -> Option<u32> {
        version_of(sealed).filter(|version| self.find(*version).is_none())
    }

    /// Decrypts what any known version encrypted.
    pub(super) fn open(&self, sealed: &[u8], purpose: &[&[u8]]) -> Result<Zeroizing<Vec<u8>>, StoreError> {
        let (version, sealed) = sealed
            .split_first_chunk::<4>()
            .ok_or(StoreError::Corrupt("encrypted data cannot be decrypted"))?;
        let version = u32::from_be_bytes(*version);
        let key = self.find(version).ok_or(StoreError::MasterKeyMissing)?;
        seal::open(key, sealed, &bound_to(version, purpose)).map(Zeroizing::new)
    }
}

impl std::fmt::Debug for MasterKeys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "MasterKeys({} versions)", self.older.len() + 1)
    }
}

/// The version that precedes encrypted bytes.
pub(super) fn version_of(sealed: &[u8]) -> Option<u32> {
    sealed.first_chunk::<4>().map(|version| u32::from_be_bytes(*version))
}

fn bound_to(version: u32, purpose: &[&[u8]]) -> Vec<u8> {
    let version = version.to_be_bytes();
    let mut parts = vec![b"honnin/master/1".as_slice(), &version];
    parts.extend_from_slice(purpose);
    context(&parts)
}

fn new_line(version: u32) -> Result<Zeroizing<String>, StoreError> {
    let key = Zeroizing::new(seal::random::<32>()?);
    let digits = Zeroizing::new(hex::encode(*key));
    Ok(Zeroizing::new(format!("{version} {}\n", digits.as_str())))
}

/// Replaces the file at once: a reader sees the old keys or the new ones. Only one process does it at a time ([`super::Rotation`]), so
/// what one that was killed has left is simply written over.
fn replace(path: &Path, text: &str) -> Result<(), StoreError> {
    let staged = staged_name(path);
    drop(fs::remove_file(&staged));
    write_and_sync(&staged, text, Some(path))
        .and_then(|()| fs::rename(&staged, path))
        .and_then(|()| sync_name(path))
        .map_err(|error| cannot("write", &error))
}

/// Where the next content of the file is written before it takes its place.
pub(super) fn staged_name(path: &Path) -> PathBuf {
    path.with_extension("new")
}

/// Creates a new file completely or not at all, and durably: data encrypted with a key that a power cut took back would be
/// lost.
fn write_new(path: &Path, text: &str) -> std::io::Result<()> {
    // Nobody else's, and not what a killed process has left: in a container, every process may have the same number.
    let number = seal::random::<8>().map_err(std::io::Error::other)?;
    let staged = path.with_extension(format!("{}.part", hex::encode(number)));
    // Unlike a rename, a hard link does not replace an existing file.
    let written = write_and_sync(&staged, text, None).and_then(|()| fs::hard_link(&staged, path));
    drop(fs::remove_file(&staged));
    written.and_then(|()| sync_name(path))
}

/// Creates a file that only its owner can read, or those who can read the file that it replaces. Its name is not durable yet.
fn write_and_sync(path: &Path, text: &str, replaced: Option<&Path>) -> std::io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).mode(0o600);
    let mut file = options.open(path)?;
    file.write_all(text.as_bytes())?;
    if let Some(replaced) = replaced {
        let was = fs::metadata(replaced)?;
        keep_owner(&file, &was)?;
        let wanted = was.mode() & MODE;
        // Some file systems have one mode for all files, and refuse to change it.
        if file.metadata()?.mode() & MODE != wanted {
            file.set_permissions(Permissions::from_mode(wanted))?;
        }
    }
    file.sync_all()
}

/// Gives a file to the owner of the one that it replaces or belongs to. When root rotates, the service of another user can still read the keys.
pub(super) fn keep_owner(file: &File, was: &Metadata) -> std::io::Result<()> {
    let is = file.metadata()?;
    let given = fchown(file, Some(was.uid()), Some(was.gid()));
    // A group that cannot be set does not matter if it has no permissions.
    if is.uid() != was.uid() || (is.gid() != was.gid() && was.mode() & 0o070 != 0) {
        given?;
    }
    Ok(())
}

pub(super) fn cannot(what: &str, error: &std::io::Error) -> StoreError {
    StoreError::Locked(format!("cannot {what} the master key file: {error}").into())
}
