//! What the system can do: one verb, one file. Plus the worker that runs background jobs and the sender of webhooks.

pub mod access;
pub mod api_key;
pub mod clock;
pub mod create_session;
pub mod examiner;
mod expire;
pub mod honnin;
pub mod random;
pub mod read_session;
pub mod record_event;
pub mod reprocess;
mod sealed;
pub mod token;
pub mod worker;

pub use honnin::{Honnin, Parts, ServiceConfig};
