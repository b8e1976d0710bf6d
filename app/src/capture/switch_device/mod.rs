//! Continuing on another device.

mod view;

pub use view::{Link, SwitchDeviceView, render};
pub(super) use view::{code, copy, opened, script};

use super::{
    qr::qr,
    refusal::Refusal,
    visit::{Here, PageResult, Request, step},
};
use crate::{
    forms,
    page::{Fields, Outcome, form},
};
use axum::{Router, routing::post};
use http::StatusCode;
use leptos::prelude::*;
use service::capture::{
    progress::Next,
    switch_device::{LIFETIME, switch_device},
};
use std::sync::Arc;

/// The page that explains continuing elsewhere, or shows the link for it.
#[component]
pub fn SwitchDevicePage() -> impl IntoView {
    step(None, forms::SWITCH_DEVICE, load, render)
}

/// Its form.
pub(super) fn forms() -> Router {
    Router::new().route(forms::SWITCH_DEVICE, post(form(forms::SWITCH_DEVICE, make)))
}

async fn load(here: Arc<Here>) -> PageResult<SwitchDeviceView> {
    check_unfinished(&here)?;
    Ok(SwitchDeviceView { link: None })
}

fn check_unfinished(here: &Here) -> PageResult<()> {
    match here.next() {
        Next::Result => Err(Refusal::OutOfTurn),
        Next::Expired => Err(Refusal::Expired),
        _ => Ok(()),
    }
}

/// The link, shown only now.
async fn make(request: Request, _: Fields) -> PageResult<Outcome> {
    let here = request.here().await?;
    check_unfinished(&here)?;
    let honnin = here.request.honnin();
    let made = switch_device(honnin, &here.applicant).await?;
    let url = made.url.expose().clone();
    let path = url.strip_prefix(honnin.base_url().as_str()).unwrap_or_default();
    let link = Link {
        qr_svg: qr(&url),
        follow: format!("/{path}{}", forms::OPENED),
        minutes: LIFETIME.0 / 60_000,
        url,
    };
    Ok(Outcome::shown(StatusCode::OK, SwitchDeviceView { link: Some(link) }))
}
