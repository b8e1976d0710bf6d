//! Continuing on another device.

mod view;

pub use view::{ElsewhereView, Link, render};
pub(super) use view::{code, copy, opened, script};

use super::{
    qr::qr,
    refusal::Refusal,
    visit::{Found, Here, Request, step},
};
use crate::{
    forms,
    page::{Fields, Outcome, form},
};
use axum::{Router, routing::post};
use http::StatusCode;
use leptos::prelude::*;
use service::{
    hand_over::{LIFETIME, hand_over},
    progress::Next,
};
use std::sync::Arc;

/// The page that explains continuing elsewhere, or shows the link for it.
#[component]
pub fn ElsewherePage() -> impl IntoView {
    step(None, forms::ELSEWHERE, load, render)
}

/// Its form.
pub(super) fn forms() -> Router {
    Router::new().route(forms::ELSEWHERE, post(form(forms::ELSEWHERE, make)))
}

async fn load(here: Arc<Here>) -> Found<ElsewhereView> {
    goes_on(&here)?;
    Ok(ElsewhereView { link: None })
}

fn goes_on(here: &Here) -> Found<()> {
    match here.next() {
        Next::Result => Err(Refusal::OutOfTurn),
        Next::Expired => Err(Refusal::Expired),
        _ => Ok(()),
    }
}

/// The link, shown only now.
async fn make(request: Request, _: Fields) -> Found<Outcome> {
    let here = request.here().await?;
    goes_on(&here)?;
    let honnin = here.request.honnin();
    let made = hand_over(honnin, &here.applicant).await?;
    let url = made.url.expose().clone();
    let path = url.strip_prefix(honnin.base_url().as_str()).unwrap_or_default();
    let link = Link {
        qr_svg: qr(&url),
        follow: format!("/{path}{}", forms::OPENED),
        minutes: LIFETIME.0 / 60_000,
        url,
    };
    Ok(Outcome::shown(StatusCode::OK, ElsewhereView { link: Some(link) }))
}
