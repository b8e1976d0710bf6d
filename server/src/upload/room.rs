//! Memory for uploads: what a form announces is reserved as a whole before a byte of it is read, so that an upload that has
//! begun never runs out of memory. Uploads without memory wait in order of arrival, for a limited time; a network or tenant that has
//! used its share is skipped.

use super::quota::{Portion, Quota, Uploader};
use crate::edge::{Exhausted, FairPool};
use domain::ids::SessionId;
use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::{sync::oneshot, time::timeout};

/// The upload memory of this process, in MiB.
#[derive(Debug)]
pub(super) struct Room {
    all: usize,
    quota: Quota,
    /// Places in the queue.
    seats: Arc<FairPool>,
    waiting: Mutex<VecDeque<Waiter>>,
}

#[derive(Debug)]
struct Waiter {
    uploader: Uploader,
    size: usize,
    admit: oneshot::Sender<Reservation>,
}

/// An upload's memory, until it is dropped.
#[derive(Debug)]
pub(super) struct Reservation {
    /// Taken out before the next are admitted.
    portion: Option<Portion>,
    room: Arc<Room>,
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.portion = None;
        self.room.admit();
    }
}

/// An upload that is admitted or gives up. Once it no longer waits, those that waited behind it may fit.
struct Leaving<'a>(&'a Arc<Room>);

impl Drop for Leaving<'_> {
    fn drop(&mut self) {
        self.0.admit();
    }
}

impl Room {
    /// This many MiB, and a queue for this many.
    pub(super) fn new(all: usize, seats: usize) -> Arc<Self> {
        Arc::new(Self {
            all,
            quota: Quota::new(all),
            seats: FairPool::new(seats),
            waiting: Mutex::default(),
        })
    }

    /// Memory of this many MiB, or all there is; `None` if too many are waiting already, or it took longer than `wait_at_most`.
    pub(super) async fn reserve(
        self: &Arc<Self>,
        uploader: Uploader,
        size: usize,
        wait_at_most: Duration,
    ) -> Option<Reservation> {
        let _seat = self.seats.take(uploader.network, 1, 0).ok()?;
        // Before the channel, so that it is dropped after it.
        let _leaving = Leaving(self);
        let (admit, admitted) = oneshot::channel();
        let size = size.clamp(1, self.all);
        self.lock().push_back(Waiter { uploader, size, admit });
        self.admit();
        timeout(wait_at_most, admitted).await.ok()?.ok()
    }

    /// The number in the queue of a session's upload, from 1; `None` if none is waiting.
    pub(super) fn number(&self, session: &SessionId) -> Option<usize> {
        let waiting = self.lock();
        let mut present = waiting.iter().filter(|waiter| !waiter.admit.is_closed());
        present
            .position(|waiter| waiter.uploader.session == *session)
            .map(|before| before + 1)
    }

    /// Admits the waiting uploads that fit now. Nobody overtakes one that only waits for more memory, or large ones would wait
    /// forever.
    fn admit(self: &Arc<Self>) {
        let mut gone = Vec::new();
        let mut waiting = self.lock();
        let mut next = 0;
        while let Some(waiter) = waiting.get(next) {
            if waiter.admit.is_closed() {
                waiting.remove(next);
                continue;
            }
            match self.quota.take(&waiter.uploader, waiter.size) {
                Err(Exhausted::Share) => next += 1,
                Err(Exhausted::All) => break,
                Ok(portion) => {
                    let reservation = Reservation {
                        portion: Some(portion),
                        room: Arc::clone(self),
                    };
                    if let Some(waiter) = waiting.remove(next) {
                        gone.extend(waiter.admit.send(reservation).err());
                    }
                }
            }
        }
        // Released after the lock, since releasing admits others.
        drop(waiting);
        drop(gone);
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<Waiter>> {
        // Nothing under the lock can panic.
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edge::Network;
    use domain::ids::TenantId;
    use futures::FutureExt as _;

    /// Far longer than a test takes.
    const LONG: Duration = Duration::from_secs(600);
    const SHORT: Duration = Duration::from_millis(1);

    fn uploader(network: u8, tenant: u8) -> Uploader {
        Uploader {
            network: Network::of([127, network, 0, 1].into()),
            tenant: TenantId::from_random([tenant; 16]),
            session: SessionId::from_random([network; 16]),
        }
    }

    /// Memory, if available immediately.
    fn at_once(room: &Arc<Room>, from: u8, size: usize) -> Option<Reservation> {
        room.reserve(uploader(from, 0), size, LONG).now_or_never().flatten()
    }

    #[tokio::test]
    async fn one_network_fills_half_and_the_others_are_let_in() {
        let room = Room::new(16, 64);
        let greedy: Vec<_> = (0..8).map_while(|_| at_once(&room, 1, 1)).collect();
        assert_eq!(greedy.len(), 8);
        assert!(at_once(&room, 1, 1).is_none());
        let waiting = tokio::spawn({
            let room = Arc::clone(&room);
            async move { room.reserve(uploader(1, 0), 1, LONG).await }
        });
        tokio::task::yield_now().await;
        assert!(at_once(&room, 2, 4).is_some(), "past the one that has used its share");
        drop(greedy);
        assert!(waiting.await.unwrap().is_some());
    }

    #[tokio::test]
    async fn the_large_is_not_overtaken_for_ever_and_who_went_away_is_forgotten() {
        let room = Room::new(8, 64);
        let first = at_once(&room, 1, 6).unwrap();
        let mut large = Box::pin(room.reserve(uploader(2, 0), 4, LONG));
        assert!(large.as_mut().now_or_never().is_none());
        let mut small = Box::pin(room.reserve(uploader(3, 0), 1, LONG));
        assert!(small.as_mut().now_or_never().is_none(), "it came later");
        drop(large);
        let small = small.now_or_never().flatten();
        assert!(small.is_some(), "the large one is gone");
        let last = at_once(&room, 4, 1).unwrap();
        drop((first, small, last));
        assert!(room.lock().is_empty());
        assert!(at_once(&room, 5, 1000).is_some(), "never more than there is");
    }

    #[tokio::test]
    async fn who_waits_behind_a_large_one_is_admitted_when_its_time_is_up() {
        let room = Room::new(8, 64);
        let _first = at_once(&room, 1, 6).unwrap();
        let (large, small) = tokio::join!(
            room.reserve(uploader(2, 0), 4, SHORT),
            room.reserve(uploader(3, 0), 1, Duration::from_secs(5)),
        );
        assert!(large.is_none() && small.is_some());
    }

    #[tokio::test]
    async fn there_are_only_so_many_seats_and_nobody_sits_for_ever() {
        let room = Room::new(1, 2);
        let _held = at_once(&room, 1, 1).unwrap();
        let (one, other, third) = tokio::join!(
            room.reserve(uploader(2, 0), 1, SHORT),
            room.reserve(uploader(3, 0), 1, SHORT),
            // Refused without having waited.
            async { at_once(&room, 4, 1) }
        );
        assert!(one.is_none() && other.is_none() && third.is_none());
        assert!(
            room.seats.take(uploader(5, 0).network, 2, 0).is_ok(),
            "the queue is empty again"
        );
    }

    #[tokio::test]
    async fn a_tenant_with_many_networks_leaves_a_quarter_to_the_others() {
        let room = Room::new(16, 64);
        let from = |network_of: u8, tenant_of: u8| {
            let reservation = room.reserve(uploader(network_of, tenant_of), 2, LONG);
            reservation.now_or_never().flatten()
        };
        let first = from(100, 1).unwrap();
        drop(first);
        let small = from(101, 2).unwrap();
        let greedy: Vec<_> = (0..8).map_while(|number| from(number, 1)).collect();
        assert_eq!(greedy.len(), 5, "twelve with those of the other tenant");
        assert!(from(102, 2).is_some(), "past the ones that wait");
        drop((small, greedy));
    }

    #[tokio::test]
    async fn who_waits_has_a_number_until_it_is_their_turn() {
        let room = Room::new(1, 64);
        let held = at_once(&room, 1, 1);
        let mut waiting: Vec<_> = (2..5)
            .map(|number| Box::pin(room.reserve(uploader(number, 0), 1, LONG)))
            .collect();
        for one in &mut waiting {
            assert!(one.as_mut().now_or_never().is_none());
        }
        let number = |of: u8| room.number(&uploader(of, 0).session);
        assert_eq!([1, 2, 3, 4].map(number), [None, Some(1), Some(2), Some(3)]);
        drop(waiting.remove(0));
        assert_eq!([2, 3, 4].map(number), [None, Some(1), Some(2)], "one went away");
        drop(held);
        assert_eq!([3, 4].map(number), [None, Some(1)]);
    }
}
