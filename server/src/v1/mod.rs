//! `/v1`: the three operations of the contract, and the one for sandboxes. Every answer is JSON, also those for what does not exist.

mod body;
mod caller;
mod create;
mod description;
mod docs;
mod error;
mod openapi;
mod read;
mod reprocess;
mod sandbox;

pub use description::document;

pub(crate) use error::ApiError;

use crate::state::App;
use axum::{
    Router,
    routing::{get, post},
};

/// The routes.
pub(crate) fn routes() -> Router<App> {
    Router::new()
        .route("/v1/verification-sessions", post(create::handler))
        // A missing or malformed id is an id that does not exist.
        .route("/v1/verification-sessions/", get(read::handler))
        .route("/v1/verification-sessions/{id}", get(read::handler))
        .route("/v1/verification-sessions/{id}/", get(read::handler))
        .route("/v1/verification-sessions/{id}/reprocess", post(reprocess::handler))
        .route("/v1/verification-sessions//reprocess", post(reprocess::handler))
        .route(
            "/v1/sandbox/verification-sessions/{id}/complete",
            post(sandbox::handler),
        )
        .route("/v1/sandbox/verification-sessions//complete", post(sandbox::handler))
        .route("/v1/openapi.json", get(description::handler))
        .method_not_allowed_fallback(error::method_not_allowed)
}

/// The page that describes the API.
pub(crate) fn docs_routes() -> Router<App> {
    Router::new().route("/docs", get(docs::handler))
}
