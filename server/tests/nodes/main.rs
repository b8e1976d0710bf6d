//! Whole processes: killed in the middle of what they do, stopped under load, restarted one after the other.

#![expect(clippy::unwrap_used, reason = "a test may panic")]
#![expect(clippy::print_stdout, reason = "how much was tried")]

mod backup;
mod full_disk;
mod http;
mod kill;
mod load;
mod node;
mod stop;

use domain::time::{Clock, Millis, Timestamp};
use service::runtime::clock::SystemClock;

/// The machine's clock, set wrong by so much.
struct Shifted(Millis);

impl Clock for Shifted {
    fn now(&self) -> Timestamp {
        SystemClock.now().plus(self.0)
    }
}

/// A port nobody listens on.
fn free_port() -> u16 {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}
