//! The browser's entry point: hydrates the islands of the page.
#![cfg(target_arch = "wasm32")]

// Links the islands: the page's loader calls them by their exported names.
use app as _;
use wasm_bindgen::prelude::wasm_bindgen;

/// Called once by the page's loader, before it calls the islands one by one.
#[wasm_bindgen]
pub fn hydrate() {
    console_error_panic_hook::set_once();
    leptos::mount::hydrate_islands();
}
