//! The console's edge: cookies, authentication, cross-site forms. The pages themselves are in `app`.

mod authentication;
mod session_store;
#[cfg(test)]
mod tests;

use crate::{
    cookies::{cookies, set_cookie},
    language,
    state::App,
};
use app::{console, routes};
use authentication::HasSignedOut;
use axum::{
    Router,
    extract::{DefaultBodyLimit, Request},
    middleware::{Next, from_fn, from_fn_with_state},
    response::Response,
};
use cookie::{Cookie, SameSite};
use domain::time::Millis;
use http::{HeaderValue, header::SET_COOKIE};
use service::{Honnin, people::console_session::ABSOLUTE};
use tower_sessions::{Expiry, SessionManagerLayer, service::PlaintextCookie};

/// Larger than any of our forms.
const FORM_LIMIT: usize = 256 * 1024;
/// The cookie: for this host only, over TLS (or localhost) only.
const COOKIE: &str = "__Host-console";

/// Everything under `/admin`.
pub(crate) fn routes(app: &App) -> Router<App> {
    let pages = routes::signed_in()
        .route_layer(from_fn_with_state(app.clone(), authentication::signed_in_only))
        .merge(routes::guests().route_layer(from_fn_with_state(app.clone(), authentication::guest_context)))
        .layer(from_fn_with_state(app.clone(), authentication::session_changes))
        .layer(from_fn_with_state(app.clone(), authentication::own_requests_only))
        .layer(sessions(&app.honnin))
        .layer(from_fn(with_changed_cookie_only))
        .layer(from_fn(in_language))
        .layer(DefaultBodyLimit::max(FORM_LIMIT));
    Router::new().merge(pages.with_state(()))
}

/// The layer that loads and stores the sessions of browsers. The server decides when one ends; the browser deletes its cookie at the latest possible
/// time.
fn sessions(honnin: &Honnin) -> SessionManagerLayer<session_store::Records, PlaintextCookie> {
    let longest = time::Duration::milliseconds(ABSOLUTE.0);
    SessionManagerLayer::new(session_store::Records(honnin.clone()))
        .with_name(COOKIE)
        .with_http_only(true)
        .with_secure(true)
        .with_same_site(SameSite::Lax)
        .with_path("/")
        .with_expiry(Expiry::OnInactivity(longest))
}

/// Sets the cookie only where its value changes, and removes it for those who sign out and for nobody else. The session layer also sets it whenever
/// something in the session has changed, such as when it was last used, and removes it with every answer to a request whose session is empty, as one
/// is with the value from before a sign-in. A request that was under way while another one signed in or confirmed would so put the value from before
/// in the place of the new one, or remove it. The layer removes it without `Secure`, too, which browsers ignore for a cookie of this name (RFC
/// 6265bis, section 5.7).
async fn with_changed_cookie_only(request: Request, next: Next) -> Response {
    let jar = cookies(request.headers());
    let mut response = next.run(request).await;
    let sent = jar.get(COOKIE).map_or("", Cookie::value);
    let start = format!("{COOKIE}=");
    let is_wanted = |line: &HeaderValue| {
        let value = line.as_bytes().strip_prefix(start.as_bytes());
        let value = value.and_then(|rest| rest.split(|byte| *byte == b';').next());
        value.is_none_or(|value| !value.is_empty() && value != sent.as_bytes())
    };
    let headers = response.headers_mut();
    let lines = headers.get_all(SET_COOKIE).into_iter().cloned();
    let wanted: Vec<_> = lines.filter(is_wanted).collect();
    headers.remove(SET_COOKIE);
    for line in wanted {
        headers.append(SET_COOKIE, line);
    }
    if response.extensions_mut().remove::<HasSignedOut>().is_some() {
        set_cookie(&mut response, COOKIE, String::new(), Millis(0));
    }
    response
}

/// Answers in the language of the browser, and keeps one that is chosen with the switch.
async fn in_language(request: Request, next: Next) -> Response {
    if let Some(switched) = language::switched(request.method(), request.uri()) {
        return switched;
    }
    let language = language::of(request.headers());
    console::in_language(language, next.run(request)).await
}
