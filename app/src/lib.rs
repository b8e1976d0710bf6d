//! The pages: one Leptos application, rendered on the server, and the islands that improve its pages in the browser.
//!
//! A page is a folder of `capture` or `console`: what it loads, its forms, and its view. Every page works without the browser's
//! half; forms are plain POSTs. There are no rules and no SQL here: pages call `service`. Only the islands, and what they need,
//! are compiled for the browser.

// The type of a view nests as deeply as its elements.
#![recursion_limit = "256"]

pub mod camera;
#[cfg(feature = "ssr")]
pub mod capture;
#[cfg(feature = "ssr")]
pub mod console;
#[cfg(feature = "ssr")]
pub mod demo;
#[cfg(feature = "ssr")]
pub mod docs;
pub mod forms;
#[cfg(feature = "ssr")]
pub mod html;
#[cfg(feature = "ssr")]
pub mod page;
#[cfg(feature = "ssr")]
pub mod parts;
#[cfg(feature = "ssr")]
pub mod routes;
#[cfg(feature = "ssr")]
pub mod shell;
pub mod text;

#[cfg(feature = "ssr")]
pub use shell::{Accent, Assets, Brand, Closing, Logo, PageMeta, Progress, Stage};
pub use text::Text;
