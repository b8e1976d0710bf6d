//! What describes a face: a network, and how the face is cut out for it. Alignment decides the accuracy: with the detector's box
//! alone one comparison in five is wrong, with the chip below one in forty.

use super::descriptor::{CHIP_SIDE, DESCRIPTOR_LENGTH, Descriptor};
use super::geometry::{DLIB5, Similarity, edges};
use super::pose::Shape;
use crate::card::{Alignment, Card, Distance, FaceTask, OnPictures, Uncalibrated};
use crate::geometry::Point;
use crate::model::{Model, ModelError, Tensor, run_one};
use crate::nn::Weights;
use crate::raster::Raster;
use domain::findings::FaceEngine;
use std::path::Path;

/// Padding of dlib's chip on every side.
const CHIP_PADDING: f32 = 0.25;
/// Where InsightFace's chip has the eyes, the tip of the nose and the corners of the mouth (`insightface/utils/face_align.py`).
const ARCFACE5: [Point; 5] = [
    [38.2946, 51.6963],
    [73.5318, 51.5014],
    [56.0252, 71.7366],
    [41.5493, 92.3655],
    [70.7299, 92.2041],
];
/// Side of that chip.
const ARCFACE_SIDE: f32 = 112.0;

/// A network that describes faces.
pub(crate) struct Engine {
    model: Box<dyn Model>,
    alignment: Alignment,
    side: usize,
    length: usize,
    unit: bool,
    mirrored: bool,
    about: FaceEngine,
}

impl Engine {
    /// The one that Honnin comes with.
    pub(crate) fn built_in(weights: &Weights) -> Result<Self, ModelError> {
        Ok(Self {
            model: Box::new(Descriptor::new(weights)?),
            alignment: Alignment::Dlib5,
            side: CHIP_SIDE,
            length: DESCRIPTOR_LENGTH,
            unit: false,
            mirrored: true,
            about: FaceEngine::default(),
        })
    }

    /// The one of a card.
    pub(crate) fn of(card: &Card, task: &FaceTask, dir: &Path, uncalibrated: Uncalibrated) -> Result<Self, ModelError> {
        let calibration = match task.calibration {
            Some(calibration) => calibration,
            None if uncalibrated == Uncalibrated::Allowed => FaceEngine::SCALE,
            None => return Err(card.unusable("not calibrated; run honnin calibrate faces")),
        };
        Ok(Self {
            model: Box::new(OnPictures::load(card, dir)?),
            alignment: task.alignment,
            side: card.input.side,
            length: task.length,
            unit: task.distance == Distance::Cosine,
            mirrored: task.mirrored,
            about: FaceEngine {
                name: card.identity(),
                calibration,
            },
        })
    }

    /// What its descriptors are of.
    pub(crate) const fn about(&self) -> &FaceEngine {
        &self.about
    }

    /// The descriptor of a face.
    pub(crate) fn describe(&self, picture: &Raster, shape: &Shape) -> Result<Vec<f32>, ModelError> {
        let (from, to) = places(self.alignment, self.side as f32, shape);
        let chip = Similarity::fit(&from, &to).chip(picture, self.side, edges(picture));
        let mut descriptor = if self.mirrored {
            let other = self.run(mirrored(&chip, self.side))?;
            let one = self.run(chip)?;
            one.iter().zip(&other).map(|(a, b)| (a + b) / 2.0).collect()
        } else {
            self.run(chip)?
        };
        if self.unit {
            let length = descriptor.iter().map(|v| v * v).sum::<f32>().sqrt();
            descriptor.iter_mut().for_each(|v| *v /= length);
        }
        if descriptor.iter().all(|v| v.is_finite()) {
            Ok(descriptor)
        } else {
            Err(ModelError::Run(
                self.model.name().to_owned(),
                "numbers that are not finite".to_owned(),
            ))
        }
    }

    fn run(&self, chip: Tensor) -> Result<Vec<f32>, ModelError> {
        let answer = run_one(self.model.as_ref(), chip)?;
        if answer.data.len() == self.length {
            Ok(answer.data)
        } else {
            Err(ModelError::shape(self.model.as_ref(), &answer))
        }
    }
}

/// Five places in the chip, and where the face has them.
fn places(alignment: Alignment, side: f32, shape: &Shape) -> ([Point; 5], [Point; 5]) {
    match alignment {
        Alignment::Dlib5 => {
            let place = |v: f32| (v + CHIP_PADDING) / (1.0 + 2.0 * CHIP_PADDING) * side;
            (
                DLIB5.map(|(_, p)| p.map(place)),
                DLIB5.map(|(index, _)| shape.points()[index]),
            )
        }
        Alignment::Arcface5 => {
            let [left, right] = shape.eyes();
            let [nose, mouth_left, mouth_right] = [30, 48, 54].map(|index| shape.points()[index]);
            let to = [left, right, nose, mouth_left, mouth_right];
            (ARCFACE5.map(|p| p.map(|v| v / ARCFACE_SIDE * side)), to)
        }
    }
}

fn mirrored(chip: &Tensor, side: usize) -> Tensor {
    let rows = chip.data.chunks_exact(side * 3);
    Tensor {
        shape: chip.shape.clone(),
        data: rows
            .flat_map(|row| row.chunks_exact(3).rev().flatten().copied())
            .collect(),
    }
}
