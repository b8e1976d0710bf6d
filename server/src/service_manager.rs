//! Notifies the service manager, if there is one (`sd_notify(3)`): that this process is ready, that it is stopping, and, as often as
//! the manager requests, that it is alive.

use sd_notify::NotifyState;
use std::time::Duration;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

/// Tells that the process is ready, and from now on that it is alive; once `stopping` is cancelled, that it stops. While requests and jobs
/// finish it is alive, too. Must be called within a tokio runtime.
pub(crate) fn notify(stopping: CancellationToken) {
    send(NotifyState::Ready);
    tokio::spawn(async move {
        stopping.cancelled().await;
        send(NotifyState::Stopping);
    });
    if let Some(limit) = sd_notify::watchdog_enabled() {
        tokio::spawn(feed_watchdog(limit / 2));
    }
}

/// Ends with the process. If the runtime is stuck, the manager hears nothing and restarts the process.
async fn feed_watchdog(every: Duration) {
    loop {
        send(NotifyState::Watchdog);
        sleep(every).await;
    }
}

fn send(state: NotifyState<'_>) {
    if let Err(error) = sd_notify::notify(&[state]) {
        tracing::warn!(%error, "cannot notify the service manager");
    }
}
