//! The machine's clock: the one place that asks for the time.

use domain::time::{Clock, Timestamp};
use std::time::{SystemTime, UNIX_EPOCH};

/// Wall clock of the machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this is the clock that everything else asks")]
    fn now(&self) -> Timestamp {
        // A clock set before 1970 reads as 1970: nothing here can do better.
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Timestamp::from_millis(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
    }
}
