//! The real router behind the real accept loop, over real sockets, on a real SQLite; only the clock is manual.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

mod access;
mod attack_report;
mod audit;
mod audit_export;
mod browser;
mod capture;
mod console;
mod console_language;
mod demo;
mod docs;
mod edge;
mod events;
mod find_person;
mod listen;
mod models;
mod people;
mod privacy;
mod request_log;
mod review;
mod sandbox;
mod session;
mod sessions_list;
mod settings;
mod spec;
mod support;
mod webhook;
