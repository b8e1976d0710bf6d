//! Where faces are. The network looks at the picture in several sizes and colours, each time only if it has found nothing so far.

use super::geometry::{Detection, suppress};
use super::ssd::SSD_SIDE;
use super::tiny::TINY_SIDE;
use crate::model::{Model, ModelError, Tensor, run_one};
use crate::raster::Raster;

/// The score from which a box counts as a face.
const SURE: f32 = 0.5;
/// The network misses faces that fill the frame, as in selfies: it looks again with this much grey on every side, as a share of the longest side.
const BORDER: f32 = 0.4;
/// The same for portraits that were enlarged a lot, and are blurred.
const WIDE_BORDER: f32 = 2.0;
/// Each half has this share of the longer side. They overlap, so that a face in the middle is whole in one of them.
const HALF: f32 = 0.6;

type Look = fn(&Detector, &Raster) -> Result<Vec<Detection>, ModelError>;

/// How a picture is looked at, one way after another until a face is found.
const LOOKS: [Look; 5] = [
    Detector::find_once,
    |detector, picture| detector.find_within(picture, BORDER),
    // In coloured light, skin has another colour.
    |detector, picture| detector.find_once(&picture.balanced()),
    |detector, picture| detector.find_within(picture, WIDE_BORDER),
    Detector::find_in_halves,
];

/// Two detectors.
pub(crate) struct Detector {
    pub(crate) thorough: Box<dyn Model>,
    pub(crate) quick: Box<dyn Model>,
}

impl Detector {
    /// All faces of a picture.
    pub(crate) fn find(&self, picture: &Raster) -> Result<Vec<Detection>, ModelError> {
        for look in LOOKS {
            let found = look(self, picture)?;
            if !found.is_empty() {
                return Ok(found);
            }
        }
        Ok(Vec::new())
    }

    fn find_within(&self, picture: &Raster, border: f32) -> Result<Vec<Detection>, ModelError> {
        on_canvas(self.thorough.as_ref(), picture, SSD_SIDE, border, 127)
    }

    /// The faces that the thorough network sees in the picture as a whole.
    pub(crate) fn find_once(&self, picture: &Raster) -> Result<Vec<Detection>, ModelError> {
        on_canvas(self.thorough.as_ref(), picture, SSD_SIDE, 0.0, 0)
    }

    /// The faces the small network sees, in a tenth of the time; it misses more.
    pub(crate) fn find_quickly(&self, picture: &Raster) -> Result<Vec<Detection>, ModelError> {
        on_canvas(self.quick.as_ref(), picture, TINY_SIDE, 0.0, 0)
    }

    /// The faces in the two halves of a picture along its longer side. Halves are scaled down less, so a small portrait on a large card is found.
    fn find_in_halves(&self, picture: &Raster) -> Result<Vec<Detection>, ModelError> {
        if picture.longest() <= SSD_SIDE {
            return Ok(Vec::new());
        }
        let size = [picture.width(), picture.height()];
        let longer = usize::from(size[1] > size[0]);
        let mut half = size;
        half[longer] = (size[longer] as f32 * HALF) as usize;
        let mut found = Vec::new();
        for [left, top] in [[0, 0], [size[0] - half[0], size[1] - half[1]]] {
            let Some(part) = picture.crop(left, top, half[0], half[1]) else {
                continue;
            };
            found.extend(self.find_once(&part)?.into_iter().map(|face| Detection {
                left: face.left + left as f32,
                top: face.top + top as f32,
                ..face
            }));
        }
        Ok(suppress(found))
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

    fn detector(thorough: &[&[f32]]) -> Detector {
        let script = |answers: &[&[f32]]| Box::new(Script(Mutex::new(answers.iter().map(|a| a.to_vec()).collect())));
        Detector {
            thorough: script(thorough),
            quick: script(&[]),
        }
    }

    #[test]
    fn a_box_is_placed_in_pixels_of_the_picture() {
        let picture = Raster::filled(1024, 512, [0; 3]);
        let found = detector(&[&[0.9, 0.25, 0.1, 0.5, 0.3]]).find(&picture).unwrap();
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].left, found[0].width), (256.0, 256.0));
        assert!((found[0].top - 102.4).abs() < 0.01);
    }

    #[test]
    fn the_second_look_takes_the_border_off_and_a_box_in_the_border_is_no_face() {
        let picture = Raster::filled(900, 900, [0; 3]);
        // The canvas is 1,620 pixels of the picture wide, the picture begins at about 360.
        let found = detector(&[&[], &[0.9, 0.5, 0.5, 0.6, 0.6, 0.9, 0.0, 0.0, 0.1, 0.1]])
            .find(&picture)
            .unwrap();
        assert_eq!(found.len(), 1);
        assert!((found[0].left - 450.0).abs() < 3.0, "{found:?}");
    }

    #[test]
    fn a_face_is_looked_for_in_each_half_where_it_is_unsure_in_the_whole() {
        let unsure: &[f32] = &[0.4, 0.2, 0.2, 0.4, 0.4];
        // In the left half, and the same face in the right one, whose left edge is at 400.
        let halves: [&[f32]; 2] = [
            &[0.8, 0.7, 0.1, 0.8, 0.2],
            &[0.7, 0.7 - 2.0 / 3.0, 0.1, 0.8 - 2.0 / 3.0, 0.2],
        ];
        let looks = [unsure, &[], &[], &[], halves[0], halves[1]];
        let found = detector(&looks).find(&Raster::filled(1000, 300, [0; 3])).unwrap();
        assert_eq!(found.len(), 1);
        assert!(
            (found[0].left - 420.0).abs() < 1.0 && (found[0].top - 60.0).abs() < 1.0,
            "{found:?}"
        );
        let upright: [&[f32]; 6] = [unsure, &[], &[], &[], &[], &[0.8, 0.1, 0.5, 0.2, 0.6]];
        let found = detector(&upright).find(&Raster::filled(300, 1000, [0; 3])).unwrap();
        assert!((found[0].top - 700.0).abs() < 1.0, "{found:?}");
    }

    #[test]
    fn a_picture_that_is_seen_in_full_size_is_not_looked_at_in_halves() {
        let looks: [&[f32]; 5] = [&[], &[], &[], &[], &[0.9, 0.2, 0.2, 0.4, 0.4]];
        assert!(
            detector(&looks)
                .find(&Raster::filled(400, 400, [0; 3]))
                .unwrap()
                .is_empty()
        );
    }
}
