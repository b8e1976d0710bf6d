//! The retry schedule of deliveries: ten attempts over about 75 hours, then the event is abandoned.

use crate::runtime::random::Random;
use domain::time::{Millis, Timestamp};

/// The wait before each attempt, counted from the end of the previous one, so that a slow receiver gets its full pause.
pub const WAITS: [Millis; 10] = [
    Millis(0),
    Millis::seconds(5),
    Millis::minutes(5),
    Millis::minutes(30),
    Millis::hours(2),
    Millis::hours(5),
    Millis::hours(10),
    Millis::hours(14),
    Millis::hours(20),
    Millis::hours(24),
];

/// Jitter of an attempt's planned time, in thousandths of its wait.
const JITTER: i64 = 150;

/// Bounds of an actual wait, in thousandths of the scheduled one.
const BOUNDS: (i64, i64) = (800, 1200);

/// A failed attempt, as input for the schedule.
#[derive(Clone, Copy, Debug)]
pub struct Failed {
    /// When the schedule began.
    pub started_at: Timestamp,
    /// How many attempts were made since then, this one included.
    pub step: i64,
    /// When this attempt ended.
    pub ended_at: Timestamp,
    /// The receiver's `Retry-After`.
    pub retry_after: Option<Millis>,
}

/// The time of the next attempt; `None` after the last one.
///
/// Each attempt has a planned time, counted from the start of the schedule with a jitter of up to 15 % of its wait; the actual
/// wait is kept within 20 % of the scheduled one. Independent jitters would add up, and one event in seven would make its last
/// attempt before hour 71: this way the last one never comes before hour 71.
pub fn next_attempt_at(failed: Failed, random: &dyn Random) -> Option<Timestamp> {
    let step = usize::try_from(failed.step).ok()?;
    let wait = *WAITS.get(step)?;
    let planned: i64 = WAITS[..=step].iter().map(|wait| wait.0).sum();
    let jitter = share(wait, JITTER);
    let planned_at = failed
        .started_at
        .plus(Millis(planned + within(-jitter, jitter, random)));
    let (least, most) = (share(wait, BOUNDS.0), share(wait, BOUNDS.1));
    let jittered = (planned_at.as_millis() - failed.ended_at.as_millis()).clamp(least, most);
    let wait = match failed.retry_after {
        // Honoured within limits: never earlier than scheduled, and at most twice the wait.
        Some(wish) => wish.0.clamp(wait.0, wait.0 * 2),
        None => jittered,
    };
    Some(failed.ended_at.plus(Millis(wait)))
}

const fn share(wait: Millis, thousandths: i64) -> i64 {
    wait.0 / 1000 * thousandths
}

/// A number between two others, inclusive.
fn within(least: i64, most: i64, random: &dyn Random) -> i64 {
    let mut bytes = [0; 8];
    random.fill(&mut bytes);
    // The bias of the remainder is one part in 2^36 of a wait.
    let span = u64::try_from(most - least).unwrap_or(0) + 1;
    least + i64::try_from(u64::from_le_bytes(bytes) % span).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runtime::random::SeededRandom;

    fn run(seed: u64) -> Vec<Timestamp> {
        let random = SeededRandom::new(seed);
        let started_at = Timestamp::from_millis(1_000);
        let mut at = started_at;
        let mut times = vec![at];
        for step in 1.. {
            match next_attempt_at(
                Failed {
                    started_at,
                    step,
                    ended_at: at,
                    retry_after: None,
                },
                &random,
            ) {
                Some(next) => at = next,
                None => return times,
            }
            times.push(at);
        }
        times
    }

    #[test]
    fn ten_attempts_each_wait_within_a_fifth_of_the_schedule_and_the_last_after_hour_71() {
        for seed in 0..10_000 {
            let times = run(seed);
            assert_eq!(times.len(), WAITS.len());
            for (step, pair) in times.windows(2).enumerate() {
                let (wait, nominal) = (pair[1].as_millis() - pair[0].as_millis(), WAITS[step + 1].0);
                assert!(
                    (nominal * 8 / 10..=nominal * 12 / 10).contains(&wait),
                    "seed {seed}, step {step}: {wait}"
                );
            }
            let whole = times[9].as_millis() - times[0].as_millis();
            assert!(
                (Millis::hours(71).0..=Millis::hours(80).0).contains(&whole),
                "seed {seed}: {whole}"
            );
        }
    }

    #[test]
    fn two_events_do_not_come_back_at_the_same_time() {
        assert_ne!(run(1), run(2));
    }

    #[test]
    fn a_receivers_wish_is_honoured_between_once_and_twice_the_wait() {
        let random = SeededRandom::new(1);
        let at = Timestamp::from_millis(0);
        for (wish, expected) in [
            (Millis::seconds(1), Millis::minutes(5)),
            (Millis::minutes(7), Millis::minutes(7)),
            (Millis::days(365), Millis::minutes(10)),
        ] {
            let failed = Failed {
                started_at: at,
                step: 2,
                ended_at: at,
                retry_after: Some(wish),
            };
            assert_eq!(next_attempt_at(failed, &random), Some(at.plus(expected)));
        }
    }
}
