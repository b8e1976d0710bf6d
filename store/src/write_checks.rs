//! Whether anything can be written: one row, written anew.

use crate::{
    StoreError,
    db::{Tx, on},
};

/// Writes the row anew. When the unit is committed, this database takes writes.
///
/// # Errors
/// When the database does not answer, or its disk is full.
pub async fn write(tx: &mut Tx) -> Result<(), StoreError> {
    on!(tx, conn => sqlx::query(
        "INSERT INTO write_checks (id, done) VALUES (1, 1)
         ON CONFLICT (id) DO UPDATE SET done = write_checks.done + 1")
        .execute(conn).await.map(drop))
}
