//! The detectors as a cascade: each runs only if the one before found nothing.

use super::geometry::{Detection, suppress};
use super::ssd::SSD_SIDE;
use super::tiny::TINY_SIDE;
use crate::model::{Model, ModelError, Tensor, run_one};
use crate::raster::Raster;

/// The score from which a box counts as a face.
const SURE: f32 = 0.5;
/// The network misses faces that fill the frame, as selfies do: it looks again with this much grey on every side.
const BORDER: f32 = 0.4;
/// Longest side of what the last detector sees: it takes time with the area, and finds faces from 28 pixels.
const LAST_SIDE: usize = 800;

/// Three detectors.
pub(crate) struct Detector {
    pub(crate) thorough: Box<dyn Model>,
    pub(crate) quick: Box<dyn Model>,
    pub(crate) last: Box<dyn Model>,
}

impl Detector {
    /// All faces of a picture.
    pub(crate) fn find(&self, picture: &Raster) -> Result<Vec<Detection>, ModelError> {
        let found = self.find_once(picture)?;
        if !found.is_empty() {
            return Ok(found);
        }
        let found = on_canvas(self.thorough.as_ref(), picture, SSD_SIDE, BORDER, 127)?;
        if !found.is_empty() {
            return Ok(found);
        }
        self.find_last(picture)
    }

    /// The faces that the first detector sees at its first look.
    pub(crate) fn find_once(&self, picture: &Raster) -> Result<Vec<Detection>, ModelError> {
        on_canvas(self.thorough.as_ref(), picture, SSD_SIDE, 0.0, 0)
    }

    /// The faces the small network sees, in a tenth of the time; it misses more.
    pub(crate) fn find_quickly(&self, picture: &Raster) -> Result<Vec<Detection>, ModelError> {
        on_canvas(self.quick.as_ref(), picture, TINY_SIDE, 0.0, 0)
    }

    fn find_last(&self, picture: &Raster) -> Result<Vec<Detection>, ModelError> {
        let small = picture.shrunk(LAST_SIDE);
        let luma = small.luma().into_iter().map(f32::from).collect();
        let answer = run_one(
            self.last.as_ref(),
            Tensor {
                shape: vec![small.height(), small.width()],
                data: luma,
            },
        )?;
        let (width, height) = (picture.width() as f32, picture.height() as f32);
        Ok(suppress(boxes(&answer, [0.0, 0.0], [width, height], picture)))
    }
}

/// Runs a network on a square canvas that holds the whole picture, at its upper left or within a border.
fn on_canvas(
    model: &dyn Model,
    picture: &Raster,
    side: usize,
    border: f32,
    shade: u8,
) -> Result<Vec<Detection>, ModelError> {
    let longest = picture.longest() as f32;
    let span = side as f32 / (1.0 + 2.0 * border);
    let scaled = |length: usize| ((length as f32 * span / longest).round() as usize).max(1);
    let offset = (span * border).round() as usize;
    let mut canvas = Raster::filled(side, side, [shade; 3]);
    canvas.paste(
        &picture.resized(scaled(picture.width()), scaled(picture.height())),
        offset,
        offset,
    );
    let data = canvas.pixels().iter().map(|&v| f32::from(v)).collect();
    let answer = run_one(
        model,
        Tensor {
            shape: vec![side, side, 3],
            data,
        },
    )?;
    let scale = longest / span;
    let origin = [offset as f32 * scale; 2];
    Ok(suppress(boxes(&answer, origin, [side as f32 * scale; 2], picture)))
}

/// Rows of score, left, top, right, bottom become boxes in pixels whose middle lies in the picture.
fn boxes(answer: &Tensor, origin: [f32; 2], size: [f32; 2], picture: &Raster) -> Vec<Detection> {
    let rows = answer.data.chunks_exact(5).filter(|row| row[0] > SURE);
    let placed = rows.map(|row| Detection {
        score: row[0],
        left: row[1] * size[0] - origin[0],
        top: row[2] * size[1] - origin[1],
        width: (row[3] - row[1]) * size[0],
        height: (row[4] - row[2]) * size[1],
    });
    let inside = |d: &Detection| {
        let (x, y) = (d.left + d.width / 2.0, d.top + d.height / 2.0);
        x >= 0.0
            && y >= 0.0
            && x < picture.width() as f32
            && y < picture.height() as f32
            && d.width > 1.0
            && d.height > 1.0
    };
    placed.filter(inside).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    /// Answers what it was told to, one answer a call.
    struct Script(Mutex<Vec<Vec<f32>>>);

    impl Model for Script {
        fn name(&self) -> &str {
            "script"
        }
        fn run(&self, _: Tensor) -> Result<Vec<Tensor>, ModelError> {
            let mut answers = self.0.lock().unwrap();
            let data = if answers.is_empty() {
                Vec::new()
            } else {
                answers.remove(0)
            };
            Ok(vec![Tensor {
                shape: vec![data.len() / 5, 5],
                data,
            }])
        }
    }

    fn detector(thorough: &[&[f32]], last: &[&[f32]]) -> Detector {
        let script = |answers: &[&[f32]]| Box::new(Script(Mutex::new(answers.iter().map(|a| a.to_vec()).collect())));
        Detector {
            thorough: script(thorough),
            quick: script(&[]),
            last: script(last),
        }
    }

    #[test]
    fn a_box_is_placed_in_pixels_of_the_picture() {
        let picture = Raster::filled(1024, 512, [0; 3]);
        let found = detector(&[&[0.9, 0.25, 0.1, 0.5, 0.3]], &[]).find(&picture).unwrap();
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].left, found[0].width), (256.0, 256.0));
        assert!((found[0].top - 102.4).abs() < 0.01);
    }

    #[test]
    fn the_second_look_takes_the_border_off_and_a_box_in_the_border_is_no_face() {
        let picture = Raster::filled(900, 900, [0; 3]);
        // The canvas is 1,620 pixels of the picture wide, the picture begins at about 360.
        let found = detector(&[&[], &[0.9, 0.5, 0.5, 0.6, 0.6, 0.9, 0.0, 0.0, 0.1, 0.1]], &[])
            .find(&picture)
            .unwrap();
        assert_eq!(found.len(), 1);
        assert!((found[0].left - 450.0).abs() < 3.0, "{found:?}");
    }

    #[test]
    fn the_last_detector_is_asked_where_the_network_is_unsure() {
        let picture = Raster::filled(400, 400, [0; 3]);
        let found = detector(&[&[0.4, 0.2, 0.2, 0.4, 0.4]], &[&[0.8, 0.25, 0.25, 0.5, 0.5]])
            .find(&picture)
            .unwrap();
        assert_eq!(found[0].left, 100.0);
        assert!(detector(&[], &[]).find(&picture).unwrap().is_empty());
    }
}
