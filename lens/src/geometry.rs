//! Points and quadrilaterals in pixels, the units in which frames and documents are measured.

/// How far two points are apart.
#[must_use]
pub fn distance([ax, ay]: [f32; 2], [bx, by]: [f32; 2]) -> f32 {
    (bx - ax).hypot(by - ay)
}

/// The area within four corners, by the shoelace formula.
#[must_use]
pub fn area(corners: &[[f32; 2]; 4]) -> f32 {
    let sum: f32 = (0..4)
        .map(|i| {
            let ([ax, ay], [bx, by]) = (corners[i], corners[(i + 1) % 4]);
            ax * by - bx * ay
        })
        .sum();
    sum.abs() / 2.0
}

/// The smallest upright box around some points: left, top, right, bottom. Without points all are 0.
#[must_use]
pub fn bounds(points: &[[f32; 2]]) -> [f32; 4] {
    let bound = |axis: usize, pick: fn(f32, f32) -> f32| {
        let values = points.iter().map(|point| point[axis]);
        values.reduce(pick).unwrap_or_default()
    };
    [
        bound(0, f32::min),
        bound(1, f32::min),
        bound(0, f32::max),
        bound(1, f32::max),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A square of side 10 that stands on its corner.
    const DIAMOND: [[f32; 2]; 4] = [[0.0, -7.071], [7.071, 0.0], [0.0, 7.071], [-7.071, 0.0]];

    #[test]
    fn a_square_on_its_corner_has_its_own_area_and_a_wider_box() {
        assert!((distance(DIAMOND[0], DIAMOND[1]) - 10.0).abs() < 0.001);
        assert!((area(&DIAMOND) - 100.0).abs() < 0.01);
        assert_eq!(bounds(&DIAMOND), [-7.071, -7.071, 7.071, 7.071]);
    }

    #[test]
    fn the_area_does_not_depend_on_the_direction_of_the_corners() {
        let [a, b, c, d] = DIAMOND;
        assert_eq!(area(&[d, c, b, a]), area(&DIAMOND));
    }

    #[test]
    fn no_points_have_an_empty_box() {
        assert_eq!(bounds(&[]), [0.0; 4]);
    }
}
