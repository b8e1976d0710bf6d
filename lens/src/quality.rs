//! The judgement of one picture, and the thresholds that turn it into problems the user can mend.

use crate::frame::{ANALYSED_SIDE, Frame, Plane};
use crate::glare;
use crate::outline::{self, Outline};
use crate::sharpness::{self, Subject};
use domain::findings::Quality;

/// What one look at a frame yields: the quality, and the outline it was measured within.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Look {
    /// The measurements.
    pub quality: Quality,
    /// The card, in pixels of the frame that was given.
    pub outline: Option<Outline>,
}

/// Judges a picture of a document.
#[must_use]
pub fn judge(frame: &Frame<'_>) -> Quality {
    look(frame).quality
}

/// Judges a picture of a document and keeps the outline.
#[must_use]
pub fn look(frame: &Frame<'_>) -> Look {
    let plane = frame.plane(ANALYSED_SIDE);
    let Look { quality, outline } = look_at(&plane);
    let scale = frame.width() as f32 / plane.width() as f32;
    Look {
        quality,
        outline: outline.map(|o| o.scaled(scale)),
    }
}

/// The same for a plane that is already at hand; the outline is in its pixels.
///
/// Never inlined: within a function of the browser's half it would be compiled for size, as that is.
#[must_use]
#[inline(never)]
pub fn look_at(plane: &Plane) -> Look {
    let outline = outline::find(plane);
    Look {
        quality: measure(plane, outline.as_ref(), Subject::Print),
        outline,
    }
}

/// The outlines that may be a document's, the likeliest first, in pixels of the frame.
#[must_use]
pub fn outlines(frame: &Frame<'_>) -> Vec<Outline> {
    let plane = frame.plane(ANALYSED_SIDE);
    let scale = frame.width() as f32 / plane.width() as f32;
    outline::candidates(&plane)
        .into_iter()
        .map(|outline| outline.scaled(scale))
        .collect()
}

/// Judges a picture of a face: no outline is looked for, and softer edges will do.
#[must_use]
pub fn judge_plain(frame: &Frame<'_>) -> Quality {
    measure(&frame.plane(ANALYSED_SIDE), None, Subject::Face)
}

fn measure(plane: &Plane, outline: Option<&Outline>, subject: Subject) -> Quality {
    let area = outline.map_or_else(|| plane.area(), |o| o.inner_area().within(plane));
    let area = if area.pixels() < 64 { plane.area() } else { area };
    Quality {
        sharpness: sharpness::measure(plane, area, subject),
        glare: glare::share(plane, area),
        exposure: plane.mean(area),
        coverage: outline.map(|o| o.area() / (plane.width() * plane.height()) as f32),
        cut_off: outline.map(|o| o.cut_off),
        // The shutter is not to wait for a hand that holds the card; whoever reads the picture knows where the card is.
        obstructed: None,
    }
}
