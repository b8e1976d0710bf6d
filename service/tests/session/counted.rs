//! What takes long to count is counted once for many.

use domain::time::{Clock, ManualClock, Millis, Timestamp};
use futures::future::join_all;
use service::runtime::counted::{Bounds, Counted};
use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering::SeqCst},
};
use store::StoreError;

struct World {
    clock: Arc<ManualClock>,
    counted: Counted<u8, u64>,
    times: Arc<AtomicU64>,
}

impl World {
    fn new() -> Self {
        Self {
            clock: Arc::new(ManualClock::at(Timestamp::from_millis(0))),
            counted: Counted::new(Bounds {
                quick: Millis(100),
                longest: Millis(10_000),
            }),
            times: Arc::default(),
        }
    }

    /// Counting takes so long, and finds how often something was counted.
    async fn ask(&self, key: u8, takes: Millis) -> u64 {
        let (clock, times) = (Arc::clone(&self.clock), Arc::clone(&self.times));
        let count = async move {
            tokio::task::yield_now().await;
            clock.advance(takes);
            Ok(times.fetch_add(1, SeqCst) + 1)
        };
        let clock: Arc<dyn Clock> = Arc::<ManualClock>::clone(&self.clock);
        self.counted.get(&clock, key, count).await.unwrap()
    }
}

#[tokio::test]
async fn sixteen_who_ask_at_once_are_answered_by_one_count_and_the_next_one_by_another() {
    let world = World::new();
    let found = join_all((0..16).map(|_| world.ask(1, Millis(0)))).await;
    assert_eq!(found, [1; 16]);
    assert_eq!(world.ask(1, Millis(0)).await, 2, "what is counted quickly is not kept");
    assert_eq!(world.ask(2, Millis(0)).await, 3, "of something else");
}

#[tokio::test]
async fn what_took_long_is_kept_for_a_while() {
    let world = World::new();
    assert_eq!(world.ask(1, Millis(100)).await, 1);
    world.clock.advance(Millis(1_999));
    assert_eq!(world.ask(1, Millis(100)).await, 1);
    world.clock.advance(Millis(1));
    assert_eq!(world.ask(1, Millis(100)).await, 2, "after twenty times as long");
    world.clock.advance(Millis(2_000));
    assert_eq!(world.ask(2, Millis(700)).await, 3);
    world.clock.advance(Millis(9_999));
    assert_eq!(world.ask(2, Millis(0)).await, 3);
    world.clock.advance(Millis(1));
    assert_eq!(world.ask(2, Millis(99)).await, 4, "no longer than that");
    assert_eq!(world.ask(2, Millis(99)).await, 5, "what is counted quickly is not kept");
}

#[tokio::test]
async fn counting_goes_on_when_the_caller_leaves() {
    let world = World::new();
    let mut left = Box::pin(world.ask(1, Millis(100)));
    assert!(futures::poll!(&mut left).is_pending());
    drop(left);
    assert_eq!(world.ask(1, Millis(100)).await, 1);
    assert_eq!(world.times.load(SeqCst), 1);
}

#[tokio::test]
async fn counting_that_panics_is_an_error_of_ours_and_is_not_kept() {
    let world = World::new();
    let clock: Arc<dyn Clock> = Arc::<ManualClock>::clone(&world.clock);
    let fails = || -> Result<u64, StoreError> { panic!("a count that cannot be") };
    let failed = world.counted.get(&clock, 1, async move { fails() }).await;
    assert!(matches!(failed, Err(StoreError::Panicked)), "{failed:?}");
    assert_eq!(world.ask(1, Millis(0)).await, 1, "the next one counts");
}
