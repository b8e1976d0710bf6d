//! Consent.

mod view;

pub use view::{CONSENT_VERSION, CONSENT_VERSION_SEARCH, ConsentView, render, version};

use super::{
    refusal::Refusal,
    visit::{Here, PageResult, Request, days, in_turn, step},
};
use crate::{
    Stage, forms,
    page::{Fields, Outcome, form},
};
use axum::{Router, routing::post};
use http::StatusCode;
use leptos::prelude::*;
use service::capture::{
    consent::{Agreement, consent as agree},
    decline::decline,
    progress::Next,
};
use std::sync::Arc;

/// Consent.
#[component]
pub fn ConsentPage() -> impl IntoView {
    step(Some(Stage::Consent), forms::CONSENT, load, render)
}

/// Its form.
pub(super) fn forms() -> Router {
    Router::new().route(forms::CONSENT, post(form(forms::CONSENT, consent)))
}

async fn load(here: Arc<Here>) -> PageResult<ConsentView> {
    in_turn(here.next() == Next::Consent)?;
    Ok(ConsentView {
        plan: here.attempt.plan().clone(),
        retention_days: days(here.attempt.retention()),
        face_search: here.attempt.searches_faces(),
        declining: false,
    })
}

/// Agree, or decline after a second look.
async fn consent(request: Request, fields: Fields) -> PageResult<Outcome> {
    let applicant = request.applicant().await?;
    match fields.raw(forms::DECISION) {
        forms::DECLINE if fields.raw(forms::CONFIRMED) != forms::YES => {
            let here = Arc::new(request.here().await?);
            let view = ConsentView {
                declining: true,
                ..load(here).await?
            };
            Ok(Outcome::shown(StatusCode::OK, view))
        }
        forms::DECLINE => {
            decline(request.honnin(), &applicant).await?;
            Ok(Outcome::Done(request.lead_on(forms::RESULT)))
        }
        // Consent is to the current text; anyone who saw an older one sees this one first.
        forms::ACCEPT => {
            let shown = fields.raw(forms::VERSION);
            let version = [false, true].map(version).into_iter().find(|version| *version == shown);
            let version = version.ok_or(Refusal::OutOfTurn)?;
            let asked = version == CONSENT_VERSION_SEARCH;
            let search = asked.then(|| fields.raw(forms::FACE_SEARCH) == forms::YES);
            let agreement = Agreement {
                version: version.to_owned(),
                language: request.who.language,
                retention_days: fields
                    .raw(forms::RETENTION_DAYS)
                    .parse()
                    .map_err(|_| Refusal::OutOfTurn)?,
                face_search: search,
            };
            agree(request.honnin(), &applicant, agreement).await?;
            request.to_current_step(&applicant).await.map(Outcome::Done)
        }
        _ => Err(Refusal::OutOfTurn),
    }
}
