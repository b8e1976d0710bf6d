//! Slow counts: counted once for concurrent callers, and cached for a while if counting took long.

use crate::runtime::to_completion::to_completion;
use domain::time::{Clock, Millis};
use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering::SeqCst},
    },
};
use store::StoreError;
use tokio::sync::Semaphore;

/// Maximum number of concurrent counts for all callers: the other readers of the database remain available to everybody else.
const AT_ONCE: usize = 2;
/// A slow result is cached for this many times the time it took: counting then takes a twentieth of a processor's time at most.
const TIMES_AS_LONG: i64 = 20;

/// Counted values, by key.
pub struct Counted<K, V> {
    entries: Mutex<BTreeMap<K, Arc<Entry<V>>>>,
    turns: Arc<Semaphore>,
    bounds: Bounds,
}

/// For how long values are kept.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// A count that takes less than this is repeated for the next caller.
    pub quick: Millis,
    /// No value is kept for longer.
    pub longest: Millis,
}

impl Bounds {
    fn keep_for(self, took: Millis) -> Millis {
        if took < self.quick {
            return Millis(0);
        }
        Millis(took.0 * TIMES_AS_LONG).min(self.longest)
    }
}

struct Entry<V> {
    /// How many have asked.
    asked: AtomicU64,
    /// Held while it is counted.
    last: tokio::sync::Mutex<Option<Answer<V>>>,
}

struct Answer<V> {
    counted: Result<V, StoreError>,
    /// How many had asked when counting began: to them it is as new as can be.
    asked: u64,
    /// Until when it answers everybody else, as time that passes evenly.
    until: Millis,
}

impl<K: Ord, V: Clone + Send + Sync + 'static> Counted<K, V> {
    /// Nothing is kept yet.
    #[must_use]
    pub fn new(bounds: Bounds) -> Self {
        Self {
            entries: Mutex::default(),
            turns: Arc::new(Semaphore::new(AT_ONCE)),
            bounds,
        }
    }

    /// The value of `key`: one that is kept, or that somebody begins to count after this call, or what `count` finds. Counting continues
    /// when the caller leaves, so that the next one finds what it found.
    ///
    /// # Errors
    /// Those of counting.
    pub async fn get(
        &self,
        clock: &Arc<dyn Clock>,
        key: K,
        count: impl Future<Output = Result<V, StoreError>> + Send + 'static,
    ) -> Result<V, StoreError> {
        let entry = self.entry(key, clock.elapsed());
        let number = entry.asked.fetch_add(1, SeqCst);
        let (clock, turns, bounds) = (Arc::clone(clock), Arc::clone(&self.turns), self.bounds);
        let answer = to_completion(async move {
            let mut last = entry.last.lock().await;
            if let Some(answer) = &*last
                && (number < answer.asked || clock.elapsed() < answer.until)
            {
                return answer.counted.clone();
            }
            let _turn = turns.acquire().await;
            let (asked, begun) = (entry.asked.load(SeqCst), clock.elapsed());
            let counted = count.await;
            let now = clock.elapsed();
            let kept = match counted {
                Ok(_) => bounds.keep_for(Millis(now.0 - begun.0)),
                Err(_) => Millis(0),
            };
            *last = Some(Answer {
                counted: counted.clone(),
                asked,
                until: Millis(now.0 + kept.0),
            });
            counted
        });
        answer.await
    }

    /// Where a value is kept. Those are forgotten that nobody waits for and whose time is over.
    fn entry(&self, key: K, elapsed: Millis) -> Arc<Entry<V>> {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        entries.retain(|_, entry| Arc::strong_count(entry) > 1 || entry.is_kept(elapsed));
        Arc::clone(entries.entry(key).or_insert_with(|| Arc::new(Entry::new())))
    }
}

impl<V> Entry<V> {
    fn new() -> Self {
        Self {
            asked: AtomicU64::new(0),
            last: tokio::sync::Mutex::new(None),
        }
    }

    fn is_kept(&self, elapsed: Millis) -> bool {
        let last = self.last.try_lock();
        last.is_ok_and(|last| last.as_ref().is_some_and(|answer| elapsed < answer.until))
    }
}
