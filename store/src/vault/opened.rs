//! A small, short-lived cache of decrypted data keys: another process may destroy a key at any time.

use super::{DataKeyId, SessionKey};
use std::{
    collections::HashMap,
    time::{Duration, Instant},
};

/// Most keys in memory.
const CAPACITY: usize = 1024;
/// How long a key can still be used here that another process has destroyed.
const LIFETIME: Duration = Duration::from_secs(30);

#[derive(Default)]
pub(super) struct Opened {
    keys: HashMap<DataKeyId, (SessionKey, Instant)>,
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
        if self.keys.len() >= CAPACITY {
            self.make_room(now);
        }
        self.keys.insert(key.id().clone(), (key, now + LIFETIME));
    }

    pub(super) fn forget_destroyed(&mut self, id: &DataKeyId) {
        self.destructions += 1;
        self.keys.remove(id);
    }

    fn make_room(&mut self, now: Instant) {
        self.keys.retain(|_, (_, until)| now < *until);
        if self.keys.len() >= CAPACITY {
            let oldest = self
                .keys
                .iter()
                .min_by_key(|(_, (_, until))| *until)
                .map(|(id, _)| id.clone());
            oldest.and_then(|id| self.keys.remove(&id));
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
}
