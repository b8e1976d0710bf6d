//! Turns: how many of the same key may do something at a time. Whoever finds none free waits.

use std::{
    collections::HashMap,
    io,
    sync::{Arc, Mutex, PoisonError},
};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Turns by key.
#[derive(Debug)]
pub(super) struct Turns {
    most: usize,
    by_key: Mutex<HashMap<String, Arc<Semaphore>>>,
}

impl Turns {
    /// At most `most` at a time of each key.
    pub(super) fn of_each(most: usize) -> Self {
        Self {
            most,
            by_key: Mutex::default(),
        }
    }

    /// A turn of `key`, which ends when it is dropped.
    ///
    /// # Errors
    /// Never in practice: turns are not closed.
    pub(super) async fn take(&self, key: &str) -> io::Result<OwnedSemaphorePermit> {
        let turns = self.of(key);
        turns.acquire_owned().await.map_err(io::Error::other)
    }

    fn of(&self, key: &str) -> Arc<Semaphore> {
        let mut by_key = self.by_key.lock().unwrap_or_else(PoisonError::into_inner);
        // Those that nobody has or waits for: keeps the map as small as the number of keys that are busy.
        by_key.retain(|_, turns| Arc::strong_count(turns) > 1);
        let turns = by_key.entry(key.to_owned());
        Arc::clone(turns.or_insert_with(|| Arc::new(Semaphore::new(self.most))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::FutureExt as _;

    #[tokio::test]
    async fn each_key_has_its_own_turns_and_idle_keys_are_forgotten() {
        let turns = Turns::of_each(2);
        let held = (turns.take("a").await.unwrap(), turns.take("a").await.unwrap());
        assert!(turns.take("a").now_or_never().is_none(), "both are taken");
        let other = turns.take("b").await.unwrap();
        drop(held);
        let again = turns.take("a").await.unwrap();
        drop((other, again));
        let last = turns.take("c").await.unwrap();
        assert_eq!(turns.by_key.lock().unwrap().len(), 1, "of whoever has one");
        drop(last);
    }
}
