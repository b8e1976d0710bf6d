//! `/metrics` for an operator's Prometheus, on an address of its own that is off unless configured. Nobody signs in there: whoever
//! reaches it reads it.

use crate::{edge::Limits, metrics::Metrics, state::App};
use axum::{
    Router,
    extract::State,
    http::{StatusCode, header::CONTENT_TYPE},
    response::{IntoResponse, Response},
    routing::get,
};
use prometheus_client::metrics::gauge::Gauge;
use service::jobs::backlog::backlog;
use std::sync::Arc;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

/// What the text is, by the standard it follows.
const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Answers on `listener` until `stop` is cancelled. Its own connections are not among the metrics.
pub(crate) async fn serve(app: App, listener: TcpListener, stop: CancellationToken) {
    let limits = app.config.limits;
    let limits = Limits {
        connections: 16,
        ..limits
    };
    let proxies = Arc::new(app.config.proxies.clone());
    let router = Router::new().route("/metrics", get(scrape)).with_state(app);
    crate::edge::serve(listener, None, router, limits, proxies, Gauge::default(), stop).await;
}

async fn scrape(State(app): State<App>) -> Response {
    // Metrics of the process are told also while the database does not answer.
    match backlog(&app.honnin).await {
        Ok(waiting) => app.metrics.note_backlog(&waiting),
        Err(error) => tracing::warn!(%error, "the jobs that wait could not be counted"),
    }
    told(&app.metrics)
}

fn told(metrics: &Metrics) -> Response {
    match metrics.text() {
        Ok(text) => ([(CONTENT_TYPE, OPEN_METRICS)], text).into_response(),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}
