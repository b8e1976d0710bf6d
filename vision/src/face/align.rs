//! From a detected box to landmarks and a descriptor. Alignment decides the accuracy: with the detector's box alone one
//! comparison in five is wrong, with the chip below one in forty.

use super::descriptor::{CHIP_SIDE, DESCRIPTOR_LENGTH};
use super::geometry::{Detection, Point, Similarity, edges};
use super::landmarks::LANDMARK_SIDE;
use super::pose::Shape;
use crate::model::{Model, ModelError, Tensor, run_one};
use crate::raster::Raster;

/// Where dlib's chip has the outer and inner corners of both eyes and the base of the nose, in 0..1 before padding.
const CHIP_POINTS: [(usize, Point); 5] = [
    (45, [0.859_567_46, 0.213_498_15]),
    (42, [0.646_060_48, 0.228_967_44]),
    (36, [0.120_575_06, 0.213_727_45]),
    (39, [0.334_085_06, 0.229_064_24]),
    (33, [0.490_112_3, 0.627_797_53]),
];
/// Padding of dlib's chip on every side.
const CHIP_PADDING: f32 = 0.25;
/// The second look takes the landmarks' box and a fifth more.
const SECOND_LOOK: f32 = 1.2;
/// Boxes under this size hold no landmarks.
const SMALLEST: f32 = 4.0;

/// Landmarks in two looks: first in the detector's box, then upright around what the first look found.
pub(super) fn shape(model: &dyn Model, picture: &Raster, found: &Detection) -> Result<Option<Shape>, ModelError> {
    let inside = clipped(picture, found);
    let (width, height) = (inside[2] - inside[0] + 1.0, inside[3] - inside[1] + 1.0);
    if width <= SMALLEST || height <= SMALLEST {
        return Ok(None);
    }
    let side = width.max(height);
    let scale = side / LANDMARK_SIDE as f32;
    let corner = [inside[0] - (side - width) / 2.0, inside[1] - (side - height) / 2.0];
    let Some(first) = look(
        model,
        picture,
        Similarity {
            turn: [scale, 0.0],
            shift: corner,
        },
        inside,
    )?
    else {
        return Ok(None);
    };
    let around = Detection::around(first.points());
    let [left, right] = first.eyes();
    let turn = (right[1] - left[1]).atan2(right[0] - left[0]);
    let scale = around.width.max(around.height) * SECOND_LOOK / LANDMARK_SIDE as f32;
    let upright = Similarity {
        turn: [turn.cos() * scale, turn.sin() * scale],
        shift: [0.0, 0.0],
    };
    let middle = upright.apply([LANDMARK_SIDE as f32 / 2.0; 2]);
    let centre = [around.left + around.width / 2.0, around.top + around.height / 2.0];
    let upright = Similarity {
        shift: [centre[0] - middle[0], centre[1] - middle[1]],
        ..upright
    };
    look(model, picture, upright, edges(picture))
}

/// The box in whole pixels inside the picture: left, top, right, bottom.
fn clipped(picture: &Raster, found: &Detection) -> [f32; 4] {
    let bounds = edges(picture);
    let (right, bottom) = (
        found.left.floor() + found.width.floor(),
        found.top.floor() + found.height.floor(),
    );
    [
        found.left.floor().max(0.0),
        found.top.floor().max(0.0),
        (right - 1.0).min(bounds[2]),
        (bottom - 1.0).min(bounds[3]),
    ]
}

fn look(model: &dyn Model, picture: &Raster, chip: Similarity, inside: [f32; 4]) -> Result<Option<Shape>, ModelError> {
    let answer = run_one(model, chip.chip(picture, LANDMARK_SIDE, inside))?;
    let side = LANDMARK_SIDE as f32;
    Ok(Shape::new(
        answer
            .data
            .chunks_exact(2)
            .map(|p| chip.apply([p[0] * side, p[1] * side]))
            .collect(),
    ))
}

/// The descriptor of the aligned chip, averaged with that of its mirror picture.
pub(super) fn describe(model: &dyn Model, picture: &Raster, shape: &Shape) -> Result<Vec<f32>, ModelError> {
    let place = |v: f32| (v + CHIP_PADDING) / (1.0 + 2.0 * CHIP_PADDING) * CHIP_SIDE as f32;
    let from = CHIP_POINTS.map(|(_, p)| p.map(place));
    let to = CHIP_POINTS.map(|(index, _)| shape.points()[index]);
    let chip = Similarity::fit(&from, &to).chip(picture, CHIP_SIDE, edges(picture));
    let mirror = mirrored(&chip);
    let (one, other) = (run_one(model, chip)?, run_one(model, mirror)?);
    if one.data.len() != DESCRIPTOR_LENGTH || other.data.len() != DESCRIPTOR_LENGTH {
        return Err(ModelError::shape(model, &one));
    }
    Ok(one.data.iter().zip(&other.data).map(|(a, b)| (a + b) / 2.0).collect())
}

fn mirrored(chip: &Tensor) -> Tensor {
    let rows = chip.data.chunks_exact(CHIP_SIDE * 3);
    Tensor {
        shape: chip.shape.clone(),
        data: rows
            .flat_map(|row| row.chunks_exact(3).rev().flatten().copied())
            .collect(),
    }
}
