//! Whether the wall clock can be trusted. A clock that was set wrong would expire open sessions and erase people too early, for good. So
//! after a clock has jumped, nothing destructive is done until it has been steady for a while.

use domain::time::{Clock, Millis, Timestamp};
use std::{
    ops::RangeInclusive,
    sync::{Mutex, MutexGuard, PoisonError},
};

/// The wall clock has jumped if it moved this much more, or less, than the monotonic one since the last jump. Synchronised clocks
/// differ by milliseconds.
const JUMP: Millis = Millis::minutes(5);
/// How long a clock that has jumped must be steady: long enough for a wrong time to be noticed and corrected.
pub(crate) const SETTLING: Millis = Millis::minutes(10);

/// The time by the clock, and whether what happens later may be planned by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ClockReading {
    /// The current time.
    pub(crate) now: Timestamp,
    /// Whether the clock can be trusted.
    pub(crate) is_steady: bool,
}

impl ClockReading {
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
pub(crate) struct ClockTrust(Mutex<State>);

#[derive(Debug)]
struct State {
    /// Wall clock minus elapsed time, at the start or after the last jump. It does not follow small steps, so that many of them are
    /// noticed as well.
    offset: i64,
    /// The elapsed time at which the last jump was noticed, and what the wall clock showed then, until the clock has settled.
    jumped_at: Option<(Millis, Timestamp)>,
    /// Whether the clock has settled after a jump, and what the jump left behind is still to be mended.
    has_settled: bool,
    /// What the wall clock showed from the last jump on until it had settled; `None` before it has.
    proved_right: Option<RangeInclusive<Timestamp>>,
}

impl ClockTrust {
    pub(crate) fn new(clock: &dyn Clock) -> Self {
        Self(Mutex::new(State {
            offset: clock.now().as_millis() - clock.elapsed().0,
            jumped_at: None,
            has_settled: false,
            proved_right: None,
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
            state.jumped_at = Some((elapsed, now));
            state.proved_right = None;
        }
        match state.jumped_at {
            Some((at, _)) if elapsed.0 - at.0 < SETTLING.0 => return None,
            Some((_, first)) => {
                tracing::info!("the clock has been steady for ten minutes");
                state.jumped_at = None;
                // As it was shown then: a clock that is slewed since shows another time when it is reckoned back.
                state.proved_right = Some(first..=now);
                state.has_settled = true;
            }
            None => {}
        }
        Some(now)
    }

    /// The times at which the clock was in doubt and, as is known since it has settled, right: it had been set right, or the machine had been paused.
    /// A time among them that a wrong clock had noted before is ahead by less than the time since then. None if there was no jump, or the last one is
    /// too recent.
    pub(crate) fn proved_right(&self) -> RangeInclusive<Timestamp> {
        let none = Timestamp::from_millis(i64::MAX)..=Timestamp::from_millis(i64::MIN);
        self.state().proved_right.clone().unwrap_or(none)
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
            let clock_trust = ClockTrust::new(&clock);
            clock.advance(Millis::days(400));
            assert_eq!(clock_trust.steady_now(&clock), Some(clock.now()), "time that passes");
            clock.jump(by);
            assert_eq!(clock_trust.steady_now(&clock), None, "{by:?}");
            clock.advance(Millis(SETTLING.0 - 1));
            assert_eq!(clock_trust.steady_now(&clock), None, "{by:?}");
            // Back again, which is another jump.
            clock.jump(Millis(-by.0));
            assert_eq!(clock_trust.steady_now(&clock), None, "{by:?}");
            clock.advance(Millis(SETTLING.0 - 1));
            assert!(
                clock_trust.steady_now(&clock).is_none() && !clock_trust.take_settled(),
                "{by:?}"
            );
            clock.advance(Millis(1));
            assert_eq!(clock_trust.steady_now(&clock), Some(clock.now()), "{by:?}");
            assert!(clock_trust.take_settled() && !clock_trust.take_settled(), "{by:?}");
        }
    }

    #[test]
    fn a_time_that_was_in_doubt_was_right_if_the_clock_has_settled_without_another_jump() {
        let clock = ManualClock::at(Timestamp::from_millis(1_785_663_000_000));
        let clock_trust = ClockTrust::new(&clock);
        let before = clock.now();
        clock.jump(Millis::hours(1));
        assert_eq!(clock_trust.steady_now(&clock), None);
        let (jumped, noted) = (clock.now(), clock.now().plus(Millis::minutes(3)));
        // It is slewed, as after a pause.
        clock.jump(Millis(300));
        clock.advance(Millis::minutes(9));
        assert!(clock_trust.steady_now(&clock).is_none() && !clock_trust.proved_right().contains(&noted));
        clock.advance(Millis::minutes(1));
        assert!(clock_trust.steady_now(&clock).is_some());
        for (time, right) in [
            (before, false),
            (jumped, true),
            (noted, true),
            (clock.now(), true),
            (clock.now().plus(Millis(1)), false),
        ] {
            assert_eq!(clock_trust.proved_right().contains(&time), right, "{time}");
        }
        clock.jump(Millis::hours(-1));
        assert!(clock_trust.steady_now(&clock).is_none() && !clock_trust.proved_right().contains(&noted));
    }

    #[test]
    fn a_clock_that_is_set_by_less_is_steady_but_small_steps_add_up() {
        let clock = ManualClock::at(Timestamp::from_millis(1_785_663_000_000));
        let clock_trust = ClockTrust::new(&clock);
        clock.jump(Millis::minutes(4));
        assert!(clock_trust.steady_now(&clock).is_some());
        clock.jump(Millis::minutes(2));
        assert!(clock_trust.steady_now(&clock).is_none());
    }
}
