//! The camera: two islands that improve the upload forms if the browser supports it, and the stage they share.
//!
//! On the server, an island is a button that stays hidden until the browser's half is running; the plain form beside it works
//! without it. The browser asks for the camera only after a tap.
//!
//! An island takes no arguments: they would bring a JSON parser into the browser's half, which a slow phone waits for. What the
//! server writes into the page is read from there.

pub mod announcer;
pub mod document;
pub mod frozen;
pub mod light;
pub mod obstacle;
pub mod retry;
pub mod selfie;
mod stage;

#[cfg(feature = "ssr")]
pub(crate) use stage::Around;

#[cfg(feature = "hydrate")]
mod browser;

/// What browsers inside other apps say of themselves (`navigator.userAgent`), as a regular expression of JavaScript: Android's WebView, and on
/// an iPhone or iPad whatever does not name a version of Safari: LINE names it without one. Such an app may have a camera for its pages and refuse it.
pub const IN_APP: &str = r"; wv\)|^(?!.*Safari/).*(iPhone|iPad)";
