//! The island that takes the selfie: an oval, one movement, a burst of frames with their times.

#![expect(missing_docs, reason = "the island macro makes a struct without documentation")]

use super::stage::{self, Guide, Stage};
use domain::findings::Challenge;
use domain::language::Language;
use leptos::prelude::*;

/// The camera for the selfie. The plain form beside it is the alternative.
#[island]
pub fn SelfieCamera(
    /// The language to speak.
    language: Language,
    /// Returned with the frames.
    challenge_id: String,
    /// The movement to make.
    challenge: Challenge,
) -> impl IntoView {
    let stage = Stage::new(language);
    #[cfg(feature = "hydrate")]
    let tapped = super::browser::selfie::start(stage, challenge_id, challenge);
    #[cfg(not(feature = "hydrate"))]
    let tapped = {
        let _ = (challenge_id, challenge);
        |_| ()
    };
    stage::view(stage, Guide::Oval(challenge), tapped)
}
