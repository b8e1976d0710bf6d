//! Webhooks: events, the outbox, deliveries and their attempts.

pub mod deliveries;
pub mod delivery_attempts;
pub mod events;
pub mod outbox;
