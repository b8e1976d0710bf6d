//! The photo just taken: use it, or take another.

mod view;

pub use view::{CheckView, render};

use super::{
    refusal::Refusal,
    visit::{Here, PageResult, Request, picture_url, seen_as, step},
};
use crate::{
    Stage,
    forms::{self, picture_view},
    page::{Fields, Outcome, form, handler},
    text::{Text, capture as text, dates::date},
};
use axum::{
    Json, Router,
    response::{IntoResponse as _, Response},
    routing::{get, post},
};
use domain::{
    document::{FieldName, OcrField},
    ids::CaptureId,
    language::Language,
    reasons::Reason,
};
use http::{StatusCode, header::CONTENT_TYPE};
use leptos::prelude::*;
use serde::Serialize;
use service::capture::{
    check::{Checked, PhotoChoice, check_picture},
    retake::to_check,
    show_picture::show_picture,
};
use std::{iter, sync::Arc};

/// The photo just taken.
#[component]
pub fn CheckPage() -> impl IntoView {
    step(Some(Stage::Document), forms::CHECK, load, render)
}

/// Its form, its pictures, and the endpoint its script polls.
pub(super) fn forms() -> Router {
    Router::new()
        .route(forms::CHECK, post(form(forms::CHECK, check)))
        .route(forms::CHECK_FOUND, get(handler(found)))
        .route("/capture/pictures/{id}", get(handler(picture)))
}

async fn load(here: Arc<Here>) -> PageResult<CheckView> {
    let photo = to_check(here.request.honnin(), &here.applicant).await?;
    let whole = picture_url(&photo.id, 0);
    let (full, screen) = if photo.straight {
        (seen_as(&whole, forms::CARD), forms::CARD_ON_SCREEN)
    } else {
        (whole.clone(), forms::SCREEN)
    };
    Ok(CheckView {
        photo: photo.id,
        picture_url: full,
        screen_url: seen_as(&whole, screen),
        kept: photo.kept,
        document_type: photo.document_type,
        side: photo.side,
        problems: photo.problems,
        looks_like: photo.looks_like,
        analysed: photo.analysed,
        found_more: Vec::new(),
        read: read(here.request.who.language, photo.read.expose()),
        tries_left: photo.tries_left,
    })
}

/// What is worth comparing with the card, as people write it.
fn read(language: Language, fields: &[OcrField]) -> Vec<(Text, String)> {
    let value = |name| {
        let field = fields.iter().find(|field| field.name == name)?;
        let text = field.text.as_deref().or(field.normalized.as_deref())?;
        Some(text.replace('\n', " "))
    };
    let day = |name| {
        let field = fields.iter().find(|field| field.name == name)?;
        Some(date(language, field.normalized.as_deref()?))
    };
    let parts = [value(FieldName::LastName), value(FieldName::FirstName)];
    let parts: Vec<_> = parts.into_iter().flatten().collect();
    let name = if parts.is_empty() {
        value(FieldName::FullName)
    } else {
        Some(parts.join(" "))
    };
    let rows = [
        (text::READ_NAME, name),
        (text::READ_NUMBER, value(FieldName::DocumentNumber)),
        (text::READ_BIRTH, day(FieldName::BirthDate)),
        (text::READ_EXPIRY, day(FieldName::ExpiryDate)),
    ];
    rows.into_iter()
        .filter_map(|(name, value)| Some((name, value?)))
        .collect()
}

async fn check(request: Request, fields: Fields) -> PageResult<Outcome> {
    let applicant = request.applicant().await?;
    let (photo, problems) = seen(fields.raw(forms::SHOWN));
    let choice = match fields.raw(forms::DECISION) {
        forms::USE => PhotoChoice::Use(problems),
        forms::AGAIN => PhotoChoice::Retake,
        _ => return Err(Refusal::OutOfTurn),
    };
    if choice != PhotoChoice::Retake {
        // What the analysis finds is shown before the next side is photographed, not after.
        request.analysed(&applicant).await?;
    }
    // A form that names no photo was sent by somebody who saw none.
    if let Some(photo) = photo {
        match check_picture(request.honnin(), &applicant, &photo, choice).await? {
            Checked::Done => {}
            Checked::OutOfDate => return Err(Refusal::NotSaved),
            Checked::FoundMore(found_more) => {
                let view = CheckView {
                    found_more,
                    ..load(Arc::new(request.here().await?)).await?
                };
                return Ok(Outcome::shown(StatusCode::OK, view));
            }
        }
    }
    request.to_current_step(&applicant).await.map(Outcome::Done)
}

/// What a page showed, as [`forms::SHOWN`].
#[must_use]
pub fn shown(photo: &CaptureId, problems: &[Reason]) -> String {
    let codes = problems.iter().map(|problem| problem.as_str());
    iter::once(photo.as_str()).chain(codes).collect::<Vec<_>>().join(",")
}

/// The photo and the problems that a page showed.
fn seen(shown: &str) -> (Option<CaptureId>, Vec<Reason>) {
    let (photo, codes) = shown.split_once(',').unwrap_or((shown, ""));
    (
        CaptureId::parse(photo),
        codes.split(',').filter_map(Reason::parse).collect(),
    )
}

/// What the page of a photo receives once the analysis has ended.
#[derive(Serialize)]
struct Analysed {
    analysed: bool,
    shown: String,
}

/// GET, for the page of a photo: waits a while for its analysis.
async fn found(request: Request) -> PageResult<Response> {
    let applicant = request.applicant().await?;
    request.analysed(&applicant).await?;
    let photo = to_check(request.honnin(), &applicant).await?;
    let found = Analysed {
        analysed: photo.analysed,
        shown: shown(&photo.id, &photo.problems),
    };
    Ok(Json(found).into_response())
}

/// GET: one of the user's own pictures.
async fn picture(request: Request) -> PageResult<Response> {
    let applicant = request.applicant().await?;
    let id = CaptureId::parse(request.param("id")).ok_or(Refusal::NotFound)?;
    let query = request.query()?;
    let frame = query.raw("frame").parse().unwrap_or(0);
    let view = picture_view(Some(query.raw(forms::VIEW)));
    let picture = show_picture(request.honnin(), &applicant, &id, frame, view)
        .await?
        .ok_or(Refusal::NotFound)?;
    Ok(([(CONTENT_TYPE, "image/jpeg")], picture.into_exposed()).into_response())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_tells_which_photo_it_showed_and_what_was_wrong_with_it() {
        let photo = CaptureId::parse("cap_00000000000000000000000000000001").unwrap();
        for problems in [vec![], vec![Reason::DocumentGlare, Reason::DocumentBlurry]] {
            assert_eq!(seen(&shown(&photo, &problems)), (Some(photo.clone()), problems));
        }
        for nothing in ["", "document_glare", ",document_glare"] {
            assert_eq!(seen(nothing).0, None, "{nothing}");
        }
    }
}
