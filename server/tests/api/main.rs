//! The real router behind the real accept loop, over real sockets, on a real SQLite; only the clock stands still.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

mod access;
mod browser;
mod capture;
mod console;
mod create;
mod edge;
mod limits;
mod pages;
mod read;
mod reprocess;
mod shape;
mod support;
mod tls;
mod uploads;
mod webhooks;
