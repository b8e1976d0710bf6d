//! What the edge determined about a request, for handlers to extract.

use super::fair_pool::{Exhausted, Permit, TenantPool};
use axum::extract::FromRequestParts;
use domain::ids::{ApiKeyId, RequestId, TenantId};
use http::{StatusCode, request::Parts};
use std::{
    net::{IpAddr, SocketAddr},
    sync::{Arc, OnceLock},
    time::Instant,
};

/// The peer of the connection, proxy or client. Set by the accept loop.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Peer(pub SocketAddr);

/// The customer's server that sends a request.
#[derive(Clone, Debug)]
pub struct Caller {
    /// Its tenant.
    pub tenant: TenantId,
    /// Its key.
    pub key: ApiKeyId,
}

/// One request's identity. Any handler can take it as an argument.
#[derive(Clone, Debug)]
pub struct RequestContext {
    /// Appears in logs, in `x-request-id` and in the bodies of internal errors.
    pub id: RequestId,
    /// When its head had arrived.
    pub started: Instant,
    /// The client's address; IPv4-mapped forms are already unmapped.
    pub client: IpAddr,
    /// The nonce of this response's Content-Security-Policy; pages put it on their scripts and styles.
    pub nonce: String,
    /// The caller, once a handler knows it.
    pub caller: Arc<OnceLock<Caller>>,
    /// What the caller's tenant holds of the node's requests until this one is answered.
    permit: Arc<OnceLock<Permit<TenantId>>>,
}

impl RequestContext {
    /// The context of a request whose caller is not known yet.
    pub(crate) fn new(id: RequestId, client: IpAddr, nonce: String) -> Self {
        Self {
            id,
            started: Instant::now(),
            client,
            nonce,
            caller: Arc::default(),
            permit: Arc::default(),
        }
    }

    /// Takes one of the requests that the caller's tenant may have running. Returns whether there was one.
    pub(crate) fn take_permit(&self, requests: &TenantPool) -> bool {
        let Some(caller) = self.caller.get() else { return true };
        match requests.0.take(caller.tenant.clone(), 1, 0) {
            Ok(permit) => self.permit.set(permit).is_ok(),
            Err(Exhausted::All | Exhausted::Share) => false,
        }
    }

    /// Notes who the caller is.
    pub(crate) fn identify(&self, tenant: &TenantId, key: &ApiKeyId) {
        self.caller.get_or_init(|| Caller {
            tenant: tenant.clone(),
            key: key.clone(),
        });
    }
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
