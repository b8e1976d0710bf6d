//! What is answered: a page, JSON for the camera's script, or the way to the step that is next.

use super::{
    refusal::Refusal,
    visit::{Visit, may_post},
};
use crate::state::App;
use app::{
    capture::problem::{self, Problem},
    forms,
    text::picture::FileFault,
};
use axum::{
    Json,
    extract::FromRequestParts,
    response::{Html, IntoResponse, Redirect, Response},
};
use domain::time::Millis;
use http::{HeaderName, HeaderValue, Method, StatusCode, header::RETRY_AFTER, request::Parts};
use serde::Serialize;
use service::{capture::CaptureError, examiner::PictureFault, progress::Next};
use store::StoreError;

/// The JSON that the camera's script understands.
#[derive(Serialize)]
#[serde(untagged)]
enum Told<'a> {
    Next { next: &'a str },
    Problems { problems: Vec<ToldProblem<'a>> },
}

#[derive(Serialize)]
struct ToldProblem<'a> {
    code: &'a str,
    sentence: &'a str,
}

impl FromRequestParts<App> for Visit {
    type Rejection = Response;

    /// What other sites have a browser post is refused before it reaches a handler.
    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Response> {
        let visit = Self::read(parts, app).await?;
        let reads = parts.method == Method::GET || parts.method == Method::HEAD;
        if reads || may_post(&parts.headers, app) {
            Ok(visit)
        } else {
            Err(Refusal::Foreign.answer(app, &visit))
        }
    }
}

impl Refusal {
    /// The answer.
    pub(super) fn answer(&self, app: &App, visit: &Visit) -> Response {
        let (status, shown) = match self {
            Self::OutOfTurn => return lead_on(visit, forms::CAPTURE),
            Self::Link => {
                let taking_part = visit.capture_cookie().is_some();
                (StatusCode::NOT_FOUND, Problem::LinkUnusable { taking_part })
            }
            Self::Over => (StatusCode::UNAUTHORIZED, Problem::SessionOver),
            Self::Expired => (StatusCode::GONE, Problem::Expired),
            Self::Foreign => (StatusCode::FORBIDDEN, Problem::Stale),
            Self::NoTryLeft if visit.json => return lead_on(visit, forms::CAPTURE),
            Self::NoTryLeft => (StatusCode::UNPROCESSABLE_ENTITY, Problem::TooManyTries),
            Self::NotFound => (StatusCode::NOT_FOUND, Problem::NotFound),
            Self::Busy => (StatusCode::SERVICE_UNAVAILABLE, Problem::NotSent),
            Self::Broken(StoreError::Unavailable(_)) => (StatusCode::SERVICE_UNAVAILABLE, Problem::Busy),
            Self::Broken(_) => (
                StatusCode::INTERNAL_SERVER_ERROR,
                Problem::Broken {
                    request: visit.request.clone(),
                },
            ),
        };
        if let Self::Broken(error) = self {
            tracing::error!(%error, "a capture page failed");
        }
        let mut response = if visit.json {
            (status, Json(Told::Problems { problems: Vec::new() })).into_response()
        } else {
            (status, Html(problem::render(&shown, &visit.meta(app, None)))).into_response()
        };
        if status == StatusCode::SERVICE_UNAVAILABLE {
            response
                .headers_mut()
                .insert(RETRY_AFTER, HeaderValue::from_static("5"));
        }
        response
    }
}

/// Answers with what the handler made, or with its refusal.
pub(super) fn answered(app: &App, visit: &Visit, result: Result<Response, Refusal>) -> Response {
    result.unwrap_or_else(|refusal| refusal.answer(app, visit))
}

/// To another page of the flow.
pub(super) fn lead_on(visit: &Visit, next: &str) -> Response {
    if visit.json {
        Json(Told::Next { next }).into_response()
    } else {
        Redirect::to(next).into_response()
    }
}

/// A page.
pub(super) fn page(html: String) -> Response {
    Html(html).into_response()
}

/// A page that shows mistakes.
pub(super) fn mistaken(html: String) -> Response {
    (StatusCode::UNPROCESSABLE_ENTITY, Html(html)).into_response()
}

/// Why the file was not taken, for the camera's script.
pub(super) fn file_fault(visit: &Visit, fault: FileFault) -> Response {
    let problem = ToldProblem {
        code: fault.as_str(),
        sentence: fault.text().get(visit.language),
    };
    (
        StatusCode::UNPROCESSABLE_ENTITY,
        Json(Told::Problems {
            problems: vec![problem],
        }),
    )
        .into_response()
}

/// Sorts what went wrong with an upload: the file itself, or the moment.
pub(super) fn sort(error: CaptureError) -> Result<FileFault, Refusal> {
    match error {
        CaptureError::Picture(fault) => Ok(match fault {
            PictureFault::TooLarge => FileFault::TooLarge,
            PictureFault::NotAPicture => FileFault::NotAPicture,
            PictureFault::Heic => FileFault::Heic,
            PictureFault::Truncated | PictureFault::Corrupt => FileFault::Damaged,
            PictureFault::DimensionsTooLarge => FileFault::TooManyPixels,
            PictureFault::TooSmall => FileFault::TooSmall,
        }),
        CaptureError::Missing => Ok(FileFault::Missing),
        CaptureError::TooMany => Ok(FileFault::TooLarge),
        CaptureError::NoTryLeft => Err(Refusal::NoTryLeft),
        CaptureError::Busy => Err(Refusal::Busy),
        CaptureError::NotNow(error) => Err(error.into()),
    }
}

/// The page of a step.
pub(super) const fn address(next: Next) -> &'static str {
    match next {
        Next::Consent => forms::CONSENT,
        Next::Choose => forms::CHOOSE,
        Next::Photograph(_) => forms::DOCUMENT,
        Next::Check(_) => forms::CHECK,
        Next::Details => forms::DETAILS,
        Next::Selfie => forms::SELFIE,
        Next::Submit => forms::SUBMIT,
        Next::Result | Next::Expired => forms::RESULT,
    }
}

/// Whole days, at least one.
pub(super) fn days(span: Millis) -> u32 {
    u32::try_from(span.0 / Millis::days(1).0).unwrap_or(u32::MAX).max(1)
}

/// Asks the browser to come back by itself.
pub(super) fn come_back(mut response: Response) -> Response {
    response
        .headers_mut()
        .insert(HeaderName::from_static("refresh"), HeaderValue::from_static("3"));
    response
}
