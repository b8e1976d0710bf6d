//! What every page for people needs and no slice owns.

use crate::{edge::RequestContext, state::App};
use app::{
    PageMeta,
    capture::problem::{self, Problem},
};
use axum::{extract::Request, response::Html};
use domain::language::Language;
use http::header::ACCEPT_LANGUAGE;

/// The page for an address that leads nowhere.
pub(crate) fn not_found(app: &App, context: &RequestContext, request: &Request) -> Html<String> {
    let accepted = request
        .headers()
        .get(ACCEPT_LANGUAGE)
        .and_then(|value| value.to_str().ok());
    let meta = PageMeta {
        language: Language::negotiate(accepted.unwrap_or_default()),
        nonce: context.nonce.clone(),
        assets: app.site.assets.clone(),
        brand: None,
        path: "/".to_owned(),
        progress: None,
        closing: None,
    };
    Html(problem::render(&Problem::NotFound, &meta))
}
