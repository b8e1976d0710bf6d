//! What a phone in a hand does to a document: perspective, a turn, blur, uneven light, glare, noise, JPEG.
//!
//! The figures of the three levels are those the reading of machine-readable zones was tuned and measured with.

use super::picture::Picture;
use crate::Done;
use image::codecs::jpeg::JpegEncoder;
use rand::{Rng, RngExt};
use serde::Serialize;

/// How hard the picture is to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Level {
    /// A flat scan.
    Clean,
    /// A careful photograph.
    Mid,
    /// A careless one: strong perspective, blur, glare, noise, small and heavily compressed.
    Hard,
}

/// What a level does.
struct Wear {
    margin: f32,
    /// Largest shift of a corner, as a share of the width.
    skew: f32,
    degrees: f32,
    size: f32,
    blur: f32,
    shade: f32,
    glare: f32,
    noise: f32,
    width: usize,
    quality: u8,
}

impl Level {
    fn wear(self) -> Wear {
        let clean = Wear {
            margin: 0.06,
            skew: 0.0,
            degrees: 0.0,
            size: 0.97,
            blur: 0.0,
            shade: 0.0,
            glare: 0.0,
            noise: 1.0,
            width: 1600,
            quality: 95,
        };
        let mid = Wear {
            margin: 0.12,
            skew: 0.025,
            degrees: 4.0,
            blur: 1.0,
            shade: 0.2,
            noise: 5.0,
            width: 1280,
            quality: 80,
            ..clean
        };
        match self {
            Self::Clean => clean,
            Self::Mid => mid,
            Self::Hard => Wear {
                skew: 0.05,
                degrees: 9.0,
                size: 0.93,
                blur: 1.6,
                shade: 0.4,
                glare: 170.0,
                noise: 9.0,
                width: 1000,
                quality: 60,
                ..mid
            },
        }
    }
}

/// A photograph of the card on a table, as the bytes of a JPEG.
pub(crate) fn photograph(card: &Picture, level: Level, chance: &mut impl Rng) -> Done<Vec<u8>> {
    let wear = level.wear();
    let (width, height) = (card.width as f32, card.height as f32);
    let table_width = (width * (1.0 + 2.0 * wear.margin)) as usize;
    let table_height = (height * (1.0 + 2.0 * wear.margin) + width * 0.1) as usize;
    let corners = corners(
        &wear,
        (width, height),
        (table_width as f32, table_height as f32),
        chance,
    );
    let mut photo = on_table(card, corners, table_width, table_height, chance);
    if wear.blur > 0.0 {
        photo = photo.blurred(wear.blur);
    }
    let (span_x, span_y) = (table_width as f32, table_height as f32);
    let spot = (
        chance.random_range(0.2..0.8) * span_x,
        chance.random_range(0.3..0.9) * span_y,
    );
    photo.change(|x, y, colour| {
        let light = 1.0 - wear.shade * x / span_x;
        let away = ((x - spot.0) / (0.10 * span_x)).powi(2) + ((y - spot.1) / (0.08 * span_y)).powi(2);
        let glare = wear.glare * (-away).exp();
        colour.map(|value| value * light + glare + wear.noise * normal(chance))
    });
    photo.change(|_, _, colour| colour.map(|value| value.clamp(0.0, 255.0)));
    let small = photo.resized(wear.width, table_height * wear.width / table_width);
    jpeg(&small, wear.quality)
}

/// Where the card's corners come to lie, clockwise from the top left.
fn corners(wear: &Wear, card: (f32, f32), table: (f32, f32), chance: &mut impl Rng) -> [(f32, f32); 4] {
    let turn = if wear.degrees > 0.0 {
        chance.random_range(-wear.degrees..wear.degrees).to_radians()
    } else {
        0.0
    };
    let (sin, cos) = turn.sin_cos();
    [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)].map(|(x, y)| {
        let (x, y) = ((x - 0.5) * card.0 * wear.size, (y - 0.5) * card.1 * wear.size);
        let mut jolt = || {
            if wear.skew > 0.0 {
                chance.random_range(-wear.skew..wear.skew) * card.0
            } else {
                0.0
            }
        };
        (
            x * cos - y * sin + table.0 / 2.0 + jolt(),
            x * sin + y * cos + table.1 / 2.0 + jolt(),
        )
    })
}

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
fn to_unit_square(corners: [(f32, f32); 4]) -> impl Fn(f32, f32) -> (f32, f32) {
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
