//! The capacity for requests: a slot while they run, and memory while their bodies arrive. Each is shared among the clients'
//! networks; some slots are reserved for what must always be answered.

use super::{
    Network,
    fair_pool::{FairPool, Permit},
};
use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};
use tokio::{sync::Notify, time::sleep};

/// Concurrent probes. They query the databases, so they cannot be unlimited.
const PROBES: usize = 32;

/// How long a request waits for a slot. A burst is over by then; anything longer is overload.
const TIMEOUT: Duration = Duration::from_secs(1);
/// How many requests may wait: each slot that becomes free wakes all of them.
const WAITING: usize = 256;

/// Slots of `requests` that pages leave to the API.
const fn kept(requests: usize) -> usize {
    requests / 4
}

/// How many pages may wait for something at a time where this many requests may run: a quarter of the slots of pages. They hold no slot, since
/// a backlog of what they wait for would otherwise keep everybody else out.
pub(crate) const fn places_to_wait(requests: usize) -> usize {
    let places = (requests - kept(requests)) / 4;
    if places == 0 { 1 } else { places }
}

/// The class of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Costs nothing and is always answered: an overloaded process is alive, and must not be killed for it.
    Alive,
    /// Asks whether the node can serve; has its own slots.
    Probe,
    /// Of the API; may use every slot.
    Api,
    /// A page for people; leaves a quarter of the slots to the API.
    Page,
    /// A page that takes pictures. Its body is not read here.
    Upload,
}

/// The capacity.
#[derive(Debug)]
pub struct Slots {
    requests: Arc<FairPool>,
    /// Slots that pages leave to the API.
    kept: usize,
    probes: Arc<FairPool>,
    bodies: Arc<FairPool>,
    /// Places in the queue.
    waiting: Arc<FairPool>,
    /// Notified when a slot becomes free.
    freed: Arc<Notify>,
    wait_at_most: Duration,
}

/// A slot, until it is dropped or given back. Stored in the request's extensions.
#[derive(Clone, Debug)]
pub(crate) struct Slot(Arc<Mutex<Option<Held>>>);

#[derive(Debug)]
struct Held {
    /// Returned before the others are woken.
    permit: Option<Permit>,
    freed: Arc<Notify>,
}

impl Drop for Held {
    fn drop(&mut self) {
        self.permit = None;
        self.freed.notify_waiters();
    }
}

impl Slot {
    /// Gives the slot back before the request is over, because something else limits it from here on.
    pub(crate) fn give_back(&self) {
        // Nothing under the lock can panic.
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
    }
}

impl Slots {
    /// For this many concurrent requests, whose bodies may hold this many bytes in total before they run.
    #[must_use]
    pub fn new(requests: usize, body_bytes: usize) -> Self {
        Self {
            requests: FairPool::new(requests),
            kept: kept(requests),
            probes: FairPool::new(PROBES),
            bodies: FairPool::new(body_bytes),
            waiting: FairPool::new(WAITING),
            freed: Arc::default(),
            wait_at_most: TIMEOUT,
        }
    }

    /// The memory for bodies.
    pub(super) const fn bodies(&self) -> &Arc<FairPool> {
        &self.bodies
    }

    /// A slot for a request whose body has arrived, possibly after waiting for one; `None` if its network has used its share,
    /// or too many are waiting already.
    pub(super) async fn wait(&self, class: Class, network: Network) -> Option<Slot> {
        if let Some(slot) = self.take(class, network) {
            return Some(slot);
        }
        let _place = self.waiting.take(network, 1, 0).ok()?;
        let mut late = std::pin::pin!(sleep(self.wait_at_most));
        loop {
            let mut freed = std::pin::pin!(self.freed.notified());
            // A slot that becomes free between checking and waiting also notifies.
            freed.as_mut().enable();
            if let Some(slot) = self.take(class, network) {
                return Some(slot);
            }
            tokio::select! {
                () = freed => {}
                () = &mut late => return None,
            }
        }
    }

    fn take(&self, class: Class, network: Network) -> Option<Slot> {
        let permit = match class {
            Class::Alive => None,
            Class::Probe => Some(self.probes.take(network, 1, 0).ok()?),
            Class::Api => Some(self.requests.take(network, 1, 0).ok()?),
            Class::Page | Class::Upload => Some(self.requests.take(network, 1, self.kept).ok()?),
        };
        let freed = Arc::clone(&self.freed);
        Some(Slot(Arc::new(Mutex::new(Some(Held { permit, freed })))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::FutureExt as _;

    fn network(number: u8) -> Network {
        Network::of([127, number, 0, 1].into())
    }

    #[test]
    fn pages_leave_a_quarter_to_the_api_and_nothing_takes_the_slots_of_probes() {
        let slots = Slots::new(8, 0);
        let pages: Vec<_> = (0..6)
            .map(|from| slots.take(Class::Page, network(from)).unwrap())
            .collect();
        assert!(slots.take(Class::Page, network(9)).is_none() && slots.take(Class::Upload, network(9)).is_none());
        let calls: Vec<_> = (6..8)
            .map(|from| slots.take(Class::Api, network(from)).unwrap())
            .collect();
        assert!(slots.take(Class::Api, network(9)).is_none());
        assert!(slots.take(Class::Probe, network(9)).is_some() && slots.take(Class::Alive, network(9)).is_some());
        pages[0].give_back();
        assert!(slots.take(Class::Api, network(9)).is_some());
        drop((pages, calls));
        assert!(slots.take(Class::Page, network(9)).is_some());
    }

    #[tokio::test]
    async fn a_request_of_a_burst_waits_for_a_slot_and_not_for_ever() {
        let slots = Slots::new(4, 0);
        let calls: Vec<_> = (0..4)
            .map(|from| slots.take(Class::Api, network(from)).unwrap())
            .collect();
        let mut waits = std::pin::pin!(slots.wait(Class::Api, network(9)));
        assert!(waits.as_mut().now_or_never().is_none());
        drop(calls);
        assert!(waits.now_or_never().flatten().is_some());
        assert!(
            slots.waiting.take(network(9), WAITING, 0).is_ok(),
            "its place in the queue is free"
        );
    }

    #[tokio::test]
    async fn who_finds_no_slot_in_time_is_refused() {
        let mut slots = Slots::new(4, 0);
        slots.wait_at_most = Duration::from_millis(1);
        let _calls: Vec<_> = (0..4)
            .map(|from| slots.take(Class::Api, network(from)).unwrap())
            .collect();
        assert!(slots.wait(Class::Api, network(9)).await.is_none());
    }
}
