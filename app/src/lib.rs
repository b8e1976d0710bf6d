//! The pages: plain functions from view models to HTML, and the islands that make them better in a browser.
//!
//! No rules, no SQL, no routes: the server fills a view model, calls its `render`, and sends the string. Every page works
//! without the browser's half; forms are plain POSTs whose field names stand in [`forms`].

pub mod camera;
#[cfg(feature = "ssr")]
pub mod capture;
#[cfg(feature = "ssr")]
pub mod console;
#[cfg(feature = "ssr")]
pub mod docs;
pub mod forms;
#[cfg(feature = "ssr")]
pub mod page;
pub mod parts;
#[cfg(feature = "ssr")]
pub mod routes;
pub mod shell;
pub mod text;

pub use shell::{Accent, Assets, Brand, Closing, PageMeta, Progress, Stage};
pub use text::Text;
