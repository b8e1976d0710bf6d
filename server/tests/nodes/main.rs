//! Whole processes: killed in the middle of their work, stopped under load, restarted one after another.

#![expect(clippy::unwrap_used, reason = "a test may panic")]
#![expect(clippy::print_stdout, reason = "prints how much was tested")]

mod acknowledged;
mod audit;
mod backup;
mod bucket_outage;
mod comparison;
mod configuration;
mod cut_off;
mod demo;
mod documented;
mod full_disk;
mod http;
mod keys;
mod kill;
mod kill_people;
mod load;
mod node;
mod people;
mod person;
mod power_cut;
mod put_back_by_hand;
mod rotation;
mod service_manager;
mod stop;
mod stop_early;
mod takeover;
mod verify_decision;

use domain::time::{Clock, Millis, Timestamp};
use rand::RngExt as _;
use service::runtime::clock::SystemClock;
use std::{collections::BTreeSet, sync::Mutex};
use testkit::long_runs::count;

/// The machine's clock with an offset.
struct Shifted(Millis);

impl Clock for Shifted {
    fn now(&self) -> Timestamp {
        SystemClock.now().plus(self.0)
    }

    fn elapsed(&self) -> Millis {
        SystemClock.elapsed()
    }
}

/// A port that nobody listens on. It is below the ephemeral ports (32768 to 60999 on Linux), so that the system gives it to no other
/// test before the process listens on it. Tests that run at the same time draw from different ranges, and a test draws none twice.
fn free_port() -> u16 {
    const RANGE: u16 = 1024;
    static DRAWN: Mutex<BTreeSet<u16>> = Mutex::new(BTreeSet::new());
    let slot = u16::try_from(count("NEXTEST_TEST_GLOBAL_SLOT", 0) % 16).unwrap();
    let first = 16_384 + slot * RANGE;
    let is_free = |port: &u16| std::net::TcpListener::bind(("127.0.0.1", *port)).is_ok();
    let mut random = rand::rng();
    std::iter::repeat_with(|| random.random_range(first..first + RANGE))
        .find(|port| is_free(port) && DRAWN.lock().unwrap().insert(*port))
        .unwrap()
}
