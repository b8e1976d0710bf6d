//! Drawings as inline SVG: documents, faces, marks. Classes set their colours, so that they follow dark mode and the tenant's
//! colour.

use domain::document::{DocumentType, Side};
use domain::findings::Challenge;
use leptos::prelude::*;

/// An SVG with the given content.
pub(crate) fn svg(class: &'static str, view_box: &'static str, inside: &'static str) -> impl IntoView {
    view! { <svg class=class viewBox=view_box aria-hidden="true" focusable="false" inner_html=inside></svg> }
}

/// A tick, for lists.
pub fn tick() -> impl IntoView {
    svg(
        "tick",
        "0 0 20 20",
        r#"<circle class="disc" cx="10" cy="10" r="10"/><path class="stroke" d="M5.8 10.4l2.8 2.8 5.6-6"/>"#,
    )
}

const CARD: &str = r#"<rect class="paper" x="1" y="1" width="62" height="40" rx="4"/>"#;
const LICENSE: &str = concat!(
    r#"<rect class="paper" x="1" y="1" width="62" height="40" rx="4"/><rect class="band" x="1" y="8" width="62" height="6"/>"#,
    r#"<rect class="photo" x="44" y="18" width="14" height="18" rx="1.5"/><circle class="head" cx="51" cy="25" r="3.6"/>"#,
    r#"<path class="head" d="M45 36c0-4 2.6-6 6-6s6 2 6 6z"/><path class="text" d="M6 20h32M6 26h24M6 32h28"/>"#
);
const MY_NUMBER: &str = concat!(
    r#"<rect class="paper" x="1" y="1" width="62" height="40" rx="4"/>"#,
    r#"<rect class="photo" x="6" y="9" width="15" height="20" rx="1.5"/><circle class="head" cx="13.5" cy="16.5" r="4"/>"#,
    r#"<path class="head" d="M7 29c0-5 3-7 6.5-7s6.5 2 6.5 7z"/><path class="text" d="M27 11h30M27 17h22M27 23h26M6 36h38"/>"#
);
const RESIDENCE: &str = concat!(
    r#"<rect class="paper" x="1" y="1" width="62" height="40" rx="4"/><rect class="band" x="1" y="1" width="62" height="7" rx="4"/>"#,
    r#"<rect class="photo" x="43" y="13" width="15" height="20" rx="1.5"/><circle class="head" cx="50.5" cy="20.5" r="4"/>"#,
    r#"<path class="head" d="M44 33c0-5 3-7 6.5-7s6.5 2 6.5 7z"/><path class="text" d="M6 15h31M6 21h24M6 27h30M6 33h20"/>"#
);
const ID: &str = concat!(
    r#"<rect class="paper" x="1" y="1" width="62" height="40" rx="4"/>"#,
    r#"<rect class="photo" x="6" y="7" width="14" height="18" rx="1.5"/><circle class="head" cx="13" cy="14" r="3.6"/>"#,
    r#"<path class="head" d="M7 25c0-4 2.6-6 6-6s6 2 6 6z"/><path class="text" d="M26 9h30M26 15h20M26 21h26"/>"#,
    r#"<path class="mrz" d="M6 31h52M6 36h52"/>"#
);
const PASSPORT: &str = concat!(
    r#"<rect class="paper" x="1" y="1" width="62" height="44" rx="3"/>"#,
    r#"<rect class="photo" x="6" y="8" width="17" height="21" rx="1.5"/><circle class="head" cx="14.5" cy="16" r="4.2"/>"#,
    r#"<path class="head" d="M7.5 29c0-5 3.2-7.5 7-7.5s7 2.5 7 7.5z"/><path class="text" d="M29 10h28M29 16h20M29 22h24M29 28h16"/>"#,
    r#"<path class="mrz" d="M6 35h52M6 40h52"/>"#
);
const BACK: &str = concat!(
    r#"<rect class="paper" x="1" y="1" width="62" height="40" rx="4"/><rect class="band" x="1" y="7" width="62" height="8"/>"#,
    r#"<path class="text" d="M6 21h52M6 27h52M6 33h30"/><path class="turn" d="M44 33a7 4 0 0 0 12 2"/><path class="turn" d="M57.5 32l-1 4-4-.5"/>"#
);

/// The front of a kind of document, small, for a row.
pub fn document(kind: DocumentType) -> impl IntoView {
    document_side(kind, Side::Front)
}

/// One side of a kind of document.
pub fn document_side(kind: DocumentType, side: Side) -> impl IntoView {
    let (view_box, inside) = match (kind, side) {
        (DocumentType::Passport, _) => ("0 0 64 46", PASSPORT),
        (_, Side::Back) => ("0 0 64 42", BACK),
        (DocumentType::DrivingLicense | DocumentType::DrivingHistoryCertificate, Side::Front) => ("0 0 64 42", LICENSE),
        (DocumentType::MyNumberCard, Side::Front) => ("0 0 64 42", MY_NUMBER),
        (DocumentType::ResidenceCard | DocumentType::SpecialPermanentResidentCertificate, Side::Front) => {
            ("0 0 64 42", RESIDENCE)
        }
        (DocumentType::IdCard, Side::Front) => ("0 0 64 42", ID),
    };
    debug_assert!(inside.starts_with(CARD) || kind == DocumentType::Passport);
    svg("document", view_box, inside)
}

/// A face in its oval with an arrow for the movement. The user's left is the picture's left, as in a mirror.
pub fn face(challenge: Challenge) -> impl IntoView {
    const LEFT: &str = concat!(
        r#"<ellipse class="oval" cx="48" cy="44" rx="30" ry="38"/><circle class="head" cx="48" cy="36" r="13"/>"#,
        r#"<path class="head" d="M24 74c2-16 12-22 24-22s22 6 24 22c-6 6-14 8-24 8s-18-2-24-8z"/>"#,
        r#"<path class="turn" d="M30 24C22 26 12 32 8 42"/><path class="turn" d="M4.5 34.5L7.5 43l8-4"/>"#
    );
    const RIGHT: &str = concat!(
        r#"<ellipse class="oval" cx="48" cy="44" rx="30" ry="38"/><circle class="head" cx="48" cy="36" r="13"/>"#,
        r#"<path class="head" d="M24 74c2-16 12-22 24-22s22 6 24 22c-6 6-14 8-24 8s-18-2-24-8z"/>"#,
        r#"<path class="turn" d="M66 24c8 2 18 8 22 18"/><path class="turn" d="M91.5 34.5L88.5 43l-8-4"/>"#
    );
    let inside = match challenge {
        Challenge::TurnLeft => LEFT,
        Challenge::TurnRight => RIGHT,
    };
    svg("face", "0 0 96 88", inside)
}

/// The mark over a problem.
pub fn problem() -> impl IntoView {
    svg(
        "mark plain",
        "0 0 64 64",
        r#"<circle class="disc" cx="32" cy="32" r="32"/><path class="stroke" d="M32 17v19M32 45.5v.5"/>"#,
    )
}
