//! The description of the API as a page for people. Works offline: no script, one style, nothing loaded.

mod guide;
mod json;
mod view;

use crate::page::{Area, Fields, Refused, Request, page};
use leptos::prelude::*;
use leptos_router::{MatchNestedRoutes, SsrMode::Async, components::Route, path};
use serde_json::Value;
use std::{convert::Infallible, sync::Arc};

/// Anyone who reads the description.
#[derive(Clone)]
pub struct Reader {
    /// The OpenAPI description.
    pub description: Arc<Value>,
}

/// The page.
#[component(transparent)]
pub(crate) fn DocsRoutes() -> impl MatchNestedRoutes + Clone {
    view! { <Route path=path!("/docs") view=DocsPage ssr=Async/> }.into_inner()
}

/// The description.
#[component]
pub fn DocsPage() -> impl IntoView {
    page(|request: Request<Reader>| async move { Ok(view::render(&request.who.description, &request.nonce)) })
}

impl Area for Reader {
    /// Anyone may read it.
    type Fault = Infallible;

    async fn fields(_: axum::extract::Request) -> Result<Fields, Infallible> {
        Ok(Fields::default())
    }

    async fn refused(_: &Request<Self>, fault: Infallible) -> Refused {
        match fault {}
    }
}
