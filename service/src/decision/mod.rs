//! The automatic decision: what it is made of, what earlier sessions add to it, and what is kept of it.

pub(crate) mod again;
pub mod decide;
pub(crate) mod earlier;
pub(crate) mod input;
pub(crate) mod record;
pub mod verify;
