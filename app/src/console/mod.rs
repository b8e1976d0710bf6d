//! The console's pages: for reviewers, developers, admins and auditors, at a desk. English. Plain forms that work without any
//! script; what a script adds (zoom, keys) is in `case.js`. No rules: what somebody may do is said by the server.

pub mod audit;
pub mod case;
pub mod entry;
pub mod erase;
pub mod findings;
pub mod keys;
pub mod layout;
pub mod link;
pub mod overview;
pub mod parts;
pub mod password_links;
pub mod people;
pub mod queue;
mod sandbox;
pub mod session;
pub mod sessions;
pub mod settings;
pub mod webhooks;
pub mod words;

pub use layout::{Frame, May, Place};
pub use parts::Tone;
