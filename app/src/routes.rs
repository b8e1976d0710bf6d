//! The application: one table of routes, rendered by `leptos_axum`.

use crate::{
    Assets,
    capture::{self, CaptureRoutes, Visit},
    console::{self, Guest, GuestRoutes, SignedIn, SignedInRoutes},
    docs::{DocsRoutes, Reader},
    page::{Area, Site, get},
};
use any_spawner::Executor;
use axum::Router;
use leptos::{config::LeptosOptions, prelude::*};
use leptos_axum::{LeptosRoutes as _, generate_route_list};
use leptos_router::components::{FlatRoutes, Router as Pages};
use service::Honnin;

/// The application.
#[component]
pub fn App() -> impl IntoView {
    view! {
        <Pages>
            <FlatRoutes fallback=not_found>
                <CaptureRoutes/>
                <SignedInRoutes/>
                <GuestRoutes/>
                <DocsRoutes/>
            </FlatRoutes>
        </Pages>
    }
}

/// Where an address leads nowhere: what the request's visitor is told.
fn not_found() -> impl IntoView {
    (capture::not_found(), console::not_found())
}

/// What the pages of this installation have in common.
#[must_use]
pub fn site(honnin: Honnin, assets: Assets) -> Site {
    // Rendering yields to other tasks through it. It may have been set for another server of this process.
    drop(Executor::init_tokio());
    Site {
        honnin,
        assets,
        app: || App().into_any(),
    }
}

/// The pages of an area, as `leptos_axum` lists them.
fn pages<W: Area, V: IntoView + 'static>(table: fn() -> V) -> Router {
    // The addresses of its own files are not asked for: they are those of `Assets`.
    let options = LeptosOptions::builder().output_name("honnin").build();
    Router::new()
        .leptos_routes_with_handler(generate_route_list(table), axum::routing::get(get::<W>))
        .with_state(options)
}

/// Pages and forms of the console for who is signed in. The middleware in front of them provides a [`console::Request`].
pub fn signed_in() -> Router {
    let table = || view! { <Pages><FlatRoutes fallback=|| ()><SignedInRoutes/></FlatRoutes></Pages> };
    pages::<SignedIn, _>(table).merge(console::signed_in_forms())
}

/// Pages and forms of the console for who is not. The middleware in front of them provides a [`console::GuestRequest`].
pub fn guests() -> Router {
    let table = || view! { <Pages><FlatRoutes fallback=|| ()><GuestRoutes/></FlatRoutes></Pages> };
    pages::<Guest, _>(table).merge(console::guest_forms())
}

/// The capture pages, their forms, and what their scripts ask for. The middleware in front of them provides a [`capture::Request`].
pub fn capture() -> Router {
    let table = || view! { <Pages><FlatRoutes fallback=|| ()><CaptureRoutes/></FlatRoutes></Pages> };
    pages::<Visit, _>(table).merge(capture::forms())
}

/// The description of the API. The middleware in front of it provides a `Request` of a [`Reader`].
pub fn docs() -> Router {
    let table = || view! { <Pages><FlatRoutes fallback=|| ()><DocsRoutes/></FlatRoutes></Pages> };
    pages::<Reader, _>(table)
}
