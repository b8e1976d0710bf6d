//! The server: configuration, command line, router, `/v1`, uploads, headers, life cycle. It holds no rules; it fills the pages'
//! view models and calls the verbs of `service`.

pub mod cli;
pub mod config;
pub mod edge;
pub mod metrics;
pub mod open;
pub mod router;
pub mod serve;
pub mod state;
pub mod upload;
pub mod v1;

mod beside;
mod capture;
mod console;
mod health;
mod metrics_endpoint;
mod same_origin;
mod site;
