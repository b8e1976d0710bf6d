//! A session's turns in the threads for pictures: whoever asks for many views of their pictures at once waits for their own, and not
//! everybody else for them.

use domain::ids::SessionId;
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Turns of one session at a time: enough for the pictures of a page.
const AT_ONCE: usize = 4;

/// The turns of all sessions. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub(crate) struct Turns(Arc<Mutex<HashMap<SessionId, Shared>>>);

/// The turns of a session, while somebody has or awaits one.
#[derive(Debug)]
struct Shared {
    turns: Arc<Semaphore>,
    callers: usize,
}

/// A turn, until it is dropped.
#[derive(Debug)]
pub(crate) struct Turn {
    // Given back before the caller is no longer counted.
    _permit: Option<OwnedSemaphorePermit>,
    _caller: Caller,
}

/// Counts a caller while it lives.
#[derive(Debug)]
struct Caller {
    all: Turns,
    session: SessionId,
}

impl Drop for Caller {
    fn drop(&mut self) {
        let mut all = self.all.lock();
        if let Some(shared) = all.get_mut(&self.session) {
            shared.callers -= 1;
            if shared.callers == 0 {
                all.remove(&self.session);
            }
        }
    }
}

impl Turns {
    /// Waits for a turn of `session`.
    pub(crate) async fn take(&self, session: &SessionId) -> Turn {
        let (caller, turns) = self.enter(session);
        Turn {
            // Nobody closes it.
            _permit: turns.acquire_owned().await.ok(),
            _caller: caller,
        }
    }

    fn enter(&self, session: &SessionId) -> (Caller, Arc<Semaphore>) {
        let mut all = self.lock();
        let shared = all.entry(session.clone()).or_insert_with(|| Shared {
            turns: Arc::new(Semaphore::new(AT_ONCE)),
            callers: 0,
        });
        shared.callers += 1;
        let turns = Arc::clone(&shared.turns);
        drop(all);
        let caller = Caller {
            all: self.clone(),
            session: session.clone(),
        };
        (caller, turns)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<SessionId, Shared>> {
        // Nothing under the lock can panic.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::FutureExt as _;

    fn id(number: u8) -> SessionId {
        SessionId::from_random([number; 16])
    }

    #[tokio::test]
    async fn a_session_that_asks_for_many_views_at_once_waits_for_its_own_and_keeps_nobody_else_waiting() {
        let (turns, first, other) = (Turns::default(), id(1), id(2));
        let mut own: Vec<_> = (0..AT_ONCE)
            .map(|_| turns.take(&first).now_or_never().unwrap())
            .collect();
        let mut next = std::pin::pin!(turns.take(&first));
        assert!((&mut next).now_or_never().is_none());
        assert!(turns.take(&other).now_or_never().is_some(), "another session");
        own.pop();
        let last = next.now_or_never().unwrap();
        drop((own, last));
        assert!(turns.lock().is_empty(), "nothing is kept of sessions without callers");
    }

    #[tokio::test]
    async fn whoever_no_longer_waits_takes_no_turn() {
        let (turns, first) = (Turns::default(), id(1));
        let own: Vec<_> = (0..AT_ONCE)
            .map(|_| turns.take(&first).now_or_never().unwrap())
            .collect();
        assert!(turns.take(&first).now_or_never().is_none(), "given up at once");
        drop(own);
        assert!(turns.lock().is_empty());
        assert!(turns.take(&first).now_or_never().is_some());
    }
}
