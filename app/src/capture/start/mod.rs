//! The one-time link: viewing it changes nothing, Start opens it.

mod view;

pub use view::{StartView, render};

use super::{
    qr::qr,
    refusal::Refusal,
    visit::{CaptureCookie, PageResult, Request, brand, days, stage, submitted_session},
};
use crate::{
    Progress, forms,
    page::{Fields, Outcome, form, handler, page},
};
use axum::{
    Json, Router,
    response::{IntoResponse as _, Response},
    routing::{get, post},
};
use domain::sandbox::SandboxOutcome;
use leptos::prelude::*;
use serde::Serialize;
use service::{
    capture::open_link::{OpenLinkError, closed_within, open_link, session_of_link, view_link},
    sandbox::{CompleteError, complete_as_applicant},
};
use std::time::Duration;

const HERE: &str = "/v/{token}";
/// How long a page that shows a link's QR code waits for the link to be opened.
const FOLLOWING: Duration = Duration::from_secs(20);

/// What the form says to a browser that sent no mark: it keeps no cookies.
#[derive(Clone)]
struct NoCookies;

/// The start page.
#[component]
pub fn StartPage() -> impl IntoView {
    page(show)
}

/// Its form, and the endpoint its script polls.
pub(super) fn forms() -> Router {
    Router::new()
        .route("/v/{token}", post(form(HERE, start)))
        .route("/v/{token}/opened", get(handler(opened)))
}

async fn show(request: Request) -> PageResult<AnyView> {
    let token = request.param("token");
    if is_here_already(&request, token).await? {
        return Err(Refusal::OutOfTurn);
    }
    let start = match view_link(request.honnin(), token).await {
        Err(OpenLinkError::NotUsable) if was_done_here(&request, token).await? => return Err(Refusal::Over),
        viewed => viewed?,
    };
    let mut meta = request.meta(Some(brand(&start.branding)));
    meta.progress = start.next.and_then(stage).map(|stage| Progress::of(&start.plan, stage));
    let view = StartView {
        action: format!("{}{token}", forms::START),
        follow: format!("{}{token}{}", forms::START, forms::OPENED),
        plan: start.plan,
        retention_days: days(start.retention),
        qr_svg: if request.who.is_phone {
            None
        } else {
            qr(&format!("{}v/{token}", request.honnin().base_url()))
        },
        sandbox: start.mode.is_sandbox(),
        no_cookies: use_context::<NoCookies>().is_some(),
    };
    Ok(render(&view, &meta))
}

/// Whether a link can still be opened. It reveals no more than the start page: used, replaced, expired and unknown links look
/// alike.
#[derive(Serialize)]
struct Openness {
    open: bool,
}

/// GET, for a page that shows the link's QR code: waits a while for the link to be opened.
async fn opened(request: Request) -> PageResult<Response> {
    let look = |at_most| closed_within(request.honnin(), request.param("token"), at_most);
    let closed = request.who.waiting.until(FOLLOWING, |closed| *closed, look).await?;
    Ok(Json(Openness { open: !closed }).into_response())
}

/// POST: opens the link and ties this browser to the session. In a sandbox, the form may name an outcome: then the session is
/// completed with test data. One that does not exist is refused before it uses up the link, and so is a browser without a mark,
/// which would not keep the capture cookie either.
async fn start(request: Request, fields: Fields) -> PageResult<Outcome> {
    let token = request.param("token");
    let named = fields.raw(forms::OUTCOME);
    let wish = SandboxOutcome::parse(named);
    if wish.is_none() && !named.is_empty() {
        return Ok(Outcome::refused(()));
    }
    if request.who.mark.is_none() && !is_here_already(&request, token).await? {
        view_link(request.honnin(), token).await?;
        return Ok(Outcome::refused(NoCookies));
    }
    match open_link(request.honnin(), token, request.who.mark.as_deref()).await {
        Ok(opened) => {
            let next = match wish {
                Some(outcome) => complete(&request, opened.cookie.expose(), outcome).await?,
                None => forms::CAPTURE,
            };
            let cookie = CaptureCookie(opened.cookie.expose().clone());
            Ok(Outcome::Done(request.lead_on(next)).with(cookie))
        }
        Err(OpenLinkError::NotUsable) if is_here_already(&request, token).await? => Err(Refusal::OutOfTurn),
        Err(OpenLinkError::NotUsable) if was_done_here(&request, token).await? => Err(Refusal::Over),
        Err(error) => Err(error.into()),
    }
}

/// Completes a sandbox session that was just opened. If that fails, the same browser can retry with the same tap.
async fn complete(request: &Request, cookie: &str, outcome: SandboxOutcome) -> PageResult<&'static str> {
    let applicant = service::access::capture_cookie::applicant(request.honnin(), cookie).await?;
    match complete_as_applicant(request.honnin(), &applicant, outcome).await {
        Ok(_) => Ok(forms::RESULT),
        // A live session has no such button: it starts as usual.
        Err(CompleteError::NotFound | CompleteError::NotAllowed) => Ok(forms::CAPTURE),
        Err(CompleteError::Store(error)) => Err(error.into()),
    }
}

/// Whether this browser already holds the session of the link: it continues where it left off.
async fn is_here_already(request: &Request, token: &str) -> PageResult<bool> {
    if request.who.cookie.is_none() {
        return Ok(false);
    }
    match request.applicant().await {
        Ok(applicant) => Ok(session_of_link(request.honnin(), token).await?.as_ref() == Some(applicant.session())),
        Err(Refusal::Over | Refusal::Expired) => Ok(false),
        Err(other) => Err(other),
    }
}

/// Whether this browser has submitted the session of the link, and can no longer open it: a user who returns to the link later has nothing left to
/// do, and needs no new one. To any other browser, the link is like every other that cannot be used.
async fn was_done_here(request: &Request, token: &str) -> PageResult<bool> {
    match submitted_session(request).await {
        Some(session) => Ok(session_of_link(request.honnin(), token).await? == Some(session)),
        None => Ok(false),
    }
}
