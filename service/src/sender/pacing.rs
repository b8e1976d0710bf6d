//! Fairness between receivers: how many attempts one receiver may keep busy at a time, and when the others of the same tenant come
//! back. A slow receiver's backlog thus waits in the database, not in the worker's slots.

use crate::sender::fault::Answer;
use domain::{
    ids::TenantId,
    time::{Millis, Timestamp},
};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

/// Attempts at a time to a receiver that answers.
const HEALTHY: usize = 16;

/// Attempts at a time to a receiver that keeps us waiting or is not there.
const SLOW: usize = 2;

/// Longest and shortest wait of an attempt that found no place. The longest bounds how late a backlog notices that its receiver is
/// back; the shortest keeps it from spinning.
const LONGEST_WAIT: Millis = Millis::minutes(2);
const SHORTEST_WAIT: Millis = Millis(50);

/// How long an exchange is believed to take before one was seen, in milliseconds.
const FIRST_GUESS: i64 = 200;

/// Who keeps how many slots busy.
#[derive(Debug, Default)]
pub(crate) struct Pacing(Mutex<HashMap<TenantId, Lane>>);

#[derive(Debug)]
struct Lane {
    in_flight: usize,
    is_slow: bool,
    /// A moving average of the exchanges' length, in milliseconds.
    typical: i64,
    /// Until when the places to come are promised to attempts that wait.
    promised_until: Timestamp,
}

impl Default for Lane {
    fn default() -> Self {
        Self {
            in_flight: 0,
            is_slow: false,
            typical: FIRST_GUESS,
            promised_until: Timestamp::from_millis(0),
        }
    }
}

impl Lane {
    const fn places(&self) -> usize {
        if self.is_slow { SLOW } else { HEALTHY }
    }
}

/// A place in a tenant's lane, given back when dropped.
#[derive(Debug)]
pub(crate) struct Place {
    pacing: Arc<Pacing>,
    tenant: TenantId,
}

impl Pacing {
    /// A place for one more attempt of `tenant`, or the time at which to ask again.
    pub(crate) fn enter(self: &Arc<Self>, tenant: &TenantId, now: Timestamp) -> Result<Place, Timestamp> {
        let mut lanes = self.lanes();
        let lane = lanes.entry(tenant.clone()).or_default();
        let places = lane.places();
        if lane.in_flight < places {
            lane.in_flight += 1;
            return Ok(Place {
                pacing: Arc::clone(self),
                tenant: tenant.clone(),
            });
        }
        // Those who wait line up at the pace at which the receiver takes them, so that few ask twice.
        let pace = Millis((lane.typical / i64::try_from(places).unwrap_or(1)).max(1));
        let in_line = lane.promised_until.max(now).plus(pace);
        let at = in_line.clamp(now.plus(SHORTEST_WAIT), now.plus(LONGEST_WAIT));
        lane.promised_until = at;
        Err(at)
    }

    fn lanes(&self) -> MutexGuard<'_, HashMap<TenantId, Lane>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Place {
    /// Learns from an exchange.
    pub(crate) fn learn(&self, answer: &Answer, took: Duration) {
        let took = i64::try_from(took.as_millis()).unwrap_or(i64::MAX).min(60_000);
        let mut lanes = self.pacing.lanes();
        if let Some(lane) = lanes.get_mut(&self.tenant) {
            let was_slow = lane.is_slow;
            lane.is_slow = answer.fault.is_some_and(super::fault::Fault::is_slow);
            lane.typical = (lane.typical * 3 + took) / 4;
            if was_slow && !lane.is_slow {
                // It is back: forget how long it used to take.
                lane.typical = took;
                lane.promised_until = Timestamp::from_millis(0);
            }
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut lanes = self.pacing.lanes();
        if let Some(lane) = lanes.get_mut(&self.tenant) {
            lane.in_flight = lane.in_flight.saturating_sub(1);
            // Nothing worth remembering: keeps the map as small as the number of receivers that are busy or slow.
            if lane.in_flight == 0 && !lane.is_slow {
                lanes.remove(&self.tenant);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sender::fault::Fault;

    fn tenant(n: u8) -> TenantId {
        TenantId::from_random([n; 16])
    }

    const NOW: Timestamp = Timestamp::from_millis(1_000_000);

    #[test]
    fn a_receiver_keeps_no_more_than_its_places_busy_and_takes_none_of_the_others() {
        let pacing = Arc::new(Pacing::default());
        let held: Vec<_> = (0..HEALTHY).map(|_| pacing.enter(&tenant(1), NOW).unwrap()).collect();
        assert!(pacing.enter(&tenant(1), NOW).is_err());
        let other = pacing.enter(&tenant(2), NOW).unwrap();
        drop(held);
        assert!(pacing.enter(&tenant(1), NOW).is_ok());
        drop(other);
        assert!(pacing.lanes().is_empty(), "idle lanes are forgotten");
    }

    #[test]
    fn a_slow_receiver_has_fewer_places_until_it_answers_again() {
        let pacing = Arc::new(Pacing::default());
        let first = pacing.enter(&tenant(1), NOW).unwrap();
        first.learn(&Answer::failed(Fault::TimedOut), Duration::from_secs(15));
        let second = pacing.enter(&tenant(1), NOW).unwrap();
        assert!(pacing.enter(&tenant(1), NOW).is_err(), "two are all it gets");
        second.learn(&Answer::of_status(200, None), Duration::from_millis(5));
        assert!(pacing.enter(&tenant(1), NOW).is_ok());
    }

    #[test]
    fn those_who_wait_come_back_one_after_the_other_and_within_two_minutes() {
        let pacing = Arc::new(Pacing::default());
        let held: Vec<_> = (0..HEALTHY).map(|_| pacing.enter(&tenant(1), NOW).unwrap()).collect();
        let times: Vec<Timestamp> = (0..100_000)
            .map(|_| pacing.enter(&tenant(1), NOW).unwrap_err())
            .collect();
        assert!(times.is_sorted());
        assert!(times[0] >= NOW.plus(SHORTEST_WAIT));
        assert_eq!(*times.last().unwrap(), NOW.plus(LONGEST_WAIT));
        drop(held);
    }
}
