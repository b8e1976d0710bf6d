//! What every node of an installation has to know when it starts. It is in the database, because nodes may share nothing else.

use crate::{
    StoreError,
    db::{Tx, on},
};

domain::stored_vocabulary! {
    /// Something to know.
    Mark {
        /// A copy is being put back: nobody may start.
        Restoring = "restoring",
        /// Webhooks are held, because the copy that was put back may have some that were sent before.
        HoldDeliveries = "hold-deliveries",
    }
}

/// Sets the mark with this name.
pub(crate) const SET: &str = "INSERT INTO marks (name) VALUES ($1) ON CONFLICT DO NOTHING";
/// Removes the mark with this name.
pub(crate) const REMOVE: &str = "DELETE FROM marks WHERE name = $1";
/// A row if the mark with this name is set.
pub(crate) const FIND: &str = "SELECT CAST(1 AS BIGINT) FROM marks WHERE name = $1";

/// Sets a mark, if it is not set.
///
/// # Errors
/// If the database does not respond.
pub async fn set(tx: &mut Tx, mark: Mark) -> Result<(), StoreError> {
    on!(tx, conn => sqlx::query(SET).bind(mark.as_str()).execute(conn).await.map(drop))
}

/// Removes a mark, if it is set.
///
/// # Errors
/// If the database does not respond.
pub async fn remove(tx: &mut Tx, mark: Mark) -> Result<(), StoreError> {
    on!(tx, conn => sqlx::query(REMOVE).bind(mark.as_str()).execute(conn).await.map(drop))
}

/// Whether a mark is set.
///
/// # Errors
/// If the database does not respond.
pub async fn is_set(tx: &mut Tx, mark: Mark) -> Result<bool, StoreError> {
    let found: Option<i64> = on!(tx, conn => sqlx::query_scalar(FIND)
        .bind(mark.as_str()).fetch_optional(conn).await)?;
    Ok(found.is_some())
}
