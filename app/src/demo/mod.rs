//! Pages of the demonstration that play the customer's part: the receiver of its webhooks, and the page at its callback URL.

mod callback;
mod inbox;

use crate::page::{Area, Fields, Refused, Request, page};
use domain::time::Timestamp;
use leptos::prelude::*;
use leptos_router::{
    SsrMode::Async,
    any_nested_route::{AnyNestedRoute, IntoAnyNestedRoute as _},
    components::Route,
    path,
};
use serde_json::Value;
use std::convert::Infallible;

/// The path of the inbox.
pub const INBOX_PATH: &str = "/demo/inbox";
/// The path of the page to which users return.
pub const CALLBACK_PATH: &str = "/demo/callback";
/// The receiver URL of the inbox. Names under `.invalid` exist nowhere (RFC 6761), so it can only mean the inbox.
pub const INBOX_URL: &str = "https://inbox.invalid/demo";

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

impl Received {
    fn text(&self, pointer: &str) -> String {
        let body: Option<Value> = serde_json::from_str(&self.body).ok();
        let value = body.as_ref().and_then(|body| body.pointer(pointer)?.as_str());
        value.unwrap_or_default().to_owned()
    }

    /// Its type; empty if the body has none.
    #[must_use]
    pub fn kind(&self) -> String {
        self.text("/type")
    }

    /// The session that it is about; empty if the body names none.
    #[must_use]
    pub fn session(&self) -> String {
        self.text("/data/session/sessionId")
    }
}

/// The check of a signature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SignatureCheck {
    /// Valid for the secret of this tenant.
    Valid(String),
    /// Valid for no secret that the demonstration knows.
    Unknown,
}

/// Somebody who opens a page of the demonstration.
#[derive(Clone)]
pub struct Visitor {
    /// The webhooks that they may see, newest first.
    pub received: Vec<Received>,
}

/// The inbox.
#[component(transparent)]
pub(crate) fn InboxRoutes() -> AnyNestedRoute {
    view! { <Route path=path!("/demo/inbox") view=InboxPage ssr=Async/> }
        .into_inner()
        .into_any_nested_route()
}

/// The callback page.
#[component(transparent)]
pub(crate) fn CallbackRoutes() -> AnyNestedRoute {
    view! { <Route path=path!("/demo/callback") view=CallbackPage ssr=Async/> }
        .into_inner()
        .into_any_nested_route()
}

/// What arrived.
#[component]
pub fn InboxPage() -> impl IntoView {
    page(|request: Request<Visitor>| async move { Ok(inbox::render(&request.who.received, &request.nonce)) })
}

/// Where users return to.
#[component]
pub fn CallbackPage() -> impl IntoView {
    page(|request: Request<Visitor>| async move {
        let query = request.query().cloned().unwrap_or_default();
        Ok(callback::render(&request.who.received, &query, &request.nonce))
    })
}

impl Area for Visitor {
    type Fault = Infallible;

    async fn fields(_: axum::extract::Request) -> Result<Fields, Infallible> {
        Ok(Fields::default())
    }

    async fn refused(_: &Request<Self>, fault: Infallible) -> Refused {
        match fault {}
    }
}

/// The document around a page.
fn document(title: &'static str, nonce: &str, main: AnyView, script: Option<&'static str>) -> AnyView {
    let script = script.map(|script| view! { <script nonce=nonce.to_owned() inner_html=script></script> });
    view! {
        <!DOCTYPE html>
        <html lang="en">
            <head>
                <meta charset="utf-8"/>
                <meta name="viewport" content="width=device-width, initial-scale=1"/>
                <title>{title}</title>
                {crate::shell::favicon()}
                <style nonce=nonce.to_owned() inner_html=include_str!("style.css")></style>
            </head>
            <body><main><h1>{title}</h1>{main}</main>{script}</body>
        </html>
    }
    .into_any()
}

/// The sentence about a signature, and its class.
fn check(signature: &SignatureCheck) -> (&'static str, String) {
    match signature {
        SignatureCheck::Valid(tenant) => (
            "good",
            format!("Signature valid for the secret of the {tenant} tenant."),
        ),
        SignatureCheck::Unknown => (
            "bad",
            "The signature matches no secret of the demonstration: the secret was replaced, or another tenant sent this."
                .to_owned(),
        ),
    }
}
