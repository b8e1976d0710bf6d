//! The selfie with its challenge. The burst itself is uploaded to the server.

mod view;

pub use view::{SelfieView, render};

use super::visit::{Here, PageResult, in_turn, step};
use crate::{Stage, forms, text::picture::FileFault};
use leptos::prelude::*;
use service::capture::{
    progress::{Next, Slot},
    take::challenge,
};
use std::sync::Arc;

/// The selfie.
#[component]
pub fn SelfiePage() -> impl IntoView {
    step(Some(Stage::Selfie), forms::SELFIE, load, render)
}

async fn load(here: Arc<Here>) -> PageResult<SelfieView> {
    // Passed on by an upload that was refused.
    let fault = use_context::<FileFault>();
    in_turn(here.next() == Next::Selfie)?;
    let (challenge_id, challenge) = challenge(here.request.honnin(), &here.applicant).await?;
    Ok(SelfieView {
        challenge_id,
        challenge,
        colours: here.attempt.shows_colours(),
        tries_left: here.attempt.tries_left(Slot::Selfie),
        problems: here
            .attempt
            .shown(Slot::Selfie)
            .map(|shown| shown.problems)
            .unwrap_or_default(),
        fault,
    })
}
