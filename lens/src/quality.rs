//! The assessment of one picture, and the thresholds that turn it into problems the user can fix.

use crate::frame::{ANALYSED_SIDE, Area, Frame, Plane};
use crate::glare;
use crate::outline::{self, Outline};
use crate::sharpness::{self, Subject};
use domain::findings::Quality;
use domain::quality::luma_range;

/// What one look at a frame yields: the quality, and the outline it was measured within.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Assessment {
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
pub fn look(frame: &Frame<'_>) -> Assessment {
    let plane = frame.plane(ANALYSED_SIDE);
    let Assessment { quality, outline } = look_at(&plane);
    let scale = plane.scale_to([frame.width(), frame.height()]);
    Assessment {
        quality,
        outline: outline.map(|o| o.scaled(scale)),
    }
}

/// The same for a plane that is already at hand; the outline is in its pixels.
///
/// Never inlined: within a function of the browser's half it would be compiled for size, as that is.
#[must_use]
#[inline(never)]
pub fn look_at(plane: &Plane) -> Assessment {
    let outline = outline::find(plane);
    Assessment {
        quality: measure(plane, outline.as_ref(), Subject::Print),
        outline,
    }
}

/// The outlines that may be a document's, the likeliest first, in pixels of the frame.
#[must_use]
pub fn outlines(frame: &Frame<'_>) -> Vec<Outline> {
    outlines_at(&frame.plane(ANALYSED_SIDE), [frame.width(), frame.height()])
}

/// The same for a plane that is already at hand, of a frame that is so many pixels wide and high.
#[must_use]
pub fn outlines_at(plane: &Plane, size: [usize; 2]) -> Vec<Outline> {
    let scale = plane.scale_to(size);
    outline::candidates(plane)
        .into_iter()
        .map(|outline| outline.scaled(scale))
        .collect()
}

/// Judges a picture of a face: no outline is looked for, and softer edges will do. The room may be dark if the middle, where the face
/// belongs, is not. The code that finds the face measures its light again.
#[must_use]
pub fn judge_plain(frame: &Frame<'_>) -> Quality {
    let plane = frame.plane(ANALYSED_SIDE);
    let quality = measure(&plane, None, Subject::Face);
    let middle = middle(&plane);
    let rows = (middle.top..middle.bottom).flat_map(|y| &plane.values[y * plane.width..][middle.left..middle.right]);
    Quality {
        exposure: quality.exposure.max(plane.mean(middle)),
        face_range: luma_range(rows.copied()),
        ..quality
    }
}

/// What a face covers whose eyes are in the middle of the oval.
fn middle(plane: &Plane) -> Area {
    let at = |length: usize, share: f32| (length as f32 * share) as usize;
    Area {
        left: at(plane.width(), 0.35),
        top: at(plane.height(), 0.3),
        right: at(plane.width(), 0.65),
        bottom: at(plane.height(), 0.6),
    }
}

fn measure(plane: &Plane, outline: Option<&Outline>, subject: Subject) -> Quality {
    let area = outline.map_or_else(|| plane.area(), |o| o.inner_area().within(plane));
    let area = if area.pixels() < 64 { plane.area() } else { area };
    Quality {
        sharpness: sharpness::measure(plane, area, subject),
        glare: glare::share(plane, area),
        exposure: plane.mean(area),
        face_range: None,
        coverage: outline.map(|o| o.area() / (plane.width() * plane.height()) as f32),
        cut_off: outline.map(|o| o.cut_off),
        // The shutter must not wait for a hand that holds the card; the code that reads the picture knows where the card is.
        obstructed: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::quality::{DARK, face_is_dark};

    /// A grey room with a grey face at its middle.
    fn selfie(room: u8, face: u8) -> f32 {
        let quality = judged(room, |_| face);
        quality.exposure
    }

    /// The same with a face whose rows have this luma.
    fn judged(room: u8, face: impl Fn(u32) -> u8) -> Quality {
        let (width, height) = (300_u32, 400_u32);
        let is_face = |x: u32, y: u32| (90..210).contains(&x) && (100..250).contains(&y);
        let pixels: Vec<u8> = (0..height)
            .flat_map(|y| (0..width).map(move |x| (x, y)))
            .flat_map(|(x, y)| [if is_face(x, y) { face(y) } else { room }; 3])
            .collect();
        judge_plain(&Frame::rgb(width, height, &pixels).unwrap())
    }

    #[test]
    fn a_dark_face_in_good_light_is_light_enough_and_a_face_in_the_dark_is_not() {
        let is_dark = |face: fn(u32) -> u8| {
            let quality = judged(15, face);
            assert!(quality.exposure < DARK);
            face_is_dark(quality.exposure, quality.face_range)
        };
        // Its forehead shines.
        assert!(!is_dark(|y| if y < 145 { 70 } else { 30 }));
        assert!(is_dark(|y| if y < 145 { 40 } else { 30 }));
    }

    #[test]
    fn a_face_that_the_screen_lights_in_a_dark_room_is_light_enough() {
        assert!(selfie(15, 90) > DARK);
        assert!(selfie(15, 30) < DARK);
    }
}
