//! The card's outline: the best quadrilateral of four straight, strong edges.
//!
//! Edges of a small grey plane vote for lines near the horizontal and near the vertical; every combination of two lines by
//! two is tried, and a side is scored by how much of it lies on edges. Where a side is missing because the card extends
//! beyond the picture, the picture's border takes its place, and the outline counts as cut off.

use crate::frame::{Area, Plane};
use crate::geometry::{area, bounds, distance};
use crate::lines::{self, Edges, Line};

/// The side of the plane that lines are looked for in.
const SIDE: usize = 240;
/// The shorter side of that plane, in pixels: a narrower strip has no room for a card.
const LEAST_PLANE_SIDE: usize = 32;
/// Lines tried in each direction for the hint of a frame, and where every candidate is wanted.
const KEPT: (usize, usize) = (9, 14);
/// Candidates given: a card, another beside it, and one that was mistaken.
const CANDIDATES: usize = 3;
/// Opposite sides of a card tilted by 30 degrees differ in direction by less than 20 degrees; this is the tangent.
const CONVERGING: f32 = 0.365;
/// Neighbouring sides are at most 30 degrees from a right angle; this is the sine.
const SKEWED: f32 = 0.5;
/// Outlines whose corners differ by less than this share of the longest side are of one card.
const SAME_CARD: f32 = 0.06;
/// How much of a real side must lie on edges.
const SUPPORT: f32 = 0.62;
/// How much of each of two sides, where the others are outside the picture.
const CORNER_SUPPORT: f32 = 0.8;
/// What is left out at either end of a side, as a share of it: there the corner is round. The radius of a card's corner is 3.18 of 53.98 mm
/// (ISO/IEC 7810).
const ROUND: f32 = 0.08;
/// What is left out instead where the side runs on over the border: the outermost pixels, which have no gradient.
const OUTERMOST: f32 = 0.01;
/// How far from the border a side that runs on over it is looked at, as a share of it, and how much of that must lie on edges: a corner
/// that is all there leaves most of it bare.
const RUNNING_ON: f32 = 0.15;
const RUNNING_ON_SUPPORT: f32 = 0.5;
/// A card smaller than this share of the picture is not what the user holds up.
const LEAST_AREA: f32 = 0.08;
/// Nor is one of which a side is shorter than this share of the picture's shorter side.
const LEAST_LENGTH: f32 = 0.15;
/// Width over height between which a quadrilateral can be a card or passport page seen at a slant, lying or upright.
const ASPECT: std::ops::RangeInclusive<f32> = 1.2..=1.95;
/// Longer side over shorter of what the border leaves of one along a long side: a third of ID-1 (85.60 by 53.98 mm, ISO/IEC 7810) is missing there.
const LONGEST_CUT: f32 = 2.4;
/// An outline over more than this is a picture cut to the card by its sender: nothing is missing from it.
const FULL: f32 = 0.9;
/// The end of a side, as shares of it, where a card's corner is round: a side that is straight up to there continues outside.
const TIP: (f32, f32) = (0.005, 0.04);
/// A smaller outline than this may as well be a portrait or a box printed on a card.
const SMALL: f32 = 0.35;
/// Edges outside a small or cut-off card must weigh this much less than inside: else it is a part of what fills the picture.
const QUIETER: f32 = 0.6;
/// A corner may lie this far outside the picture, as a share of its longer side: lines are found no more exactly.
const BORDER: f32 = 0.008;
/// A corner this far outside, in pixels of the small plane, is cut off. One that lies just inside is not: the card is all there.
const OUTSIDE: f32 = 0.5;
/// What an outline with a side outside counts next to a whole one that is as clear and as large.
const CUT_OFF_SCORE: f32 = 0.8;
/// What is left out along each side of what surely lies on the card, as a share of its width or height: outlines are found no more exactly.
const INSET: f32 = 0.03;

/// The quadrilateral of a card, corners clockwise from the top left, in pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outline {
    /// Top left, top right, bottom right, bottom left.
    pub corners: [[f32; 2]; 4],
    /// Whether it touches the edge of the picture.
    pub cut_off: bool,
    /// How much of its sides lies on edges, 0 to 1.
    pub support: f32,
}

impl Outline {
    /// The area inside, in pixels.
    #[must_use]
    pub fn area(&self) -> f32 {
        area(&self.corners)
    }

    /// Length of the sides: top, right, bottom, left.
    #[must_use]
    pub fn sides(&self) -> [f32; 4] {
        std::array::from_fn(|i| distance(self.corners[i], self.corners[(i + 1) % 4]))
    }

    /// Longer over shorter of the mean opposite sides.
    #[must_use]
    pub fn aspect(&self) -> f32 {
        let [top, right, bottom, left] = self.sides();
        let (across, down) = (top + bottom, left + right);
        across.max(down) / across.min(down).max(1.0)
    }

    /// How far it is from being seen straight on and level: 0 is a rectangle along the picture's sides, 0.1 is six degrees
    /// of tilt or one side a tenth longer than its opposite.
    #[must_use]
    pub fn slant(&self) -> f32 {
        let [top, right, bottom, left] = self.sides();
        let uneven = |a: f32, b: f32| (a - b).abs() / a.max(b).max(1.0);
        let [[ax, ay], [bx, by], [cx, cy], [dx, dy]] = self.corners;
        let tilt = |dx: f32, dy: f32| (dy / dx.abs().max(1.0)).abs();
        let level = (tilt(bx - ax, by - ay) + tilt(cx - dx, cy - dy)) / 2.0;
        let upright = (tilt(dy - ay, dx - ax) + tilt(cy - by, cx - bx)) / 2.0;
        uneven(top, bottom)
            .max(uneven(left, right))
            .max((level + upright) / 2.0)
    }

    /// A rectangle that surely lies on the card, a little inside its edges. It is empty, or inverted, where the card is turned so far that no place is
    /// between all of its corners.
    #[must_use]
    pub(crate) fn inner_area(&self) -> Area {
        let [[ax, ay], [bx, by], [cx, cy], [dx, dy]] = self.corners;
        let between = [ax.max(dx), ay.max(by), bx.min(cx), cy.min(dy)];
        let around_middle = self.around_middle();
        let size = |[left, top, right, bottom]: [f32; 4]| (right - left).max(0.0) * (bottom - top).max(0.0);
        // Between the corners of a tilted card there is only a narrow strip in the end, on which hardly a letter is left.
        let is_strip = size(between) > 0.0 && 2.0 * size(between) < size(around_middle);
        let [left, top, right, bottom] = if is_strip { around_middle } else { between };
        let (inset_x, inset_y) = ((right - left) * INSET, (bottom - top) * INSET);
        Area {
            left: (left + inset_x).max(0.0) as usize,
            top: (top + inset_y).max(0.0) as usize,
            right: (right - inset_x).max(0.0) as usize,
            bottom: (bottom - inset_y).max(0.0) as usize,
        }
    }

    /// The largest rectangle on the card around its middle that has the proportions of its bounding box: left, top, right, bottom.
    fn around_middle(&self) -> [f32; 4] {
        let [left, top, right, bottom] = bounds(&self.corners);
        let (half_width, half_height) = ((right - left) / 2.0, (bottom - top) / 2.0);
        let middle = [0, 1].map(|axis| self.corners.iter().map(|corner| corner[axis]).sum::<f32>() / 4.0);
        // The size, as a share of the bounding box, at which a corner of it meets this side of the card.
        let share = |index: usize| {
            let ([px, py], [qx, qy]) = (self.corners[index], self.corners[(index + 1) % 4]);
            let inside = (qx - px) * (middle[1] - py) - (qy - py) * (middle[0] - px);
            inside / ((qx - px).abs() * half_height + (qy - py).abs() * half_width)
        };
        let share = (0..4).map(share).fold(1.0, f32::min).max(0.0);
        let (half_width, half_height) = (share * half_width, share * half_height);
        [
            middle[0] - half_width,
            middle[1] - half_height,
            middle[0] + half_width,
            middle[1] + half_height,
        ]
    }

    /// Whether another outline is of the same card, seen a little differently.
    fn is_about(&self, other: &Self) -> bool {
        let longest = self.sides().into_iter().fold(0.0, f32::max);
        let apart = |(a, b): (&[f32; 2], &[f32; 2])| distance(*a, *b);
        let sum: f32 = self.corners.iter().zip(&other.corners).map(apart).sum();
        sum / 4.0 < SAME_CARD * longest
    }

    /// The corners with the longer sides on top and at the bottom, as a card lies.
    #[must_use]
    pub fn lying(&self) -> [[f32; 2]; 4] {
        let [top, right, bottom, left] = self.sides();
        let [a, b, c, d] = self.corners;
        if top + bottom >= right + left {
            [a, b, c, d]
        } else {
            [d, a, b, c]
        }
    }

    /// The same outline in a picture that is that many times as wide and as high.
    #[must_use]
    pub fn scaled(mut self, [across, down]: [f32; 2]) -> Self {
        self.corners = self.corners.map(|[x, y]| [x * across, y * down]);
        self
    }
}

/// Looks for a card in the plane.
#[must_use]
pub fn find(plane: &Plane) -> Option<Outline> {
    scored(plane, KEPT.0)
        .into_iter()
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, outline)| outline)
}

/// The outlines that may be a document's, the likeliest first and no two of the same card. More lines are tried than for the
/// hint: here a cluttered table costs a moment and not a frame.
#[must_use]
pub fn candidates(plane: &Plane) -> Vec<Outline> {
    let mut all = scored(plane, KEPT.1);
    all.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut kept: Vec<Outline> = Vec::new();
    for (_, outline) in all {
        if kept.iter().all(|other| !outline.is_about(other)) {
            kept.push(outline);
        }
        if kept.len() == CANDIDATES {
            break;
        }
    }
    kept
}

/// All quadrilaterals that can be a card, with their scores.
fn scored(plane: &Plane, kept: usize) -> Vec<(f32, Outline)> {
    let small = plane.reduced(SIDE);
    if small.width < LEAST_PLANE_SIDE || small.height < LEAST_PLANE_SIDE {
        return Vec::new();
    }
    let edges = Edges::of(&small);
    let scale = small.scale_to([plane.width, plane.height]);
    let mut found = quadrilaterals(
        &edges,
        &lines::near_horizontal(&edges, kept),
        &lines::near_vertical(&edges, kept),
    );
    // What is too long may be a tray that a card lies on: it counts where nothing has the shape of a document.
    if found.iter().any(|(_, outline)| !is_too_long(outline)) {
        found.retain(|(_, outline)| !is_too_long(outline));
    }
    for (_, outline) in &mut found {
        *outline = outline.scaled(scale);
    }
    found
}

fn quadrilaterals(edges: &Edges, level: &[Line], upright: &[Line]) -> Vec<(f32, Outline)> {
    let (rows, columns) = (pairs(level, edges.width as f32), pairs(upright, edges.height as f32));
    let both = rows
        .iter()
        .flat_map(|row| columns.iter().map(move |column| (row, column)));
    both.filter_map(|(&(top, bottom), &(left, right))| quadrilateral(edges, [top, right, bottom, left]))
        .collect()
}

/// Pairs of lines that may be opposite sides, the one nearer to the origin first.
fn pairs(lines: &[Line], length: f32) -> Vec<(&Line, &Line)> {
    let mut pairs = Vec::with_capacity(lines.len() * lines.len() / 2);
    for (index, one) in lines.iter().enumerate() {
        for other in &lines[index + 1..] {
            let alike = one.divergence(other) < CONVERGING || one.border || other.border;
            if alike && one.middle(length) < other.middle(length) {
                pairs.push((one, other));
            } else if alike {
                pairs.push((other, one));
            }
        }
    }
    pairs
}

/// Whether a near-horizontal and a near-vertical line meet too far from a right angle.
fn is_skewed(row: &Line, column: &Line) -> bool {
    !row.border && !column.border && row.skew(column) > SKEWED
}

/// The lines of top, right, bottom and left, and how many of them are borders of the picture.
struct Sides<'a> {
    lines: [&'a Line; 4],
    borders: usize,
}

/// How well the sides inside the picture lie on edges.
struct Support {
    /// That of the side that lies on them least.
    least: f32,
    /// That of all of them together.
    sum: f32,
    /// Whether all sides that run on over the border are straight up to it.
    square: bool,
}

impl<'a> Sides<'a> {
    fn new(lines: [&'a Line; 4]) -> Self {
        let borders = lines.iter().filter(|line| line.border).count();
        Self { lines, borders }
    }

    /// Whether two sides are outside, which leave one corner to go by: the sides that meet there.
    const fn have_one_corner(&self) -> bool {
        let [top, right, bottom, left] = self.lines;
        self.borders == 2 && top.border != bottom.border && left.border != right.border
    }

    fn are_skewed(&self) -> bool {
        let [top, right, bottom, left] = self.lines;
        [top, bottom]
            .iter()
            .any(|row| [left, right].iter().any(|column| is_skewed(row, column)))
    }

    fn corners(&self) -> [[f32; 2]; 4] {
        let [top, right, bottom, left] = self.lines;
        [
            Line::crossing(top, left),
            Line::crossing(top, right),
            Line::crossing(bottom, right),
            Line::crossing(bottom, left),
        ]
    }

    /// How well they lie on edges; `None` where one of them does not.
    fn support(&self, edges: &Edges, corners: &[[f32; 2]; 4]) -> Option<Support> {
        let wanted = if self.have_one_corner() {
            CORNER_SUPPORT
        } else {
            SUPPORT
        };
        let (mut least, mut sum, mut square) = (1.0_f32, 0.0, true);
        for (i, line) in self.lines.iter().enumerate() {
            if line.border {
                continue;
            }
            // Rounded corners are left out, but not where the side runs on over the border.
            let (before, after) = (self.lines[(i + 3) % 4].border, self.lines[(i + 1) % 4].border);
            let left_out = |runs_on: bool| if runs_on { OUTERMOST } else { ROUND };
            let support_of = |span| edges.support(corners[i], corners[(i + 1) % 4], span, i % 2 == 0);
            let support = support_of((left_out(before), 1.0 - left_out(after)));
            // Whether the side runs on over the border at its beginning, and at its end, looked at between these shares of it.
            let runs_out = |span: (f32, f32)| support_of(span) >= RUNNING_ON_SUPPORT;
            let runs_out_behind = |(near, far): (f32, f32)| runs_out((1.0 - far, 1.0 - near));
            let end = (OUTERMOST, RUNNING_ON);
            if support < wanted || (before && !runs_out(end)) || (after && !runs_out_behind(end)) {
                return None;
            }
            square &= (!before || runs_out(TIP)) && (!after || runs_out_behind(TIP));
            least = least.min(support);
            sum += support;
        }
        Some(Support { least, sum, square })
    }
}

/// Whether a quadrilateral that takes up this share of the picture has the size and shape of a card. What is cut off may have any shape, from a square's
/// to one longer than a document's.
fn is_like_a_card(outline: &Outline, share: f32, edges: &Edges) -> bool {
    let aspect = outline.aspect();
    let possible = ASPECT.contains(&aspect) || (outline.cut_off && LONGEST_CUT >= aspect);
    let shortest = LEAST_LENGTH * (edges.width as f32).min(edges.height as f32);
    share >= LEAST_AREA && possible && outline.sides().iter().all(|&side| side >= shortest)
}

/// Whether an outline is longer than that of any whole document.
fn is_too_long(outline: &Outline) -> bool {
    outline.aspect() > *ASPECT.end()
}

/// Whether a border of the picture is one of the longer sides of an outline: cutting a document there makes it longer.
fn is_cut_along_long_side(outline: &Outline, lines: [&Line; 4]) -> bool {
    let [top, right, bottom, left] = outline.sides();
    let [is_top, is_right, is_bottom, is_left] = lines.map(|line| line.border);
    if top + bottom > right + left {
        is_top || is_bottom
    } else {
        is_right || is_left
    }
}

/// The quadrilateral of top, right, bottom and left, with its score, where it can be a card.
fn quadrilateral(edges: &Edges, lines: [&Line; 4]) -> Option<(f32, Outline)> {
    let sides = Sides::new(lines);
    let (borders, corner_only) = (sides.borders, sides.have_one_corner());
    if (borders > 1 && !corner_only) || sides.are_skewed() {
        return None;
    }
    let corners = sides.corners();
    let (width, height) = (edges.width as f32, edges.height as f32);
    let margin = BORDER * width.max(height);
    let within = |[x, y]: [f32; 2]| x > -margin && y > -margin && x < width + margin && y < height + margin;
    if !corners.iter().all(|&corner| within(corner)) {
        return None;
    }
    let mut outline = Outline {
        corners,
        cut_off: borders > 0,
        support: 0.0,
    };
    let share = outline.area() / (width * height);
    if !is_like_a_card(&outline, share, edges) || is_too_long(&outline) && !is_cut_along_long_side(&outline, lines) {
        return None;
    }
    let Support { least, sum, square } = sides.support(edges, &corners)?;
    outline.support = sum / (4 - borders) as f32;
    if corner_only && share < SMALL {
        return None;
    }
    if (borders > 0 || share < SMALL) && edges.weight_outside_over_inside(&outline.corners) > QUIETER {
        return None;
    }
    outline.cut_off |= corners
        .iter()
        .any(|&[x, y]| x < -OUTSIDE || y < -OUTSIDE || x > width + OUTSIDE || y > height + OUTSIDE);
    outline.cut_off &= share < FULL || (borders > 0 && square);
    // A large outline is preferred: there are rectangles printed inside a card, none around it.
    let seen = if borders > 0 { CUT_OFF_SCORE } else { 1.0 };
    Some((outline.support * least.sqrt() * share.sqrt() * seen, outline))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A card, 400 by 252 pixels, turned about the middle of a picture of 640 by 480.
    fn turned(degrees: f32) -> Outline {
        let (sin, cos) = degrees.to_radians().sin_cos();
        let corners = [[-200.0, -126.0], [200.0, -126.0], [200.0, 126.0], [-200.0, 126.0]];
        Outline {
            corners: corners.map(|[x, y]: [f32; 2]| [320.0 + x * cos - y * sin, 240.0 + x * sin + y * cos]),
            cut_off: false,
            support: 1.0,
        }
    }

    /// Detects if a tilted card is judged by a strip of a few pixels.
    #[test]
    fn what_is_judged_of_a_tilted_card_is_a_fair_part_of_it_and_nothing_beside_it() {
        for degrees in -31_i16..=31 {
            let card = turned(f32::from(degrees));
            let inner = card.inner_area();
            assert!(
                inner.left < inner.right && inner.top < inner.bottom,
                "{degrees}: {inner:?}"
            );
            let share = inner.pixels() as f32 / card.area();
            assert!(share > 0.15, "{share} at {degrees} degrees");
            let (left, right) = (inner.left as f32, inner.right as f32);
            let (top, bottom) = (inner.top as f32, inner.bottom as f32);
            for [x, y] in [[left, top], [right, top], [right, bottom], [left, bottom]] {
                let is_within = (0..4).all(|side| {
                    let ([px, py], [qx, qy]) = (card.corners[side], card.corners[(side + 1) % 4]);
                    (qx - px) * (y - py) - (qy - py) * (x - px) >= 0.0
                });
                assert!(is_within, "{inner:?} at {degrees} degrees");
            }
        }
    }
}
