//! Links for choosing a new password. A row is an open link, one for each person; used ones are deleted. Only the SHA-256 of
//! the token is stored.

use crate::{
    StoreError,
    db::{Tx, on},
    ids,
    people::{LINK_LIFETIME, latest_end},
};
use domain::{ids::UserId, time::Timestamp};

/// A link as stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResetRow {
    /// The person.
    pub user: UserId,
    /// SHA-256 of the link's token.
    pub hash: Vec<u8>,
    /// Who created it; `None` for the command line.
    pub issued_by: Option<UserId>,
    /// When the link expires.
    pub expires_at: Timestamp,
}

/// Stores a link, replacing the person's previous one.
///
/// # Errors
/// If the database does not respond.
pub async fn put(tx: &mut Tx, row: &ResetRow) -> Result<(), StoreError> {
    on!(tx, conn => sqlx::query(
        "INSERT INTO password_resets (user_id, hash, issued_by, expires_at) VALUES ($1, $2, $3, $4)
         ON CONFLICT (user_id) DO UPDATE
         SET hash = excluded.hash, issued_by = excluded.issued_by, expires_at = excluded.expires_at")
        .bind(row.user.as_str()).bind(&row.hash).bind(row.issued_by.as_ref().map(UserId::as_str))
        .bind(row.expires_at.as_millis())
        .execute(conn).await.map(drop))
}

fn parsed(id: Option<String>) -> Result<Option<UserId>, StoreError> {
    id.map(|id| ids::user_id(&id)).transpose()
}

/// The owner of an open link's token.
///
/// # Errors
/// If the database does not respond.
pub async fn find_open(tx: &mut Tx, hash: &[u8], now: Timestamp) -> Result<Option<UserId>, StoreError> {
    let id: Option<String> = on!(tx, conn => sqlx::query_scalar(
        "SELECT user_id FROM password_resets WHERE hash = $1 AND expires_at > $2 AND expires_at <= $3")
        .bind(hash).bind(now.as_millis()).bind(latest_end(now).as_millis()).fetch_optional(conn).await)?;
    parsed(id)
}

/// Whether a link was created on the command line.
///
/// # Errors
/// If the database does not respond.
pub async fn is_from_command_line(tx: &mut Tx, hash: &[u8]) -> Result<bool, StoreError> {
    let count: i64 = on!(tx, conn => sqlx::query_scalar(
        "SELECT COUNT(*) FROM password_resets WHERE hash = $1 AND issued_by IS NULL")
        .bind(hash).fetch_one(conn).await)?;
    Ok(count > 0)
}

/// Uses up an open link: of two concurrent units, one gets it.
///
/// # Errors
/// If the database does not respond.
pub async fn take(tx: &mut Tx, hash: &[u8], now: Timestamp) -> Result<Option<UserId>, StoreError> {
    let id: Option<String> = on!(tx, conn => sqlx::query_scalar(
        "DELETE FROM password_resets WHERE hash = $1 AND expires_at > $2 AND expires_at <= $3 RETURNING user_id")
        .bind(hash).bind(now.as_millis()).bind(latest_end(now).as_millis()).fetch_optional(conn).await)?;
    parsed(id)
}

/// Ends a person's link.
///
/// # Errors
/// If the database does not respond.
pub async fn revoke_of(tx: &mut Tx, user: &UserId) -> Result<(), StoreError> {
    on!(tx, conn => sqlx::query("DELETE FROM password_resets WHERE user_id = $1")
        .bind(user.as_str()).execute(conn).await.map(drop))
}

/// The addresses of the people for whom a person has created links that are open, in the order of the alphabet.
///
/// # Errors
/// If the database does not respond.
pub async fn list_addresses_by(tx: &mut Tx, user: &UserId, now: Timestamp) -> Result<Vec<String>, StoreError> {
    on!(tx, conn => sqlx::query_scalar(
        "SELECT users.email FROM password_resets JOIN users ON users.id = password_resets.user_id
         WHERE password_resets.issued_by = $1 AND password_resets.expires_at > $2 ORDER BY users.email")
        .bind(user.as_str()).bind(now.as_millis()).fetch_all(conn).await)
}

/// Ends every link that a person created.
///
/// # Errors
/// If the database does not respond.
pub async fn revoke_by(tx: &mut Tx, user: &UserId) -> Result<(), StoreError> {
    on!(tx, conn => sqlx::query("DELETE FROM password_resets WHERE issued_by = $1")
        .bind(user.as_str()).execute(conn).await.map(drop))
}

/// Lets links that were made by a clock that was ahead count as made at `now`. Returns how many.
///
/// # Errors
/// If the database does not respond.
pub async fn bring_back(tx: &mut Tx, now: Timestamp) -> Result<u64, StoreError> {
    on!(tx, conn => sqlx::query("UPDATE password_resets SET expires_at = $2 WHERE expires_at > $1")
        .bind(latest_end(now).as_millis()).bind(now.plus(LINK_LIFETIME).as_millis())
        .execute(conn).await.map(|done| done.rows_affected()))
}

/// Removes links that have expired.
///
/// # Errors
/// If the database does not respond.
pub async fn sweep(tx: &mut Tx, now: Timestamp) -> Result<(), StoreError> {
    on!(tx, conn => sqlx::query("DELETE FROM password_resets WHERE expires_at <= $1")
        .bind(now.as_millis()).execute(conn).await.map(drop))
}
