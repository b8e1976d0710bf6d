//! Browsers signed in to the console. Only the SHA-256 of the cookie's value is stored, so that a copy of the database gives
//! access to no session.

use crate::{
    StoreError,
    db::{Tx, on},
};
use domain::{ids::UserId, time::Timestamp};

/// A browser's session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConsoleSession {
    /// SHA-256 of the cookie's value.
    pub hash: Vec<u8>,
    /// Who signed in with it.
    pub user: Option<UserId>,
    /// JSON.
    pub data: String,
    /// When it ends.
    pub expires_at: Timestamp,
}

/// Stores a new session.
///
/// # Errors
/// [`StoreError::Duplicate`] if the value is already in use.
pub async fn insert(tx: &mut Tx, session: &ConsoleSession) -> Result<(), StoreError> {
    on!(tx, conn => sqlx::query(
        "INSERT INTO console_sessions (hash, user_id, data, expires_at) VALUES ($1, $2, $3, $4)")
        .bind(&session.hash).bind(session.user.as_ref().map(UserId::as_str)).bind(&session.data)
        .bind(session.expires_at.as_millis())
        .execute(conn).await.map(drop))
}

/// The JSON of a session, which other units do not change until the caller's is done. On SQLite, units run one after another anyway.
///
/// # Errors
/// If the database does not respond.
pub async fn lock(tx: &mut Tx, hash: &[u8]) -> Result<Option<String>, StoreError> {
    on!(tx, conn => sqlx::query_scalar("UPDATE console_sessions SET expires_at = expires_at WHERE hash = $1 RETURNING data")
        .bind(hash).fetch_optional(conn).await)
}

/// Changes an existing session; one that has ended in the meantime is not restored.
///
/// # Errors
/// If the database does not respond.
pub async fn save(tx: &mut Tx, session: &ConsoleSession) -> Result<(), StoreError> {
    on!(tx, conn => sqlx::query("UPDATE console_sessions SET user_id = $2, data = $3, expires_at = $4 WHERE hash = $1")
        .bind(&session.hash).bind(session.user.as_ref().map(UserId::as_str)).bind(&session.data)
        .bind(session.expires_at.as_millis())
        .execute(conn).await.map(drop))
}

/// The JSON and the end of a session that has not ended.
///
/// # Errors
/// If the database does not respond.
pub async fn find(tx: &mut Tx, hash: &[u8], now: Timestamp) -> Result<Option<(String, Timestamp)>, StoreError> {
    let row: Option<(String, i64)> = on!(tx, conn => sqlx::query_as(
        "SELECT data, expires_at FROM console_sessions WHERE hash = $1 AND expires_at > $2")
        .bind(hash).bind(now.as_millis()).fetch_optional(conn).await)?;
    Ok(row.map(|(data, end)| (data, Timestamp::from_millis(end))))
}

/// Ends a session. Returns whether there was one.
///
/// # Errors
/// If the database does not respond.
pub async fn delete(tx: &mut Tx, hash: &[u8]) -> Result<bool, StoreError> {
    on!(tx, conn => sqlx::query("DELETE FROM console_sessions WHERE hash = $1").bind(hash)
        .execute(conn).await.map(|done| done.rows_affected() == 1))
}

/// Ends every session of a person. Returns how many there were.
///
/// # Errors
/// If the database does not respond.
pub async fn delete_of(tx: &mut Tx, user: &UserId) -> Result<u64, StoreError> {
    on!(tx, conn => sqlx::query("DELETE FROM console_sessions WHERE user_id = $1")
        .bind(user.as_str()).execute(conn).await.map(|done| done.rows_affected()))
}

/// Removes up to `limit` sessions that have ended. Returns how many.
///
/// # Errors
/// If the database does not respond.
pub async fn remove_ended(tx: &mut Tx, now: Timestamp, limit: u32) -> Result<u64, StoreError> {
    on!(tx, conn => sqlx::query(
        "DELETE FROM console_sessions WHERE hash IN (
             SELECT hash FROM console_sessions WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2)")
        .bind(now.as_millis()).bind(i64::from(limit))
        .execute(conn).await.map(|done| done.rows_affected()))
}

/// A person's sessions that have not ended: hash, JSON and end.
///
/// # Errors
/// If the database does not respond.
pub async fn list_of(tx: &mut Tx, user: &UserId, now: Timestamp) -> Result<Vec<ConsoleSession>, StoreError> {
    let rows: Vec<(Vec<u8>, String, i64)> = on!(tx, conn => sqlx::query_as(
        "SELECT hash, data, expires_at FROM console_sessions WHERE user_id = $1 AND expires_at > $2 ORDER BY expires_at DESC, hash")
        .bind(user.as_str()).bind(now.as_millis()).fetch_all(conn).await)?;
    Ok(rows
        .into_iter()
        .map(|(hash, data, expires_at)| ConsoleSession {
            hash,
            user: Some(user.clone()),
            data,
            expires_at: Timestamp::from_millis(expires_at),
        })
        .collect())
}

/// Ends one session of a person. Returns whether there was one.
///
/// # Errors
/// If the database does not respond.
pub async fn delete_own(tx: &mut Tx, user: &UserId, hash: &[u8]) -> Result<bool, StoreError> {
    on!(tx, conn => sqlx::query("DELETE FROM console_sessions WHERE user_id = $1 AND hash = $2")
        .bind(user.as_str()).bind(hash).execute(conn).await.map(|done| done.rows_affected() == 1))
}
