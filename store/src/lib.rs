//! The only crate that knows SQL, the disk, the object store and encryption at rest. It stores and finds; it contains no rules.
//!
//! One SQL text and one Rust body serve SQLite and PostgreSQL (see [`db`]). Personal columns and pictures are encrypted with a
//! key of their session before they get here (see [`vault`]).

pub mod audit;
pub mod audit_chain;
pub mod audit_export;
pub mod backup;
pub mod capture;
pub mod db;
pub mod decision;
pub mod dial;
pub mod error;
pub mod folders;
mod ids;
pub mod jobs;
pub mod marks;
pub mod metrics;
pub mod people;
pub mod request_log;
pub mod review;
pub mod session;
pub mod settings;
pub mod tls;
pub mod vault;
pub mod webhook;
pub mod write_checks;

pub use db::{Db, DbOptions, Tx};
pub use error::StoreError;
