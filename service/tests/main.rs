//! The operations on real databases: a module for each area. One program, since linking each area apart would take longer than running it.

#![expect(clippy::unwrap_used, reason = "a test may panic")]
#![expect(clippy::print_stdout, reason = "prints seeds, and how much was tested")]

mod audit;
mod audit_export;
mod capture;
mod decision;
mod jobs;
mod model;
mod people;
mod privacy;
mod races;
mod readiness;
mod request_log;
mod review;
mod sandbox;
mod session;
mod settings;
mod ssrf;
mod webhook;
mod webhook_outages;
