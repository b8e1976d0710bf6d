//! Straight edges of a small plane: their votes, the lines that win, and how much of a stretch lies on edges.

use crate::frame::Plane;
use crate::sharpness;

/// Lines kept for each direction, the two borders not counted.
const KEPT: usize = 9;
/// Slopes that are tried, as tangents from the axis, and how far apart: up to 22 degrees.
const STEEPEST: f32 = 0.4;
const SLOPES: usize = 33;
/// A gradient below this many luma steps is noise, whatever is measured.
const LEAST_GRADIENT: f32 = 5.0;
/// Beyond this a gradient votes no louder, so that black print does not outvote a pale card's edge.
const LOUDEST: f32 = 28.0;

/// A line `along = offset + slope * t`: for a near-horizontal one `t` is x and `along` is y, for a near-vertical one the other way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Line {
    offset: f32,
    slope: f32,
    /// The picture's own border.
    pub(crate) border: bool,
}

impl Line {
    /// Where it stands in the middle of the picture.
    pub(crate) fn middle(&self, length: f32) -> f32 {
        self.offset + self.slope * length / 2.0
    }

    /// Where a near-horizontal and a near-vertical line meet.
    pub(crate) fn crossing(level: &Self, upright: &Self) -> [f32; 2] {
        // y = o + s·x and x = p + r·y
        let x = (upright.offset + upright.slope * level.offset) / (1.0 - upright.slope * level.slope);
        [x, level.offset + level.slope * x]
    }
}

/// Thin edges of a plane: those of luma steps downwards (rows) and those of steps across (columns).
pub(crate) struct Edges {
    pub(crate) width: usize,
    pub(crate) height: usize,
    /// Strength of the step from above to below, 0 where there is no local maximum.
    level: Vec<f32>,
    /// Strength of the step from left to right.
    upright: Vec<f32>,
}

impl Edges {
    pub(crate) fn of(plane: &Plane) -> Self {
        let (w, h) = (plane.width, plane.height);
        let least = LEAST_GRADIENT.max(sharpness::noise(plane, plane.area()) * 2.5);
        let (mut across, mut down) = (vec![0.0_f32; w * h], vec![0.0_f32; w * h]);
        for y in 1..h - 1 {
            for x in 1..w - 1 {
                let v = |dx: usize, dy: usize| f32::from(plane.values[(y + dy - 1) * w + x + dx - 1]);
                across[y * w + x] = (v(2, 0) + 2.0 * v(2, 1) + v(2, 2) - v(0, 0) - 2.0 * v(0, 1) - v(0, 2)) / 4.0;
                down[y * w + x] = (v(0, 2) + 2.0 * v(1, 2) + v(2, 2) - v(0, 0) - 2.0 * v(1, 0) - v(2, 0)) / 4.0;
            }
        }
        let (mut level, mut upright) = (vec![0.0; w * h], vec![0.0; w * h]);
        for y in 1..h - 1 {
            for x in 1..w - 1 {
                let i = y * w + x;
                let (a, d) = (across[i].abs(), down[i].abs());
                if d >= least && d >= a * 0.8 && d >= down[i - w].abs() && d > down[i + w].abs() {
                    level[i] = d.min(LOUDEST);
                }
                if a >= least && a >= d * 0.8 && a >= across[i - 1].abs() && a > across[i + 1].abs() {
                    upright[i] = a.min(LOUDEST);
                }
            }
        }
        Self {
            width: w,
            height: h,
            level,
            upright,
        }
    }

    /// The share of the stretch from `a` to `b`, between two fractions of it, that has an edge within a pixel.
    pub(crate) fn support(&self, a: [f32; 2], b: [f32; 2], span: (f32, f32), horizontal: bool) -> f32 {
        let length = (b[0] - a[0]).hypot(b[1] - a[1]) * (span.1 - span.0);
        let steps = (length as usize).max(4);
        let plane = if horizontal { &self.level } else { &self.upright };
        let hits = (0..steps)
            .filter(|&i| {
                let t = span.0 + (span.1 - span.0) * (i as f32 + 0.5) / steps as f32;
                let (x, y) = (a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t);
                let (x, y) = (x.round() as isize, y.round() as isize);
                (-1..=1).any(|d| {
                    let (x, y) = if horizontal { (x, y + d) } else { (x + d, y) };
                    let inside = x >= 0 && y >= 0 && x < self.width as isize && y < self.height as isize;
                    inside && plane[y as usize * self.width + x as usize] > 0.0
                })
            })
            .count();
        hits as f32 / steps as f32
    }
}

/// The strongest near-horizontal lines, and the picture's top and bottom.
pub(crate) fn near_horizontal(edges: &Edges) -> Vec<Line> {
    let points = points(&edges.level, edges.width);
    strongest(points, edges.width, edges.height)
}

/// The strongest near-vertical lines, and the picture's left and right.
pub(crate) fn near_vertical(edges: &Edges) -> Vec<Line> {
    let points = points(&edges.upright, edges.width).map(|(x, y, v)| (y, x, v));
    strongest(points, edges.height, edges.width)
}

fn points(plane: &[f32], width: usize) -> impl Iterator<Item = (usize, usize, f32)> {
    plane
        .iter()
        .enumerate()
        .filter(|(_, v)| **v > 0.0)
        .map(move |(i, &v)| (i % width, i / width, v))
}

/// Votes of the points `(t, along, strength)` over slope and offset; the peaks, each clearing its surroundings.
fn strongest(points: impl Iterator<Item = (usize, usize, f32)>, length: usize, depth: usize) -> Vec<Line> {
    let middle = length as f32 / 2.0;
    let slope_of = |s: usize| STEEPEST * (s as f32 / (SLOPES - 1) as f32 * 2.0 - 1.0);
    let mut votes = vec![0.0_f32; SLOPES * depth];
    for (t, along, strength) in points {
        for (s, row) in votes.chunks_exact_mut(depth).enumerate() {
            let offset = along as f32 - slope_of(s) * (t as f32 - middle);
            let bin = offset.round();
            if bin >= 0.0 && bin < depth as f32 {
                row[bin as usize] += strength;
            }
        }
    }
    let mut lines = Vec::with_capacity(KEPT + 2);
    let least = LEAST_GRADIENT * 0.12 * length as f32;
    while lines.len() < KEPT {
        let Some((peak, &votes_there)) = votes.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1)) else {
            break;
        };
        if votes_there < least {
            break;
        }
        let (s, bin) = (peak / depth, peak % depth);
        let slope = slope_of(s);
        lines.push(Line {
            offset: bin as f32 - slope * middle,
            slope,
            border: false,
        });
        // Other slopes through nearly the same place are the same line seen again.
        for (other, row) in votes.chunks_exact_mut(depth).enumerate() {
            if other.abs_diff(s) <= 4 {
                let reach = 3 + other.abs_diff(s);
                row[bin.saturating_sub(reach)..(bin + reach + 1).min(depth)].fill(0.0);
            }
        }
    }
    for offset in [0.0, depth as f32 - 1.0] {
        lines.push(Line {
            offset,
            slope: 0.0,
            border: true,
        });
    }
    lines
}
