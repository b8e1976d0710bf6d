//! The passive network, which distinguishes live faces from presentation attacks in single frames, if the operator has installed one.

use crate::card::{Card, LivenessTask, OnPictures, Uncalibrated};
use crate::face::Detection;
use crate::model::{Model, ModelError, Tensor, run_one};
use crate::raster::Raster;
use domain::findings::{ModelHash, PassiveFindings};
use std::path::Path;

/// A network with its model card.
pub(crate) struct Passive {
    model: Box<dyn Model>,
    side: usize,
    task: LivenessTask,
    limit: f32,
    name: String,
    file: ModelHash,
}

impl Passive {
    /// The one of a card.
    pub(crate) fn of(
        card: &Card,
        task: &LivenessTask,
        dir: &Path,
        uncalibrated: Uncalibrated,
    ) -> Result<Self, ModelError> {
        let limit = match task.limit {
            Some(limit) => limit,
            None if uncalibrated == Uncalibrated::Allowed => 0.0,
            None => return Err(card.unusable("not calibrated; run honnin calibrate liveness")),
        };
        Ok(Self {
            model: Box::new(OnPictures::load(card, dir)?),
            side: card.input.side,
            task: task.clone(),
            limit,
            name: card.identity(),
            file: card.hash(),
        })
    }

    /// Its file.
    pub(crate) const fn model(&self) -> &ModelHash {
        &self.file
    }

    /// The least probability of a living face among these frames; `None` without frames.
    pub(crate) fn measure(&self, frames: &[(&Raster, Detection)]) -> Result<Option<PassiveFindings>, ModelError> {
        let mut least: Option<f32> = None;
        for (picture, face) in frames {
            least = least.into_iter().chain([self.score(picture, face)?]).reduce(f32::min);
        }
        Ok(least.map(|score| PassiveFindings {
            model: self.name.clone(),
            score,
            limit: self.limit,
        }))
    }

    /// Probability that the face is a living one.
    fn score(&self, picture: &Raster, face: &Detection) -> Result<f32, ModelError> {
        let [left, top, width, height] = around(face, self.task.crop, [picture.width(), picture.height()]);
        let part = picture.crop(left, top, width, height);
        let small = part.as_ref().unwrap_or(picture).resized(self.side, self.side);
        let input = Tensor {
            shape: vec![self.side, self.side, 3],
            data: small.pixels().iter().map(|v| f32::from(*v)).collect(),
        };
        let answer = run_one(self.model.as_ref(), input)?;
        let probability = if self.task.softmax {
            softmax(&answer.data, self.task.living)
        } else {
            answer.data.get(self.task.living).copied()
        };
        probability
            .filter(|p| (0.0..=1.0).contains(p))
            .ok_or_else(|| ModelError::shape(self.model.as_ref(), &answer))
    }
}

/// Left, top, width and height of the box scaled about its middle: smaller where it would be larger than the picture, and moved
/// into it where it would stand out.
fn around(face: &Detection, crop: f32, [width, height]: [usize; 2]) -> [usize; 4] {
    let most = |side: usize, of: f32| side as f32 / of.max(1.0);
    let scale = crop.min(most(width, face.width)).min(most(height, face.height));
    let along = |start: f32, length: f32, side: usize| {
        let size = ((length * scale) as usize).clamp(1, side);
        let first = (start + length / 2.0 - size as f32 / 2.0).max(0.0) as usize;
        (first.min(side - size), size)
    };
    let (left, wide) = along(face.left, face.width, width);
    let (top, high) = along(face.top, face.height, height);
    [left, top, wide, high]
}

fn softmax(values: &[f32], index: usize) -> Option<f32> {
    let most = values.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let sum: f32 = values.iter().map(|v| (v - most).exp()).sum();
    values.get(index).map(|v| (v - most).exp() / sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_part_around_a_face_stays_inside_the_picture() {
        let face = |left: f32, top: f32, side: f32| Detection {
            score: 0.9,
            left,
            top,
            width: side,
            height: side,
        };
        let size = [300, 400];
        assert_eq!(around(&face(100.0, 150.0, 50.0), 2.0, size), [75, 125, 100, 100]);
        assert_eq!(
            around(&face(0.0, 0.0, 50.0), 2.0, size),
            [0, 0, 100, 100],
            "moved into it"
        );
        assert_eq!(
            around(&face(200.0, 150.0, 200.0), 2.7, size),
            [0, 100, 300, 300],
            "no larger than it"
        );
    }

    #[test]
    fn scores_become_probabilities() {
        assert!((softmax(&[1.0, 1.0], 0).unwrap() - 0.5).abs() < 1e-6);
        assert!((softmax(&[900.0, 0.0, -900.0], 0).unwrap() - 1.0).abs() < 1e-6);
        assert_eq!(softmax(&[1.0], 1), None);
    }
}
