//! The only crate that knows SQL, the disk, the object store and encryption at rest. It stores and finds; it contains no rules.
//!
//! One SQL text and one Rust body serve SQLite and Postgres (see [`db`]). Personal columns and pictures are encrypted with a
//! key of their session before they get here (see [`vault`]).

pub mod api_keys;
pub mod attempts;
pub mod audit;
pub mod capture_cookies;
pub mod captures;
pub mod console_sessions;
pub mod creation_rates;
pub mod db;
pub mod decisions;
pub mod deliveries;
pub mod delivery_attempts;
pub mod error;
pub mod events;
pub mod figures;
pub mod idempotency;
pub mod identities;
pub mod invitations;
pub mod jobs;
pub mod links;
pub mod outbox;
pub mod password_resets;
pub mod pictures;
pub mod reviews;
pub mod search;
pub mod sessions;
pub mod tenants;
pub mod users;
pub mod vault;
pub mod webhook_secrets;
pub mod write_checks;

#[cfg(test)]
extern crate self as store;

pub use db::{Db, DbOptions, Tx};
pub use error::StoreError;
