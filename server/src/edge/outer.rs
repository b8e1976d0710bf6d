//! The outermost layer: names the request, finds its client, drops cookies that are not ours, waits for its body, limits how many
//! run at once, catches panics, completes the headers, and writes the one log line. Never logged: paths (they contain link
//! tokens and ids), queries, bodies, keys, header values.

use super::{
    HUNG_UP, Network, Peer, Phase, Proxies, RequestContext,
    gather::{Rest, gathered},
    headers,
    slots::{Class, Slot, Slots},
};
use crate::{
    cookies::drop_foreign,
    metrics::{Requests, name_of},
};
use axum::{
    extract::{MatchedPath, Request, State},
    middleware::Next,
    response::Response,
};
use domain::ids::RequestId;
use futures::FutureExt as _;
use http::{
    HeaderMap, HeaderName, HeaderValue, Method,
    header::{ACCEPT, ACCEPT_LANGUAGE, CONNECTION, COOKIE, EXPECT},
};
use std::{net::IpAddr, panic::AssertUnwindSafe, sync::Arc, time::Instant};
use tracing::{Instrument as _, Span};

/// What is known of a request that was given away to be answered, for the response if nobody answers it.
#[derive(Clone, Debug)]
pub struct Asked {
    /// Its method.
    pub method: Method,
    /// Its path.
    pub path: String,
    /// Those of its headers that say what kind of response is wanted, and in which language.
    pub headers: HeaderMap,
}

impl Asked {
    /// What is known of `request`.
    pub(crate) fn of(request: &Request) -> Self {
        let mut headers = HeaderMap::new();
        for name in [ACCEPT, ACCEPT_LANGUAGE, COOKIE, FETCH_DEST] {
            for value in request.headers().get_all(&name) {
                headers.append(&name, value.clone());
            }
        }
        Self {
            method: request.method().clone(),
            path: request.uri().path().to_owned(),
            headers,
        }
    }
}

/// What a browser wants the response for (W3C Fetch Metadata).
pub(crate) const FETCH_DEST: HeaderName = HeaderName::from_static("sec-fetch-dest");

/// The response to a request that no handler answers, built by the router, which knows the format its clients expect.
pub type Fallback = Arc<dyn Fn(&Asked, &RequestContext) -> Response + Send + Sync>;

/// What the layer needs to know.
#[derive(Clone)]
pub struct Outer {
    /// The trusted reverse proxies.
    pub proxies: Arc<Proxies>,
    /// The node's capacity for requests.
    pub slots: Arc<Slots>,
    /// The class of a request, by method, route template and path.
    pub class: fn(method: &Method, route: &str, path: &str) -> Class,
    /// Whether to send HSTS.
    pub hsts: bool,
    /// The request metrics.
    pub requests: Requests,
    /// The response if there is no slot.
    pub unavailable: Fallback,
    /// The response if a handler panicked.
    pub broken: Fallback,
}

/// The layer, for [`axum::middleware::from_fn_with_state`].
pub async fn outermost(State(outer): State<Outer>, mut request: Request, next: Next) -> Response {
    let context = context(&outer, &request);
    drop_foreign(request.headers_mut());
    request.extensions_mut().insert(context.clone());
    let asked = Asked::of(&request);
    let route = request
        .extensions()
        .get::<MatchedPath>()
        .map_or("-", MatchedPath::as_str)
        .to_owned();
    let class = (outer.class)(&asked.method, &route, &asked.path);
    let method = asked.method.clone();
    let span = tracing::info_span!("request", id = %context.id, method = %name_of(&method), route);
    let line = Line {
        requests: outer.requests.clone(),
        method,
        route,
        class,
        started: context.started,
        span: span.clone(),
        is_written: false,
    };
    let rest = Rest::default();
    let asks_first = request.headers().contains_key(EXPECT);
    let network = Network::of(context.client);
    let mut response = match admitted(&outer, request, class, network, &rest).await {
        None => (outer.unavailable)(&asked, &context),
        // Held here and not in the request, which a handler takes apart while it still runs.
        Some((request, _slot)) => match AssertUnwindSafe(next.run(request))
            .catch_unwind()
            .instrument(span.clone())
            .await
        {
            Ok(response) => response,
            Err(_) => {
                span.in_scope(|| tracing::error!("a handler panicked"));
                (outer.broken)(&asked, &context)
            }
        },
    };
    if !rest.drained(!asks_first).await {
        response
            .headers_mut()
            .insert(CONNECTION, HeaderValue::from_static("close"));
    }
    if let Ok(id) = HeaderValue::from_str(context.id.as_str()) {
        response
            .headers_mut()
            .insert(HeaderName::from_static("x-request-id"), id);
    }
    headers::secure(response.headers_mut(), &context.nonce, outer.hsts);
    line.answered(response.status().as_u16());
    response
}

/// The one log line of a request, and its metrics. If its client hangs up, its future is dropped, and this with it.
struct Line {
    requests: Requests,
    method: Method,
    route: String,
    class: Class,
    started: Instant,
    span: Span,
    is_written: bool,
}

impl Line {
    fn answered(mut self, status: u16) {
        self.write(status, "answered");
    }

    fn write(&mut self, status: u16, what: &'static str) {
        self.is_written = true;
        let took = self.started.elapsed();
        self.requests.note(&self.route, &self.method, status, took);
        let millis = took.as_millis();
        self.span.in_scope(|| match self.class {
            Class::Alive | Class::Probe => tracing::debug!(status, millis, "{what}"),
            _ if self.route.starts_with("/pkg") => tracing::debug!(status, millis, "{what}"),
            Class::Api | Class::Page | Class::Upload => tracing::info!(status, millis, "{what}"),
        });
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        if !self.is_written {
            self.write(HUNG_UP, "not answered: the client has hung up");
        }
    }
}

/// Identifies the request and its client.
fn context(outer: &Outer, request: &Request) -> RequestContext {
    let peer = request
        .extensions()
        .get::<Peer>()
        .map_or(IpAddr::from([0, 0, 0, 0]), |peer| peer.0.ip());
    RequestContext::new(
        RequestId::from_random(rand::random()),
        outer.proxies.client(peer, request.headers()),
        hex::encode(rand::random::<[u8; 16]>()),
    )
}

/// The request with its body and its slot; `None` if there is no capacity for either. The slot comes last, so that waiting for
/// a body holds none.
async fn admitted(
    outer: &Outer,
    request: Request,
    class: Class,
    network: Network,
    rest: &Rest,
) -> Option<(Request, Slot)> {
    let (mut parts, body) = request.into_parts();
    let body = match class {
        // Uploads have their own memory, for which they wait and in which they are read.
        Class::Upload => rest.lend(body),
        Class::Alive | Class::Probe | Class::Api | Class::Page => {
            let phase = parts.extensions.get::<Phase>().cloned().unwrap_or_default();
            phase.reading();
            let body = gathered(body, outer.slots.bodies(), network, rest).await;
            phase.busy();
            body.ok()?
        }
    };
    let slot = outer.slots.wait(class, network).await?;
    parts.extensions.insert(slot.clone());
    Some((Request::from_parts(parts, body), slot))
}
