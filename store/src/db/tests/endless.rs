//! What is read goes on neither for nobody nor forever.

use super::{super::brake::Brake, *};
use sqlx::{Connection as _, SqliteConnection};
use std::sync::Arc;
use tokio::sync::oneshot;

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
async fn what_sqlite_reads_for_a_caller_that_has_left_ends() {
    let backend = sqlite().await;
    let db = Db::open(&backend.url, ONE).await.unwrap();
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
        assert_eq!(committed(&db).await, Vec::<String>::new());
    }
    db.close().await;
}

#[tokio::test]
async fn a_connection_is_interrupted_at_its_bound_and_can_be_used_again() {
    let mut connection = SqliteConnection::connect("sqlite::memory:").await.unwrap();
    let brake = Brake::of(&mut connection).await.unwrap();
    let caller = Arc::new(());
    let tx = &mut Tx::on_connection(connection);
    brake.set(Arc::downgrade(&caller), Duration::ZERO);
    let counted = count_endlessly(tx).await;
    assert!(matches!(counted, Err(StoreError::Unavailable(_))), "{counted:?}");
    brake.release();
    let many = "WITH RECURSIVE numbers (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM numbers LIMIT 100000)
        SELECT COUNT(*) FROM numbers";
    let counted: Result<i64, _> = on!(tx, conn => sqlx::query_scalar(many).fetch_one(conn).await);
    assert_eq!(counted.unwrap(), 100_000);
}

/// Migrations have none, but their connection is not used for anything else.
#[tokio::test]
async fn a_statement_of_postgres_has_a_bound() {
    for backend in backends().await {
        if backend.name == "sqlite" {
            continue;
        }
        let db = Db::open(&backend.url, ONE).await.unwrap();
        let bound = db.ask(async move |tx| -> Result<String, StoreError> {
            on!(tx, conn => sqlx::query_scalar("SHOW statement_timeout").fetch_one(conn).await)
        });
        assert_eq!(bound.await.unwrap(), "2min");
    }
}
