//! API keys: found by their hash; the key itself is never stored.

use crate::{
    StoreError,
    db::{Tx, on},
};
use domain::{
    ids::{ApiKeyId, TenantId},
    time::Timestamp,
};

/// An API key as stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiKeyRow {
    /// Its id.
    pub id: ApiKeyId,
    /// Whose it is.
    pub tenant: TenantId,
    /// What people call it.
    pub name: String,
    /// Its first characters.
    pub prefix: String,
    /// SHA-256 of the whole key.
    pub hash: Vec<u8>,
    /// When it was issued.
    pub created_at: Timestamp,
    /// From when on it is refused.
    pub expires_at: Option<Timestamp>,
    /// When it was revoked.
    pub revoked_at: Option<Timestamp>,
    /// When it was last used, to the minute.
    pub last_used_at: Option<Timestamp>,
}

impl ApiKeyRow {
    /// Whether it opens the API at `now`.
    #[must_use]
    pub fn is_valid(&self, now: Timestamp) -> bool {
        self.revoked_at.is_none() && self.expires_at.is_none_or(|end| now < end)
    }
}

#[derive(sqlx::FromRow)]
struct Raw {
    id: String,
    tenant_id: String,
    name: String,
    prefix: String,
    hash: Vec<u8>,
    created_at: i64,
    expires_at: Option<i64>,
    revoked_at: Option<i64>,
    last_used_at: Option<i64>,
}

impl TryFrom<Raw> for ApiKeyRow {
    type Error = StoreError;

    fn try_from(raw: Raw) -> Result<Self, StoreError> {
        Ok(Self {
            id: ApiKeyId::parse(&raw.id).ok_or(StoreError::Corrupt("a malformed key id"))?,
            tenant: TenantId::parse(&raw.tenant_id).ok_or(StoreError::Corrupt("a malformed tenant id"))?,
            name: raw.name,
            prefix: raw.prefix,
            hash: raw.hash,
            created_at: Timestamp::from_millis(raw.created_at),
            expires_at: raw.expires_at.map(Timestamp::from_millis),
            revoked_at: raw.revoked_at.map(Timestamp::from_millis),
            last_used_at: raw.last_used_at.map(Timestamp::from_millis),
        })
    }
}

/// Stores a new key.
///
/// # Errors
/// [`StoreError::Duplicate`] where its id or hash is taken.
pub async fn insert(tx: &mut Tx, key: &ApiKeyRow) -> Result<(), StoreError> {
    on!(tx, conn => sqlx::query(
        "INSERT INTO api_keys (id, tenant_id, name, prefix, hash, created_at, expires_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7)")
        .bind(key.id.as_str()).bind(key.tenant.as_str()).bind(&key.name).bind(&key.prefix).bind(&key.hash)
        .bind(key.created_at.as_millis()).bind(key.expires_at.map(Timestamp::as_millis))
        .execute(conn).await.map(drop))
}

/// The key with this SHA-256, valid or not.
///
/// # Errors
/// When the database does not answer.
pub async fn find(tx: &mut Tx, hash: &[u8]) -> Result<Option<ApiKeyRow>, StoreError> {
    let raw: Option<Raw> = on!(tx, conn => sqlx::query_as(
        "SELECT id, tenant_id, name, prefix, hash, created_at, expires_at, revoked_at, last_used_at
         FROM api_keys WHERE hash = $1")
        .bind(hash).fetch_optional(conn).await)?;
    raw.map(ApiKeyRow::try_from).transpose()
}

/// A tenant's keys, newest first.
///
/// # Errors
/// When the database does not answer.
pub async fn list(tx: &mut Tx, tenant: &TenantId) -> Result<Vec<ApiKeyRow>, StoreError> {
    let raw: Vec<Raw> = on!(tx, conn => sqlx::query_as(
        "SELECT id, tenant_id, name, prefix, hash, created_at, expires_at, revoked_at, last_used_at
         FROM api_keys WHERE tenant_id = $1 ORDER BY created_at DESC, id")
        .bind(tenant.as_str()).fetch_all(conn).await)?;
    raw.into_iter().map(ApiKeyRow::try_from).collect()
}

/// Revokes a key from the next request on. Returns whether it was there and valid.
///
/// # Errors
/// When the database does not answer.
pub async fn revoke(tx: &mut Tx, tenant: &TenantId, id: &ApiKeyId, now: Timestamp) -> Result<bool, StoreError> {
    on!(tx, conn => sqlx::query(
        "UPDATE api_keys SET revoked_at = $3 WHERE tenant_id = $1 AND id = $2 AND revoked_at IS NULL")
        .bind(tenant.as_str()).bind(id.as_str()).bind(now.as_millis())
        .execute(conn).await.map(|done| done.rows_affected() == 1))
}

/// Remembers that a key was used.
///
/// # Errors
/// When the database does not answer.
pub async fn mark_used(tx: &mut Tx, id: &ApiKeyId, now: Timestamp) -> Result<(), StoreError> {
    on!(tx, conn => sqlx::query("UPDATE api_keys SET last_used_at = $2 WHERE id = $1")
        .bind(id.as_str()).bind(now.as_millis())
        .execute(conn).await.map(drop))
}
