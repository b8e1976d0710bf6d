//! The console's edge: cookies, authentication, cross-site forms. The pages themselves are in `app`.

mod authentication;
mod session_store;
#[cfg(test)]
mod tests;

use crate::{language, state::App};
use app::{console, routes};
use axum::{
    Router,
    extract::{DefaultBodyLimit, Request},
    middleware::{Next, from_fn, from_fn_with_state},
    response::Response,
};
use cookie::SameSite;
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
        .merge(routes::guests().route_layer(from_fn_with_state(app.clone(), authentication::halfway)))
        .layer(from_fn_with_state(app.clone(), authentication::session_changes))
        .layer(from_fn_with_state(app.clone(), authentication::own_forms_only))
        .layer(sessions(&app.honnin))
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

/// Answers in the language of the browser, and keeps one that is chosen with the switch.
async fn in_language(request: Request, next: Next) -> Response {
    if let Some(switched) = language::switched(request.method(), request.uri()) {
        return switched;
    }
    let language = language::of(request.headers());
    console::in_language(language, next.run(request)).await
}
