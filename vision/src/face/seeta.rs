//! The last detector of the cascade: SeetaFace on crate `rustface`, which finds faces the networks miss.

use crate::model::{Model, ModelError, Tensor};
use rustface::ImageData;

/// The model's file.
pub(crate) const SEETA: &str = "seeta_fd_frontal_v1.0.bin";
/// Smallest face looked for, in pixels of the input.
const SMALLEST: u32 = 28;

pub(crate) struct Seeta(rustface::Model);

impl Seeta {
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self, ModelError> {
        let model = rustface::read_model(std::io::Cursor::new(bytes));
        model
            .map(Self)
            .map_err(|e| ModelError::Unusable(SEETA.to_owned(), e.to_string()))
    }
}

impl Model for Seeta {
    fn name(&self) -> &str {
        SEETA
    }

    /// Input height × width of luma; output rows of score, left, top, right, bottom, the box in 0..1 of the input.
    ///
    /// Its scores have no upper bound; 2 is where it is as sure as the networks are at one half.
    fn run(&self, input: Tensor) -> Result<Vec<Tensor>, ModelError> {
        let &[height, width] = input.shape.as_slice() else {
            return Err(ModelError::shape(self, &input));
        };
        let (Ok(columns), Ok(lines)) = (u32::try_from(width), u32::try_from(height)) else {
            return Err(ModelError::shape(self, &input));
        };
        let luma: Vec<u8> = input.data.iter().map(|&v| v as u8).collect();
        let mut detector = rustface::create_detector_with_model(self.0.clone());
        detector.set_min_face_size(SMALLEST);
        detector.set_score_thresh(2.0);
        detector.set_pyramid_scale_factor(0.8);
        detector.set_slide_window_step(4, 4);
        let mut rows = Vec::new();
        for face in detector.detect(&ImageData::new(&luma, columns, lines)) {
            let area = face.bbox();
            let (left, top) = (area.x() as f32 / width as f32, area.y() as f32 / height as f32);
            let (w, h) = (area.width() as f32 / width as f32, area.height() as f32 / height as f32);
            rows.extend([(face.score() as f32 / 4.0).min(1.0), left, top, left + w, top + h]);
        }
        Ok(vec![Tensor {
            shape: vec![rows.len() / 5, 5],
            data: rows,
        }])
    }
}
