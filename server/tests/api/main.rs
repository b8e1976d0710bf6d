//! The real router behind the real accept loop, over real sockets, on a real SQLite; only the clock is manual.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

mod access;
mod browser;
mod capture;
mod console;
mod create;
mod early_responses;
mod edge;
mod erase_now;
mod examples;
mod fair_shares;
mod forwarding;
mod idle_connections;
mod limits;
mod metrics;
mod pages;
mod privilege_escalation;
mod read;
mod reprocess;
mod response_format;
mod sandbox;
mod scopes;
mod spec;
mod support;
mod switch_device;
mod tenant_isolation;
mod timing;
mod tls;
mod uploads;
mod webhooks;
