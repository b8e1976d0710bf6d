//! Reports of browsers about violations of the Content-Security-Policy (`report-uri`, CSP level 3): a page did something that none of our pages
//! does, because of injected markup or a browser extension. Reports are counted and logged by directive. The rest is dropped, because the URLs
//! contain link tokens and ids. Anybody can send one, so only some are logged; all are counted.

use crate::{
    edge::{CSP_REPORTS, Network, RequestContext},
    state::App,
};
use axum::{
    Extension, Router,
    body::Bytes,
    extract::{DefaultBodyLimit, State},
    http::{HeaderMap, StatusCode, header::CONTENT_TYPE},
    routing::post,
};
use serde::Deserialize;
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

/// Longer reports are refused: they contain a few URLs and a sample of 40 characters.
const LARGEST: usize = 16 * 1024;

/// In this time, so many reports are logged from one network, and from all.
const WINDOW: Duration = Duration::from_secs(60);
const OF_NETWORK: u32 = 10;
const OF_ALL: u32 = 100;

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

/// The reports that were logged lately.
#[derive(Debug, Default)]
struct Logged {
    since: Option<Instant>,
    all: u32,
    by: HashMap<Network, u32>,
}

impl Logged {
    /// Whether one more from `network` may be logged, which is counted.
    fn take(&mut self, network: Network, now: Instant) -> bool {
        if self.since.is_none_or(|since| now.duration_since(since) >= WINDOW) {
            *self = Self {
                since: Some(now),
                ..Self::default()
            };
        }
        let before = self.by.get(&network).copied().unwrap_or_default();
        let is_allowed = self.all < OF_ALL && before < OF_NETWORK;
        if is_allowed {
            self.all += 1;
            self.by.insert(network, before + 1);
        }
        is_allowed
    }
}

pub(crate) fn routes() -> Router<App> {
    let logged = Arc::new(Mutex::new(Logged::default()));
    Router::new()
        .route(CSP_REPORTS, post(note).layer(DefaultBodyLimit::max(LARGEST)))
        .layer(Extension(logged))
}

async fn note(
    State(app): State<App>,
    context: RequestContext,
    Extension(logged): Extension<Arc<Mutex<Logged>>>,
    headers: HeaderMap,
    body: Bytes,
) -> StatusCode {
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
    // Nothing under the lock can panic.
    let mut lately = logged.lock().unwrap_or_else(PoisonError::into_inner);
    let is_logged = lately.take(Network::of(context.client), Instant::now());
    drop(lately);
    if is_logged {
        tracing::warn!(
            directive,
            blocked,
            "a browser reports that a page violated its content security policy"
        );
    } else {
        app.metrics.note_unlogged_csp_report();
    }
    app.metrics.note_csp_violation(directive);
    StatusCode::NO_CONTENT
}

#[cfg(test)]
mod tests {
    use super::*;

    fn network(number: u8) -> Network {
        Network::of([127, number, 0, 1].into())
    }

    #[test]
    fn one_network_has_few_lines_of_the_log_in_a_minute_and_all_have_no_more_than_a_hundred() {
        let (mut logged, now) = (Logged::default(), Instant::now());
        let mut lines = |from: u8, at: Instant| (0..20).filter(|_| logged.take(network(from), at)).count();
        assert_eq!((lines(1, now), lines(1, now), lines(2, now)), (10, 0, 10));
        let others: usize = (3..30).map(|from| lines(from, now)).sum();
        assert_eq!(others, 80);
        assert_eq!(lines(1, now + WINDOW), 10, "the next minute");
        assert!(logged.by.len() == 1, "the others are forgotten");
    }
}
