//! The pages an end user sees on the phone, from the link to the result. A page is a folder: what it loads, its form, and its
//! view. The service decides which step the user is at.

pub mod check;
pub mod choose;
pub mod consent;
pub mod details;
pub mod document;
pub mod home;
pub mod live;
mod logo;
pub mod problem;
mod qr;
mod refusal;
pub mod result;
pub mod selfie;
pub mod start;
pub mod submit;
pub mod switch_device;
pub mod unanswered;
pub mod upload;
mod visit;
mod waiting;

pub use refusal::Refusal;
pub use visit::{CaptureCookie, Request, Visit};
pub use waiting::Waiting;

use crate::text::{Text, camera, capture as text, dates::moment, switch_device as other};
use crate::{
    PageMeta, forms,
    page::{handler, with_query},
    parts::groups,
};
use axum::{
    Json, Router,
    response::{IntoResponse as _, Response},
    routing::get,
};
use domain::time::Timestamp;
use leptos::prelude::*;
use leptos_router::{
    SsrMode::Async,
    any_nested_route::{AnyNestedRoute, IntoAnyNestedRoute as _},
    components::Route,
    path,
};
use serde::Serialize;
use visit::{PageResult, address};

/// The pages.
#[component(transparent)]
pub(crate) fn CaptureRoutes() -> AnyNestedRoute {
    view! {
        <Route path=path!("/") view=home::HomePage ssr=Async/>
        <Route path=path!("/v/:token") view=start::StartPage ssr=Async/>
        <Route path=path!("/capture/consent") view=consent::ConsentPage ssr=Async/>
        <Route path=path!("/capture/document-type") view=choose::ChoosePage ssr=Async/>
        <Route path=path!("/capture/document") view=document::DocumentPage ssr=Async/>
        <Route path=path!("/capture/check") view=check::CheckPage ssr=Async/>
        <Route path=path!("/capture/details") view=details::DetailsPage ssr=Async/>
        <Route path=path!("/capture/selfie") view=selfie::SelfiePage ssr=Async/>
        <Route path=path!("/capture/submit") view=submit::SubmitPage ssr=Async/>
        <Route path=path!("/capture/result") view=result::ResultPage ssr=Async/>
        <Route path=path!("/capture/another-device") view=switch_device::SwitchDevicePage ssr=Async/>
    }
    .into_inner()
    .into_any_nested_route()
}

/// Their forms, and the endpoints their scripts use.
pub(crate) fn forms() -> Router {
    Router::new()
        .route(forms::CAPTURE, get(handler(current)))
        // Reloading a page that reported a mistake leads to the current step.
        .route(forms::PICTURES, get(handler(current)))
        .route(forms::MORE_TIME, get(handler(current)).post(handler(more_time)))
        .merge(logo::forms())
        .merge(start::forms())
        .merge(consent::forms())
        .merge(choose::forms())
        .merge(check::forms())
        .merge(details::forms())
        .merge(submit::forms())
        .merge(switch_device::forms())
}

/// The page for an unknown address.
pub(crate) fn not_found() -> impl IntoView {
    crate::page::page(|_: Request| async { Err(Refusal::NotFound) })
}

/// Redirects to the current step.
async fn current(request: Request) -> PageResult<Response> {
    let here = request.here().await?;
    let next = address(here.next());
    Ok(if here.request.tells_not_saved() {
        here.request.lead_on(&with_query(next, forms::NOTICE, forms::NOT_SAVED))
    } else {
        here.request.lead_on(next)
    })
}

/// What a page's script receives about the time left.
#[derive(Serialize)]
struct Left {
    seconds: i64,
    renewable: bool,
}

/// POST: the user is still there. This request itself extends the time.
async fn more_time(request: Request) -> PageResult<Response> {
    let here = request.here().await?;
    let left = here.attempt.time_left(here.request.honnin().now());
    match left.filter(|_| here.request.who.wants_json) {
        Some(left) => Ok(Json(Left {
            seconds: left.span.0 / 1000,
            renewable: left.renewable,
        })
        .into_response()),
        None => Ok(here.request.lead_on(forms::CAPTURE)),
    }
}

/// How many tries are left, as a sentence; nothing while there are plenty.
fn tries_left(meta: &PageMeta, left: u8) -> Option<String> {
    const PLENTY: u8 = 4;
    match left {
        PLENTY.. => None,
        0 | 1 => Some(meta.say(text::TRY_LAST).to_owned()),
        n => Some(meta.tell(text::TRIES_LEFT, &[("n", &n.to_string())])),
    }
}

/// The link to continue on another phone, for pages that need a camera.
fn other_device(meta: &PageMeta) -> impl IntoView + use<> {
    view! { <p class="other"><a href=forms::SWITCH_DEVICE>{meta.say(other::OTHER_DEVICE)}</a></p> }
}

/// Shown in place of the camera button while the browser's half is loading, which takes seconds on a slow network.
fn preparing(meta: &PageMeta) -> impl IntoView + use<> {
    view! { <p class="preparing">{meta.say(camera::PREPARING)}</p> }
}

/// What heads the file fields: the alternative to the camera, or without scripts the only way.
fn or_file(meta: &PageMeta) -> impl IntoView + use<> {
    view! {
        <span class="scripted">{meta.say(camera::OR_FILE)}</span>
        <span class="unscripted">{meta.say(text::FILE_ONLY)}</span>
    }
}

/// What is said once the phone has ended the page while its camera app was open. See [`watch_camera_app`].
fn photo_lost(meta: &PageMeta) -> impl IntoView + use<> {
    view! { <p class="note" role="alert" data-lost hidden>{meta.say(text::PHOTO_LOST)}</p> }
}

/// The script that finds that out. It stands behind the file fields.
fn watch_camera_app(meta: &PageMeta) -> impl IntoView + use<> {
    view! { <script nonce=meta.nonce.clone() inner_html=include_str!("camera_app.js")></script> }
}

/// The texts in the page's language.
fn said<const N: usize>(meta: &PageMeta, texts: [Text; N]) -> [&'static str; N] {
    texts.map(|t| meta.say(t))
}

/// What stands in a row to quote or to keep.
enum Quoted {
    Words(String),
    /// Letters and digits to copy.
    Code(String),
    /// An id to read out or to type off.
    Id(String),
    /// Shown by the clock of the phone; without scripts in UTC.
    Time(Timestamp),
}

/// Rows to quote or to keep: name, and value if known.
fn receipt<const N: usize>(meta: &PageMeta, rows: [(Text, Option<Quoted>); N]) -> impl IntoView + use<N> {
    let shown = |value| match value {
        Quoted::Words(words) => view! { <dd>{words}</dd> }.into_any(),
        Quoted::Code(code) => view! { <dd class="quote">{code}</dd> }.into_any(),
        Quoted::Id(id) => view! { <dd class="quote groups">{groups(&id)}</dd> }.into_any(),
        Quoted::Time(at) => {
            view! { <dd><time datetime=at.to_iso() data-local>{moment(meta.language, at)}</time></dd> }.into_any()
        }
    };
    let rows: Vec<_> = rows
        .into_iter()
        .filter_map(|(name, value)| {
            let (name, value) = (meta.say(name), shown(value?));
            Some(view! { <div><dt>{name}</dt>{value}</div> })
        })
        .collect();
    view! {
        <dl class="receipt-rows">{rows}</dl>
        <script nonce=meta.nonce.clone() inner_html=include_str!("local_time.js")></script>
    }
}
