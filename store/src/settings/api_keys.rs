//! API keys: found by their hash; the key itself is never stored.

use crate::{
    StoreError,
    db::{Tx, on, row},
    ids,
    settings::tenants,
};
use domain::{
    audit::AuditAction,
    cursor::After,
    ids::{ApiKeyId, TenantId},
    scope::Scopes,
    tenant::{Mode, TenantSettings},
    time::Timestamp,
};
use ipnet::IpNet;
use std::collections::HashMap;
use subtle::ConstantTimeEq as _;

/// An API key as stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiKeyRow {
    /// Its id.
    pub id: ApiKeyId,
    /// Its tenant.
    pub tenant: TenantId,
    /// Its display name.
    pub name: String,
    /// Its first characters.
    pub prefix: String,
    /// SHA-256 of the whole key.
    pub hash: Vec<u8>,
    /// What it may be used for.
    pub scopes: Scopes,
    /// When it was issued.
    pub created_at: Timestamp,
    /// When it expires.
    pub expires_at: Option<Timestamp>,
    /// When it was revoked.
    pub revoked_at: Option<Timestamp>,
    /// When a successor was issued; since then it expires at the end of the overlap.
    pub replaced_at: Option<Timestamp>,
    /// When it was last used, to the minute.
    pub last_used_at: Option<Timestamp>,
    /// Where it was last used from.
    pub last_used_from: Option<String>,
    /// The networks from which it may be used; empty means any that the tenant admits.
    pub networks: Vec<IpNet>,
}

impl ApiKeyRow {
    /// Whether it may be used at `now`.
    #[must_use]
    pub fn is_valid(&self, now: Timestamp) -> bool {
        self.revoked_at.is_none() && self.expires_at.is_none_or(|end| end > now)
    }
}

/// The caller that a key belongs to: everything a request needs first, found with one statement.
#[derive(Clone, Debug, PartialEq)]
pub struct CallerRow {
    /// The key's id.
    pub key: ApiKeyId,
    /// What the key may be used for.
    pub scopes: Scopes,
    /// When the key was last used, to the minute.
    pub last_used_at: Option<Timestamp>,
    /// The networks from which the key may be used; empty means any that the tenant admits.
    pub networks: Vec<IpNet>,
    /// The key's tenant.
    pub tenant: TenantId,
    /// The tenant's settings; `None` until an admin has saved some.
    pub settings: Option<TenantSettings>,
    /// Whether the tenant verifies people or is a sandbox.
    pub mode: Mode,
    /// When the tenant's rate-limit bucket is full again, in microseconds; `None` if it never created a session.
    pub full_at: Option<i64>,
}

row! {
    struct Raw {
        id: String,
        tenant_id: String,
        name: String,
        prefix: String,
        hash: Vec<u8>,
        scopes: String,
        created_at: i64,
        expires_at: Option<i64>,
        revoked_at: Option<i64>,
        replaced_at: Option<i64>,
        last_used_at: Option<i64>,
        last_used_from: Option<String>,
        networks: String,
    }
}

impl TryFrom<Raw> for ApiKeyRow {
    type Error = StoreError;

    fn try_from(raw: Raw) -> Result<Self, StoreError> {
        Ok(Self {
            id: ApiKeyId::parse(&raw.id).ok_or(StoreError::Corrupt("a malformed key id"))?,
            tenant: ids::tenant_id(&raw.tenant_id)?,
            name: raw.name,
            prefix: raw.prefix,
            hash: raw.hash,
            scopes: parse_scopes(&raw.scopes)?,
            created_at: Timestamp::from_millis(raw.created_at),
            expires_at: raw.expires_at.map(Timestamp::from_millis),
            revoked_at: raw.revoked_at.map(Timestamp::from_millis),
            replaced_at: raw.replaced_at.map(Timestamp::from_millis),
            last_used_at: raw.last_used_at.map(Timestamp::from_millis),
            last_used_from: raw.last_used_from,
            networks: parse_networks(&raw.networks)?,
        })
    }
}

row! {
    struct RawCaller {
        id: String,
        hash: Vec<u8>,
        scopes: String,
        last_used_at: Option<i64>,
        networks: String,
        tenant_id: String,
        settings: Option<String>,
        livemode: bool,
        full_at: Option<i64>,
    }
}

impl TryFrom<RawCaller> for CallerRow {
    type Error = StoreError;

    fn try_from(raw: RawCaller) -> Result<Self, StoreError> {
        Ok(Self {
            key: ApiKeyId::parse(&raw.id).ok_or(StoreError::Corrupt("a malformed key id"))?,
            scopes: parse_scopes(&raw.scopes)?,
            last_used_at: raw.last_used_at.map(Timestamp::from_millis),
            networks: parse_networks(&raw.networks)?,
            tenant: ids::tenant_id(&raw.tenant_id)?,
            settings: tenants::parse_settings(raw.settings.as_deref())?,
            mode: Mode::from_livemode(raw.livemode),
            full_at: raw.full_at,
        })
    }
}

fn parse_scopes(text: &str) -> Result<Scopes, StoreError> {
    Scopes::parse(text).ok_or(StoreError::Corrupt("scopes that do not parse"))
}

fn parse_networks(text: &str) -> Result<Vec<IpNet>, StoreError> {
    let networks = text.split_whitespace().map(str::parse).collect::<Result<_, _>>();
    networks.map_err(|_| StoreError::Corrupt("networks that do not parse"))
}

fn networks_text(networks: &[IpNet]) -> String {
    let texts: Vec<String> = networks.iter().map(ToString::to_string).collect();
    texts.join(" ")
}

/// Stores a new key.
///
/// # Errors
/// [`StoreError::Duplicate`] if its id or hash is already in use.
pub async fn insert(tx: &mut Tx, key: &ApiKeyRow) -> Result<(), StoreError> {
    on!(tx, conn => sqlx::query(
        "INSERT INTO api_keys (id, tenant_id, name, prefix, hash, scopes, created_at, expires_at, networks)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)")
        .bind(key.id.as_str()).bind(key.tenant.as_str()).bind(&key.name).bind(&key.prefix).bind(&key.hash)
        .bind(key.scopes.to_string()).bind(key.created_at.as_millis()).bind(key.expires_at.map(Timestamp::as_millis))
        .bind(networks_text(&key.networks))
        .execute(conn).await.map(drop))
}

/// The caller whose key has this SHA-256, unless the key is revoked or has expired at `now`.
///
/// # Errors
/// If the database does not respond or the tenant's settings do not parse.
pub async fn find_caller(tx: &mut Tx, hash: &[u8], now: Timestamp) -> Result<Option<CallerRow>, StoreError> {
    let raw: Option<RawCaller> = on!(tx, conn => sqlx::query_as(
        "SELECT api_keys.id, api_keys.hash, api_keys.scopes, api_keys.last_used_at, api_keys.networks, api_keys.tenant_id, tenants.settings, tenants.livemode,
                creation_rates.full_at
         FROM api_keys JOIN tenants ON tenants.id = api_keys.tenant_id
              LEFT JOIN creation_rates ON creation_rates.tenant_id = api_keys.tenant_id
         WHERE api_keys.hash = $1 AND api_keys.revoked_at IS NULL AND (api_keys.expires_at IS NULL OR api_keys.expires_at > $2)")
        .bind(hash).bind(now.as_millis()).fetch_optional(conn).await)?;
    // The duration of an index look-up reveals at most something about hashes, which nobody can control by choosing keys. This
    // comparison decides, in constant time.
    raw.filter(|raw| raw.hash.ct_eq(hash).into())
        .map(CallerRow::try_from)
        .transpose()
}

macro_rules! key_columns {
    () => {
        "SELECT id, tenant_id, name, prefix, hash, scopes, created_at, expires_at, revoked_at, replaced_at, last_used_at,
                last_used_from, networks
         FROM api_keys "
    };
}

/// A tenant's keys, newest first.
///
/// # Errors
/// If the database does not respond.
pub async fn list(tx: &mut Tx, tenant: &TenantId) -> Result<Vec<ApiKeyRow>, StoreError> {
    let raw: Vec<Raw> = on!(tx, conn => sqlx::query_as(concat!(key_columns!(),
        "WHERE tenant_id = $1 ORDER BY created_at DESC, id"))
        .bind(tenant.as_str()).fetch_all(conn).await)?;
    raw.into_iter().map(ApiKeyRow::try_from).collect()
}

/// Which of a tenant's keys are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListedKeys {
    /// Those that may be used.
    Valid,
    /// Those that are revoked or have expired.
    Ended,
    /// Both.
    All,
}

/// A page of a tenant's keys, as they are at `now`: newest first, after the key `after`.
///
/// # Errors
/// If the database does not respond.
pub async fn list_page(
    tx: &mut Tx,
    tenant: &TenantId,
    listed: ListedKeys,
    now: Timestamp,
    after: Option<&After<ApiKeyId>>,
    limit: u32,
) -> Result<Vec<ApiKeyRow>, StoreError> {
    let (at, id) = after.map_or((i64::MAX, ""), |(at, id)| (at.as_millis(), id.as_str()));
    let raw: Vec<Raw> = on!(tx, conn => sqlx::query_as(concat!(key_columns!(),
        "WHERE tenant_id = $1 AND (created_at, id) < ($2, $3)
             AND ((revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $4)) = $5 OR $6)
         ORDER BY created_at DESC, id DESC LIMIT $7"))
        .bind(tenant.as_str()).bind(at).bind(id).bind(now.as_millis())
        .bind(listed == ListedKeys::Valid).bind(listed == ListedKeys::All).bind(i64::from(limit))
        .fetch_all(conn).await)?;
    raw.into_iter().map(ApiKeyRow::try_from).collect()
}

/// The names of the people who issued those of a tenant's keys that are from this time, both ends included. A key issued on the command
/// line has no name, nor does one whose entry in the audit log was removed because of its age.
///
/// # Errors
/// If the database does not respond.
pub async fn list_issuers(
    tx: &mut Tx,
    tenant: &TenantId,
    (from, until): (Timestamp, Timestamp),
) -> Result<HashMap<ApiKeyId, String>, StoreError> {
    let rows: Vec<(String, String)> = on!(tx, conn => sqlx::query_as(
        "SELECT DISTINCT api_keys.id, users.name
         FROM api_keys JOIN audit ON audit.subject = api_keys.id AND audit.action = $4
              JOIN users ON users.id = audit.actor
         WHERE api_keys.tenant_id = $1 AND api_keys.created_at BETWEEN $2 AND $3")
        .bind(tenant.as_str()).bind(from.as_millis()).bind(until.as_millis()).bind(AuditAction::KeyIssue.as_str())
        .fetch_all(conn).await)?;
    let named = rows
        .into_iter()
        .filter_map(|(id, name)| Some((ApiKeyId::parse(&id)?, name)));
    Ok(named.collect())
}

/// Revokes a key from the next request on. Returns whether it was there and valid.
///
/// # Errors
/// If the database does not respond.
pub async fn revoke(tx: &mut Tx, tenant: &TenantId, id: &ApiKeyId, now: Timestamp) -> Result<bool, StoreError> {
    on!(tx, conn => sqlx::query(
        "UPDATE api_keys SET revoked_at = $3 WHERE tenant_id = $1 AND id = $2 AND revoked_at IS NULL")
        .bind(tenant.as_str()).bind(id.as_str()).bind(now.as_millis())
        .execute(conn).await.map(|done| done.rows_affected() == 1))
}

/// Records at `now` that a key has a successor, and makes it expire at `end` unless it expires earlier. Returns whether it was there,
/// valid and without a successor.
///
/// # Errors
/// If the database does not respond.
pub async fn replace(
    tx: &mut Tx,
    tenant: &TenantId,
    id: &ApiKeyId,
    now: Timestamp,
    end: Timestamp,
) -> Result<bool, StoreError> {
    on!(tx, conn => sqlx::query(
        "UPDATE api_keys SET replaced_at = $3, expires_at = CASE WHEN expires_at IS NULL OR expires_at > $4 THEN $4 ELSE expires_at END
         WHERE tenant_id = $1 AND id = $2 AND revoked_at IS NULL AND replaced_at IS NULL AND (expires_at IS NULL OR expires_at > $3)")
        .bind(tenant.as_str()).bind(id.as_str()).bind(now.as_millis()).bind(end.as_millis())
        .execute(conn).await.map(|done| done.rows_affected() == 1))
}

/// Lets keys that were replaced after `latest`, by a clock that was ahead, count as replaced at `now`: they expire as long after that as they would
/// have. The expiry that was chosen for a key that has no successor stays: a clock that is behind would end every key that was issued after it.
/// Returns how many.
///
/// # Errors
/// If the database does not respond.
pub async fn bring_back(tx: &mut Tx, latest: Timestamp, now: Timestamp) -> Result<u64, StoreError> {
    on!(tx, conn => sqlx::query(
        "UPDATE api_keys SET expires_at = expires_at - replaced_at + $2, replaced_at = $2 WHERE replaced_at > $1")
        .bind(latest.as_millis()).bind(now.as_millis())
        .execute(conn).await.map(|done| done.rows_affected()))
}

/// Records that a key was used, and from where.
///
/// # Errors
/// If the database does not respond.
pub async fn mark_used(tx: &mut Tx, id: &ApiKeyId, from: &str, now: Timestamp) -> Result<(), StoreError> {
    on!(tx, conn => sqlx::query("UPDATE api_keys SET last_used_at = $2, last_used_from = $3 WHERE id = $1")
        .bind(id.as_str()).bind(now.as_millis()).bind(from)
        .execute(conn).await.map(drop))
}

/// When the oldest key of a tenant that may be used at `now` was issued, or of all tenants.
///
/// # Errors
/// If the database does not respond.
pub async fn find_oldest(
    tx: &mut Tx,
    tenant: Option<&TenantId>,
    now: Timestamp,
) -> Result<Option<Timestamp>, StoreError> {
    let oldest: Option<i64> = on!(tx, conn => sqlx::query_scalar(
        "SELECT MIN(created_at) FROM api_keys
         WHERE revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $2)
             AND (CAST($1 AS TEXT) IS NULL OR tenant_id = $1)")
        .bind(tenant.map(TenantId::as_str)).bind(now.as_millis()).fetch_one(conn).await)?;
    Ok(oldest.map(Timestamp::from_millis))
}
