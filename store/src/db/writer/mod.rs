//! Group commit for SQLite. A durable commit costs milliseconds whatever it contains, so one thread runs all waiting units in
//! one transaction, commits once, and only then answers all of them.
//!
//! Units rarely fail, so a group begins without savepoints, which would cost as much as a small unit. If one fails, the whole
//! transaction is rolled back and the group is run again, each unit inside its own savepoint this time.

mod group;

use super::{Connection, Tx, on, shutdown::Opening, unit::Unit};
use crate::{StoreError, metrics::Metrics};
use group::Group;
use sqlx::{AssertSqlSafe, ConnectOptions, sqlite::SqliteConnectOptions};
use std::{sync::Arc, time::Duration};
use tokio::sync::{Notify, mpsc, oneshot};

/// Capacity of the queue.
pub(super) const QUEUE: usize = 1024;
/// How long a checkpoint waits for readers.
const SHORT_READ: Duration = Duration::from_millis(100);
/// How many callers may wait for a checkpoint.
pub(super) const CHECKPOINTS: usize = 64;

/// A caller that waits for a checkpoint.
pub(super) type Checkpoint = oneshot::Sender<Result<bool, StoreError>>;

/// The thread that writes.
pub(super) struct Writer {
    pub(super) options: SqliteConnectOptions,
    /// How long a unit waits for a lock of another process.
    pub(super) lock_timeout: Duration,
    /// The row that marks the database as open.
    pub(super) opening: Option<Opening>,
    /// The connection; reopened if there is none.
    pub(super) held: Option<Tx>,
    pub(super) inbox: mpsc::Receiver<Box<dyn Unit>>,
    pub(super) checkpoints: mpsc::Receiver<Checkpoint>,
    pub(super) closing: Arc<Notify>,
    pub(super) jobs_changed: Arc<Notify>,
    pub(super) metrics: Arc<Metrics>,
}

impl Writer {
    /// Commits group after group until the last [`super::Db`] is dropped or the database is closed. Its connection is closed
    /// before its inbox is.
    pub(super) async fn run(mut self) {
        self.work().await;
        // If it cannot be written, the row stays: then the database was not closed cleanly.
        drop(self.sign_off().await);
        self.let_go().await;
    }

    async fn sign_off(&mut self) -> Result<(), StoreError> {
        let Some(opening) = self.opening.take() else {
            return Ok(());
        };
        let mut tx = self.take_connection().await?;
        if let Connection::Sqlite(connection) = &mut tx.connection {
            opening.end(connection).await?;
        }
        self.held = Some(tx);
        Ok(())
    }

    async fn work(&mut self) {
        let mut last = Group::default();
        loop {
            tokio::select! {
                Some(caller) = self.checkpoints.recv() => self.answer_checkpoints(caller).await,
                first = self.inbox.recv() => {
                    let Some(first) = first else {
                        return;
                    };
                    if !first.is_abandoned() {
                        last = self.commit(Group::after(&last, first)).await;
                    }
                }
                () = self.closing.notified() => return,
            }
        }
    }

    /// Runs, commits and answers one group.
    async fn commit(&mut self, mut group: Group) -> Group {
        let outcome = match self.take_connection().await {
            Ok(mut tx) => {
                let outcome = group.run(&mut tx, &mut self.inbox).await;
                self.held = Some(tx);
                outcome
            }
            Err(error) => Err(error),
        };
        match &outcome {
            Ok(committed) => {
                let took = committed.took.as_secs_f64();
                self.metrics.committed(group.len(), took, &committed.counted);
                if committed.enqueued {
                    self.jobs_changed.notify_one();
                }
            }
            // Whatever state the connection is in, the next group gets a new one.
            Err(_) => self.let_go().await,
        }
        group.answer(outcome.err().as_ref());
        group
    }

    /// One checkpoint for everybody who waits for one.
    async fn answer_checkpoints(&mut self, first: Checkpoint) {
        let mut callers = vec![first];
        callers.extend(std::iter::from_fn(|| self.checkpoints.try_recv().ok()));
        let done = self.checkpoint().await;
        for caller in callers {
            drop(caller.send(done.clone()));
        }
    }

    /// Waits for short reads only, because no unit runs meanwhile: beside a long one it is not complete, and the caller tries again later.
    async fn checkpoint(&mut self) -> Result<bool, StoreError> {
        let mut tx = self.take_connection().await?;
        wait_for_locks(&mut tx, SHORT_READ).await?;
        let done: Result<(i64, i64, i64), _> = on!(&mut tx, conn => sqlx::query_as("PRAGMA wal_checkpoint(TRUNCATE)")
            .fetch_one(conn).await);
        wait_for_locks(&mut tx, self.lock_timeout).await?;
        // If the time-out could not be restored, the next unit gets a new connection.
        self.held = Some(tx);
        done.map(|(busy, _, _)| busy == 0)
    }

    /// The connection, reopened if there is none.
    async fn take_connection(&mut self) -> Result<Tx, StoreError> {
        if let Some(tx) = self.held.take() {
            return Ok(tx);
        }
        let opened = self.options.connect().await;
        let connection = opened.map_err(|error| StoreError::from_sql(&error))?;
        Ok(Tx::writing(Connection::Sqlite(connection), Arc::clone(&self.metrics)))
    }

    async fn let_go(&mut self) {
        if let Some(tx) = self.held.take() {
            tx.close().await;
        }
    }
}

/// Sets how long this connection waits for locks (`sqlite3_busy_timeout`).
async fn wait_for_locks(tx: &mut Tx, time: Duration) -> Result<(), StoreError> {
    let sql = AssertSqlSafe(format!("PRAGMA busy_timeout = {}", time.as_millis()));
    on!(tx, conn => sqlx::raw_sql(sql).execute(conn).await.map(drop))
}
