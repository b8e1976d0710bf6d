//! SQLite's connections for reading. The driver's own pool checks each returned connection, which costs a unit of one statement
//! as much as the statement; here a connection is kept as it is until the next unit. One in an unknown state is closed.

use super::{
    Connection, DbOptions, Tx,
    interrupt::Interrupt,
    threads::{self, Thread, Wakes},
    unit,
};
use crate::{StoreError, metrics::Metrics};
use futures::future::join_all;
use sqlx::{ConnectOptions, Connection as _, SqliteConnection, sqlite::SqliteConnectOptions};
use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    time::Duration,
};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Connections that refuse writes. Cheap to clone.
#[derive(Clone)]
pub(super) struct Readers(Arc<Inner>);

struct Inner {
    options: SqliteConnectOptions,
    /// One permit for each connection that may be open.
    permits: Arc<Semaphore>,
    count: u32,
    timeout: Duration,
    /// How long a unit may take.
    limit: Duration,
    resting: Mutex<Vec<Reader>>,
    /// The threads that run the units.
    threads: Vec<Thread>,
}

/// A connection that waits for its next unit.
struct Reader {
    connection: SqliteConnection,
    interrupt: Interrupt,
}

/// A connection that a unit has.
type Lent = (Connection, Interrupt, OwnedSemaphorePermit);

impl Readers {
    /// Opens connections, each when first needed.
    pub(super) fn new(connect: SqliteConnectOptions, options: DbOptions) -> Result<Self, StoreError> {
        let threads = (0..threads::COUNT).map(|number| Thread::start(number, Wakes::Threads));
        let threads = threads.collect::<Result<_, _>>()?;
        Ok(Self(Arc::new(Inner {
            options: connect.read_only(true),
            permits: Arc::new(Semaphore::new(options.readers as usize)),
            count: options.readers,
            timeout: options.timeout,
            limit: options.read,
            resting: Mutex::default(),
            threads,
        })))
    }

    /// Runs `unit` on one snapshot of the database.
    pub(super) async fn read<T, E, F>(&self, mut unit: F, metrics: Arc<Metrics>) -> Result<T, E>
    where
        F: AsyncFnMut(&mut Tx) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        let readers = self.clone();
        self.run(async move |(connection, interrupt, permit)| {
            let mut tx = Tx::new(connection, metrics);
            let answer = match tx.command("BEGIN").await {
                Ok(()) => unit::run(&mut unit, &mut tx).await,
                Err(error) => Err(error.into()),
            };
            interrupt.disarm();
            // If the database has ended the transaction by itself, the state of the connection is unknown.
            if tx.command("ROLLBACK").await.is_err() {
                tx.doubt();
            }
            readers.rest(tx, interrupt).await;
            drop(permit);
            answer
        })
        .await
    }

    /// Runs `unit`, which executes a single statement.
    pub(super) async fn ask<T, E, F>(&self, mut unit: F, metrics: Arc<Metrics>) -> Result<T, E>
    where
        F: AsyncFnMut(&mut Tx) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        let readers = self.clone();
        self.run(async move |(connection, interrupt, permit)| {
            let mut tx = Tx::single(connection, metrics);
            let answer = unit::run(&mut unit, &mut tx).await;
            readers.rest(tx, interrupt).await;
            drop(permit);
            answer
        })
        .await
    }

    /// Waits for the running units, closes the connections and ends the threads.
    pub(super) async fn close(&self) {
        let all = self.0.permits.acquire_many(self.0.count).await;
        self.0.permits.close();
        let resting = std::mem::take(&mut *self.resting());
        for reader in resting {
            // Closing can fail only if it is closed already.
            drop(reader.connection.close().await);
        }
        drop(all);
        join_all(self.0.threads.iter().map(Thread::end)).await;
    }

    /// Runs `work` with a connection. What it reads is interrupted if the caller goes away, and at its limit.
    async fn run<T, E, W>(&self, work: W) -> Result<T, E>
    where
        W: AsyncFnOnce(Lent) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        let thread = threads::least_busy(&self.0.threads, |thread| thread)?;
        let caller = Arc::new(());
        let answer = thread.run(self.clone().lend(Arc::downgrade(&caller)), work).await;
        // Dropped here, or with this future.
        drop(caller);
        answer
    }

    /// A connection for a unit of this caller.
    async fn lend(self, caller: Weak<()>) -> Result<Lent, StoreError> {
        let permit = tokio::time::timeout(self.0.timeout, Arc::clone(&self.0.permits).acquire_owned()).await;
        let permit = permit.map_err(|_| StoreError::unavailable("all read connections are busy"))?;
        let permit = permit.map_err(|_| StoreError::unavailable("the database is closed"))?;
        let resting = self.resting().pop();
        let Reader { connection, interrupt } = match resting {
            Some(reader) => reader,
            None => self.open().await?,
        };
        interrupt.arm(caller, self.0.limit);
        Ok((Connection::Sqlite(connection), interrupt, permit))
    }

    async fn open(&self) -> Result<Reader, StoreError> {
        let opened = self.0.options.connect().await;
        let mut connection = opened.map_err(|error| StoreError::from_sql(&error))?;
        let interrupt = Interrupt::of(&mut connection).await?;
        Ok(Reader { connection, interrupt })
    }

    /// Returns the connection for the next unit; one in doubt is closed.
    async fn rest(&self, tx: Tx, interrupt: Interrupt) {
        interrupt.disarm();
        if tx.is_doubtful() {
            tx.close().await;
        } else if let Connection::Sqlite(connection) = tx.connection {
            self.resting().push(Reader { connection, interrupt });
        }
    }

    fn resting(&self) -> MutexGuard<'_, Vec<Reader>> {
        self.0.resting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
