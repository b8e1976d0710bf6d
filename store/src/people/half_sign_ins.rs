//! Sign-ins that have come as far as the second factor.

use crate::{
    StoreError,
    db::{Tx, on},
};
use domain::ids::UserId;

/// Somebody who has yet to show their second factor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HalfSignInRow {
    /// Who.
    pub user: UserId,
    /// The address they came from.
    pub address: String,
}

/// Stores one. Returns its number.
///
/// # Errors
/// If the database does not respond.
pub async fn insert(tx: &mut Tx, row: &HalfSignInRow) -> Result<i64, StoreError> {
    on!(tx, conn => sqlx::query_scalar("INSERT INTO half_sign_ins (user_id, address) VALUES ($1, $2) RETURNING number")
        .bind(row.user.as_str()).bind(&row.address).fetch_one(conn).await)
}

/// Removes one. Returns it, unless it was removed before.
///
/// # Errors
/// If the database does not respond.
pub async fn take(tx: &mut Tx, number: i64) -> Result<Option<HalfSignInRow>, StoreError> {
    let row: Option<(String, String)> = on!(tx, conn => sqlx::query_as(
        "DELETE FROM half_sign_ins WHERE number = $1 RETURNING user_id, address")
        .bind(number).fetch_optional(conn).await)?;
    row.map(|(user, address)| {
        let user = UserId::parse(&user).ok_or(StoreError::Corrupt("a malformed user id"))?;
        Ok(HalfSignInRow { user, address })
    })
    .transpose()
}
