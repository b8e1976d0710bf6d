//! SQLite's connections for reading. The driver's own pool checks each returned connection, which costs a unit of one statement
//! as much as the statement; here a connection is kept as it is until the next unit. One in an unknown state is closed.

use super::{
    Connection, DbOptions, Tx,
    interrupt::Interrupt,
    threads::{self, Thread, Wakes},
    unit::{self, Unit, Waiting},
};
use crate::{StoreError, metrics::Metrics};
use futures::future::join_all;
use sqlx::{ConnectOptions, Connection as _, SqliteConnection, sqlite::SqliteConnectOptions};
use std::{
    pin::pin,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::timeout,
};

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
    /// Set when closing has waited for long enough.
    given_up: Arc<AtomicBool>,
    resting: Mutex<Vec<Reader>>,
    /// The threads that run the units.
    threads: Vec<Thread>,
}

/// A connection that waits for its next unit.
struct Reader {
    connection: SqliteConnection,
    interrupt: Interrupt,
}

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
            given_up: Arc::default(),
            resting: Mutex::default(),
            threads,
        })))
    }

    /// Begins `unit` on one snapshot of the database, for as long as its `caller` waits.
    pub(super) fn read(&self, unit: Box<dyn Unit>, caller: Waiting, metrics: Arc<Metrics>) -> Result<(), StoreError> {
        self.begin(unit, caller, async move |unit, connection, interrupt| {
            let mut tx = Tx::new(connection, metrics);
            match tx.command("BEGIN").await {
                Ok(()) => {
                    unit::run(unit, &mut tx).await;
                }
                Err(error) => unit.fail(error),
            }
            interrupt.disarm();
            // If the database has ended the transaction by itself, the state of the connection is unknown.
            if tx.command("ROLLBACK").await.is_err() {
                tx.doubt();
            }
            tx
        })
    }

    /// Begins `unit`, which executes a single statement.
    pub(super) fn ask(&self, unit: Box<dyn Unit>, caller: Waiting, metrics: Arc<Metrics>) -> Result<(), StoreError> {
        self.begin(unit, caller, async move |unit, connection, _| {
            let mut tx = Tx::single(connection, metrics);
            unit::run(unit, &mut tx).await;
            tx
        })
    }

    /// Waits for the running units, closes the connections and ends the threads. What is still read after twice the time that a unit waits for a
    /// connection is interrupted: who counts for several callers goes on when they leave, for longer than a stopping process is left alive.
    pub(super) async fn close(&self) {
        let mut idle = pin!(self.0.permits.acquire_many(self.0.count));
        let all = if let Ok(all) = timeout(self.0.timeout * 2, idle.as_mut()).await {
            all
        } else {
            tracing::warn!("running reads are interrupted, because the database is being closed");
            self.0.given_up.store(true, Ordering::Relaxed);
            idle.await
        };
        self.0.permits.close();
        let resting = std::mem::take(&mut *self.resting());
        for reader in resting {
            // Closing can fail only if it is closed already.
            drop(reader.connection.close().await);
        }
        drop(all);
        join_all(self.0.threads.iter().map(Thread::end)).await;
    }

    /// Begins `work` on `unit` with a connection. What it reads is interrupted if the caller goes away, and at its limit.
    fn begin<W>(&self, mut unit: Box<dyn Unit>, caller: Waiting, work: W) -> Result<(), StoreError>
    where
        W: AsyncFnOnce(&mut dyn Unit, Connection, &Interrupt) -> Tx + Send + 'static,
    {
        let readers = self.clone();
        let thread = threads::least_busy(&self.0.threads, |thread| thread)?;
        thread.spawn(async move || {
            if unit.is_abandoned() {
                return;
            }
            match readers.lend().await {
                Ok((reader, _permit)) if unit.is_abandoned() => readers.resting().push(reader),
                Ok((Reader { connection, interrupt }, permit)) => {
                    interrupt.arm(caller, readers.0.limit);
                    let tx = work(unit.as_mut(), Connection::Sqlite(connection), &interrupt).await;
                    readers.rest(tx, interrupt).await;
                    drop(permit);
                }
                Err(error) => unit.fail(error),
            }
            unit.answer();
        })
    }

    /// A connection for a unit, while it holds the permit.
    async fn lend(&self) -> Result<(Reader, OwnedSemaphorePermit), StoreError> {
        let permit = timeout(self.0.timeout, Arc::clone(&self.0.permits).acquire_owned()).await;
        let permit = permit.map_err(|_| StoreError::unavailable("all read connections are busy"))?;
        let permit = permit.map_err(|_| unit::closed())?;
        let resting = self.resting().pop();
        let reader = match resting {
            Some(reader) => reader,
            None => self.open().await?,
        };
        Ok((reader, permit))
    }

    async fn open(&self) -> Result<Reader, StoreError> {
        let opened = self.0.options.connect().await;
        let mut connection = opened.map_err(|error| StoreError::from_sql(&error))?;
        let interrupt = Interrupt::of(&mut connection, Arc::clone(&self.0.given_up)).await?;
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
