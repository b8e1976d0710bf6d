//! Whether something covers the eyes, or mouth and chin: a mask, a hand, dark glasses. Uncovered eyes are darker in the middle than the
//! lids around them, and lips are redder than the skin and parted by a dark line; a cover is flat, has another colour, or has other
//! stripes.
//!
//! Two logistic functions of a few such numbers, fitted to 121 photographs of 16 people and to the same photographs with covers drawn over them.
//! docs/decisions/0016 says what they detect and what they miss.

use crate::face::Shape;
use crate::face::geometry::{DLIB5, Similarity, edges};
use crate::nn::sigmoid;
use crate::raster::Raster;
use crate::statistics::{median, quantile};
use lens::geometry::distance;

/// Side of the upright face that is looked at, in pixels.
const SIDE: usize = 128;
/// Pixels to the unit of dlib's places and of the parts below.
const UNIT: f32 = 80.0;
/// What the upright face shows above and left of the origin, in units.
const MARGIN: f32 = 0.3;

/// A part of the upright face: left, top, right, bottom in units.
type Part = [f32; 4];
const EYES: [Part; 2] = [[0.08, 0.13, 0.38, 0.32], [0.61, 0.13, 0.90, 0.32]];
const CHEEKS: [Part; 2] = [[0.05, 0.42, 0.28, 0.62], [0.70, 0.42, 0.93, 0.62]];
const BROW: Part = [0.42, 0.10, 0.56, 0.30];
const NOSE: Part = [0.38, 0.40, 0.60, 0.60];
const MOUTH: Part = [0.28, 0.72, 0.70, 0.92];

/// The fitted functions: what stands alone, then a weight for each number.
const COVERED_EYES: (f32, [f32; 8]) = (0.304, [-2.551, 18.307, 2.108, 2.403, 8.004, 0.534, 6.175, 1.254]);
const COVERED_MOUTH: (f32, [f32; 10]) = (
    8.078,
    [
        7.451, 3.905, -9.061, 50.606, -82.109, -20.752, -5.215, 3.239, 0.902, 3.798,
    ],
);

/// How likely something covers the eyes, and mouth and chin, each 0 to 1.
pub(crate) fn covered(picture: &Raster, shape: &Shape) -> [f32; 2] {
    let face = Upright::of(picture, shape);
    let eyes = [0, 1].map(|side| eye(&face.part(EYES[side]), &face.part(CHEEKS[side])));
    let both: [f32; 5] = std::array::from_fn(|index| f32::midpoint(eyes[0][index], eyes[1][index]));
    let mouth = mouth(&face.part(MOUTH), &face.part(NOSE), &face.part(BROW));
    [likelihood(COVERED_EYES, &both), likelihood(COVERED_MOUTH, &mouth)]
}

/// The numbers of an eye: brightness next to the cheek, how dark its darkest part is, how much detail it has and which way it runs, and
/// how its colour differs from the cheek's.
fn eye(eye: &Appearance, cheek: &Appearance) -> [f32; 5] {
    [
        (eye.luma / cheek.luma).ln(),
        eye.depth(),
        eye.detail(),
        eye.direction(),
        eye.colour_to(cheek),
    ]
}

/// The numbers of a mouth: as of an eye, and its colour next to the brow's and the nose's, redness apart.
fn mouth(mouth: &Appearance, nose: &Appearance, brow: &Appearance) -> [f32; 7] {
    [
        mouth.depth(),
        mouth.detail(),
        mouth.direction(),
        brow.colour_to(mouth),
        mouth.colour_to(nose),
        mouth.chroma[0] - brow.chroma[0],
        mouth.chroma[0] - nose.chroma[0],
    ]
}

/// The logistic function of the numbers and the squares of the first three.
fn likelihood<const N: usize>((alone, weights): (f32, [f32; N]), numbers: &[f32]) -> f32 {
    let squares = numbers.iter().take(3).map(|number| number * number);
    let all = numbers.iter().copied().chain(squares);
    let sum: f32 = all.zip(weights).map(|(number, weight)| number * weight).sum();
    sigmoid(alone + sum)
}

/// A face turned upright and brought to one size.
struct Upright(Vec<f32>);

/// What a part of it looks like.
struct Appearance {
    /// Median brightness, 4 to 255.
    luma: f32,
    /// The brightness that one pixel in twenty is below.
    dark: f32,
    /// Shares of red and green in the median colour.
    chroma: [f32; 2],
    /// Mean difference of neighbours across and down.
    change: [f32; 2],
}

impl Upright {
    fn of(picture: &Raster, shape: &Shape) -> Self {
        let from = DLIB5.map(|(_, place)| place.map(|v| (v + MARGIN) * UNIT));
        let to = DLIB5.map(|(landmark, _)| shape.points()[landmark]);
        Self(Similarity::fit(&from, &to).chip(picture, SIDE, edges(picture)).data)
    }

    fn luma(&self, x: usize, y: usize) -> f32 {
        let [r, g, b] = [0, 1, 2].map(|channel| self.0[(y * SIDE + x) * 3 + channel]);
        brightness([r, g, b])
    }

    fn part(&self, part: Part) -> Appearance {
        let [left, top, right, bottom] = part.map(|v| ((v + MARGIN) * UNIT) as usize);
        let places = (top..bottom.min(SIDE - 2)).flat_map(|y| (left..right.min(SIDE - 2)).map(move |x| (x, y)));
        let (mut channels, mut lumas, mut change) = ([const { Vec::new() }; 3], Vec::new(), [0.0_f32; 2]);
        for (x, y) in places {
            for (channel, values) in channels.iter_mut().enumerate() {
                values.push(self.0[(y * SIDE + x) * 3 + channel]);
            }
            let luma = self.luma(x, y);
            lumas.push(luma);
            change[0] += (self.luma(x + 1, y) - luma).abs();
            change[1] += (self.luma(x, y + 1) - luma).abs();
        }
        let count = lumas.len().max(1) as f32;
        let colour = channels.map(|values| median(values).unwrap_or_default());
        let sum = colour.iter().sum::<f32>() + 1.0;
        Appearance {
            luma: brightness(colour).max(4.0),
            dark: quantile(lumas, [1, 20]).unwrap_or_default(),
            chroma: [colour[0] / sum, colour[1] / sum],
            change: change.map(|sum| sum / count),
        }
    }
}

impl Appearance {
    fn depth(&self) -> f32 {
        ((self.dark + 4.0) / (self.luma + 4.0)).ln()
    }

    fn detail(&self) -> f32 {
        ((self.change[0] + self.change[1] + 1.0) / self.luma).ln()
    }

    fn direction(&self) -> f32 {
        ((self.change[1] + 0.5) / (self.change[0] + 0.5)).ln()
    }

    fn colour_to(&self, other: &Self) -> f32 {
        distance(self.chroma, other.chroma)
    }
}

/// BT.601 luma.
fn brightness([r, g, b]: [f32; 3]) -> f32 {
    0.299 * r + 0.587 * g + 0.114 * b
}
