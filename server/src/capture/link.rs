//! The one-time link: looking at it changes nothing, Start opens it.

use super::{
    answer::{answered, days, lead_on, page as html},
    refusal::Refusal,
    visit::{Visit, brand, capture_cookie, fields, mark_cookie, with_cookie},
};
use crate::state::App;
use app::{
    capture::start::{self, StartView},
    forms,
};
use axum::{
    Json,
    extract::{Path, Request, State},
    response::{IntoResponse, Response},
};
use domain::sandbox::SandboxOutcome;
use http::{HeaderMap, header::USER_AGENT};
use qrcode::{QrCode, render::svg};
use serde::Serialize;
use service::{
    complete_in_sandbox::{CompleteError, complete_as_applicant},
    open_link::{OpenLinkError, browser_mark, closed_within, open_link, session_of_link, view_link},
};
use std::time::Duration;
use tokio::sync::Semaphore;

/// How long a page that shows a link's code is kept waiting for news of the link.
const FOLLOWING: Duration = Duration::from_secs(20);
/// So many may be kept waiting at once; others are told at once how it stands, and ask again.
static FOLLOWERS: Semaphore = Semaphore::const_new(64);

/// GET: the start page.
pub(super) async fn page(
    State(app): State<App>,
    visit: Visit,
    headers: HeaderMap,
    Path(token): Path<String>,
) -> Response {
    answered(&app, &visit, show(&app, &visit, &headers, &token).await)
}

async fn show(app: &App, visit: &Visit, headers: &HeaderMap, token: &str) -> Result<Response, Refusal> {
    if is_here_already(app, visit, token).await? {
        return Ok(lead_on(visit, forms::CAPTURE));
    }
    let start = view_link(&app.honnin, token).await?;
    let view = StartView {
        action: format!("{}{token}", forms::START),
        follow: format!("{}{token}{}", forms::START, forms::OPENED),
        plan: start.plan,
        retention_days: days(start.retention),
        qr_svg: if is_phone(headers) {
            None
        } else {
            qr(&format!("{}v/{token}", app.honnin.base_url()))
        },
        sandbox: start.sandbox,
    };
    let meta = visit.meta(app, Some(brand(&start.tenant_name, start.accent.as_deref())));
    let response = html(start::render(&view, &meta));
    Ok(match visit.mark() {
        Some(_) => response,
        None => with_cookie(response, &mark_cookie(browser_mark(&app.honnin).expose())),
    })
}

/// Whether a link can still be opened. What the start page tells, and no more: used, replaced, too old and unknown are alike.
#[derive(Serialize)]
struct Openness {
    open: bool,
}

/// GET: for a page that shows the link's code; waits a while for the link to be opened.
pub(super) async fn opened(State(app): State<App>, visit: Visit, Path(token): Path<String>) -> Response {
    let seat = FOLLOWERS.try_acquire();
    let patience = if seat.is_ok() { FOLLOWING } else { Duration::ZERO };
    let closed = tokio::select! {
        closed = closed_within(&app.honnin, &token, patience) => closed,
        () = app.stopping.cancelled() => Ok(false),
    };
    let told = closed.map(|closed| Json(Openness { open: !closed }).into_response());
    answered(&app, &visit, told.map_err(Refusal::from))
}

/// POST: opens the link and ties this browser to the session. In a sandbox the form may name an outcome: then everything up to it
/// is made up.
pub(super) async fn start(
    State(app): State<App>,
    visit: Visit,
    Path(token): Path<String>,
    request: Request,
) -> Response {
    let form = fields(request).await;
    let wish = form.get(forms::OUTCOME).and_then(|name| SandboxOutcome::parse(name));
    answered(&app, &visit, open(&app, &visit, &token, wish).await)
}

async fn open(app: &App, visit: &Visit, token: &str, wish: Option<SandboxOutcome>) -> Result<Response, Refusal> {
    match open_link(&app.honnin, token, visit.mark()).await {
        Ok(opened) => {
            let next = match wish {
                Some(outcome) => complete(app, opened.cookie.expose(), outcome).await?,
                None => forms::CAPTURE,
            };
            Ok(with_cookie(
                lead_on(visit, next),
                &capture_cookie(opened.cookie.expose()),
            ))
        }
        Err(OpenLinkError::NotUsable) if is_here_already(app, visit, token).await? => {
            Ok(lead_on(visit, forms::CAPTURE))
        }
        Err(error) => Err(error.into()),
    }
}

/// Completes a sandbox session that was just opened. Should that fail, the same browser opens it again with the same tap.
async fn complete(app: &App, cookie: &str, outcome: SandboxOutcome) -> Result<&'static str, Refusal> {
    let applicant = service::capture_cookie::applicant(&app.honnin, cookie).await?;
    match complete_as_applicant(&app.honnin, &applicant, outcome).await {
        Ok(_) => Ok(forms::RESULT),
        // A live session has no such button: it starts like any other.
        Err(CompleteError::NotFound | CompleteError::NotAllowed) => Ok(forms::CAPTURE),
        Err(CompleteError::Store(error)) => Err(error.into()),
    }
}

/// Whether this browser holds the session that the link was made for: it goes on where it left.
async fn is_here_already(app: &App, visit: &Visit, token: &str) -> Result<bool, Refusal> {
    if visit.capture_cookie().is_none() {
        return Ok(false);
    }
    match visit.applicant(app).await {
        Ok(applicant) => Ok(session_of_link(&app.honnin, token).await?.as_ref() == Some(applicant.session())),
        Err(Refusal::Over | Refusal::Expired) => Ok(false),
        Err(other) => Err(other),
    }
}

/// Phones open the link themselves; whoever sits at a desktop gets a code to scan.
fn is_phone(headers: &HeaderMap) -> bool {
    let agent = headers
        .get(USER_AGENT)
        .and_then(|agent| agent.to_str().ok())
        .unwrap_or_default();
    agent.contains("Mobi") || agent.contains("Android")
}

/// The QR code of an address, as SVG.
pub(super) fn qr(url: &str) -> Option<String> {
    let code = QrCode::new(url).ok()?;
    let drawn = code.render::<svg::Color<'_>>().min_dimensions(200, 200).build();
    // Inside a page the XML declaration has no place.
    Some(
        drawn
            .split_once("?>")
            .map_or_else(|| drawn.clone(), |(_, rest)| rest.to_owned()),
    )
}
