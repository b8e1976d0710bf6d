//! Five days of a receiver that comes and goes, in simulated time, for a thousand seeds: every event is delivered or abandoned exactly
//! by the schedule. Planted faults that make this fail: independent jitter on each wait; a schedule of nine attempts.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use domain::time::{Millis, Timestamp};
use service::{
    delivery_schedule::{Failed, WAITS, next_attempt_at},
    random::{Random, SeededRandom},
};

const DAYS: i64 = 5;

/// When the receiver is away: from and until, in order.
fn outages(random: &dyn Random) -> Vec<(i64, i64)> {
    let mut at = 0;
    let mut away = Vec::new();
    while at < Millis::days(DAYS).0 {
        let from = at + below(random, Millis::hours(20).0);
        let until = from + below(random, Millis::hours(40).0);
        away.push((from, until));
        at = until;
    }
    away
}

fn below(random: &dyn Random, most: i64) -> i64 {
    let mut bytes = [0; 8];
    random.fill(&mut bytes);
    i64::try_from(u64::from_le_bytes(bytes) >> 1).unwrap() % most
}

/// The times of all attempts of an event of time `start`, to the first that meets the receiver.
fn attempts(start: i64, away: &[(i64, i64)], random: &dyn Random) -> (Vec<i64>, bool) {
    let mut times = vec![start];
    loop {
        let now = *times.last().unwrap();
        if !away.iter().any(|&(from, until)| (from..until).contains(&now)) {
            return (times, true);
        }
        let failed = Failed {
            started_at: Timestamp::from_millis(start),
            step: i64::try_from(times.len()).unwrap(),
            at: Timestamp::from_millis(now),
            retry_after: None,
        };
        match next_attempt_at(failed, random) {
            Some(next) => times.push(next.as_millis()),
            None => return (times, false),
        }
    }
}

#[test]
fn every_event_is_delivered_or_abandoned_by_the_schedule_and_no_outage_of_71_hours_loses_one() {
    let (mut delivered, mut abandoned) = (0, 0);
    for seed in 0..1_000 {
        let random = SeededRandom::new(seed);
        let away = outages(&random);
        for hour in 0..DAYS * 24 {
            let start = Millis::hours(hour).0 + below(&random, Millis::hours(1).0);
            let (times, arrived) = attempts(start, &away, &random);
            assert!(times.len() <= WAITS.len(), "seed {seed}");
            for (pair, nominal) in times.windows(2).zip(&WAITS[1..]) {
                let wait = pair[1] - pair[0];
                assert!(
                    (nominal.0 * 8 / 10..=nominal.0 * 12 / 10).contains(&wait),
                    "seed {seed}: {wait}"
                );
            }
            if arrived {
                delivered += 1;
            } else {
                abandoned += 1;
                assert_eq!(times.len(), WAITS.len(), "seed {seed}: abandoned early");
            }
        }
        // One outage of 71 hours that begins when the event happens, whatever follows: the last attempt comes after it.
        let start = Millis::days(1).0;
        let whole = [(start, start + Millis::hours(71).0)];
        assert!(
            attempts(start, &whole, &random).1,
            "seed {seed}: an outage of 71 hours lost an event"
        );
    }
    assert!(
        delivered > 100_000 && abandoned > 0,
        "{delivered} delivered, {abandoned} abandoned: both must occur"
    );
}
