//! A face reduced to a few grey cells, which tell a picture of a picture from a new picture of the same person.
//!
//! A picture that is printed, photographed, filmed or shown again keeps the details of the moment in which it was taken: shadows, wrinkles, the fall
//! of the hair. They are compared where the two faces overlap, with local brightness and contrast normalised.

use serde::{Deserialize, Serialize};

/// The cells of a face, row by row, its eyes always in the same place. Shows a person: stored encrypted only.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct FaceCrop(Vec<u8>);

/// How one crop is laid over another: turned by radians, scaled, and moved by cells across and down.
type Motion = [f32; 4];

/// The motion that leaves a crop as it is.
const UNMOVED: Motion = [0.0, 1.0, 0.0, 0.0];
/// By how much each part of the best motion so far is changed at first.
const STEPS: Motion = [0.05, 0.06, 1.0, 1.0];
/// How far each part goes at most from [`UNMOVED`]: eyes are found with an error of a few hundredths of their distance.
const FURTHEST: Motion = [0.21, 0.2, 4.0, 4.0];
/// How often the steps are halved, and how often the motion is improved between.
const ROUNDS: usize = 4;
const TRIES: usize = 8;
/// Likeness after a round below which the crops are not of one picture: the rounds that are left improve it by parts of a step.
const HOPELESS: f32 = 0.3;
/// Half the side of the surroundings whose light is taken out, in cells.
const AROUND: usize = 4;
/// Contrast of the surroundings, of 255, below which nothing but noise is left.
const NOISE: f32 = 4.0;

impl FaceCrop {
    /// Columns of cells.
    pub const COLUMNS: usize = 40;
    /// Rows of cells: from the forehead to the chin.
    pub const ROWS: usize = 48;
    /// Distance between the eyes.
    pub const EYES: usize = 16;
    /// The row of the eyes.
    pub const EYE_ROW: usize = 14;

    /// The crop with these cells; `None` if they are too few or too many.
    #[must_use]
    pub fn new(cells: Vec<u8>) -> Option<Self> {
        (cells.len() == Self::COLUMNS * Self::ROWS).then_some(Self(cells))
    }

    /// The crop in a mirror: a picture may be shown so.
    #[must_use]
    pub fn mirrored(&self) -> Self {
        let rows = self.0.chunks(Self::COLUMNS);
        Self(rows.flat_map(|row| row.iter().rev().copied()).collect())
    }

    /// How much the details of two crops are alike, at most 1: their correlation where they fit best.
    #[must_use]
    pub fn likeness(&self, other: &Self) -> f32 {
        let (one, other) = (self.details(), other.details());
        let mut best = Fit {
            likeness: correlation(&one, &other, UNMOVED),
            motion: UNMOVED,
        };
        let mut steps = STEPS;
        for _ in 0..ROUNDS {
            for _ in 0..TRIES {
                let before = best.likeness;
                best = best.improved(&one, &other, steps);
                if best.likeness <= before {
                    break;
                }
            }
            if best.likeness < HOPELESS {
                break;
            }
            steps = steps.map(|step| step / 2.0);
        }
        best.likeness
    }

    /// Each cell against those around it, in units of their contrast.
    fn details(&self) -> Vec<f32> {
        let cell = |column: usize, row: usize| f32::from(self.0[row * Self::COLUMNS + column]);
        let within = |at: usize, count: usize| at.saturating_sub(AROUND)..(at + AROUND + 1).min(count);
        let detail = |column: usize, row: usize| {
            let (mut count, mut sum, mut squares) = (0.0_f32, 0.0_f32, 0.0_f32);
            for row in within(row, Self::ROWS) {
                for column in within(column, Self::COLUMNS) {
                    let value = cell(column, row);
                    (count, sum, squares) = (count + 1.0, sum + value, squares + value * value);
                }
            }
            let mean = sum / count;
            let contrast = (squares / count - mean * mean).max(0.0).sqrt();
            (cell(column, row) - mean) / (contrast + NOISE)
        };
        let places = (0..Self::ROWS).flat_map(|row| (0..Self::COLUMNS).map(move |column| (column, row)));
        places.map(|(column, row)| detail(column, row)).collect()
    }
}

/// A motion, and how alike the details of two crops are with it.
#[derive(Clone, Copy)]
struct Fit {
    likeness: f32,
    motion: Motion,
}

impl Fit {
    /// The best fit after changing one part of the motion after the other by its step, in either direction.
    fn improved(self, one: &[f32], other: &[f32], steps: Motion) -> Self {
        let mut best = self;
        for (part, step) in steps.into_iter().enumerate() {
            for step in [-step, step] {
                let mut motion = best.motion;
                motion[part] += step;
                if (motion[part] - UNMOVED[part]).abs() > FURTHEST[part] {
                    continue;
                }
                let likeness = correlation(one, other, motion);
                if likeness > best.likeness {
                    best = Self { likeness, motion };
                }
            }
        }
        best
    }
}

impl std::fmt::Debug for FaceCrop {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("FaceCrop")
    }
}

impl From<FaceCrop> for String {
    fn from(crop: FaceCrop) -> Self {
        hex::encode(crop.0)
    }
}

impl TryFrom<String> for FaceCrop {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let cells = hex::decode(text).ok();
        cells.and_then(Self::new).ok_or("not the cells of a face")
    }
}

/// The correlation of the details of one crop with those of another that is turned, scaled and moved.
fn correlation(one: &[f32], other: &[f32], [turn, scale, across, down]: Motion) -> f32 {
    let (cos, sin) = (turn.cos() * scale, turn.sin() * scale);
    let (middle_x, middle_y) = (FaceCrop::COLUMNS as f32 / 2.0, FaceCrop::ROWS as f32 / 2.0);
    let mut sums = [0.0_f32; 6];
    for (at, a) in one.iter().enumerate() {
        let (u, v) = (
            (at % FaceCrop::COLUMNS) as f32 - middle_x,
            (at / FaceCrop::COLUMNS) as f32 - middle_y,
        );
        let (x, y) = (
            middle_x + cos * u - sin * v + across,
            middle_y + sin * u + cos * v + down,
        );
        let Some(b) = sample(other, x, y) else { continue };
        let terms = [1.0, *a, b, a * a, b * b, a * b];
        sums.iter_mut().zip(terms).for_each(|(sum, term)| *sum += term);
    }
    let [count, a, b, aa, bb, ab] = sums;
    let spread = (aa - a * a / count) * (bb - b * b / count);
    if spread > 0.0 {
        (ab - a * b / count) / spread.sqrt()
    } else {
        0.0
    }
}

/// The value between four cells; `None` outside of them.
fn sample(values: &[f32], x: f32, y: f32) -> Option<f32> {
    if x < 0.0 || y < 0.0 {
        return None;
    }
    let (column, row) = (x as usize, y as usize);
    if column + 1 >= FaceCrop::COLUMNS || row + 1 >= FaceCrop::ROWS {
        return None;
    }
    let (right, below) = (x - column as f32, y - row as f32);
    let at = row * FaceCrop::COLUMNS + column;
    let along = |at: usize| values[at] * (1.0 - right) + values[at + 1] * right;
    Some(along(at) * (1.0 - below) + along(at + FaceCrop::COLUMNS) * below)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A face-like field of blobs, other ones for each seed, that is turned, scaled and moved, and lit from one side.
    fn crop(seed: u32, [turn, scale, across, down]: [f32; 4], light: f32) -> FaceCrop {
        let mut state = seed.wrapping_mul(2_654_435_761) | 1;
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            (state % 10_000) as f32 / 10_000.0
        };
        let blobs: Vec<[f32; 4]> = (0..60)
            .map(|_| {
                [
                    next() * 56.0 - 8.0,
                    next() * 64.0 - 8.0,
                    1.5 + next() * 2.5,
                    next() * 90.0 - 45.0,
                ]
            })
            .collect();
        let value = |x: f32, y: f32| {
            let blob = |[middle_x, middle_y, width, height]: &[f32; 4]| {
                let far = ((x - middle_x).powi(2) + (y - middle_y).powi(2)) / (2.0 * width * width);
                height * (-far).exp()
            };
            120.0 + blobs.iter().map(blob).sum::<f32>()
        };
        let cells = (0..FaceCrop::ROWS).flat_map(|row| (0..FaceCrop::COLUMNS).map(move |column| (column, row)));
        let cells = cells.map(|(column, row)| {
            let (u, v) = (column as f32 - 20.0, row as f32 - 24.0);
            let x = 20.0 + (u * turn.cos() - v * turn.sin()) * scale + across;
            let y = 24.0 + (u * turn.sin() + v * turn.cos()) * scale + down;
            (value(x, y) * (1.0 - light * column as f32 / 40.0)).clamp(0.0, 255.0) as u8
        });
        FaceCrop::new(cells.collect()).unwrap()
    }

    const STRAIGHT: [f32; 4] = [0.0, 1.0, 0.0, 0.0];

    #[test]
    fn the_same_picture_is_alike_however_it_is_turned_moved_and_lit_and_another_is_not() {
        let picture = crop(1, STRAIGHT, 0.0);
        for motion in [
            STRAIGHT,
            [0.1, 1.0, 1.0, -1.0],
            [-0.06, 1.08, -2.0, 1.5],
            [0.0, 0.92, 0.5, 2.0],
        ] {
            let again = crop(1, motion, 0.4);
            let (there, back) = (picture.likeness(&again), again.likeness(&picture));
            assert!(there > 0.8 && back > 0.8, "{motion:?}: {there} {back}");
        }
        for seed in 2..12 {
            let other = picture.likeness(&crop(seed, STRAIGHT, 0.0));
            assert!(other < 0.6, "{seed}: {other}");
        }
    }

    #[test]
    fn a_picture_in_a_mirror_is_another_one_until_it_is_mirrored_again() {
        let picture = crop(1, STRAIGHT, 0.0);
        assert!(picture.likeness(&picture.mirrored()) < 0.6);
        assert_eq!(picture.mirrored().mirrored(), picture);
    }

    #[test]
    fn an_even_face_is_like_nothing() {
        let even = FaceCrop::new(vec![90; FaceCrop::COLUMNS * FaceCrop::ROWS]).unwrap();
        assert_eq!(even.likeness(&even), 0.0);
        assert_eq!(even.likeness(&crop(3, STRAIGHT, 0.0)), 0.0);
    }

    #[test]
    fn it_is_stored_as_a_text_and_one_of_another_size_is_refused() {
        let stored = serde_json::to_string(&crop(4, STRAIGHT, 0.2)).unwrap();
        assert_eq!(
            serde_json::from_str::<FaceCrop>(&stored).unwrap(),
            crop(4, STRAIGHT, 0.2)
        );
        assert!(serde_json::from_str::<FaceCrop>("\"00ff\"").is_err());
        assert!(serde_json::from_str::<FaceCrop>("\"face\"").is_err());
        assert_eq!(format!("{:?}", crop(4, STRAIGHT, 0.0)), "FaceCrop");
    }
}
