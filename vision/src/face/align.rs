//! From a detected box to landmarks.

use super::geometry::{Detection, Similarity, edges};
use super::landmarks::LANDMARK_SIDE;
use super::pose::Shape;
use crate::model::{Model, ModelError, run_one};
use crate::raster::Raster;

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
    let centre = around.middle();
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
