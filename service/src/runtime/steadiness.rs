//! Whether the wall clock can be trusted. A clock that was set wrong would expire open sessions and erase people too early, for good. So
//! nothing that destroys is done by a clock that has jumped, until it has been steady for a while.

use domain::time::{Clock, Millis, Timestamp};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The wall clock has jumped if it moved this much more, or less, than the monotonic one since the last jump. Synchronised clocks
/// differ by milliseconds.
const JUMP: Millis = Millis::minutes(5);
/// How long a clock that has jumped must be steady: long enough for a wrong time to be noticed and corrected.
pub(crate) const SETTLING: Millis = Millis::minutes(10);

/// The time by the clock, and whether what happens later may be planned by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Moment {
    /// The current time.
    pub(crate) now: Timestamp,
    /// Whether the clock can be trusted.
    pub(crate) is_steady: bool,
}

impl Moment {
    /// A time that has come by any clock, right or wrong.
    pub(crate) const LONG_AGO: Timestamp = Timestamp::from_millis(0);

    /// When to do what is to be done at once. A clock that is ahead would put it off until the right one comes there.
    pub(crate) const fn at_once(self) -> Timestamp {
        self.for_certain()
    }

    /// The latest time that has come for certain. A deadline that lies between it and now may be open yet.
    pub(crate) const fn for_certain(self) -> Timestamp {
        if self.is_steady { self.now } else { Self::LONG_AGO }
    }
}

/// Compares the wall clock with the monotonic one, from its creation on.
#[derive(Debug)]
pub(crate) struct Steadiness(Mutex<State>);

#[derive(Debug)]
struct State {
    /// Wall clock minus elapsed time, at the start or after the last jump. It does not follow small steps, so that many of them are
    /// noticed as well.
    offset: i64,
    /// The elapsed time of the last jump, until the clock has settled.
    jumped_at: Option<Millis>,
    /// Whether the clock has settled after a jump, and what the jump left behind is still to be mended.
    has_settled: bool,
}

impl Steadiness {
    pub(crate) fn new(clock: &dyn Clock) -> Self {
        Self(Mutex::new(State {
            offset: clock.now().as_millis() - clock.elapsed().0,
            jumped_at: None,
            has_settled: false,
        }))
    }

    /// The current time, unless the clock has jumped and not been steady since for long enough.
    pub(crate) fn steady_now(&self, clock: &dyn Clock) -> Option<Timestamp> {
        let mut state = self.state();
        let (now, elapsed) = (clock.now(), clock.elapsed());
        let moved = (now.as_millis() - elapsed.0) - state.offset;
        if moved.abs() > JUMP.0 {
            tracing::error!(
                seconds = moved / 1000,
                "the clock has jumped: nothing is decided automatically, expires, is erased or swept until it has been steady for ten minutes"
            );
            state.offset += moved;
            state.jumped_at = Some(elapsed);
        }
        match state.jumped_at {
            Some(at) if elapsed.0 - at.0 < SETTLING.0 => return None,
            Some(_) => {
                tracing::info!("the clock has been steady for ten minutes");
                state.jumped_at = None;
                state.has_settled = true;
            }
            None => {}
        }
        Some(now)
    }

    /// Whether the clock has settled after a jump, for the first caller who asks.
    pub(crate) fn take_settled(&self) -> bool {
        std::mem::take(&mut self.state().has_settled)
    }

    /// What the jump left behind could not be mended: the next caller tries again.
    pub(crate) fn give_back_settled(&self) {
        self.state().has_settled = true;
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing under the lock can panic.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::time::ManualClock;

    #[test]
    fn a_jump_counts_until_the_clock_was_steady_for_ten_minutes() {
        for by in [Millis::days(365), Millis(-Millis::days(365).0), Millis(JUMP.0 + 1)] {
            let clock = ManualClock::at(Timestamp::from_millis(1_785_663_000_000));
            let steadiness = Steadiness::new(&clock);
            clock.advance(Millis::days(400));
            assert_eq!(steadiness.steady_now(&clock), Some(clock.now()), "time that passes");
            clock.jump(by);
            assert_eq!(steadiness.steady_now(&clock), None, "{by:?}");
            clock.advance(Millis(SETTLING.0 - 1));
            assert_eq!(steadiness.steady_now(&clock), None, "{by:?}");
            // Back again, which is another jump.
            clock.jump(Millis(-by.0));
            assert_eq!(steadiness.steady_now(&clock), None, "{by:?}");
            clock.advance(Millis(SETTLING.0 - 1));
            assert!(
                steadiness.steady_now(&clock).is_none() && !steadiness.take_settled(),
                "{by:?}"
            );
            clock.advance(Millis(1));
            assert_eq!(steadiness.steady_now(&clock), Some(clock.now()), "{by:?}");
            assert!(steadiness.take_settled() && !steadiness.take_settled(), "{by:?}");
        }
    }

    #[test]
    fn a_clock_that_is_set_by_less_is_steady_but_small_steps_add_up() {
        let clock = ManualClock::at(Timestamp::from_millis(1_785_663_000_000));
        let steadiness = Steadiness::new(&clock);
        clock.jump(Millis::minutes(4));
        assert!(steadiness.steady_now(&clock).is_some());
        clock.jump(Millis::minutes(2));
        assert!(steadiness.steady_now(&clock).is_none());
    }
}
