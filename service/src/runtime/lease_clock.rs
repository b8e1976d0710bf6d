//! The clock by which the leases of jobs end. Nodes that share a PostgreSQL go by its clock, and not by their own ones: a node whose clock is ahead
//! would take jobs from the others while they run, and send webhooks twice.

use domain::time::{Clock, Millis, Timestamp};
use std::sync::{Mutex, PoisonError};
use store::{Db, StoreError, jobs};

/// For how long the time is counted on from what the database's clock showed. The clocks of two machines drift apart by a millisecond in it.
const COUNTED_ON: Millis = Millis::seconds(10);
/// The database's clock is read at once if the wall clock moved so much more, or less, than the monotonic one: that stands still while a machine is
/// paused.
const MOVED: Millis = Millis::seconds(1);

/// Tells the time by the database's clock, without asking the database each time.
#[derive(Debug, Default)]
pub(crate) struct LeaseClock(Mutex<Source>);

#[derive(Clone, Copy, Debug, Default)]
enum Source {
    /// Nobody has read the database's clock yet.
    #[default]
    Unknown,
    /// The database has no clock of its own.
    Own,
    /// It was read.
    Database(Reading),
}

#[derive(Clone, Copy, Debug)]
struct Reading {
    /// What the database's clock showed.
    shown: Timestamp,
    /// What the node's wall clock showed then.
    now: Timestamp,
    /// The node's elapsed time then.
    elapsed: Millis,
}

impl Source {
    /// Whether the database's clock is to be read.
    const fn is_due(self, now: Timestamp, elapsed: Millis) -> bool {
        match self {
            Self::Unknown => true,
            Self::Own => false,
            Self::Database(last) => {
                let passed = elapsed.0 - last.elapsed.0;
                passed >= COUNTED_ON.0 || (now.millis_since(last.now) - passed).abs() >= MOVED.0
            }
        }
    }
}

impl LeaseClock {
    /// Reads the database's clock, unless it has none or was read a moment ago. Call it before jobs are claimed.
    ///
    /// # Errors
    /// If the database does not respond.
    pub(crate) async fn follow(&self, db: &Db, clock: &dyn Clock) -> Result<(), StoreError> {
        if !self.source().is_due(clock.now(), clock.elapsed()) {
            return Ok(());
        }
        let shown = db.ask(async |tx| jobs::read_clock(tx).await).await?;
        // The answer took a while to arrive, and this clock is late by that time. It therefore ends no lease too early.
        let source = shown.map_or(Source::Own, |shown| {
            Source::Database(Reading {
                shown,
                now: clock.now(),
                elapsed: clock.elapsed(),
            })
        });
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = source;
        Ok(())
    }

    /// The time. By `clock`, as long as nobody [follows](Self::follow) the database's.
    pub(crate) fn now(&self, clock: &dyn Clock) -> Timestamp {
        match self.source() {
            Source::Unknown | Source::Own => clock.now(),
            Source::Database(last) => last.shown.plus(Millis(clock.elapsed().0 - last.elapsed.0)),
        }
    }

    fn source(&self) -> Source {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::time::ManualClock;

    const START: Timestamp = Timestamp::from_millis(1_785_663_000_000);

    /// One that was read when the database's clock was an hour behind the node's.
    fn read(clock: &ManualClock) -> LeaseClock {
        LeaseClock(Mutex::new(Source::Database(Reading {
            shown: START.minus(Millis::hours(1)),
            now: clock.now(),
            elapsed: clock.elapsed(),
        })))
    }

    #[test]
    fn the_time_is_the_databases_however_the_nodes_clock_is_set() {
        let clock = ManualClock::at(START);
        let leases = read(&clock);
        clock.advance(Millis::seconds(3));
        clock.jump(Millis::days(1));
        assert_eq!(
            leases.now(&clock),
            START.minus(Millis::hours(1)).plus(Millis::seconds(3))
        );
        assert_eq!(LeaseClock::default().now(&clock), clock.now());
    }

    #[test]
    fn the_databases_clock_is_read_every_ten_seconds_and_after_a_pause() {
        let clock = ManualClock::at(START);
        let leases = read(&clock);
        let is_due = || leases.source().is_due(clock.now(), clock.elapsed());
        clock.advance(Millis(COUNTED_ON.0 - 1));
        assert!(!is_due());
        clock.advance(Millis(1));
        assert!(is_due());
        for moved in [MOVED, Millis(-MOVED.0)] {
            let clock = ManualClock::at(START);
            let leases = read(&clock);
            clock.advance(Millis(1));
            clock.jump(moved);
            assert!(leases.source().is_due(clock.now(), clock.elapsed()), "{moved:?}");
        }
        assert!(!Source::Own.is_due(START, COUNTED_ON) && Source::Unknown.is_due(START, Millis(0)));
    }
}
