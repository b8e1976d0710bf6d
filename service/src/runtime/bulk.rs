//! Work that writes unit after unit: the sweep, linking the audit log, bringing erasures forward. SQLite lets one process write at a time, and a
//! waiting process retries only every tenth of a second: between units that follow each other immediately, it would hardly ever get a turn.

use domain::time::{Clock, Millis};
use std::time::Duration;
use tokio::{sync::Mutex, time::sleep};

/// After units that took this long in all, there is a pause. Processes wait for several times as long.
const STRETCH: Millis = Millis::seconds(1);
/// How long it is: much longer than SQLite waits before it looks again, as a unit that runs at its beginning takes some of it.
const PAUSE: Duration = Duration::from_millis(200);

/// The pauses of such work in this process: all of it pauses at once.
#[derive(Debug, Default)]
pub(crate) struct Bulk {
    /// What the units have taken since the last pause, in milliseconds.
    taken: Mutex<i64>,
}

impl Bulk {
    /// Runs a unit, after a pause if the units before have taken long enough, by the clock that nobody sets. A unit that hangs keeps no others
    /// from running.
    pub(crate) async fn run<T>(&self, clock: &dyn Clock, unit: impl Future<Output = T>) -> T {
        self.pause_if_due().await;
        let began = clock.elapsed();
        let done = unit.await;
        *self.taken.lock().await += clock.elapsed().0 - began.0;
        done
    }

    /// Others that are about to begin wait as well.
    async fn pause_if_due(&self) {
        let mut taken = self.taken.lock().await;
        if *taken >= STRETCH.0 {
            sleep(PAUSE).await;
            *taken = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::time::{ManualClock, Timestamp};
    use futures::FutureExt as _;
    use std::future::pending;
    use tokio::time::Instant;

    fn clock() -> ManualClock {
        ManualClock::at(Timestamp::from_millis(1_785_663_000_000))
    }

    #[tokio::test]
    async fn after_a_second_of_units_there_is_a_pause_in_which_a_waiting_process_looks() {
        let (bulk, clock) = (Bulk::default(), clock());
        let unit = |takes: Millis| bulk.run(&clock, async move { takes });
        for _ in 0..2 {
            for takes in [400, 400, 400].map(Millis) {
                let done = bulk.run(&clock, async { clock.advance(takes) }).now_or_never();
                assert!(done.is_some(), "too early for a pause");
                // Nobody is kept from writing meanwhile.
                clock.advance(Millis::hours(1));
            }
            assert!(unit(Millis(1)).now_or_never().is_none(), "no pause");
            let begun = Instant::now();
            assert_eq!(unit(Millis(2)).await, Millis(2));
            assert!(begun.elapsed() >= PAUSE, "{:?}", begun.elapsed());
        }
    }

    #[tokio::test]
    async fn all_such_work_pauses_at_once() {
        let (bulk, clock) = (Bulk::default(), clock());
        bulk.run(&clock, async { clock.advance(STRETCH) }).await;
        let mut first = Box::pin(bulk.run(&clock, async { 1 }));
        assert!((&mut first).now_or_never().is_none(), "no pause");
        let second = bulk.run(&clock, async { 2 }).now_or_never();
        assert_eq!(second, None, "a unit in the pause");
        assert_eq!(first.await, 1);
        assert_eq!(bulk.run(&clock, async { 2 }).now_or_never(), Some(2));
    }

    #[tokio::test]
    async fn a_unit_that_hangs_keeps_no_others_from_running() {
        let (bulk, clock) = (Bulk::default(), clock());
        let mut hanging = Box::pin(bulk.run(&clock, pending::<()>()));
        assert!((&mut hanging).now_or_never().is_none());
        assert_eq!(bulk.run(&clock, async { 2 }).now_or_never(), Some(2));
    }
}
