//! `/metrics` for an operator's Prometheus, on a separate address that is off unless configured. It has no authentication:
//! anyone who can reach it can read it.

use crate::{
    edge::{self, Limits, Served},
    metrics::Metrics,
    state::App,
};
use axum::{
    Router,
    extract::State,
    http::{StatusCode, header::CONTENT_TYPE},
    response::{IntoResponse, Response},
    routing::get,
};
use prometheus_client::metrics::gauge::Gauge;
use service::{
    audit_export,
    jobs::backlog::{backlog, failing},
    privacy::secret_age::oldest,
};
use std::sync::Arc;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

/// The content type of the OpenMetrics text format.
const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Serves `listener` until `stop` is cancelled. Its own connections are not counted in the metrics.
pub(crate) async fn serve(app: App, listener: TcpListener, stop: CancellationToken) {
    let limits = app.config.limits;
    let limits = Limits {
        connections: 16,
        ..limits
    };
    let served = Served {
        tls: None,
        limits,
        proxies: Arc::new(app.config.proxies.clone()),
        open: Gauge::default(),
        router: Router::new().route("/metrics", get(scrape)).with_state(app),
    };
    edge::serve(listener, served, stop).await;
}

async fn scrape(State(app): State<App>) -> Response {
    app.metrics.note_clock(app.honnin.clock_is_steady());
    // Metrics of the process are served even if the database does not respond; those of the database are left out then.
    match (backlog(&app.honnin).await, failing(&app.honnin).await) {
        (Ok(waiting), Ok(failing)) => {
            app.metrics.note_backlog(&waiting);
            app.metrics.note_failing(&failing);
        }
        (Err(error), _) | (_, Err(error)) => {
            tracing::warn!(%error, "cannot count the pending jobs");
            app.metrics.forget_backlog();
        }
    }
    match oldest(&app.honnin).await {
        Ok(ages) => app.metrics.note_secret_ages(&ages, app.honnin.now()),
        Err(error) => {
            tracing::warn!(%error, "cannot read the ages of secrets");
            app.metrics.forget_secret_ages();
        }
    }
    app.metrics.note_audit_export_backlog(count_unexported(&app).await);
    exposition(&app.metrics)
}

/// How many entries of the audit log wait to be exported; `None` if that cannot be read.
async fn count_unexported(app: &App) -> Option<i64> {
    if app.config.audit.export.is_none() {
        return Some(0);
    }
    let counted = audit_export::backlog(&app.honnin).await;
    counted
        .inspect_err(|error| tracing::warn!(%error, "cannot count the entries of the audit log that are not exported"))
        .ok()
}

fn exposition(metrics: &Metrics) -> Response {
    match metrics.text() {
        Ok(text) => ([(CONTENT_TYPE, OPEN_METRICS)], text).into_response(),
        Err(error) => {
            tracing::error!(%error, "cannot write the metrics");
            StatusCode::INTERNAL_SERVER_ERROR.into_response()
        }
    }
}
