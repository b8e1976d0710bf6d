//! Rotating the master key while the installation serves: everything that the older versions encrypted is encrypted with the newest.

use crate::{Honnin, access::CommandLine, people::second_factor, runtime::master_key::list_secrets};
use domain::audit::AuditAction;
use std::collections::BTreeMap;
use store::{StoreError, audit, people::second_factors, settings::webhook_secrets};

/// Data keys encrypted in one unit of work.
const BATCH: u32 = 500;

/// What is encrypted with the master key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sealed {
    /// How many data keys each version of the master key encrypts, oldest first.
    pub keys: BTreeMap<u32, i64>,
    /// Webhook signing secrets and authenticator secrets.
    pub secrets: usize,
    /// How many of them each version of the master key encrypts, oldest first.
    pub secrets_by_version: BTreeMap<u32, usize>,
    /// How many of the secrets an older version encrypts.
    pub older_secrets: usize,
}

/// Encrypts everything with the newest version; returns how much was encrypted again. It can be interrupted and run again at any
/// point. `progress` receives the number of data keys done so far.
///
/// # Errors
/// If a database does not respond, or something cannot be decrypted.
pub async fn encrypt_anew(honnin: &Honnin, mut progress: impl FnMut(usize)) -> Result<usize, StoreError> {
    let mut done = 0;
    loop {
        // Sessions that are created meanwhile need keys of their own.
        let renewed = honnin.in_turn(honnin.vault.reseal_keys(BATCH)).await?;
        done += renewed;
        progress(done);
        if renewed == 0 {
            break;
        }
    }
    Ok(done + webhook(honnin).await? + authenticators(honnin).await?)
}

async fn webhook(honnin: &Honnin) -> Result<usize, StoreError> {
    let rows = honnin
        .db
        .read(async |tx| webhook_secrets::list_sealed(tx).await)
        .await?;
    let mut done = 0;
    for row in rows {
        let Some(old) = row.sealed else { continue };
        if honnin.vault.is_current(&old) {
            continue;
        }
        let (owner, id) = (row.tenant, row.id);
        let plain = honnin.vault.open_secret(owner.as_str(), id.as_str(), &old)?;
        let sealed = honnin
            .vault
            .seal_secret_anew(owner.as_str(), id.as_str(), plain.expose())?;
        let unit = honnin
            .db
            .write(async move |tx| webhook_secrets::replace_sealed(tx, &id, &sealed).await);
        unit.await?;
        done += 1;
    }
    Ok(done)
}

async fn authenticators(honnin: &Honnin) -> Result<usize, StoreError> {
    let rows = honnin
        .db
        .read(async |tx| second_factors::list_authenticators(tx).await)
        .await?;
    let mut done = 0;
    for (user, old) in rows {
        if honnin.vault.is_current(&old) {
            continue;
        }
        let sealed = second_factor::sealed_anew(honnin, &user, &old)?;
        let unit = honnin
            .db
            .write(async move |tx| second_factors::replace_secret(tx, &user, &old, &sealed).await);
        unit.await?;
        done += 1;
    }
    Ok(done)
}

/// Records that everything is encrypted with this version now, and that nothing needs the older ones. A run that is interrupted right after it
/// records it again.
///
/// # Errors
/// If the database does not respond.
pub async fn record(honnin: &Honnin, command: CommandLine, version: u32) -> Result<(), StoreError> {
    let entry = command
        .entry(honnin.now(), AuditAction::MasterKeyRotate)
        .about(format_args!("version {version}"));
    honnin.db.write(async move |tx| audit::record(tx, &entry).await).await
}

/// Counts what is encrypted with which version.
///
/// # Errors
/// If a database does not respond.
pub async fn count(honnin: &Honnin) -> Result<Sealed, StoreError> {
    let all = list_secrets(honnin).await?;
    let (mut older, mut by_version) = (0, BTreeMap::new());
    for sealed in &all {
        older += usize::from(!honnin.vault.is_current(sealed));
        if let Some(version) = honnin.vault.version_of(sealed) {
            *by_version.entry(version).or_default() += 1;
        }
    }
    Ok(Sealed {
        keys: honnin.vault.count_keys().await?,
        secrets: all.len(),
        secrets_by_version: by_version,
        older_secrets: older,
    })
}
