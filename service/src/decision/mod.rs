//! The automatic decision: what it is made of, what earlier sessions add to it, and what is kept of it.

pub mod decide;
pub(crate) mod earlier;
pub(crate) mod input;
pub(crate) mod record;
