//! The answers to frames of the selfie camera, for its script.

use super::{refusal::Refusal, visit::Request};
use crate::{page::refuse, text::live as text};
use axum::{
    Json,
    response::{IntoResponse as _, Response},
};
use domain::{
    findings::{Challenge, Colour},
    live::{Hint, Keep},
};
use http::StatusCode;
use serde::Serialize;
use service::capture::take::{FrameResponse, LiveError};

/// The answer to a frame, as the script receives it.
#[derive(Serialize)]
struct FrameResponseBody {
    /// To be sent with the next frame.
    run: String,
    hint: Hint,
    sentence: &'static str,
    /// The movement that is requested at the moment.
    movement: Option<Challenge>,
    /// The colour in which the screen should shine, as `#rrggbb`.
    colour: Option<&'static str>,
    /// Progress of the run, 0 to 1.
    progress: f32,
    keep: Keep,
    tone: Tone,
}

/// How the hint is shown.
#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum Tone {
    /// All is well.
    Good,
    /// Something is in the way.
    Warn,
    /// Neither: a request.
    Plain,
}

impl Tone {
    const fn of(hint: Hint) -> Self {
        match hint {
            Hint::HoldStill | Hint::Done => Self::Good,
            Hint::LookStraight | Hint::TurnLeft | Hint::TurnRight | Hint::ComeCloser | Hint::Colours => Self::Plain,
            Hint::NoFace
            | Hint::SeveralFaces
            | Hint::TooDark
            | Hint::TooBright
            | Hint::FaceCovered
            | Hint::MoveLeft
            | Hint::MoveRight
            | Hint::CameraHigher
            | Hint::CameraLower
            | Hint::Closer
            | Hint::Farther
            | Hint::OtherSide
            | Hint::Slower
            | Hint::NotSoFar
            | Hint::TooSlow
            | Hint::NotAsked
            | Hint::Replaced => Self::Warn,
        }
    }
}

/// The run cannot continue and no other can be started.
#[derive(Serialize)]
struct Over {
    over: bool,
}

/// Why a frame gets no instruction.
#[derive(Clone, Debug)]
pub enum FrameError {
    /// It cannot be decoded, which happens to cameras now and then: the next one will do.
    Unusable,
    /// The run cannot continue and no other can be started.
    NoRunLeft,
    /// The frame is not at fault.
    Refused(Refusal),
}

impl From<Refusal> for FrameError {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl From<LiveError> for FrameError {
    fn from(error: LiveError) -> Self {
        match error {
            LiveError::Picture(_) => Self::Unusable,
            LiveError::NoRunLeft => Self::NoRunLeft,
            LiveError::Busy => Self::Refused(Refusal::Busy),
            LiveError::StepRefused(error) => Self::Refused(error.into()),
        }
    }
}

/// The response to a frame.
pub async fn answer(request: Request, response: Result<FrameResponse, FrameError>) -> Response {
    match response {
        Ok(FrameResponse { instruction, token }) => Json(FrameResponseBody {
            run: token,
            hint: instruction.hint,
            sentence: text::hint(instruction.hint).get(request.who.language),
            movement: instruction.movement,
            colour: instruction.colour.map(Colour::css),
            progress: instruction.progress,
            keep: instruction.keep,
            tone: Tone::of(instruction.hint),
        })
        .into_response(),
        Err(FrameError::Unusable) => StatusCode::UNPROCESSABLE_ENTITY.into_response(),
        Err(FrameError::NoRunLeft) => (StatusCode::CONFLICT, Json(Over { over: true })).into_response(),
        Err(FrameError::Refused(refusal)) => refuse(request, refusal).await,
    }
}
