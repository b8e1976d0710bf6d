//! SQLite's connections for reading. The driver's own pool asks each connection that comes back whether it is alive, which costs a unit
//! of one statement as much as the statement; here it rests until the next unit. One whose unit was not seen to its end is closed.

use super::{Connection, Tx, unit};
use crate::{StoreError, figures::Figures};
use futures::future::BoxFuture;
use sqlx::{ConnectOptions, Connection as _, SqliteConnection, sqlite::SqliteConnectOptions};
use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::sync::{Semaphore, SemaphorePermit};

/// Connections that refuse writes. Cheap to clone.
#[derive(Clone)]
pub(super) struct Readers(Arc<Inner>);

struct Inner {
    options: SqliteConnectOptions,
    /// One for each connection that may be open.
    places: Semaphore,
    count: u32,
    patience: Duration,
    resting: Mutex<Vec<SqliteConnection>>,
}

impl Readers {
    /// Opens `count` connections at most, each when it is first needed. A unit waits no longer than `patience` for one.
    pub(super) fn new(options: SqliteConnectOptions, count: u32, patience: Duration) -> Self {
        Self(Arc::new(Inner {
            options: options.read_only(true),
            places: Semaphore::new(count as usize),
            count,
            patience,
            resting: Mutex::default(),
        }))
    }

    /// Runs `unit` on one view of the database.
    pub(super) async fn read<T, E, F>(&self, mut unit: F, figures: Arc<Figures>) -> Result<T, E>
    where
        F: for<'t> FnMut(&'t mut Tx) -> BoxFuture<'t, Result<T, E>> + Send,
        T: Send,
        E: From<StoreError> + Send,
    {
        let (connection, _place) = self.lend().await?;
        let mut tx = Tx::new(connection, figures);
        tx.command("BEGIN").await?;
        let answer = unit::run(&mut unit, &mut tx).await;
        // Where the database has ended the transaction by itself, nobody knows what state the connection is in.
        if tx.command("ROLLBACK").await.is_ok() {
            self.rest(tx);
        }
        answer
    }

    /// Runs `unit`, which asks one thing.
    pub(super) async fn ask<T, E, F>(&self, mut unit: F, figures: Arc<Figures>) -> Result<T, E>
    where
        F: for<'t> FnMut(&'t mut Tx) -> BoxFuture<'t, Result<T, E>> + Send,
        T: Send,
        E: From<StoreError> + Send,
    {
        let (connection, _place) = self.lend().await?;
        let mut tx = Tx::single(connection, figures);
        let answer = unit::run(&mut unit, &mut tx).await;
        self.rest(tx);
        answer
    }

    /// Waits for the units that read, closes the connections and lends no more.
    pub(super) async fn close(&self) {
        let all = self.0.places.acquire_many(self.0.count).await;
        self.0.places.close();
        let resting = std::mem::take(&mut *self.resting());
        for connection in resting {
            // Closing can fail only where it is closed already.
            drop(connection.close().await);
        }
        drop(all);
    }

    /// A connection, and the place it takes.
    async fn lend(&self) -> Result<(Connection, SemaphorePermit<'_>), StoreError> {
        let place = tokio::time::timeout(self.0.patience, self.0.places.acquire()).await;
        let place = place.map_err(|_| StoreError::unavailable("every connection for reading is busy"))?;
        let place = place.map_err(|_| StoreError::unavailable("the database is closed"))?;
        let resting = self.resting().pop();
        let connection = match resting {
            Some(connection) => connection,
            None => (self.0.options.connect().await).map_err(|error| StoreError::from_sql(&error))?,
        };
        Ok((Connection::Sqlite(connection), place))
    }

    /// The next unit may have this one's connection.
    fn rest(&self, tx: Tx) {
        if let Connection::Sqlite(connection) = tx.connection {
            self.resting().push(connection);
        }
    }

    fn resting(&self) -> MutexGuard<'_, Vec<SqliteConnection>> {
        self.0.resting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
