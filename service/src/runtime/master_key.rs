//! Which versions of the master key are needed, and whether this process has them.

use crate::Honnin;
use std::collections::BTreeSet;
use store::{StoreError, people::second_factors, settings::webhook_secrets};

/// Webhook signing secrets and authenticator secrets, as they are stored.
///
/// # Errors
/// If the database does not respond.
pub(crate) async fn list_secrets(honnin: &Honnin) -> Result<Vec<Vec<u8>>, StoreError> {
    let webhook = honnin
        .db
        .read(async |tx| webhook_secrets::list_sealed(tx).await)
        .await?;
    let apps = honnin
        .db
        .read(async |tx| second_factors::list_authenticators(tx).await)
        .await?;
    let webhook = webhook.into_iter().filter_map(|row| row.sealed);
    Ok(webhook.chain(apps.into_iter().map(|(_, secret)| secret)).collect())
}

/// The versions of the master key that encrypt something and that this process lacks, oldest first: what they encrypt cannot be read.
///
/// # Errors
/// If a database does not respond.
pub async fn list_missing(honnin: &Honnin) -> Result<Vec<u32>, StoreError> {
    let mut used: BTreeSet<u32> = honnin.vault.list_versions().await?.into_iter().collect();
    let secrets = list_secrets(honnin).await?;
    used.extend(secrets.iter().filter_map(|sealed| honnin.vault.version_of(sealed)));
    Ok(honnin.vault.lacking(used.into_iter().collect()))
}

/// Says in the log which versions of the master key are missing. A start tests one session key and one secret, which another version may
/// encrypt.
///
/// # Errors
/// If a database does not respond.
pub async fn warn_of_missing(honnin: &Honnin) -> Result<(), StoreError> {
    for version in list_missing(honnin).await? {
        tracing::error!(
            version,
            "a version of the master key is missing: what it encrypts cannot be read until its line is put back; \
             `honnin keys check` says how much that is"
        );
    }
    Ok(())
}
