//! The pool in which pictures are analysed: one at a time per core, a bounded queue, the rest refused. It has its own threads
//! at low priority, so that page requests do not wait for image analysis.

use crate::runtime::analyser::Analyser;
use std::{
    num::NonZero,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
        mpsc,
    },
    thread,
};
use tokio::sync::{Semaphore, oneshot};

/// Queue length. Pictures are admitted by size before they are read, and jobs have slots; an admitted picture must not be
/// refused here, so this exceeds both limits.
const MAX_WAITING: usize = 2_048;

/// Why a picture was not analysed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum PoolError {
    /// The queue is full.
    #[error("too many pictures are waiting")]
    Busy,
    /// The analyser panicked on this picture.
    #[error("the analyser panicked")]
    Panicked,
}

/// Work for a thread.
type Work = Box<dyn FnOnce() + Send>;

/// Distributes work over the cores.
pub(crate) struct CpuPool {
    analyser: Arc<dyn Analyser>,
    /// As many permits as threads.
    permits: Arc<Semaphore>,
    queue: mpsc::Sender<Work>,
    waiting: AtomicUsize,
    most_waiting: usize,
}

/// Counts a waiting caller while it lives: a caller that goes away is no longer counted.
struct Waiting<'a>(&'a AtomicUsize);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

impl CpuPool {
    pub(crate) fn new(analyser: Arc<dyn Analyser>) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
        Self {
            analyser,
            permits: Arc::new(Semaphore::new(cores)),
            queue: start_threads(cores),
            waiting: AtomicUsize::new(0),
            most_waiting: MAX_WAITING,
        }
    }

    /// Runs CPU-bound `work` once a core is free.
    pub(crate) async fn run<T, F>(&self, work: F) -> Result<T, PoolError>
    where
        F: FnOnce(&dyn Analyser) -> T + Send + 'static,
        T: Send + 'static,
    {
        let permit = {
            if self.waiting.fetch_add(1, Ordering::SeqCst) >= self.most_waiting {
                self.waiting.fetch_sub(1, Ordering::SeqCst);
                return Err(PoolError::Busy);
            }
            let _waiting = Waiting(&self.waiting);
            Arc::clone(&self.permits)
                .acquire_owned()
                .await
                .map_err(|_| PoolError::Busy)?
        };
        let analyser = Arc::clone(&self.analyser);
        let (tell, done) = oneshot::channel();
        // The permit travels with the work: a caller that goes away does not free a core that is still busy.
        let work: Work = Box::new(move || {
            let _permit = permit;
            let seen = work(&*analyser);
            // The caller may have gone away.
            drop(tell.send(seen));
        });
        // If it panics, or there are no threads any more, `tell` is dropped.
        drop(self.queue.send(work));
        done.await.map_err(|_| PoolError::Panicked)
    }
}

/// Threads that end once nobody holds the queue any more.
#[expect(
    clippy::expect_used,
    reason = "it starts with its threads or not at all, as the runtime does"
)]
fn start_threads(count: usize) -> mpsc::Sender<Work> {
    let (queue, work) = mpsc::channel::<Work>();
    let work = Arc::new(Mutex::new(work));
    for number in 0..count {
        let work = Arc::clone(&work);
        thread::Builder::new()
            .name(format!("pictures-{number}"))
            .spawn(move || {
                give_way();
                while let Some(next) = next(&work) {
                    // The caller sees the panic; the thread continues.
                    drop(catch_unwind(AssertUnwindSafe(next)));
                }
            })
            .expect("threads can be started");
    }
    queue
}

fn next(work: &Mutex<mpsc::Receiver<Work>>) -> Option<Work> {
    work.lock().unwrap_or_else(PoisonError::into_inner).recv().ok()
}

/// Lowers this thread's priority: nice 10 of 19 gets about a tenth of the CPU under contention (sched(7)).
fn give_way() {
    // On systems other than Linux, this would affect the whole process (setpriority(2), "C library/kernel differences").
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::process::nice(10) {
        tracing::warn!(%error, "pictures are analysed at the same priority as requests");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runtime::analyser::{Normalised, PictureFault, Size, Subject};
    use domain::{
        document::{DocumentType, Side},
        findings::{Asked, DocumentFindings, ModelHash, SelfieFindings},
        live::Glance,
    };
    use time::Date;

    struct Blind;

    impl Analyser for Blind {
        fn normalise(&self, _: &[u8], _: Subject) -> Result<Normalised, PictureFault> {
            Err(PictureFault::Corrupt)
        }
        fn document(&self, _: Vec<u8>, _: DocumentType, _: Side, _: Date) -> Result<DocumentFindings, PictureFault> {
            Err(PictureFault::Corrupt)
        }
        fn rectify(&self, _: Vec<u8>, _: [[f32; 2]; 4], _: Size) -> Result<Vec<u8>, PictureFault> {
            Err(PictureFault::Corrupt)
        }
        fn reduce(&self, _: Vec<u8>, _: Size) -> Result<Vec<u8>, PictureFault> {
            Err(PictureFault::Corrupt)
        }
        fn strips(&self, _: Vec<u8>, _: &[[[f32; 2]; 4]]) -> Result<Option<Vec<u8>>, PictureFault> {
            Err(PictureFault::Corrupt)
        }
        fn face(&self, _: Vec<u8>, _: [[f32; 2]; 2]) -> Result<Option<Vec<u8>>, PictureFault> {
            Err(PictureFault::Corrupt)
        }
        fn glance(&self, _: &[u8]) -> Result<Option<Glance>, PictureFault> {
            Err(PictureFault::Corrupt)
        }

        fn count_faces(&self, _: &[u8]) -> Result<Option<u32>, PictureFault> {
            Err(PictureFault::Corrupt)
        }
        fn selfie(&self, _: Vec<Vec<u8>>, _: &Asked) -> Result<SelfieFindings, PictureFault> {
            Err(PictureFault::Corrupt)
        }
        fn models(&self) -> Vec<ModelHash> {
            Vec::new()
        }
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn who_finds_no_place_to_wait_is_told_at_once_and_the_rest_are_served() {
        let pool = Arc::new(CpuPool::new(Arc::new(Blind)));
        let (release, held) = mpsc::channel::<()>();
        let held = Arc::new(Mutex::new(held));
        let runs: Vec<_> = (0..pool.most_waiting + pool.permits.available_permits())
            .map(|_| {
                let (pool, held) = (Arc::clone(&pool), Arc::clone(&held));
                // Works until the channel is closed.
                tokio::spawn(async move { pool.run(move |_| held.lock().unwrap().recv().is_err()).await })
            })
            .collect();
        while pool.waiting.load(Ordering::SeqCst) < pool.most_waiting || pool.permits.available_permits() > 0 {
            tokio::task::yield_now().await;
        }
        assert_eq!(pool.run(|_| ()).await, Err(PoolError::Busy));
        drop(release);
        for run in runs {
            assert_eq!(run.await.unwrap(), Ok(true));
        }
        assert_eq!(pool.run(|_| 7).await, Ok(7));
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn requests_go_before_pictures() {
        let pool = CpuPool::new(Arc::new(Blind));
        let priority = || rustix::process::getpriority_process(None).unwrap();
        assert!(pool.run(move |_| priority()).await.unwrap() > priority());
    }

    #[tokio::test]
    async fn a_panic_costs_no_place() {
        let pool = CpuPool::new(Arc::new(Blind));
        for _ in 0..pool.permits.available_permits() * 2 {
            assert_eq!(
                pool.run(|_| panic!("on purpose")).await.map(|(): ()| ()),
                Err(PoolError::Panicked)
            );
        }
        assert_eq!(pool.run(|_| 7).await, Ok(7));
    }
}
