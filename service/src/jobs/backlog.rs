//! The backlog of background jobs, for the operator.

use crate::Honnin;
use store::{
    StoreError,
    jobs::{self, Backlog},
};

/// The jobs that are due and not done, by kind; kinds without any are left out.
///
/// # Errors
/// If the database does not respond.
pub async fn backlog(honnin: &Honnin) -> Result<Vec<Backlog>, StoreError> {
    let now = honnin.now();
    let unit = honnin.db.read(async move |tx| jobs::count_due(tx, now).await);
    unit.await
}
