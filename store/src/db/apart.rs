//! Units run in tasks of the store's own. A caller may leave at any moment (its client hung up, another branch of a `select!` won),
//! and its future is dropped where it waits. Were the unit part of that future, a statement could be left half-way, and the connection
//! handed on with a transaction open. So a unit that has begun ends whole, whoever listens; one whose caller left before does not run.

use crate::StoreError;
use tokio::sync::oneshot;
use tracing::Instrument as _;

/// Takes a connection from `lend` and runs `work` on it.
pub(super) async fn apart<C, T, E, L, W, R>(lend: L, work: W) -> Result<T, E>
where
    L: Future<Output = Result<C, StoreError>> + Send + 'static,
    W: FnOnce(C) -> R + Send + 'static,
    R: Future<Output = Result<T, E>> + Send,
    C: Send,
    T: Send + 'static,
    E: From<StoreError> + Send + 'static,
{
    let (caller, answer) = oneshot::channel();
    let task = async move {
        let answer = match lend.await {
            Ok(_unused) if caller.is_closed() => return,
            Ok(connection) => work(connection).await,
            Err(error) => Err(error.into()),
        };
        // A caller that went away does not need its answer.
        drop(caller.send(answer));
    };
    tokio::spawn(task.in_current_span());
    let ended = |_| Err(StoreError::unavailable("the process ends").into());
    answer.await.unwrap_or_else(ended)
}
