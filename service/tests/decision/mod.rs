//! The automatic decision, and what earlier sessions add to it.

mod decide;
mod earlier;
mod verify;
