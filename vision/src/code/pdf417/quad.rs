//! The projective map from a symbol's own coordinates to the picture's.

use crate::geometry::Point;
use crate::projection::Projection;

/// How near to the horizon places are told apart, as a share of the first corner's depth.
const LEAST_DEPTH: f32 = 1e-3;
/// Where a point is looked for, as a share of the way from the left side to the right one.
const SEARCHED: [f32; 2] = [-0.2, 1.2];
/// How many times the stretch that is searched is halved.
const HALVINGS: usize = 24;

/// Maps the unit square to a quadrilateral.
#[derive(Clone, Copy)]
pub(crate) struct Quad(Projection);

impl Quad {
    /// Corners clockwise from (0, 0); `None` where they enclose nothing or are not convex.
    pub(crate) fn new(corners: [Point; 4]) -> Option<Self> {
        let turn = |i: usize| {
            let [a, b, c] = [corners[i], corners[(i + 1) % 4], corners[(i + 2) % 4]];
            (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0])
        };
        if (0..4).any(|i| turn(i) < 1.0) {
            return None;
        }
        Projection::of_rectangle(1.0, 1.0, &corners).map(Self)
    }

    /// Where (`u`, `v`) lies in the picture.
    pub(crate) fn place(&self, u: f32, v: f32) -> Point {
        let [x, y, depth] = self.0.homogeneous([u, v]);
        // Far outside of a steep quadrilateral the horizon would be crossed.
        let depth = depth.max(LEAST_DEPTH);
        [x / depth, y / depth]
    }

    /// The share of the way from the left side to the right one, at height `v`, at which the map passes closest to a point of
    /// the picture.
    pub(crate) fn along(&self, point: Point, v: f32) -> f32 {
        let [mut low, mut high] = SEARCHED;
        let (from, to) = (self.place(0.0, v), self.place(1.0, v));
        let (dx, dy) = (to[0] - from[0], to[1] - from[1]);
        let reach = |p: Point| (p[0] - from[0]) * dx + (p[1] - from[1]) * dy;
        let wanted = reach(point);
        for _ in 0..HALVINGS {
            let middle = f32::midpoint(low, high);
            if reach(self.place(middle, v)) < wanted {
                low = middle;
            } else {
                high = middle;
            }
        }
        f32::midpoint(low, high)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corners_lie_on_corners_and_the_way_back_is_found() {
        let corners = [[10.0, 20.0], [110.0, 25.0], [120.0, 90.0], [5.0, 80.0]];
        let quad = Quad::new(corners).unwrap();
        for ((u, v), corner) in [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)]
            .into_iter()
            .zip(corners)
        {
            let [x, y] = quad.place(u, v);
            assert!((x - corner[0]).abs() < 1e-3 && (y - corner[1]).abs() < 1e-3);
        }
        assert!((quad.along(quad.place(0.3, 0.5), 0.5) - 0.3).abs() < 1e-4);
    }

    #[test]
    fn what_is_not_convex_or_turned_over_is_refused() {
        assert!(Quad::new([[0.0, 0.0], [10.0, 0.0], [2.0, 2.0], [0.0, 10.0]]).is_none());
        assert!(Quad::new([[0.0, 0.0], [0.0, 10.0], [10.0, 10.0], [10.0, 0.0]]).is_none());
    }
}
