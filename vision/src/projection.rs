//! The projection of a flat card: where a point of the card lies in the picture, and the card cut out and straightened.

use crate::geometry::{Corners, Point};
use crate::raster::Raster;
use lens::geometry::distance;

/// A projective map as the rows of a 3 × 3 matrix.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Projection([[f32; 3]; 3]);

impl Projection {
    /// The map of a rectangle, `width` × `height` with its first corner at the origin, onto four corners (Heckbert 1989,
    /// section 2.2.3); `None` where three of them lie on a line.
    pub(crate) fn of_rectangle(width: f32, height: f32, corners: &Corners) -> Option<Self> {
        let [a, b, c, d] = corners;
        let (dx1, dx2, sx) = (b[0] - c[0], d[0] - c[0], a[0] - b[0] + c[0] - d[0]);
        let (dy1, dy2, sy) = (b[1] - c[1], d[1] - c[1], a[1] - b[1] + c[1] - d[1]);
        let determinant = dx1 * dy2 - dx2 * dy1;
        if determinant.abs() < 1.0 || width <= 0.0 || height <= 0.0 {
            return None;
        }
        let g = (sx * dy2 - dx2 * sy) / determinant;
        let h = (dx1 * sy - sx * dy1) / determinant;
        Some(Self([
            [
                (b[0] - a[0] + g * b[0]) / width,
                (d[0] - a[0] + h * d[0]) / height,
                a[0],
            ],
            [
                (b[1] - a[1] + g * b[1]) / width,
                (d[1] - a[1] + h * d[1]) / height,
                a[1],
            ],
            [g / width, h / height, 1.0],
        ]))
    }

    /// Where a place goes.
    pub(crate) fn place(&self, place: Point) -> Point {
        let [x, y, depth] = self.homogeneous(place);
        [x / depth, y / depth]
    }

    /// The same in homogeneous coordinates: x and y times the depth, and the depth.
    pub(crate) fn homogeneous(&self, [x, y]: Point) -> [f32; 3] {
        self.0.map(|row| row[0] * x + row[1] * y + row[2])
    }

    /// Width over height of the rectangle that this is the map of a unit square onto, as a camera sees it: its axis goes through the
    /// middle of a picture of `size`, its focal length is in pixels (Zhang and He, Whiteboard Scanning, 2004, section 4.2).
    pub(crate) fn proportion(&self, size: [f32; 2], focal_length: f32) -> f32 {
        let [middle_x, middle_y] = size.map(|side| side / 2.0);
        let length = |column: usize| {
            let [x, y, depth] = [0, 1, 2].map(|row| self.0[row][column]);
            let across = (x - middle_x * depth) / focal_length;
            let down = (y - middle_y * depth) / focal_length;
            (across * across + down * down + depth * depth).sqrt()
        };
        length(0) / length(1).max(f32::EPSILON)
    }

    /// The picture under a rectangle of `width` × `height` pixels, cut out straight; averaged where the picture has more pixels.
    pub(crate) fn cut_out(&self, picture: &Raster, width: usize, height: usize) -> Raster {
        let corner = |x: usize, y: usize| self.place([x as f32, y as f32]);
        let (a, b, c) = (corner(0, 0), corner(width, 0), corner(0, height));
        let scale = (distance(a, b) / width as f32).max(distance(a, c) / height as f32);
        let grid = (scale.ceil() as usize).clamp(1, 3);
        let share = 1.0 / (grid * grid) as f32;
        let mut pixels = Vec::with_capacity(width * height * 3);
        let parts = |length: usize| -> Vec<f32> {
            let part = |at: usize| (at / grid) as f32 + ((at % grid) as f32 + 0.5) / grid as f32;
            (0..length * grid).map(part).collect()
        };
        let (columns, rows) = (parts(width), parts(height));
        for down in rows.chunks_exact(grid) {
            for across in columns.chunks_exact(grid) {
                let mut sum = [0.5_f32; 3];
                for &y in down {
                    for &x in across {
                        let [from_x, from_y] = self.place([x, y]);
                        let colour = picture.sample(from_x - 0.5, from_y - 0.5);
                        sum.iter_mut().zip(colour).for_each(|(s, c)| *s += c * share);
                    }
                }
                pixels.extend(sum.map(|v| v as u8));
            }
        }
        Raster::new(width, height, pixels).unwrap_or_else(|| Raster::filled(width, height, [0; 3]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEEN: Corners = [[40.0, 30.0], [210.0, 50.0], [190.0, 160.0], [20.0, 150.0]];

    #[test]
    fn the_corners_go_to_the_corners_and_the_crossing_of_the_diagonals_to_theirs() {
        let projection = Projection::of_rectangle(300.0, 200.0, &SEEN).unwrap();
        let rectangle = [[0.0, 0.0], [300.0, 0.0], [300.0, 200.0], [0.0, 200.0]];
        for (from, to) in rectangle.into_iter().zip(SEEN) {
            let [x, y] = projection.place(from);
            assert!((x - to[0]).abs() < 0.01 && (y - to[1]).abs() < 0.01, "{x} {y} {to:?}");
        }
        let [x, y] = projection.place([150.0, 100.0]);
        let on = |a: [f32; 2], b: [f32; 2]| ((b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0])).abs() / 200.0;
        assert!(on(SEEN[0], SEEN[2]) < 0.1 && on(SEEN[1], SEEN[3]) < 0.1);
        assert!(Projection::of_rectangle(1.0, 1.0, &[[0.0, 0.0]; 4]).is_none());
    }

    #[test]
    fn the_proportion_of_a_card_is_that_of_the_card_however_it_is_tilted() {
        let (size, focal) = ([1600.0, 1200.0], 1300.0);
        for (tilt, turn) in [(0.0_f32, 0.0_f32), (0.5, 0.0), (0.4, 1.0), (-0.5, 0.3)] {
            let corners = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]].map(|[x, y]: [f32; 2]| {
                let (x, y) = (x * 85.6, y * 53.98);
                let (x, y) = (x * turn.cos() - y * turn.sin(), x * turn.sin() + y * turn.cos());
                let (x, depth) = (x * tilt.cos(), 300.0 + x * tilt.sin());
                [800.0 + focal * x / depth, 600.0 + focal * y / depth]
            });
            let seen = Projection::of_rectangle(1.0, 1.0, &corners).unwrap();
            let proportion = seen.proportion(size, focal);
            assert!(
                (proportion - 85.6 / 53.98).abs() < 0.01,
                "{proportion} at {tilt} and {turn}"
            );
        }
    }

    #[test]
    fn what_is_cut_out_has_the_colours_of_its_place() {
        let mut picture = Raster::filled(240, 180, [200; 3]);
        let projection = Projection::of_rectangle(300.0, 200.0, &SEEN).unwrap();
        let [x, y] = projection.place([75.0, 50.0]);
        picture.paste(&Raster::filled(9, 9, [10, 20, 30]), x as usize - 4, y as usize - 4);
        let card = projection.cut_out(&picture, 300, 200);
        assert_eq!(card.sample(75.0, 50.0), [10.0, 20.0, 30.0]);
        assert_eq!(card.sample(225.0, 150.0), [200.0; 3]);
    }
}
