//! Webhooks: events, the outbox, deliveries and their attempts, and what was not sent.

pub mod deliveries;
pub mod delivery_attempts;
pub mod events;
pub mod outbox;
mod sent;
pub mod unsent;
