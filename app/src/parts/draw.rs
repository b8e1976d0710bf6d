//! Drawings as inline SVG: documents, faces, marks. Classes set their colours, so that they follow dark mode and the tenant's
//! colour.

use domain::document::{DocumentType, Side};
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

/// The view box of every drawing of a document.
const CARD: &str = "0 0 76 56";
// Each kind has its own lay-out and tint: it is recognised by its shape, not by its label.
const LICENSE: &str = concat!(
    r#"<rect class="paper" x="3" y="6" width="70" height="44" rx="5"/><path class="text" d="M9 14h38M9 20h26"/>"#,
    r#"<rect class="gold" x="9" y="25" width="38" height="6" rx="1.5"/><path class="text" d="M9 37h10"/>"#,
    r#"<path class="photo" d="M23 35.500h5v4h-5zM29.500 35.500h5v4h-5zM36 35.500h5v4h-5zM23 41h5v4h-5zM29.500 41h5v4h-5zM36 41h5v4h-5z"/>"#,
    r#"<rect class="photo" x="51" y="18" width="17" height="22" rx="1.5"/><circle class="head" cx="59.500" cy="26" r="4"/>"#,
    r#"<path class="head" d="M52.500 40c.5-5 3-7.500 7-7.500s6.500 2.500 7 7.500z"/>"#
);
const HISTORY: &str = concat!(
    r#"<rect class="paper" x="3" y="6" width="70" height="44" rx="5"/><path class="text" d="M9 14h38M9 20h26"/>"#,
    r#"<rect class="sky" x="9" y="25" width="38" height="6" rx="1.5"/><path class="text" d="M9 37h30M9 43h22"/>"#,
    r#"<rect class="photo" x="51" y="18" width="17" height="22" rx="1.5"/><circle class="head" cx="59.500" cy="26" r="4"/>"#,
    r#"<path class="head" d="M52.500 40c.5-5 3-7.500 7-7.500s6.500 2.500 7 7.500z"/>"#
);
const MY_NUMBER: &str = concat!(
    r#"<rect class="paper" x="3" y="6" width="70" height="44" rx="5"/>"#,
    r#"<path class="rose" d="M3.600 34c16-2 26 8 40 4s18-14 29-12v19a4.500 4.500 0 0 1-4.500 4.400H8A4.500 4.500 0 0 1 3.600 45z"/>"#,
    r#"<rect class="photo" x="9" y="18" width="17" height="22" rx="1.5"/><circle class="head" cx="17.500" cy="26" r="4"/>"#,
    r#"<path class="head" d="M10.500 40c.5-5 3-7.500 7-7.500s6.500 2.500 7 7.500z"/><path class="text" d="M9 12.500h22M32 21h28M32 27h18"/>"#,
    r#"<circle class="paper" cx="60" cy="39" r="6.500"/><path class="text" d="M57 39h6M60 36v6"/>"#
);
const RESIDENCE: &str = concat!(
    r#"<rect class="paper" x="3" y="6" width="70" height="44" rx="5"/>"#,
    r#"<path class="mint" d="M3.600 11A4.400 4.400 0 0 1 8 6.600h8L9 49.400H8A4.400 4.400 0 0 1 3.600 45z"/><path class="sky" d="M16 6.600h6L15 49.400H9z"/>"#,
    r#"<path class="text" d="M26 13h30M26 20h20M26 26h20M26 32h14"/><circle class="text" cx="31" cy="41" r="4"/><circle class="text" cx="35" cy="41" r="4"/>"#,
    r#"<rect class="photo" x="52" y="20" width="16" height="21" rx="1.5"/><circle class="head" cx="60" cy="27.500" r="3.800"/>"#,
    r#"<path class="head" d="M53.500 41c.5-4.800 2.800-7 6.500-7s6 2.200 6.500 7z"/>"#
);
const PERMANENT: &str = concat!(
    r#"<rect class="paper" x="3" y="6" width="70" height="44" rx="5"/>"#,
    r#"<path class="gold" d="M3.600 11A4.400 4.400 0 0 1 8 6.600h60a4.400 4.400 0 0 1 4.400 4.400v2z"/>"#,
    r#"<path class="text" d="M9 20h36M9 27h28M9 34h32"/><path class="rose" d="M9 40h36v4H9z"/>"#,
    r#"<rect class="photo" x="51" y="20" width="16" height="21" rx="1.5"/><circle class="head" cx="59" cy="27.500" r="3.800"/>"#,
    r#"<path class="head" d="M52.500 41c.5-4.800 2.800-7 6.500-7s6 2.200 6.500 7z"/>"#
);
const ID: &str = concat!(
    r#"<rect class="paper" x="3" y="6" width="70" height="44" rx="5"/>"#,
    r#"<path class="sky" d="M3.600 16V11A4.400 4.400 0 0 1 8 6.600h60a4.400 4.400 0 0 1 4.400 4.400v5z"/>"#,
    r#"<rect class="photo" x="9" y="21" width="18" height="23" rx="1.5"/><circle class="head" cx="18" cy="29.500" r="4"/>"#,
    r#"<path class="head" d="M11 44c.5-5.500 3-8 7-8s6.500 2.500 7 8z"/><path class="text" d="M33 24h18M33 31h24M33 38h13"/>"#,
    r#"<rect class="gold" x="56" y="34" width="11" height="9" rx="2"/><path class="chip" d="M56 38.500h4m3 0h4M61.500 34v9"/>"#
);
const BOOKLET: &str = concat!(
    r#"<rect class="navy" x="20" y="2" width="37" height="52" rx="4"/>"#,
    r#"<path class="navy-ink" d="M31 10h16M31 25h16M39 17c4 4 4 12 0 16M39 17c-4 4-4 12 0 16M34.500 45h3m3 0h3"/>"#,
    r#"<circle class="navy-ink" cx="39" cy="25" r="8"/><rect class="navy-ink" x="34.500" y="42" width="9" height="6" rx="1"/>"#,
    r#"<circle class="navy-ink" cx="39" cy="45" r="1.2"/>"#
);
const PAGE: &str = concat!(
    r#"<rect class="paper" x="4" y="3" width="68" height="50" rx="4"/><path class="sky" d="M8 7h60v5H8z"/>"#,
    r#"<rect class="photo" x="9" y="16" width="16" height="20" rx="1.5"/><circle class="head" cx="17" cy="23.500" r="3.800"/>"#,
    r#"<path class="head" d="M10.500 36c.5-4.800 2.800-7 6.500-7s6 2.200 6.500 7z"/><path class="text" d="M31 18h28M31 24h20M31 30h24M31 36h14"/>"#,
    r#"<path class="mrz" d="M9 42.500h58M9 47.500h58"/>"#
);
const BACK: &str = concat!(
    r#"<rect class="paper" x="3" y="6" width="70" height="44" rx="5"/><path class="head" d="M3.600 13h68.800v8H3.600z"/>"#,
    r#"<path class="text" d="M9 28h58M9 35h58M9 42h26"/><path class="turn" d="M48 42a8 4.500 0 0 0 14 2"/><path class="turn" d="M63.500 40.500l-1 4.500-4.500-.6"/>"#
);

/// A kind of document, small, for a row.
pub fn document(kind: DocumentType) -> impl IntoView {
    match kind {
        DocumentType::Passport => svg("document", CARD, BOOKLET),
        kind => svg("document", CARD, front(kind)),
    }
}

/// The side of a document that is to be photographed.
pub fn document_side(kind: DocumentType, side: Side) -> impl IntoView {
    match side {
        Side::Front => svg("document", CARD, front(kind)),
        Side::Back => svg("document", CARD, BACK),
    }
}

const fn front(kind: DocumentType) -> &'static str {
    match kind {
        DocumentType::Passport => PAGE,
        DocumentType::DrivingLicense => LICENSE,
        DocumentType::DrivingHistoryCertificate => HISTORY,
        DocumentType::MyNumberCard => MY_NUMBER,
        DocumentType::ResidenceCard => RESIDENCE,
        DocumentType::SpecialPermanentResidentCertificate => PERMANENT,
        DocumentType::IdCard => ID,
    }
}

/// What is needed for a verification, beside its words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// The document within the camera's corners.
    Document,
    /// A phone.
    Phone,
    /// Light from a window.
    Light,
}

/// The drawing of something needed.
pub fn need(need: Need) -> impl IntoView {
    const DOCUMENT: &str = concat!(
        r#"<g transform="rotate(-7 36 28)"><rect class="paper" x="10" y="12" width="52" height="33" rx="4"/>"#,
        r#"<path class="sky" d="M10.600 19v-3a3.400 3.400 0 0 1 3.400-3.400h44a3.400 3.400 0 0 1 3.400 3.400v3z"/>"#,
        r#"<rect class="photo" x="15" y="23" width="13" height="17" rx="1"/><circle class="head" cx="21.500" cy="29" r="3"/>"#,
        r#"<path class="head" d="M16 40c.4-4 2.500-6 5.500-6s5 2 5.500 6z"/><path class="text" d="M33 26h20M33 32h14M33 38h18"/></g>"#,
        r#"<path class="turn" d="M4 14V8a4 4 0 0 1 4-4h6M58 4h6a4 4 0 0 1 4 4v6M68 42v6a4 4 0 0 1-4 4h-6M14 52H8a4 4 0 0 1-4-4v-6"/>"#
    );
    const PHONE: &str = concat!(
        r#"<rect class="paper" x="23" y="3" width="27" height="50" rx="5"/><circle class="turn" cx="36.500" cy="24" r="9.500" stroke-dasharray="42 60"/>"#,
        r#"<circle class="head" cx="36.500" cy="22" r="3.400"/><path class="head" d="M30.500 31c.6-4 3-5.500 6-5.500s5.400 1.500 6 5.500z"/>"#,
        r#"<path class="text" d="M31 7.500h11"/><circle class="text" cx="36.500" cy="45" r="3"/>"#,
        r#"<path class="turn" d="M11 18v12M16 21v6M62 18v12M57 21v6" opacity=".55"/>"#
    );
    const LIGHT: &str = concat!(
        r#"<rect class="paper" x="8" y="6" width="30" height="34" rx="2"/><path class="sky" d="M10 8h12v14H10zM24 8h12v14H24zM10 24h12v14H10zM24 24h12v14H24z"/>"#,
        r#"<path class="turn" d="M41 14l9 6M41 24l7 4M41 33l5 2.500" opacity=".7"/><circle class="head" cx="57" cy="29" r="6"/>"#,
        r#"<path class="head" d="M45 53c1-10 5.500-15 12-15s11 5 12 15z"/><path class="text" d="M3 53h66"/>"#
    );
    let inside = match need {
        Need::Document => DOCUMENT,
        Need::Phone => PHONE,
        Need::Light => LIGHT,
    };
    svg("need-drawing", "0 0 72 56", inside)
}

/// A line icon of 24 by 24 in the colour of its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Icon {
    /// A globe: the language.
    Language,
    /// A padlock: encrypted.
    Lock,
    /// A clock: how long.
    Clock,
    /// A document.
    Document,
    /// A face.
    Face,
    /// A tick.
    Tick,
    /// A magnifying glass.
    Zoom,
    /// Something to correct.
    Attention,
}

/// The icon.
pub fn icon(icon: Icon) -> impl IntoView {
    let inside = match icon {
        Icon::Language => {
            r#"<circle cx="12" cy="12" r="9"/><path d="M3 12h18M12 3c3 3 3 15 0 18M12 3c-3 3-3 15 0 18"/>"#
        }
        Icon::Lock => r#"<rect x="5" y="11" width="14" height="9" rx="2"/><path d="M8 11V8a4 4 0 0 1 8 0v3"/>"#,
        Icon::Clock => r#"<circle cx="12" cy="12" r="9"/><path d="M12 7v5l3.500 2"/>"#,
        Icon::Document => {
            r#"<rect x="3" y="5" width="18" height="14" rx="2.500"/><circle cx="8.500" cy="11" r="2"/><path d="M5.500 16c.4-2 1.500-3 3-3s2.600 1 3 3M14.500 10h3.500M14.500 14h3.500"/>"#
        }
        Icon::Face => {
            r#"<path d="M8 3H6a3 3 0 0 0-3 3v2M16 3h2a3 3 0 0 1 3 3v2M21 16v2a3 3 0 0 1-3 3h-2M3 16v2a3 3 0 0 0 3 3h2M9 10v.5M15 10v.5M9 15c2 1.500 4 1.500 6 0"/>"#
        }
        Icon::Tick => r#"<path d="m5 12.500 4.500 4.500L19 7.500"/>"#,
        Icon::Zoom => r#"<circle cx="11" cy="11" r="6.500"/><path d="m20 20-4.300-4.300M8.500 11h5M11 8.500v5"/>"#,
        Icon::Attention => r#"<circle cx="12" cy="12" r="9"/><path d="M12 7.500v5.500M12 16.500v.1"/>"#,
    };
    svg("glyph", "0 0 24 24", inside)
}

/// The fine lines of security print, the only ornament: turned ellipses.
pub fn rosette() -> impl IntoView {
    const TURNS: u32 = 24;
    let ellipses: String = (0..TURNS)
        .map(|turn| {
            let degrees = f64::from(turn) * 180.0 / f64::from(TURNS);
            format!(r#"<ellipse cx="100" cy="100" rx="92" ry="34" transform="rotate({degrees} 100 100)"/>"#)
        })
        .collect();
    view! { <svg class="rosette" viewBox="0 0 200 200" aria-hidden="true" focusable="false" inner_html=ellipses></svg> }
}

/// A face in its oval that moves to either side.
pub fn face() -> impl IntoView {
    svg(
        "face",
        "0 0 96 88",
        concat!(
            r#"<ellipse class="oval" cx="48" cy="44" rx="30" ry="38"/><circle class="head" cx="48" cy="36" r="13"/>"#,
            r#"<path class="head" d="M24 74c2-16 12-22 24-22s22 6 24 22c-6 6-14 8-24 8s-18-2-24-8z"/>"#,
            r#"<path class="turn" d="M30 24C22 26 12 32 8 42"/><path class="turn" d="M4.5 34.5L7.5 43l8-4"/>"#,
            r#"<path class="turn" d="M66 24c8 2 18 8 22 18"/><path class="turn" d="M91.5 34.5L88.5 43l-8-4"/>"#
        ),
    )
}

/// What a problem is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scene {
    /// What this site is for.
    Home,
    /// A link that cannot be used.
    Link,
    /// Time has run out.
    Time,
    /// Too much is going on.
    Busy,
    /// Something of ours is broken.
    Broken,
    /// Nothing is here.
    Nothing,
}

/// The drawing over a problem.
pub fn scene(scene: Scene) -> impl IntoView {
    const HOME: &str = concat!(
        r#"<rect class="paper" x="62" y="10" width="56" height="100" rx="10"/><path class="text" d="M80 18h20"/>"#,
        r#"<path class="turn" d="M76 61l10 10 19-22"/><path class="text" d="M28 92h18M134 92h18"/>"#
    );
    const LINK: &str = concat!(
        r#"<rect class="paper" x="62" y="10" width="56" height="100" rx="10"/><path class="text" d="M80 18h20"/>"#,
        r#"<path class="turn" d="M84 58l-6 6a9 9 0 0 0 13 13l4-4M96 62l6-6a9 9 0 0 0-13-13l-4 4"/><path class="head-line" d="M76 44l28 32"/>"#,
        r#"<path class="text" d="M28 92h18M134 92h18"/>"#
    );
    const TIME: &str = concat!(
        r#"<circle class="paper" cx="90" cy="60" r="44"/><path class="text" d="M90 22v5M90 93v5M52 60h5M123 60h5"/>"#,
        r#"<path class="turn" d="M90 34v26l18 12"/><path class="text" d="M24 104h24M132 104h24"/>"#
    );
    const BUSY: &str = concat!(
        r#"<rect class="paper" x="30" y="18" width="120" height="24" rx="6"/><rect class="paper" x="30" y="48" width="120" height="24" rx="6"/><rect class="paper" x="30" y="78" width="120" height="24" rx="6"/>"#,
        r#"<path class="text" d="M58 30h56M58 60h40M58 90h64"/><circle class="sky" cx="44" cy="30" r="5"/><circle class="gold" cx="44" cy="60" r="5"/><circle class="gold" cx="44" cy="90" r="5"/>"#
    );
    const BROKEN: &str = concat!(
        r#"<rect class="paper" x="28" y="22" width="124" height="76" rx="9"/><path class="text" d="M28 40h124"/><circle class="head" cx="40" cy="31" r="2.500"/><circle class="head" cx="49" cy="31" r="2.500"/>"#,
        r#"<path class="turn" d="M90 52v18M90 80v1"/>"#
    );
    const NOTHING: &str = concat!(
        r#"<rect class="paper" x="44" y="14" width="76" height="92" rx="7"/><path class="text" d="M58 34h48M58 48h34M58 62h24"/>"#,
        r#"<circle class="paper" cx="112" cy="78" r="20"/><path class="turn" d="M126 92l16 16M104 78h16"/>"#
    );
    let inside = match scene {
        Scene::Home => HOME,
        Scene::Link => LINK,
        Scene::Time => TIME,
        Scene::Busy => BUSY,
        Scene::Broken => BROKEN,
        Scene::Nothing => NOTHING,
    };
    svg("scene", "0 0 180 120", inside)
}
