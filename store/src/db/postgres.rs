//! Units of work on PostgreSQL: a transaction each (the server groups commits itself), retried for writing ones after a
//! serialization failure.
//!
//! A network may lose a connection silently, and the driver has no time-out of its own. So everything that waits for the server has a time limit: a
//! unit, the tests of a connection before and after it, and closing. A unit that reads has a longer limit than one that writes and holds locks; but
//! it ends when its caller has gone away.

use super::{
    Connection, DbOptions, Tx, migrations,
    threads::{self, Thread, Wakes},
    unit::{self, Unit, Waiting},
};
use crate::{StoreError, metrics::Metrics};
use futures::{
    FutureExt as _,
    future::{join_all, pending, try_join_all},
};
use rand::RngExt;
use sqlx::{
    AssertSqlSafe, PgConnection, PgPool, Postgres,
    migrate::Migrator,
    pool::PoolConnection,
    postgres::{PgConnectOptions, PgPoolOptions},
};
use std::{
    convert::Infallible,
    ops::{Deref, DerefMut},
    sync::Arc,
    time::Duration,
};
use tokio::{
    sync::{Notify, oneshot},
    time::{Instant, sleep, timeout},
};

/// After this many conflicts, the caller gets the conflict.
const TRIES: u32 = 8;

/// What is read for a caller that has gone away may take this long: mostly it ends by itself, and its connection need not be closed.
const MOMENT: Duration = Duration::from_secs(1);
/// Has a server that can (from version 14) end a statement within seconds when its connection is closed.
const NOTICE_CLOSED: &str = "SELECT set_config(name, '5s', false) FROM pg_settings
    WHERE name = 'client_connection_check_interval' AND setting = '0'";

/// Prepares a new connection, as far as its server can do that.
pub(super) async fn end_what_nobody_waits_for(connection: &mut PgConnection) -> Result<(), sqlx::Error> {
    match sqlx::raw_sql(NOTICE_CLOSED).execute(connection).await {
        // Some systems have the setting and cannot do it.
        Ok(_) | Err(sqlx::Error::Database(_)) => Ok(()),
        Err(lost) => Err(lost),
    }
}

/// A connection of the pool. It is closed when dropped, unless its unit has ended: nobody may get it in the middle of one.
pub(crate) struct Held {
    connection: PoolConnection<Postgres>,
    rested: bool,
    /// How long the pool may test it before it takes it back.
    test_timeout: Duration,
}

impl Drop for Held {
    fn drop(&mut self) {
        if self.rested {
            // One that does not answer is closed, and its place in the pool is free.
            tokio::spawn(timeout(self.test_timeout, self.connection.return_to_pool()));
        } else {
            self.connection.close_on_drop();
        }
    }
}

impl Deref for Held {
    type Target = PgConnection;

    fn deref(&self) -> &PgConnection {
        &self.connection
    }
}

impl DerefMut for Held {
    fn deref_mut(&mut self) -> &mut PgConnection {
        &mut self.connection
    }
}

/// Returns the connection for the next unit, unless its state is in doubt.
fn rest(mut tx: Tx) {
    let doubtful = tx.is_doubtful();
    if let Connection::Postgres(held) = &mut tx.connection {
        held.rested = !doubtful;
    }
}

/// A thread and the connections that only it uses, since they wait on its runtime.
struct PoolThread {
    thread: Thread,
    pool: PgPool,
}

/// The threads of a database and their connections. Cheap to clone.
#[derive(Clone)]
pub(super) struct Pools {
    threads: Arc<[PoolThread]>,
    options: DbOptions,
    /// Begins a unit that writes.
    begin: Arc<str>,
}

impl Pools {
    /// Opens at most `options.connections` connections, which the threads share equally. With `bounds_writing`, a statement that writes is
    /// bounded like its unit: the server does not continue what a node has given up.
    pub(super) async fn open(
        pool: PgPoolOptions,
        connect: &PgConnectOptions,
        options: DbOptions,
        bounds_writing: bool,
    ) -> Result<Self, StoreError> {
        let (count, threads) = (options.connections, threads::COUNT.min(options.connections));
        let pools = (0..threads).map(|number| {
            let share = (count + threads - 1 - number) / threads;
            let pool = pool.clone().max_connections(share);
            PoolThread::open(number, pool, connect.clone())
        });
        let begin = if bounds_writing {
            format!("BEGIN; SET LOCAL statement_timeout = {}", options.write.as_millis())
        } else {
            "BEGIN".to_owned()
        };
        Ok(Self {
            threads: try_join_all(pools).await?.into(),
            options,
            begin: begin.into(),
        })
    }

    /// Runs the pending migrations of `migrator`, unless its caller goes away before: it may wait for long.
    pub(super) async fn migrate(&self, migrator: &'static Migrator) -> Result<(), StoreError> {
        let chosen = self.least_busy()?;
        let pool = chosen.pool.clone();
        let (caller, gone) = oneshot::channel::<Infallible>();
        let migrate = async move || {
            let failed = |error| StoreError::from_sql(&error);
            let mut connection = pool.acquire().await.map_err(failed)?;
            // No unit gets it, whatever becomes of this.
            connection.close_on_drop();
            tokio::select! {
                migrated = migrations::run(&mut connection, migrator) => migrated?,
                _ = gone => return Err(StoreError::unavailable("the migration was given up")),
            }
            connection.close().await.map_err(failed)
        };
        let migrated = chosen.thread.run(migrate).await;
        drop(caller);
        migrated
    }

    /// Begins `unit` on one snapshot of the database, for as long as its `caller` waits, and a moment longer.
    pub(super) fn read(&self, unit: Box<dyn Unit>, caller: Waiting, metrics: Arc<Metrics>) -> Result<(), StoreError> {
        let work = async move |unit: &mut dyn Unit, connection| {
            let mut tx = Tx::new(connection, metrics);
            if let Err(error) = tx.command("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY").await {
                return unit.fail(error);
            }
            unit::run(unit, &mut tx).await;
            if tx.command("ROLLBACK").await.is_err() {
                tx.doubt();
            }
            rest(tx);
        };
        self.least_busy()?
            .begin(unit, self.options.read, caller.map(drop), work)
    }

    /// Begins `unit`, which executes a single statement.
    pub(super) fn ask(&self, unit: Box<dyn Unit>, caller: Waiting, metrics: Arc<Metrics>) -> Result<(), StoreError> {
        let work = async move |unit: &mut dyn Unit, connection| {
            let mut tx = Tx::single(connection, metrics);
            unit::run(unit, &mut tx).await;
            rest(tx);
        };
        self.least_busy()?
            .begin(unit, self.options.read, caller.map(drop), work)
    }

    /// Begins `unit`, and commits what it did.
    pub(super) fn write(
        &self,
        unit: Box<dyn Unit>,
        jobs_changed: &Arc<Notify>,
        metrics: &Arc<Metrics>,
    ) -> Result<(), StoreError> {
        let chosen = self.least_busy()?;
        let (pool, begin) = (chosen.pool.clone(), Arc::clone(&self.begin));
        let (jobs_changed, metrics) = (Arc::clone(jobs_changed), Arc::clone(metrics));
        let work = async move |unit: &mut dyn Unit, mut connection| {
            for tried in 1.. {
                let tx = Tx::writing(connection, Arc::clone(&metrics));
                let outcome = attempt(unit, tx, &begin, &jobs_changed, &metrics).await;
                if outcome == Attempt::Ended || tried == TRIES {
                    return;
                }
                // The conflicting unit may run on another node, so nothing can wake this one; the pause is random, so that the
                // two do not conflict again.
                let pause = rand::rng().random_range(0..2_u64 << tried);
                sleep(Duration::from_millis(pause)).await;
                connection = match lend(pool.clone()).await {
                    Ok(another) => another,
                    Err(error) => return unit.fail(error),
                };
            }
        };
        chosen.begin(unit, self.options.write, pending(), work)
    }

    /// Waits, within bounds, for the running units, closes the connections and ends the threads. Of units that are given up, the server
    /// rolls back what it has not committed.
    pub(super) async fn close(&self) {
        let closed = async {
            join_all(self.threads.iter().map(|one| one.pool.close())).await;
            join_all(self.threads.iter().map(|one| one.thread.end())).await;
        };
        if timeout(self.options.timeout * 2, closed).await.is_err() {
            tracing::warn!("closed with units of work that PostgreSQL has not answered");
        }
    }

    fn least_busy(&self) -> Result<&PoolThread, StoreError> {
        threads::least_busy(&self.threads, |one| &one.thread)
    }
}

impl PoolThread {
    async fn open(number: u32, options: PgPoolOptions, connect: PgConnectOptions) -> Result<Self, StoreError> {
        let thread = Thread::start(number, Wakes::Sockets)?;
        let open = async move || {
            let pool = options.connect_with(connect).await;
            pool.map_err(|error| StoreError::from_sql(&error))
        };
        let pool = thread.run(open).await?;
        Ok(Self { thread, pool })
    }

    /// Begins `work` on `unit` with a connection. It ends at `limit`, and a moment after `unwanted`.
    fn begin<W, U>(&self, mut unit: Box<dyn Unit>, limit: Duration, unwanted: U, work: W) -> Result<(), StoreError>
    where
        W: AsyncFnOnce(&mut dyn Unit, Connection) + Send + 'static,
        U: Future<Output = ()> + Send + 'static,
    {
        let pool = self.pool.clone();
        self.thread.spawn(async move || {
            if unit.is_abandoned() {
                return;
            }
            match lend(pool).await {
                Ok(Connection::Postgres(mut held)) if unit.is_abandoned() => held.rested = true,
                Ok(connection) => {
                    let over = async {
                        unwanted.await;
                        sleep(MOMENT).await;
                    };
                    let ended = tokio::select! {
                        () = work(unit.as_mut(), connection) => true,
                        () = sleep(limit) => false,
                        () = over => false,
                    };
                    if !ended {
                        // The connection is closed by now. If it was the commit that was not answered, it may have been carried out, as after
                        // any other failure of one.
                        unit.fail(StoreError::unavailable(format_args!(
                            "PostgreSQL did not answer within {limit:?}"
                        )));
                    }
                }
                Err(error) => unit.fail(error),
            }
            unit.answer();
        })
    }
}

async fn lend(pool: PgPool) -> Result<Connection, StoreError> {
    let connection = pool.acquire().await.map_err(|error| StoreError::from_sql(&error))?;
    Ok(Connection::Postgres(Held {
        connection,
        rested: false,
        test_timeout: pool.options().get_acquire_timeout(),
    }))
}

/// What becomes of a unit after an attempt.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Attempt {
    /// It has its result.
    Ended,
    /// It conflicted with another unit, and may succeed next time.
    Collided,
}

/// Runs `unit` in one transaction.
async fn attempt(unit: &mut dyn Unit, mut tx: Tx, begin: &str, jobs_changed: &Notify, metrics: &Metrics) -> Attempt {
    // It holds a number, and nothing that anybody wrote.
    if let Err(error) = tx.command(AssertSqlSafe(begin)).await {
        unit.fail(error);
        return Attempt::Ended;
    }
    let succeeded = unit::run(unit, &mut tx).await;
    let began = Instant::now();
    let ended = tx.command(if succeeded { "COMMIT" } else { "ROLLBACK" }).await;
    let collided = tx.collided;
    // A conflict that is found at the commit has ended the transaction as well.
    if ended.is_err() && !collided {
        tx.doubt();
    }
    match ended {
        Ok(()) if succeeded => {
            metrics.committed(1, began.elapsed().as_secs_f64(), &tx.counted);
            if tx.enqueued {
                jobs_changed.notify_one();
            }
            rest(tx);
            return Attempt::Ended;
        }
        Err(error) if succeeded => unit.fail(error),
        // The unit's own error says more.
        _ => {}
    }
    rest(tx);
    if collided { Attempt::Collided } else { Attempt::Ended }
}
