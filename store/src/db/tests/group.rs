//! Group commit on SQLite: one commit for all waiting units, and each unit isolated.

use super::*;
use futures::{
    future::{BoxFuture, join_all},
    poll,
};
use sqlx::{ConnectOptions, sqlite::SqliteConnectOptions};
use std::str::FromStr;
use tokio::{sync::oneshot, time::timeout};

type Answer = BoxFuture<'static, Result<(), StoreError>>;

/// Queues a unit without waiting for it.
async fn queue<F>(db: &Db, unit: F) -> Answer
where
    F: AsyncFnMut(&mut Tx) -> Result<(), StoreError> + Send + 'static,
{
    let db = db.clone();
    let mut answer: Answer = Box::pin(async move { db.write(unit).await });
    assert!(poll!(answer.as_mut()).is_pending());
    answer
}

/// Holds the writer inside a unit until the sender is used, so that what is queued in the meantime joins its group.
async fn hold_writer(db: &Db) -> (oneshot::Sender<()>, Answer) {
    let (open, gate) = oneshot::channel();
    let (started, running) = oneshot::channel();
    let mut once = Some((started, gate));
    let held = queue(db, async move |_| {
        if let Some((started, gate)) = once.take() {
            started.send(()).unwrap();
            gate.await.unwrap();
        }
        Ok(())
    })
    .await;
    running.await.unwrap();
    (open, held)
}

#[tokio::test]
async fn failing_and_panicking_units_leave_their_neighbours_alone() {
    let backend = sqlite().await;
    let db = backend.db.clone();
    let (open, held) = hold_writer(&db).await;
    let first = queue(&db, async |tx| add(tx, "first").await).await;
    let failing = queue(&db, async |tx| {
        add(tx, "failing").await?;
        Err(StoreError::Conflict)
    })
    .await;
    let refused = queue(&db, async |tx| {
        execute(tx, "INSERT INTO jobs (kind) VALUES ('x')").await
    })
    .await;
    let panicking = queue(&db, async |tx| {
        add(tx, "panicking").await?;
        panic!("a bug")
    })
    .await;
    let last = queue(&db, async |tx| add(tx, "last").await).await;
    open.send(()).unwrap();
    let answers = join_all([held, first, failing, refused, panicking, last]).await;
    assert!(
        matches!(
            answers.as_slice(),
            [
                Ok(()),
                Ok(()),
                Err(StoreError::Conflict),
                Err(StoreError::Refused(_)),
                Err(StoreError::Panicked),
                Ok(())
            ]
        ),
        "{answers:?}"
    );
    assert_eq!(committed(&db).await, ["first", "last"]);
}

/// A foreign key that is checked at the commit makes the shared commit fail. That all units get the failure shows that it is
/// shared.
#[tokio::test]
async fn units_that_wait_share_one_commit_and_its_failure() {
    let backend = sqlite().await;
    let db = backend.db.clone();
    let tables = "CREATE TABLE parent (id INTEGER PRIMARY KEY NOT NULL) STRICT;
        CREATE TABLE child (parent INTEGER NOT NULL REFERENCES parent DEFERRABLE INITIALLY DEFERRED) STRICT;";
    db.write(async move |tx| execute(tx, tables).await).await.unwrap();
    let (open, held) = hold_writer(&db).await;
    let innocent = queue(&db, async |tx| add(tx, "innocent").await).await;
    let orphan = queue(&db, async |tx| execute(tx, "INSERT INTO child VALUES (7)").await).await;
    let failing = queue(&db, async |_| Err(StoreError::Conflict)).await;
    open.send(()).unwrap();
    let answers = join_all([held, innocent, orphan, failing]).await;
    assert!(
        matches!(
            answers.as_slice(),
            [
                Err(StoreError::Refused(_)),
                Err(StoreError::Refused(_)),
                Err(StoreError::Refused(_)),
                Err(StoreError::Conflict)
            ]
        ),
        "{answers:?}"
    );
    assert_eq!(committed(&db).await, Vec::<String>::new());
    db.write(async |tx| add(tx, "afterwards").await).await.unwrap();
    assert_eq!(committed(&db).await, ["afterwards"]);
}

/// SQLite ends a whole transaction when the disk is full, and also for a conflict that is to be resolved that way.
#[tokio::test]
async fn when_the_database_gives_the_transaction_up_nobody_is_told_it_was_kept() {
    let backend = sqlite().await;
    let db = backend.db.clone();
    let table = "CREATE TABLE once (number INTEGER PRIMARY KEY NOT NULL) STRICT; INSERT INTO once VALUES (7);";
    db.write(async move |tx| execute(tx, table).await).await.unwrap();
    let (open, held) = hold_writer(&db).await;
    let before = queue(&db, async |tx| add(tx, "before").await).await;
    let culprit = queue(&db, async |tx| {
        execute(tx, "INSERT OR ROLLBACK INTO once VALUES (7)").await
    })
    .await;
    let after = queue(&db, async |tx| add(tx, "after").await).await;
    open.send(()).unwrap();
    let answers = join_all([held, before, culprit, after]).await;
    assert!(
        matches!(answers.as_slice(), [Err(_), Err(_), Err(_), Ok(())]),
        "{answers:?}"
    );
    assert_eq!(committed(&db).await, ["after"]);
}

#[tokio::test]
async fn a_unit_whose_caller_left_before_it_began_does_not_run() {
    let backend = sqlite().await;
    let db = backend.db.clone();
    let (open, held) = hold_writer(&db).await;
    let left = queue(&db, async |tx| add(tx, "left").await).await;
    let stays = queue(&db, async |tx| add(tx, "stays").await).await;
    drop(left);
    open.send(()).unwrap();
    assert!(join_all([held, stays]).await.iter().all(Result::is_ok));
    assert_eq!(committed(&db).await, ["stays"]);
}

#[tokio::test]
async fn a_caller_that_leaves_while_its_unit_runs_does_not_hurt_the_others() {
    let backend = sqlite().await;
    let db = backend.db.clone();
    let (open, held) = hold_writer(&db).await;
    let stays = queue(&db, async |tx| add(tx, "stays").await).await;
    drop(held);
    open.send(()).unwrap();
    stays.await.unwrap();
    assert_eq!(committed(&db).await, ["stays"]);
}

#[tokio::test]
async fn closing_first_finishes_what_waits_and_then_refuses() {
    let backend = sqlite().await;
    let db = backend.db.clone();
    let (open, held) = hold_writer(&db).await;
    let waiting = queue(&db, async |tx| add(tx, "waiting").await).await;
    let closing = db.clone();
    let mut close: BoxFuture<'static, ()> = Box::pin(async move { closing.close().await });
    assert!(poll!(close.as_mut()).is_pending());
    open.send(()).unwrap();
    let ((), answers) = futures::join!(close, join_all([held, waiting]));
    assert!(answers.iter().all(Result::is_ok), "{answers:?}");
    let late = db.write(async |tx| add(tx, "late").await).await;
    assert!(matches!(late, Err(StoreError::Unavailable(_))), "{late:?}");
}

#[tokio::test]
async fn another_process_that_keeps_the_lock_makes_writes_unavailable_until_it_lets_go() {
    let backend = sqlite().await;
    let db = backend.db.clone();
    // Set here, because the time-out of the options limits how long opening may take, too.
    let soon =
        async |tx: &mut Tx| on!(tx, conn => sqlx::raw_sql("PRAGMA busy_timeout = 50").execute(conn).await.map(drop));
    db.write(soon).await.unwrap();
    let mut other = SqliteConnectOptions::from_str(&backend.url)
        .unwrap()
        .connect()
        .await
        .unwrap();
    sqlx::raw_sql("BEGIN IMMEDIATE").execute(&mut other).await.unwrap();
    let answer = db.write(async |tx| add(tx, "blocked").await).await;
    assert!(matches!(answer, Err(StoreError::Unavailable(_))), "{answer:?}");
    sqlx::raw_sql("ROLLBACK").execute(&mut other).await.unwrap();
    db.write(async |tx| add(tx, "free").await).await.unwrap();
    assert_eq!(committed(&db).await, ["free"]);
}

#[tokio::test]
async fn a_long_read_delays_no_write_by_an_erasure() {
    let backend = sqlite().await;
    let db = backend.db.clone();
    db.write(async |tx| add(tx, "erased").await).await.unwrap();
    let (begun, has_begun) = oneshot::channel();
    let (end, ended) = oneshot::channel::<()>();
    let reading = tokio::spawn({
        let db = db.clone();
        let mut channels = Some((begun, ended));
        async move {
            let read = db.read(async move |tx| {
                execute(tx, "SELECT count(*) FROM jobs").await?;
                if let Some((begun, ended)) = channels.take() {
                    begun.send(()).unwrap();
                    ended.await.unwrap();
                }
                Ok::<_, StoreError>(())
            });
            read.await
        }
    });
    has_begun.await.unwrap();
    // A unit waits for locks for twenty seconds.
    let quick = async {
        let complete = join_all((0..3).map(|_| db.checkpoint())).await;
        db.write(async |tx| add(tx, "written").await).await.unwrap();
        complete
    };
    let complete = timeout(OPTIONS.timeout / 2, quick).await.unwrap();
    assert!(complete.iter().all(|done| matches!(done, Ok(false))), "{complete:?}");
    end.send(()).unwrap();
    reading.await.unwrap().unwrap();
    assert!(db.checkpoint().await.unwrap());
}

#[tokio::test]
async fn the_writer_is_durable_and_wipes_what_it_deletes() {
    let backend = sqlite().await;
    let db = backend.db.clone();
    for (pragma, expected) in [
        ("SELECT synchronous FROM pragma_synchronous", 2),
        ("SELECT foreign_keys FROM pragma_foreign_keys", 1),
        ("SELECT secure_delete FROM pragma_secure_delete", 1),
        ("SELECT temp_store FROM pragma_temp_store", 2),
        ("SELECT journal_mode = 'wal' FROM pragma_journal_mode", 1),
    ] {
        let value: i64 = db
            .write(async move |tx| on!(tx, conn => sqlx::query_scalar(pragma).fetch_one(conn).await))
            .await
            .unwrap();
        assert_eq!(value, expected, "{pragma}");
    }
}
