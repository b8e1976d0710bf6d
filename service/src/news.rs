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
const LOOK: Duration = Duration::from_secs(2);

/// The listeners by session. A session without listeners takes no memory.
#[derive(Default)]
pub(crate) struct News(Mutex<HashMap<SessionId, watch::Sender<()>>>);

impl News {
    /// Notifies that a change of `session` was committed.
    pub(crate) fn tell(&self, session: &SessionId) {
        if let Some(sender) = self.lock().get(session) {
            sender.send_replace(());
        }
    }

    /// Starts listening for changes of `session`.
    pub(crate) fn listen(&self, session: &SessionId) -> Listener<'_> {
        let mut listened = self.lock();
        let sender = listened.entry(session.clone()).or_insert_with(|| watch::channel(()).0);
        Listener {
            receiver: Some(sender.subscribe()),
            session: session.clone(),
            news: self,
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<SessionId, watch::Sender<()>>> {
        // Nothing under the lock can panic.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for News {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("News")
    }
}

/// A listener for changes of one session.
pub(crate) struct Listener<'a> {
    /// Present until the drop, which releases it under the lock.
    receiver: Option<watch::Receiver<()>>,
    session: SessionId,
    news: &'a News,
}

impl Listener<'_> {
    /// Returns when there was a notification since the last call, or since the listener was created.
    pub(crate) async fn heard(&mut self) {
        // The sender lives as long as a listener does.
        if let Some(receiver) = &mut self.receiver {
            drop(receiver.changed().await);
        }
    }
}

impl Drop for Listener<'_> {
    fn drop(&mut self) {
        let mut listened = self.news.lock();
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

/// Calls `look` until `done` accepts its result, at most for `patience`, and returns the last result. Between calls it waits
/// for notifications about `session`.
///
/// # Errors
/// What `look` returned.
pub(crate) async fn look_until<T, E, F>(
    honnin: &Honnin,
    session: &SessionId,
    patience: Duration,
    done: impl Fn(&T) -> bool,
    mut look: impl FnMut() -> F,
) -> Result<T, E>
where
    F: Future<Output = Result<T, E>>,
{
    // Listen first, then look, so that a commit in between is noticed.
    let mut listener = honnin.news.listen(session);
    let end = Instant::now() + patience;
    loop {
        let seen = look().await?;
        let left = end.saturating_duration_since(Instant::now());
        if done(&seen) || left.is_zero() {
            return Ok(seen);
        }
        drop(timeout(left.min(LOOK), listener.heard()).await);
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
    fn a_listener_hears_of_its_own_session_only_and_once() {
        let news = News::default();
        news.tell(&id(1));
        let (mut first, mut second, mut other) = (news.listen(&id(1)), news.listen(&id(1)), news.listen(&id(2)));
        assert!(
            first.heard().now_or_never().is_none(),
            "an earlier change is seen by looking, not notified"
        );
        news.tell(&id(1));
        news.tell(&id(1));
        assert!(first.heard().now_or_never().is_some() && second.heard().now_or_never().is_some());
        assert!(first.heard().now_or_never().is_none() && other.heard().now_or_never().is_none());
    }

    #[test]
    fn a_session_nobody_listens_for_takes_no_room() {
        let news = News::default();
        let (first, second) = (news.listen(&id(1)), news.listen(&id(1)));
        drop(first);
        assert_eq!(news.lock().len(), 1);
        drop(second);
        assert_eq!(news.lock().len(), 0);
    }

    #[test]
    fn listeners_that_go_at_the_same_moment_leave_nothing() {
        let news = News::default();
        for _ in 0..2_000 {
            let listeners = [news.listen(&id(1)), news.listen(&id(1))];
            let together = std::sync::Barrier::new(2);
            std::thread::scope(|scope| {
                for listener in listeners {
                    scope.spawn(|| {
                        together.wait();
                        drop(listener);
                    });
                }
            });
            assert_eq!(news.lock().len(), 0);
        }
    }
}
