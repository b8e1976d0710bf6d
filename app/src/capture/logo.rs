//! Tenants' logos. Their address contains the hash of their bytes, so browsers cache them forever.

use super::{
    refusal::Refusal,
    visit::{PageResult, Request},
};
use crate::page::handler;
use axum::{
    Router,
    response::{IntoResponse as _, Response},
    routing::get,
};
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use service::settings::logo::logo_png;

/// The endpoint that serves them.
pub(super) fn forms() -> Router {
    Router::new().route("/logos/{hash}", get(handler(png)))
}

async fn png(request: Request) -> PageResult<Response> {
    let png = logo_png(request.honnin(), request.param("hash")).await?;
    let headers = [
        (CONTENT_TYPE, "image/png"),
        (CACHE_CONTROL, "public, max-age=31536000, immutable"),
    ];
    Ok((headers, png.ok_or(Refusal::NotFound)?).into_response())
}
