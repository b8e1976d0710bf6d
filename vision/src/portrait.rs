//! The portrait of a document, and whether a second one on the same card shows the same face.
//!
//! Many issuers print the portrait twice, the second time small and faint, against exactly that (ICAO 9303-2 on the protection of
//! portraits): whoever puts another face over the first leaves the second as it was.

use crate::face::{Detection, Faces};
use crate::face_view;
use crate::geometry::{Corners, is_inside, rectangle};
use crate::model::ModelError;
use crate::mrz;
use crate::observation::Observation;
use domain::document::Side;
use domain::findings::{Face, FaceCrop};
use lens::geometry::{bounds, distance};

/// Faces that are looked at: the portrait, and what may repeat it.
const MAX_FACES: usize = 3;
/// A second portrait is at most this share of the first in size; two cards side by side have portraits of one size.
const SMALLER: f32 = 0.8;

/// What was found.
#[derive(Default)]
pub(crate) struct Portraits {
    /// The largest face on the card, in pixels of the picture that was given.
    pub(crate) main: Option<Face>,
    /// Its details, as they lie on the straightened card.
    pub(crate) crop: Option<FaceCrop>,
    /// Descriptor distance to the smaller face on the card that is most like it; `None` if there is none.
    pub(crate) distance: Option<f32>,
}

/// Finds them; backs have none. A face beside the card is nobody's portrait, however large: whoever lays somebody else's document beside
/// their own picture must not be taken for its holder.
pub(crate) fn find(
    faces: Option<&Faces>,
    seen: &Observation<'_, '_>,
    card: Option<&Corners>,
    side: Side,
) -> Result<Portraits, ModelError> {
    let (Some(faces), Side::Front) = (faces, side) else {
        return Ok(Portraits::default());
    };
    // Where no outline is found, or one of more than the document, its zone says how far it reaches.
    let zone = seen.machine.as_ref().filter(|zone| mrz::is_complete(Some(zone)));
    let page = zone.and_then(mrz::page);
    let is_on_card = |face: &Detection| {
        let middle = face.middle();
        page.is_none_or(|page| is_inside(&page, middle)) && card.is_none_or(|card| is_inside(card, seen.place(middle)))
    };
    let found = faces.largest(&seen.page.picture, MAX_FACES, is_on_card)?;
    let distance = found.split_first().and_then(|(main, rest)| {
        let smaller = |face: &&Face| face.eye_distance < main.eye_distance * SMALLER;
        let second = rest.iter().filter(smaller).filter(|face| !is_printed_over(face, seen));
        second.filter_map(|face| main.distance(face)).reduce(f32::min)
    });
    let crop = found.first();
    let crop = crop.and_then(|main| face_view::crop(&seen.page.picture, main.eyes));
    Ok(Portraits {
        crop,
        main: found.into_iter().next().map(|face| in_picture(face, seen)),
        distance,
    })
}

/// Whether text runs over a face: items are often printed over the second portrait, and a name across the eyes makes anybody of
/// them.
fn is_printed_over(face: &Face, seen: &Observation<'_, '_>) -> bool {
    let ([x, y], [half_width, half_height]) = middle_and_half(face);
    seen.page.lines.iter().any(|line| {
        (line.area.x - x).abs() < line.area.half_width + half_width
            && (line.area.y - y).abs() < line.area.half_height + half_height
    })
}

/// Middle of a face's box, and half of its width and height.
fn middle_and_half(face: &Face) -> ([f32; 2], [f32; 2]) {
    let [left, top, width, height] = face.bounds;
    let half = [width / 2.0, height / 2.0];
    ([left + half[0], top + half[1]], half)
}

/// The face where it lies in the picture that was given.
fn in_picture(mut face: Face, seen: &Observation<'_, '_>) -> Face {
    let [left, top, w, h] = face.bounds;
    let corners = rectangle([left, top, left + w, top + h]).map(|corner| seen.place(corner));
    let [left, top, right, bottom] = bounds(&corners);
    face.bounds = [left, top, right - left, bottom - top];
    face.eyes = face.eyes.map(|eye| seen.place(eye));
    let [one, other] = face.eyes;
    face.eye_distance = distance(one, other);
    face
}
