//! Notes what customers' servers called, for their developers. Of a request that no key of a tenant was found for, nothing is
//! noted: it belongs to nobody.

use crate::{
    edge::{HUNG_UP, RequestContext},
    state::App,
};
use axum::{
    extract::{MatchedPath, Request, State},
    middleware::Next,
    response::Response,
};
use domain::time::Timestamp;
use service::{request_log, stored::RequestEntry};
use std::{mem, time::Instant};

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
    let mut entry = Unanswered {
        at: app.honnin.now(),
        app,
        started: Instant::now(),
        context,
        route,
        method: request.method().to_string(),
        is_noted: false,
    };
    let response = next.run(request).await;
    let error = response.extensions().get::<ErrorTag>().map(|tag| tag.0.clone());
    entry.note(response.status().as_u16(), error);
    response
}

/// A request that has no answer yet. If its client hangs up, its future is dropped, and this with it.
struct Unanswered {
    app: App,
    context: RequestContext,
    route: MatchedPath,
    method: String,
    at: Timestamp,
    started: Instant,
    is_noted: bool,
}

impl Unanswered {
    fn note(&mut self, status: u16, error: Option<String>) {
        self.is_noted = true;
        let Some(caller) = self.context.caller.get() else {
            return;
        };
        let entry = RequestEntry {
            tenant: caller.tenant.clone(),
            key: caller.key.clone(),
            at: self.at,
            request: self.context.id.clone(),
            method: mem::take(&mut self.method),
            route: self.route.as_str().to_owned(),
            status,
            error,
            duration_ms: i64::try_from(self.started.elapsed().as_millis()).unwrap_or(i64::MAX),
            address: self.context.client.to_string(),
        };
        request_log::note(&self.app.honnin, entry);
    }
}

impl Drop for Unanswered {
    fn drop(&mut self) {
        if !self.is_noted {
            self.note(HUNG_UP, None);
        }
    }
}
