//! Webhooks: delivered, sent again, and what receivers do to them.

mod deliver;
mod fairness;
mod hostile;
mod newer_version;
mod redeliver;
mod unsent;
