//! Accounts at the installation's OpenID provider, and the provider's responses that were used.

use crate::{
    StoreError,
    db::{Tx, on},
    ids,
};
use domain::{ids::UserId, time::Timestamp};

/// An account at a provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProviderIdentity {
    /// The provider.
    pub issuer: String,
    /// Its name for the person, which never changes and is never given to somebody else.
    pub subject: String,
}

/// A person's account at a provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProviderAccount {
    /// The provider.
    pub issuer: String,
    /// Its name for the person, which never changes and is never given to somebody else.
    pub subject: String,
    /// The person.
    pub user: UserId,
    /// When it was linked.
    pub linked_at: Timestamp,
}

/// Links an account.
///
/// # Errors
/// [`StoreError::Duplicate`] if it is linked, or the person is linked to another account of the same provider.
pub async fn insert(tx: &mut Tx, row: &ProviderAccount) -> Result<(), StoreError> {
    on!(tx, conn => sqlx::query(
        "INSERT INTO provider_accounts (issuer, subject, user_id, linked_at) VALUES ($1, $2, $3, $4)")
        .bind(&row.issuer).bind(&row.subject).bind(row.user.as_str()).bind(row.linked_at.as_millis())
        .execute(conn).await.map(drop))
}

/// Whose account it is.
///
/// # Errors
/// If the database does not respond.
pub async fn find_user(tx: &mut Tx, issuer: &str, subject: &str) -> Result<Option<UserId>, StoreError> {
    let id: Option<String> = on!(tx, conn => sqlx::query_scalar(
        "SELECT user_id FROM provider_accounts WHERE issuer = $1 AND subject = $2")
        .bind(issuer).bind(subject).fetch_optional(conn).await)?;
    id.map(|id| ids::user_id(&id)).transpose()
}

/// Whether a person is linked to an account of a provider.
///
/// # Errors
/// If the database does not respond.
pub async fn is_linked(tx: &mut Tx, issuer: &str, user: &UserId) -> Result<bool, StoreError> {
    let count: i64 = on!(tx, conn => sqlx::query_scalar(
        "SELECT COUNT(*) FROM provider_accounts WHERE issuer = $1 AND user_id = $2")
        .bind(issuer).bind(user.as_str()).fetch_one(conn).await)?;
    Ok(count > 0)
}

/// Removes a person's links to every provider. Returns whether there were any.
///
/// # Errors
/// If the database does not respond.
pub async fn remove_of(tx: &mut Tx, user: &UserId) -> Result<bool, StoreError> {
    let removed = on!(tx, conn => sqlx::query("DELETE FROM provider_accounts WHERE user_id = $1")
        .bind(user.as_str()).execute(conn).await.map(|done| done.rows_affected()))?;
    Ok(removed > 0)
}

/// Notes that a response is being used. Returns whether it had not been used before.
///
/// # Errors
/// If the database does not respond.
pub async fn use_response(tx: &mut Tx, hash: &[u8], expires_at: Timestamp) -> Result<bool, StoreError> {
    let added = on!(tx, conn => sqlx::query(
        "INSERT INTO used_provider_responses (hash, expires_at) VALUES ($1, $2) ON CONFLICT (hash) DO NOTHING")
        .bind(hash).bind(expires_at.as_millis()).execute(conn).await.map(|done| done.rows_affected()))?;
    Ok(added == 1)
}

/// Removes up to `limit` notes of responses that are too old to be used anyway. Returns how many.
///
/// # Errors
/// If the database does not respond.
pub async fn remove_old_responses(tx: &mut Tx, now: Timestamp, limit: u32) -> Result<u64, StoreError> {
    on!(tx, conn => sqlx::query(
        "DELETE FROM used_provider_responses WHERE hash IN
         (SELECT hash FROM used_provider_responses WHERE expires_at <= $1 LIMIT $2)")
        .bind(now.as_millis()).bind(i64::from(limit)).execute(conn).await.map(|done| done.rows_affected()))
}
