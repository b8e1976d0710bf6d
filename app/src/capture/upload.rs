//! The response to an uploaded picture: the next step, or the same page with what is wrong with the file.

use super::{
    refusal::Refusal,
    visit::{Request, address},
};
use crate::{
    page::{refuse, render},
    text::{live::QUEUED, picture::FileFault},
};
use axum::{
    Json,
    response::{IntoResponse as _, Response},
};
use http::StatusCode;
use leptos::prelude::{expect_context, provide_context};
use leptos_axum::ResponseOptions;
use serde::Serialize;
use service::{
    access::Applicant,
    capture::{
        progress::{Next, StepRefused},
        take::CaptureError,
    },
    runtime::analyser::PictureFault,
};
use std::sync::Arc;

/// Why nothing that was uploaded is stored.
#[derive(Clone, Debug)]
pub enum UploadError {
    /// Something is wrong with a file: its page says what.
    Faulty(FaultyFile),
    /// The files are not at fault.
    Refused(Refusal),
}

/// A refused file, as reported to its page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FaultyFile {
    /// What is wrong with it.
    pub fault: FileFault,
    /// Its number among the files of its form, from 0.
    pub number: usize,
}

impl From<FileFault> for FaultyFile {
    /// The first or only file.
    fn from(fault: FileFault) -> Self {
        Self { fault, number: 0 }
    }
}

impl From<FaultyFile> for UploadError {
    fn from(file: FaultyFile) -> Self {
        Self::Faulty(file)
    }
}

impl From<FileFault> for UploadError {
    fn from(fault: FileFault) -> Self {
        Self::Faulty(fault.into())
    }
}

impl From<Refusal> for UploadError {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl From<StepRefused> for UploadError {
    fn from(error: StepRefused) -> Self {
        Self::Refused(error.into())
    }
}

impl From<CaptureError> for UploadError {
    fn from(error: CaptureError) -> Self {
        match error {
            CaptureError::Picture(fault) => of_picture(fault).into(),
            CaptureError::Frame(number, fault) => Self::Faulty(FaultyFile {
                fault: of_picture(fault),
                number,
            }),
            CaptureError::Missing => FileFault::Missing.into(),
            CaptureError::TooMany => FileFault::TooLarge.into(),
            CaptureError::NoTryLeft => Refusal::NoTryLeft.into(),
            CaptureError::Busy => Refusal::Busy.into(),
            CaptureError::RunOver => FileFault::RunOver.into(),
            CaptureError::StepRefused(error) => error.into(),
        }
    }
}

/// What is wrong with a file, as the camera's script receives it.
#[derive(Serialize)]
struct UploadProblems {
    problems: [Problem; 1],
}

#[derive(Serialize)]
struct Problem {
    code: &'static str,
    sentence: &'static str,
    /// The number of the file among those of its form, from 0.
    file: usize,
}

/// Where an upload is that waits for the server.
#[derive(Serialize)]
struct Queued {
    /// `None` if none waits.
    sentence: Option<String>,
}

/// The response to a phone whose upload does not move: its number in the queue, if that is why.
pub fn queued(request: &Request, number: Option<usize>) -> Response {
    let language = request.who.language;
    let sentence = number.map(|number| QUEUED.fill(language, &[("number", &number.to_string())]));
    Json(Queued { sentence }).into_response()
}

/// Who uploads.
///
/// # Errors
/// If the browser belongs to no session.
pub async fn applicant(request: &Request) -> Result<Applicant, Refusal> {
    request.applicant().await
}

/// The response to an upload that was sent to the page at the route `page`: what is next once it is stored, or why it is not.
pub async fn answer(request: Request, page: &'static str, stored: Result<Next, UploadError>) -> Response {
    match stored {
        Ok(next) => request.lead_on(address(next)),
        Err(UploadError::Faulty(file)) => faulty(request, page, file).await,
        Err(UploadError::Refused(refusal)) => refuse(request, refusal).await,
    }
}

async fn faulty(request: Request, page: &'static str, file: FaultyFile) -> Response {
    let status = StatusCode::UNPROCESSABLE_ENTITY;
    if request.who.wants_json {
        let problem = Problem {
            code: file.fault.as_str(),
            sentence: file.fault.text().get(request.who.language),
            file: file.number,
        };
        return (status, Json(UploadProblems { problems: [problem] })).into_response();
    }
    let provide = move || {
        expect_context::<ResponseOptions>().set_status(status);
        provide_context(file);
    };
    render(request, page, Arc::new(provide)).await
}

const fn of_picture(fault: PictureFault) -> FileFault {
    match fault {
        PictureFault::TooLarge => FileFault::TooLarge,
        PictureFault::NotAPicture => FileFault::NotAPicture,
        PictureFault::Heic => FileFault::Heic,
        PictureFault::Truncated | PictureFault::Corrupt => FileFault::Damaged,
        PictureFault::DimensionsTooLarge => FileFault::TooManyPixels,
        PictureFault::TooSmall => FileFault::TooSmall,
    }
}
