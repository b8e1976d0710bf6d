//! Points and corners in pixels of a picture, where more than one stage measures them. What the lens measures as well is in
//! `lens::geometry`.

use lens::geometry::distance;

/// A place in a picture.
pub(crate) type Point = [f32; 2];

/// Four places in order: left top, right top, right bottom, left bottom.
pub(crate) type Corners = [Point; 4];

/// The corners of an upright box (left, top, right, bottom), as it is read.
pub(crate) const fn rectangle([left, top, right, bottom]: [f32; 4]) -> Corners {
    [[left, top], [right, top], [right, bottom], [left, bottom]]
}

/// The middle between two points.
pub(crate) fn midpoint(a: Point, b: Point) -> Point {
    [0, 1].map(|axis| f32::midpoint(a[axis], b[axis]))
}

/// The mean of some points.
pub(crate) fn mean(points: &[Point]) -> Point {
    let count = points.len().max(1) as f32;
    let sum = points.iter().fold([0.0, 0.0], |sum, p| [sum[0] + p[0], sum[1] + p[1]]);
    [sum[0] / count, sum[1] / count]
}

/// The cross product of the ways from `origin` to two points: positive where the second lies clockwise of the first.
pub(crate) fn cross(origin: Point, a: Point, b: Point) -> f32 {
    (a[0] - origin[0]) * (b[1] - origin[1]) - (a[1] - origin[1]) * (b[0] - origin[0])
}

/// Whether a place lies on the same side of all four sides; corners go clockwise.
pub(crate) fn is_inside(corners: &Corners, place: Point) -> bool {
    (0..4).all(|index| cross(corners[index], corners[(index + 1) % 4], place) >= 0.0)
}

/// Whether all of these places lie within.
pub(crate) fn are_inside(corners: &Corners, places: &[Point]) -> bool {
    places.iter().all(|place| is_inside(corners, *place))
}

/// Mean width and height of what has these corners: of opposite sides.
pub(crate) fn mean_sides(corners: &Corners) -> [f32; 2] {
    let side = |a: usize, b: usize| distance(corners[a], corners[b]);
    [
        f32::midpoint(side(0, 1), side(3, 2)),
        f32::midpoint(side(0, 3), side(1, 2)),
    ]
}

/// How many pixels a place is beyond the nearest border of a picture of this size; negative within.
pub(crate) fn beyond([x, y]: Point, [width, height]: [f32; 2]) -> f32 {
    [-x, -y, x - width, y - height].into_iter().fold(f32::MIN, f32::max)
}

/// A coordinate as a whole pixel from 0 to `most`.
pub(crate) fn clip(coordinate: f32, most: usize) -> usize {
    (coordinate.max(0.0) as usize).min(most)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOX: Corners = rectangle([10.0, 20.0, 50.0, 40.0]);

    #[test]
    fn a_place_is_inside_where_it_lies_on_the_same_side_of_all_sides() {
        assert!(is_inside(&BOX, [30.0, 30.0]));
        assert!(is_inside(&BOX, [10.0, 20.0]), "a corner");
        for outside in [[9.0, 30.0], [51.0, 30.0], [30.0, 19.0], [30.0, 41.0]] {
            assert!(!is_inside(&BOX, outside), "{outside:?}");
        }
    }

    #[test]
    fn middles_and_sides_of_a_box_are_those_of_its_corners() {
        assert_eq!(mean(&BOX), [30.0, 30.0]);
        assert_eq!(midpoint(BOX[0], BOX[2]), [30.0, 30.0]);
        assert_eq!(mean_sides(&BOX), [40.0, 20.0]);
        assert_eq!(mean(&[]), [0.0, 0.0]);
    }

    #[test]
    fn places_beyond_the_border_are_measured_from_the_nearest_one_and_clipped_to_the_last_pixel() {
        let size = [100.0, 80.0];
        assert_eq!(beyond([-3.0, 40.0], size), 3.0);
        assert_eq!(beyond([50.0, 85.0], size), 5.0);
        assert_eq!(beyond([90.0, 40.0], size), -10.0);
        assert_eq!([clip(-3.0, 99), clip(12.7, 99), clip(120.0, 99)], [0, 12, 99]);
    }
}
