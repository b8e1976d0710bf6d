//! Sessions: their rows and links, what was answered to a repeated creation, creation rates, searches and statistics.

pub mod blind_index;
pub mod creation_rates;
pub mod creations;
pub mod ended;
pub mod idempotency;
pub mod links;
pub mod queue_stays;
pub mod saved_filters;
pub mod search;
pub mod sessions;
pub mod statistics;
