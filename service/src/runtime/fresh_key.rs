//! A data key for something that is about to be stored.

use std::ops::Deref;
use store::{
    StoreError,
    vault::{SessionKey, Vault},
};

/// A key that was taken from the vault, and belongs into the unit that stores what it is for. When the unit is over, or was never run, the
/// vault gets it back, unless a row may name it.
pub(crate) struct FreshKey {
    vault: Vault,
    key: SessionKey,
    may_be_named: bool,
}

impl FreshKey {
    /// Takes one.
    ///
    /// # Errors
    /// If none is left and the key database does not respond.
    pub(crate) async fn take(vault: &Vault) -> Result<Self, StoreError> {
        Ok(Self {
            key: vault.take().await?,
            vault: vault.clone(),
            may_be_named: false,
        })
    }

    /// The unit begins: what an earlier run of it stored was rolled back.
    pub(crate) const fn mark_unnamed(&mut self) {
        self.may_be_named = false;
    }

    /// The unit has stored a row that names the key, and is about to be committed. Whether that succeeds may never be known.
    pub(crate) const fn mark_named(&mut self) {
        self.may_be_named = true;
    }
}

impl Deref for FreshKey {
    type Target = SessionKey;

    fn deref(&self) -> &SessionKey {
        &self.key
    }
}

impl Drop for FreshKey {
    fn drop(&mut self) {
        if !self.may_be_named {
            self.vault.give_back(self.key.clone());
        }
    }
}
