//! Running one unit: its panics become errors, and it may not start another unit.

use super::Tx;
use crate::StoreError;
use futures::FutureExt;
use std::panic::AssertUnwindSafe;

tokio::task_local! {
    static INSIDE_A_UNIT: ();
}

/// A unit inside a unit would deadlock: waiting for the one writer on SQLite, for a connection on Postgres.
pub(super) fn refuse_nesting() -> Result<(), StoreError> {
    match INSIDE_A_UNIT.try_with(|()| ()) {
        Ok(()) => Err(StoreError::refused("a unit of work inside another")),
        Err(_) => Ok(()),
    }
}

/// Runs `unit` once and evaluates the result.
pub(super) async fn run<T, E, F>(unit: &mut F, tx: &mut Tx) -> Result<T, E>
where
    F: AsyncFnMut(&mut Tx) -> Result<T, E>,
    E: From<StoreError>,
{
    tx.forget_last_unit();
    // The closure is called inside the future, so that a panic of the call itself is caught as well.
    let guarded = AssertUnwindSafe(INSIDE_A_UNIT.scope((), async { unit(&mut *tx).await })).catch_unwind();
    let value = guarded.await.unwrap_or_else(|_| {
        tx.doubt();
        Err(StoreError::Panicked.into())
    })?;
    match tx.take_failure() {
        None => Ok(value),
        Some(swallowed) => Err(swallowed.into()),
    }
}
