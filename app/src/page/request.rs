//! What a page knows about its request.

use super::fields::{Fields, Malformed};
use crate::Assets;
use axum::{
    extract::{FromRequestParts, Path},
    response::{IntoResponse, Response},
};
use http::{HeaderName, HeaderValue, StatusCode, request::Parts};
use leptos::prelude::*;
use service::Honnin;
use std::net::IpAddr;

/// What all pages of the installation have in common. Cheap to clone.
#[derive(Clone)]
pub struct Site {
    /// The service.
    pub honnin: Honnin,
    /// URLs of the hashed files.
    pub assets: Assets,
    /// The application that `leptos_axum` renders.
    pub(crate) app: fn() -> AnyView,
}

/// A request as pages and forms know it. The middleware in front of a page creates it; without it there is no page.
#[derive(Clone)]
pub struct Request<W> {
    /// The installation.
    pub site: Site,
    /// Who sent it.
    pub who: W,
    /// The client's address.
    pub client: IpAddr,
    /// The nonce of the response's Content-Security-Policy.
    pub nonce: String,
    /// The request's id in the log.
    pub id: String,
    params: Vec<(String, String)>,
    query: Result<Fields, Malformed>,
}

/// A part of the application with its own kind of visitor: who they are, and what they see if the request is refused.
pub trait Area: Clone + Send + Sync + 'static {
    /// Why a request is refused.
    type Fault: Clone + Send + Sync + 'static;

    /// The fields of a form.
    fn fields(body: axum::extract::Request) -> impl Future<Output = Result<Fields, Self::Fault>> + Send;

    /// Logs a fault that is an error of ours. Called once for each refused request.
    fn log(_fault: &Self::Fault) {}

    /// The response without a page, for clients that want none.
    fn answer(_request: &Request<Self>, _fault: &Self::Fault) -> Option<Response> {
        None
    }

    /// What is shown instead of the page.
    fn refused(request: &Request<Self>, fault: Self::Fault) -> impl Future<Output = Refused> + Send;
}

/// What is shown instead of a page.
pub struct Refused {
    /// The status.
    pub status: StatusCode,
    /// An additional header: where to continue, or when to retry.
    pub header: Option<(HeaderName, HeaderValue)>,
    /// The page; not sent with a redirect.
    pub view: AnyView,
}

impl<W> Request<W> {
    /// The request of `who`; its route fills in the rest.
    pub fn new(site: Site, who: W, client: IpAddr, nonce: String, id: String) -> Self {
        Self {
            site,
            who,
            client,
            nonce,
            id,
            params: Vec::new(),
            query: Ok(Fields::default()),
        }
    }

    /// The service.
    pub fn honnin(&self) -> &Honnin {
        &self.site.honnin
    }

    /// A path parameter, by its name in the route.
    pub fn param(&self, name: &str) -> &str {
        self.params
            .iter()
            .find(|(key, _)| key == name)
            .map_or("", |(_, value)| value)
    }

    /// The query.
    ///
    /// # Errors
    /// If it contains what none of our forms sends.
    pub fn query(&self) -> Result<&Fields, Malformed> {
        self.query.as_ref().map_err(|error| *error)
    }
}

impl<W: Area, S: Send + Sync> FromRequestParts<S> for Request<W> {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Response> {
        // Inserted by the middleware.
        let Some(mut request) = parts.extensions.get::<Self>().cloned() else {
            tracing::error!("a route lacks the middleware of its pages");
            return Err(StatusCode::INTERNAL_SERVER_ERROR.into_response());
        };
        let Path(params) = Path::from_request_parts(parts, state)
            .await
            .map_err(IntoResponse::into_response)?;
        request.params = params;
        request.query = Fields::of_bytes(parts.uri.query().unwrap_or_default().as_bytes());
        Ok(request)
    }
}
