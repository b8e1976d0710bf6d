//! The rules of identity verification. Pure: no I/O, no async, no clock of its own; compiles for the server and for the browser.

pub mod document;
pub mod findings;
