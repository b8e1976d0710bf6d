//! Turns: how many of one key may do something at a time. A caller that finds none free waits for others of the same key, and delays no other key.

use std::{
    collections::HashMap,
    hash::Hash,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Turns by key.
#[derive(Debug)]
pub(crate) struct Turns<K> {
    most: usize,
    by_key: Mutex<HashMap<K, Arc<Semaphore>>>,
}

/// What takes a node a while, of which each tenant has one at a time: with many at once, one tenant would keep all others waiting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Effort {
    /// To draw a logo: a core.
    Logo,
    /// To work out what a change of settings would do: hundreds of decisions, ended sessions or the audit log, and a connection that reads.
    Preview,
    /// To send many events again: the writer.
    Resend,
    /// To look at each row of a long list, because no index finds those that match: a connection that reads.
    Search,
}

/// A turn, until it is dropped.
#[derive(Debug)]
pub(crate) struct Turn {
    _permit: Option<OwnedSemaphorePermit>,
}

impl<K: Eq + Hash> Turns<K> {
    /// At most `most` at a time of each key.
    pub(crate) fn of_each(most: usize) -> Self {
        Self {
            most,
            by_key: Mutex::default(),
        }
    }

    /// Waits for a turn of `key`.
    pub(crate) async fn take(&self, key: K) -> Turn {
        let turns = self.of(key);
        Turn {
            // Nobody closes it.
            _permit: turns.acquire_owned().await.ok(),
        }
    }

    /// A turn of `key`, if one is free.
    pub(crate) fn try_take(&self, key: K) -> Option<Turn> {
        let permit = self.of(key).try_acquire_owned().ok()?;
        Some(Turn { _permit: Some(permit) })
    }

    fn of(&self, key: K) -> Arc<Semaphore> {
        let mut by_key = self.lock();
        // Those that nobody has or waits for: keeps the map as small as the number of keys that are busy.
        by_key.retain(|_, turns| Arc::strong_count(turns) > 1);
        let turns = by_key.entry(key);
        Arc::clone(turns.or_insert_with(|| Arc::new(Semaphore::new(self.most))))
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<K, Arc<Semaphore>>> {
        // Nothing under the lock can panic.
        self.by_key.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::FutureExt as _;

    #[tokio::test]
    async fn whoever_wants_many_turns_waits_for_their_own_and_keeps_nobody_else_waiting() {
        let turns = Turns::of_each(2);
        let (one, two) = (turns.take("a").await, turns.take("a").await);
        let mut next = std::pin::pin!(turns.take("a"));
        assert!((&mut next).now_or_never().is_none(), "both are taken");
        assert!(turns.take("b").now_or_never().is_some(), "another key");
        drop(one);
        assert!(next.now_or_never().is_some());
        drop(two);
    }

    #[test]
    fn whoever_does_not_wait_takes_a_turn_that_is_free_or_none() {
        let turns = Turns::of_each(1);
        let held = turns.try_take("a");
        assert!(held.is_some() && turns.try_take("a").is_none());
        assert!(turns.try_take("b").is_some(), "another key");
        drop(held);
        assert!(turns.try_take("a").is_some());
    }

    #[tokio::test]
    async fn whoever_no_longer_waits_takes_no_turn() {
        let turns = Turns::of_each(1);
        let held = turns.take("a").await;
        assert!(turns.take("a").now_or_never().is_none(), "given up at once");
        drop(held);
        assert!(turns.take("a").now_or_never().is_some());
    }

    #[tokio::test]
    async fn keys_without_turns_are_forgotten_and_those_that_are_waited_for_are_kept() {
        let turns = Turns::of_each(1);
        let held = turns.take("a").await;
        drop(turns.take("b").await);
        let mut waits = std::pin::pin!(turns.take("a"));
        assert!((&mut waits).now_or_never().is_none());
        drop(held);
        // Its turn has come, and it has not been polled since.
        let other = turns.take("c").await;
        assert_eq!(turns.lock().len(), 2, "of a and c");
        assert!(turns.take("a").now_or_never().is_none(), "the same turns as before");
        assert!(waits.now_or_never().is_some());
        drop(other);
    }
}
