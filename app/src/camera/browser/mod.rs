//! The browser's half of the camera. Everything that touches the page's machinery is here and nowhere else.

mod cue;
mod device;
pub(super) mod document;
mod run;
pub(super) mod selfie;
mod send;
mod trouble;

use js_sys::{Function, Promise};
use wasm_bindgen_futures::JsFuture;
use web_sys::Window;

/// The window. There is one wherever this runs; without it nothing can be done, and nothing is.
fn window() -> Option<Window> {
    web_sys::window()
}

/// Milliseconds of the page's own steady clock.
fn now() -> u64 {
    window().and_then(|w| w.performance()).map_or(0, |p| p.now() as u64)
}

/// Settles after that long.
fn timer(ms: i32) -> Promise {
    Promise::new(&mut |resolve: Function, _| {
        if let Some(window) = window() {
            // Without a timer the promise would never settle; then the loop stops, which is the safe end.
            let _ = window.set_timeout_with_callback_and_timeout_and_arguments_0(&resolve, ms);
        }
    })
}

/// Lets the page breathe for that long.
async fn rest(ms: i32) {
    let _ = JsFuture::from(timer(ms)).await;
}
