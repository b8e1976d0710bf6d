//! Webhook signing secrets, encrypted. At most two of a tenant are active; a disabled one keeps its row and loses its content.

use crate::{
    StoreError,
    db::{Tx, on, row},
    ids,
};
use domain::{
    ids::{SecretId, TenantId},
    time::Timestamp,
};

/// A secret as stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SecretRow {
    /// Its public id, to which the encryption is bound.
    pub id: SecretId,
    /// Its tenant.
    pub tenant: TenantId,
    /// The encrypted bytes; `None` once disabled.
    pub sealed: Option<Vec<u8>>,
    /// When it was issued.
    pub created_at: Timestamp,
    /// When it was disabled.
    pub disabled_at: Option<Timestamp>,
}

row! {
    pub(crate) struct Raw {
        pub(crate) id: String,
        pub(crate) tenant_id: String,
        pub(crate) sealed: Option<Vec<u8>>,
        pub(crate) created_at: i64,
        pub(crate) disabled_at: Option<i64>,
    }
}

impl TryFrom<Raw> for SecretRow {
    type Error = StoreError;

    fn try_from(raw: Raw) -> Result<Self, StoreError> {
        Ok(Self {
            id: SecretId::parse(&raw.id).ok_or(StoreError::Corrupt("a malformed secret id"))?,
            tenant: ids::tenant_id(&raw.tenant_id)?,
            sealed: raw.sealed,
            created_at: Timestamp::from_millis(raw.created_at),
            disabled_at: raw.disabled_at.map(Timestamp::from_millis),
        })
    }
}

/// Adds an active secret in the free one of the tenant's two slots.
///
/// # Errors
/// [`StoreError::Duplicate`] if two are already active.
pub async fn insert(
    tx: &mut Tx,
    tenant: &TenantId,
    id: &SecretId,
    sealed: &[u8],
    now: Timestamp,
) -> Result<(), StoreError> {
    let first_taken: Option<i64> = on!(tx, conn => sqlx::query_scalar(
        "SELECT slot FROM webhook_secrets WHERE tenant_id = $1 AND disabled_at IS NULL AND slot = 1")
        .bind(tenant.as_str()).fetch_optional(conn).await)?;
    let slot = if first_taken.is_some() { 2_i64 } else { 1 };
    on!(tx, conn => sqlx::query(
        "INSERT INTO webhook_secrets (id, tenant_id, slot, sealed, created_at) VALUES ($1, $2, $3, $4, $5)")
        .bind(id.as_str()).bind(tenant.as_str()).bind(slot).bind(sealed).bind(now.as_millis())
        .execute(conn).await.map(drop))
}

/// The active secrets of a tenant, newest first: one, or two during a rotation.
///
/// # Errors
/// If the database does not respond or a row does not parse.
pub async fn list_valid(tx: &mut Tx, tenant: &TenantId) -> Result<Vec<SecretRow>, StoreError> {
    let raw: Vec<Raw> = on!(tx, conn => sqlx::query_as(
        "SELECT id, tenant_id, sealed, created_at, disabled_at FROM webhook_secrets
         WHERE tenant_id = $1 AND disabled_at IS NULL ORDER BY created_at DESC, id DESC")
        .bind(tenant.as_str()).fetch_all(conn).await)?;
    raw.into_iter().map(SecretRow::try_from).collect()
}

/// When the oldest active secret of a tenant was issued, or of all tenants.
///
/// # Errors
/// If the database does not respond.
pub async fn find_oldest(tx: &mut Tx, tenant: Option<&TenantId>) -> Result<Option<Timestamp>, StoreError> {
    let oldest: Option<i64> = on!(tx, conn => sqlx::query_scalar(
        "SELECT MIN(created_at) FROM webhook_secrets
         WHERE disabled_at IS NULL AND (CAST($1 AS TEXT) IS NULL OR tenant_id = $1)")
        .bind(tenant.map(TenantId::as_str)).fetch_one(conn).await)?;
    Ok(oldest.map(Timestamp::from_millis))
}

/// All secrets of a tenant, newest first; the disabled ones for the history.
///
/// # Errors
/// If the database does not respond or a row does not parse.
pub async fn list(tx: &mut Tx, tenant: &TenantId) -> Result<Vec<SecretRow>, StoreError> {
    let raw: Vec<Raw> = on!(tx, conn => sqlx::query_as(
        "SELECT id, tenant_id, sealed, created_at, disabled_at FROM webhook_secrets
         WHERE tenant_id = $1 ORDER BY created_at DESC, id DESC")
        .bind(tenant.as_str()).fetch_all(conn).await)?;
    raw.into_iter().map(SecretRow::try_from).collect()
}

/// Disables an active secret of a tenant and deletes its content. Returns false if there is none with this id.
///
/// # Errors
/// If the database does not respond.
pub async fn disable(tx: &mut Tx, tenant: &TenantId, id: &SecretId, now: Timestamp) -> Result<bool, StoreError> {
    on!(tx, conn => sqlx::query(
        "UPDATE webhook_secrets SET sealed = NULL, disabled_at = $3
         WHERE id = $1 AND tenant_id = $2 AND disabled_at IS NULL")
        .bind(id.as_str()).bind(tenant.as_str()).bind(now.as_millis())
        .execute(conn).await.map(|done| done.rows_affected() == 1))
}

/// The active secrets of all tenants, to encrypt them with a new master key.
///
/// # Errors
/// If the database does not respond or a row does not parse.
pub async fn list_sealed(tx: &mut Tx) -> Result<Vec<SecretRow>, StoreError> {
    let raw: Vec<Raw> = on!(tx, conn => sqlx::query_as(
        "SELECT id, tenant_id, sealed, created_at, disabled_at FROM webhook_secrets WHERE sealed IS NOT NULL ORDER BY id")
        .fetch_all(conn).await)?;
    raw.into_iter().map(SecretRow::try_from).collect()
}

/// Replaces the encrypted form of a secret that was not disabled in the meantime.
///
/// # Errors
/// If the database does not respond.
pub async fn replace_sealed(tx: &mut Tx, id: &SecretId, sealed: &[u8]) -> Result<(), StoreError> {
    on!(tx, conn => sqlx::query("UPDATE webhook_secrets SET sealed = $2 WHERE id = $1 AND sealed IS NOT NULL")
        .bind(id.as_str()).bind(sealed).execute(conn).await.map(drop))
}

/// Any active secret of any tenant, to check whether the master key decrypts it.
pub(crate) async fn find_any(tx: &mut Tx) -> Result<Option<SecretRow>, StoreError> {
    let raw: Option<Raw> = on!(tx, conn => sqlx::query_as(
        "SELECT id, tenant_id, sealed, created_at, disabled_at FROM webhook_secrets WHERE sealed IS NOT NULL LIMIT 1")
        .fetch_optional(conn).await)?;
    raw.map(SecretRow::try_from).transpose()
}
