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

/// How many may wait. Pictures are admitted by their size before they are read, and jobs have their slots; a picture that was admitted
/// must not be turned away here, so that this is more than either can be.
const MOST_WAITING: usize = 2_048;

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
            most_waiting: MOST_WAITING,
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::examiner::{Normalised, PictureFault, Subject};
    use domain::{
        document::{DocumentType, Side},
        findings::{Challenge, DocumentFindings, SelfieFindings},
    };
    use std::sync::{Mutex, mpsc};
    use time::Date;

    struct Blind;

    impl Examiner for Blind {
        fn normalise(&self, _: &[u8], _: Subject) -> Result<Normalised, PictureFault> {
            Err(PictureFault::Corrupt)
        }
        fn document(&self, _: Vec<u8>, _: DocumentType, _: Side, _: Date) -> Result<DocumentFindings, PictureFault> {
            Err(PictureFault::Corrupt)
        }
        fn selfie(&self, _: Vec<Vec<u8>>, _: Option<Challenge>) -> Result<SelfieFindings, PictureFault> {
            Err(PictureFault::Corrupt)
        }
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn who_finds_no_place_to_wait_is_told_at_once_and_the_rest_are_served() {
        let bench = Arc::new(Bench::new(Arc::new(Blind)));
        let (release, held) = mpsc::channel::<()>();
        let held = Arc::new(Mutex::new(held));
        let looks: Vec<_> = (0..bench.most_waiting + bench.places.available_permits())
            .map(|_| {
                let (bench, held) = (Arc::clone(&bench), Arc::clone(&held));
                // Looks until the channel is closed.
                tokio::spawn(async move { bench.look(move |_| held.lock().unwrap().recv().is_err()).await })
            })
            .collect();
        while bench.waiting.load(Ordering::SeqCst) < bench.most_waiting || bench.places.available_permits() > 0 {
            tokio::task::yield_now().await;
        }
        assert_eq!(bench.look(|_| ()).await, Err(NotLooked::Busy));
        drop(release);
        for look in looks {
            assert_eq!(look.await.unwrap(), Ok(true));
        }
        assert_eq!(bench.look(|_| 7).await, Ok(7));
    }

    #[tokio::test]
    async fn a_panic_costs_no_place() {
        let bench = Bench::new(Arc::new(Blind));
        for _ in 0..bench.places.available_permits() * 2 {
            assert_eq!(
                bench.look(|_| panic!("told to")).await.map(|(): ()| ()),
                Err(NotLooked::Panicked)
            );
        }
        assert_eq!(bench.look(|_| 7).await, Ok(7));
    }
}
