//! Gets the master key from where the configuration says. It is never logged, and errors do not quote it.

mod command;
mod service;

use crate::config::{Config, MasterKey};
use std::{
    io,
    path::{Path, PathBuf},
};
use store::{
    Db, DbOptions, StoreError,
    vault::{MasterKeys, Vault},
};
use zeroize::Zeroizing;

/// The longest text of master keys that is read: a thousand versions.
const LONGEST: usize = 80 * 1024;

/// Why there is no master key.
#[derive(Debug, thiserror::Error)]
pub enum MasterKeyError {
    /// systemd passes no credentials.
    #[error(
        "systemd passes no credentials to this process ($CREDENTIALS_DIRECTORY is not set); the unit needs \
         LoadCredential= or LoadCredentialEncrypted="
    )]
    NoCredentials,
    /// The credential, or the file of the token, cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    File {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The command failed.
    #[error("{program} {reason}")]
    Command {
        /// Its program.
        program: String,
        /// What went wrong.
        reason: String,
    },
    /// The key service failed.
    #[error("the key service {0}")]
    Service(String),
    /// What was received is no master key, or does not fit what is stored.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The keys that are there now.
///
/// # Errors
/// [`MasterKeyError`].
pub async fn load(source: &MasterKey) -> Result<MasterKeys, MasterKeyError> {
    let text = match source {
        MasterKey::File(path) => return Ok(MasterKeys::load(path)?),
        MasterKey::Credential { folder: None, .. } => return Err(MasterKeyError::NoCredentials),
        MasterKey::Credential {
            folder: Some(folder),
            name,
        } => read(&folder.join(name))?,
        MasterKey::Command(command) => command::output(command).await?,
        MasterKey::Service(from) => service::ask(from).await?,
    };
    Ok(MasterKeys::from_text(&text)?)
}

/// Opens the database of keys with the master key.
///
/// # Errors
/// [`MasterKeyError`].
pub(crate) async fn open_vault(config: &Config, options: DbOptions, db: &Db) -> Result<Vault, MasterKeyError> {
    if let MasterKey::File(path) = &config.master_key {
        return Ok(Vault::open_with_file(&config.keys_url, options, path, db).await?);
    }
    let keys = load(&config.master_key).await?;
    Ok(Vault::open_with_keys(&config.keys_url, options, keys, db).await?)
}

/// A secret in a file of its own.
pub(crate) fn read(path: &Path) -> Result<Zeroizing<String>, MasterKeyError> {
    let text = std::fs::read_to_string(path).map(Zeroizing::new);
    text.map_err(|source| MasterKeyError::File {
        path: path.to_owned(),
        source,
    })
}

#[cfg(test)]
mod tests;
