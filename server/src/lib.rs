//! The server: configuration, command line, router, `/v1`, uploads, headers, life cycle. It contains no rules: it calls the
//! operations of `service`.

pub mod cli;
pub mod config;
pub mod edge;
pub mod inbox;
mod language;
pub mod master_key;
pub mod metrics;
pub mod open;
pub mod router;
pub mod serve;
pub mod state;
pub mod upload;
pub mod v1;

mod audit_export;
mod beside;
mod capture;
mod console;
mod cookies;
mod csp_reports;
mod demo;
#[cfg(test)]
mod fuzz;
mod health;
mod held_secrets;
mod hold;
mod http_client;
mod metrics_endpoint;
mod openid;
#[cfg(debug_assertions)]
mod reload;
mod same_origin;
mod service_manager;
mod site;
mod unanswered;
