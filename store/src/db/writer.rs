//! Group commit for SQLite. One durable commit costs milliseconds whatever it holds, so one task runs every waiting unit in one
//! transaction, each inside its own savepoint, commits once, and only then answers all of them.

use super::{Connection, Tx, unit};
use crate::{StoreError, figures::Figures};
use futures::future::BoxFuture;
use prometheus_client::metrics::counter::Counter;
use sqlx::SqlitePool;
use std::{sync::Arc, time::Duration};
use tokio::{
    sync::{Notify, mpsc, oneshot},
    time::{Instant, timeout_at},
};

/// How many units may wait before callers have to.
pub(super) const QUEUE: usize = 1024;
/// Bounds how long the first unit of a group waits for the last.
const GROUP: usize = 128;
/// How long to wait for the callers just answered to come back with their next unit: a quarter of a commit on a slow disk.
const LULL: Duration = Duration::from_millis(1);

/// A unit in the queue, whatever its types.
pub(super) trait Waiting: Send {
    /// Nobody waits for the answer any more.
    fn is_abandoned(&self) -> bool;
    /// Runs the unit, keeps its answer, and says whether to keep what it did.
    fn run<'a>(&'a mut self, tx: &'a mut Tx) -> BoxFuture<'a, bool>;
    /// Answers the caller: with the unit's own answer, or with the group's failure.
    fn answer(self: Box<Self>, group: Result<(), StoreError>);
}

struct Entry<T, E, F> {
    unit: F,
    done: Option<Result<T, E>>,
    caller: oneshot::Sender<Result<T, E>>,
}

impl<T, E, F> Waiting for Entry<T, E, F>
where
    F: for<'t> FnMut(&'t mut Tx) -> BoxFuture<'t, Result<T, E>> + Send,
    T: Send,
    E: From<StoreError> + Send,
{
    fn is_abandoned(&self) -> bool {
        self.caller.is_closed()
    }

    fn run<'a>(&'a mut self, tx: &'a mut Tx) -> BoxFuture<'a, bool> {
        Box::pin(async move { self.done.insert(unit::run(&mut self.unit, tx).await).is_ok() })
    }

    fn answer(self: Box<Self>, group: Result<(), StoreError>) {
        let answer = match (self.done, group) {
            (Some(Err(own)), _) => Err(own),
            (_, Err(group)) => Err(group.into()),
            (Some(Ok(value)), Ok(())) => Ok(value),
            (None, Ok(())) => Err(StoreError::unavailable("the unit did not run").into()),
        };
        // A caller that went away does not need its answer.
        drop(self.caller.send(answer));
    }
}

/// Queues `unit` and waits until its group is committed.
pub(super) async fn submit<T, E, F>(inbox: &mpsc::Sender<Box<dyn Waiting>>, unit: F) -> Result<T, E>
where
    F: for<'t> FnMut(&'t mut Tx) -> BoxFuture<'t, Result<T, E>> + Send + 'static,
    T: Send + 'static,
    E: From<StoreError> + Send + 'static,
{
    let (caller, answer) = oneshot::channel();
    let entry = Entry {
        unit,
        done: None,
        caller,
    };
    let closed = || E::from(StoreError::unavailable("the database is closed"));
    inbox.send(Box::new(entry)).await.map_err(|_| closed())?;
    answer.await.unwrap_or_else(|_| Err(closed()))
}

/// Commits group after group until the last [`super::Db`] is gone.
pub(super) async fn run(
    pool: SqlitePool,
    mut inbox: mpsc::Receiver<Box<dyn Waiting>>,
    jobs_changed: Arc<Notify>,
    figures: Arc<Figures>,
) {
    let mut expected = 1;
    while let Some(first) = inbox.recv().await {
        if first.is_abandoned() {
            continue;
        }
        let mut group = Group {
            members: Vec::new(),
            enqueued: false,
            counted: Vec::new(),
            figures: Arc::clone(&figures),
        };
        let outcome = group.run(&pool, first, &mut inbox, expected).await;
        if outcome.is_ok() && group.enqueued {
            jobs_changed.notify_one();
        }
        expected = group.members.len();
        for member in group.members {
            member.answer(outcome.clone());
        }
    }
}

/// Cannot be: a group starts with its first member.
const LOST: StoreError = StoreError::Corrupt("a group of no units");

struct Group {
    members: Vec<Box<dyn Waiting>>,
    enqueued: bool,
    /// What the units that are kept count.
    counted: Vec<Counter>,
    figures: Arc<Figures>,
}

impl Group {
    /// Runs the units that wait, and those that come while it runs, in one transaction.
    async fn run(
        &mut self,
        pool: &SqlitePool,
        first: Box<dyn Waiting>,
        inbox: &mut mpsc::Receiver<Box<dyn Waiting>>,
        expected: usize,
    ) -> Result<(), StoreError> {
        self.members.push(first);
        // Each call costs two changes of thread, so the first savepoint comes with BEGIN, each further one with the end of the
        // unit before it, and the last one ends with COMMIT.
        let begun = pool.begin_with("BEGIN IMMEDIATE; SAVEPOINT unit").await;
        let mut tx = Tx::new(
            Connection::Sqlite(begun.map_err(|error| StoreError::from_sql(&error))?),
            Arc::clone(&self.figures),
        );
        let mut patience = None;
        loop {
            let member = self.members.last_mut().ok_or(LOST)?;
            let keep = member.run(&mut tx).await;
            self.enqueued |= keep && tx.enqueued;
            if keep {
                self.counted.append(&mut tx.counted);
            } else {
                command(&mut tx, "ROLLBACK TO unit").await?;
            }
            let Some(next) = next_member(inbox, self.members.len(), expected, &mut patience).await else {
                let began = Instant::now();
                tx.commit().await.map_err(|error| StoreError::from_sql(&error))?;
                let took = began.elapsed().as_secs_f64();
                self.figures.committed(self.members.len(), took, &self.counted);
                return Ok(());
            };
            // From here on this unit is answered with the group, also where the database has given the transaction up (disk
            // full, for one) and nothing of the group can be kept.
            self.members.push(next);
            if keep {
                command(&mut tx, "RELEASE unit; SAVEPOINT unit").await?;
            }
        }
    }
}

/// The next unit of a group of `size`: one that waits, or one of the callers just answered if it comes back at once.
async fn next_member(
    inbox: &mut mpsc::Receiver<Box<dyn Waiting>>,
    size: usize,
    expected: usize,
    patience: &mut Option<Instant>,
) -> Option<Box<dyn Waiting>> {
    if size >= GROUP {
        return None;
    }
    loop {
        let waiting = match inbox.try_recv() {
            Ok(waiting) => waiting,
            Err(_) if size >= expected => return None,
            Err(_) => {
                let until = *patience.get_or_insert_with(|| Instant::now() + LULL);
                timeout_at(until, inbox.recv()).await.ok().flatten()?
            }
        };
        if !waiting.is_abandoned() {
            return Some(waiting);
        }
    }
}

/// Runs savepoint statements outside a unit's own books.
async fn command(tx: &mut Tx, sql: &'static str) -> Result<(), StoreError> {
    let Connection::Sqlite(inner) = &mut tx.connection else {
        return Err(StoreError::refused("group commit is SQLite's"));
    };
    match sqlx::raw_sql(sql).execute(&mut **inner).await {
        Ok(_) => Ok(()),
        Err(error) => Err(StoreError::from_sql(&error)),
    }
}
