//! The portrait of a document, and whether a second one on the same card shows the same face.
//!
//! Many issuers print the portrait twice, the second time small and faint, to detect exactly that (ICAO 9303-2 on the protection
//! of portraits): somebody who replaces the first portrait leaves the second unchanged.

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
/// Pixels between the eyes of a second portrait, at least: the faces in a pattern that were found on rendered documents had 6, second portraits 33 and more.
const LEAST_EYES: f32 = 16.0;
/// Descriptor distance from which two faces of one size are two people's: the greatest at which a selfie counts as the portrait's by default.
const TWO_PEOPLE: f32 = 0.55;

/// How far beside the box of the face its picture ends, at least, in widths of the box.
const BESIDE: f32 = 0.3;
/// A part of a document is looked at by itself if its shorter side has as many pixels: fewer show no face that could be compared.
const LEAST_PART: f32 = 60.0;

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

/// Finds them; backs have none. A face beside the card is not a portrait, however large: somebody who lays another person's document
/// beside their own picture must not pass for its holder.
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
    if is_one_of_two(&found, |face| is_printed_over(face.bounds, seen)) {
        return Ok(Portraits::default());
    }
    let distance = match found.split_first() {
        Some((main, rest)) => match nearest(main, rest, seen) {
            Some(distance) => Some(distance),
            None => nearest(main, &find_beside(faces, seen, main, is_on_card)?, seen),
        },
        None => None,
    };
    let crop = found.first();
    let crop = crop.and_then(|main| face_view::crop(&seen.page.picture, main.eyes));
    Ok(Portraits {
        crop,
        main: found.into_iter().next().map(|face| in_picture(face, seen)),
        distance,
    })
}

/// Descriptor distance to the smaller one of these faces that is most like the portrait.
fn nearest(main: &Face, others: &[Face], seen: &Observation<'_, '_>) -> Option<f32> {
    let smaller = |face: &&Face| (LEAST_EYES..main.eye_distance * SMALLER).contains(&face.eye_distance);
    let second = others
        .iter()
        .filter(smaller)
        .filter(|face| !is_printed_over(face.bounds, seen));
    second.filter_map(|face| main.distance(face)).reduce(f32::min)
}

/// The faces on the part of the document beside the portrait, looked at by itself: a second portrait is small and faint, and the network that finds faces
/// sees every picture at one size.
fn find_beside(
    faces: &Faces,
    seen: &Observation<'_, '_>,
    main: &Face,
    is_on_card: impl Fn(&Detection) -> bool,
) -> Result<Vec<Face>, ModelError> {
    let picture = &seen.page.picture;
    let lines = seen.page.lines.iter().map(|line| line.area.corners());
    let on_card = lines.filter(|corners| is_on_card(&Detection::around(corners)));
    let Some([left, top, width, height]) = beside(main.bounds, &on_card.flatten().collect::<Vec<_>>()) else {
        return Ok(Vec::new());
    };
    let Some(part) = picture.crop(left, top, width, height) else {
        return Ok(Vec::new());
    };
    let offset = [left as f32, top as f32];
    let in_view = |[x, y]: [f32; 2]| [x + offset[0], y + offset[1]];
    let mut found = Vec::new();
    for detection in faces.detector.find_once(&part)? {
        let corner = in_view([detection.left, detection.top]);
        let bounds = [corner[0], corner[1], detection.width, detection.height];
        // What is not compared need not be described, which takes longest.
        if !is_on_card(&Detection::around(&rectangle_of(bounds))) || is_printed_over(bounds, seen) {
            continue;
        }
        if let Some(face) = faces.face(&part, &detection)? {
            let eyes = face.eyes.map(in_view);
            found.push(Face { bounds, eyes, ..face });
        }
    }
    Ok(found)
}

/// The larger part of the print on one side of the portrait with this box: left, top, width, height in pixels; `None` if there is none of some size.
fn beside([left, top, width, height]: [f32; 4], print: &[[f32; 2]]) -> Option<[usize; 4]> {
    let of_portrait = rectangle([left, top, left + width, top + height]);
    let [print_left, print_top, print_right, print_bottom] = bounds(&[print, &of_portrait].concat());
    let margin = BESIDE * width;
    let (to_left, to_right) = (left - margin - print_left, print_right - (left + width + margin));
    let (left, wide) = if to_right > to_left {
        (left + width + margin, to_right)
    } else {
        (print_left, to_left)
    };
    let (left, top) = (left.max(0.0), print_top.max(0.0));
    let high = print_bottom - top;
    (wide.min(high) > LEAST_PART).then_some([left as usize, top as usize, wide as usize, high as usize])
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

/// Whether text runs over the box of a face: items are often printed over the second portrait, and a name across the eyes makes anybody of
/// them.
fn is_printed_over([left, top, width, height]: [f32; 4], seen: &Observation<'_, '_>) -> bool {
    let [half_width, half_height] = [width / 2.0, height / 2.0];
    let [x, y] = [left + half_width, top + half_height];
    seen.page.lines.iter().any(|line| {
        (line.area.x - x).abs() < line.area.half_width + half_width
            && (line.area.y - y).abs() < line.area.half_height + half_height
    })
}

/// The corners of a face's box.
fn rectangle_of([left, top, width, height]: [f32; 4]) -> Corners {
    rectangle([left, top, left + width, top + height])
}

/// The face where it lies in the picture that was given.
fn in_picture(mut face: Face, seen: &Observation<'_, '_>) -> Face {
    let corners = rectangle_of(face.bounds).map(|corner| seen.place(corner));
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
    fn the_part_beside_the_portrait_is_what_is_printed_on_its_wider_side() {
        let print = [[100.0, 50.0], [1000.0, 60.0], [990.0, 600.0]];
        let of_left = beside([120.0, 200.0, 150.0, 200.0], &print);
        assert_eq!(of_left, Some([315, 50, 685, 550]));
        let of_right = beside([800.0, 200.0, 150.0, 200.0], &print);
        assert_eq!(of_right, Some([100, 50, 655, 550]));
        assert_eq!(beside([120.0, 200.0, 150.0, 200.0], &[]), None, "nothing is printed");
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
