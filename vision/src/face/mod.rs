//! Faces in a picture: where they are, which way they look, and the numbers that recognise them again.

mod align;
mod descriptor;
mod engine;
mod find;
pub(crate) mod geometry;
mod landmarks;
pub(crate) mod pose;
mod ssd;
mod tiny;

pub(crate) use engine::Engine;
pub(crate) use find::Detector;
pub(crate) use geometry::Detection;
pub(crate) use pose::Shape;

use crate::model::lock::Pins;
use crate::model::{Model, ModelError};
use crate::nn::Weights;
use crate::raster::Raster;
use domain::findings::Face;
use std::path::Path;

/// The networks that look at faces.
pub(crate) struct Faces {
    pub(crate) detector: Detector,
    pub(crate) landmarks: Box<dyn Model>,
    pub(crate) engine: Engine,
}

/// The files of the network that describes faces, if no other is installed.
pub(crate) const DESCRIPTOR_FILES: [&str; 2] = [
    "face_recognition_model-weights_manifest.json",
    "face_recognition_model.bin",
];
/// The files of the others.
pub(crate) const FILES: [&str; 6] = [
    "ssd_mobilenetv1_model-weights_manifest.json",
    "ssd_mobilenetv1_model.bin",
    "tiny_face_detector_model-weights_manifest.json",
    "tiny_face_detector_model.bin",
    "face_landmark_68_model-weights_manifest.json",
    "face_landmark_68_model.bin",
];

impl Faces {
    /// The networks of a folder; `engine` describes faces instead of the one that Honnin comes with.
    pub(crate) fn load(pins: &Pins, dir: &Path, engine: Option<Engine>) -> Result<Self, ModelError> {
        let weights = |model: &str| {
            let manifest = pins.read(dir, &format!("{model}-weights_manifest.json"))?;
            Weights::parse(model, &manifest, &pins.read(dir, &format!("{model}.bin"))?)
        };
        Ok(Self {
            detector: Detector {
                thorough: Box::new(ssd::Ssd::new(&weights(ssd::SSD)?)?),
                quick: Box::new(tiny::Tiny::new(&weights(tiny::TINY)?)?),
            },
            landmarks: Box::new(landmarks::Landmarks::new(&weights(landmarks::LANDMARKS)?)?),
            engine: match engine {
                Some(engine) => engine,
                None => Engine::built_in(&weights(descriptor::DESCRIPTOR)?)?,
            },
        })
    }

    /// Landmarks of a detected face; `None` where the box is too small to hold one.
    pub(crate) fn shape(&self, picture: &Raster, detection: &Detection) -> Result<Option<Shape>, ModelError> {
        align::shape(self.landmarks.as_ref(), picture, detection)
    }

    /// The numbers that recognise a face again.
    pub(crate) fn describe(&self, picture: &Raster, shape: &Shape) -> Result<Vec<f32>, ModelError> {
        self.engine.describe(picture, shape)
    }

    /// A face with everything that is measured of it.
    pub(crate) fn face(&self, picture: &Raster, detection: &Detection) -> Result<Option<Face>, ModelError> {
        let Some(shape) = self.shape(picture, detection)? else {
            return Ok(None);
        };
        let descriptor = self.describe(picture, &shape)?;
        Ok(Some(self.finding(detection, &shape, descriptor)))
    }

    /// The largest faces of a picture that are wanted, at most this many, the largest first.
    pub(crate) fn largest(
        &self,
        picture: &Raster,
        most: usize,
        is_wanted: impl Fn(&Detection) -> bool,
    ) -> Result<Vec<Face>, ModelError> {
        let mut found = self.detector.find(picture)?;
        found.retain(is_wanted);
        found.sort_by(|a, b| b.area().total_cmp(&a.area()));
        let described = found.iter().take(most).map(|detection| self.face(picture, detection));
        described.filter_map(Result::transpose).collect()
    }

    /// A face in the words of the findings.
    pub(crate) fn finding(&self, detection: &Detection, shape: &Shape, descriptor: Vec<f32>) -> Face {
        Face {
            bounds: [detection.left, detection.top, detection.width, detection.height],
            eye_distance: shape.eye_distance(),
            eyes: shape.eyes(),
            score: detection.score.clamp(0.0, 1.0),
            descriptor,
            engine: self.engine.about().clone(),
        }
    }
}
