//! The bench where pictures are looked at: one at a time per core, a bounded number waiting, the rest told to come back.

use crate::examiner::Examiner;
use std::{
    num::NonZero,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};
use tokio::sync::Semaphore;

/// How many may wait for each core: at a quarter of a second each, the last one waits some seconds.
const WAITING_PER_CORE: usize = 16;

/// Why nobody looked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NotLooked {
    /// Too many wait already.
    #[error("too many pictures are waiting")]
    Busy,
    /// The examiner panicked over this one.
    #[error("the examiner panicked")]
    Panicked,
}

/// Shares the examiner among the cores.
pub(crate) struct Bench {
    examiner: Arc<dyn Examiner>,
    places: Arc<Semaphore>,
    waiting: AtomicUsize,
    most_waiting: usize,
}

/// Counts one who waits, for as long as it lives: a caller who goes away waits no more.
struct Waiting<'a>(&'a AtomicUsize);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Bench {
    pub(crate) fn new(examiner: Arc<dyn Examiner>) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
        Self {
            examiner,
            places: Arc::new(Semaphore::new(cores)),
            waiting: AtomicUsize::new(0),
            most_waiting: cores * WAITING_PER_CORE,
        }
    }

    /// Runs `work` where it may take its time, once a core is free.
    pub(crate) async fn look<T, F>(&self, work: F) -> Result<T, NotLooked>
    where
        F: FnOnce(&dyn Examiner) -> T + Send + 'static,
        T: Send + 'static,
    {
        let place = {
            if self.waiting.fetch_add(1, Ordering::SeqCst) >= self.most_waiting {
                self.waiting.fetch_sub(1, Ordering::SeqCst);
                return Err(NotLooked::Busy);
            }
            let _waiting = Waiting(&self.waiting);
            Arc::clone(&self.places)
                .acquire_owned()
                .await
                .map_err(|_| NotLooked::Busy)?
        };
        let examiner = Arc::clone(&self.examiner);
        // The place goes with the work: a caller who goes away does not free a core that is still busy.
        let looked = tokio::task::spawn_blocking(move || {
            let _place = place;
            work(&*examiner)
        })
        .await;
        looked.map_err(|_| NotLooked::Panicked)
    }
}
