//! The people of the console.

mod invitations;
mod races;
mod second_factor;
mod set_up;
mod sign_in;

use std::{
    pin::pin,
    sync::Arc,
    task::{Context, Wake, Waker},
};
use tokio::sync::Notify;

/// Notified when a future wants to be polled again.
#[derive(Default)]
struct Woken(Notify);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.notify_one();
    }
}

/// Drops `request` once its first unit is written and what follows has begun, as when its client hangs up.
async fn hang_up_after_first_unit(request: impl Future) {
    let woken = Arc::new(Woken::default());
    let waker = Waker::from(Arc::clone(&woken));
    let mut request = pin!(request);
    let mut waits = || request.as_mut().poll(&mut Context::from_waker(&waker)).is_pending();
    assert!(waits(), "the first unit is under way");
    woken.0.notified().await;
    assert!(waits(), "what follows is under way");
}
