//! Describes a picture so that it can be recognised again: corners (Shi and Tomasi 1994), the direction of each (intensity centroid,
//! Rosin 1999) and 256 comparisons around it turned by that direction (BRIEF, Calonder 2010), as in ORB (Rublee 2011). Comparing two
//! such descriptions is `domain::likeness`.

use crate::raster::Raster;
use domain::likeness::{Corner, LONGEST, Likeness};

/// Each level is smaller than the one before by this factor, so that a cropped picture finds its corners on another level.
const LEVEL: f32 = 1.25;
/// Corners kept on each level: a smaller picture has fewer.
const KEPT: [usize; 5] = [48, 40, 32, 24, 16];
/// Cells along each side of which every one keeps its share, so that a block of text does not take all the corners.
const CELLS: usize = 6;
/// Half the side of the window whose gradients make a corner.
const WINDOW: usize = 2;
/// Two corners of one level are at least this far apart.
const APART: usize = 5;
/// Half the side of the patch a corner is described by, and what is left free at the edges: its diagonal.
const PATCH: f32 = 15.0;
const MARGIN: usize = 23;
/// Corners weaker than this, as a share of the strongest, are noise.
const WEAKEST: f32 = 0.002;

/// The description of a picture, whatever its size; without corners where the picture is blank.
pub(crate) fn describe(picture: &Raster) -> Likeness {
    let scale = LONGEST as f32 / picture.longest() as f32;
    let scaled = |length: usize, by: f32| (length as f32 * by).round() as usize;
    let base = picture.resized(scaled(picture.width(), scale), scaled(picture.height(), scale));
    let pairs = pairs();
    let mut corners = Vec::new();
    for (index, kept) in KEPT.into_iter().enumerate() {
        let shrink = LEVEL.powi(i32::try_from(index).unwrap_or_default());
        let small = base.resized(scaled(base.width(), 1.0 / shrink), scaled(base.height(), 1.0 / shrink));
        let plane = Plane::smoothed(&small);
        for (x, y) in strongest(&plane, kept) {
            corners.push(described(&plane, x, y, shrink, &pairs));
        }
    }
    Likeness { corners }
}

/// A level's luma, averaged over five by five pixels so that noise and compression decide no comparison.
struct Plane {
    width: usize,
    height: usize,
    values: Vec<f32>,
}

impl Plane {
    fn smoothed(picture: &Raster) -> Self {
        let (width, height) = (picture.width(), picture.height());
        let sharp: Vec<f32> = picture.luma().into_iter().map(f32::from).collect();
        let mean = |values: &[f32], step: usize, at: usize, from: usize, length: usize| {
            let (low, high) = (at.saturating_sub(2), (at + 2).min(length - 1));
            (low..=high).map(|i| values[from + i * step]).sum::<f32>() / (high - low + 1) as f32
        };
        let mut across = Vec::with_capacity(sharp.len());
        for y in 0..height {
            across.extend((0..width).map(|x| mean(&sharp, 1, x, y * width, width)));
        }
        let mut values = Vec::with_capacity(sharp.len());
        for y in 0..height {
            values.extend((0..width).map(|x| mean(&across, width, y, x, height)));
        }
        Self { width, height, values }
    }

    fn at(&self, x: usize, y: usize) -> f32 {
        self.values[y * self.width + x]
    }

    /// How much of a corner is at each place: the smaller eigenvalue of the gradients' covariance in the window around it, large only
    /// where they point two ways. 0 at the edges.
    fn cornerness(&self) -> Vec<f32> {
        let mut products = [(); 3].map(|()| vec![0.0_f32; self.values.len()]);
        for y in 1..self.height - 1 {
            for x in 1..self.width - 1 {
                let dx = self.at(x + 1, y) - self.at(x - 1, y);
                let dy = self.at(x, y + 1) - self.at(x, y - 1);
                let at = y * self.width + x;
                (products[0][at], products[1][at], products[2][at]) = (dx * dx, dx * dy, dy * dy);
            }
        }
        let [xx, xy, yy] = products.map(|values| window_sums(&values, self.width));
        let smaller = |((xx, xy), yy): ((f32, f32), f32)| f32::midpoint(xx, yy) - ((xx - yy) / 2.0).hypot(xy);
        xx.into_iter().zip(xy).zip(yy).map(smaller).collect()
    }
}

/// Sums over the window around each place of rows `width` long, first along the rows, then down; 0 where the window does not fit.
fn window_sums(values: &[f32], width: usize) -> Vec<f32> {
    let mut across = vec![0.0; values.len()];
    for (row, sums) in values.chunks_exact(width).zip(across.chunks_exact_mut(width)) {
        for (window, sum) in row.windows(2 * WINDOW + 1).zip(&mut sums[WINDOW..]) {
            *sum = window.iter().sum();
        }
    }
    let mut both = vec![0.0; values.len()];
    let height = values.len() / width;
    for y in WINDOW..height.saturating_sub(WINDOW) {
        let sums = &mut both[y * width..(y + 1) * width];
        for row in across[(y - WINDOW) * width..(y + WINDOW + 1) * width].chunks_exact(width) {
            sums.iter_mut().zip(row).for_each(|(sum, value)| *sum += value);
        }
    }
    both
}

/// The places with the most of a corner, each cell of the picture its share.
fn strongest(plane: &Plane, kept: usize) -> Vec<(usize, usize)> {
    if plane.width <= 2 * MARGIN || plane.height <= 2 * MARGIN {
        return Vec::new();
    }
    let (columns, rows) = (plane.width - 2 * MARGIN, plane.height - 2 * MARGIN);
    let cornerness = plane.cornerness();
    let places = || (MARGIN..MARGIN + rows).flat_map(|y| (MARGIN..MARGIN + columns).map(move |x| (x, y)));
    let value = |(x, y): (usize, usize)| cornerness[y * plane.width + x];
    let least = (places().map(value).fold(0.0, f32::max) * WEAKEST).max(1.0);
    let mut found: Vec<(f32, usize, usize)> = places()
        .map(|place| (value(place), place.0, place.1))
        .filter(|(value, ..)| *value >= least)
        .collect();
    found.sort_by(|a, b| b.0.total_cmp(&a.0));
    let share = (kept * 2).div_ceil(CELLS * CELLS).max(2);
    let mut room = vec![share; CELLS * CELLS];
    let mut chosen: Vec<(usize, usize)> = Vec::with_capacity(kept);
    for (_, x, y) in found {
        let cell = (y - MARGIN) * CELLS / rows * CELLS + (x - MARGIN) * CELLS / columns;
        let apart = chosen
            .iter()
            .all(|(u, v)| x.abs_diff(*u) >= APART || y.abs_diff(*v) >= APART);
        if room[cell] > 0 && apart {
            room[cell] -= 1;
            chosen.push((x, y));
            if chosen.len() == kept {
                break;
            }
        }
    }
    chosen
}

fn described(plane: &Plane, x: usize, y: usize, shrink: f32, pairs: &[[f32; 4]]) -> Corner {
    let direction = direction(plane, x, y);
    let (sin, cos) = direction.sin_cos();
    let value = |dx: f32, dy: f32| {
        let place = |centre: usize, offset: f32, length: usize| {
            (centre as f32 + offset).round().clamp(0.0, (length - 1) as f32) as usize
        };
        plane.at(
            place(x, cos * dx - sin * dy, plane.width),
            place(y, sin * dx + cos * dy, plane.height),
        )
    };
    let mut bits = [0_u64; 4];
    for (index, [ax, ay, bx, by]) in pairs.iter().enumerate() {
        if value(*ax, *ay) < value(*bx, *by) {
            bits[index / 64] |= 1 << (index % 64);
        }
    }
    Corner {
        x: x as f32 * shrink,
        y: y as f32 * shrink,
        scale: shrink,
        direction,
        bits,
    }
}

/// Where the centroid of the brightness within the patch lies, as an angle.
fn direction(plane: &Plane, x: usize, y: usize) -> f32 {
    let radius = PATCH as usize;
    let (mut along, mut down) = (0.0, 0.0);
    for v in 0..=2 * radius {
        for u in 0..=2 * radius {
            let (dx, dy) = (u as f32 - PATCH, v as f32 - PATCH);
            if dx.hypot(dy) <= PATCH {
                let value = plane.at(x + u - radius, y + v - radius);
                along += dx * value;
                down += dy * value;
            }
        }
    }
    down.atan2(along)
}

/// The 256 pairs of places to compare, spread like a bell over the patch. A fixed sequence: descriptions of years ago still compare.
fn pairs() -> Vec<[f32; 4]> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut uniform = || {
        // xorshift64 (Marsaglia 2003).
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 40) as f32 / (1 << 24) as f32
    };
    let mut offset = || {
        // The mean of four uniform numbers is close enough to a bell.
        let sum = uniform() + uniform() + uniform() + uniform();
        (sum - 2.0) / 2.0 * PATCH
    };
    (0..256).map(|_| std::array::from_fn(|_| offset())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A page of dark rectangles whose places follow from `seed`.
    fn page(seed: u64) -> Raster {
        let mut picture = Raster::filled(860, 540, [225, 222, 214]);
        let mut state = seed;
        let mut below = |limit: usize| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % limit
        };
        for _ in 0..140 {
            let shade = below(150) as u8;
            let ink = Raster::filled(6 + below(60), 5 + below(22), [shade, shade, shade / 2]);
            picture.paste(&ink, below(790), below(510));
        }
        picture
    }

    fn brighter(picture: &Raster, by: u8) -> Raster {
        let pixels = picture.pixels().iter().map(|v| v.saturating_add(by)).collect();
        Raster::new(picture.width(), picture.height(), pixels).unwrap()
    }

    /// Turned about its centre by some degrees, as a hand holds a phone.
    fn tilted(picture: &Raster, degrees: f32) -> Raster {
        let (sin, cos) = degrees.to_radians().sin_cos();
        let (cx, cy) = (picture.width() as f32 / 2.0, picture.height() as f32 / 2.0);
        let mut pixels = Vec::new();
        for y in 0..picture.height() {
            for x in 0..picture.width() {
                let (dx, dy) = (x as f32 - cx, y as f32 - cy);
                let found = picture.sample(cx + cos * dx + sin * dy, cy - sin * dx + cos * dy);
                pixels.extend(found.map(|v| v as u8));
            }
        }
        Raster::new(picture.width(), picture.height(), pixels).unwrap()
    }

    #[test]
    fn a_picture_stays_itself_however_it_is_edited_and_is_like_no_other() {
        let original = page(1);
        let known = describe(&original);
        assert!(known.corners.len() > 100);
        let edited = [
            ("the same", original.clone()),
            ("smaller", original.resized(600, 377)),
            ("brighter", brighter(&original, 18)),
            ("cropped", original.crop(60, 40, 700, 440).unwrap()),
            ("turned a little", tilted(&original, 6.0)),
            ("upside down", original.turned(2)),
            (
                "all of it",
                tilted(&brighter(&original.crop(40, 30, 760, 480).unwrap(), 12), -4.0),
            ),
        ];
        for (edit, picture) in edited {
            let share = known.shared_with(&describe(&picture));
            assert!(share > 0.15, "{edit}: {share}");
        }
        for seed in 2..8 {
            let share = known.shared_with(&describe(&page(seed)));
            assert!(share < 0.06, "page {seed}: {share}");
        }
    }

    #[test]
    fn a_blank_or_tiny_picture_has_no_corners() {
        for picture in [
            Raster::filled(800, 500, [255, 255, 255]),
            Raster::filled(3, 2000, [9, 9, 9]),
        ] {
            assert!(describe(&picture).corners.is_empty());
        }
    }
}
