//! The keys for encryption at rest: one data key per session, encrypted with the master key, in a separate database. Destroying
//! a session's key makes its columns and pictures unreadable in every copy, backups included.
//!
//! Keys are made durable in advance, in batches, and taken from memory: a session is created in one commit of the main database. A
//! key that certainly no row refers to is returned to the pool for the next session. One that was created but never assigned,
//! because the process crashed, encrypts nothing and stays as a harmless row.

mod associated_data;
#[cfg(test)]
mod fuzz;
mod key_file;
mod keyring;
mod master;
mod opened;
mod rotation;
mod scratch;
mod seal;

pub use associated_data::{AssociatedData, SealedValue};
pub use master::MasterKeys;
pub use rotation::Rotation;
pub use scratch::Scratch;
pub use seal::{FingerprintKey, SessionKey};

use crate::{
    StoreError,
    db::{Db, DbOptions, Schema},
    settings::webhook_secrets::{self, SecretRow},
    write_checks,
};
use domain::secret::Secret;
use key_file::KeyFile;
use keyring::SealedKey;
use opened::Opened;
use seal::{RawKey, random};
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    path::Path,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Instant,
};
use zeroize::Zeroizing;

/// Number of keys made durable in one commit; when half of them are left, more are created.
const BATCH: usize = 64;
/// The number of keys after a batch was made with half of the last one left. If there are more, because many were returned, all but one
/// batch are removed.
const MAX_UNUSED: usize = BATCH + BATCH / 2;
/// Keys listed or destroyed in one unit of work.
const PAGE: u32 = 500;
/// The error if the file of the master keys is missing.
const MISSING: &str = "the file is missing, but stored data is encrypted with its keys; restore the file";
/// The error if the keys are another installation's.
const FOREIGN: &str = "its keys cannot decrypt the stored data; restore the ones with which the data was encrypted";

/// The error for master keys that do not decrypt the stored data.
fn unusable(error: &StoreError, sealed: &[u8]) -> StoreError {
    match (error, master::version_of(sealed)) {
        (StoreError::MasterKeyMissing, Some(version)) => StoreError::Locked(
            format!("its keys cannot decrypt the stored data: version {version} is missing; put its line back").into(),
        ),
        _ => StoreError::Locked(FOREIGN.into()),
    }
}

/// The name of a data key: `dk_` and 32 hex digits. Stored in the session's row; reveals nothing about the session.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DataKeyId(String);

impl DataKeyId {
    /// A new id in a batch, which is identified by its random bytes. The ids of a batch are adjacent, so that the batch is written to
    /// one or two pages of the index instead of one page for each key.
    fn generate(batch: [u8; 8]) -> Result<Self, StoreError> {
        Ok(Self(format!(
            "dk_{}{}",
            hex::encode(batch),
            hex::encode(random::<8>()?)
        )))
    }

    /// Parses a stored id.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix("dk_")?;
        let exact = digits.len() == 32 && digits.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        exact.then(|| Self(text.to_owned()))
    }

    /// Reads a stored id.
    ///
    /// # Errors [`StoreError::Corrupt`] if it is not valid.
    pub(crate) fn stored(text: &str) -> Result<Self, StoreError> {
        Self::parse(text).ok_or(StoreError::Corrupt("a malformed key id"))
    }

    /// The id as it is stored.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for DataKeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Issues, decrypts and destroys data keys. Cheap to clone.
#[derive(Clone)]
pub struct Vault(Arc<Inner>);

struct Inner {
    keys: Db,
    master: KeyFile,
    unused: Mutex<Vec<SessionKey>>,
    filling: tokio::sync::Mutex<()>,
    opened: Mutex<Opened>,
}

impl Vault {
    /// Opens the key database at `url`, which must not be the main database.
    ///
    /// # Errors
    /// If the database does not respond.
    pub async fn open_at(url: &str, options: DbOptions, master: MasterKeys) -> Result<Self, StoreError> {
        let keys = Db::open_schema(url, options, Schema::Keys).await?;
        Ok(Self::with(keys, KeyFile::fixed(master)))
    }

    fn with(keys: Db, master: KeyFile) -> Self {
        let (unused, filling, opened) = (Mutex::default(), tokio::sync::Mutex::default(), Mutex::default());
        Self(Arc::new(Inner {
            keys,
            master,
            unused,
            filling,
            opened,
        }))
    }

    /// Opens the key database at `url`, with the master keys of `file`. The file is created only if nothing is encrypted yet,
    /// neither in the key database nor in `db`; otherwise its keys must decrypt what is stored.
    ///
    /// # Errors
    /// [`StoreError::Locked`] if the file is missing, unreadable or another installation's; or if a database does not respond.
    pub async fn open_with_file(url: &str, options: DbOptions, file: &Path, db: &Db) -> Result<Self, StoreError> {
        let keys = Db::open_schema(url, options, Schema::Keys).await?;
        let key = keys.read(async |tx| keyring::find_any(tx).await).await?;
        let secret = db.read(async |tx| webhook_secrets::find_any(tx).await).await?;
        let master = if key.is_none() && secret.is_none() {
            MasterKeys::load_or_create(file)?
        } else if let Ok(false) = file.try_exists() {
            return Err(StoreError::Locked(MISSING.into()));
        } else {
            MasterKeys::load(file)?
        };
        let vault = Self::with(keys, KeyFile::of(file.to_owned(), master));
        vault.test_keys(key, secret)?;
        Ok(vault)
    }

    /// Opens the key database at `url`, with master keys that are kept elsewhere. They must decrypt what is stored.
    ///
    /// # Errors
    /// [`StoreError::Locked`] if they are another installation's; or if a database does not respond.
    pub async fn open_with_keys(
        url: &str,
        options: DbOptions,
        master: MasterKeys,
        db: &Db,
    ) -> Result<Self, StoreError> {
        let vault = Self::open_at(url, options, master).await?;
        let key = vault.0.keys.read(async |tx| keyring::find_any(tx).await).await?;
        let secret = db.read(async |tx| webhook_secrets::find_any(tx).await).await?;
        vault.test_keys(key, secret)?;
        Ok(vault)
    }

    /// Tests the master keys on one stored key and one stored secret.
    fn test_keys(&self, key: Option<SealedKey>, secret: Option<SecretRow>) -> Result<(), StoreError> {
        if let Some(key) = key {
            self.unsealed(&key).map_err(|error| unusable(&error, &key.sealed))?;
        }
        if let Some(row) = secret
            && let Some(sealed) = &row.sealed
        {
            let opened = self.open_secret(row.tenant.as_str(), row.id.as_str(), sealed);
            opened.map_err(|error| unusable(&error, sealed))?;
        }
        Ok(())
    }

    /// A new key for a new session. It is already durable; assign it by storing its id in the session's row.
    ///
    /// # Errors
    /// If no key is left and the key database does not respond.
    pub async fn take(&self) -> Result<SessionKey, StoreError> {
        loop {
            let taken = {
                let mut unused = lock(&self.0.unused);
                unused.pop().map(|key| (key, unused.len()))
            };
            if let Some((key, left)) = taken {
                self.adjust_supply(left);
                return Ok(key);
            }
            self.fill().await?;
        }
    }

    /// Begins to make or remove keys, if those `left` are few or many. Nobody waits for it, and a failure is harmless: whoever takes the last key
    /// tries again and reports the reason.
    fn adjust_supply(&self, left: usize) {
        if left == BATCH / 2 {
            let me = self.clone();
            tokio::spawn(async move {
                if let Err(error) = me.make_batch().await {
                    tracing::debug!(%error, "cannot make keys in advance");
                }
            });
        } else if left >= MAX_UNUSED {
            let me = self.clone();
            tokio::spawn(async move {
                if let Err(error) = me.remove_surplus().await {
                    tracing::debug!(%error, "cannot remove keys that nobody needs");
                }
            });
        }
    }

    /// Returns a key to the pool. It must be certain that no row refers to it, and that none will.
    pub fn give_back(&self, key: SessionKey) {
        lock(&self.0.unused).push(key);
    }

    /// Removes returned keys, if there are more than needed in advance. If that fails, it is unknown whether they are still stored, so
    /// they must not be used.
    async fn remove_surplus(&self) -> Result<(), StoreError> {
        let _only_one = self.0.filling.lock().await;
        let surplus = {
            let mut unused = lock(&self.0.unused);
            let kept = unused.len().min(BATCH);
            unused.split_off(kept)
        };
        self.remove(surplus).await
    }

    /// Removes keys that are neither in use nor available.
    async fn remove(&self, unused: Vec<SessionKey>) -> Result<(), StoreError> {
        let remove = self.0.keys.write(async move |tx| -> Result<_, StoreError> {
            for key in &unused {
                keyring::delete(tx, key.id()).await?;
            }
            Ok(())
        });
        remove.await
    }

    /// Creates more keys. It runs in a separate task: otherwise a durable batch would be lost if the caller went away.
    async fn fill(&self) -> Result<(), StoreError> {
        let me = self.clone();
        let filled = tokio::spawn(async move { me.make_batch().await }).await;
        filled.unwrap_or(Err(StoreError::Panicked))
    }

    /// Makes a batch of keys durable, unless another task just did.
    async fn make_batch(&self) -> Result<(), StoreError> {
        let _only_one = self.0.filling.lock().await;
        if lock(&self.0.unused).len() > BATCH / 2 {
            return Ok(());
        }
        let (batch, version) = (random()?, self.version_in_use().await?);
        let (made, rows): (Vec<_>, Vec<_>) = (0..BATCH)
            .map(|_| {
                let (id, key) = (DataKeyId::generate(batch)?, Arc::new(Zeroizing::new(random::<32>()?)));
                let row = self.sealed(version, &id, &key)?;
                Ok((SessionKey { id, key }, row))
            })
            .collect::<Result<Vec<_>, StoreError>>()?
            .into_iter()
            .unzip();
        let store = self.0.keys.write(async move |tx| keyring::insert(tx, &rows).await);
        store.await?;
        lock(&self.0.unused).extend(made);
        Ok(())
    }

    /// The key of a session.
    ///
    /// # Errors
    /// [`StoreError::Erased`] if it was destroyed, [`StoreError::MasterKeyMissing`] if this process lacks its master key.
    pub async fn open(&self, id: &DataKeyId) -> Result<SessionKey, StoreError> {
        let destructions = {
            let mut opened = lock(&self.0.opened);
            if let Some(key) = opened.find(id, Instant::now()) {
                return Ok(key);
            }
            opened.destructions()
        };
        let wanted = id.clone();
        let find = self.0.keys.ask(async move |tx| keyring::find(tx, &wanted).await);
        let row = find.await?.ok_or(StoreError::Erased)?;
        let key = SessionKey {
            id: id.clone(),
            key: self.unsealed(&row)?,
        };
        lock(&self.0.opened).keep(key.clone(), destructions, Instant::now());
        Ok(key)
    }

    /// The keys of many sessions. They are not cached, because a search reads each of them once.
    ///
    /// # Errors
    /// If the key database does not respond.
    pub async fn open_many(&self, ids: &[DataKeyId]) -> Result<OpenedKeys, StoreError> {
        let wanted = ids.to_vec();
        let find = self.0.keys.ask(async move |tx| keyring::list_by_ids(tx, &wanted).await);
        let mut opened = OpenedKeys::default();
        for row in find.await? {
            match (DataKeyId::parse(&row.id), self.unsealed(&row)) {
                (Some(id), Ok(key)) => drop(opened.keys.insert(id.clone(), SessionKey { id, key })),
                (_, unsealed) => {
                    let error = unsealed.err().map(|error| error.to_string());
                    tracing::error!(id = row.id, error, "a data key cannot be decrypted");
                    opened.without_version += usize::from(!self.0.master.knows(&row.sealed));
                }
            }
        }
        Ok(opened)
    }

    /// Which of these keys do not exist: they were destroyed.
    ///
    /// # Errors
    /// If the key database does not respond.
    pub async fn list_destroyed(&self, ids: &[DataKeyId]) -> Result<Vec<DataKeyId>, StoreError> {
        let wanted = ids.to_vec();
        let find = self.0.keys.ask(async move |tx| keyring::list_by_ids(tx, &wanted).await);
        let found: BTreeSet<String> = find.await?.into_iter().map(|row| row.id).collect();
        Ok(ids.iter().filter(|id| !found.contains(id.as_str())).cloned().collect())
    }

    /// Destroys a key permanently. Destroying it again does nothing. Returns false if a reader kept the key's bytes in SQLite's
    /// write-ahead log: then call it again.
    ///
    /// # Errors
    /// If the key database does not respond. The key may still exist then: retry.
    pub async fn destroy(&self, id: &DataKeyId) -> Result<bool, StoreError> {
        let doomed = id.clone();
        let delete = self.0.keys.write(async move |tx| keyring::delete(tx, &doomed).await);
        let deleted = delete.await;
        lock(&self.0.opened).forget_destroyed(id);
        deleted?;
        self.0.keys.checkpoint().await
    }

    /// The keys that are neither among these nor among those that this process has made in advance. Call it only while nobody else takes keys.
    ///
    /// # Errors
    /// If the key database does not respond.
    pub async fn list_unnamed(&self, named: &BTreeSet<DataKeyId>) -> Result<Vec<DataKeyId>, StoreError> {
        // No batch is stored and not in memory yet.
        let _only_one = self.0.filling.lock().await;
        let (mut unnamed, mut last) = (Vec::new(), None);
        loop {
            let after: Option<DataKeyId> = last.take();
            let list = self
                .0
                .keys
                .ask(async move |tx| keyring::list_ids(tx, after.as_ref(), i64::from(PAGE)).await);
            let ids = list.await?;
            last = ids.last().cloned();
            if last.is_none() {
                break;
            }
            unnamed.extend(ids.into_iter().filter(|id| !named.contains(id)));
        }
        let in_advance: BTreeSet<_> = lock(&self.0.unused).iter().map(|key| key.id().clone()).collect();
        unnamed.retain(|id| !in_advance.contains(id));
        Ok(unnamed)
    }

    /// Destroys many keys permanently. Returns false if a reader kept bytes of them in SQLite's write-ahead log, which closing the database
    /// empties.
    ///
    /// # Errors
    /// If the key database does not respond. Some keys may still exist then: retry.
    pub async fn destroy_many(&self, ids: &[DataKeyId]) -> Result<bool, StoreError> {
        for some in ids.chunks(PAGE as usize) {
            let doomed = some.to_vec();
            let delete = self.0.keys.write(async move |tx| -> Result<_, StoreError> {
                for id in &doomed {
                    keyring::delete(tx, id).await?;
                }
                Ok(())
            });
            let deleted = delete.await;
            some.iter().for_each(|id| lock(&self.0.opened).forget_destroyed(id));
            deleted?;
        }
        self.0.keys.checkpoint().await
    }

    /// Whether the key database accepts writes, for the readiness check.
    ///
    /// # Errors
    /// If it does not.
    pub async fn check(&self) -> Result<(), StoreError> {
        self.0.keys.write(async |tx| write_checks::write(tx).await).await
    }

    /// The version of the master key that encrypts new data. Where processes read the keys only at their start, some may lack the newest version
    /// until all have been restarted. So it is used only once a rotation, which comes after that, has encrypted a data key with it.
    async fn version_in_use(&self) -> Result<u32, StoreError> {
        let newest = self.0.master.newest();
        if self.0.master.is_read_again() {
            return Ok(newest);
        }
        let in_use = self.0.keys.ask(async |tx| keyring::find_newest_version(tx).await);
        Ok(in_use.await?.unwrap_or(newest))
    }

    /// Encrypts a secret of a tenant or person, identified by id, that must be readable again, such as a webhook signing secret.
    ///
    /// # Errors
    /// [`StoreError::MasterKeyMissing`] if a rotation uses a version that this process lacks; if the key database does not respond, or the operating
    /// system provides no randomness.
    pub async fn seal_secret(&self, owner: &str, name: &str, secret: &[u8]) -> Result<Vec<u8>, StoreError> {
        let version = self.version_in_use().await?;
        self.0.master.seal(version, secret, &secret_of(owner, name))
    }

    /// The same with the newest master key, for a rotation.
    ///
    /// # Errors
    /// If the operating system provides no randomness.
    pub fn seal_secret_anew(&self, owner: &str, name: &str, secret: &[u8]) -> Result<Vec<u8>, StoreError> {
        let newest = self.0.master.newest();
        self.0.master.seal(newest, secret, &secret_of(owner, name))
    }

    /// Decrypts the output of [`Vault::seal_secret`] for the same owner and name.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] if it was tampered with or moved, [`StoreError::MasterKeyMissing`] if this process lacks its master key.
    pub fn open_secret(&self, owner: &str, name: &str, sealed: &[u8]) -> Result<Secret<Vec<u8>>, StoreError> {
        let mut plain = self.0.master.open(sealed, &secret_of(owner, name))?;
        Ok(Secret::new(std::mem::take(&mut *plain)))
    }

    /// After adding a master key: re-encrypts up to `limit` data keys with it. Returns how many were re-encrypted; 0 means that
    /// the older master keys can be removed, once the secrets are re-encrypted as well.
    ///
    /// # Errors
    /// If the key database does not respond or a key cannot be decrypted.
    pub async fn reseal_keys(&self, limit: u32) -> Result<usize, StoreError> {
        let newest = self.0.master.newest();
        let find = self
            .0
            .keys
            .read(async move |tx| keyring::list_sealed_before(tx, i64::from(newest), i64::from(limit)).await);
        let renewed = find
            .await?
            .into_iter()
            .map(|row| {
                let id = DataKeyId::stored(&row.id)?;
                self.sealed(newest, &id, &self.unsealed(&row)?)
            })
            .collect::<Result<Vec<_>, StoreError>>()?;
        let count = renewed.len();
        let store = self.0.keys.write(async move |tx| -> Result<_, StoreError> {
            for row in &renewed {
                keyring::replace(tx, row).await?;
            }
            Ok(())
        });
        store.await?;
        Ok(count)
    }

    /// Whether a secret is encrypted with the newest master key.
    #[must_use]
    pub fn is_current(&self, sealed: &[u8]) -> bool {
        self.version_of(sealed) == Some(self.0.master.newest())
    }

    /// The version of the master key that encrypts a secret, whether this process has it or not. `None` if these bytes are not encrypted data.
    #[must_use]
    pub fn version_of(&self, sealed: &[u8]) -> Option<u32> {
        master::version_of(sealed)
    }

    /// The newest version of the master key.
    #[must_use]
    pub fn newest_version(&self) -> u32 {
        self.0.master.newest()
    }

    /// The versions of the master key that encrypt data keys, oldest first.
    ///
    /// # Errors
    /// If the key database does not respond.
    pub async fn list_versions(&self) -> Result<Vec<u32>, StoreError> {
        self.0.keys.ask(async |tx| keyring::list_versions(tx).await).await
    }

    /// Which of these versions of the master key this process lacks: what they encrypt cannot be read here.
    #[must_use]
    pub fn lacking(&self, versions: Vec<u32>) -> Vec<u32> {
        self.0.master.lacking(versions)
    }

    /// How many data keys each version of the master key encrypts.
    ///
    /// # Errors
    /// If the key database does not respond.
    pub async fn count_keys(&self) -> Result<BTreeMap<u32, i64>, StoreError> {
        self.0.keys.read(async |tx| keyring::count_by_version(tx).await).await
    }

    /// Removes the keys that were created but not assigned, and closes the key database.
    ///
    /// # Errors
    /// If the key database does not respond.
    pub async fn close(&self) -> Result<(), StoreError> {
        let unused = std::mem::take(&mut *lock(&self.0.unused));
        let removed = self.remove(unused).await;
        self.0.keys.close().await;
        removed
    }

    fn sealed(&self, version: u32, id: &DataKeyId, key: &RawKey) -> Result<SealedKey, StoreError> {
        let sealed = self.0.master.seal(version, &***key, &data_key(id.as_str()))?;
        Ok(SealedKey {
            id: id.as_str().to_owned(),
            master_version: i64::from(version),
            sealed,
        })
    }

    fn unsealed(&self, row: &SealedKey) -> Result<RawKey, StoreError> {
        let plain = self.0.master.open(&row.sealed, &data_key(&row.id))?;
        let key = plain
            .as_slice()
            .try_into()
            .map_err(|_| StoreError::Corrupt("a data key of a wrong length"))?;
        Ok(Arc::new(Zeroizing::new(key)))
    }
}

/// Keys of sessions, without those that were destroyed.
#[derive(Default)]
pub struct OpenedKeys {
    /// By their ids.
    pub keys: BTreeMap<DataKeyId, SessionKey>,
    /// How many exist but cannot be decrypted here, because a version of the master key is missing. Damaged ones are not counted.
    pub without_version: usize,
}

impl fmt::Debug for Vault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Vault")
    }
}

const fn data_key(id: &str) -> [&[u8]; 2] {
    [b"data-key", id.as_bytes()]
}

fn secret_of<'a>(owner: &'a str, name: &'a str) -> [&'a [u8]; 3] {
    [b"secret", owner.as_bytes(), name.as_bytes()]
}

/// Nothing under these locks can panic, so a poisoned lock can be used like any other.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
