//! The camera: two islands that make the upload forms better where a browser can, and the stage they share.
//!
//! On the server an island is a button that stays hidden until the browser's half is awake; the plain form beside it works
//! without. The camera is asked for only after a tap.

pub mod document;
pub mod retry;
pub mod selfie;
mod stage;

#[cfg(feature = "hydrate")]
mod browser;
