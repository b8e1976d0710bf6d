//! Turns the head of a frontal photograph, with the parallax of a real one.
//!
//! The head is modelled as an ellipsoid with a nose, with the photograph as its skin. The result is no portrait, but the nose
//! moves further than the cheeks and the far cheek disappears behind it, which a tilted photograph cannot do.

use super::picture::Picture;

/// Position of the head. All lengths are in pixels.
#[derive(Clone, Copy)]
pub(crate) struct Head {
    /// The middle between the eyes.
    pub(crate) eyes: (f32, f32),
    /// The distance between the eyes, the unit of every other length of a head.
    pub(crate) apart: f32,
}

/// Half the width and half the height of a head with its hair, in eye distances.
const HALF: (f32, f32) = (1.40, 2.0);
/// How far the centre of the head is below the eyes.
const CENTRE_Y: f32 = 0.25;
/// From the rotation axis to the face.
const DEPTH: f32 = 1.55;
/// Distance of the camera: an arm's length.
const CAMERA: f32 = 9.0;
/// Beyond the head, the movement fades out until this many head radii.
const FADE: f32 = 1.55;
/// Side of a square of the mesh.
const STEP: f32 = 3.0;

/// How far a point of the face protrudes, and how much of the rotation it follows.
fn relief(x: f32, y: f32) -> (f32, f32) {
    let reach = ((x / HALF.0).powi(2) + ((y - CENTRE_Y) / HALF.1).powi(2)).sqrt();
    let bump = |height: f32, at_y: f32, wide: f32, tall: f32| {
        height * (-(x / wide).powi(2) - ((y - at_y) / tall).powi(2)).exp()
    };
    let skull = DEPTH * (1.0 - (reach * reach).min(1.0)).sqrt();
    let nose = bump(0.36, 0.66, 0.20, 0.22) + bump(0.16, 0.30, 0.16, 0.32);
    let chin = bump(0.10, 1.55, 0.35, 0.25);
    let follows = ((FADE - reach) / (FADE - 1.0)).clamp(0.0, 1.0);
    (skull + nose + chin, follows * follows * (3.0 - 2.0 * follows))
}

/// Position of a point of the frontal picture after the rotation, and its depth.
fn turned_point(head: Head, yaw: f32, x: f32, y: f32) -> [f32; 3] {
    let (dx, dy) = ((x - head.eyes.0) / head.apart, (y - head.eyes.1) / head.apart);
    let (out, follows) = relief(dx, dy);
    let (sin, cos) = yaw.sin_cos();
    let project = |across: f32, near: f32| {
        let grow = CAMERA / (CAMERA - near);
        (across * grow, dy * grow)
    };
    let (from_x, from_y) = project(dx, out);
    let near = out * cos - dx * sin;
    let (to_x, to_y) = project(dx * cos + out * sin, near);
    [
        x + (to_x - from_x) * follows * head.apart,
        y + (to_y - from_y) * follows * head.apart,
        near * follows,
    ]
}

impl Head {
    /// How much of the light from the camera's direction falls on a place of a straight head and its shoulders: 1 in the middle, less
    /// towards the sides, 0 beside it.
    pub(crate) fn facing(self, x: f32, y: f32) -> f32 {
        let (dx, dy) = ((x - self.eyes.0) / self.apart, (y - self.eyes.1) / self.apart);
        let reach = ((dx / HALF.0).powi(2) + ((dy - CENTRE_Y) / HALF.1).powi(2)).sqrt();
        // The shoulders begin below the chin and are as wide as the photographs leave them.
        let shoulders = dy > CENTRE_Y + HALF.1 * 0.9 && (dx / 2.6).abs() < 1.0;
        match reach {
            _ if reach < 1.0 => 0.35 + 0.65 * (1.0 - reach * reach).sqrt(),
            _ if shoulders => 0.5,
            _ => 0.0,
        }
    }
}

/// The picture with the head turned; positive turns the nose to the picture's right.
pub(crate) fn turned(frontal: &Picture, head: Head, yaw: f32) -> Picture {
    if yaw == 0.0 {
        return frontal.clone();
    }
    let mut out = frontal.clone();
    let mut depth = vec![f32::NEG_INFINITY; out.pixels.len()];
    let (half_x, half_y) = (HALF.0 * FADE * head.apart, HALF.1 * FADE * head.apart);
    let (left, top) = (head.eyes.0 - half_x, head.eyes.1 + CENTRE_Y * head.apart - half_y);
    let (columns, rows) = ((2.0 * half_x / STEP) as usize, (2.0 * half_y / STEP) as usize);
    for row in 0..rows {
        for column in 0..columns {
            let (x, y) = (left + column as f32 * STEP, top + row as f32 * STEP);
            let corner = |dx: f32, dy: f32| {
                let (x, y) = (x + dx * STEP, y + dy * STEP);
                (turned_point(head, yaw, x, y), (x, y))
            };
            let square = [corner(0.0, 0.0), corner(1.0, 0.0), corner(1.0, 1.0), corner(0.0, 1.0)];
            for triangle in [[square[0], square[1], square[2]], [square[0], square[2], square[3]]] {
                draw(&mut out, &mut depth, frontal, triangle);
            }
        }
    }
    out
}

/// A corner of a triangle: its position and the source of its colour.
type Corner = ([f32; 3], (f32, f32));

/// Draws one triangle of skin if nothing nearer was drawn.
fn draw(out: &mut Picture, depth: &mut [f32], skin: &Picture, triangle: [Corner; 3]) {
    let [(a, from_a), (b, from_b), (c, from_c)] = triangle;
    let area = (b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1]);
    // A triangle seen from behind is the far side of the head.
    if area <= 1e-6 {
        return;
    }
    let least = |axis: usize| a[axis].min(b[axis]).min(c[axis]).floor().max(0.0) as usize;
    let most = |axis: usize| a[axis].max(b[axis]).max(c[axis]).ceil().max(0.0) as usize;
    for y in least(1)..=most(1).min(out.height - 1) {
        for x in least(0)..=most(0).min(out.width - 1) {
            let (px, py) = (x as f32, y as f32);
            let of_b = ((px - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (py - a[1])) / area;
            let of_c = ((b[0] - a[0]) * (py - a[1]) - (px - a[0]) * (b[1] - a[1])) / area;
            let of_a = 1.0 - of_b - of_c;
            // Slightly over the edge, so that no gap remains between neighbours.
            if of_a < -0.01 || of_b < -0.01 || of_c < -0.01 {
                continue;
            }
            let near = of_a * a[2] + of_b * b[2] + of_c * c[2];
            let index = y * out.width + x;
            if near > depth[index] {
                depth[index] = near;
                let from_x = of_a * from_a.0 + of_b * from_b.0 + of_c * from_c.0;
                let from_y = of_a * from_a.1 + of_b * from_b.1 + of_c * from_c.1;
                out.pixels[index] = skin.at(from_x, from_y);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: Head = Head {
        eyes: (100.0, 100.0),
        apart: 40.0,
    };

    #[test]
    fn the_nose_moves_further_than_the_cheeks() {
        let nose = turned_point(HEAD, 0.5, 100.0, 100.0 + 0.66 * 40.0)[0] - 100.0;
        let cheek = turned_point(HEAD, 0.5, 100.0 + 0.8 * 40.0, 130.0)[0] - (100.0 + 0.8 * 40.0);
        assert!(nose > cheek + 8.0, "nose {nose}, cheek {cheek}");
    }

    #[test]
    fn the_far_background_stays_where_it_is() {
        assert_eq!(turned_point(HEAD, 0.5, 300.0, 100.0)[..2], [300.0, 100.0]);
    }
}
