//! One upload at a time for each capture session: a newer one cancels one that is still arriving, which is how a phone that
//! changed its network reconnects; while an upload is being stored, a newer one has to retry later.

use domain::ids::SessionId;
use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};
use tokio::sync::Notify;

/// The sessions with an upload in this process.
static TURNS: Mutex<BTreeMap<SessionId, Arc<State>>> = Mutex::new(BTreeMap::new());

#[derive(Debug, Default)]
struct State {
    /// Notified when a newer upload takes over.
    taken_over: Notify,
    /// The whole body has arrived.
    arrived: AtomicBool,
}

/// An upload's turn, until it is dropped.
#[derive(Debug)]
pub(super) struct Turn {
    session: SessionId,
    state: Arc<State>,
}

impl Turn {
    /// Takes the turn of `session`; `None` while an upload of it is being stored.
    pub(super) fn take(session: &SessionId) -> Option<Self> {
        let mut turns = lock();
        if let Some(older) = turns.get(session) {
            if older.arrived.load(Ordering::Relaxed) {
                return None;
            }
            older.taken_over.notify_one();
        }
        let state = Arc::new(State::default());
        turns.insert(session.clone(), Arc::clone(&state));
        drop(turns);
        let session = session.clone();
        Some(Self { session, state })
    }

    /// Returns when a newer upload has taken over.
    pub(super) async fn taken_over(&self) {
        self.state.taken_over.notified().await;
    }

    /// The whole body has arrived. Returns whether this upload still has the turn, which from then on cannot be taken over.
    pub(super) fn arrive(&self) -> bool {
        let turns = lock();
        let mine = turns
            .get(&self.session)
            .is_some_and(|state| Arc::ptr_eq(state, &self.state));
        self.state.arrived.store(mine, Ordering::Relaxed);
        mine
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let mut turns = lock();
        if turns
            .get(&self.session)
            .is_some_and(|state| Arc::ptr_eq(state, &self.state))
        {
            turns.remove(&self.session);
        }
    }
}

fn lock() -> MutexGuard<'static, BTreeMap<SessionId, Arc<State>>> {
    // Nothing under the lock can panic.
    TURNS.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::FutureExt;

    fn id(byte: u8) -> SessionId {
        SessionId::from_random([byte; 16])
    }

    #[test]
    fn a_newer_upload_takes_over_from_one_on_its_way_and_waits_for_one_being_stored() {
        let older = Turn::take(&id(21)).unwrap();
        let other = Turn::take(&id(22)).unwrap();
        let newer = Turn::take(&id(21)).unwrap();
        assert!(older.taken_over().now_or_never().is_some() && !older.arrive());
        assert!(other.taken_over().now_or_never().is_none() && other.arrive());
        drop(older);
        assert!(newer.arrive(), "an older one that ends does not affect it");
        assert!(Turn::take(&id(21)).is_none());
        drop((newer, other));
        assert!(Turn::take(&id(21)).is_some_and(|turn| turn.arrive()));
        let ended = [id(21), id(22)];
        assert!(!lock().keys().any(|id| ended.contains(id)), "an ended turn is removed");
    }
}
