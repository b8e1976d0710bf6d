//! Going on on another device, and asking for more time on this one.

use super::{
    answer::{answered, lead_on, page as html},
    link::qr,
    refusal::Refusal,
    visit::Visit,
};
use crate::state::App;
use app::{
    capture::elsewhere::{self, ElsewhereView, Link},
    forms,
};
use axum::{
    Json,
    extract::State,
    response::{IntoResponse, Response},
};
use serde::Serialize;
use service::{
    hand_over::{LIFETIME, hand_over},
    progress::{Next, Standing},
};

/// GET: what going on elsewhere means.
pub(super) async fn page(State(app): State<App>, visit: Visit) -> Response {
    let shown = async {
        let (_, standing) = visit.standing(&app).await?;
        goes_on(&app, &standing)?;
        Ok(elsewhere_html(&app, &visit, &standing, None))
    };
    answered(&app, &visit, shown.await)
}

/// POST: the link, shown this once.
pub(super) async fn make(State(app): State<App>, visit: Visit) -> Response {
    let made = async {
        let (applicant, standing) = visit.standing(&app).await?;
        goes_on(&app, &standing)?;
        let made = hand_over(&app.honnin, &applicant).await?;
        let url = made.url.expose().clone();
        let path = url.strip_prefix(app.honnin.base_url().as_str()).unwrap_or_default();
        let link = Link {
            qr_svg: qr(&url),
            follow: format!("/{path}{}", forms::OPENED),
            minutes: LIFETIME.0 / 60_000,
            url,
        };
        Ok(elsewhere_html(&app, &visit, &standing, Some(link)))
    };
    answered(&app, &visit, made.await)
}

fn goes_on(app: &App, standing: &Standing) -> Result<(), Refusal> {
    match standing.next(app.honnin.now()) {
        Next::Result => Err(Refusal::OutOfTurn),
        Next::Expired => Err(Refusal::Expired),
        _ => Ok(()),
    }
}

fn elsewhere_html(app: &App, visit: &Visit, standing: &Standing, link: Option<Link>) -> Response {
    let meta = visit.meta_of(app, standing, None, forms::ELSEWHERE);
    html(elsewhere::render(&ElsewhereView { link }, &meta))
}

/// What the page's script is told of the time.
#[derive(Serialize)]
struct Left {
    seconds: i64,
    renewable: bool,
}

/// POST: somebody is still there. Being seen is what puts the end off.
pub(super) async fn more_time(State(app): State<App>, visit: Visit) -> Response {
    let left = async {
        let (_, standing) = visit.standing(&app).await?;
        match standing.time_left(app.honnin.now()).filter(|_| visit.json) {
            Some(left) => Ok(Json(Left {
                seconds: left.span.0 / 1000,
                renewable: left.renewable,
            })
            .into_response()),
            None => Ok(lead_on(&visit, forms::CAPTURE)),
        }
    };
    answered(&app, &visit, left.await)
}
