//! The transaction of a unit of work, and the macro that runs one SQL text on either database.

use super::postgres::Held;
use crate::{
    StoreError,
    error::{is_read_only, is_serialization_failure},
    metrics::Metrics,
};
use domain::{
    outcome::{Source, Verdict},
    session::Status,
};
use prometheus_client::metrics::counter::Counter;
use sqlx::{Connection as _, SqlSafeStr, SqliteConnection};
use std::sync::Arc;

/// What a unit of work reads and writes with. Only the store's own functions can use it.
pub struct Tx {
    pub(crate) connection: Connection,
    /// A job was enqueued: wake the worker after the commit.
    pub(super) enqueued: bool,
    /// The unit conflicted with another one and may run again.
    pub(super) collided: bool,
    /// What it saves was read before it.
    saves_earlier_read: bool,
    /// The first failure of a statement in this unit.
    failed: Option<StoreError>,
    metrics: Arc<Metrics>,
    /// What to count once the unit is committed.
    pub(super) counted: Vec<Counter>,
    access: Access,
    /// A statement was executed.
    answered: bool,
    doubtful: bool,
}

/// What a unit may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Access {
    /// Read one snapshot.
    Snapshot,
    /// Execute a single statement that reads.
    Statement,
    /// Write.
    Writing,
}

/// The owner begins and ends its transaction.
pub(crate) enum Connection {
    Sqlite(SqliteConnection),
    Postgres(Held),
}

/// The SQL dialect, for the few places where one text does not work on both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    Sqlite,
    Postgres,
}

/// Runs one body on whichever connection the transaction holds. The body is an expression of type `Result<T, sqlx::Error>`, one
/// statement, without `?`; the macro's value is `Result<T, StoreError>`.
macro_rules! on {
    ($tx:expr, $conn:ident => $body:expr) => {{
        let tx: &mut $crate::db::Tx = &mut *$tx;
        let result = match &mut tx.connection {
            $crate::db::Connection::Sqlite(inner) => {
                let $conn = &mut *inner;
                $body
            }
            $crate::db::Connection::Postgres(inner) => {
                let $conn = &mut **inner;
                $body
            }
        };
        tx.note(result)
    }};
}
pub(crate) use on;

impl Tx {
    pub(super) const fn new(connection: Connection, metrics: Arc<Metrics>) -> Self {
        Self::with(Access::Snapshot, connection, metrics)
    }

    const fn with(access: Access, connection: Connection, metrics: Arc<Metrics>) -> Self {
        Self {
            connection,
            enqueued: false,
            collided: false,
            saves_earlier_read: false,
            failed: None,
            metrics,
            counted: Vec::new(),
            access,
            answered: false,
            doubtful: false,
        }
    }

    /// For tests: without a transaction, on a connection that the test has prepared.
    #[must_use]
    pub fn on_connection(connection: SqliteConnection) -> Self {
        Self::new(Connection::Sqlite(connection), Arc::default())
    }

    /// For units that write.
    pub(super) const fn writing(connection: Connection, metrics: Arc<Metrics>) -> Self {
        Self::with(Access::Writing, connection, metrics)
    }

    /// For a unit of one statement.
    pub(super) const fn single(connection: Connection, metrics: Arc<Metrics>) -> Self {
        Self::with(Access::Statement, connection, metrics)
    }

    /// Converts a statement's result and remembers a failure.
    pub(crate) fn note<T>(&mut self, result: Result<T, sqlx::Error>) -> Result<T, StoreError> {
        // Only without a transaction can two statements see different snapshots.
        debug_assert!(
            !self.answered || self.access != Access::Statement,
            "a second statement in a unit of one"
        );
        self.answered = true;
        result.map_err(|error| {
            self.collided |= is_serialization_failure(&error);
            let error = self.fault(&error);
            self.failed.get_or_insert_with(|| error.clone());
            error
        })
    }

    /// The error of a lost compare-and-set. If units run concurrently, the unit is run again with what is stored now, unless it would save what it
    /// [has read before](Self::saves_earlier_read).
    pub(crate) const fn conflict(&mut self) -> StoreError {
        self.collided |= !self.saves_earlier_read;
        StoreError::Conflict
    }

    /// Says that this unit saves what was read before it. If that has changed, the unit would lose each time that it ran again: its caller gets
    /// [`StoreError::Conflict`] at once, and reads again.
    pub const fn saves_earlier_read(&mut self) {
        self.saves_earlier_read = true;
    }

    /// Counts, once this unit is committed, a session that has entered `status`.
    pub fn count_session(&mut self, status: Status) {
        self.counted.push(self.metrics.session(status));
    }

    /// Counts, once this unit is committed, a final verdict.
    pub fn count_verdict(&mut self, verdict: Verdict, source: Source) {
        self.counted.push(self.metrics.verdict(verdict, source));
    }

    /// Counts, once this unit is committed, an attempt to deliver a webhook; `fault` is the class of its failure.
    pub(crate) fn count_attempt(&mut self, fault: Option<&str>) {
        self.counted.push(self.metrics.attempt(fault));
    }

    /// Notifies the worker, after the commit, that there is something to do.
    pub(crate) const fn wake_worker(&mut self) {
        self.enqueued = true;
    }

    pub(crate) const fn dialect(&self) -> Dialect {
        match self.connection {
            Connection::Sqlite(_) => Dialect::Sqlite,
            Connection::Postgres(_) => Dialect::Postgres,
        }
    }

    /// Resets the state for the next unit on the same connection.
    pub(super) fn forget_last_unit(&mut self) {
        self.collided = false;
        self.saves_earlier_read = false;
        self.enqueued = false;
        self.failed = None;
        self.counted.clear();
    }

    pub(super) fn take_failure(&mut self) -> Option<StoreError> {
        self.failed.take()
    }

    /// The state of the connection is unknown: it must not be used again.
    pub(super) const fn doubt(&mut self) {
        self.doubtful = true;
    }

    pub(super) const fn is_doubtful(&self) -> bool {
        self.doubtful
    }

    /// Closes a connection to SQLite, with whatever was begun on it.
    pub(super) async fn close(self) {
        if let Connection::Sqlite(connection) = self.connection {
            // Fails only if the connection is already gone.
            drop(connection.close().await);
        }
    }

    /// Runs a transaction statement, outside any unit's state.
    pub(super) async fn command(&mut self, sql: impl SqlSafeStr) -> Result<(), StoreError> {
        let done = match &mut self.connection {
            Connection::Sqlite(connection) => sqlx::raw_sql(sql).execute(connection).await.map(drop),
            Connection::Postgres(held) => sqlx::raw_sql(sql).execute(&mut **held).await.map(drop),
        };
        done.map_err(|error| {
            self.collided |= is_serialization_failure(&error);
            self.fault(&error)
        })
    }

    /// Where writing is allowed, a database that cannot be written is no bug.
    fn fault(&self, error: &sqlx::Error) -> StoreError {
        if self.access == Access::Writing && is_read_only(error) {
            StoreError::unavailable(error)
        } else {
            StoreError::from_sql(error)
        }
    }
}

impl std::fmt::Debug for Tx {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Tx").field(&self.dialect()).finish()
    }
}
