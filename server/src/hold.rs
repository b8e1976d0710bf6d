//! Webhooks held after a restore: a mark in the database, so that no start of any node forgets it.

use service::Honnin;
use store::{
    StoreError,
    marks::{self, Mark},
};

/// Holds webhooks from the next start on.
///
/// # Errors
/// If the database does not respond.
pub(crate) async fn begin(honnin: &Honnin) -> Result<(), StoreError> {
    let unit = honnin.db().write(async |tx| marks::set(tx, Mark::HoldDeliveries).await);
    unit.await
}

/// Sends webhooks again.
///
/// # Errors
/// If the database does not respond.
pub(crate) async fn end(honnin: &Honnin) -> Result<(), StoreError> {
    let unit = honnin
        .db()
        .write(async |tx| marks::remove(tx, Mark::HoldDeliveries).await);
    unit.await
}

/// Whether webhooks are held.
///
/// # Errors
/// If the database does not respond.
pub(crate) async fn is_on(honnin: &Honnin) -> Result<bool, StoreError> {
    let unit = honnin
        .db()
        .ask(async |tx| marks::is_set(tx, Mark::HoldDeliveries).await);
    unit.await
}
