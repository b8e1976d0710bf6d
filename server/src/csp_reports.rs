//! Reports of browsers about violations of the Content-Security-Policy (`report-uri`, CSP level 3): a page tried something that none of our pages
//! does, because markup was injected, or by an extension of the browser. Reports are counted and logged by directive. What else they contain is
//! dropped: their URLs hold link tokens and ids.

use crate::{edge::CSP_REPORTS, state::App};
use axum::{
    Router,
    body::Bytes,
    extract::{DefaultBodyLimit, State},
    http::{HeaderMap, StatusCode, header::CONTENT_TYPE},
    routing::post,
};
use serde::Deserialize;

/// Longer reports are refused: they contain a few URLs and a sample of 40 characters.
const LARGEST: usize = 16 * 1024;

/// The directives of our policies, with those into which browsers divide them. Other words share a label: anybody can send a report.
const DIRECTIVES: [&str; 15] = [
    "default-src",
    "script-src",
    "script-src-elem",
    "script-src-attr",
    "style-src",
    "style-src-elem",
    "style-src-attr",
    "img-src",
    "media-src",
    "connect-src",
    "font-src",
    "manifest-src",
    "form-action",
    "base-uri",
    "frame-ancestors",
];
/// What can be blocked that is not a URL.
const BLOCKED: [&str; 5] = ["inline", "eval", "wasm-eval", "data", "blob"];

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Envelope {
    csp_report: Report,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Report {
    /// With its sources in browsers that do not send `effective-directive`.
    violated_directive: String,
    effective_directive: Option<String>,
    #[serde(default)]
    blocked_uri: String,
}

impl Report {
    fn directive(&self) -> &'static str {
        let text = self.effective_directive.as_ref().unwrap_or(&self.violated_directive);
        let name = text.split(' ').next().unwrap_or_default();
        DIRECTIVES.into_iter().find(|known| *known == name).unwrap_or("other")
    }

    fn blocked(&self) -> &'static str {
        BLOCKED
            .into_iter()
            .find(|known| *known == self.blocked_uri)
            .unwrap_or("url")
    }
}

pub(crate) fn routes() -> Router<App> {
    Router::new().route(CSP_REPORTS, post(note).layer(DefaultBodyLimit::max(LARGEST)))
}

async fn note(State(app): State<App>, headers: HeaderMap, body: Bytes) -> StatusCode {
    if headers
        .get(CONTENT_TYPE)
        .is_none_or(|kind| kind != "application/csp-report")
    {
        return StatusCode::UNSUPPORTED_MEDIA_TYPE;
    }
    let Ok(Envelope { csp_report }) = serde_json::from_slice(&body) else {
        return StatusCode::BAD_REQUEST;
    };
    let (directive, blocked) = (csp_report.directive(), csp_report.blocked());
    tracing::warn!(
        directive,
        blocked,
        "a browser reports that a page violated its content security policy"
    );
    app.metrics.note_csp_violation(directive);
    StatusCode::NO_CONTENT
}
