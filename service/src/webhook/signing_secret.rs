//! Webhook signing secrets: issued and shown once, rotated with two active at a time, disabled once the receiver has the new
//! one.

use crate::{
    Honnin,
    access::Developer,
    people::is_still,
    webhook::sender::signature::{SECRET_BYTES, SigningSecret},
};
use domain::{
    audit::AuditAction,
    ids::{SecretId, TenantId},
    secret::Secret,
    time::Timestamp,
};
use std::sync::Arc;
use store::{
    StoreError, Tx, audit,
    settings::{
        tenants,
        webhook_secrets::{self, SecretRow},
    },
};

/// A new secret. Its text is not stored anywhere else.
#[derive(Debug)]
pub struct IssuedSecret {
    /// Its public name.
    pub id: SecretId,
    /// `whsec_..`, to be shown once.
    pub text: Secret<String>,
}

/// A secret as the console lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SecretInfo {
    /// Its public name.
    pub id: SecretId,
    /// When it was issued.
    pub created_at: Timestamp,
    /// When it was disabled; `None` while it is active.
    pub disabled_at: Option<Timestamp>,
}

/// Why no secret is issued.
#[derive(Clone, Debug, thiserror::Error)]
pub enum IssueSecretError {
    /// The secret was issued before, and shown then.
    #[error("the secret was issued already")]
    Repeated,
    /// A third secret cannot be issued: the current rotation must be completed first.
    #[error("two secrets are already active: disable the old one first")]
    TwoValid,
    /// The caller has lost the role that allows this.
    #[error("your role does not allow this")]
    Forbidden,
    /// Storage.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Why a secret is not disabled.
#[derive(Clone, Debug, thiserror::Error)]
pub enum DisableSecretError {
    /// The only active secret stays: without one nothing could be sent.
    #[error("this is the only active secret: issue a new one first")]
    OnlyOne,
    /// There is no active secret with this id.
    #[error("there is no active secret with this id")]
    NotFound,
    /// The caller has lost the role that allows this.
    #[error("your role does not allow this")]
    Forbidden,
    /// Storage.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A secret that is not stored yet.
pub(crate) struct NewSecret {
    pub(crate) id: SecretId,
    /// `whsec_..`
    pub(crate) text: Secret<String>,
    sealed: Vec<u8>,
}

impl NewSecret {
    /// Makes one for a tenant.
    ///
    /// # Errors
    /// If the key database does not respond, or the operating system provides no randomness.
    pub(crate) async fn generate(honnin: &Honnin, tenant: &TenantId, id: SecretId) -> Result<Self, StoreError> {
        let bytes = Secret::new(honnin.random_bytes::<SECRET_BYTES>().to_vec());
        let sealed = honnin
            .vault
            .seal_secret(tenant.as_str(), id.as_str(), bytes.expose())
            .await?;
        let text = SigningSecret::new(bytes).to_text();
        Ok(Self { id, text, sealed })
    }

    /// Stores it with the audit entry of its issue, unless the tenant has two active secrets: returns whether it did.
    ///
    /// # Errors
    /// If storage fails.
    pub(crate) async fn store(&self, tx: &mut Tx, tenant: &TenantId, issue: &audit::Entry) -> Result<bool, StoreError> {
        if webhook_secrets::list_valid(tx, tenant).await?.len() > 1 {
            return Ok(false);
        }
        webhook_secrets::insert(tx, tenant, &self.id, &self.sealed, issue.at).await?;
        audit::record(tx, issue).await?;
        Ok(true)
    }
}

/// The id of a secret that a page offers to issue.
#[must_use]
pub fn draft(honnin: &Honnin) -> SecretId {
    SecretId::from_random(honnin.random_bytes())
}

/// Issues the secret with an id from [`draft`]: the first one, or the second one of a rotation. One that is asked for twice is issued once.
///
/// # Errors
/// [`IssueSecretError`].
pub async fn issue(honnin: &Honnin, developer: &Developer, id: SecretId) -> Result<IssuedSecret, IssueSecretError> {
    let (staff, tenant) = (developer.staff(), developer.staff().tenant().clone());
    let new = Arc::new(NewSecret::generate(honnin, &tenant, id).await?);
    let entry = staff
        .entry(honnin.now(), AuditAction::WebhookSecretIssue)
        .about(&new.id);
    let (stored, caller) = (Arc::clone(&new), staff.clone());
    let unit = honnin.db.write(async move |tx| {
        tenants::lock(tx, &tenant).await?;
        // It signs until it is disabled: a person who has just lost access must not get one.
        if !is_still(tx, &caller).await? {
            return Err(IssueSecretError::Forbidden);
        }
        let known = webhook_secrets::list(tx, &tenant).await?;
        if known.iter().any(|secret| secret.id == stored.id) {
            return Err(IssueSecretError::Repeated);
        }
        if !stored.store(tx, &tenant, &entry).await? {
            return Err(IssueSecretError::TwoValid);
        }
        Ok(())
    });
    match unit.await {
        // Two concurrent rotations: the slots let only one through.
        Err(IssueSecretError::Store(StoreError::Duplicate)) => return Err(IssueSecretError::TwoValid),
        other => other?,
    }
    Ok(IssuedSecret {
        id: new.id.clone(),
        text: new.text.clone(),
    })
}

/// Ends a rotation: `id` stops signing and is deleted. The other one stays.
///
/// # Errors
/// [`DisableSecretError`].
pub async fn disable(honnin: &Honnin, developer: &Developer, id: &SecretId) -> Result<(), DisableSecretError> {
    let staff = developer.staff();
    let entry = staff.entry(honnin.now(), AuditAction::WebhookSecretDisable).about(id);
    let (tenant, id, caller) = (staff.tenant().clone(), id.clone(), staff.clone());
    let unit = honnin.db.write(async move |tx| {
        tenants::lock(tx, &tenant).await?;
        // It is deleted permanently: a person who has just lost access must not end what the receiver trusts.
        if !is_still(tx, &caller).await? {
            return Err(DisableSecretError::Forbidden);
        }
        let valid = webhook_secrets::list_valid(tx, &tenant).await?;
        if !valid.iter().any(|secret| secret.id == id) {
            return Err(DisableSecretError::NotFound);
        }
        if valid.len() < 2 {
            return Err(DisableSecretError::OnlyOne);
        }
        if !webhook_secrets::disable(tx, &tenant, &id, entry.at).await? {
            return Err(DisableSecretError::NotFound);
        }
        Ok(audit::record(tx, &entry).await?)
    });
    unit.await
}

/// All secrets of a tenant, newest first; never their content.
///
/// # Errors
/// If storage fails.
pub async fn list(honnin: &Honnin, developer: &Developer) -> Result<Vec<SecretInfo>, StoreError> {
    let tenant = developer.staff().tenant().clone();
    let unit = honnin.db.read(async move |tx| webhook_secrets::list(tx, &tenant).await);
    let info = |row: SecretRow| SecretInfo {
        id: row.id,
        created_at: row.created_at,
        disabled_at: row.disabled_at,
    };
    Ok(unit.await?.into_iter().map(info).collect())
}

/// The secrets that sign every webhook, a test event too: all active ones, newest first.
pub(crate) fn signers(honnin: &Honnin, rows: &[SecretRow]) -> Result<Vec<SigningSecret>, StoreError> {
    Ok(open(honnin, rows)?.into_iter().map(|(_, secret)| secret).collect())
}

/// Decrypts the active secrets of a tenant for signing, with their ids.
pub(crate) fn open(honnin: &Honnin, rows: &[SecretRow]) -> Result<Vec<(SecretId, SigningSecret)>, StoreError> {
    rows.iter()
        .filter_map(|row| row.sealed.as_ref().map(|sealed| (row, sealed)))
        .map(|(row, sealed)| {
            let bytes = honnin.vault.open_secret(row.tenant.as_str(), row.id.as_str(), sealed)?;
            Ok((row.id.clone(), SigningSecret::new(bytes)))
        })
        .collect()
}
