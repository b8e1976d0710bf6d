//! The island that photographs one side of a document: live hints, automatic shutter release, a manual button after 8 s.

use super::stage::{self, Stage};
use leptos::prelude::*;

/// The camera for one side. The plain form beside it is the alternative, and says which side that is.
#[island]
pub fn DocumentCamera() -> impl IntoView {
    let stage = Stage::new();
    #[cfg(feature = "hydrate")]
    let tapped = super::browser::document::start(stage);
    #[cfg(not(feature = "hydrate"))]
    let tapped = std::rc::Rc::new(|_| ());
    stage::view(stage, tapped)
}
