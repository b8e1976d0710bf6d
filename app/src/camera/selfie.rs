//! The island that takes the selfie: an oval, the movements that the server asks for, a burst of frames with their times.

use super::stage::{self, Stage};
use leptos::prelude::*;

/// The camera for the selfie. The plain form beside it is the alternative.
#[island]
pub fn SelfieCamera() -> impl IntoView {
    let stage = Stage::new();
    #[cfg(feature = "hydrate")]
    let tapped = super::browser::selfie::start(stage);
    #[cfg(not(feature = "hydrate"))]
    let tapped = std::rc::Rc::new(|_| ());
    stage::view(stage, tapped)
}
