//! Opening a database and running units of work on it. What a unit does is in the other modules; how units share a commit is in `writer`
//! and internal to this folder. A unit that has begun runs to completion even if its caller has gone away (see `threads`), but reads that
//! nobody waits for are stopped (see `interrupt` and `postgres`).
//!
//! A unit of work is a closure over [`Tx`]. It contains no network call, no image processing, no hashing of passwords, and never calls
//! [`Db::write`] or [`Db::read`] itself. It may run more than once, so it is an async closure, which lends what it captured to
//! each run:
//!
//! ```ignore
//! db.write(async move |tx| sessions::insert(tx, &session).await).await
//! ```

mod day;
mod interrupt;
mod like;
pub(crate) mod limits;
mod migrations;
mod open;
mod postgres;
mod readers;
mod row;
mod shutdown;
mod threads;
mod tx;
mod unit;
mod writer;

#[cfg(test)]
mod tests;

use crate::{StoreError, metrics::Metrics};
use std::{sync::Arc, time::Duration};
use tokio::sync::{Notify, mpsc, oneshot};

pub(crate) use day::day;
pub(crate) use like::name_containing;
pub(crate) use open::{Schema, is_postgres};
use postgres::Pools;
use readers::Readers;
pub(crate) use row::row;
pub use shutdown::wait_until_signed_off;
pub use tx::Tx;
pub(crate) use tx::{Connection, Dialect, on};
use unit::{Caller, Unit};

/// The number of connections of a database, and its limits of time.
#[derive(Clone, Copy, Debug)]
pub struct DbOptions {
    /// Connections for reading (SQLite; writing has a separate one).
    pub readers: u32,
    /// Connections in total (Postgres).
    pub connections: u32,
    /// Time-out for a connection, or for another process's lock.
    pub timeout: Duration,
    /// How long a unit that writes may take in all, with its commit (Postgres): an answer that is not there by then does not come any more.
    pub write: Duration,
    /// How long a unit that reads may take in all.
    pub read: Duration,
}

impl Default for DbOptions {
    fn default() -> Self {
        Self {
            readers: 8,
            connections: 20,
            timeout: Duration::from_secs(5),
            write: Duration::from_secs(30),
            read: interrupt::LONGEST,
        }
    }
}

/// A migrated database. Cheap to clone.
#[derive(Clone)]
pub struct Db {
    backend: Backend,
    jobs_changed: Arc<Notify>,
    metrics: Arc<Metrics>,
}

#[derive(Clone)]
enum Backend {
    Sqlite {
        readers: Readers,
        units: mpsc::Sender<Box<dyn Unit>>,
        closing: Arc<Notify>,
        checkpoints: mpsc::Sender<writer::Checkpoint>,
    },
    Postgres(Pools),
}

impl Db {
    /// Opens `sqlite://path` or `postgres://..` and brings its schema up to date.
    ///
    /// # Errors
    /// If the URL is malformed, the database does not respond, or its schema is newer than this program.
    pub async fn open(url: &str, options: DbOptions) -> Result<Self, StoreError> {
        Self::open_schema(url, options, Schema::Main).await
    }

    /// Runs `unit` in a transaction and commits it durably. Returning an error rolls back what the unit did. A unit that
    /// swallows a database error is rolled back too, because Postgres cannot continue after one.
    ///
    /// # Errors
    /// What the unit returned, or the store's own error if it could not run or commit.
    pub async fn write<T, E, F>(&self, unit: F) -> Result<T, E>
    where
        F: AsyncFnMut(&mut Tx) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        unit::refuse_nesting()?;
        let (unit, answer) = unit::pack(unit);
        self.begin_write(unit).await?;
        answer.wait().await
    }

    /// Runs `unit` on one consistent snapshot of the database and refuses writes.
    ///
    /// # Errors
    /// What the unit returned, or the store's own error if it could not run.
    pub async fn read<T, E, F>(&self, unit: F) -> Result<T, E>
    where
        F: AsyncFnMut(&mut Tx) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        unit::refuse_nesting()?;
        let (unit, answer) = unit::pack(unit);
        let _caller = self.begin_read(unit)?;
        answer.wait().await
    }

    /// Runs `unit`, which executes a single read statement: a statement is a consistent snapshot by itself, so it runs without
    /// a transaction, which would cost more than the statement.
    ///
    /// # Errors
    /// What the unit returned, or the store's own error if it could not run.
    pub async fn ask<T, E, F>(&self, unit: F) -> Result<T, E>
    where
        F: AsyncFnMut(&mut Tx) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        unit::refuse_nesting()?;
        let (unit, answer) = unit::pack(unit);
        let _caller = self.begin_ask(unit)?;
        answer.wait().await
    }

    async fn begin_write(&self, unit: Box<dyn Unit>) -> Result<(), StoreError> {
        match &self.backend {
            Backend::Sqlite { units, .. } => units.send(unit).await.map_err(|_| unit::closed()),
            Backend::Postgres(pools) => pools.write(unit, &self.jobs_changed, &self.metrics),
        }
    }

    /// The unit continues as long as the caller is held.
    fn begin_read(&self, unit: Box<dyn Unit>) -> Result<Caller, StoreError> {
        let (caller, waiting) = oneshot::channel();
        let metrics = Arc::clone(&self.metrics);
        match &self.backend {
            Backend::Sqlite { readers, .. } => readers.read(unit, waiting, metrics)?,
            Backend::Postgres(pools) => pools.read(unit, waiting, metrics)?,
        }
        Ok(caller)
    }

    /// The same for a single statement.
    fn begin_ask(&self, unit: Box<dyn Unit>) -> Result<Caller, StoreError> {
        let (caller, waiting) = oneshot::channel();
        let metrics = Arc::clone(&self.metrics);
        match &self.backend {
            Backend::Sqlite { readers, .. } => readers.ask(unit, waiting, metrics)?,
            Backend::Postgres(pools) => pools.ask(unit, waiting, metrics)?,
        }
        Ok(caller)
    }

    /// Whether several nodes may have it open, of this version and of others: never on SQLite.
    #[must_use]
    pub const fn is_shared(&self) -> bool {
        matches!(self.backend, Backend::Postgres(_))
    }

    /// Notified after a unit that enqueued a job was committed. One waiter is woken; a notification without a waiter is kept.
    #[must_use]
    pub fn jobs_changed(&self) -> &Arc<Notify> {
        &self.jobs_changed
    }

    /// The metrics of this database.
    #[must_use]
    pub fn metrics(&self) -> &Metrics {
        &self.metrics
    }

    /// Checkpoints SQLite's write-ahead log into the database file and truncates it, so that deleted bytes are gone from the
    /// disk. Does nothing on Postgres. Returns false if a reader prevented it.
    ///
    /// # Errors
    /// If the database does not respond.
    pub async fn checkpoint(&self) -> Result<bool, StoreError> {
        match &self.backend {
            Backend::Sqlite { checkpoints, .. } => {
                let (caller, answer) = oneshot::channel();
                checkpoints.send(caller).await.map_err(|_| unit::closed())?;
                answer.await.unwrap_or_else(|_| Err(unit::closed()))
            }
            Backend::Postgres(_) => Ok(true),
        }
    }

    /// Finishes the units that are running, and the writing ones waiting on SQLite, closes the connections and ends the
    /// threads. Units that PostgreSQL does not answer, and those that still read on SQLite, are given up after twice
    /// [`DbOptions::timeout`]. Later units get [`StoreError::Unavailable`].
    pub async fn close(&self) {
        match &self.backend {
            Backend::Sqlite {
                readers,
                units,
                closing,
                ..
            } => {
                // A unit at the end of the queue: when it is answered, everything before it is committed.
                let (last, answer) = unit::pack(async |_| Ok::<_, StoreError>(()));
                if units.send(last).await.is_ok() {
                    drop(answer.wait().await);
                }
                readers.close().await;
                closing.notify_one();
                units.closed().await;
            }
            Backend::Postgres(pools) => pools.close().await,
        }
    }
}

impl std::fmt::Debug for Db {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self.backend {
            Backend::Sqlite { .. } => "Db(sqlite)",
            Backend::Postgres(_) => "Db(postgres)",
        })
    }
}
