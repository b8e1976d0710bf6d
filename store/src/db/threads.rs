//! The threads that units run on. The future of a unit borrows what its closure captured, and nothing can be said about whether such a
//! future is `Send`; so it stays on the thread where it was made. Only the closure crosses, and the callers' own futures stay `Send`.
//!
//! A caller may leave at any moment (its client hung up, another branch of a `select!` won), and its future is dropped where it waits. Were
//! the unit part of that future, a statement could be left half-way, and the connection handed on with a transaction open. So a unit that
//! has begun ends whole, whoever listens; one whose caller left before does not run.

use crate::StoreError;
use futures::future::{FutureExt as _, LocalBoxFuture};
use std::{sync::Arc, thread};
use tokio::{
    runtime::Builder,
    sync::{mpsc, oneshot},
    task::{JoinSet, LocalSet},
};
use tracing::{Instrument as _, Span};

/// How many threads run the units of a database that have a connection of their own. A unit waits most of its time and computes next to
/// nothing, so one thread would do for all; with two, a unit that computes longer than it should does not hold up everybody else.
pub(super) const COUNT: u32 = 2;

/// What wakes a thread.
#[derive(Clone, Copy, Debug)]
pub(super) enum Wakes {
    /// Other threads, as those of SQLite's driver.
    Threads,
    /// Sockets too, as with Postgres.
    Sockets,
}

/// Starts a thread with a runtime of its own, for what `work` makes. A connection waits on the runtime that opened it, and this one goes
/// on whatever the program's main runtime is busy with.
pub(super) fn start<W, R>(name: &str, wakes: Wakes, work: W) -> Result<(), StoreError>
where
    W: FnOnce() -> R + Send + 'static,
    R: Future<Output = ()>,
{
    let mut runtime = Builder::new_current_thread();
    let runtime = match wakes {
        Wakes::Threads => runtime.enable_time(),
        Wakes::Sockets => runtime.enable_all(),
    };
    let runtime = runtime.build().map_err(StoreError::unavailable)?;
    let thread = thread::Builder::new().name(name.to_owned());
    let started = thread.spawn(move || runtime.block_on(work()));
    started.map(drop).map_err(StoreError::unavailable)
}

/// A unit that goes to its thread.
type Job = Box<dyn FnOnce() -> LocalBoxFuture<'static, ()> + Send>;

/// A thread that runs units side by side. It ends when it is told to, or is dropped, and its last unit has ended.
pub(super) struct Thread {
    jobs: mpsc::UnboundedSender<Option<Job>>,
    /// Every unit holds it too.
    busy: Arc<()>,
}

impl Thread {
    pub(super) fn start(number: u32, wakes: Wakes) -> Result<Self, StoreError> {
        let (jobs, queue) = mpsc::unbounded_channel();
        start(&format!("store-units-{number}"), wakes, move || serve(queue))?;
        Ok(Self {
            jobs,
            busy: Arc::default(),
        })
    }

    /// How many units it has, and one.
    pub(super) fn load(&self) -> usize {
        Arc::strong_count(&self.busy)
    }

    /// Takes a connection from `lend` and runs `work` on it.
    pub(super) async fn run<C, T, E, L, W>(&self, lend: L, work: W) -> Result<T, E>
    where
        L: Future<Output = Result<C, StoreError>> + Send + 'static,
        W: AsyncFnOnce(C) -> Result<T, E> + Send + 'static,
        C: 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        let (caller, answer) = oneshot::channel();
        let (span, busy) = (Span::current(), Arc::clone(&self.busy));
        let job: Job = Box::new(move || {
            let task = async move {
                let _busy = busy;
                if caller.is_closed() {
                    return;
                }
                let answer = match lend.await {
                    Ok(_unused) if caller.is_closed() => return,
                    Ok(connection) => work(connection).await,
                    Err(error) => Err(error.into()),
                };
                // A caller that went away does not need its answer.
                drop(caller.send(answer));
            };
            task.instrument(span).boxed_local()
        });
        let closed = || E::from(StoreError::unavailable("the database is closed"));
        self.jobs.send(Some(job)).map_err(|_| closed())?;
        answer.await.unwrap_or_else(|_| Err(closed()))
    }

    /// Waits for the units that run, and for the end of the thread.
    pub(super) async fn end(&self) {
        // It fails where the thread has ended already.
        drop(self.jobs.send(None));
        self.jobs.closed().await;
    }
}

/// The one whose thread has the fewest units, so that none waits while another thread has nothing to do.
pub(super) fn least_busy<L>(all: &[L], thread: impl Fn(&L) -> &Thread) -> Result<&L, StoreError> {
    let least = all.iter().min_by_key(|one| thread(one).load());
    least.ok_or_else(|| StoreError::unavailable("there is no thread for units"))
}

/// Runs what comes, until nobody can send more or somebody has sent the end.
async fn serve(mut queue: mpsc::UnboundedReceiver<Option<Job>>) {
    let work = async move {
        let mut running = JoinSet::new();
        while let Some(Some(job)) = queue.recv().await {
            running.spawn_local(job());
            while running.try_join_next().is_some() {}
        }
        while running.join_next().await.is_some() {}
    };
    LocalSet::new().run_until(work).await;
}
