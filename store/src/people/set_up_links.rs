//! The links with which the first account is created, stored by their hashes.

use crate::{
    StoreError,
    db::{Tx, on},
};
use domain::time::Timestamp;

/// Stores a set-up link by its token's hash.
///
/// # Errors
/// If the database does not respond.
pub async fn insert(tx: &mut Tx, hash: &[u8], now: Timestamp) -> Result<(), StoreError> {
    on!(tx, conn => sqlx::query("INSERT INTO set_up_links (hash, created_at) VALUES ($1, $2)")
        .bind(hash).bind(now.as_millis()).execute(conn).await.map(drop))
}

/// Whether a set-up link was issued and none has been used yet.
///
/// # Errors
/// If the database does not respond.
pub async fn is_open(tx: &mut Tx, hash: &[u8]) -> Result<bool, StoreError> {
    let found: Option<i64> = on!(tx, conn => sqlx::query_scalar(
        "SELECT created_at FROM set_up_links WHERE hash = $1 AND used_at IS NULL
         AND NOT EXISTS (SELECT 1 FROM set_up_links AS other WHERE other.used_at IS NOT NULL)")
        .bind(hash).fetch_optional(conn).await)?;
    Ok(found.is_some())
}

/// Ends all set-up links. Returns whether one was open: of two concurrent units, only one gets true.
///
/// # Errors
/// If the database does not respond.
pub async fn close_all(tx: &mut Tx, now: Timestamp) -> Result<bool, StoreError> {
    on!(tx, conn => sqlx::query("UPDATE set_up_links SET used_at = $1 WHERE used_at IS NULL")
        .bind(now.as_millis()).execute(conn).await.map(|done| done.rows_affected() > 0))
}
