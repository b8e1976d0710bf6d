//! One item of a document as printed, shown as a part of a sheet of items. A page that shows several items of a sheet fetches it once.

use leptos::prelude::*;
use service::capture::strips::Strip;

/// Pixels of the sheet for each pixel of the page: sharp on a phone.
const DENSITY: u32 = 2;

/// A part of a picture, at its left edge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Crop {
    /// Address of the sheet.
    pub url: String,
    /// Upper edge of the part, in pixels of the sheet.
    pub top: u32,
    /// Its width.
    pub width: u32,
    /// Its height.
    pub height: u32,
    /// Width and height of the sheet.
    pub sheet: (u32, u32),
}

impl Crop {
    /// An item on the sheet at this address.
    #[must_use]
    pub fn of(url: String, strip: Strip) -> Self {
        Self {
            url,
            top: strip.top,
            width: strip.width,
            height: strip.height,
            sheet: strip.sheet,
        }
    }
}

/// The part, with these words for people who do not see it. A `<svg>` cuts it out without styles, which the content security policy
/// forbids on elements.
pub fn cropped(crop: &Crop, label: String) -> impl IntoView + use<> {
    let Crop { top, width, height, .. } = *crop;
    let part = format!("0 {top} {width} {height}");
    let (sheet_width, sheet_height) = crop.sheet;
    view! {
        <svg class="crop" viewBox=part width=(width / DENSITY).max(1) height=(height / DENSITY).max(1) role="img" aria-label=label>
            <image href=crop.url.clone() width=sheet_width height=sheet_height/>
        </svg>
    }
}
