//! Notifications about sessions: a request that waits for a decision, a reading or the opening of a link is notified right
//! after the commit. Only changes made in this process are notified. Another node may do the work, so the waiting request also
//! polls.

use crate::Honnin;
use domain::ids::SessionId;
use std::{
    collections::HashMap,
    fmt,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::{
    sync::watch,
    time::{Instant, timeout},
};

/// Polling interval.
const POLL_INTERVAL: Duration = Duration::from_secs(2);

/// The subscriptions by session. A session without subscriptions takes no memory.
#[derive(Default)]
pub(crate) struct WakeUps(Mutex<HashMap<SessionId, watch::Sender<()>>>);

impl WakeUps {
    /// Notifies that a change of `session` was committed.
    pub(crate) fn notify(&self, session: &SessionId) {
        if let Some(sender) = self.lock().get(session) {
            sender.send_replace(());
        }
    }

    /// Starts listening for changes of `session`.
    pub(crate) fn subscribe(&self, session: &SessionId) -> Subscription<'_> {
        let mut listened = self.lock();
        let sender = listened.entry(session.clone()).or_insert_with(|| watch::channel(()).0);
        Subscription {
            receiver: Some(sender.subscribe()),
            session: session.clone(),
            wake_ups: self,
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<SessionId, watch::Sender<()>>> {
        // Nothing under the lock can panic.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for WakeUps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WakeUps")
    }
}

/// A subscription for changes of one session.
pub(crate) struct Subscription<'a> {
    /// Present until the drop, which releases it under the lock.
    receiver: Option<watch::Receiver<()>>,
    session: SessionId,
    wake_ups: &'a WakeUps,
}

impl Subscription<'_> {
    /// Returns when there was a notification since the last call, or since the subscription was created.
    pub(crate) async fn notified(&mut self) {
        // The sender lives as long as a subscription does.
        if let Some(receiver) = &mut self.receiver {
            drop(receiver.changed().await);
        }
    }
}

impl Drop for Subscription<'_> {
    fn drop(&mut self) {
        let mut listened = self.wake_ups.lock();
        // Under the lock, so that of two that are dropped together the later one sees that it is the last.
        drop(self.receiver.take());
        if listened
            .get(&self.session)
            .is_some_and(|sender| sender.receiver_count() == 0)
        {
            listened.remove(&self.session);
        }
    }
}

/// Calls `look` until `done` accepts its result, at most for `wait_at_most`, and returns the last result. Between calls it waits
/// for notifications about `session`.
///
/// # Errors
/// What `look` returned.
pub(crate) async fn poll_until<T, E, F>(
    honnin: &Honnin,
    session: &SessionId,
    wait_at_most: Duration,
    done: impl Fn(&T) -> bool,
    mut look: impl FnMut() -> F,
) -> Result<T, E>
where
    F: Future<Output = Result<T, E>>,
{
    // Listen first, then look, so that a commit in between is noticed.
    let mut subscription = honnin.wake_ups.subscribe(session);
    let end = Instant::now() + wait_at_most;
    loop {
        let seen = look().await?;
        let left = end.saturating_duration_since(Instant::now());
        if done(&seen) || left.is_zero() {
            return Ok(seen);
        }
        drop(timeout(left.min(POLL_INTERVAL), subscription.notified()).await);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::FutureExt;

    fn id(byte: u8) -> SessionId {
        SessionId::from_random([byte; 16])
    }

    #[test]
    fn a_subscription_is_notified_of_its_own_session_only_and_once() {
        let wake_ups = WakeUps::default();
        wake_ups.notify(&id(1));
        let (mut first, mut second, mut other) = (
            wake_ups.subscribe(&id(1)),
            wake_ups.subscribe(&id(1)),
            wake_ups.subscribe(&id(2)),
        );
        assert!(
            first.notified().now_or_never().is_none(),
            "an earlier change is seen by looking, not notified"
        );
        wake_ups.notify(&id(1));
        wake_ups.notify(&id(1));
        assert!(first.notified().now_or_never().is_some() && second.notified().now_or_never().is_some());
        assert!(first.notified().now_or_never().is_none() && other.notified().now_or_never().is_none());
    }

    #[test]
    fn a_session_without_subscription_takes_no_memory() {
        let wake_ups = WakeUps::default();
        let (first, second) = (wake_ups.subscribe(&id(1)), wake_ups.subscribe(&id(1)));
        drop(first);
        assert_eq!(wake_ups.lock().len(), 1);
        drop(second);
        assert_eq!(wake_ups.lock().len(), 0);
    }

    #[test]
    fn subscriptions_dropped_at_the_same_moment_leave_nothing() {
        let wake_ups = WakeUps::default();
        for _ in 0..2_000 {
            let subscriptions = [wake_ups.subscribe(&id(1)), wake_ups.subscribe(&id(1))];
            let together = std::sync::Barrier::new(2);
            std::thread::scope(|scope| {
                for subscription in subscriptions {
                    scope.spawn(|| {
                        together.wait();
                        drop(subscription);
                    });
                }
            });
            assert_eq!(wake_ups.lock().len(), 0);
        }
    }
}
