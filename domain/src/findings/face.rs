//! A face, and what its descriptor means.

use crate::calibration::Logistic;
use serde::{Deserialize, Serialize};

/// The network that described a face, and the meaning of its distances.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FaceEngine {
    /// Its name, with the beginning of its file's SHA-256 if it is not the one that Honnin comes with.
    pub name: String,
    /// Confidence that two faces at a distance are one person's.
    pub calibration: Logistic,
}

impl FaceEngine {
    /// The meaning of distances in findings and rules, whatever network measured them: a logistic fitted to 423 same and 4,233
    /// different pairs of LFW photographs (0.50 → .958, 0.55 → .837, 0.60 → .534), described by the network that Honnin comes with.
    pub const SCALE: Logistic = Logistic {
        middle: 0.6045,
        slope: 30.0,
    };
    /// Name of the network that Honnin comes with.
    pub const BUILT_IN: &'static str = "face-api";

    fn is_built_in(&self) -> bool {
        *self == Self::default()
    }
}

impl Default for FaceEngine {
    fn default() -> Self {
        Self {
            name: Self::BUILT_IN.to_owned(),
            calibration: Self::SCALE,
        }
    }
}

/// A face found in a picture, with its descriptor.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct Face {
    /// Left, top, width, height in pixels of the analysed picture.
    pub bounds: [f32; 4],
    /// Distance between the eyes in pixels of the analysed picture.
    pub eye_distance: f32,
    /// Left and right eye centre, pixels of the analysed picture.
    pub eyes: [[f32; 2]; 2],
    /// Detector's score, 0 to 1.
    pub score: f32,
    /// Unit-free descriptor; Euclidean distance between two of one engine compares two faces.
    pub descriptor: Vec<f32>,
    /// What made the descriptor.
    #[serde(default, skip_serializing_if = "FaceEngine::is_built_in")]
    pub engine: FaceEngine,
}

impl std::fmt::Debug for Face {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Face(score {:.2})", self.score)
    }
}

impl Face {
    /// Distance to another face on the scale of [`FaceEngine::SCALE`]; `None` if the descriptors cannot be compared: they are missing,
    /// have different lengths, or come from different networks.
    #[must_use]
    pub fn distance(&self, other: &Self) -> Option<f32> {
        let raw = self.raw_distance(other)?;
        if self.engine.calibration == FaceEngine::SCALE {
            return Some(raw);
        }
        let there = self.engine.calibration.in_terms_of(FaceEngine::SCALE, f64::from(raw));
        Some(there as f32)
    }

    /// Euclidean distance between the descriptors, whatever it means for their network; `None` as in [`Face::distance`].
    #[must_use]
    pub fn raw_distance(&self, other: &Self) -> Option<f32> {
        let comparable = self.engine.name == other.engine.name && self.descriptor.len() == other.descriptor.len();
        if self.descriptor.is_empty() || !comparable {
            return None;
        }
        let square: f32 = self
            .descriptor
            .iter()
            .zip(&other.descriptor)
            .map(|(a, b)| (a - b) * (a - b))
            .sum();
        Some(square.sqrt())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn face(engine: FaceEngine, at: f32) -> Face {
        Face {
            bounds: [0.0; 4],
            eye_distance: 80.0,
            eyes: [[0.0; 2]; 2],
            score: 0.9,
            descriptor: vec![at, 0.0],
            engine,
        }
    }

    fn other() -> FaceEngine {
        FaceEngine {
            name: "arcface@0123456789ab".to_owned(),
            calibration: Logistic {
                middle: 1.2,
                slope: 10.0,
            },
        }
    }

    #[test]
    fn distances_of_another_network_are_given_on_the_common_scale() {
        let built_in = |at| face(FaceEngine::default(), at);
        let distance = |a: Face, b: Face| a.distance(&b).unwrap();
        assert!((distance(built_in(0.0), built_in(0.55)) - 0.55).abs() < 1e-6);
        let there = distance(face(other(), 0.0), face(other(), 1.2));
        assert!((there - 0.6045).abs() < 1e-6, "as likely the same as not: {there}");
        assert!(distance(face(other(), 0.0), face(other(), 1.0)) < 0.55);
    }

    #[test]
    fn faces_described_by_different_networks_are_not_compared() {
        assert_eq!(face(other(), 0.0).distance(&face(FaceEngine::default(), 0.0)), None);
        assert_eq!(face(other(), 0.0).raw_distance(&face(FaceEngine::default(), 0.0)), None);
    }

    #[test]
    fn a_face_stored_before_there_were_other_networks_is_of_the_built_in_one() {
        let stored = r#"{"bounds":[0,0,1,1],"eye_distance":40,"eyes":[[0,0],[1,1]],"score":0.9,"descriptor":[0.5]}"#;
        let face: Face = serde_json::from_str(stored).unwrap();
        assert_eq!(face.engine, FaceEngine::default());
        assert!(!serde_json::to_string(&face).unwrap().contains("engine"));
    }
}
