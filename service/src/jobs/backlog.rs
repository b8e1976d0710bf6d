//! The backlog of background jobs, for the operator.

use super::worker::LONGEST_WAIT;
use crate::Honnin;
use store::{
    StoreError,
    jobs::{self, Backlog, JobKind},
};

/// From how many failed runs in a row on a job is said to fail: after half an hour, which no restart of a database takes.
const OFTEN: i64 = 8;

/// The jobs that are due and not done, by kind; kinds without any are left out.
///
/// # Errors
/// If the database does not respond.
pub async fn backlog(honnin: &Honnin) -> Result<Vec<Backlog>, StoreError> {
    let now = honnin.now();
    let unit = honnin.db.read(async move |tx| jobs::count_due(tx, now).await);
    unit.await
}

/// The jobs that have failed for half an hour and wait for their next run, by kind; kinds without any are left out. Such a job is due for moments
/// only, so that [`backlog`] does not show it.
///
/// # Errors
/// If the database does not respond.
pub async fn failing(honnin: &Honnin) -> Result<Vec<(JobKind, i64)>, StoreError> {
    let now = honnin.now();
    let until = now.plus(LONGEST_WAIT);
    let unit = honnin
        .db
        .read(async move |tx| jobs::count_failing(tx, OFTEN, now, until).await);
    unit.await
}
