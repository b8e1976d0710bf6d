//! The transaction a unit of work gets, and the macro that runs one SQL text on either database.

use super::postgres::Held;
use crate::{StoreError, error::is_serialization_failure, metrics::Metrics};
use domain::{
    outcome::{Source, Verdict},
    session::Status,
};
use prometheus_client::metrics::counter::Counter;
use sqlx::{Connection as _, SqliteConnection};
use std::sync::Arc;

/// What a unit of work does its reading and writing on. Only the store's own functions can use it.
pub struct Tx {
    pub(crate) connection: Connection,
    /// A job was enqueued: wake the worker after the commit.
    pub(super) enqueued: bool,
    /// The unit collided with another one and may run again.
    pub(super) collided: bool,
    /// The first error a statement of this unit met.
    failed: Option<StoreError>,
    metrics: Arc<Metrics>,
    /// What is counted once the unit is committed.
    pub(super) counted: Vec<Counter>,
    /// One statement is all that may be asked.
    single: bool,
    /// A statement was answered.
    answered: bool,
    doubtful: bool,
}

/// Whoever holds it says where its transaction begins and ends.
pub(crate) enum Connection {
    Sqlite(SqliteConnection),
    Postgres(Held),
}

/// Which SQL to speak, in the few places where one text cannot serve both.
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
        Self {
            connection,
            enqueued: false,
            collided: false,
            failed: None,
            metrics,
            counted: Vec::new(),
            single: false,
            answered: false,
            doubtful: false,
        }
    }

    /// For a unit of one statement.
    pub(super) const fn single(connection: Connection, metrics: Arc<Metrics>) -> Self {
        let mut tx = Self::new(connection, metrics);
        tx.single = true;
        tx
    }

    /// Translates a statement's result and remembers a failure.
    pub(crate) fn note<T>(&mut self, result: Result<T, sqlx::Error>) -> Result<T, StoreError> {
        // Only where nobody has begun a transaction do two statements not see one moment.
        debug_assert!(
            !self.answered || !self.single,
            "a second statement where one was to be asked"
        );
        self.answered = true;
        result.map_err(|error| {
            self.collided |= is_serialization_failure(&error);
            let error = StoreError::from_sql(&error);
            self.failed.get_or_insert_with(|| error.clone());
            error
        })
    }

    /// The error of a lost compare-and-set. Where units run side by side the unit is tried again with what is stored now.
    pub(crate) fn conflict(&mut self) -> StoreError {
        self.collided = true;
        StoreError::Conflict
    }

    /// Counts, once this unit is committed, that a session has come to `status`.
    pub fn count_session(&mut self, status: Status) {
        self.counted.push(self.metrics.session(status));
    }

    /// Counts, once this unit is committed, a verdict that is fixed.
    pub fn count_verdict(&mut self, verdict: Verdict, source: Source) {
        self.counted.push(self.metrics.verdict(verdict, source));
    }

    /// Counts, once this unit is committed, an attempt to deliver a webhook; `fault` is what went wrong.
    pub(crate) fn count_attempt(&mut self, fault: Option<&str>) {
        self.counted.push(self.metrics.attempt(fault));
    }

    /// Tells the worker, after the commit, that there is something to do.
    pub(crate) const fn wake_worker(&mut self) {
        self.enqueued = true;
    }

    pub(crate) const fn dialect(&self) -> Dialect {
        match self.connection {
            Connection::Sqlite(_) => Dialect::Sqlite,
            Connection::Postgres(_) => Dialect::Postgres,
        }
    }

    /// Starts the books of the next unit on the same connection.
    pub(super) fn forget_last_unit(&mut self) {
        self.collided = false;
        self.enqueued = false;
        self.failed = None;
        self.counted.clear();
    }

    pub(super) fn take_failure(&mut self) -> Option<StoreError> {
        self.failed.take()
    }

    /// Nobody knows what state the connection is in: it is not to be used again.
    pub(super) const fn doubt(&mut self) {
        self.doubtful = true;
    }

    pub(super) const fn is_doubtful(&self) -> bool {
        self.doubtful
    }

    /// Closes a connection to SQLite, with whatever it has begun.
    pub(super) async fn close(self) {
        if let Connection::Sqlite(connection) = self.connection {
            // It fails only where the connection is gone already.
            drop(connection.close().await);
        }
    }

    /// Runs a statement of the transaction itself, outside any unit's books.
    pub(super) async fn command(&mut self, sql: &'static str) -> Result<(), StoreError> {
        let done = match &mut self.connection {
            Connection::Sqlite(connection) => sqlx::raw_sql(sql).execute(connection).await.map(drop),
            Connection::Postgres(held) => sqlx::raw_sql(sql).execute(&mut **held).await.map(drop),
        };
        done.map_err(|error| {
            self.collided |= is_serialization_failure(&error);
            StoreError::from_sql(&error)
        })
    }
}

impl std::fmt::Debug for Tx {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Tx").field(&self.dialect()).finish()
    }
}
