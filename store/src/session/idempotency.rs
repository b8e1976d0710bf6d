//! The responses to creations with an `Idempotency-Key`, stored for a day. Keys and bodies are stored as hashes, the link is
//! encrypted and stored only until it is opened.

use crate::{
    StoreError,
    db::{Dialect, Tx, on, row},
    ids,
};
use domain::{
    ids::{SessionId, TenantId},
    time::Timestamp,
};

/// A response as stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptAnswer {
    /// The tenant.
    pub tenant: TenantId,
    /// SHA-256 of the key.
    pub key_hash: Vec<u8>,
    /// SHA-256 of the body.
    pub body_hash: Vec<u8>,
    /// The session that was created.
    pub session: SessionId,
    /// When it was stored.
    pub created_at: Timestamp,
    /// The deadline in the response.
    pub expires_at: Timestamp,
    /// The link's deadline in the response.
    pub link_expires_at: Timestamp,
    /// The encrypted link; `None` once it opens nothing any more.
    pub link: Option<Vec<u8>>,
}

row! {
    struct Raw {
        body_hash: Vec<u8>,
        session_id: String,
        created_at: i64,
        expires_at: i64,
        link_expires_at: i64,
        link: Option<Vec<u8>>,
    }
}

/// The response stored for a key, whatever its age.
///
/// # Errors
/// If the database does not respond.
pub async fn find(tx: &mut Tx, tenant: &TenantId, key_hash: &[u8]) -> Result<Option<KeptAnswer>, StoreError> {
    let raw: Option<Raw> = on!(tx, conn => sqlx::query_as(
        "SELECT body_hash, session_id, created_at, expires_at, link_expires_at, link
         FROM idempotency WHERE tenant_id = $1 AND key_hash = $2")
        .bind(tenant.as_str()).bind(key_hash).fetch_optional(conn).await)?;
    raw.map(|raw| {
        Ok(KeptAnswer {
            tenant: tenant.clone(),
            key_hash: key_hash.to_owned(),
            body_hash: raw.body_hash,
            session: ids::session_id(&raw.session_id)?,
            created_at: Timestamp::from_millis(raw.created_at),
            expires_at: Timestamp::from_millis(raw.expires_at),
            link_expires_at: Timestamp::from_millis(raw.link_expires_at),
            link: raw.link,
        })
    })
    .transpose()
}

/// Stores a response, replacing one older than `outdated` for the same key. Returns false, having stored nothing, if a newer
/// one exists. Outdated responses of other keys are left to [`remove_old`]: a creation does not wait for that.
///
/// # Errors
/// If the database does not respond.
pub async fn insert(tx: &mut Tx, kept: &KeptAnswer, outdated: Timestamp) -> Result<bool, StoreError> {
    on!(tx, conn => sqlx::query(
        "INSERT INTO idempotency
         (tenant_id, key_hash, body_hash, session_id, created_at, expires_at, link_expires_at, link)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
         ON CONFLICT (tenant_id, key_hash) DO UPDATE
         SET body_hash = $3, session_id = $4, created_at = $5, expires_at = $6, link_expires_at = $7, link = $8
         WHERE idempotency.created_at <= $9")
        .bind(kept.tenant.as_str()).bind(&kept.key_hash).bind(&kept.body_hash).bind(kept.session.as_str())
        .bind(kept.created_at.as_millis()).bind(kept.expires_at.as_millis())
        .bind(kept.link_expires_at.as_millis()).bind(&kept.link).bind(outdated.as_millis())
        .execute(conn).await.map(|done| done.rows_affected() == 1))
}

/// Removes up to `$2` of the responses stored at `$1` or earlier.
macro_rules! remove_old_sql {
    ($lock:literal) => {
        concat!(
            "DELETE FROM idempotency WHERE (tenant_id, key_hash) IN (
                 SELECT tenant_id, key_hash FROM idempotency WHERE created_at <= $1 ORDER BY created_at LIMIT $2",
            $lock,
            ")"
        )
    };
}

/// Removes up to `limit` of the responses stored at `before` or earlier. Returns how many.
///
/// # Errors
/// If the database does not respond.
pub async fn remove_old(tx: &mut Tx, before: Timestamp, limit: u32) -> Result<u64, StoreError> {
    let sql = match tx.dialect() {
        // Units run one after another.
        Dialect::Sqlite => remove_old_sql!(""),
        // One that a creation is replacing is waited for, and is not old any more then.
        Dialect::Postgres => remove_old_sql!(" FOR UPDATE"),
    };
    on!(tx, conn => sqlx::query(sql)
        .bind(before.as_millis()).bind(i64::from(limit))
        .execute(conn).await.map(|done| done.rows_affected()))
}

/// Dates the response to the creation of a session again, as if it had been stored at `now`: with the session's `deadline`, and the end of its link
/// as that is now.
///
/// # Errors
/// If the database does not respond.
pub async fn redate(tx: &mut Tx, session: &SessionId, now: Timestamp, deadline: Timestamp) -> Result<(), StoreError> {
    on!(tx, conn => sqlx::query(
        "UPDATE idempotency SET created_at = $2, expires_at = $3, link_expires_at = COALESCE(
             (SELECT MAX(expires_at) FROM links WHERE session_id = $1), link_expires_at)
         WHERE session_id = $1")
        .bind(session.as_str()).bind(now.as_millis()).bind(deadline.as_millis())
        .execute(conn).await.map(drop))
}

/// Lets the responses stored later than `latest` count as stored at `now`. Returns how many.
///
/// # Errors
/// If the database does not respond.
pub async fn bring_back(tx: &mut Tx, latest: Timestamp, now: Timestamp) -> Result<u64, StoreError> {
    on!(tx, conn => sqlx::query("UPDATE idempotency SET created_at = $2 WHERE created_at > $1")
        .bind(latest.as_millis()).bind(now.as_millis())
        .execute(conn).await.map(|done| done.rows_affected()))
}

/// The key of a stored response: its tenant, as stored, and the hash of the `Idempotency-Key`.
pub type AnswerKey = (String, Vec<u8>);

/// Deletes the links that can no longer be opened at `now` among the `most` responses that follow the key `after`, or the first ones. Returns
/// the last of these keys, if there may be more. By key, because no index tells which links there are.
///
/// # Errors
/// If the database does not respond.
pub async fn forget_expired_links(
    tx: &mut Tx,
    now: Timestamp,
    after: Option<&AnswerKey>,
    most: u32,
) -> Result<Option<AnswerKey>, StoreError> {
    let (tenant, hash) = after.map_or(("", &[][..]), |(tenant, hash)| (tenant.as_str(), hash.as_slice()));
    let last: Option<AnswerKey> = on!(tx, conn => sqlx::query_as(
        "SELECT tenant_id, key_hash FROM idempotency WHERE (tenant_id, key_hash) > ($1, $2)
         ORDER BY tenant_id, key_hash LIMIT 1 OFFSET $3")
        .bind(tenant).bind(hash).bind(i64::from(most) - 1).fetch_optional(conn).await)?;
    macro_rules! forget {
        ($end:literal) => {
            concat!(
                "UPDATE idempotency SET link = NULL
                 WHERE (tenant_id, key_hash) > ($1, $2) AND link IS NOT NULL AND link_expires_at <= $3",
                $end
            )
        };
    }
    // The last slice has no end: which text comes after every other one depends on the language of the database.
    on!(tx, conn => match &last {
        Some((last_tenant, last_hash)) => sqlx::query(forget!(" AND (tenant_id, key_hash) <= ($4, $5)"))
            .bind(tenant).bind(hash).bind(now.as_millis()).bind(last_tenant).bind(last_hash)
            .execute(conn).await.map(drop),
        None => sqlx::query(forget!(""))
            .bind(tenant).bind(hash).bind(now.as_millis())
            .execute(conn).await.map(drop),
    })?;
    Ok(last)
}

/// Deletes the link of a session, because it was opened or replaced, or because the session has ended.
///
/// # Errors
/// If the database does not respond.
pub async fn forget_link(tx: &mut Tx, session: &SessionId) -> Result<(), StoreError> {
    on!(tx, conn => sqlx::query("UPDATE idempotency SET link = NULL WHERE session_id = $1 AND link IS NOT NULL")
        .bind(session.as_str()).execute(conn).await.map(drop))
}

/// Deletes the hash of the body that created a session, because it would confirm a guess of the body. The response stays, so
/// that the key creates nothing new; no body equals the deleted one.
///
/// # Errors
/// If the database does not respond.
pub async fn forget_body(tx: &mut Tx, session: &SessionId) -> Result<(), StoreError> {
    on!(tx, conn => sqlx::query("UPDATE idempotency SET body_hash = $2 WHERE session_id = $1")
        .bind(session.as_str()).bind(b"".as_slice()).execute(conn).await.map(drop))
}
