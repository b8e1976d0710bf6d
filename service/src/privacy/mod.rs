//! The end of personal data: when its retention has run out, or because an admin says so.

pub mod after_restore;
pub(crate) mod erase;
pub mod erase_now;
