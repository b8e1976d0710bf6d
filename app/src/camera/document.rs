//! The island that photographs one side of a document: live hints, automatic shutter release, a manual button after 8 s.

#![expect(missing_docs, reason = "the island macro makes a struct without documentation")]

use super::stage::{self, Guide, Stage};
use domain::document::{DocumentType, Side};
use domain::language::Language;
use leptos::prelude::*;

/// The camera for one side. The plain form beside it is the alternative.
#[island]
pub fn DocumentCamera(
    /// The language to speak.
    language: Language,
    /// The kind, which determines the frame's shape; sent with the picture.
    document_type: DocumentType,
    /// The side, sent with the picture.
    side: Side,
) -> impl IntoView {
    let stage = Stage::new(language);
    #[cfg(feature = "hydrate")]
    let tapped = super::browser::document::start(stage, document_type, side);
    #[cfg(not(feature = "hydrate"))]
    let tapped = {
        let _ = side;
        |_| ()
    };
    stage::view(stage, Guide::Card(document_type.aspect()), tapped)
}
