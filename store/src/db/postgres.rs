//! Units of work on Postgres: a transaction each (the server groups commits itself), and for writing ones another when two of them
//! collided.

use super::{Connection, Tx, apart::apart, unit};
use crate::{StoreError, figures::Figures};
use futures::future::BoxFuture;
use rand::RngExt;
use sqlx::{PgConnection, PgPool, Postgres, pool::PoolConnection};
use std::{
    ops::{Deref, DerefMut},
    sync::Arc,
    time::Duration,
};
use tokio::{sync::Notify, time::Instant};

/// A unit that collided this often is one of a hot spot; its caller gets the collision.
const TRIES: u32 = 8;

/// A connection of the pool. It is closed when it is dropped, unless its unit has come to an end: nobody may find it in the middle of
/// one.
pub(crate) struct Held {
    connection: PoolConnection<Postgres>,
    rested: bool,
}

impl Drop for Held {
    fn drop(&mut self) {
        if !self.rested {
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

/// The next unit may have this one's connection, unless it is in doubt.
fn rest(mut tx: Tx) {
    let doubtful = tx.is_doubtful();
    if let Connection::Postgres(held) = &mut tx.connection {
        held.rested = !doubtful;
    }
}

async fn lend(pool: PgPool) -> Result<Connection, StoreError> {
    let connection = pool.acquire().await.map_err(|error| StoreError::from_sql(&error))?;
    Ok(Connection::Postgres(Held {
        connection,
        rested: false,
    }))
}

/// Runs `unit` on one view of the database.
pub(super) async fn read<T, E, F>(pool: &PgPool, mut unit: F, figures: Arc<Figures>) -> Result<T, E>
where
    F: for<'t> FnMut(&'t mut Tx) -> BoxFuture<'t, Result<T, E>> + Send + 'static,
    T: Send + 'static,
    E: From<StoreError> + Send + 'static,
{
    apart(lend(pool.clone()), move |connection| async move {
        let mut tx = Tx::new(connection, figures);
        tx.command("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY").await?;
        let answer = unit::run(&mut unit, &mut tx).await;
        if tx.command("ROLLBACK").await.is_err() {
            tx.doubt();
        }
        rest(tx);
        answer
    })
    .await
}

/// Runs `unit`, which asks one thing.
pub(super) async fn ask<T, E, F>(pool: &PgPool, mut unit: F, figures: Arc<Figures>) -> Result<T, E>
where
    F: for<'t> FnMut(&'t mut Tx) -> BoxFuture<'t, Result<T, E>> + Send + 'static,
    T: Send + 'static,
    E: From<StoreError> + Send + 'static,
{
    apart(lend(pool.clone()), move |connection| async move {
        let mut tx = Tx::single(connection, figures);
        let answer = unit::run(&mut unit, &mut tx).await;
        rest(tx);
        answer
    })
    .await
}

/// Runs `unit` and commits what it did.
pub(super) async fn write<T, E, F>(
    pool: &PgPool,
    mut unit: F,
    jobs_changed: &Arc<Notify>,
    figures: &Arc<Figures>,
) -> Result<T, E>
where
    F: for<'t> FnMut(&'t mut Tx) -> BoxFuture<'t, Result<T, E>> + Send + 'static,
    T: Send + 'static,
    E: From<StoreError> + Send + 'static,
{
    let (pool, jobs_changed, figures) = (pool.clone(), Arc::clone(jobs_changed), Arc::clone(figures));
    apart(lend(pool.clone()), move |mut connection| async move {
        let mut tried = 0;
        loop {
            tried += 1;
            let tx = Tx::new(connection, Arc::clone(&figures));
            match attempt(&mut unit, tx, &jobs_changed, &figures).await {
                Ok(value) => return Ok(value),
                Err(failure) if !failure.collided || tried == TRIES => return Err(failure.error),
                Err(_) => {}
            }
            // Whom it collided with may run on another node, so there is nobody to be woken by; at random, so that the two do not meet
            // again.
            let pause = rand::rng().random_range(0..2_u64 << tried);
            tokio::time::sleep(Duration::from_millis(pause)).await;
            connection = lend(pool.clone()).await?;
        }
    })
    .await
}

/// Why an attempt came to nothing.
struct Failure<E> {
    error: E,
    /// Another unit stood in the way, and may not the next time.
    collided: bool,
}

/// Runs `unit` in one transaction.
async fn attempt<T, E, F>(unit: &mut F, mut tx: Tx, jobs_changed: &Notify, figures: &Figures) -> Result<T, Failure<E>>
where
    F: for<'t> FnMut(&'t mut Tx) -> BoxFuture<'t, Result<T, E>> + Send,
    T: Send,
    E: From<StoreError> + Send,
{
    tx.command("BEGIN").await.map_err(|error| Failure {
        error: error.into(),
        collided: false,
    })?;
    let answer = unit::run(unit, &mut tx).await;
    let began = Instant::now();
    let ended = tx.command(if answer.is_ok() { "COMMIT" } else { "ROLLBACK" }).await;
    let collided = tx.collided;
    if ended.is_ok() && answer.is_ok() {
        figures.committed(1, began.elapsed().as_secs_f64(), &tx.counted);
        if tx.enqueued {
            jobs_changed.notify_one();
        }
    }
    // A collision that is found at the commit has ended the transaction as well.
    if ended.is_err() && !collided {
        tx.doubt();
    }
    rest(tx);
    match (answer, ended) {
        (Ok(value), Ok(())) => Ok(value),
        (Err(error), _) => Err(Failure { error, collided }),
        (Ok(_), Err(error)) => Err(Failure {
            error: error.into(),
            collided,
        }),
    }
}
