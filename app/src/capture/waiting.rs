//! Requests that wait a while for something that is about to happen, so that their page shows it immediately, with and without scripts.

use std::{
    sync::{Arc, OnceLock},
    time::Duration,
};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;

/// A request's leave to wait.
#[derive(Clone)]
pub struct Waiting {
    /// How many requests of the node may wait at a time. The others get the current state at once, and ask again.
    places: Arc<Semaphore>,
    /// The request's own place, which it keeps until it is answered.
    place: Arc<OnceLock<OwnedSemaphorePermit>>,
    /// Gives the request's share of the node's capacity back: its place limits it from then on.
    make_way: Arc<dyn Fn() + Send + Sync>,
    /// Cancelled when the server is shutting down: no request is kept waiting then.
    stopping: CancellationToken,
}

impl Waiting {
    /// One that takes one of `places`, and calls `make_way` then.
    pub fn new(
        places: Arc<Semaphore>,
        stopping: CancellationToken,
        make_way: impl Fn() + Send + Sync + 'static,
    ) -> Self {
        Self {
            places,
            place: Arc::default(),
            make_way: Arc::new(make_way),
            stopping,
        }
    }

    /// What `look` finds. Unless that is `enough`, `look` is asked to wait for it, `at_most` that long, if there is a place.
    pub(super) async fn until<T, E, F>(
        &self,
        at_most: Duration,
        enough: impl Fn(&T) -> bool,
        look: impl Fn(Duration) -> F,
    ) -> Result<T, E>
    where
        F: Future<Output = Result<T, E>>,
    {
        let found = look(Duration::ZERO).await?;
        if enough(&found) || !self.take_place() {
            return Ok(found);
        }
        tokio::select! {
            found = look(at_most) => found,
            () = self.stopping.cancelled() => Ok(found),
        }
    }

    /// Whether there is a place, which then takes that of the request's share of the capacity.
    fn take_place(&self) -> bool {
        if self.place.get().is_some() {
            return true;
        }
        let Ok(place) = Arc::clone(&self.places).try_acquire_owned() else {
            return false;
        };
        (self.make_way)();
        self.place.set(place).is_ok()
    }
}
