//! The one-time link: looking at it changes nothing, Start opens it.

use super::{
    answer::{Refusal, answered, days, lead_on, page as html},
    visit::{Visit, brand, capture_cookie, mark_cookie, with_cookie},
};
use crate::state::App;
use app::{
    capture::start::{self, StartView},
    forms,
};
use axum::{
    extract::{Path, State},
    response::Response,
};
use http::{HeaderMap, header::USER_AGENT};
use qrcode::{QrCode, render::svg};
use service::open_link::{OpenLinkError, browser_mark, open_link, session_of_link, view_link};

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

/// POST: opens the link and ties this browser to the session.
pub(super) async fn start(State(app): State<App>, visit: Visit, Path(token): Path<String>) -> Response {
    answered(&app, &visit, open(&app, &visit, &token).await)
}

async fn open(app: &App, visit: &Visit, token: &str) -> Result<Response, Refusal> {
    match open_link(&app.honnin, token, visit.mark()).await {
        Ok(opened) => Ok(with_cookie(
            lead_on(visit, forms::CAPTURE),
            &capture_cookie(opened.cookie.expose()),
        )),
        Err(OpenLinkError::NotUsable) if is_here_already(app, visit, token).await? => {
            Ok(lead_on(visit, forms::CAPTURE))
        }
        Err(error) => Err(error.into()),
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

fn qr(url: &str) -> Option<String> {
    let code = QrCode::new(url).ok()?;
    let drawn = code.render::<svg::Color<'_>>().min_dimensions(200, 200).build();
    // Inside a page the XML declaration has no place.
    Some(
        drawn
            .split_once("?>")
            .map_or_else(|| drawn.clone(), |(_, rest)| rest.to_owned()),
    )
}
