//! Connections, TLS, addresses, files, metrics.

mod bodies;
mod connections;
mod early_responses;
mod fair_shares;
mod forwarding;
mod idle_connections;
mod metrics;
mod site;
mod slow_uploads;
mod tls;
