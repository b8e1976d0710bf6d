//! Counts wrong API keys by address, in this process's memory. Only wrong keys are slowed down: somebody else behind the same
//! address with a right key is served as ever.

use domain::time::Timestamp;
use service::home_network::home_network;
use std::{
    collections::HashMap,
    net::IpAddr,
    sync::{Mutex, PoisonError},
};

/// A minute, in milliseconds.
const WINDOW: i64 = 60_000;
/// Addresses remembered at a time; beyond that the older half of the windows is dropped.
const ADDRESSES: usize = 100_000;

/// Wrong keys per address and minute.
#[derive(Debug)]
pub struct BadKeys {
    limit: u32,
    seen: Mutex<HashMap<IpAddr, (i64, u32)>>,
}

impl BadKeys {
    /// At most `limit` a minute; 0 is no limit.
    #[must_use]
    pub fn new(limit: u32) -> Self {
        Self {
            limit,
            seen: Mutex::default(),
        }
    }

    /// Notes one from `address`. Returns whether it is within the limit.
    pub(super) fn note(&self, address: IpAddr, now: Timestamp) -> bool {
        if self.limit == 0 {
            return true;
        }
        let now = now.as_millis();
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if seen.len() >= ADDRESSES {
            seen.retain(|_, (since, _)| (0..WINDOW).contains(&(now - *since)));
            if seen.len() >= ADDRESSES {
                drop_oldest_half(&mut seen);
            }
        }
        let entry = seen.entry(home_network(address)).or_insert((now, 0));
        if !(0..WINDOW).contains(&(now - entry.0)) {
            *entry = (now, 0);
        }
        entry.1 = entry.1.saturating_add(1);
        entry.1 <= self.limit
    }
}

/// Half at a time, because it looks at all of them. For a full map.
fn drop_oldest_half(seen: &mut HashMap<IpAddr, (i64, u32)>) {
    let mut begun: Vec<i64> = seen.values().map(|(since, _)| *since).collect();
    let (_, middle, _) = begun.select_nth_unstable(ADDRESSES / 2);
    seen.retain(|_, (since, _)| *since > *middle);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_its_limit_each_minute() {
        let keys = BadKeys::new(2);
        let (a, b) = (IpAddr::from([192, 0, 2, 1]), IpAddr::from([192, 0, 2, 2]));
        let at = Timestamp::from_millis;
        assert!(keys.note(a, at(0)) && keys.note(a, at(1)));
        assert!(!keys.note(a, at(59_999)));
        assert!(keys.note(b, at(59_999)), "another address has its own");
        assert!(keys.note(a, at(60_000)));
        assert!(
            keys.note(a, at(30_000)) && keys.note(a, at(30_000)),
            "the clock was set back"
        );
    }

    #[test]
    fn a_v6_network_counts_as_one() {
        let keys = BadKeys::new(1);
        let at = Timestamp::from_millis(0);
        assert!(keys.note(IpAddr::from([0x2001, 0xdb8, 0, 1, 0, 0, 0, 1]), at));
        assert!(!keys.note(IpAddr::from([0x2001, 0xdb8, 0, 1, 9, 9, 9, 9]), at));
        assert!(keys.note(IpAddr::from([0x2001, 0xdb8, 0, 2, 0, 0, 0, 1]), at));
    }

    #[test]
    fn of_too_many_addresses_the_oldest_are_forgotten() {
        let keys = BadKeys::new(1);
        let address = |number: i64| IpAddr::from(u32::try_from(number).unwrap().to_be_bytes());
        let all = i64::try_from(ADDRESSES).unwrap();
        for number in 0..=all {
            // All within one window.
            assert!(keys.note(address(number), Timestamp::from_millis(number / 2)));
        }
        let now = Timestamp::from_millis(all / 2);
        assert!(!keys.note(address(all - 1), now), "a late one is remembered");
        assert!(keys.note(address(1), now), "an early one is not");
    }
}
