//! The island that takes the selfie: an oval, the movements that the server asks for, a burst of frames with their times.

#![expect(missing_docs, reason = "the island macro makes a struct without documentation")]

use super::stage::{self, Guide, Stage};
use domain::language::Language;
use leptos::prelude::*;

/// The camera for the selfie. The plain form beside it is the alternative.
#[island]
pub fn SelfieCamera(
    /// The language to speak.
    language: Language,
    /// Whether the screen shines in changing colours at the end, unless the user wants none.
    colours: bool,
) -> impl IntoView {
    let stage = Stage::new(language);
    #[cfg(feature = "hydrate")]
    let tapped = super::browser::selfie::start(stage, colours);
    #[cfg(not(feature = "hydrate"))]
    let tapped = {
        let _ = colours;
        |_| ()
    };
    stage::view(stage, Guide::Oval, tapped)
}
