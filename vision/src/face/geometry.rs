//! Boxes of faces, and the similarity that maps a chip onto a picture.

use crate::geometry::{Point, mean};
use crate::model::Tensor;
use crate::raster::Raster;
use lens::geometry::bounds;

/// Where dlib's chip has the outer and inner corners of both eyes and the base of the nose, by landmark, in 0..1 before padding.
pub(crate) const DLIB5: [(usize, Point); 5] = [
    (45, [0.859_567_46, 0.213_498_15]),
    (42, [0.646_060_48, 0.228_967_44]),
    (36, [0.120_575_06, 0.213_727_45]),
    (39, [0.334_085_06, 0.229_064_24]),
    (33, [0.490_112_3, 0.627_797_53]),
];

/// A detected face: pixels of the picture, and how sure the detector is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Detection {
    pub(crate) score: f32,
    pub(crate) left: f32,
    pub(crate) top: f32,
    pub(crate) width: f32,
    pub(crate) height: f32,
}

impl Detection {
    pub(crate) fn area(&self) -> f32 {
        self.width * self.height
    }

    /// The middle of the box.
    pub(crate) fn middle(&self) -> Point {
        [self.left + self.width / 2.0, self.top + self.height / 2.0]
    }

    /// Whether both are boxes of one head: they overlap, or one lies in the other. A much smaller box is another face, such as one on a
    /// picture held before the head.
    fn is_of_same_head(&self, other: &Self) -> bool {
        let along = |a: f32, al: f32, b: f32, bl: f32| ((a + al).min(b + bl) - a.max(b)).max(0.0);
        let common = along(self.left, self.width, other.left, other.width)
            * along(self.top, self.height, other.top, other.height);
        let (smaller, larger) = (self.area().min(other.area()), self.area().max(other.area()));
        let union = (smaller + larger - common).max(f32::MIN_POSITIVE);
        common > OVERLAP * union || common >= WITHIN * smaller && smaller >= MUCH_SMALLER * larger
    }

    /// The smallest box around some points.
    pub(crate) fn around(points: &[Point]) -> Self {
        let [left, top, right, bottom] = bounds(points);
        Self {
            score: 1.0,
            left,
            top,
            width: right - left,
            height: bottom - top,
        }
    }
}

/// Intersection over union of boxes of one head.
const OVERLAP: f32 = 0.5;
/// Share of a box that lies within another one of the same head.
const WITHIN: f32 = 0.8;
/// Share of the larger area below which a box is another face's.
const MUCH_SMALLER: f32 = 0.25;

/// The surest box of each head, the surest first.
pub(crate) fn suppress(mut boxes: Vec<Detection>) -> Vec<Detection> {
    boxes.sort_by(|a, b| b.score.total_cmp(&a.score));
    let mut kept: Vec<Detection> = Vec::new();
    for candidate in boxes {
        if !kept.iter().any(|k| k.is_of_same_head(&candidate)) {
            kept.push(candidate);
        }
    }
    kept
}

/// A turn, a scale and a shift: chip places to picture places.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Similarity {
    /// Scale times cosine and sine of the turn.
    pub(crate) turn: Point,
    pub(crate) shift: Point,
}

impl Similarity {
    /// The one that brings `from` closest to `to`, by least squares.
    pub(crate) fn fit(from: &[Point], to: &[Point]) -> Self {
        let (from_mean, to_mean) = (mean(from), mean(to));
        let (mut along, mut across, mut square) = (0.0, 0.0, f32::MIN_POSITIVE);
        for (a, b) in from.iter().zip(to) {
            let (u, v) = (a[0] - from_mean[0], a[1] - from_mean[1]);
            let (x, y) = (b[0] - to_mean[0], b[1] - to_mean[1]);
            along += u * x + v * y;
            across += u * y - v * x;
            square += u * u + v * v;
        }
        let turn = [along / square, across / square];
        let moved = Self {
            turn,
            shift: [0.0, 0.0],
        }
        .apply(from_mean);
        Self {
            turn,
            shift: [to_mean[0] - moved[0], to_mean[1] - moved[1]],
        }
    }

    pub(crate) fn apply(&self, p: Point) -> Point {
        let [cos, sin] = self.turn;
        [
            cos * p[0] - sin * p[1] + self.shift[0],
            sin * p[0] + cos * p[1] + self.shift[1],
        ]
    }

    pub(crate) fn scale(&self) -> f32 {
        self.turn[0].hypot(self.turn[1])
    }

    /// A square chip of the picture; black where `inside` (left, top, right, bottom) does not reach.
    ///
    /// Each pixel is the mean of as many samples as the picture has pixels there, up to six a side.
    pub(crate) fn chip(&self, picture: &Raster, side: usize, inside: [f32; 4]) -> Tensor {
        let grid = (self.scale().ceil() as usize).clamp(1, 6);
        let offset = |index: usize| (index as f32 + 0.5) / grid as f32 - 0.5;
        let share = 1.0 / (grid * grid) as f32;
        let mut data = Vec::with_capacity(side * side * 3);
        for (y, x) in (0..side).flat_map(|y| (0..side).map(move |x| (y, x))) {
            let mut sum = [0.0; 3];
            for (dy, dx) in (0..grid).flat_map(|dy| (0..grid).map(move |dx| (dy, dx))) {
                let at = self.apply([x as f32 + offset(dx), y as f32 + offset(dy)]);
                if at[0] >= inside[0] && at[1] >= inside[1] && at[0] <= inside[2] && at[1] <= inside[3] {
                    let colour = picture.sample(at[0], at[1]);
                    sum.iter_mut().zip(colour).for_each(|(s, c)| *s += c * share);
                }
            }
            data.extend_from_slice(&sum);
        }
        Tensor {
            shape: vec![side, side, 3],
            data,
        }
    }
}

/// The edges of a picture for [`Similarity::chip`].
pub(crate) fn edges(picture: &Raster) -> [f32; 4] {
    [0.0, 0.0, (picture.width() - 1) as f32, (picture.height() - 1) as f32]
}

#[cfg(test)]
mod tests {
    use super::*;
    use lens::geometry::distance;

    #[test]
    fn a_fitted_similarity_maps_the_points_it_was_fitted_to() {
        let from = [[0.0, 0.0], [10.0, 0.0], [0.0, 10.0], [7.0, 3.0]];
        let wanted = Similarity {
            turn: [1.2, -0.7],
            shift: [30.0, 40.0],
        };
        let to = from.map(|p| wanted.apply(p));
        let got = Similarity::fit(&from, &to);
        assert!(
            from.iter().zip(to).all(|(&p, q)| distance(got.apply(p), q) < 1e-3),
            "{got:?}"
        );
    }

    #[test]
    fn of_the_boxes_of_one_head_the_surest_is_kept_and_a_distant_one_too() {
        let at = |score, left, side| Detection {
            score,
            left,
            top: 0.0,
            width: side,
            height: side,
        };
        let kept = suppress(vec![at(0.6, 1.0, 10.0), at(0.9, 0.0, 10.0), at(0.7, 30.0, 10.0)]);
        assert_eq!(kept, [at(0.9, 0.0, 10.0), at(0.7, 30.0, 10.0)]);
        // A head that is turned far: once the face, once the whole head.
        assert_eq!(
            suppress(vec![at(0.6, 0.0, 10.0), at(0.9, 2.0, 6.0)]),
            [at(0.9, 2.0, 6.0)]
        );
        // Cheek to cheek, one head partly behind another, and a picture held before a face.
        assert_eq!(suppress(vec![at(0.9, 0.0, 10.0), at(0.8, 4.5, 10.0)]).len(), 2);
        assert_eq!(suppress(vec![at(0.9, 0.0, 10.0), at(0.8, 7.0, 10.0)]).len(), 2);
        assert_eq!(suppress(vec![at(0.9, 0.0, 10.0), at(0.8, 3.0, 4.0)]).len(), 2);
    }
}
