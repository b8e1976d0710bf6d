//! The outermost layer: names the request, finds its client, bounds how many run at once, catches panics, completes the headers,
//! and writes the one log line. Never logged: paths (they hold link tokens and ids), queries, bodies, keys, addresses' headers.

use super::{Peer, Proxies, RequestContext, headers};
use crate::figures::Requests;
use axum::{
    extract::{MatchedPath, Request, State},
    middleware::Next,
    response::Response,
};
use domain::ids::RequestId;
use futures::FutureExt as _;
use http::{HeaderName, HeaderValue};
use std::{net::IpAddr, panic::AssertUnwindSafe, sync::Arc, time::Instant};
use tokio::sync::Semaphore;
use tracing::Instrument as _;

/// Answers for a request that no handler answers: made by the router, which knows what its clients understand.
pub type Refusal = fn(path: &str, context: &RequestContext) -> Response;

/// What the layer needs to know.
#[derive(Clone)]
pub struct Outer {
    /// Who may say who the client is.
    pub proxies: Arc<Proxies>,
    /// A slot for each request that may run.
    pub slots: Arc<Semaphore>,
    /// Whether browsers are told to come back with TLS only.
    pub hsts: bool,
    /// Where answers are counted.
    pub requests: Requests,
    /// The answer when there is no slot.
    pub unavailable: Refusal,
    /// The answer when a handler panicked.
    pub broken: Refusal,
}

/// The layer, for [`axum::middleware::from_fn_with_state`].
pub async fn outermost(State(outer): State<Outer>, mut request: Request, next: Next) -> Response {
    let started = Instant::now();
    let peer = request
        .extensions()
        .get::<Peer>()
        .map_or(IpAddr::from([0, 0, 0, 0]), |peer| peer.0.ip());
    let context = RequestContext {
        id: RequestId::from_random(rand::random()),
        client: outer.proxies.client(peer, request.headers()),
        nonce: hex::encode(rand::random::<[u8; 16]>()),
    };
    request.extensions_mut().insert(context.clone());
    let method = request.method().clone();
    let route = request
        .extensions()
        .get::<MatchedPath>()
        .map_or("-", MatchedPath::as_str)
        .to_owned();
    let path = request.uri().path().to_owned();
    let span = tracing::info_span!("request", id = %context.id, %method, route);
    // A process that has enough to do is alive all the same, and must not be killed for it.
    let alive = route == "/healthz";
    let mut response = match outer.slots.try_acquire() {
        Err(_) if !alive => (outer.unavailable)(&path, &context),
        _slot => match AssertUnwindSafe(next.run(request))
            .catch_unwind()
            .instrument(span.clone())
            .await
        {
            Ok(response) => response,
            Err(_) => {
                span.in_scope(|| tracing::error!("a handler panicked"));
                (outer.broken)(&path, &context)
            }
        },
    };
    if let Ok(id) = HeaderValue::from_str(context.id.as_str()) {
        response
            .headers_mut()
            .insert(HeaderName::from_static("x-request-id"), id);
    }
    headers::secure(response.headers_mut(), &context.nonce, outer.hsts);
    let (status, took) = (response.status().as_u16(), started.elapsed());
    outer.requests.note(&route, &method, status, took);
    let millis = took.as_millis();
    span.in_scope(|| {
        if route.starts_with("/pkg") || alive || route == "/readyz" {
            tracing::debug!(status, millis, "answered");
        } else {
            tracing::info!(status, millis, "answered");
        }
    });
    response
}
