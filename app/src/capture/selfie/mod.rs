//! The selfie with its challenge. The burst itself is uploaded to the server.

mod view;

pub use view::{PoorSelfie, SelfieFile, SelfieView, render};

use super::{
    check::shown,
    upload::FaultyFile,
    visit::{Here, PageResult, in_turn, picture_url, seen_as, step},
};
use crate::{Stage, forms};
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
    let faulty = use_context::<FaultyFile>();
    let query = here.request.query();
    let is_alone = query.is_ok_and(|query| query.raw(forms::WITHOUT_CHALLENGE) == forms::YES);
    in_turn(here.next() == Next::Selfie)?;
    let selfie = here.attempt.shown(Slot::Selfie);
    let anyway = selfie.as_ref().filter(|_| here.attempt.may_use_selfie_anyway());
    let requested = challenge(here.request.honnin(), &here.applicant).await?;
    Ok(SelfieView {
        challenge_id: requested.id,
        challenge: requested.challenge,
        colours: here.attempt.shows_colours(),
        tries_left: here.attempt.tries_left(Slot::Selfie),
        anyway: anyway.map(|selfie| PoorSelfie {
            shown: shown(&selfie.id, &selfie.problems),
            picture_url: seen_as(&picture_url(&selfie.id, 0), forms::SMALL),
        }),
        problems: selfie.map(|selfie| selfie.problems).unwrap_or_default(),
        without_movement: here.attempt.has_selfie_without_movement(),
        fault: faulty.map(|file| (SelfieFile::of(file.number, is_alone), file.fault)),
    })
}
