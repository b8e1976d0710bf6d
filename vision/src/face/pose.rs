//! The pose of a head from its landmarks alone, as unitless proxies, roughly the sine of the angle.

use crate::geometry::{Point, mean};
use lens::geometry::distance;

/// The landmarks of a face in pixels of the picture.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Shape(Vec<Point>);

/// How many landmarks a face has.
pub(crate) const POINTS: usize = 68;

impl Shape {
    pub(crate) fn new(points: Vec<Point>) -> Option<Self> {
        (points.len() == POINTS && points.iter().flatten().all(|v| v.is_finite())).then_some(Self(points))
    }

    pub(crate) fn points(&self) -> &[Point] {
        &self.0
    }

    /// Centres of the eyes: the one on the picture's left first.
    pub(crate) fn eyes(&self) -> [Point; 2] {
        [mean(&self.0[36..42]), mean(&self.0[42..48])]
    }

    pub(crate) fn eye_distance(&self) -> f32 {
        let [left, right] = self.eyes();
        distance(left, right)
    }

    /// How far the nose has moved from the middle of the jaw towards the picture's right, over half the jaw's width.
    pub(crate) fn yaw(&self) -> f32 {
        let [left, right] = self.eyes();
        let apart = distance(left, right).max(1e-3);
        let (cos, sin) = ((right[0] - left[0]) / apart, (right[1] - left[1]) / apart);
        let along = |p: Point| p[0] * cos + p[1] * sin;
        let (jaw_left, nose, jaw_right) = (along(self.0[1]), along(self.0[30]), along(self.0[15]));
        ((nose - jaw_left) - (jaw_right - nose)) / (jaw_right - jaw_left).max(1e-3)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A head as 68 points in space: an egg with a nose in front; seen after a turn by `yaw` degrees.
    pub(crate) fn head(yaw: f32, flat: bool) -> Shape {
        let mut points = Vec::new();
        let at = |x: f32, y: f32, z: f32| [x, y, if flat { 0.0 } else { z }];
        (0..17).for_each(|i| {
            let angle = (i as f32 / 16.0 - 0.5) * 2.6;
            points.push(at(
                angle.sin() * 70.0,
                20.0 + angle.cos() * 70.0,
                angle.cos() * 40.0 - 40.0,
            ));
        });
        (0..10).for_each(|i| points.push(at(-45.0 + i as f32 * 10.0, -40.0, 35.0)));
        (0..4).for_each(|i| points.push(at(0.0, -20.0 + i as f32 * 10.0, 45.0 + i as f32 * 8.0)));
        (0..5).for_each(|i| points.push(at(-10.0 + i as f32 * 5.0, 16.0, 50.0)));
        for centre in [-30.0, 30.0] {
            (0..6).for_each(|i| {
                let angle = i as f32 * std::f32::consts::FRAC_PI_3;
                points.push(at(centre + angle.cos() * 10.0, -22.0 + angle.sin() * 4.0, 30.0));
            });
        }
        (0..20).for_each(|i| {
            let angle = i as f32 * std::f32::consts::TAU / 20.0;
            points.push(at(angle.cos() * 25.0, 45.0 + angle.sin() * 8.0, 38.0));
        });
        let (sin, cos) = yaw.to_radians().sin_cos();
        let project = |p: &[f32; 3]| {
            let (x, z) = (p[0] * cos + p[2] * sin, p[2] * cos - p[0] * sin);
            let depth = 600.0 / (600.0 - z);
            [300.0 + x * depth, 300.0 + p[1] * depth]
        };
        Shape::new(points.iter().map(project).collect()).unwrap()
    }

    #[test]
    fn a_turned_head_moves_its_nose_and_the_sign_tells_the_side() {
        assert!(head(0.0, false).yaw().abs() < 0.02);
        assert!(head(30.0, false).yaw() > 0.3);
        assert!(head(-30.0, false).yaw() < -0.3);
    }

    #[test]
    fn a_face_needs_all_its_landmarks() {
        assert!(Shape::new(vec![[0.0, 0.0]; 67]).is_none());
        assert!(Shape::new(vec![[f32::NAN, 0.0]; 68]).is_none());
    }
}
