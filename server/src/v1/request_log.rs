//! Notes what customers' servers called, for their developers. Of a request that no key of a tenant was found for, nothing is
//! noted: it belongs to nobody.

use crate::{edge::RequestContext, state::App};
use axum::{
    extract::{MatchedPath, Request, State},
    middleware::Next,
    response::Response,
};
use service::{request_log, stored::RequestEntry};
use std::time::Instant;

/// An extension of an error response: its `_tag`.
#[derive(Clone, Debug)]
pub(super) struct ErrorTag(pub(super) String);

/// The middleware of every operation.
pub(super) async fn logged(
    State(app): State<App>,
    context: RequestContext,
    route: MatchedPath,
    request: Request,
    next: Next,
) -> Response {
    let (started, at, method) = (Instant::now(), app.honnin.now(), request.method().to_string());
    let response = next.run(request).await;
    if let Some(caller) = context.caller.get() {
        let entry = RequestEntry {
            tenant: caller.tenant.clone(),
            key: caller.key.clone(),
            at,
            request: context.id.clone(),
            method,
            route: route.as_str().to_owned(),
            status: response.status().as_u16(),
            error: response.extensions().get::<ErrorTag>().map(|tag| tag.0.clone()),
            duration_ms: i64::try_from(started.elapsed().as_millis()).unwrap_or(i64::MAX),
            address: context.client.to_string(),
        };
        request_log::note(&app.honnin, entry);
    }
    response
}
