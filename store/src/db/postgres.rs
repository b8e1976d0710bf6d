//! Units of work on Postgres: a transaction each (the server groups commits itself), and for writing ones another when two of them
//! collided.

use super::{Connection, Held, Tx, unit};
use crate::{StoreError, error::is_serialization_failure, figures::Figures};
use futures::future::BoxFuture;
use rand::RngExt;
use sqlx::PgPool;
use std::{sync::Arc, time::Duration};
use tokio::{sync::Notify, time::Instant};

/// A unit that collided this often is one of a hot spot; its caller gets the collision.
const TRIES: u32 = 8;

/// Runs `unit` on one view of the database.
pub(super) async fn read<T, E, F>(pool: &PgPool, mut unit: F, figures: Arc<Figures>) -> Result<T, E>
where
    F: for<'t> FnMut(&'t mut Tx) -> BoxFuture<'t, Result<T, E>> + Send,
    T: Send,
    E: From<StoreError> + Send,
{
    let view = "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY";
    let begun = pool.begin_with(view).await;
    let begun = begun.map_err(|error| StoreError::from_sql(&error))?;
    let mut tx = Tx::new(Connection::Postgres(Held::Transaction(begun)), figures);
    let answer = unit::run(&mut unit, &mut tx).await;
    // There is nothing to keep, and a failing rollback closes the connection by itself.
    drop(tx.rollback().await);
    answer
}

/// Runs `unit`, which asks one thing.
pub(super) async fn ask<T, E, F>(pool: &PgPool, mut unit: F, figures: Arc<Figures>) -> Result<T, E>
where
    F: for<'t> FnMut(&'t mut Tx) -> BoxFuture<'t, Result<T, E>> + Send,
    T: Send,
    E: From<StoreError> + Send,
{
    let alone = pool.acquire().await.map_err(|error| StoreError::from_sql(&error))?;
    let mut tx = Tx::single(Connection::Postgres(Held::Alone(alone)), figures);
    unit::run(&mut unit, &mut tx).await
}

/// Runs `unit` and commits what it did.
pub(super) async fn write<T, E, F>(
    pool: &PgPool,
    mut unit: F,
    jobs_changed: &Notify,
    figures: &Arc<Figures>,
) -> Result<T, E>
where
    F: for<'t> FnMut(&'t mut Tx) -> BoxFuture<'t, Result<T, E>> + Send,
    T: Send,
    E: From<StoreError> + Send,
{
    let mut tried = 0;
    loop {
        tried += 1;
        let begun = pool.begin().await.map_err(|error| StoreError::from_sql(&error))?;
        let mut tx = Tx::new(Connection::Postgres(Held::Transaction(begun)), Arc::clone(figures));
        let answer = unit::run(&mut unit, &mut tx).await;
        let (enqueued, mut collided) = (tx.enqueued, tx.collided);
        let counted = std::mem::take(&mut tx.counted);
        let began = Instant::now();
        let failure = match answer {
            Ok(value) => match tx.commit().await {
                Ok(()) => {
                    figures.committed(1, began.elapsed().as_secs_f64(), &counted);
                    if enqueued {
                        jobs_changed.notify_one();
                    }
                    return Ok(value);
                }
                Err(error) => {
                    collided = is_serialization_failure(&error);
                    E::from(StoreError::from_sql(&error))
                }
            },
            Err(own) => {
                // A failing rollback closes the connection, which rolls back as well.
                drop(tx.rollback().await);
                own
            }
        };
        if !collided || tried == TRIES {
            return Err(failure);
        }
        // Whom it collided with may run on another node, so there is nobody to be woken by; at random, so that the two do not meet again.
        let pause = rand::rng().random_range(0..2_u64 << tried);
        tokio::time::sleep(Duration::from_millis(pause)).await;
    }
}
