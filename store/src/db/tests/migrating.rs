//! Migrations on PostgreSQL while other nodes serve, and on SQLite by processes that start together.
//!
//! Planted faults that these tests detect: a migration that waits for a table until it gets it; an index that is built in a transaction; what is left of one
//! that took the place of the whole one; a lock between nodes that an index waits for; a migration that goes on for nobody; a SQLite database that
//! two processes migrate at once.

use super::*;
use crate::db::{
    Backend as Opened,
    migrations::{self, migration},
};
use futures::future::join_all;
use sqlx::{Connection as _, PgConnection, migrate::Migrator, sqlite::SqlitePool};
use testkit::databases::{empty, postgres_server};
use tokio::{task::JoinHandle, time::timeout};

/// Far beyond the limits, for a machine that is busy.
const SOON: Duration = Duration::from_secs(40);

const WAITING_FOR_A_TABLE: &str =
    "SELECT EXISTS (SELECT 1 FROM pg_locks WHERE NOT granted AND mode = 'AccessExclusiveLock'
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))";
const BUILDING: &str = "SELECT EXISTS (SELECT 1 FROM pg_stat_progress_create_index JOIN pg_stat_activity USING (pid)
    WHERE pg_stat_activity.datname = current_database() AND wait_event_type = 'Lock')";
const ASKING_FOR_ITS_TURN: &str = "SELECT EXISTS (SELECT 1 FROM pg_stat_activity
    WHERE datname = current_database() AND query LIKE '%pg_try_advisory_lock%' AND pid <> pg_backend_pid())";
const WAITING_FOR_A_NODE: &str = "SELECT EXISTS (SELECT 1 FROM pg_locks WHERE NOT granted AND locktype = 'advisory'
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))";
const ALONE: &str = "SELECT NOT EXISTS (SELECT 1 FROM pg_stat_activity
    WHERE datname = current_database() AND application_name = 'honnin')";

const NEW_COLUMN: &str = "ALTER TABLE jobs ADD COLUMN later BIGINT";
const NEW_INDEX: &str = "-- no-transaction
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS jobs_later
    ON jobs (subject)";
const IS_VALID: &str = "SELECT indisvalid FROM pg_index WHERE indexrelid = 'jobs_later'::regclass";

/// A database of its own, since an index waits for the transactions of the whole database.
struct World {
    db: Db,
    url: String,
    /// Somebody else on the server.
    other: PgConnection,
}

impl World {
    async fn new() -> Option<Self> {
        let url = empty(&postgres_server()?).await;
        let limits = DbOptions {
            timeout: Duration::from_secs(5),
            ..OPTIONS
        };
        Some(Self {
            db: Db::open(&url, limits).await.unwrap(),
            other: PgConnection::connect(&url).await.unwrap(),
            url,
        })
    }

    async fn run(&mut self, sql: &'static str) {
        sqlx::raw_sql(sql).execute(&mut self.other).await.unwrap();
    }

    /// Waits until `question` is answered with yes, by somebody who is in no transaction.
    async fn until(&self, question: &'static str) {
        let mut asking = PgConnection::connect(&self.url).await.unwrap();
        let asked = async { while !ask(&mut asking, question).await {} };
        timeout(SOON, asked).await.expect(question);
    }

    fn migrate(&self, text: &'static str) -> JoinHandle<Result<(), StoreError>> {
        let db = self.db.clone();
        tokio::spawn(async move {
            let Opened::Postgres(pools) = &db.backend else {
                panic!("not PostgreSQL")
            };
            pools.migrate(with(text)).await
        })
    }
}

async fn ask(connection: &mut PgConnection, question: &'static str) -> bool {
    sqlx::query_scalar(question).fetch_one(connection).await.unwrap()
}

/// The migrations of a version that has one more.
fn with(text: &'static str) -> &'static Migrator {
    let all = migrations::POSTGRES.iter().cloned();
    let all = all.chain([migration(9000, "later", text)]);
    Box::leak(Box::new(Migrator::with_migrations(all.collect())))
}

async fn ended(migration: JoinHandle<Result<(), StoreError>>) -> Result<(), StoreError> {
    timeout(SOON, migration).await.expect("it still waits").unwrap()
}

#[tokio::test]
async fn nodes_go_on_while_a_migration_waits_for_somebody_who_reads() {
    let Some(mut world) = World::new().await else { return };
    world.run("BEGIN; SELECT 1 FROM jobs").await;
    let migration = world.migrate(NEW_COLUMN);
    world.until(WAITING_FOR_A_TABLE).await;
    world.db.write(async |tx| add(tx, "a").await).await.unwrap();
    assert_eq!(committed(&world.db).await, ["a"]);
    assert!(!migration.is_finished());
    world.run("ROLLBACK").await;
    ended(migration).await.unwrap();
    world.run("SELECT later FROM jobs").await;
}

#[tokio::test]
async fn nodes_write_while_an_index_is_built() {
    let Some(mut world) = World::new().await else { return };
    world
        .run("BEGIN; INSERT INTO jobs (kind, subject, run_at) VALUES ('sweep', 'a', 0)")
        .await;
    let migration = world.migrate(NEW_INDEX);
    world.until(BUILDING).await;
    world.db.write(async |tx| add(tx, "b").await).await.unwrap();
    assert!(!migration.is_finished());
    world.run("COMMIT").await;
    ended(migration).await.unwrap();
    assert!(ask(&mut world.other, IS_VALID).await);
    assert_eq!(committed(&world.db).await, ["a", "b"]);
}

#[tokio::test]
async fn an_index_that_was_half_built_is_built_again() {
    let Some(mut world) = World::new().await else { return };
    for _ in 0..2 {
        world.db.write(async |tx| add(tx, "a").await).await.unwrap();
    }
    let failed = ended(world.migrate(NEW_INDEX)).await;
    assert!(matches!(failed, Err(StoreError::Unavailable(_))), "{failed:?}");
    assert!(!ask(&mut world.other, IS_VALID).await, "nothing is left of it");
    world.run("DELETE FROM jobs").await;
    ended(world.migrate(NEW_INDEX)).await.unwrap();
    assert!(ask(&mut world.other, IS_VALID).await);
}

#[tokio::test]
async fn an_index_does_not_wait_for_nodes_that_wait_for_it() {
    let Some(mut world) = World::new().await else { return };
    world.run("BEGIN; LOCK TABLE jobs IN ROW EXCLUSIVE MODE").await;
    let first = world.migrate(NEW_INDEX);
    world.until(BUILDING).await;
    let second = world.migrate(NEW_INDEX);
    world.until(ASKING_FOR_ITS_TURN).await;
    assert!(!ask(&mut world.other, WAITING_FOR_A_NODE).await);
    world.run("COMMIT").await;
    ended(first).await.unwrap();
    ended(second).await.unwrap();
}

#[tokio::test]
async fn a_migration_that_waits_ends_with_whoever_began_it() {
    let Some(mut world) = World::new().await else { return };
    world.run("BEGIN; SELECT 1 FROM jobs").await;
    let migration = world.migrate(NEW_COLUMN);
    world.until(WAITING_FOR_A_TABLE).await;
    migration.abort();
    drop(migration.await);
    world.db.close().await;
    world.until(ALONE).await;
    world.run("ROLLBACK").await;
    let added = "SELECT EXISTS (SELECT 1 FROM pg_attribute WHERE attname = 'later')";
    assert!(!ask(&mut world.other, added).await);
}

/// A database as a version of long ago has left it.
async fn old_database(url: &str) {
    let old = migrations::SQLITE.iter().take(10).cloned().collect();
    let pool = SqlitePool::connect(&format!("{url}?mode=rwc")).await.unwrap();
    Migrator::with_migrations(old).run(&pool).await.unwrap();
    pool.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn processes_that_start_together_on_a_new_version_migrate_one_after_the_other() {
    for _ in 0..3 {
        let folder = TempDir::new().unwrap();
        let url = format!("sqlite://{}", folder.path().join("honnin.db").display());
        old_database(&url).await;
        // A lock of a folder is one of a file that is open, so tasks keep each other out like processes.
        let opened = (0..6).map(|_| {
            let url = url.clone();
            tokio::spawn(async move { Db::open(&url, OPTIONS).await })
        });
        for opened in join_all(opened).await {
            let db = opened.unwrap().unwrap();
            db.write(async |tx| add(tx, "a").await).await.unwrap();
            db.close().await;
        }
        let db = Db::open(&url, OPTIONS).await.unwrap();
        assert_eq!(committed(&db).await.len(), 6);
        db.close().await;
    }
}
