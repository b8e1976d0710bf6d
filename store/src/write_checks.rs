//! Whether the database can be written: rewrites one row.

use crate::{
    StoreError,
    db::{Tx, on},
};

/// Rewrites the row. When the unit is committed, this database accepts writes.
///
/// # Errors
/// If the database does not respond, or its disk is full.
pub async fn write(tx: &mut Tx) -> Result<(), StoreError> {
    on!(tx, conn => sqlx::query(
        "INSERT INTO write_checks (id, done) VALUES (1, 1)
         ON CONFLICT (id) DO UPDATE SET done = write_checks.done + 1")
        .execute(conn).await.map(drop))
}
