//! The machine's clock: the only place that reads it.

use domain::time::{Clock, Millis, Timestamp};
use std::{
    sync::LazyLock,
    time::{Instant, SystemTime, UNIX_EPOCH},
};

/// The moment from which [`SystemClock`] counts elapsed time.
static START: LazyLock<Instant> = LazyLock::new(Instant::now);

/// The machine's clocks: the wall clock, and the monotonic one.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this is the clock that everything else asks")]
    fn now(&self) -> Timestamp {
        // A clock set before 1970 reads as 1970: nothing better is possible here.
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Timestamp::from_millis(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
    }

    fn elapsed(&self) -> Millis {
        Millis(i64::try_from(START.elapsed().as_millis()).unwrap_or(i64::MAX))
    }
}
