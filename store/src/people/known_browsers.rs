//! Browsers that people have signed in with. Only a hash of the cookie's value is stored.

use crate::{
    StoreError,
    db::{Tx, on},
};
use domain::{ids::UserId, time::Timestamp};

/// A browser of a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrowserRow {
    /// The hash of the person's id and the cookie's value.
    pub hash: Vec<u8>,
    /// The browser, as it named itself when it was last used.
    pub agent: String,
    /// The address it last signed in from.
    pub address: String,
    /// When they first signed in with it.
    pub first_used_at: Timestamp,
    /// When they last signed in with it.
    pub last_used_at: Timestamp,
}

/// The sign-in with a browser before the present one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LastUse {
    /// When it was.
    pub at: Timestamp,
    /// The address it came from.
    pub address: String,
    /// The number of the entry of the audit log up to which none was still to come then; `None` if an earlier version recorded it.
    pub entry: Option<i64>,
}

/// Records that a person has signed in with a browser, when nothing up to number `entry` of the audit log was still to come. Returns the sign-in with
/// it before, if it was known; of one that was, the first use stays.
///
/// # Errors
/// If the database does not respond.
pub async fn see(tx: &mut Tx, user: &UserId, row: &BrowserRow, entry: i64) -> Result<Option<LastUse>, StoreError> {
    // First, because of two who sign in with it at the same time, the second waits here for the first.
    let is_new = on!(tx, conn => sqlx::query(
        "INSERT INTO known_browsers (user_id, hash, agent, address, first_used_at, last_used_at, last_entry)
         VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (user_id, hash) DO NOTHING")
        .bind(user.as_str()).bind(&row.hash).bind(&row.agent).bind(&row.address)
        .bind(row.first_used_at.as_millis()).bind(row.last_used_at.as_millis()).bind(entry)
        .execute(conn).await.map(|done| done.rows_affected() == 1))?;
    if is_new {
        return Ok(None);
    }
    let before: Option<(i64, String, Option<i64>)> = on!(tx, conn => sqlx::query_as(
        "SELECT last_used_at, address, last_entry FROM known_browsers WHERE user_id = $1 AND hash = $2")
        .bind(user.as_str()).bind(&row.hash).fetch_optional(conn).await)?;
    on!(tx, conn => sqlx::query(
        "UPDATE known_browsers SET agent = $3, address = $4, last_used_at = $5, last_entry = $6
         WHERE user_id = $1 AND hash = $2")
        .bind(user.as_str()).bind(&row.hash).bind(&row.agent).bind(&row.address).bind(row.last_used_at.as_millis())
        .bind(entry).execute(conn).await.map(drop))?;
    Ok(before.map(|(at, address, entry)| LastUse {
        at: Timestamp::from_millis(at),
        address,
        entry,
    }))
}

/// Removes all but the `most` browsers of a person that were used last.
///
/// # Errors
/// If the database does not respond.
pub async fn keep_newest(tx: &mut Tx, user: &UserId, most: u32) -> Result<(), StoreError> {
    on!(tx, conn => sqlx::query(
        "DELETE FROM known_browsers WHERE user_id = $1 AND hash NOT IN (
             SELECT hash FROM known_browsers WHERE user_id = $1 ORDER BY last_used_at DESC, hash LIMIT $2)")
        .bind(user.as_str()).bind(i64::from(most)).execute(conn).await.map(drop))
}

/// A person's browsers, the one used last first.
///
/// # Errors
/// If the database does not respond.
pub async fn list(tx: &mut Tx, user: &UserId) -> Result<Vec<BrowserRow>, StoreError> {
    let rows: Vec<(Vec<u8>, String, String, i64, i64)> = on!(tx, conn => sqlx::query_as(
        "SELECT hash, agent, address, first_used_at, last_used_at FROM known_browsers
         WHERE user_id = $1 ORDER BY last_used_at DESC, hash")
        .bind(user.as_str()).fetch_all(conn).await)?;
    let rows = rows
        .into_iter()
        .map(|(hash, agent, address, first_used_at, last_used_at)| BrowserRow {
            hash,
            agent,
            address,
            first_used_at: Timestamp::from_millis(first_used_at),
            last_used_at: Timestamp::from_millis(last_used_at),
        });
    Ok(rows.collect())
}

/// Removes a browser of a person. Returns whether there was one.
///
/// # Errors
/// If the database does not respond.
pub async fn remove(tx: &mut Tx, user: &UserId, hash: &[u8]) -> Result<bool, StoreError> {
    on!(tx, conn => sqlx::query("DELETE FROM known_browsers WHERE user_id = $1 AND hash = $2")
        .bind(user.as_str()).bind(hash).execute(conn).await.map(|done| done.rows_affected() == 1))
}

/// Removes up to `limit` of the browsers that were last used before `before`. Returns how many.
///
/// # Errors
/// If the database does not respond.
pub async fn remove_unused(tx: &mut Tx, before: Timestamp, limit: u32) -> Result<u64, StoreError> {
    on!(tx, conn => sqlx::query(
        "DELETE FROM known_browsers WHERE (user_id, hash) IN (
             SELECT user_id, hash FROM known_browsers WHERE last_used_at < $1 ORDER BY last_used_at LIMIT $2)")
        .bind(before.as_millis()).bind(i64::from(limit)).execute(conn).await.map(|done| done.rows_affected()))
}
