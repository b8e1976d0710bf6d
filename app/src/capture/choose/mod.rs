//! The choice of the document.

mod view;

pub use view::{ChooseView, render};

use super::visit::{Here, PageResult, Request, in_turn, step};
use crate::{
    Stage, forms,
    page::{Fields, Outcome, form},
};
use axum::{Router, routing::post};
use domain::{document::DocumentType, session::Step};
use leptos::prelude::*;
use service::capture::{
    choose_document::{Photos, choose_document},
    progress::Next,
};
use std::sync::Arc;

/// The choice of the document. It can be changed until the submit.
#[component]
pub fn ChoosePage() -> impl IntoView {
    step(Some(Stage::Document), forms::CHOOSE, load, render)
}

/// Its form.
pub(super) fn forms() -> Router {
    Router::new().route(forms::CHOOSE, post(form(forms::CHOOSE, choose)))
}

async fn load(here: Arc<Here>) -> PageResult<ChooseView> {
    may_choose(&here)?;
    Ok(view_of(&here))
}

fn view_of(here: &Here) -> ChooseView {
    let (usual, others) = offered(here.request.who.in_japan);
    ChooseView {
        usual,
        others,
        chosen: here.attempt.document_type(),
        again: here.attempt.may_photograph_again(),
        missing: false,
    }
}

/// The kinds that people usually carry, and the others: people outside Japan hardly have a document that only Japan issues.
#[must_use]
pub fn offered(in_japan: bool) -> (Vec<DocumentType>, Vec<DocumentType>) {
    use DocumentType as D;
    let usual: &[D] = if in_japan {
        &[D::DrivingLicense, D::MyNumberCard, D::ResidenceCard, D::Passport]
    } else {
        &[D::Passport, D::IdCard, D::DrivingLicense]
    };
    let others = D::ALL.iter().copied().filter(|kind| !usual.contains(kind));
    (usual.to_vec(), others.collect())
}

fn may_choose(here: &Here) -> PageResult<()> {
    let closed = matches!(here.next(), Next::Consent | Next::Result | Next::Expired);
    in_turn(!closed && here.attempt.plan().has(Step::Document))
}

/// The kind of document.
async fn choose(request: Request, fields: Fields) -> PageResult<Outcome> {
    let here = request.here().await?;
    may_choose(&here)?;
    let Some(kind) = DocumentType::parse(fields.raw(forms::DOCUMENT_TYPE)) else {
        return Ok(Outcome::refused(ChooseView {
            missing: true,
            ..view_of(&here)
        }));
    };
    let photos = if fields.raw(forms::DECISION) == forms::AGAIN {
        Photos::DiscardAll
    } else {
        Photos::KeepGood
    };
    choose_document(here.request.honnin(), &here.applicant, kind, photos).await?;
    here.to_current_step().await
}
