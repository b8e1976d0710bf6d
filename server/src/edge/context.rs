//! What the edge determined about a request, for handlers to extract.

use axum::extract::FromRequestParts;
use domain::ids::RequestId;
use http::{StatusCode, request::Parts};
use std::net::{IpAddr, SocketAddr};

/// The peer of the connection, proxy or client. Set by the accept loop.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Peer(pub SocketAddr);

/// One request's identity. Any handler can take it as an argument.
#[derive(Clone, Debug)]
pub struct RequestContext {
    /// Appears in logs, in `x-request-id` and in the bodies of internal errors.
    pub id: RequestId,
    /// The client's address; IPv4-mapped forms are already unmapped.
    pub client: IpAddr,
    /// The nonce of this response's Content-Security-Policy; pages put it on their scripts and styles.
    pub nonce: String,
}

impl<S: Sync> FromRequestParts<S> for RequestContext {
    type Rejection = StatusCode;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, StatusCode> {
        parts
            .extensions
            .get::<Self>()
            .cloned()
            .ok_or(StatusCode::INTERNAL_SERVER_ERROR)
    }
}
