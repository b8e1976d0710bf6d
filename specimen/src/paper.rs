//! Security background print: fine waves, rosettes, hairlines, a gradient across the card.

use super::picture::{Colour, Picture, mix};
use rand::{Rng, RngExt, seq::IndexedRandom};
use std::f32::consts::TAU;

/// The two tints of a card's gradient.
pub(crate) type Tints = [Colour; 2];

pub(crate) const PAPERS: [Tints; 8] = [
    [[245.0, 235.0, 225.0], [238.0, 226.0, 232.0]],
    [[225.0, 230.0, 242.0], [236.0, 232.0, 244.0]],
    [[228.0, 241.0, 229.0], [240.0, 240.0, 222.0]],
    [[250.0, 228.0, 228.0], [230.0, 226.0, 246.0]],
    [[240.0, 240.0, 240.0], [226.0, 236.0, 240.0]],
    [[222.0, 238.0, 240.0], [248.0, 240.0, 214.0]],
    [[246.0, 222.0, 214.0], [250.0, 240.0, 232.0]],
    [[214.0, 228.0, 218.0], [232.0, 226.0, 208.0]],
];
const INKS: [Colour; 5] = [
    [0.1, 0.3, 1.0],
    [1.0, 0.8, 0.2],
    [0.3, 1.0, 0.5],
    [0.2, 0.9, 0.9],
    [0.9, 0.9, 0.1],
];

/// A sheet of this size in pixels, in one of these tints, or in any.
pub(crate) fn guilloche(width: usize, height: usize, tints: Option<Tints>, chance: &mut impl Rng) -> Picture {
    let [one, other] = tints.unwrap_or_else(|| PAPERS.choose(chance).copied().unwrap_or(PAPERS[0]));
    let (span_x, span_y) = (width as f32, height as f32);
    let lean: f32 = chance.random_range(0.0..1.0);
    let mut sheet = Picture::filled(width, height, one);
    sheet.change(|x, y, colour| mix(colour, other, (x / span_x) * lean + (y / span_y) * (1.0 - lean)));
    let strength = chance.random_range(2.0..9.0);
    for layer in 0..chance.random_range(2..5_u8) {
        let layer = f32::from(layer);
        let phase = chance.random_range(0.0..TAU);
        let (period, bend) = (chance.random_range(6.0..14.0), chance.random_range(40.0..110.0));
        let tint = INKS.choose(chance).copied().unwrap_or(INKS[0]);
        sheet.change(|x, y, colour| {
            let wave = (x / (period + 3.0 * layer) + 6.0 * (y / bend + phase).sin()).sin() * strength;
            std::array::from_fn(|channel| colour[channel] - wave.max(-2.0) * tint[channel])
        });
    }
    for _ in 0..chance.random_range(0..3_u8) {
        rosette(&mut sheet, chance);
    }
    let grain = chance.random_range(0.0..2.0_f32).max(0.01);
    sheet.change(|_, _, colour| {
        let here = chance.random_range(-grain..grain);
        colour.map(|value| value + here)
    });
    sheet
}

fn rosette(sheet: &mut Picture, chance: &mut impl Rng) {
    let (span_x, span_y) = (sheet.width as f32, sheet.height as f32);
    let centre = (
        chance.random_range(0.2..0.95) * span_x,
        chance.random_range(0.2..0.8) * span_y,
    );
    let petals = chance.random_range(7..13_u8);
    let size = chance.random_range(0.18..0.4) * span_y;
    let tint = INKS.choose(chance).copied().unwrap_or(INKS[0]);
    sheet.change(|x, y, colour| {
        let (dx, dy) = (x - centre.0, y - centre.1);
        let reach = dx.hypot(dy) / size;
        if reach > 1.0 {
            return colour;
        }
        let ring = (reach * 40.0 + (dy.atan2(dx) * f32::from(petals)).sin() * 4.0).sin() * 8.0 * (1.0 - reach);
        std::array::from_fn(|channel| colour[channel] - ring * tint[channel])
    });
}
