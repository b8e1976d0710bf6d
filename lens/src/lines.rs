//! Straight edges of a small plane: the votes for lines (Hough), the lines that win, and how much of a segment lies on edges.

use crate::frame::Plane;
use crate::geometry::{bounds, distance};
use crate::sharpness;

/// Slopes that are tried, as tangents from the axis, and how far apart: up to 48 degrees, so that the near-horizontal and the
/// near-vertical lines together are lines of any turn.
const STEEPEST: f32 = 1.1;
const SLOPES: usize = 89;
/// A point votes for this many slopes to either side of its own.
const UNSURE: isize = 4;
/// A gradient below this many luma steps is noise, whatever is measured.
const LEAST_GRADIENT: f32 = 5.0;
/// A gradient below this many standard deviations of the measured noise is noise as well.
const ABOVE_NOISE: f32 = 2.5;
/// Of an edge near an axis the gradient across that axis is at least this share of the one along it: up to 51 degrees, a little more than
/// the slopes that are tried.
const ACROSS: f32 = 0.8;
/// Beyond this a gradient votes no louder, so that black print does not outvote a pale card's edge.
const LOUDEST: f32 = 28.0;
/// How far around a card its sides' own edges count as its own, in pixels.
const SIDES: f32 = 3.0;
/// Weight of a place, in luma steps, below which a card has no edges at all: nothing is divided by less.
const LEAST_WEIGHT: f32 = 1e-6;
/// Places of a stretch that are looked at, at least.
const LEAST_PLACES: usize = 4;
/// A line must have the votes of the faintest edge over this share of the picture.
const LEAST_LENGTH: f32 = 0.12;
/// Lines whose slopes are up to this many tried ones apart are the same line seen again, where they pass within this many pixels, and one
/// more for each slope.
const SAME_SLOPE: usize = 4;
const SAME_PLACE: usize = 3;

/// A line `along = offset + slope * t`: for a near-horizontal one `t` is x and `along` is y, for a near-vertical one the other way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Line {
    offset: f32,
    slope: f32,
    /// The picture's own border.
    pub(crate) border: bool,
}

impl Line {
    /// The tangent of the angle to a line of the same axis, by the addition theorem: trigonometric functions would be 6 KB of what a phone
    /// loads. Beyond a right angle, which the steepest lines may be apart, it is negative and large.
    pub(crate) fn divergence(&self, other: &Self) -> f32 {
        ((self.slope - other.slope) / (1.0 + self.slope * other.slope)).abs()
    }

    /// The sine of how far the angle to a line of the other axis is from a right one.
    pub(crate) fn skew(&self, other: &Self) -> f32 {
        let steepness = |line: &Self| 1.0 + line.slope * line.slope;
        ((self.slope + other.slope) / (steepness(self) * steepness(other)).sqrt()).abs()
    }

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
    level_points: Vec<Point>,
    upright_points: Vec<Point>,
}

/// One place on an edge, as a vote sees it.
struct Point {
    /// How far along the line's axis.
    t: f32,
    /// How far across.
    along: f32,
    strength: f32,
    /// The slope the edge has here, by its gradient.
    slope: f32,
}

impl Edges {
    pub(crate) fn of(plane: &Plane) -> Self {
        let (w, h) = (plane.width, plane.height);
        let least = LEAST_GRADIENT.max(sharpness::noise(plane, plane.area()) * ABOVE_NOISE);
        let (mut across, mut down) = (vec![0.0_f32; w * h], vec![0.0_f32; w * h]);
        for y in 1..h - 1 {
            for x in 1..w - 1 {
                let v = |dx: usize, dy: usize| f32::from(plane.values[(y + dy - 1) * w + x + dx - 1]);
                across[y * w + x] = (v(2, 0) + 2.0 * v(2, 1) + v(2, 2) - v(0, 0) - 2.0 * v(0, 1) - v(0, 2)) / 4.0;
                down[y * w + x] = (v(0, 2) + 2.0 * v(1, 2) + v(2, 2) - v(0, 0) - 2.0 * v(1, 0) - v(2, 0)) / 4.0;
            }
        }
        let (mut level, mut upright) = (vec![0.0; w * h], vec![0.0; w * h]);
        let (mut level_points, mut upright_points) = (Vec::new(), Vec::new());
        for y in 1..h - 1 {
            for x in 1..w - 1 {
                let i = y * w + x;
                let (a, d) = (across[i].abs(), down[i].abs());
                if d >= least && d >= a * ACROSS && d >= down[i - w].abs() && d > down[i + w].abs() {
                    level[i] = d.min(LOUDEST);
                    let slope = -across[i] / down[i];
                    level_points.push(Point {
                        t: x as f32,
                        along: y as f32,
                        strength: level[i],
                        slope,
                    });
                }
                if a >= least && a >= d * ACROSS && a >= across[i - 1].abs() && a > across[i + 1].abs() {
                    upright[i] = a.min(LOUDEST);
                    let slope = -down[i] / across[i];
                    upright_points.push(Point {
                        t: y as f32,
                        along: x as f32,
                        strength: upright[i],
                        slope,
                    });
                }
            }
        }
        Self {
            width: w,
            height: h,
            level,
            upright,
            level_points,
            upright_points,
        }
    }

    /// How much edges outside the corners' bounding box weigh, place for place, over those inside it. Weighed by strength: a
    /// table's grain is faint, print is not.
    pub(crate) fn weight_outside_over_inside(&self, corners: &[[f32; 2]; 4]) -> f32 {
        let [left, top, right, bottom] = bounds(corners);
        // A little larger, so that the sides' own edges do not count as surroundings.
        let (left, right) = (left - SIDES, right + SIDES);
        let (top, bottom) = (top - SIDES, bottom + SIDES);
        let (mut inside, mut outside) = (0.0_f32, 0.0_f32);
        let level = self.level_points.iter().map(|p| (p.t, p.along, p.strength));
        for (x, y, strength) in level.chain(self.upright_points.iter().map(|p| (p.along, p.t, p.strength))) {
            if (left..right).contains(&x) && (top..bottom).contains(&y) {
                inside += strength;
            } else {
                outside += strength;
            }
        }
        let (width, height) = (self.width as f32, self.height as f32);
        let area_inside = (right.min(width) - left.max(0.0)) * (bottom.min(height) - top.max(0.0));
        let area_outside = (width * height - area_inside).max(1.0);
        (outside / area_outside) / (inside / area_inside.max(1.0)).max(LEAST_WEIGHT)
    }

    /// The share of the stretch from `a` to `b`, between two fractions of it, that has an edge within a pixel.
    pub(crate) fn support(&self, a: [f32; 2], b: [f32; 2], span: (f32, f32), horizontal: bool) -> f32 {
        let length = distance(a, b) * (span.1 - span.0);
        let steps = (length as usize).max(LEAST_PLACES);
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

/// The `kept` strongest near-horizontal lines, and the picture's top and bottom.
pub(crate) fn near_horizontal(edges: &Edges, kept: usize) -> Vec<Line> {
    strongest(&edges.level_points, edges.width, edges.height, kept)
}

/// The `kept` strongest near-vertical lines, and the picture's left and right.
pub(crate) fn near_vertical(edges: &Edges, kept: usize) -> Vec<Line> {
    strongest(&edges.upright_points, edges.height, edges.width, kept)
}

/// Votes of the points over slope and offset; the peaks, each clearing its surroundings.
fn strongest(points: &[Point], length: usize, depth: usize, kept: usize) -> Vec<Line> {
    let middle = length as f32 / 2.0;
    let step = 2.0 * STEEPEST / (SLOPES - 1) as f32;
    let slope_of = |s: usize| step * s as f32 - STEEPEST;
    // A steep line across a corner of the picture passes its middle outside.
    let outside = (STEEPEST * middle).ceil() as usize;
    let bins = depth + 2 * outside;
    let mut votes = vec![0.0_f32; SLOPES * bins];
    for point in points {
        // The gradient of so small a neighbourhood is right to about this many slopes; voting for all would cost five times as much.
        let near = ((point.slope + STEEPEST) / step).round() as isize;
        for s in (near - UNSURE).max(0)..=(near + UNSURE).min(SLOPES as isize - 1) {
            let offset = point.along - slope_of(s as usize) * (point.t - middle);
            let bin = offset.round() + outside as f32;
            if bin >= 0.0 && bin < bins as f32 {
                votes[s as usize * bins + bin as usize] += point.strength;
            }
        }
    }
    let mut lines = Vec::with_capacity(kept + 2);
    let least = LEAST_GRADIENT * LEAST_LENGTH * length as f32;
    let mut peaks: Vec<(usize, f32)> = votes.chunks_exact(bins).map(peak).collect();
    while lines.len() < kept {
        let strongest = peaks.iter().enumerate().max_by(|a, b| a.1.1.total_cmp(&b.1.1));
        let Some((s, &(bin, votes_there))) = strongest else {
            break;
        };
        if votes_there < least {
            break;
        }
        let slope = slope_of(s);
        lines.push(Line {
            offset: bin as f32 - outside as f32 - slope * middle,
            slope,
            border: false,
        });
        // Other slopes through nearly the same place are the same line seen again.
        let rows = votes.chunks_exact_mut(bins).zip(&mut peaks).enumerate();
        for (other, (row, peak_there)) in rows.filter(|(other, _)| other.abs_diff(s) <= SAME_SLOPE) {
            let reach = SAME_PLACE + other.abs_diff(s);
            row[bin.saturating_sub(reach)..(bin + reach + 1).min(bins)].fill(0.0);
            *peak_there = peak(row);
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

/// Where a row has the most votes, and how many.
fn peak(row: &[f32]) -> (usize, f32) {
    let votes = row.iter().copied().enumerate();
    votes.max_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or_default()
}
