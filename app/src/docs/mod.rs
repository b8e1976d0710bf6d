//! The documentation for developers: the description of the API as a page, the guides and other files of the repository, and a search in both.
//! Works offline and without scripts: one style, nothing loaded. The description has one script, with which requests can be tried.

pub mod errors;
mod files;
mod frame;
mod guide;
mod guides;
mod json;
mod markdown;
mod operations;
mod reasons;
mod search;
mod states;
mod table;
mod try_it;
mod view;

pub use files::{COLLECTION, COLLECTION_PATH};

use crate::page::{Area, Fields, Refused, Request, page};
use http::StatusCode;
use leptos::prelude::*;
use leptos_router::{
    SsrMode::Async,
    any_nested_route::{AnyNestedRoute, IntoAnyNestedRoute as _},
    components::Route,
    path,
};
use serde_json::Value;
use std::sync::Arc;

/// Anyone who reads the documentation.
#[derive(Clone)]
pub struct Reader {
    /// The OpenAPI description.
    pub description: Arc<Value>,
}

/// There is no guide of that name.
#[derive(Clone)]
pub struct NoSuchGuide;

/// The pages.
#[component(transparent)]
pub(crate) fn DocsRoutes() -> AnyNestedRoute {
    view! {
        <Route path=path!("/docs") view=DocsPage ssr=Async/>
        <Route path=path!("/docs/search") view=SearchPage ssr=Async/>
        <Route path=path!("/docs/:guide") view=GuidePage ssr=Async/>
    }
    .into_inner()
    .into_any_nested_route()
}

/// The description of the API.
#[component]
pub fn DocsPage() -> impl IntoView {
    page(|request: Request<Reader>| async move { Ok(view::render(&request.who.description, &request.nonce)) })
}

/// A guide.
#[component]
pub fn GuidePage() -> impl IntoView {
    page(|request: Request<Reader>| async move {
        let guide = files::find(request.param("guide")).ok_or(NoSuchGuide)?;
        Ok(guides::render(guide, &request.nonce))
    })
}

/// The page for an unknown address below `/docs/`.
pub(crate) fn not_found() -> impl IntoView {
    page(|_: Request<Reader>| async { Err(NoSuchGuide) })
}

/// What a search finds.
#[component]
pub fn SearchPage() -> impl IntoView {
    page(|request: Request<Reader>| async move {
        let asked = request.query().map(|query| query.text("q")).unwrap_or_default();
        Ok(search::render(&asked, &request.who.description, &request.nonce))
    })
}

impl Area for Reader {
    type Fault = NoSuchGuide;

    async fn fields(_: axum::extract::Request) -> Result<Fields, NoSuchGuide> {
        Ok(Fields::default())
    }

    async fn refused(request: &Request<Self>, _: NoSuchGuide) -> Refused {
        Refused {
            status: StatusCode::NOT_FOUND,
            header: None,
            view: frame::page(
                "Not found",
                None,
                &request.nonce,
                view! { <p>"There is no such page. Choose one from the list, or search."</p> }.into_any(),
            ),
        }
    }
}
