//! The console's edge: cookies, authentication, cross-site forms. The pages themselves are in `app`.

mod authentication;
mod session_store;
#[cfg(test)]
mod tests;

use crate::{cookies::set_cookie, language, state::App};
use app::{console, routes};
use authentication::HasSignedOut;
use axum::{
    Router,
    extract::{DefaultBodyLimit, Request},
    middleware::{Next, from_fn, from_fn_with_state, map_response},
    response::Response,
};
use cookie::SameSite;
use domain::time::Millis;
use http::header::SET_COOKIE;
use service::Honnin;
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
        .layer(from_fn_with_state(app.clone(), authentication::own_forms_only))
        .layer(sessions(&app.honnin))
        .layer(map_response(forgotten_by_signing_out_only))
        .layer(from_fn(in_language))
        .layer(DefaultBodyLimit::max(FORM_LIMIT));
    Router::new().merge(pages.with_state(()))
}

/// The layer that loads and stores the sessions of browsers.
fn sessions(honnin: &Honnin) -> SessionManagerLayer<session_store::Records, PlaintextCookie> {
    let idle = time::Duration::milliseconds(service::people::console_session::IDLE.0);
    SessionManagerLayer::new(session_store::Records(honnin.clone()))
        .with_name(COOKIE)
        .with_http_only(true)
        .with_secure(true)
        .with_same_site(SameSite::Lax)
        .with_path("/")
        .with_expiry(Expiry::OnInactivity(idle))
}

/// Removes the cookie of those who sign out, and of nobody else. The session layer removes it with every answer to a request whose session is
/// empty, as one is with the value from before a sign-in: a request that was under way meanwhile would remove the new one. It does so without
/// `Secure`, which browsers ignore for a cookie of this name (RFC 6265bis, section 5.7).
async fn forgotten_by_signing_out_only(mut response: Response) -> Response {
    let removal = format!("{COOKIE}=;");
    let headers = response.headers_mut();
    let lines = headers.get_all(SET_COOKIE).into_iter().cloned();
    let kept: Vec<_> = lines
        .filter(|line| !line.as_bytes().starts_with(removal.as_bytes()))
        .collect();
    headers.remove(SET_COOKIE);
    for line in kept {
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
