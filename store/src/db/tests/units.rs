//! Units of work on both databases.

use super::*;
use std::{
    future::Ready,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
};
use tokio::{sync::oneshot, task::JoinSet};

#[tokio::test]
async fn what_a_write_unit_did_is_there_after_reopening() {
    for backend in backends().await {
        backend.db.write(async |tx| add(tx, "kept").await).await.unwrap();
        drop(backend.db);
        let again = Db::open(&backend.url, OPTIONS).await.unwrap();
        assert_eq!(committed(&again).await, ["kept"], "{}", backend.name);
    }
}

/// The files are copied while the database is open: that is what a crash leaves behind.
#[tokio::test]
async fn every_answered_write_is_in_the_files_of_a_crash() {
    let backend = sqlite().await;
    for _ in 0..50 {
        backend.db.write(async |tx| add(tx, "kept").await).await.unwrap();
    }
    let crashed = backend.folder().join("crashed");
    std::fs::create_dir(&crashed).unwrap();
    for file in ["honnin.db", "honnin.db-wal"] {
        std::fs::copy(backend.folder().join(file), crashed.join(file)).unwrap();
    }
    let url = format!("sqlite://{}", crashed.join("honnin.db").display());
    let recovered = Db::open(&url, OPTIONS).await.unwrap();
    assert_eq!(committed(&recovered).await.len(), 50);
}

#[tokio::test]
async fn a_failing_unit_leaves_nothing() {
    for Backend { name, db, .. } in backends().await {
        let failed: Result<(), StoreError> = db
            .write(async |tx| {
                add(tx, "lost").await?;
                Err(StoreError::Conflict)
            })
            .await;
        assert!(matches!(failed, Err(StoreError::Conflict)), "{name}");
        assert_eq!(committed(&db).await, Vec::<String>::new(), "{name}");
    }
}

#[tokio::test]
async fn a_panicking_unit_leaves_nothing_and_the_database_goes_on() {
    for Backend { name, db, .. } in backends().await {
        let failed: Result<(), StoreError> = db
            .write(async |tx| {
                add(tx, "lost").await?;
                panic!("a bug")
            })
            .await;
        assert!(matches!(failed, Err(StoreError::Panicked)), "{name}");
        let before_there_is_a_future = |_: &mut Tx| -> Ready<_> { panic!("a bug") };
        let failed: Result<(), StoreError> = db.write(before_there_is_a_future).await;
        assert!(matches!(failed, Err(StoreError::Panicked)), "{name}");
        db.write(async |tx| add(tx, "kept").await).await.unwrap();
        assert_eq!(committed(&db).await, ["kept"], "{name}");
    }
}

#[tokio::test]
async fn a_statement_that_makes_no_sense_is_a_bug_and_not_a_database_that_does_not_respond() {
    for Backend { name, db, .. } in backends().await {
        for nonsense in ["SELECT nothing FROM nowhere", "SELEKT 1", "SELECT no_function(1)"] {
            let answer = db.ask(async move |tx| execute(tx, nonsense).await).await;
            assert!(matches!(answer, Err(StoreError::Refused(_))), "{name}: {answer:?}");
        }
    }
}

/// Postgres cannot continue after an error, so SQLite must not seem to either.
#[tokio::test]
async fn a_unit_that_swallows_a_database_error_is_rolled_back() {
    for Backend { name, db, .. } in backends().await {
        let answer = db
            .write(async |tx| {
                add(tx, "lost").await?;
                drop(execute(tx, "INSERT INTO jobs (kind, subject) VALUES ('sweep', 'no time')").await);
                Ok::<_, StoreError>(())
            })
            .await;
        assert!(matches!(answer, Err(StoreError::Refused(_))), "{name}: {answer:?}");
        assert_eq!(committed(&db).await, Vec::<String>::new(), "{name}");
    }
}

#[tokio::test]
async fn a_read_unit_refuses_to_write() {
    for Backend { name, db, .. } in backends().await {
        let answer = db.read(async |tx| add(tx, "smuggled").await).await;
        assert!(matches!(answer, Err(StoreError::Refused(_))), "{name}: {answer:?}");
        assert_eq!(committed(&db).await, Vec::<String>::new(), "{name}");
    }
}

#[tokio::test]
async fn a_database_that_can_only_be_read_is_not_available_to_a_unit_that_writes() {
    for Backend { name, db, .. } in backends().await {
        let only_read = match name {
            "sqlite" => "PRAGMA query_only = ON",
            _ => "SET TRANSACTION READ ONLY",
        };
        let answer = db
            .write(async move |tx| {
                execute(tx, only_read).await?;
                add(tx, "lost").await
            })
            .await;
        assert!(matches!(answer, Err(StoreError::Unavailable(_))), "{name}: {answer:?}");
        assert_eq!(committed(&db).await, Vec::<String>::new(), "{name}");
    }
}

#[tokio::test]
async fn a_read_unit_sees_one_moment() {
    for Backend { name, db, .. } in backends().await {
        let writer = db.clone();
        let (before, after) = db
            .read(async move |tx| {
                let before = count(tx).await?;
                let writer = writer.clone();
                let write = async move { writer.write(async |tx| add(tx, "meanwhile").await).await };
                tokio::spawn(write).await.unwrap()?;
                Ok::<_, StoreError>((before, count(tx).await?))
            })
            .await
            .unwrap();
        assert_eq!((before, after), (0, 0), "{name}");
        assert_eq!(committed(&db).await, ["meanwhile"], "{name}");
    }
}

#[tokio::test]
async fn a_unit_inside_a_unit_is_refused_instead_of_waiting_for_ever() {
    for Backend { name, db, .. } in backends().await {
        let inner = db.clone();
        let answer: Result<(), StoreError> = db
            .write(async move |_| inner.write(async |tx| add(tx, "nested").await).await)
            .await;
        assert!(matches!(answer, Err(StoreError::Refused(_))), "{name}: {answer:?}");
    }
}

#[tokio::test]
async fn an_equal_unique_value_is_a_duplicate() {
    for Backend { name, db, .. } in backends().await {
        let twice = "INSERT INTO jobs (kind, subject, dedup_key, run_at) VALUES ('sweep', 's', 'once', 0)";
        db.write(async move |tx| execute(tx, twice).await).await.unwrap();
        let answer = db.write(async move |tx| execute(tx, twice).await).await;
        assert!(matches!(answer, Err(StoreError::Duplicate)), "{name}: {answer:?}");
    }
}

/// Planted fault that this test detects: with one try instead of several, units are lost to conflicts on Postgres.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn units_that_lose_a_compare_and_set_run_again_with_what_is_stored_now() {
    for Backend { name, db, .. } in backends().await {
        db.write(async |tx| add(tx, "counter").await).await.unwrap();
        let mut racing = JoinSet::new();
        for _ in 0..4 {
            let db = db.clone();
            racing.spawn(async move {
                for _ in 0..10 {
                    db.write(async |tx| increment(tx).await).await.unwrap();
                }
            });
        }
        racing.join_all().await;
        let total = db.read(async |tx| counter(tx).await).await.unwrap();
        assert_eq!(total, 40, "{name}");
    }
}

#[tokio::test]
async fn a_unit_that_saves_what_was_read_before_it_does_not_run_again_after_a_conflict() {
    for Backend { name, db, .. } in backends().await {
        db.write(async |tx| add(tx, "counter").await).await.unwrap();
        // On SQLite, the first unit that fails runs once more, with a savepoint; the next group has savepoints from the start.
        let failed = db.write(async |_| Err::<(), _>(StoreError::LeaseLost)).await;
        assert!(failed.is_err());
        let runs = Arc::new(AtomicU32::new(0));
        let counted = Arc::clone(&runs);
        let unit = db.write(async move |tx| {
            counted.fetch_add(1, Ordering::Relaxed);
            tx.saves_earlier_read();
            increment_from(tx, 7).await
        });
        let lost = unit.await;
        assert!(matches!(lost, Err(StoreError::Conflict)), "{name}: {lost:?}");
        assert_eq!(runs.load(Ordering::Relaxed), 1, "{name}");
    }
}

async fn counter(tx: &mut Tx) -> Result<i64, StoreError> {
    on!(tx, conn => sqlx::query_scalar("SELECT attempt FROM jobs WHERE subject = 'counter'").fetch_one(conn).await)
}

async fn increment(tx: &mut Tx) -> Result<(), StoreError> {
    let seen = counter(tx).await?;
    tokio::task::yield_now().await;
    increment_from(tx, seen).await
}

async fn increment_from(tx: &mut Tx, seen: i64) -> Result<(), StoreError> {
    let set: u64 = on!(tx, conn => sqlx::query("UPDATE jobs SET attempt = $1 + 1 WHERE subject = 'counter' AND attempt = $1")
        .bind(seen).execute(conn).await.map(|done| done.rows_affected()))?;
    if set == 1 { Ok(()) } else { Err(tx.conflict()) }
}

async fn count(tx: &mut Tx) -> Result<i64, StoreError> {
    on!(tx, conn => sqlx::query_scalar("SELECT COUNT(*) FROM jobs").fetch_one(conn).await)
}

/// A unit whose caller has gone away continues, and its snapshot must not become the next unit's.
#[tokio::test]
async fn a_caller_that_leaves_while_it_reads_leaves_no_old_view_behind() {
    for Backend { name, db, .. } in backends().await {
        for round in 0..3 * OPTIONS.readers {
            let (seen, has_seen) = oneshot::channel();
            let (open, gate) = oneshot::channel::<()>();
            let mut once = Some((seen, gate));
            let reading = db.read(async move |tx| {
                let counted = count(tx).await?;
                if let Some((seen, gate)) = once.take() {
                    seen.send(counted).unwrap();
                    gate.await.unwrap();
                }
                count(tx).await
            });
            let counted = tokio::select! {
                _ = reading => None,
                counted = has_seen => counted.ok(),
            };
            assert_eq!(counted, Some(i64::from(round)), "{name}");
            db.write(async move |tx| add(tx, &format!("{round}")).await)
                .await
                .unwrap();
            open.send(()).unwrap();
        }
        db.close().await;
    }
}

/// Only the database waits for a unit whose caller has gone away.
#[tokio::test]
async fn a_unit_that_has_begun_ends_before_the_database_is_closed_even_where_its_caller_has_left() {
    for backend in backends().await {
        let (begun, has_begun) = oneshot::channel();
        let (open, gate) = oneshot::channel::<()>();
        let mut once = Some((begun, gate));
        let writing = backend.db.write(async move |tx| {
            add(tx, "first").await?;
            if let Some((begun, gate)) = once.take() {
                begun.send(()).unwrap();
                gate.await.unwrap();
            }
            add(tx, "second").await
        });
        tokio::select! {
            _ = writing => unreachable!("it waits at the gate"),
            begun = has_begun => begun.unwrap(),
        }
        let mut close = Box::pin(backend.db.close());
        assert!(futures::poll!(close.as_mut()).is_pending(), "{}", backend.name);
        open.send(()).unwrap();
        close.await;
        let again = Db::open(&backend.url, OPTIONS).await.unwrap();
        assert_eq!(committed(&again).await, ["first", "second"], "{}", backend.name);
    }
}

/// Settings of a connection represent anything else that a unit may leave on it.
#[tokio::test]
async fn the_connection_of_a_unit_that_panicked_is_not_used_again() {
    for Backend { name, db, .. } in backends().await {
        let (mark, is_marked) = match name {
            "sqlite" => (
                "PRAGMA cache_size = 77",
                "SELECT cache_size = 77 FROM pragma_cache_size",
            ),
            _ => ("SET work_mem = '77kB'", "SELECT current_setting('work_mem') = '77kB'"),
        };
        let failed: Result<(), StoreError> = db
            .ask(async move |tx| {
                execute(tx, mark).await?;
                panic!("a bug")
            })
            .await;
        assert!(matches!(failed, Err(StoreError::Panicked)), "{name}: {failed:?}");
        for _ in 0..10 {
            let marked = db.ask(async move |tx| -> Result<bool, StoreError> {
                on!(tx, conn => sqlx::query_scalar(is_marked).fetch_one(conn).await)
            });
            assert!(!marked.await.unwrap(), "{name}");
        }
    }
}

#[tokio::test]
async fn closing_waits_for_who_reads_and_then_refuses() {
    for Backend { name, db, .. } in backends().await {
        let (begun, has_begun) = oneshot::channel();
        let (open, gate) = oneshot::channel::<()>();
        let mut once = Some((begun, gate));
        let mut reading = Box::pin(db.read(async move |tx| -> Result<_, StoreError> {
            let before = count(tx).await?;
            if let Some((begun, gate)) = once.take() {
                begun.send(()).unwrap();
                drop(gate.await);
            }
            Ok((before, count(tx).await?))
        }));
        tokio::select! {
            _ = &mut reading => unreachable!("it waits at the gate"),
            begun = has_begun => begun.unwrap(),
        }
        let closing = db.clone();
        let mut close = Box::pin(async move { closing.close().await });
        assert!(futures::poll!(close.as_mut()).is_pending());
        open.send(()).unwrap();
        let (read, ()) = futures::join!(reading, close);
        assert_eq!(read.unwrap(), (0, 0), "{name}");
        let late = db.read(async |tx| count(tx).await).await;
        assert!(matches!(late, Err(StoreError::Unavailable(_))), "{name}: {late:?}");
    }
}

#[tokio::test]
async fn what_a_unit_has_captured_is_gone_when_its_caller_is_answered() {
    for Backend { name, db, .. } in backends().await {
        let held = Arc::new(());
        let [one, two, three] = [(); 3].map(|()| Arc::clone(&held));
        let write = db.write(async move |_| Ok::<_, StoreError>(Arc::strong_count(&one)));
        write.await.unwrap();
        assert_eq!(Arc::strong_count(&held), 3, "{name}: write");
        let read = db.read(async move |_| Ok::<_, StoreError>(Arc::strong_count(&two)));
        read.await.unwrap();
        assert_eq!(Arc::strong_count(&held), 2, "{name}: read");
        let ask = db.ask(async move |_| Ok::<_, StoreError>(Arc::strong_count(&three)));
        ask.await.unwrap();
        assert_eq!(Arc::strong_count(&held), 1, "{name}: ask");
    }
}
