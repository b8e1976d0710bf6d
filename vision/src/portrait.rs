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
/// Descriptor distance from which two faces of one size are two people's: the greatest at which a selfie counts as the portrait's by default.
const TWO_PEOPLE: f32 = 0.55;

/// What was found.
#[derive(Default)]
pub(crate) struct Portraits {
    /// The largest face on the card, in pixels of the picture that was given; `None` where one of another person is about as large.
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
    if is_one_of_two(&found, |face| is_printed_over(face, seen)) {
        return Ok(Portraits::default());
    }
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

/// Whether a face that is about as large as the first is somebody else's: then nothing says whose portrait it is, as where a picture of one's own lies
/// beside the card of another person, on a sheet that was taken for the card. So it is where all faces that are looked at are as large: with a strip of
/// pictures of one's own, the card's would not be among them.
fn is_one_of_two(found: &[Face], is_printed_over: impl Fn(&Face) -> bool) -> bool {
    let Some((main, rest)) = found.split_first() else {
        return false;
    };
    let is_large = |face: &&Face| face.eye_distance >= main.eye_distance * SMALLER && !is_printed_over(face);
    let large: Vec<&Face> = rest.iter().filter(is_large).collect();
    let is_another = |face: &Face| main.distance(face).is_some_and(|far| far > TWO_PEOPLE);
    large.len() + 1 == MAX_FACES || large.into_iter().any(is_another)
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

#[cfg(test)]
mod tests {
    use super::*;
    use domain::findings::FaceEngine;

    fn face(eye_distance: f32, descriptor: f32) -> Face {
        Face {
            bounds: [0.0, 0.0, 2.5 * eye_distance, 3.0 * eye_distance],
            eye_distance,
            eyes: [[0.0, 0.0], [eye_distance, 0.0]],
            score: 0.9,
            descriptor: vec![descriptor],
            engine: FaceEngine::default(),
        }
    }

    #[test]
    fn of_two_faces_of_one_size_and_two_people_neither_is_the_portrait() {
        for (size, far, is_printed_over, is_one_of_two) in [
            (60.0, 0.7, false, true),
            (50.0, 0.7, false, true),
            (70.0, 0.7, false, true),
            // The same person, as on two cards of one's own.
            (60.0, 0.4, false, false),
            (60.0, 0.7, true, false),
            // A second portrait, which is compared with the first.
            (40.0, 0.7, false, false),
        ] {
            let found = [face(60.0, 0.0), face(size, far)];
            assert_eq!(
                super::is_one_of_two(&found, |_| is_printed_over),
                is_one_of_two,
                "{size} {far}"
            );
        }
        // The third may hide a fourth.
        let strip = [60.0, 58.0, 55.0].map(|size| face(size, 0.0));
        assert!(super::is_one_of_two(&strip, |_| false));
        let ghosts = [60.0, 30.0, 20.0].map(|size| face(size, 0.0));
        assert!(!super::is_one_of_two(&ghosts, |_| false));
        assert!(!super::is_one_of_two(&[face(60.0, 0.0)], |_| false));
        assert!(!super::is_one_of_two(&[], |_| false));
    }
}
