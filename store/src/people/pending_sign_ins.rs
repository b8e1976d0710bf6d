//! Sign-ins that have come as far as the second factor.

use crate::{
    StoreError,
    db::{Tx, on},
    ids,
    people::provider_accounts::ProviderIdentity,
};
use domain::{ids::UserId, time::Timestamp};

/// Somebody who has yet to show their second factor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PendingSignInRow {
    /// Who.
    pub user: UserId,
    /// The address they came from.
    pub address: String,
    /// Whether a wrong second factor has been recorded.
    pub refused: bool,
    /// When their password was counted as an attempt; `None` if they came without one.
    pub counted_at: Option<Timestamp>,
    /// Their account at the provider, if it is linked only once the second factor has come.
    pub to_link: Option<ProviderIdentity>,
}

/// A row as it is read.
type Raw = (String, String, bool, Option<i64>, Option<String>, Option<String>);

fn parsed((user, address, refused, counted_at, issuer, subject): Raw) -> Result<PendingSignInRow, StoreError> {
    Ok(PendingSignInRow {
        user: ids::user_id(&user)?,
        address,
        refused,
        counted_at: counted_at.map(Timestamp::from_millis),
        to_link: issuer
            .zip(subject)
            .map(|(issuer, subject)| ProviderIdentity { issuer, subject }),
    })
}

/// Stores one. Returns its number.
///
/// # Errors
/// If the database does not respond.
pub async fn insert(tx: &mut Tx, row: &PendingSignInRow) -> Result<i64, StoreError> {
    let to_link = row.to_link.as_ref();
    on!(tx, conn => sqlx::query_scalar(
        "INSERT INTO half_sign_ins (user_id, address, refused, counted_at, link_issuer, link_subject)
         VALUES ($1, $2, $3, $4, $5, $6) RETURNING number")
        .bind(row.user.as_str()).bind(&row.address).bind(row.refused).bind(row.counted_at.map(Timestamp::as_millis))
        .bind(to_link.map(|account| account.issuer.as_str())).bind(to_link.map(|account| account.subject.as_str()))
        .fetch_one(conn).await)
}

/// Removes one. Returns it, unless it was removed before.
///
/// # Errors
/// If the database does not respond.
pub async fn take(tx: &mut Tx, number: i64) -> Result<Option<PendingSignInRow>, StoreError> {
    let row: Option<Raw> = on!(tx, conn => sqlx::query_as(
        "DELETE FROM half_sign_ins WHERE number = $1
         RETURNING user_id, address, refused, counted_at, link_issuer, link_subject")
        .bind(number).fetch_optional(conn).await)?;
    row.map(parsed).transpose()
}

/// Whether one has not been removed.
///
/// # Errors
/// If the database does not respond.
pub async fn exists(tx: &mut Tx, user: &UserId, number: i64) -> Result<bool, StoreError> {
    let found: Option<i64> = on!(tx, conn => sqlx::query_scalar(
        "SELECT number FROM half_sign_ins WHERE number = $1 AND user_id = $2")
        .bind(number).bind(user.as_str()).fetch_optional(conn).await)?;
    Ok(found.is_some())
}

/// Notes that a wrong second factor of one has been recorded.
///
/// # Errors
/// If the database does not respond.
pub async fn mark_refused(tx: &mut Tx, number: i64) -> Result<(), StoreError> {
    on!(tx, conn => sqlx::query("UPDATE half_sign_ins SET refused = $2 WHERE number = $1")
        .bind(number).bind(true).execute(conn).await.map(drop))
}

/// Removes those of a person, and returns them.
///
/// # Errors
/// If the database does not respond.
pub async fn take_of(tx: &mut Tx, user: &UserId) -> Result<Vec<PendingSignInRow>, StoreError> {
    let rows: Vec<Raw> = on!(tx, conn => sqlx::query_as(
        "DELETE FROM half_sign_ins WHERE user_id = $1
         RETURNING user_id, address, refused, counted_at, link_issuer, link_subject")
        .bind(user.as_str()).fetch_all(conn).await)?;
    rows.into_iter().map(parsed).collect()
}
