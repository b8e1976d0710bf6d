//! The back-off for pictures that the server refused for now. Clients refused at the same moment must not return at the same
//! moment, so each wait is randomised (jitter). After some minutes the user is asked, since nobody watches a page that
//! retries forever.

/// A connection that moves no bytes of the pictures for this long is dead: a server that makes an upload wait must answer before that.
pub const DEAD_MS: u32 = 180_000;
/// The first wait is at most twice this; each further one doubles.
const FIRST_MS: u64 = 1_000;
/// Upper limit of a wait of our own.
const LONGEST_MS: u64 = 30_000;
/// Upper limit of a wait that the server asks for.
const LONGEST_ASKED_MS: u64 = 120_000;
/// How long it retries without asking the user.
const BY_ITSELF_MS: u64 = 5 * 60_000;

/// The attempts to send one form.
#[derive(Clone, Copy, Debug)]
pub struct Retry {
    began_ms: u64,
    failed: u32,
}

impl Retry {
    /// Starts at a time of any monotonic clock, in milliseconds.
    #[must_use]
    pub const fn begin(now_ms: u64) -> Self {
        Self {
            began_ms: now_ms,
            failed: 0,
        }
    }

    /// Milliseconds until the next attempt after a failed one. `asked` is the response's `Retry-After` in seconds, `chance` is
    /// from 0 to 1. `None`: the user decides when.
    #[must_use]
    pub fn wait(&mut self, now_ms: u64, asked: Option<u64>, chance: f64) -> Option<u64> {
        if now_ms.saturating_sub(self.began_ms) >= BY_ITSELF_MS {
            return None;
        }
        let own = (FIRST_MS << self.failed.min(10)).min(LONGEST_MS);
        self.failed += 1;
        let asked = asked.unwrap_or(0).saturating_mul(1000).min(LONGEST_ASKED_MS);
        // Never earlier than asked for, with a spread as long as the wait itself.
        let least = asked.max(own);
        let spread = (least as f64 * chance.clamp(0.0, 1.0)) as u64;
        Some(least + spread)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_to_half_a_minute_and_are_spread() {
        let waits = |chance: f64| {
            let mut retry = Retry::begin(0);
            std::array::from_fn::<_, 7, _>(|_| retry.wait(0, None, chance).unwrap())
        };
        assert_eq!(waits(0.0), [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
        assert_eq!(waits(1.0), [2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
    }

    #[test]
    fn what_the_server_asks_for_is_the_least() {
        let mut retry = Retry::begin(0);
        assert_eq!(retry.wait(0, Some(20), 0.0), Some(20_000));
        assert_eq!(retry.wait(0, Some(20), 0.5), Some(30_000));
        assert_eq!(
            retry.wait(0, Some(1), 0.0),
            Some(4_000),
            "the own back-off is longer by now"
        );
        assert_eq!(retry.wait(0, Some(u64::MAX), 0.0), Some(120_000));
    }

    #[test]
    fn after_some_minutes_the_user_is_asked() {
        let mut retry = Retry::begin(7_000);
        assert!(retry.wait(7_000 + 299_999, None, 0.0).is_some());
        assert_eq!(retry.wait(7_000 + 300_000, None, 0.0), None);
        assert!(
            Retry::begin(400_000).wait(400_000, None, 0.0).is_some(),
            "and then it starts again"
        );
    }
}
