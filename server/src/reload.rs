//! Pages reload by themselves after `make dev` has started the server again. Only in debug builds, and only with `demo --reload`.

use crate::{edge::RequestContext, state::App};
use axum::{
    Router,
    body::{Body, to_bytes},
    extract::{Request, State},
    middleware::{Next, from_fn_with_state},
    response::{IntoResponse, Response},
    routing::get,
};
use http::{
    StatusCode,
    header::{CONTENT_LENGTH, CONTENT_TYPE},
};
use std::sync::Arc;

/// The pages, each with a script that waits for another start.
pub(crate) fn reloading(pages: Router<App>) -> Router<App> {
    let start: Arc<str> = hex::encode(rand::random::<[u8; 8]>()).into();
    pages
        .layer(from_fn_with_state(Arc::clone(&start), with_script))
        .route("/dev/start", get(async move || start.to_string()))
        .route("/dev/stopping", get(stopping))
}

async fn with_script(State(start): State<Arc<str>>, context: RequestContext, request: Request, next: Next) -> Response {
    let response = next.run(request).await;
    let is_page = response
        .headers()
        .get(CONTENT_TYPE)
        .is_some_and(|kind| kind.as_bytes().starts_with(b"text/html"));
    if !is_page {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    let Ok(page) = to_bytes(body, usize::MAX).await else {
        return StatusCode::INTERNAL_SERVER_ERROR.into_response();
    };
    let (nonce, script) = (&context.nonce, include_str!("reload.js").trim());
    let script = format!("<script nonce={nonce:?}>({script})({start:?})</script>");
    parts.headers.remove(CONTENT_LENGTH);
    Response::from_parts(parts, Body::from([&page, script.as_bytes()].concat()))
}

/// Answers when the server stops.
async fn stopping(State(app): State<App>) {
    app.stopping.cancelled().await;
}
