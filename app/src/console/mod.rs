//! The console's pages: for reviewers, developers, admins and auditors, in English and Japanese (`words`). A page is a folder: what it loads, its
//! forms, and its view. Forms are plain and work without scripts; `case/case.js` adds zoom and keyboard shortcuts.

pub mod account;
mod ask_again;
pub mod audit;
mod callback;
pub mod case;
mod csv;
mod day;
pub mod decisions;
mod differences;
pub mod entry;
pub mod erase;
mod fault;
mod file;
mod findings;
mod flash;
mod irreversible;
pub mod keys;
mod labels;
mod layout;
mod link;
mod message;
pub mod new_session;
mod next;
mod next_case;
mod notices;
pub mod openid;
pub mod overview;
mod parts;
mod password_faults;
pub mod password_links;
pub mod people;
mod proof;
pub mod queue;
mod request;
pub mod requests;
mod rows;
mod sandbox;
mod selection;
pub mod session;
pub mod sessions;
pub mod settings;
mod table;
pub mod tenants;
pub mod webhooks;
mod words;

pub use entry::NOT_SAVED;
pub use fault::Fault;
pub use flash::Notice;
pub use next::page_of_form;
pub use request::{Guest, GuestRequest, Request, SessionChange, SignedIn};
pub use words::in_language;

use crate::page::handler;
use axum::{Router, response::Response, routing::get};
use leptos::prelude::*;
use leptos_router::{
    SsrMode::Async,
    any_nested_route::{AnyNestedRoute, IntoAnyNestedRoute as _},
    components::Route,
    path,
};

/// The pages for people who are signed in.
#[component(transparent)]
pub(crate) fn SignedInRoutes() -> AnyNestedRoute {
    view! {
        <Route path=path!("/admin") view=overview::OverviewPage ssr=Async/>
        <Route path=path!("/admin/account") view=account::AccountPage ssr=Async/>
        <Route path=path!("/admin/account/authenticator") view=account::authenticator::AuthenticatorPage ssr=Async/>
        <Route path=path!("/admin/confirm") view=account::ConfirmPage ssr=Async/>
        <Route path=path!("/admin/sessions") view=sessions::SessionsPage ssr=Async/>
        <Route path=path!("/admin/sessions/new") view=new_session::NewSessionPage ssr=Async/>
        <Route path=path!("/admin/sessions/:id") view=session::SessionPage ssr=Async/>
        <Route path=path!("/admin/sessions/:id/erase") view=erase::ErasePage ssr=Async/>
        <Route path=path!("/admin/review") view=queue::QueuePage ssr=Async/>
        <Route path=path!("/admin/review/:id") view=case::CasePage ssr=Async/>
        <Route path=path!("/admin/decisions") view=decisions::DecisionsPage ssr=Async/>
        <Route path=path!("/admin/settings") view=settings::SettingsPage ssr=Async/>
        <Route path=path!("/admin/settings/:section") view=settings::SectionPage ssr=Async/>
        <Route path=path!("/admin/keys") view=keys::KeysPage ssr=Async/>
        <Route path=path!("/admin/webhooks") view=webhooks::WebhooksPage ssr=Async/>
        <Route path=path!("/admin/webhooks/check") view=webhooks::check::CheckPage ssr=Async/>
        <Route path=path!("/admin/webhooks/secrets") view=webhooks::secrets::SecretsPage ssr=Async/>
        <Route path=path!("/admin/webhooks/unsent") view=webhooks::unsent::UnsentPage ssr=Async/>
        <Route path=path!("/admin/webhooks/:id") view=webhooks::delivery::DeliveryPage ssr=Async/>
        <Route path=path!("/admin/requests") view=requests::RequestsPage ssr=Async/>
        <Route path=path!("/admin/people") view=people::PeoplePage ssr=Async/>
        <Route path=path!("/admin/tenants") view=tenants::TenantsPage ssr=Async/>
        <Route path=path!("/admin/audit") view=audit::AuditPage ssr=Async/>
    }
    .into_inner()
    .into_any_nested_route()
}

/// Their forms.
pub(crate) fn signed_in_forms() -> Router {
    Router::new()
        .merge(account::forms())
        .merge(openid::signed_in_forms())
        .merge(sessions::forms())
        .merge(new_session::forms())
        .merge(session::forms())
        .merge(erase::forms())
        .merge(case::forms())
        .merge(queue::forms())
        .merge(settings::forms())
        .merge(keys::forms())
        .merge(webhooks::forms())
        .merge(people::forms())
        .merge(tenants::forms())
        .merge(audit::forms())
        .route("/admin/{*nothing}", get(handler(nothing)))
}

/// Any other address of the console, for people who are signed in.
async fn nothing(_: Request) -> Result<Response, Fault> {
    Err(Fault::NotFound)
}

/// The pages for people who are not signed in.
#[component(transparent)]
pub(crate) fn GuestRoutes() -> AnyNestedRoute {
    view! {
        <Route path=path!("/admin/sign-in") view=entry::SignInPage ssr=Async/>
        <Route path=path!("/admin/sign-in/code") view=entry::CodePage ssr=Async/>
        <Route path=path!("/admin/set-up/:token") view=entry::SetUpPage ssr=Async/>
        <Route path=path!("/admin/invitation/:token") view=password_links::InvitationPage ssr=Async/>
        <Route path=path!("/admin/reset/:token") view=password_links::ResetPage ssr=Async/>
    }
    .into_inner()
    .into_any_nested_route()
}

/// Their forms.
pub(crate) fn guest_forms() -> Router {
    Router::new()
        .merge(entry::forms())
        .merge(openid::guest_forms())
        .merge(password_links::forms())
}

/// The page for an unknown address in the console.
pub(crate) fn not_found() -> impl IntoView {
    (
        crate::page::page(|_: Request| async { Err(Fault::NotFound) }),
        crate::page::page(|_: GuestRequest| async { Err(Fault::NotFound) }),
    )
}
