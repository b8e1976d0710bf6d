//! Migrating on PostgreSQL while other nodes serve.
//!
//! Everything that comes later queues behind a statement that waits for a table, so a migration that waits for a one-hour read would stop
//! the nodes for an hour. A migration therefore gives up after a moment, sooner than the nodes do, and is retried after a pause in which
//! they continue. Nothing queues behind `CREATE INDEX CONCURRENTLY`, which waits for as long as it takes.

use super::done;
use crate::{
    StoreError,
    db::limits::{Scope, lift_limits},
    error::is_serialization_failure,
};
use sqlx::{
    AssertSqlSafe, PgConnection,
    migrate::{Migrate as _, MigrateError, Migration, Migrator},
};
use std::{collections::BTreeSet, time::Duration};
use tokio::time::sleep;

/// Less than the nodes wait for a lock (`DbOptions::timeout`).
const BRIEF: &str = "SET lock_timeout = '2s'";
const PATIENT: &str = "SET lock_timeout = 0";

/// The pause after the first try. It doubles with each further one, up to the longest.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(15);
/// How often a node asks whether another one has migrated.
const TURN: Duration = Duration::from_millis(100);

/// `Migrator::DEFAULT` has this name.
const APPLIED: &str = "_sqlx_migrations";

/// The number of the lock of the node that migrates. The driver has a lock of its own, but a node that waits for that one holds a snapshot, and
/// an index that is built concurrently waits for its end: neither would continue.
const TAKE_TURN: &str = "SELECT pg_try_advisory_lock(4864)";
/// What the driver holds after a migration has failed.
const GIVE_UP_TURN: &str = "SELECT pg_advisory_unlock_all()";

/// Who holds locks on the tables here, those first that have held them for longest. The beginnings of what others run may be hidden.
const HOLDERS: &str = "SELECT string_agg(holder, ', ') FROM (
    SELECT format('%s (process %s, since %s)', COALESCE(NULLIF(application_name, ''), backend_type, 'unknown'), pid,
        COALESCE(to_char(xact_start, 'HH24:MI:SS TZ'), 'unknown')) AS holder
    FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND EXISTS (
        SELECT 1 FROM pg_locks JOIN pg_class ON pg_class.oid = relation
        WHERE pg_locks.pid = pg_stat_activity.pid AND granted AND pg_table_is_visible(relation) AND relkind = 'r'
            AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
            AND relnamespace <> 'pg_catalog'::regnamespace)
    ORDER BY xact_start NULLS LAST LIMIT 3) AS holders";

/// What is left of indexes that a migration began to build.
const HALF_BUILT: &str =
    "SELECT format('DROP INDEX CONCURRENTLY %I', relname) FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
    WHERE NOT indisvalid AND pg_table_is_visible(indexrelid) AND strpos(lower($1), ' ' || relname || ' on ') > 0";

/// Runs the pending migrations of `migrator`. Dropped while it waits, it leaves `connection` in the middle of something.
pub(in crate::db) async fn run(connection: &mut PgConnection, migrator: &Migrator) -> Result<(), StoreError> {
    let failed = |error| StoreError::from_sql(&error);
    lift_limits(connection, Scope::Session).await.map_err(failed)?;
    let mut pause = FIRST_PAUSE;
    loop {
        take_turn(connection).await.map_err(failed)?;
        match step_by_step(connection, migrator).await {
            Err(error) if is_in_the_way(&error) => {
                let waits_for = holders(connection).await.map_err(failed)?;
                tracing::warn!(
                    %error,
                    waits_for,
                    again_after = ?pause,
                    "a migration is waiting for other database activity to finish"
                );
                sqlx::raw_sql(GIVE_UP_TURN)
                    .execute(&mut *connection)
                    .await
                    .map_err(failed)?;
                sleep(pause).await;
                pause = LONGEST_PAUSE.min(pause * 2);
            }
            ended => return done(ended),
        }
    }
}

/// Waits until no other node migrates, without a snapshot meanwhile.
async fn take_turn(connection: &mut PgConnection) -> Result<(), sqlx::Error> {
    let mut logged = false;
    while !sqlx::query_scalar::<_, bool>(TAKE_TURN)
        .fetch_one(&mut *connection)
        .await?
    {
        if !logged {
            tracing::info!("another node migrates the database: waiting for it");
            logged = true;
        }
        sleep(TURN).await;
    }
    Ok(())
}

async fn step_by_step(connection: &mut PgConnection, migrator: &Migrator) -> Result<(), MigrateError> {
    sqlx::raw_sql(BRIEF).execute(&mut *connection).await?;
    connection.ensure_migrations_table(APPLIED).await?;
    let applied = connection.list_applied_migrations(APPLIED).await?;
    let applied: BTreeSet<i64> = applied.iter().map(|migration| migration.version).collect();
    let concurrent = |migration: &&Migration| migration.no_tx && !applied.contains(&migration.version);
    for migration in migrator.iter().filter(concurrent) {
        migrator.run_to(migration.version - 1, &mut *connection).await?;
        sqlx::raw_sql(PATIENT).execute(&mut *connection).await?;
        drop_half_built(connection, migration).await?;
        tracing::info!(
            version = migration.version,
            description = %migration.description,
            "migrating without blocking anybody; this waits for the transactions that are running"
        );
        migrator.run_to(migration.version, &mut *connection).await?;
        sqlx::raw_sql(BRIEF).execute(&mut *connection).await?;
    }
    migrator.run(&mut *connection).await
}

/// An index whose concurrent building failed is there, but not valid: it costs time and finds nothing.
async fn drop_half_built(connection: &mut PgConnection, migration: &Migration) -> Result<(), sqlx::Error> {
    let left: Vec<String> = sqlx::query_scalar(HALF_BUILT)
        // However its lines are broken.
        .bind(migration.sql.as_str().split_whitespace().collect::<Vec<_>>().join(" "))
        .fetch_all(&mut *connection)
        .await?;
    for drop in left {
        tracing::info!(drop, "an index was only partly built");
        // The server has quoted the name, which is one that the migration contains.
        sqlx::raw_sql(AssertSqlSafe(drop)).execute(&mut *connection).await?;
    }
    Ok(())
}

async fn holders(connection: &mut PgConnection) -> Result<String, sqlx::Error> {
    let holders: Option<String> = sqlx::query_scalar(HOLDERS).fetch_one(connection).await?;
    Ok(holders.unwrap_or_else(|| "something that has ended since".to_owned()))
}

/// Whether a migration stopped for what others do, and may succeed another time.
fn is_in_the_way(error: &MigrateError) -> bool {
    const LOCK_NOT_AVAILABLE: &str = "55P03";
    let (MigrateError::Execute(error) | MigrateError::ExecuteMigration(error, _)) = error else {
        return false;
    };
    let code = error.as_database_error().and_then(|error| error.code());
    code.as_deref() == Some(LOCK_NOT_AVAILABLE) || is_serialization_failure(error)
}
