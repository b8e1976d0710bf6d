//! The middleware of the capture pages: identifies the browser, chooses the language, and refuses cross-site forms.

use crate::{
    cookies::{cookies, set_cookie},
    edge::{RequestContext, Slot},
    language,
    same_origin::is_same_origin,
    state::App,
};
use app::{
    capture::{CaptureCookie, Refusal, Request as PageRequest, Visit, Waiting},
    page::refuse,
};
use axum::{
    extract::{MatchedPath, Request, State},
    middleware::Next,
    response::Response,
};
use domain::{tenant::TenantSettings, time::Millis};
use http::{
    HeaderMap, Method, StatusCode,
    header::{ACCEPT, ACCEPT_LANGUAGE, ORIGIN, USER_AGENT},
};
use service::{access::capture_cookie, capture::open_link::browser_mark};
use std::sync::Arc;

/// The cookie that ties the browser to the session.
const CAPTURE: &str = "__Host-honnin-capture";
/// The cookie that distinguishes one browser viewing a start page from another.
const MARK: &str = "__Host-honnin-start";
/// How long one browser counts as the same on start pages: as long as the link of the page can be used.
const MARK_KEPT: Millis = TenantSettings::LINK_LIFETIME.most;
/// The route of the start page.
const START: &str = "/v/{token}";

/// Tells the pages who visits, refuses cross-site form posts, and sets the cookies.
pub(super) async fn visits(
    State(app): State<App>,
    context: RequestContext,
    mut request: Request,
    next: Next,
) -> Response {
    let (method, path) = (request.method().clone(), request.uri().path().to_owned());
    if let Some(switched) = language::switched(&method, request.uri()) {
        return switched;
    }
    let slot = request.extensions().get::<Slot>().cloned();
    let mut visit = visit(&app, request.headers(), path, slot);
    // A form with a language switch of its own, which keeps what was typed.
    let chosen = (method == Method::POST)
        .then(|| language::chosen(request.uri()))
        .flatten();
    visit.language = chosen.unwrap_or(visit.language);
    let reads = method == Method::GET || method == Method::HEAD;
    visit.sends = !reads;
    let is_unmarked = visit.mark.is_none();
    let page: PageRequest = app.page_request(&context, visit);
    if !reads && !may_post(request.headers(), &app) {
        return refuse(page, Refusal::Foreign).await;
    }
    let starts = request
        .extensions()
        .get::<MatchedPath>()
        .is_some_and(|path| path.as_str() == START);
    request.extensions_mut().insert(page);
    let mut response = next.run(request).await;
    if let Some(language) = chosen {
        language::keep(&mut response, language);
    }
    if let Some(CaptureCookie(value)) = response.extensions_mut().remove() {
        // The server decides when it ends; the browser deletes it at the latest possible time.
        set_cookie(&mut response, CAPTURE, value, capture_cookie::LIFETIME);
    }
    // Also with the page that says that the mark did not come back.
    let is_shown = [StatusCode::OK, StatusCode::UNPROCESSABLE_ENTITY].contains(&response.status());
    if starts && is_unmarked && is_shown {
        let mark = browser_mark(&app.honnin).expose().clone();
        set_cookie(&mut response, MARK, mark, MARK_KEPT);
    }
    response
}

/// A request to an unknown address, in the form that the pages expect.
pub(crate) fn stranger(app: &App, context: &RequestContext, headers: &HeaderMap) -> PageRequest {
    let visit = Visit {
        wants_json: false,
        ..visit(app, headers, "/".to_owned(), None)
    };
    app.page_request(context, visit)
}

fn visit(app: &App, headers: &HeaderMap, path: String, slot: Option<Slot>) -> Visit {
    let cookies = cookies(headers);
    let value = |name| cookies.get(name).map(|cookie| cookie.value().to_owned());
    Visit {
        language: language::of(headers),
        sends: false,
        wants_json: text(headers, &ACCEPT).starts_with("application/json"),
        is_phone: is_phone(text(headers, &USER_AGENT)),
        in_japan: is_japanese(text(headers, &ACCEPT_LANGUAGE)),
        path,
        cookie: value(CAPTURE),
        mark: value(MARK),
        waiting: Waiting::new(Arc::clone(&app.waiting), app.stopping.clone(), move || {
            if let Some(slot) = &slot {
                slot.give_back();
            }
        }),
    }
}

fn text<'a>(headers: &'a HeaderMap, name: &http::HeaderName) -> &'a str {
    headers
        .get(name)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default()
}

/// Whether the browser's first language is Japanese, or its region Japan: `ja`, `ja-JP`, `en-JP`.
fn is_japanese(accept_language: &str) -> bool {
    let first = accept_language.split([',', ';']).next().unwrap_or_default().trim();
    let mut parts = first.split('-');
    parts.next().is_some_and(|language| language.eq_ignore_ascii_case("ja"))
        || parts.any(|region| region.eq_ignore_ascii_case("jp"))
}

/// Phones open the link directly; larger screens get a QR code to scan.
fn is_phone(agent: &str) -> bool {
    agent.contains("Mobi") || agent.contains("Android")
}

/// Phones too old for `Sec-Fetch-Site` send `Origin: null` under our own referrer policy. They do honour `SameSite=Lax`, so a
/// cross-site post arrives without the cookie; and a post to a link requires its token.
fn may_post(headers: &HeaderMap, app: &App) -> bool {
    let old_phone =
        !headers.contains_key("sec-fetch-site") && headers.get(ORIGIN).is_some_and(|origin| origin == "null");
    old_phone || is_same_origin(headers, app.honnin.base_url())
}
