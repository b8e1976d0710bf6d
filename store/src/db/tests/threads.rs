//! The threads that run units end with their database, and a database needs no more connections than it is given.

use super::*;
use futures::future::join_all;
use std::{cell::RefCell, time::Duration};
use tokio::{sync::oneshot, time::timeout};

thread_local! {
    /// Dropped when the thread ends.
    static LEFT_HERE: RefCell<Vec<oneshot::Sender<()>>> = const { RefCell::new(Vec::new()) };
}

/// Reports when the threads of a writing and of a reading unit have ended.
async fn mark(db: &Db) -> [oneshot::Receiver<()>; 2] {
    let (writer, writer_ends) = oneshot::channel();
    let (reader, reader_ends) = oneshot::channel();
    let (mut writer, mut reader) = (Some(writer), Some(reader));
    let write = db.write(async move |_| leave(writer.take()));
    write.await.unwrap();
    let read = db.read(async move |_| leave(reader.take()));
    read.await.unwrap();
    [writer_ends, reader_ends]
}

fn leave(mark: Option<oneshot::Sender<()>>) -> Result<(), StoreError> {
    LEFT_HERE.with_borrow_mut(|here| here.extend(mark));
    Ok(())
}

async fn assert_ended(threads: [oneshot::Receiver<()>; 2], name: &str) {
    for thread in threads {
        let ended = timeout(Duration::from_secs(10), thread).await;
        assert!(ended.is_ok_and(|told| told.is_err()), "{name}");
    }
}

#[tokio::test]
async fn the_threads_end_when_nobody_holds_the_database() {
    for Backend { name, db, .. } in backends().await {
        let threads = mark(&db).await;
        drop(db);
        assert_ended(threads, name).await;
    }
}

#[tokio::test]
async fn the_threads_end_when_the_database_is_closed() {
    for Backend { name, db, .. } in backends().await {
        let threads = mark(&db).await;
        db.close().await;
        assert_ended(threads, name).await;
    }
}

#[tokio::test]
async fn one_connection_serves_everybody() {
    for backend in backends().await {
        let one = super::super::DbOptions {
            readers: 1,
            connections: 1,
            ..OPTIONS
        };
        let db = Db::open(&backend.url, one).await.unwrap();
        let writes = join_all((0..8).map(|_| db.write(async |tx| add(tx, "one of them").await)));
        assert!(writes.await.iter().all(Result::is_ok), "{}", backend.name);
        let reads = join_all((0..8).map(|_| committed(&db)));
        assert!(reads.await.iter().all(|seen| seen.len() == 8), "{}", backend.name);
    }
}
