//! Group commit for SQLite. One durable commit costs milliseconds whatever it holds, so one task runs every waiting unit in one
//! transaction, commits once, and only then answers all of them.
//!
//! Units hardly ever fail, so a group begins without savepoints, which would cost as much as a small unit. When one fails, the
//! whole transaction is rolled back and the group is run again, each unit inside a savepoint of its own this time.

mod group;

use super::{Connection, Held, Tx, on, unit};
use crate::{StoreError, figures::Figures};
use futures::future::BoxFuture;
use group::Group;
use sqlx::SqlitePool;
use std::{pin::pin, sync::Arc};
use tokio::sync::{Notify, mpsc, oneshot};

/// How many units may wait before callers have to.
pub(super) const QUEUE: usize = 1024;

/// A unit in the queue, whatever its types.
pub(super) trait Waiting: Send {
    /// Nobody waits for the answer any more.
    fn is_abandoned(&self) -> bool;
    /// Runs the unit, keeps its answer, and says whether to keep what it did.
    fn run<'a>(&'a mut self, tx: &'a mut Tx) -> BoxFuture<'a, bool>;
    /// Answers the caller: with the unit's own answer, or with the group's failure.
    fn answer(self: Box<Self>, group: Result<(), StoreError>);
}

struct Entry<T, E, F> {
    unit: F,
    done: Option<Result<T, E>>,
    caller: oneshot::Sender<Result<T, E>>,
}

impl<T, E, F> Waiting for Entry<T, E, F>
where
    F: for<'t> FnMut(&'t mut Tx) -> BoxFuture<'t, Result<T, E>> + Send,
    T: Send,
    E: From<StoreError> + Send,
{
    fn is_abandoned(&self) -> bool {
        self.caller.is_closed()
    }

    fn run<'a>(&'a mut self, tx: &'a mut Tx) -> BoxFuture<'a, bool> {
        Box::pin(async move { self.done.insert(unit::run(&mut self.unit, tx).await).is_ok() })
    }

    fn answer(self: Box<Self>, group: Result<(), StoreError>) {
        let answer = match (self.done, group) {
            (Some(Err(own)), _) => Err(own),
            (_, Err(group)) => Err(group.into()),
            (Some(Ok(value)), Ok(())) => Ok(value),
            (None, Ok(())) => Err(StoreError::unavailable("the unit did not run").into()),
        };
        // A caller that went away does not need its answer.
        drop(self.caller.send(answer));
    }
}

/// Queues `unit` and waits until its group is committed.
pub(super) async fn submit<T, E, F>(inbox: &mpsc::Sender<Box<dyn Waiting>>, unit: F) -> Result<T, E>
where
    F: for<'t> FnMut(&'t mut Tx) -> BoxFuture<'t, Result<T, E>> + Send + 'static,
    T: Send + 'static,
    E: From<StoreError> + Send + 'static,
{
    let (caller, answer) = oneshot::channel();
    let entry = Entry {
        unit,
        done: None,
        caller,
    };
    let closed = || E::from(StoreError::unavailable("the database is closed"));
    inbox.send(Box::new(entry)).await.map_err(|_| closed())?;
    answer.await.unwrap_or_else(|_| Err(closed()))
}

/// Somebody who waits for the log to be folded into the database file.
pub(super) type Checkpoint = oneshot::Sender<Result<bool, StoreError>>;

/// The task that writes.
pub(super) struct Writer {
    pub(super) pool: SqlitePool,
    pub(super) inbox: mpsc::Receiver<Box<dyn Waiting>>,
    pub(super) checkpoints: mpsc::Receiver<Checkpoint>,
    pub(super) jobs_changed: Arc<Notify>,
    pub(super) figures: Arc<Figures>,
}

impl Writer {
    /// Commits group after group until the last [`super::Db`] is gone or the pool closes. The pool's one connection is this
    /// task's own meanwhile.
    pub(super) async fn run(mut self) {
        let pool = self.pool.clone();
        let mut closing = pin!(pool.close_event());
        let (mut held, mut last) = (None, Group::default());
        loop {
            tokio::select! {
                biased;
                Some(caller) = self.checkpoints.recv() => {
                    let answer = self.checkpoint(&mut held).await;
                    drop(caller.send(answer));
                }
                Some(first) = self.inbox.recv() => {
                    if !first.is_abandoned() {
                        last = self.commit(Group::after(&last, first), &mut held).await;
                    }
                }
                () = &mut closing => return,
                else => return,
            }
        }
    }

    /// Runs, commits and answers one group.
    async fn commit(&mut self, mut group: Group, held: &mut Option<Tx>) -> Group {
        let outcome = match self.hold(held).await {
            Ok(tx) => group.run(tx, &mut self.inbox).await,
            Err(error) => Err(error),
        };
        match &outcome {
            Ok(committed) => {
                let took = committed.took.as_secs_f64();
                self.figures.committed(group.len(), took, &committed.counted);
                if committed.enqueued {
                    self.jobs_changed.notify_one();
                }
            }
            // Whatever state the connection is in, the next group gets another one.
            Err(_) => {
                if let Some(tx) = held.take() {
                    tx.close();
                }
            }
        }
        group.answer(&outcome.map(drop));
        group
    }

    async fn checkpoint(&self, held: &mut Option<Tx>) -> Result<bool, StoreError> {
        let tx = self.hold(held).await?;
        let (busy, _, _): (i64, i64, i64) = on!(tx, conn => sqlx::query_as("PRAGMA wal_checkpoint(TRUNCATE)")
            .fetch_one(conn).await)?;
        Ok(busy == 0)
    }

    /// The connection, opened anew where there is none.
    async fn hold<'h>(&self, held: &'h mut Option<Tx>) -> Result<&'h mut Tx, StoreError> {
        match held {
            Some(tx) => Ok(tx),
            None => {
                let alone = self
                    .pool
                    .acquire()
                    .await
                    .map_err(|error| StoreError::from_sql(&error))?;
                let connection = Connection::Sqlite(Held::Alone(alone));
                Ok(held.insert(Tx::new(connection, Arc::clone(&self.figures))))
            }
        }
    }
}
