//! Fairness between receivers: limits the concurrent attempts to one receiver. Deliveries are claimed only if there is a
//! permit, so a receiver's backlog stays in the database, not in the worker's slots.

use crate::webhook::sender::fault::Answer;
use domain::delivery::DeliveryFault;
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

/// Concurrent attempts to a healthy receiver.
const HEALTHY: usize = 16;

/// Concurrent attempts to a slow or unreachable receiver.
const SLOW: usize = 2;

/// A longer exchange counts as slow, whatever the response. A receiver that queues events responds within a fraction of it.
const LONGEST_QUICK: Duration = Duration::from_secs(2);

/// Who occupies how many slots. Receivers are identified by their tenant's id.
#[derive(Debug, Default)]
pub(crate) struct Pacing(Mutex<Lanes>);

#[derive(Debug, Default)]
struct Lanes {
    by_tenant: HashMap<String, Lane>,
    /// Number of attempts started.
    entered: u64,
}

#[derive(Debug, Default)]
struct Lane {
    in_flight: usize,
    is_slow: bool,
    /// The number of the last attempt started in this lane.
    last_entered: u64,
}

/// A permit of a tenant's lane, returned when dropped.
#[derive(Debug)]
pub(crate) struct Permit {
    pacing: Arc<Pacing>,
    tenant: String,
}

impl Pacing {
    /// How many more attempts each of `tenants` may start, the one that has waited longest first; those without a permit are
    /// left out. Slow receivers together occupy at most half of the `slots`.
    pub(crate) fn rooms(&self, tenants: Vec<String>, slots: usize) -> Vec<(String, usize)> {
        let lanes = self.lanes();
        let slow = lanes.by_tenant.values().filter(|lane| lane.is_slow);
        let mut slow_left = (slots / 2).max(1).saturating_sub(slow.map(|lane| lane.in_flight).sum());
        let mut known: Vec<(u64, String)> = tenants
            .into_iter()
            .map(|tenant| (lanes.by_tenant.get(&tenant).map_or(0, |lane| lane.last_entered), tenant))
            .collect();
        known.sort_by_key(|&(last_entered, _)| last_entered);
        let room = |(_, tenant): (u64, String)| {
            let room = match lanes.by_tenant.get(&tenant) {
                None => HEALTHY,
                Some(lane) if lane.is_slow => {
                    let room = SLOW.saturating_sub(lane.in_flight).min(slow_left);
                    slow_left -= room;
                    room
                }
                Some(lane) => HEALTHY.saturating_sub(lane.in_flight),
            };
            (tenant, room)
        };
        known.into_iter().map(room).filter(|&(_, room)| room > 0).collect()
    }

    /// A permit for one more attempt of `tenant`.
    pub(crate) fn enter(self: &Arc<Self>, tenant: &str) -> Permit {
        let mut lanes = self.lanes();
        lanes.entered += 1;
        let entered = lanes.entered;
        let lane = lanes.by_tenant.entry(tenant.to_owned()).or_default();
        lane.in_flight += 1;
        lane.last_entered = entered;
        Permit {
            pacing: Arc::clone(self),
            tenant: tenant.to_owned(),
        }
    }

    fn lanes(&self) -> MutexGuard<'_, Lanes> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Permit {
    /// Updates the lane after an exchange.
    pub(crate) fn learn(&self, answer: &Answer, took: Duration) {
        if let Some(lane) = self.pacing.lanes().by_tenant.get_mut(&self.tenant) {
            lane.is_slow = took > LONGEST_QUICK || answer.fault.is_some_and(DeliveryFault::is_slow);
        }
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let mut lanes = self.pacing.lanes();
        if let Some(lane) = lanes.by_tenant.get_mut(&self.tenant) {
            lane.in_flight = lane.in_flight.saturating_sub(1);
            // Nothing to remember: keeps the map as small as the number of busy or slow receivers.
            if lane.in_flight == 0 && !lane.is_slow {
                lanes.by_tenant.remove(&self.tenant);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SLOTS: usize = 128;
    const QUICK: Duration = Duration::from_millis(5);

    fn room(pacing: &Pacing, tenant: &str) -> usize {
        let rooms = pacing.rooms(vec![tenant.to_owned()], SLOTS);
        rooms.first().map_or(0, |&(_, room)| room)
    }

    fn enter(pacing: &Arc<Pacing>, tenant: &str, times: usize) -> Vec<Permit> {
        (0..times).map(|_| pacing.enter(tenant)).collect()
    }

    fn slow(pacing: &Arc<Pacing>, tenant: &str) {
        let answer = Answer::failed(DeliveryFault::TimedOut);
        pacing.enter(tenant).learn(&answer, Duration::from_secs(15));
    }

    #[test]
    fn a_receiver_keeps_no_more_than_its_places_busy_and_takes_none_of_the_others() {
        let pacing = Arc::new(Pacing::default());
        let held = enter(&pacing, "a", HEALTHY);
        assert_eq!((room(&pacing, "a"), room(&pacing, "b")), (0, HEALTHY));
        let other = pacing.enter("b");
        drop(held);
        assert_eq!((room(&pacing, "a"), room(&pacing, "b")), (HEALTHY, HEALTHY - 1));
        drop(other);
        assert!(pacing.lanes().by_tenant.is_empty(), "idle lanes are forgotten");
    }

    #[test]
    fn a_slow_receiver_has_fewer_places_until_it_answers_again() {
        let pacing = Arc::new(Pacing::default());
        slow(&pacing, "a");
        assert_eq!(room(&pacing, "a"), SLOW);
        let second = pacing.enter("a");
        assert_eq!(room(&pacing, "a"), SLOW - 1);
        second.learn(&Answer::of_status(200, None), QUICK);
        drop(second);
        assert_eq!(room(&pacing, "a"), HEALTHY);
    }

    #[test]
    fn a_receiver_that_answers_late_is_slow_whatever_it_answers() {
        for status in [200, 500] {
            let pacing = Arc::new(Pacing::default());
            let permit = pacing.enter("a");
            permit.learn(&Answer::of_status(status, None), Duration::from_millis(14_900));
            drop(permit);
            assert_eq!(room(&pacing, "a"), SLOW, "{status}");
        }
    }

    #[test]
    fn slow_receivers_together_keep_at_most_half_of_the_slots_busy_and_take_turns() {
        let pacing = Arc::new(Pacing::default());
        let tenants: Vec<String> = (0..100).map(|number| format!("slow {number:03}")).collect();
        for tenant in &tenants {
            slow(&pacing, tenant);
        }
        let begin = || {
            let rooms = pacing.rooms(tenants.clone(), SLOTS);
            let permits: Vec<Permit> = rooms
                .iter()
                .flat_map(|(tenant, room)| enter(&pacing, tenant, *room))
                .collect();
            (rooms, permits)
        };
        let (first, permits) = begin();
        assert_eq!(permits.len(), SLOTS / 2);
        assert!(begin().0.is_empty(), "no permit is left for a slow one");
        assert_eq!(room(&pacing, "quick"), HEALTHY);
        drop(permits);
        let (second, _places) = begin();
        assert!(
            first.iter().all(|turn| !second.contains(turn)),
            "the others are next: {second:?}"
        );
    }
}
