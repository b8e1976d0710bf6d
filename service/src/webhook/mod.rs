//! Webhooks: events are recorded, rendered, signed, sent and sent again; signing secrets, and help for the developers of receivers.

pub(crate) mod deliver;
pub mod delivery_log;
pub mod diagnose;
pub mod event_log;
pub(crate) mod payload;
pub mod record_event;
pub mod redeliver;
pub mod schedule;
pub mod sender;
pub mod signing_secret;
pub mod unsent;
