//! One unit, with its types erased, from its caller to a connection and back. This way, the code that runs units is compiled once and not for
//! each of the hundreds of units.

use super::Tx;
use crate::StoreError;
use futures::future::{FutureExt as _, LocalBoxFuture};
use std::{convert::Infallible, panic::AssertUnwindSafe};
use tokio::sync::oneshot;

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

/// A unit and its result.
pub(super) trait Unit: Send {
    /// Nobody waits for the result any more.
    fn is_abandoned(&self) -> bool;
    /// Executes the unit and keeps its result. Returns whether it is a success.
    fn execute<'a>(&'a mut self, tx: &'a mut Tx) -> LocalBoxFuture<'a, bool>;
    /// Whether its result is an error.
    fn has_failed(&self) -> bool;
    /// Replaces its result.
    fn fail(&mut self, error: StoreError);
    /// Sends the result to the caller. What the unit has captured is gone by then.
    fn answer(self: Box<Self>);
}

/// Held by the caller that waits for a unit that reads.
pub(super) type Caller = oneshot::Sender<Infallible>;
/// Closed when nobody waits any more.
pub(super) type Waiting = oneshot::Receiver<Infallible>;

/// Dropped in this order: if it does not run, what it has captured is gone as well before its caller is told.
struct Typed<T, E, F> {
    unit: F,
    result: Option<Result<T, E>>,
    caller: oneshot::Sender<Result<T, E>>,
}

impl<T, E, F> Unit for Typed<T, E, F>
where
    F: AsyncFnMut(&mut Tx) -> Result<T, E> + Send,
    T: Send,
    E: From<StoreError> + Send,
{
    fn is_abandoned(&self) -> bool {
        self.caller.is_closed()
    }

    fn execute<'a>(&'a mut self, tx: &'a mut Tx) -> LocalBoxFuture<'a, bool> {
        // The closure is called inside the future, so that a panic of the call itself is caught as well.
        Box::pin(async move { self.result.insert((self.unit)(tx).await).is_ok() })
    }

    fn has_failed(&self) -> bool {
        self.result.as_ref().is_some_and(Result::is_err)
    }

    fn fail(&mut self, error: StoreError) {
        self.result = Some(Err(error.into()));
    }

    fn answer(self: Box<Self>) {
        drop(self.unit);
        let result = self.result.unwrap_or_else(|| Err(closed().into()));
        // A caller that has gone away does not need the answer.
        drop(self.caller.send(result));
    }
}

/// The result of a unit, once it has run.
pub(super) struct Answer<T, E>(oneshot::Receiver<Result<T, E>>);

impl<T, E: From<StoreError>> Answer<T, E> {
    /// Waits for it. A unit that is dropped on its way finds the database closed.
    pub(super) async fn wait(self) -> Result<T, E> {
        self.0.await.unwrap_or_else(|_| Err(closed().into()))
    }
}

/// Packs `unit`; its result comes to the [`Answer`].
pub(super) fn pack<T, E, F>(unit: F) -> (Box<dyn Unit>, Answer<T, E>)
where
    F: AsyncFnMut(&mut Tx) -> Result<T, E> + Send + 'static,
    T: Send + 'static,
    E: From<StoreError> + Send + 'static,
{
    let (caller, answer) = oneshot::channel();
    let typed = Typed {
        unit,
        result: None,
        caller,
    };
    (Box::new(typed), Answer(answer))
}

/// Runs `unit` once: its panics become errors, it may not start another unit, and it cannot swallow the failure of a statement. Returns
/// whether to keep its changes.
pub(super) async fn run(unit: &mut dyn Unit, tx: &mut Tx) -> bool {
    tx.forget_last_unit();
    let guarded = AssertUnwindSafe(INSIDE_A_UNIT.scope((), unit.execute(&mut *tx))).catch_unwind();
    let Ok(succeeded) = guarded.await else {
        tx.doubt();
        unit.fail(StoreError::Panicked);
        return false;
    };
    match tx.take_failure() {
        Some(swallowed) if succeeded => {
            unit.fail(swallowed);
            false
        }
        _ => succeeded,
    }
}

pub(super) fn closed() -> StoreError {
    StoreError::unavailable("the database is closed")
}
