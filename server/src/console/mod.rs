//! The console: handlers that call the service's verbs, fill the pages' view models and answer. The wall stands in front of all of
//! them but signing in, setting up, and links by which a password is chosen.

mod account;
mod audit;
mod entry;
mod erase;
mod fault;
mod form;
mod keys;
mod overview;
mod password_links;
mod people;
mod review;
mod rows;
mod session_page;
mod session_store;
mod sessions;
mod settings;
mod wall;
mod webhooks;

use crate::state::App;
use axum::{
    Router,
    extract::DefaultBodyLimit,
    middleware::from_fn_with_state,
    routing::{get, post},
};
use tower_sessions::{Expiry, SessionManagerLayer, cookie::SameSite};

/// Bigger than any of our forms.
const FORM_LIMIT: usize = 256 * 1024;
/// The cookie: for this host alone, over TLS (or localhost) alone.
const COOKIE: &str = "__Host-console";

/// Everything under `/admin`.
pub(crate) fn routes(app: &App) -> Router<App> {
    let idle = time::Duration::milliseconds(service::console_session::IDLE.0);
    let sessions = SessionManagerLayer::new(session_store::Records(app.honnin.clone()))
        .with_name(COOKIE)
        .with_http_only(true)
        .with_secure(true)
        .with_same_site(SameSite::Lax)
        .with_path("/")
        .with_expiry(Expiry::OnInactivity(idle));
    behind_the_wall()
        .route_layer(from_fn_with_state(app.clone(), wall::wall))
        .merge(in_front_of_the_wall())
        .layer(from_fn_with_state(app.clone(), wall::own_forms_only))
        .layer(sessions)
        .layer(DefaultBodyLimit::max(FORM_LIMIT))
}

fn in_front_of_the_wall() -> Router<App> {
    Router::new()
        .route("/admin/sign-in", get(entry::sign_in_page).post(entry::sign_in))
        .route("/admin/set-up/{token}", get(entry::set_up_page).post(entry::set_up))
        .route(
            "/admin/invitation/{token}",
            get(password_links::invitation_page).post(password_links::accept),
        )
        .route(
            "/admin/reset/{token}",
            get(password_links::reset_page).post(password_links::reset),
        )
}

fn behind_the_wall() -> Router<App> {
    Router::new()
        .route("/admin", get(overview::page))
        .route("/admin/sign-out", post(account::sign_out))
        .route("/admin/sign-out-everywhere", post(account::sign_out_everywhere))
        .route("/admin/account", get(account::page))
        .route("/admin/account/password", post(account::change_password))
        .route("/admin/confirm", get(account::confirm_page).post(account::confirm))
        .route("/admin/tenant", post(account::look_at))
        .route("/admin/sessions", get(sessions::page))
        .route("/admin/sessions/new", get(sessions::new_page).post(sessions::create))
        .route("/admin/sessions/{id}", get(session_page::page))
        .route("/admin/sessions/{id}/link", post(session_page::reissue))
        .route("/admin/sessions/{id}/reprocess", post(session_page::reprocess))
        .route("/admin/sessions/{id}/complete", post(session_page::complete))
        .route("/admin/sessions/{id}/erase", get(erase::page).post(erase::erase))
        .route("/admin/review", get(review::queue))
        .route("/admin/review/{id}", get(review::case).post(review::rule))
        .route("/admin/review/{id}/hold", post(review::keep))
        .route("/admin/pictures/{capture}/{frame}", get(review::picture))
        .route("/admin/settings", get(settings::page))
        .route("/admin/settings/{section}", post(settings::save))
        .route("/admin/keys", get(keys::page).post(keys::issue))
        .route("/admin/keys/{id}/revoke", post(keys::revoke))
        .route("/admin/webhooks", get(webhooks::page))
        .route("/admin/webhooks/test", post(webhooks::send_test))
        .route("/admin/webhooks/again", post(webhooks::send_range))
        .route(
            "/admin/webhooks/check",
            get(webhooks::check::page).post(webhooks::check::explain),
        )
        .route(
            "/admin/webhooks/secrets",
            get(webhooks::secrets::page).post(webhooks::secrets::issue),
        )
        .route("/admin/webhooks/secrets/{id}/disable", post(webhooks::secrets::disable))
        .route("/admin/webhooks/{id}", get(webhooks::delivery::page))
        .route("/admin/webhooks/{id}/again", post(webhooks::delivery::send_again))
        .route("/admin/people", get(people::page).post(people::invite))
        .route("/admin/people/{id}", post(people::change))
        .route("/admin/invitations/{id}/revoke", post(people::revoke))
        .route("/admin/audit", get(audit::page))
}
