//! A small, short-lived cache of decrypted data keys: another process may destroy a key at any time.

use super::{DataKeyId, SessionKey};
use std::{
    collections::{HashMap, VecDeque},
    time::{Duration, Instant},
};

/// Most keys in memory.
const CAPACITY: usize = 1024;
/// How long a key can still be used here that another process has destroyed.
const LIFETIME: Duration = Duration::from_secs(30);

#[derive(Default)]
pub(super) struct Opened {
    keys: HashMap<DataKeyId, (SessionKey, Instant)>,
    /// When each of them ends, in that order. Some are gone already.
    ends: VecDeque<(DataKeyId, Instant)>,
    /// Counts destructions, so that a key read from the table before one is not cached after it.
    destructions: u64,
}

impl Opened {
    pub(super) fn find(&mut self, id: &DataKeyId, now: Instant) -> Option<SessionKey> {
        match self.keys.get(id) {
            Some((key, until)) if now < *until => Some(key.clone()),
            Some(_) => {
                self.keys.remove(id);
                None
            }
            None => None,
        }
    }

    pub(super) const fn destructions(&self) -> u64 {
        self.destructions
    }

    /// Caches `key` unless a key was destroyed since `destructions` was read.
    pub(super) fn keep(&mut self, key: SessionKey, destructions: u64, now: Instant) {
        if destructions != self.destructions {
            return;
        }
        self.make_room(now);
        let (id, until) = (key.id().clone(), now + LIFETIME);
        self.ends.push_back((id.clone(), until));
        self.keys.insert(id, (key, until));
    }

    pub(super) fn forget_destroyed(&mut self, id: &DataKeyId) {
        self.destructions += 1;
        self.keys.remove(id);
    }

    /// Removes keys that have ended, and the oldest one if there are too many. Nothing is searched, since each reading of another session does this.
    fn make_room(&mut self, now: Instant) {
        while let Some((id, until)) = self.ends.front()
            && (*until <= now || self.ends.len() >= CAPACITY)
        {
            // It may have been kept again since.
            if self.keys.get(id).is_some_and(|(_, end)| end == until) {
                self.keys.remove(id);
            }
            self.ends.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vault::seal::random;
    use std::sync::Arc;
    use zeroize::Zeroizing;

    fn key() -> SessionKey {
        SessionKey {
            id: DataKeyId::generate([0; 8]).unwrap(),
            key: Arc::new(Zeroizing::new(random().unwrap())),
        }
    }

    #[test]
    fn a_key_is_forgotten_after_its_lifetime() {
        let (mut opened, key, start) = (Opened::default(), key(), Instant::now());
        opened.keep(key.clone(), 0, start);
        assert!(opened.find(key.id(), start + LIFETIME / 2).is_some());
        assert!(opened.find(key.id(), start + LIFETIME).is_none());
        assert!(opened.keys.is_empty());
    }

    #[test]
    fn a_key_read_before_a_destruction_is_not_kept_after_it() {
        let (mut opened, key, now) = (Opened::default(), key(), Instant::now());
        let seen = opened.destructions();
        opened.forget_destroyed(key.id());
        opened.keep(key.clone(), seen, now);
        assert!(opened.find(key.id(), now).is_none());
    }

    #[test]
    fn no_more_than_the_capacity_is_kept() {
        let (mut opened, now) = (Opened::default(), Instant::now());
        for _ in 0..CAPACITY + 10 {
            opened.keep(key(), 0, now);
        }
        assert_eq!(opened.keys.len(), CAPACITY);
    }

    #[test]
    fn the_oldest_make_room_and_one_that_is_kept_again_is_as_new_as_the_last() {
        let (mut opened, start) = (Opened::default(), Instant::now());
        let (first, second) = (key(), key());
        opened.keep(first.clone(), 0, start);
        opened.keep(second.clone(), 0, start);
        opened.keep(first.clone(), 0, start + LIFETIME / 4);
        for _ in 3..=CAPACITY {
            opened.keep(key(), 0, start + LIFETIME / 2);
        }
        let now = start + LIFETIME / 2;
        assert!(opened.find(first.id(), now).is_some() && opened.find(second.id(), now).is_some());
        opened.keep(key(), 0, now);
        assert!(opened.find(first.id(), now).is_some() && opened.find(second.id(), now).is_none());
        opened.keep(key(), 0, start + LIFETIME * 2);
        assert_eq!((opened.keys.len(), opened.ends.len()), (1, 1), "the others have ended");
    }
}
