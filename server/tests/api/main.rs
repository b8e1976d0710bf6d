//! The real router behind the real accept loop, over real sockets, on a real SQLite; only the clock is manual.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

mod access;
mod browser;
mod capture;
mod climbs;
mod console;
mod create;
mod crowd;
mod early;
mod edge;
mod elsewhere;
mod erase_now;
mod examples;
mod forwarding;
mod limits;
mod metrics;
mod pages;
mod read;
mod reprocess;
mod sandbox;
mod scopes;
mod shape;
mod shares;
mod spec;
mod support;
mod timing;
mod tls;
mod uploads;
mod wall;
mod webhooks;
