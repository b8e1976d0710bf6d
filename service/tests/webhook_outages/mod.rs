//! Days of a receiver with outages, in simulated time, for a thousand seeds: every event is delivered or abandoned exactly by
//! the schedule. First the schedule alone, with many events; then the whole system behind it, with its database and its jobs,
//! while secrets are rotated, sessions erased and the clock set.
//!
//! `HONNIN_OUTAGE_SEEDS` and `HONNIN_OUTAGE_DAYS` set the number of seeds and days, `HONNIN_OUTAGE_FIRST` the first seed: a
//! failure names its seed, which can be replayed alone.
//!
//! Planted faults that these tests detect: independent jitter on each wait; a schedule of nine attempts; one signature for all
//! attempts of an event; waits counted from the beginning of an attempt; signing only with the newest secret; metadata kept
//! after an erasure; a redirect taken for a success.

mod judge;
mod receiver;
mod world;

use domain::time::{Millis, Timestamp};
use judge::Tally;
use service::{
    runtime::random::{Random, SeededRandom},
    webhook::schedule::{Failed, WAITS, next_attempt_at},
};
use std::{ops::Range, thread};
use testkit::long_runs::count;
use world::World;

/// Outages of the receiver in milliseconds from the beginning: from and until, in order.
fn outages(random: &dyn Random, days: i64) -> Vec<Range<i64>> {
    let mut at = 0;
    let mut away = Vec::new();
    while at < Millis::days(days).0 {
        let from = at + below(random, Millis::hours(20).0);
        let until = from + below(random, Millis::hours(40).0);
        away.push(from..until);
        at = until;
    }
    away
}

fn below(random: &dyn Random, most: i64) -> i64 {
    let mut bytes = [0; 8];
    random.fill(&mut bytes);
    i64::try_from(u64::from_le_bytes(bytes) >> 1).unwrap() % most
}

fn seeds() -> Range<u64> {
    let first = count("HONNIN_OUTAGE_FIRST", 0);
    first..first + count("HONNIN_OUTAGE_SEEDS", 60)
}

fn days() -> i64 {
    i64::try_from(count("HONNIN_OUTAGE_DAYS", 5)).unwrap()
}

/// The times of all attempts of an event at `start`, each with its end, up to the first that reaches the receiver.
fn attempts(start: i64, away: &[Range<i64>], random: &dyn Random) -> (Vec<(i64, i64)>, bool) {
    let mut now = start;
    let mut times = Vec::new();
    loop {
        let ended_at = now + [0, 40, 5_000, 15_000][below(random, 4) as usize];
        times.push((now, ended_at));
        if !away.iter().any(|outage| outage.contains(&now)) {
            return (times, true);
        }
        let failed = Failed {
            started_at: Timestamp::from_millis(start),
            step: i64::try_from(times.len()).unwrap(),
            ended_at: Timestamp::from_millis(ended_at),
            retry_after: None,
        };
        match next_attempt_at(failed, random) {
            Some(next) => now = next.as_millis(),
            None => return (times, false),
        }
    }
}

#[test]
fn every_event_is_delivered_or_abandoned_by_the_schedule_and_no_outage_of_71_hours_loses_one() {
    let (mut delivered, mut abandoned) = (0, 0);
    for seed in seeds() {
        let random = SeededRandom::new(seed);
        let away = outages(&random, days());
        for hour in 0..days() * 24 {
            let start = Millis::hours(hour).0 + below(&random, Millis::hours(1).0);
            let (times, arrived) = attempts(start, &away, &random);
            assert!(times.len() <= WAITS.len(), "seed {seed}");
            for (pair, nominal) in times.windows(2).zip(&WAITS[1..]) {
                let wait = pair[1].0 - pair[0].1;
                assert!(
                    (nominal.0 * 8 / 10..=nominal.0 * 12 / 10).contains(&wait),
                    "seed {seed}: {wait}"
                );
            }
            if arrived {
                delivered += 1;
            } else {
                abandoned += 1;
                assert_eq!(times.len(), 10, "seed {seed}: abandoned early");
            }
        }
        // One outage of 71 hours that begins when the event happens: the last attempt comes after it.
        let start = Millis::days(1).0;
        let whole = start..start + Millis::hours(71).0;
        assert!(
            attempts(start, std::slice::from_ref(&whole), &random).1,
            "seed {seed}: an outage of 71 hours lost an event"
        );
    }
    println!("{delivered} delivered, {abandoned} abandoned");
    assert!(
        delivered > 0 && (abandoned > 0 || seeds().count() < 100),
        "both must occur"
    );
}

#[test]
fn through_rotations_erasures_and_a_clock_that_jumps_no_event_is_lost_changed_or_sent_off_schedule() {
    let lanes = thread::available_parallelism().map_or(1, usize::from);
    let tallies = thread::scope(|scope| {
        let lane = |lane| scope.spawn(move || run(seeds().skip(lane).step_by(lanes)));
        let running: Vec<_> = (0..lanes).map(lane).collect();
        running.into_iter().map(|lane| lane.join().unwrap()).collect::<Vec<_>>()
    });
    let all = tallies.into_iter().fold(Tally::default(), Tally::plus);
    println!("seeds {:?}, {} days each: {all:?}", seeds(), days());
    all.has_seen_everything(seeds().count());
}

/// Runs some of the seeds, one after another, in systems of this thread.
fn run(seeds: impl Iterator<Item = u64>) -> Tally {
    // A system grows with its history; a fresh one now and then keeps the last seed as fast as the first.
    const SEEDS_OF_A_SYSTEM: usize = 250;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let mut tally = Tally::default();
        let mut world = World::new().await;
        for (count, seed) in seeds.enumerate() {
            if count > 0 && count % SEEDS_OF_A_SYSTEM == 0 {
                world = World::new().await;
            }
            let story = world.live(seed, days()).await;
            tally = tally.plus(judge::judge(seed, &story));
        }
        tally
    })
}
