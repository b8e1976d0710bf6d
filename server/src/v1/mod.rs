//! `/v1`: the three operations of the contract, those around them, and two for sandboxes. Every response is JSON, including
//! those for unknown paths.

mod advance;
mod body;
mod caller;
mod cancel;
mod create;
mod description;
mod erase;
mod error;
mod events;
mod examples;
#[cfg(test)]
mod fuzz;
mod list;
mod nowhere;
mod on_session;
mod query;
mod read;
mod refusals;
mod reprocess;
mod request_log;
mod sandbox;

pub use description::document;

pub(crate) use error::ApiError;
pub(crate) use nowhere::nothing_here;

/// The largest body of a request, in bytes.
pub(crate) const LARGEST_BODY: u64 = body::LIMIT as u64;

use crate::{edge::RequestContext, state::App};
use app::{
    docs::{COLLECTION, COLLECTION_PATH, NoSuchGuide, Reader},
    page::refuse,
    routes,
};
use axum::{
    Router,
    extract::{Request, State},
    http::header::CONTENT_TYPE,
    middleware::{Next, from_fn_with_state},
    response::{Redirect, Response},
    routing::{get, post},
};
use std::sync::Arc;
use url::Url;

/// The routes.
pub(crate) fn routes(app: &App) -> Router<App> {
    Router::new()
        .route("/v1/verification-sessions", get(list::handler))
        .route("/v1/verification-sessions", post(create::handler))
        // A missing or malformed id is treated like an id that does not exist.
        .route(
            "/v1/verification-sessions/",
            get(read::handler).fallback(nowhere::not_found),
        )
        .route("/v1/verification-sessions/{id}", get(read::handler))
        .route(
            "/v1/verification-sessions/{id}/",
            get(read::handler).fallback(nowhere::not_found),
        )
        .route("/v1/verification-sessions/{id}/reprocess", post(reprocess::handler))
        .route("/v1/verification-sessions//reprocess", post(reprocess::handler))
        .route("/v1/verification-sessions/{id}/cancel", post(cancel::handler))
        .route("/v1/verification-sessions//cancel", post(cancel::handler))
        .route("/v1/verification-sessions/{id}/erase", post(erase::handler))
        .route("/v1/verification-sessions//erase", post(erase::handler))
        .route("/v1/events", get(events::handler))
        .route(
            "/v1/sandbox/verification-sessions/{id}/complete",
            post(sandbox::handler),
        )
        .route("/v1/sandbox/verification-sessions//complete", post(sandbox::handler))
        .route("/v1/sandbox/verification-sessions/{id}/advance", post(advance::handler))
        .route("/v1/sandbox/verification-sessions//advance", post(advance::handler))
        .route("/v1/openapi.json", get(description::handler))
        .route("/v1/openapi-3.0.json", get(description::handler_3_0))
        .method_not_allowed_fallback(nowhere::method_not_allowed)
        .route_layer(from_fn_with_state(app.clone(), request_log::logged))
}

/// The page that describes the API.
pub(crate) fn docs_routes(app: &App) -> Router<App> {
    let reader = Reader {
        description: Arc::new(description::json_of(&app.config.base_url)),
    };
    let collection = collection_of(&app.config.base_url);
    let collection = async move || ([(CONTENT_TYPE, "application/json")], collection.clone());
    routes::docs()
        .route_layer(from_fn_with_state((app.clone(), reader), for_readers))
        .route(COLLECTION_PATH, get(collection))
        .route("/docs/", get(|| async { Redirect::permanent("/docs") }))
        .with_state(())
}

/// The collection with the address of this installation in the place of the demonstration's.
fn collection_of(base_url: &Url) -> String {
    COLLECTION.replace("http://localhost:3000", base_url.as_str().trim_end_matches('/'))
}

/// The response to an unknown address below `/docs/`.
pub(crate) async fn no_such_guide(app: &App, context: &RequestContext) -> Response {
    // The page needs no description.
    let reader = Reader {
        description: Arc::default(),
    };
    refuse(app.page_request(context, reader), NoSuchGuide).await
}

/// Passes the description to the page.
async fn for_readers(
    State((app, reader)): State<(App, Reader)>,
    context: RequestContext,
    mut request: Request,
    next: Next,
) -> Response {
    request.extensions_mut().insert(app.page_request(&context, reader));
    next.run(request).await
}
