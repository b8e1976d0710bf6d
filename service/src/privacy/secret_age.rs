//! How old secrets are, so that they are replaced on a schedule. Webhook secrets and API keys have the time at which they were issued. Each
//! start checks whether the secrets in the configuration are still the same; each sweep also checks the master key, which is rotated while the
//! installation serves.

use crate::{
    Honnin,
    access::{Developer, Operator, Staff},
    people::password,
};
use domain::{ids::TenantId, secret::Secret, secret_kind::SecretKind, time::Timestamp};
use sha2::{Digest as _, Sha256};
use store::{
    StoreError, Tx,
    settings::{
        api_keys,
        secret_ages::{self, SecretAgeRow},
        webhook_secrets,
    },
};

/// A secret, and since when it has been in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SecretAge {
    /// What it is.
    pub kind: SecretKind,
    /// Since when. Of a secret in the configuration, since it was first seen.
    pub since: Timestamp,
}

/// Notes which secrets are new, among those in the configuration and the master key. Called at every start.
///
/// # Errors
/// If the database does not respond.
pub async fn note(honnin: &Honnin) -> Result<(), StoreError> {
    note_master_key(honnin).await?;
    for (kind, secret) in &honnin.config.secrets {
        let (digest, before) = (digest(secret), find_mark(honnin, *kind).await?);
        if !password::verify(digest.clone(), before.clone()).await? {
            put(honnin, *kind, password::hash(digest).await?, before).await?;
        }
    }
    Ok(())
}

/// What is hashed in place of a secret: a token may be longer than any password, and what is hashed slowly has a bound.
fn digest(secret: &Secret<String>) -> Secret<String> {
    Secret::new(hex::encode(Sha256::digest(secret.expose())))
}

/// Notes whether the master key is new.
pub(crate) async fn note_master_key(honnin: &Honnin) -> Result<(), StoreError> {
    let version = honnin.vault.newest_version().to_string();
    let before = find_mark(honnin, SecretKind::MasterKey).await?;
    if before.as_ref() == Some(&version) {
        return Ok(());
    }
    put(honnin, SecretKind::MasterKey, version, before).await
}

async fn find_mark(honnin: &Honnin, kind: SecretKind) -> Result<Option<String>, StoreError> {
    let rows = honnin.db.read(async |tx| secret_ages::list(tx).await).await?;
    Ok(rows.into_iter().find(|row| row.kind == kind).map(|row| row.mark))
}

async fn put(honnin: &Honnin, kind: SecretKind, mark: String, before: Option<String>) -> Result<(), StoreError> {
    if mark.is_empty() {
        return Err(StoreError::Corrupt("a secret that could not be hashed"));
    }
    let row = SecretAgeRow {
        kind,
        mark,
        since: honnin.now(),
    };
    let unit = honnin
        .db
        .write(async move |tx| secret_ages::put(tx, &row, before.as_deref()).await);
    unit.await
}

/// The secrets of the installation itself: the master key, and those in the configuration.
async fn of_installation(tx: &mut Tx, held: &[(SecretKind, Secret<String>)]) -> Result<Vec<SecretAge>, StoreError> {
    let is_held = |kind| kind == SecretKind::MasterKey || held.iter().any(|(one, _)| *one == kind);
    let rows = secret_ages::list(tx).await?.into_iter();
    let ages = rows.filter(|row| is_held(row.kind)).map(|row| SecretAge {
        kind: row.kind,
        since: row.since,
    });
    Ok(ages.collect())
}

/// The oldest webhook secret and the oldest API key that are valid, of a tenant or of all.
async fn of_tenants(tx: &mut Tx, tenant: Option<&TenantId>, now: Timestamp) -> Result<Vec<SecretAge>, StoreError> {
    let oldest = [
        (
            SecretKind::WebhookSecret,
            webhook_secrets::find_oldest(tx, tenant).await?,
        ),
        (SecretKind::ApiKey, api_keys::find_oldest(tx, tenant, now).await?),
    ];
    let ages = oldest
        .into_iter()
        .filter_map(|(kind, since)| Some(SecretAge { kind, since: since? }));
    Ok(ages.collect())
}

/// The oldest secret of each kind, of the installation and all its tenants.
///
/// # Errors
/// If the database does not respond.
pub async fn oldest(honnin: &Honnin) -> Result<Vec<SecretAge>, StoreError> {
    let (config, now) = (std::sync::Arc::clone(&honnin.config), honnin.now());
    let unit = honnin.db.read(async move |tx| -> Result<_, StoreError> {
        let mut ages = of_installation(tx, &config.secrets).await?;
        ages.extend(of_tenants(tx, None, now).await?);
        Ok(ages)
    });
    unit.await
}

/// The secrets that are older than they should be and that `staff` may replace: operators those of the installation, developers those of
/// their tenant.
///
/// # Errors
/// If the database does not respond.
pub async fn overdue(honnin: &Honnin, staff: &Staff) -> Result<Vec<SecretAge>, StoreError> {
    let operator = Operator::of(staff).is_ok();
    let tenant = Developer::of(staff).is_ok().then(|| staff.tenant().clone());
    let (config, now) = (std::sync::Arc::clone(&honnin.config), honnin.now());
    let unit = honnin.db.read(async move |tx| -> Result<_, StoreError> {
        let mut ages = Vec::new();
        if operator {
            ages.extend(of_installation(tx, &config.secrets).await?);
        }
        if let Some(tenant) = &tenant {
            ages.extend(of_tenants(tx, Some(tenant), now).await?);
        }
        ages.retain(|age| age.since.plus(config.secret_age) <= now);
        Ok(ages)
    });
    unit.await
}
