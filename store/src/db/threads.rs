//! The threads that run units. The future of a unit borrows what its closure captured, and Rust cannot express that such a
//! future is `Send`; so it stays on the thread where it was created. Only the closure crosses threads, and the callers' own
//! futures remain `Send`.
//!
//! A caller may go away at any moment (its client hung up, another branch of a `select!` won), and its future is dropped where
//! it waits. If the unit were part of that future, a statement could be left unfinished, and the connection reused with a
//! transaction open. So a unit that has begun runs to its end; one whose caller has gone away before does not run.

use super::unit;
use crate::StoreError;
use futures::future::{FutureExt as _, LocalBoxFuture};
use std::{sync::Arc, thread};
use tokio::{
    runtime::Builder,
    sync::{mpsc, oneshot},
    task::{JoinSet, LocalSet},
};
use tracing::{Instrument as _, Span};

/// How many threads run the units of a database that have their own connections. A unit mostly waits and computes little, so
/// one thread would suffice; with two, a unit that computes too long does not delay all others.
pub(super) const COUNT: u32 = 2;

/// What wakes a thread.
#[derive(Clone, Copy, Debug)]
pub(super) enum Wakes {
    /// Other threads, such as those of SQLite's driver.
    Threads,
    /// Sockets too, as with Postgres.
    Sockets,
}

/// Starts a thread with its own runtime for what `work` creates. A connection waits on the runtime that opened it, and this one
/// continues however busy the program's main runtime is.
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

/// A unit on its way to its thread.
type Job = Box<dyn FnOnce() -> LocalBoxFuture<'static, ()> + Send>;

/// A thread that runs units concurrently. It ends once it is stopped or dropped and its last unit has ended.
pub(super) struct Thread {
    jobs: mpsc::UnboundedSender<Option<Job>>,
    /// Every unit holds a clone.
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

    /// The number of its units plus one.
    pub(super) fn load(&self) -> usize {
        Arc::strong_count(&self.busy)
    }

    /// Begins `work`.
    pub(super) fn spawn<W>(&self, work: W) -> Result<(), StoreError>
    where
        W: AsyncFnOnce() + Send + 'static,
    {
        let (span, busy) = (Span::current(), Arc::clone(&self.busy));
        let job: Job = Box::new(move || {
            let task = async move {
                let _busy = busy;
                work().await;
            };
            task.instrument(span).boxed_local()
        });
        self.jobs.send(Some(job)).map_err(|_| unit::closed())
    }

    /// Runs `work` and waits for its end.
    pub(super) async fn run<T, W>(&self, work: W) -> Result<T, StoreError>
    where
        W: AsyncFnOnce() -> Result<T, StoreError> + Send + 'static,
        T: Send + 'static,
    {
        let (caller, answer) = oneshot::channel();
        self.spawn(async move || {
            if !caller.is_closed() {
                // A caller that goes away meanwhile does not need the answer.
                drop(caller.send(work().await));
            }
        })?;
        answer.await.unwrap_or_else(|_| Err(unit::closed()))
    }

    /// Waits for the running units, and for the end of the thread.
    pub(super) async fn end(&self) {
        // Fails if the thread has already ended.
        drop(self.jobs.send(None));
        self.jobs.closed().await;
    }
}

/// The one whose thread has the fewest units, so that none waits while another thread is idle.
pub(super) fn least_busy<L>(all: &[L], thread: impl Fn(&L) -> &Thread) -> Result<&L, StoreError> {
    let least = all.iter().min_by_key(|one| thread(one).load());
    least.ok_or_else(|| StoreError::unavailable("there is no thread for units"))
}

/// Runs units until the queue is closed or the end is sent.
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
