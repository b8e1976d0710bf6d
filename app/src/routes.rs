//! The application: one table of routes, rendered by `leptos_axum`.

use crate::{
    Assets,
    capture::{self, CaptureRoutes, Visit},
    console::{self, Guest, GuestRoutes, SignedIn, SignedInRoutes},
    demo::{CallbackRoutes, InboxRoutes, Visitor as DemoVisitor},
    docs::{self, DocsRoutes, Reader},
    page::{Area, Site, get, not_allowed},
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
                <InboxRoutes/>
                <CallbackRoutes/>
            </FlatRoutes>
        </Pages>
    }
}

/// The page for an unknown address, as the visitor's area shows it.
fn not_found() -> impl IntoView {
    (capture::not_found(), console::not_found(), docs::not_found())
}

/// What the pages of this installation have in common.
#[must_use]
pub fn site(honnin: Honnin, assets: Assets) -> Site {
    // Rendering uses it to yield to other tasks. Another server in this process may have set it already.
    drop(Executor::init_tokio());
    Site {
        honnin,
        assets,
        app: || App().into_any(),
    }
}

/// The pages of an area, as listed by `leptos_axum`.
fn pages<W: Area, V: IntoView + 'static>(table: fn() -> V) -> Router {
    // leptos_axum's own file URLs are not used: `Assets` has them.
    let options = LeptosOptions::builder().output_name("honnin").build();
    Router::new()
        .leptos_routes_with_handler(generate_route_list(table), axum::routing::get(get::<W>))
        .with_state(options)
}

/// Pages and forms of the console for people who are signed in. The middleware in front of them provides a
/// [`console::Request`].
pub fn signed_in() -> Router {
    let table = || view! { <Pages><FlatRoutes fallback=|| ()><SignedInRoutes/></FlatRoutes></Pages> };
    pages::<SignedIn, _>(table)
        .merge(console::signed_in_forms())
        .method_not_allowed_fallback(not_allowed::<SignedIn>(console::Fault::NotFound))
}

/// Pages and forms of the console for people who are not. The middleware in front of them provides a [`console::GuestRequest`].
pub fn guests() -> Router {
    let table = || view! { <Pages><FlatRoutes fallback=|| ()><GuestRoutes/></FlatRoutes></Pages> };
    pages::<Guest, _>(table)
        .merge(console::guest_forms())
        .method_not_allowed_fallback(not_allowed::<Guest>(console::Fault::NotFound))
}

/// The capture pages, their forms, and the endpoints of their scripts. The middleware in front of them provides a
/// [`capture::Request`].
pub fn capture() -> Router {
    let table = || view! { <Pages><FlatRoutes fallback=|| ()><CaptureRoutes/></FlatRoutes></Pages> };
    pages::<Visit, _>(table)
        .merge(capture::forms())
        .method_not_allowed_fallback(not_allowed::<Visit>(capture::Refusal::NotFound))
}

/// The description of the API. The middleware in front of it provides a `Request` of a [`Reader`].
pub fn docs() -> Router {
    let table = || view! { <Pages><FlatRoutes fallback=|| ()><DocsRoutes/></FlatRoutes></Pages> };
    pages::<Reader, _>(table).method_not_allowed_fallback(not_allowed::<Reader>(docs::NoSuchGuide))
}

/// The webhook inbox of the demonstration. The middleware in front of it provides a `Request` of a [`DemoVisitor`].
pub fn inbox() -> Router {
    let table = || view! { <Pages><FlatRoutes fallback=|| ()><InboxRoutes/></FlatRoutes></Pages> };
    pages::<DemoVisitor, _>(table)
}

/// The callback page of the demonstration. The middleware in front of it provides a `Request` of a [`DemoVisitor`].
pub fn callback() -> Router {
    let table = || view! { <Pages><FlatRoutes fallback=|| ()><CallbackRoutes/></FlatRoutes></Pages> };
    pages::<DemoVisitor, _>(table)
}
