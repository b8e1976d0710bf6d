//! Every store function on SQLite and on Postgres. Each test gets fresh databases from [`testkit::databases::backends`].

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod audit_chain;
mod audit_export;
mod blind_index;
mod buckets;
mod captures;
mod console;
mod coverage;
mod fixtures;
mod frame_prints;
mod identities;
mod jobs;
mod limits;
mod logos;
mod marks;
mod outbox;
mod people;
mod pictures;
mod provider_accounts;
mod redated;
mod request_log;
mod retention;
mod saved_filters;
mod schema;
mod search;
mod second_factors;
mod sessions;
mod statistics;
mod steps;
mod unsent;
mod vault;
mod webhooks;
mod write_checks;
