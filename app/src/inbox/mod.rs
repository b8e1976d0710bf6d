//! The webhook inbox of the demonstration: what arrived, with its headers and the check of its signature.

mod view;

use crate::page::{Area, Fields, Refused, Request, page};
use domain::time::Timestamp;
use leptos::prelude::*;
use leptos_router::{MatchNestedRoutes, SsrMode::Async, components::Route, path};
use std::convert::Infallible;

/// A webhook that arrived.
#[derive(Clone, Debug)]
pub struct Received {
    /// The first one is 1.
    pub number: u64,
    /// When.
    pub at: Timestamp,
    /// Its headers.
    pub headers: Vec<(&'static str, String)>,
    /// Its body, as it was signed.
    pub body: String,
    /// Whether its signature is valid.
    pub signature: SignatureCheck,
}

/// The check of a signature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SignatureCheck {
    /// Valid for the secret of this tenant.
    Valid(String),
    /// Valid for no secret that the demonstration knows.
    Unknown,
}

/// Somebody at the machine of the demonstration.
#[derive(Clone)]
pub struct InboxReader {
    /// Newest first.
    pub received: Vec<Received>,
    /// The receiver URL of the inbox.
    pub address: &'static str,
}

/// The page.
#[component(transparent)]
pub(crate) fn InboxRoutes() -> impl MatchNestedRoutes + Clone {
    view! { <Route path=path!("/demo/inbox") view=InboxPage ssr=Async/> }.into_inner()
}

/// What arrived.
#[component]
pub fn InboxPage() -> impl IntoView {
    page(|request: Request<InboxReader>| async move { Ok(view::render(&request.who, &request.nonce)) })
}

impl Area for InboxReader {
    type Fault = Infallible;

    async fn fields(_: axum::extract::Request) -> Result<Fields, Infallible> {
        Ok(Fields::default())
    }

    async fn refused(_: &Request<Self>, fault: Infallible) -> Refused {
        match fault {}
    }
}
