//! How crisp the edges are: the width of luma steps, measured along rows and along columns.
//!
//! Unlike the variance of a Laplacian, a width does not depend on contrast or brightness, and hardly on what is in the
//! picture. Rows and columns are measured separately and the worse one counts, since camera motion blurs only one
//! direction.

use crate::frame::{Area, Plane};

/// A step this narrow, in pixels of the analysed plane, is crisp. Measured on generated cards: clean ones stay under 2.1, noise
/// included; cards moved by 13 pixels or blurred by 3.2 start at 3.5. Sharpness 0.3, the limit, is a width of 2.65.
const CRISP_WIDTH: f32 = 1.45;
/// What is looked at, which decides the steps that count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Subject {
    /// Print on a card: hard steps of nearly the full contrast.
    Print,
    /// A face: soft by nature, so fainter steps count and a width weighs less.
    Face,
}

impl Subject {
    /// The share of the picture's contrast that a step must have: smeared print keeps faint ripples that look crisp.
    const fn least_contrast(self) -> f32 {
        match self {
            Self::Print => 0.45,
            Self::Face => 0.25,
        }
    }

    /// From the width of its steps.
    fn crispness(self, width: f32) -> f32 {
        let ratio = (CRISP_WIDTH / width).min(1.0);
        match self {
            Self::Print => ratio * ratio,
            // The figures of a face that recognition still knows well: 0.2 is a step of 12 pixels.
            Self::Face => ratio.sqrt() * ratio.sqrt().sqrt(),
        }
    }
}
/// The share of steps that are narrower than the one that counts: a card has soft things (portrait, guilloche) on it as well.
const QUANTILE: f32 = 0.3;
/// Fewer steps than this along one direction say nothing about it.
const MIN_STEPS: u32 = 40;
/// A step is followed at most this far to either side.
const REACH: usize = 16;
/// How many standard deviations of the noise that is left a step must rise.
const LEAST_OVER_NOISE: f32 = 6.0;
/// How many levels of luma a step must rise at least, however little noise and contrast there is.
const LEAST_RISE: f32 = 8.0;
/// How many standard deviations of the noise that is left the luma may go back within a step.
const SLACK: f32 = 1.5;
/// Noise from which the plane is smoothed once, as a standard deviation in levels of luma.
const SMOOTHED_ONCE: f32 = 2.5;
/// The same, from which it is smoothed twice.
const SMOOTHED_TWICE: f32 = 7.0;
/// Histogram of widths in sixteenths of a pixel.
const BINS: usize = 16 * 64;

/// 0 (smeared, or nothing to see) to 1 (every edge crisp), within the area.
pub(crate) fn measure(plane: &Plane, area: Area, subject: Subject) -> f32 {
    let noise = noise(plane, area);
    let calm = calmed(plane, area, noise);
    let range = f32::from(spread(&calm));
    // A step must stand out of the noise and be a fair part of the picture's own contrast.
    let least = (noise_after(noise) * LEAST_OVER_NOISE)
        .max(range * subject.least_contrast())
        .max(LEAST_RISE) as i32;
    let slack = (noise_after(noise) * SLACK) as i32;
    let across = widths(&calm, least, slack);
    let down = widths(&calm.transposed(), least, slack);
    match (quantile(&across), quantile(&down)) {
        (Some(a), Some(b)) => subject.crispness(a.max(b)),
        // One direction without steps (a page of lines) is judged by the other; neither is a smear or a blank.
        (Some(w), None) | (None, Some(w)) => subject.crispness(w),
        (None, None) => 0.0,
    }
}

/// Standard deviation of the noise (Immerkær's mask, by the median so that text does not count as noise).
pub(crate) fn noise(plane: &Plane, area: Area) -> f32 {
    let mut histogram = [0_u32; 256];
    let w = plane.width;
    for y in (area.top + 1..area.bottom.saturating_sub(1)).step_by(2) {
        let [above, row, below] = [y - 1, y, y + 1].map(|y| &plane.values[y * w..(y + 1) * w]);
        for x in area.left + 1..area.right.saturating_sub(1) {
            let v = |r: &[u8], x: usize| i32::from(r[x]);
            let corners = v(above, x - 1) + v(above, x + 1) + v(below, x - 1) + v(below, x + 1);
            let edges = v(above, x) + v(below, x) + v(row, x - 1) + v(row, x + 1);
            let mask = (corners - 2 * edges + 4 * v(row, x)).unsigned_abs();
            histogram[mask.min(255) as usize] += 1;
        }
    }
    // 6 is the mask's norm, 0.6745 the median of |N(0,1)|; half a step is taken off for the rounding to whole values.
    let median = bin_at(&histogram, 0.5).unwrap_or(0);
    ((median as f32 - 0.5) / (6.0 * 0.6745)).max(0.0)
}

/// The first bin of a histogram up to which this share of it lies.
fn bin_at(histogram: &[u32], share: f32) -> Option<usize> {
    let count: u32 = histogram.iter().sum();
    let mut seen = 0;
    histogram.iter().position(|&n| {
        seen += n;
        seen as f32 >= share * count as f32
    })
}

/// What is left of the noise once the plane is calmed: one binomial pass keeps 0.375, two 0.27 (norms of the masks).
fn noise_after(noise: f32) -> f32 {
    match passes(noise) {
        0 => noise,
        1 => noise * 0.375,
        _ => noise * 0.27,
    }
}

/// Smoothing widens a step, so only as much of it as the noise asks for.
fn passes(noise: f32) -> usize {
    if noise < SMOOTHED_ONCE {
        0
    } else if noise < SMOOTHED_TWICE {
        1
    } else {
        2
    }
}

fn calmed(plane: &Plane, area: Area, noise: f32) -> Plane {
    let values = rows(plane, area).flatten().copied().collect();
    let mut calm = Plane {
        width: area.right - area.left,
        height: area.bottom - area.top,
        values,
    };
    for _ in 0..passes(noise) {
        calm = binomial_rows(&calm).transposed();
        calm = binomial_rows(&calm).transposed();
    }
    calm
}

fn binomial_rows(plane: &Plane) -> Plane {
    let mut values = plane.values.clone();
    for (out, row) in values
        .chunks_exact_mut(plane.width)
        .zip(plane.values.chunks_exact(plane.width))
    {
        for (o, w) in out.iter_mut().skip(1).zip(row.windows(3)) {
            *o = ((u16::from(w[0]) + 2 * u16::from(w[1]) + u16::from(w[2]) + 2) / 4) as u8;
        }
    }
    Plane {
        width: plane.width,
        height: plane.height,
        values,
    }
}

impl Plane {
    /// Columns become rows.
    pub(crate) fn transposed(&self) -> Self {
        let mut values = vec![0; self.values.len()];
        for (y, row) in self.values.chunks_exact(self.width).enumerate() {
            for (x, &v) in row.iter().enumerate() {
                values[x * self.height + y] = v;
            }
        }
        Self {
            width: self.height,
            height: self.width,
            values,
        }
    }
}

/// Difference between the luma below which 99 % and below which 1 % of the pixels lie.
fn spread(plane: &Plane) -> u8 {
    let mut histogram = [0_u32; 256];
    for &v in &plane.values {
        histogram[usize::from(v)] += 1;
    }
    let (low, high) = (
        bin_at(&histogram, 0.01).unwrap_or(0),
        bin_at(&histogram, 0.99).unwrap_or(255),
    );
    high.saturating_sub(low).min(255) as u8
}

/// Histogram of the widths of the steps along the rows: contrast over the steepest slope.
fn widths(plane: &Plane, least: i32, slack: i32) -> [u32; BINS] {
    let mut histogram = [0; BINS];
    // A slope this shallow cannot belong to a step of the least contrast within the reach.
    let least_slope = (least / (REACH as i32)).max(2);
    for row in plane.values.chunks_exact(plane.width) {
        let slope = |x: usize| i32::from(row[x + 1]) - i32::from(row[x]);
        let mut x = 1;
        while x + 2 < row.len() {
            let here = slope(x);
            if here.abs() < least_slope
                || here.abs() < (slope(x - 1) * here.signum())
                || here.abs() <= (slope(x + 1) * here.signum())
            {
                x += 1;
                continue;
            }
            let (contrast, end) = step_at(row, x, here.signum(), slack);
            if contrast >= least {
                let width = contrast * 16 / here.abs();
                histogram[(width as usize).min(BINS - 1)] += 1;
                x = end.max(x + 1);
            } else {
                x += 1;
            }
        }
    }
    histogram
}

/// The contrast of the step whose steepest slope lies between `x` and `x + 1`, and where it ends.
fn step_at(row: &[u8], x: usize, sign: i32, slack: i32) -> (i32, usize) {
    let value = |x: usize| i32::from(row[x]) * sign;
    let (mut low, mut high, mut end) = (value(x), value(x + 1), x + 1);
    for i in (x.saturating_sub(REACH)..x).rev() {
        if value(i) > low + slack {
            break;
        }
        low = low.min(value(i));
    }
    for i in x + 2..(x + 2 + REACH).min(row.len()) {
        if value(i) < high - slack {
            break;
        }
        if value(i) > high {
            (high, end) = (value(i), i);
        }
    }
    (high - low, end)
}

/// The width in pixels that the given share of the steps stays under.
fn quantile(histogram: &[u32; BINS]) -> Option<f32> {
    let count: u32 = histogram.iter().sum();
    if count < MIN_STEPS {
        return None;
    }
    let bin = bin_at(histogram, QUANTILE)?;
    Some(bin.max(1) as f32 / 16.0)
}

/// An area cut to the plane it is looked at in; keeps the signature of the measures small.
fn rows(plane: &Plane, area: Area) -> impl Iterator<Item = &[u8]> {
    (area.top..area.bottom).map(move |y| &plane.values[y * plane.width + area.left..y * plane.width + area.right])
}
