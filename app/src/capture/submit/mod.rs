//! The summary, the submit, and the request for another selfie.

mod view;

pub use view::{DocumentShown, SelfieShown, SubmitView, render};

use super::{
    refusal::Refusal,
    visit::{Here, PageResult, Request, picture_url, seen_as, step},
};
use crate::{
    Stage, forms,
    page::{Fields, Outcome, form},
};
use axum::{Router, routing::post};
use domain::{ids::CaptureId, secret::Personal};
use leptos::prelude::*;
use service::capture::{
    progress::Next,
    retake_selfie::retake_selfie,
    submit::{self, summary},
};
use std::sync::Arc;

/// The summary.
#[component]
pub fn SubmitPage() -> impl IntoView {
    step(Some(Stage::Submit), forms::SUBMIT, load, render)
}

/// Its form.
pub(super) fn forms() -> Router {
    Router::new().route(forms::SUBMIT, post(form(forms::SUBMIT, submit)))
}

/// Waits a while for the analysis of the pictures: what it finds is asked again before the submit. Whoever has another step to do first does not
/// wait.
async fn analysed(here: &Here) -> PageResult<()> {
    if here.next() == Next::Submit {
        here.request.analysed(&here.applicant).await?;
    }
    Ok(())
}

async fn load(here: Arc<Here>) -> PageResult<SubmitView> {
    analysed(&here).await?;
    let found = summary(here.request.honnin(), &here.applicant).await?;
    let small = |id: &CaptureId, frame| seen_as(&picture_url(id, frame), forms::SMALL);
    let document = found.document_type.map(|document_type| DocumentShown {
        document_type,
        pictures: found.pictures.iter().map(|(side, id)| (*side, small(id, 0))).collect(),
    });
    Ok(SubmitView {
        document,
        input: found.input.map(Personal::into_exposed),
        selfie: found.selfie.map(|(id, frame)| SelfieShown {
            picture_url: Some(small(&id, frame)),
            may_retake: found.may_retake_selfie,
            poor: found.has_poor_selfie,
        }),
    })
}

async fn submit(request: Request, fields: Fields) -> PageResult<Outcome> {
    let here = request.here().await?;
    let honnin = here.request.honnin();
    let next = match fields.raw(forms::DECISION) {
        forms::AGAIN => {
            retake_selfie(honnin, &here.applicant).await?;
            forms::SELFIE
        }
        forms::SEND => {
            analysed(&here).await?;
            submit::submit(honnin, &here.applicant).await?;
            forms::RESULT
        }
        _ => return Err(Refusal::OutOfTurn),
    };
    Ok(Outcome::Done(here.request.lead_on(next)))
}
