//! Reads continue neither without a caller nor forever.
//!
//! Planted faults that these tests detect: a unit of Postgres that reads to its end for a caller that has left; one that reads and has no more
//! time than one that writes; a statement that writes and goes on when its unit was given up; closing that waits for whoever reads without an end; a setting of an address that hides
//! another one whose name is part of its own.

use super::{
    super::{interrupt::Interrupt, readers::Readers, unit},
    *,
};
use sqlx::{Connection as _, SqliteConnection, sqlite::SqliteConnectOptions};
use std::{str::FromStr as _, sync::Arc};
use tokio::sync::{Semaphore, oneshot};

/// Counts without an end.
const ENDLESS: &str = "WITH RECURSIVE numbers (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM numbers)
    SELECT COUNT(*) FROM numbers";

/// Few are enough to wait for each other.
const ONE: DbOptions = DbOptions {
    readers: 1,
    connections: 1,
    ..OPTIONS
};

async fn count_endlessly(tx: &mut Tx) -> Result<i64, StoreError> {
    on!(tx, conn => sqlx::query_scalar(ENDLESS).fetch_one(conn).await)
}

#[tokio::test]
async fn what_is_read_for_a_caller_that_has_left_ends() {
    for backend in backends().await {
        let db = Db::open(&backend.url, ONE).await.unwrap();
        read_in_vain(&db).await;
        db.close().await;
        assert_eq!(still_counting(&backend).await, 0, "{}", backend.name);
    }
}

/// How many statements the server still executes for this test, after it had the time to notice that nobody waits.
async fn still_counting(backend: &Backend) -> i64 {
    if backend.name == "sqlite" {
        return 0;
    }
    let counting = async |tx: &mut Tx| -> Result<i64, StoreError> {
        on!(tx, conn => sqlx::query_scalar("SELECT COUNT(*) FROM pg_stat_activity WHERE state = 'active' AND query LIKE 'WITH RECURSIVE numbers%'")
            .fetch_one(conn).await)
    };
    let noticed = async { while backend.db.ask(counting).await.unwrap() > 0 {} };
    drop(tokio::time::timeout(Duration::from_secs(60), noticed).await);
    backend.db.ask(counting).await.unwrap()
}

/// Units without an end, whose callers leave when they have begun.
async fn read_in_vain(db: &Db) {
    for is_single in [false, true] {
        let (begun, has_begun) = oneshot::channel();
        let mut begun = Some(begun);
        let count = async move |tx: &mut Tx| {
            if let Some(begun) = begun.take() {
                begun.send(()).unwrap();
            }
            count_endlessly(tx).await
        };
        let counting = async {
            if is_single {
                db.ask(count).await
            } else {
                db.read(count).await
            }
        };
        tokio::select! {
            counted = counting => unreachable!("{counted:?}"),
            begun = has_begun => begun.unwrap(),
        }
        // Waits for the only connection.
        assert_eq!(committed(db).await, Vec::<String>::new());
    }
}

#[tokio::test]
async fn a_unit_that_reads_has_more_time_than_one_that_writes() {
    for backend in backends().await {
        let limits = DbOptions {
            write: Duration::from_millis(200),
            ..OPTIONS
        };
        if backend.name == "sqlite" {
            continue;
        }
        let db = Db::open(&backend.url, limits).await.unwrap();
        let written = Arc::new(Semaphore::new(0));
        let reading = Arc::clone(&written);
        let read = db.read(async move |tx| {
            drop(reading.acquire().await);
            execute(tx, "SELECT 1").await
        });
        let write = async {
            let given_up = db
                .write(async |_| std::future::pending::<Result<(), StoreError>>().await)
                .await;
            written.add_permits(1);
            given_up
        };
        let (read, given_up) = futures::future::join(read, write).await;
        assert!(read.is_ok(), "{read:?}");
        assert!(matches!(given_up, Err(StoreError::Unavailable(_))), "{given_up:?}");
    }
}

#[tokio::test]
async fn a_connection_is_interrupted_at_its_bound_and_can_be_used_again() {
    let mut connection = SqliteConnection::connect("sqlite::memory:").await.unwrap();
    let interrupt = Interrupt::of(&mut connection, Arc::default()).await.unwrap();
    let (_caller, waiting) = oneshot::channel();
    let tx = &mut Tx::on_connection(connection);
    interrupt.arm(waiting, Duration::ZERO);
    let counted = count_endlessly(tx).await;
    assert!(matches!(counted, Err(StoreError::Unavailable(_))), "{counted:?}");
    interrupt.disarm();
    let many = "WITH RECURSIVE numbers (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM numbers LIMIT 100000)
        SELECT COUNT(*) FROM numbers";
    let counted: Result<i64, _> = on!(tx, conn => sqlx::query_scalar(many).fetch_one(conn).await);
    assert_eq!(counted.unwrap(), 100_000);
}

/// A caller may wait although nobody waits for it: who counts for several goes on when they leave.
#[tokio::test]
async fn closing_interrupts_whoever_reads_for_too_long() {
    let backend = sqlite().await;
    let limits = DbOptions {
        timeout: Duration::from_millis(100),
        read: Duration::from_secs(86_400),
        ..ONE
    };
    let readers = Readers::new(SqliteConnectOptions::from_str(&backend.url).unwrap(), limits).unwrap();
    let (begun, has_begun) = oneshot::channel();
    let mut begun = Some(begun);
    let (unit, counted) = unit::pack(async move |tx: &mut Tx| {
        if let Some(begun) = begun.take() {
            begun.send(()).unwrap();
        }
        count_endlessly(tx).await
    });
    let (_caller, waiting) = oneshot::channel();
    readers.read(unit, waiting, Arc::default()).unwrap();
    has_begun.await.unwrap();
    readers.close().await;
    let counted = counted.wait().await;
    assert!(matches!(counted, Err(StoreError::Unavailable(_))), "{counted:?}");
}

/// Migrations have none, but their connection is not used for anything else.
#[tokio::test]
async fn a_statement_of_postgres_has_a_bound() {
    for backend in backends().await {
        if backend.name == "sqlite" {
            continue;
        }
        let limits = DbOptions {
            write: Duration::from_secs(30),
            ..ONE
        };
        let db = Db::open(&backend.url, limits).await.unwrap();
        let bounds = async || {
            let shown = async |tx: &mut Tx| show(tx, "SHOW statement_timeout").await;
            [db.write(shown).await, db.read(shown).await, db.ask(shown).await].map(Result::unwrap)
        };
        assert_eq!(bounds().await, ["30s", "2min", "2min"]);
        // Nothing is left of it for the next unit.
        assert_eq!(bounds().await, ["30s", "2min", "2min"]);
    }
}

async fn show(tx: &mut Tx, setting: &'static str) -> Result<String, StoreError> {
    on!(tx, conn => sqlx::query_scalar(setting).fetch_one(conn).await)
}

#[tokio::test]
async fn what_an_address_sets_is_left_as_it_is_and_nothing_else() {
    for backend in backends().await {
        if backend.name == "sqlite" {
            continue;
        }
        let limits = DbOptions {
            timeout: Duration::from_secs(7),
            ..ONE
        };
        for (options, expected) in [
            ("options[deadlock_timeout]=3s", ["7s", "2min", "14s"]),
            ("options[lock_timeout]=3s", ["3s", "2min", "14s"]),
            ("options=--Lock-Timeout%3D3s", ["3s", "2min", "14s"]),
            ("options=-cstatement_timeout%3D9s", ["7s", "9s", "14s"]),
        ] {
            let db = Db::open(&format!("{}&{options}", backend.url), limits).await.unwrap();
            let shown = async |tx: &mut Tx| {
                Ok::<_, StoreError>([
                    show(tx, "SHOW lock_timeout").await?,
                    show(tx, "SHOW statement_timeout").await?,
                    show(tx, "SHOW idle_in_transaction_session_timeout").await?,
                ])
            };
            assert_eq!(db.write(shown).await.unwrap(), expected, "{options}");
            db.close().await;
        }
    }
}
