//! Records what customers' servers called, for their developers. A request without a valid key of a tenant is not recorded:
//! it belongs to nobody.

use crate::{
    edge::{HUNG_UP, RequestContext},
    metrics::name_of,
    state::App,
};
use axum::{
    extract::{MatchedPath, Request, State},
    middleware::Next,
    response::Response,
};
use domain::time::Timestamp;
use http::Method;
use service::{request_log, stored::RequestEntry};
use std::mem;

/// An extension of an error response: its `_tag`.
#[derive(Clone, Debug)]
pub(super) struct ErrorTag(pub(super) String);

/// Stands for every path that leads nowhere: what was asked for there is not recorded.
const NOWHERE: &str = "/v1/*";

/// A request that has no answer yet. If its client hangs up, its future is dropped, and this with it.
pub(super) struct Unanswered {
    app: App,
    context: RequestContext,
    method: String,
    route: String,
    at: Timestamp,
    is_noted: bool,
}

impl Unanswered {
    /// A request for the route with this template, whose id may be empty.
    pub(super) fn new(app: App, context: RequestContext, method: &Method, route: &str) -> Self {
        Self {
            at: app.honnin.now(),
            app,
            context,
            method: name_of(method).to_owned(),
            route: named(route),
            is_noted: false,
        }
    }

    /// Notes it with its response.
    pub(super) fn answered(mut self, response: &Response) {
        let error = response.extensions().get::<ErrorTag>().map(|tag| tag.0.clone());
        if error.as_deref() == Some("NotFound") {
            NOWHERE.clone_into(&mut self.route);
        }
        self.note(response.status().as_u16(), error);
    }

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
            route: mem::take(&mut self.route),
            status,
            error,
            duration_ms: i64::try_from(self.context.started.elapsed().as_millis()).unwrap_or(i64::MAX),
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

/// The template of an operation by that of a route, which may have no id where the operation has one.
fn named(route: &str) -> String {
    let route = route.replace("//", "/{id}/");
    match route.strip_suffix('/') {
        Some(whole) if whole.ends_with("{id}") => whole.to_owned(),
        Some(_) => route + "{id}",
        None => route,
    }
}

/// The middleware of every operation.
pub(super) async fn logged(
    State(app): State<App>,
    context: RequestContext,
    route: MatchedPath,
    request: Request,
    next: Next,
) -> Response {
    let unanswered = Unanswered::new(app, context, request.method(), route.as_str());
    let response = next.run(request).await;
    unanswered.answered(&response);
    response
}
