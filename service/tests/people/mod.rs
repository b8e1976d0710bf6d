//! The people of the console.

mod invitations;
mod races;
mod second_factor;
mod set_up;
mod sign_in;

use futures::FutureExt as _;

/// Drops `request` once it has begun, as when its client hangs up: its first unit need not be written by then.
fn hang_up_on(request: impl Future) {
    assert!(request.now_or_never().is_none(), "it is under way");
}
