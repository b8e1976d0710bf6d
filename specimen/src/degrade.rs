//! Turns a document into a photograph: the table, the projective map, noise, JPEG.

use super::picture::Picture;
use crate::Done;
use image::codecs::jpeg::JpegEncoder;
use rand::{Rng, RngExt};

/// Lays the card on a table with its corners at these places.
pub(crate) fn on_table(
    card: &Picture,
    corners: [(f32, f32); 4],
    width: usize,
    height: usize,
    chance: &mut impl Rng,
) -> Picture {
    let shade: f32 = chance.random_range(40.0..140.0);
    let mut table = Picture::filled(width, height, [shade; 3]);
    let (last_x, last_y) = ((card.width - 1) as f32, (card.height - 1) as f32);
    let back = to_unit_square(corners);
    table.change(|x, y, colour| {
        let (u, v) = back(x, y);
        if (0.0..=1.0).contains(&u) && (0.0..=1.0).contains(&v) {
            return card.at(u * last_x, v * last_y);
        }
        let grain: f32 = chance.random_range(0.0..12.0);
        colour.map(|value| value + grain)
    });
    table
}

/// The projective map that takes the corners to the unit square (Heckbert 1989, inverted by the adjugate).
pub(crate) fn to_unit_square(corners: [(f32, f32); 4]) -> impl Fn(f32, f32) -> (f32, f32) {
    let [(x0, y0), (x1, y1), (x2, y2), (x3, y3)] = corners;
    let (dx1, dx2, dx3) = (x1 - x2, x3 - x2, x0 - x1 + x2 - x3);
    let (dy1, dy2, dy3) = (y1 - y2, y3 - y2, y0 - y1 + y2 - y3);
    let whole = dx1 * dy2 - dx2 * dy1;
    let (g, h) = ((dx3 * dy2 - dx2 * dy3) / whole, (dx1 * dy3 - dx3 * dy1) / whole);
    let (a, b, c) = (x1 - x0 + g * x1, x3 - x0 + h * x3, x0);
    let (d, e, f) = (y1 - y0 + g * y1, y3 - y0 + h * y3, y0);
    let adjugate = [
        [e - f * h, c * h - b, b * f - c * e],
        [f * g - d, a - c * g, c * d - a * f],
        [d * h - e * g, b * g - a * h, a * e - b * d],
    ];
    move |x, y| {
        let [u, v, w] = adjugate.map(|row| row[0] * x + row[1] * y + row[2]);
        (u / w, v / w)
    }
}

/// A number from the normal distribution (Box and Muller).
pub(crate) fn normal(chance: &mut impl Rng) -> f32 {
    let one: f32 = chance.random_range(f32::EPSILON..1.0);
    let two: f32 = chance.random_range(0.0..std::f32::consts::TAU);
    (-2.0 * one.ln()).sqrt() * two.cos()
}

/// The bytes of a JPEG.
pub(crate) fn jpeg(picture: &Picture, quality: u8) -> Done<Vec<u8>> {
    let mut bytes = Vec::new();
    picture
        .to_rgb()
        .write_with_encoder(JpegEncoder::new_with_quality(&mut bytes, quality))?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corners_map_onto_the_unit_square() {
        let corners = [(10.0, 20.0), (110.0, 25.0), (120.0, 90.0), (5.0, 80.0)];
        let back = to_unit_square(corners);
        for ((x, y), wanted) in corners
            .into_iter()
            .zip([(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)])
        {
            let (u, v) = back(x, y);
            assert!(
                (u - wanted.0).abs() < 1e-3 && (v - wanted.1).abs() < 1e-3,
                "{u} {v} is not {wanted:?}"
            );
        }
    }
}
