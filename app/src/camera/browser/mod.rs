//! The browser's half of the camera. All access to the browser's APIs is in this folder.

mod awake;
mod cue;
mod device;
mod digest;
pub(super) mod document;
mod run;
mod scene;
pub(super) mod selfie;
mod send;
mod trouble;

use crate::forms;
use js_sys::{Function, Promise};
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;
use web_sys::{HtmlFormElement, VisibilityState, Window};

/// The window. It exists wherever this code runs; without it nothing is done.
fn window() -> Option<Window> {
    web_sys::window()
}

/// The form beside the island that takes files.
fn plain_form() -> Option<HtmlFormElement> {
    let fold = window()?.document()?.get_element_by_id(forms::PLAIN_FORM)?;
    fold.query_selector("form").ok()??.dyn_into().ok()
}

/// Whether nobody sees the page.
fn is_hidden() -> bool {
    let page = window().and_then(|w| w.document());
    page.is_some_and(|page| page.visibility_state() == VisibilityState::Hidden)
}

/// Whether there is a network, as far as the browser knows.
fn is_online() -> bool {
    window().is_none_or(|window| window.navigator().on_line())
}

/// Milliseconds of the page's monotonic clock.
fn now() -> u64 {
    window().and_then(|w| w.performance()).map_or(0, |p| p.now() as u64)
}

/// A promise that settles after this long.
fn timer(ms: i32) -> Promise {
    Promise::new(&mut |resolve: Function, _| {
        if let Some(window) = window() {
            // Without a timer the promise would never settle; the loop then stops, which is safe.
            let _ = window.set_timeout_with_callback_and_timeout_and_arguments_0(&resolve, ms);
        }
    })
}

/// Yields to the page for this long.
async fn rest(ms: i32) {
    let _ = JsFuture::from(timer(ms)).await;
}
