//! `/healthz`: the process responds. `/readyz`: it can serve, that is, read and write.

use crate::state::App;
use axum::{Json, Router, extract::State, http::StatusCode, response::IntoResponse, routing::get};
use serde_json::json;
use service::runtime::readiness::readiness;

pub(crate) fn routes() -> Router<App> {
    Router::new()
        .route("/healthz", get(|| async { "ok\n" }))
        .route("/readyz", get(ready))
}

/// Missing models do not make a node unready: its sessions go to human review. Neither does a clock that has jumped: only what
/// destroys waits until it has been steady for a while. Nor does a missing version of the master key: most of what is stored may not need
/// it.
async fn ready(State(app): State<App>) -> impl IntoResponse {
    let found = readiness(&app.honnin).await;
    let ready = found.is_whole() && !app.stopping.is_cancelled();
    let status = if ready {
        StatusCode::OK
    } else {
        StatusCode::SERVICE_UNAVAILABLE
    };
    let missing: Vec<_> = app.models_missing.iter().map(|missing| missing.as_str()).collect();
    (
        status,
        Json(json!({
            "ready": ready,
            "database": found.database,
            "keys": found.keys,
            "pictures": found.pictures,
            "masterKey": found.master_key,
            "clock": app.honnin.clock_is_steady(),
            "models": missing.is_empty(),
            "modelsMissing": missing,
        })),
    )
}
