//! Backgrounds: wood, cloth, printed paper, a plain or uneven table, and other objects.

use super::{
    letters::{Pen, Types},
    picture::{Colour, Picture, mix},
};
use rand::{Rng, RngExt};
use std::f32::consts::TAU;

/// A table top of so many pixels.
pub(crate) fn top(width: usize, height: usize, types: &Types, chance: &mut impl Rng) -> Picture {
    let shade: f32 = chance.random_range(25.0..235.0);
    let base: Colour = std::array::from_fn(|_| (shade + chance.random_range(-26.0..26.0_f32)).clamp(8.0, 248.0));
    let mut desk = Picture::filled(width, height, base);
    match chance.random_range(0..6_u8) {
        0 => wood(&mut desk, chance),
        1 => cloth(&mut desk, chance),
        2 => printed_paper(&mut desk, types, chance),
        3 => blotches(&mut desk, chance),
        _ => {}
    }
    let grain = chance.random_range(0.5..7.0_f32);
    desk.change(|_, _, colour| {
        let here = chance.random_range(-grain..grain);
        colour.map(|value| value + here)
    });
    desk
}

fn wood(desk: &mut Picture, chance: &mut impl Rng) {
    let brown = [
        chance.random_range(120.0..190.0),
        chance.random_range(80.0..130.0),
        chance.random_range(40.0..90.0),
    ];
    let (period, bend) = (chance.random_range(9.0..40.0), chance.random_range(100.0..400.0));
    let along = chance.random_bool(0.5);
    desk.change(|x, y, _| {
        let (x, y) = if along { (x, y) } else { (y, x) };
        let ring = (y / period + (x / bend).sin() * 3.0 + (x / 37.0 + y / 11.0).sin() * 0.4).sin();
        mix(brown, [40.0, 26.0, 14.0], 0.22 + 0.18 * ring)
    });
}

fn cloth(desk: &mut Picture, chance: &mut impl Rng) {
    let period = chance.random_range(3.0..9.0);
    let depth = chance.random_range(6.0..22.0);
    desk.change(|x, y, colour| {
        let weave = (x / period * TAU).sin() * (y / period * TAU).sin() * depth;
        colour.map(|value| value + weave)
    });
}

fn blotches(desk: &mut Picture, chance: &mut impl Rng) {
    let waves: Vec<(f32, f32, f32)> = (0..5)
        .map(|_| {
            (
                chance.random_range(-0.02..0.02),
                chance.random_range(-0.02..0.02),
                chance.random_range(0.0..TAU),
            )
        })
        .collect();
    desk.change(|x, y, colour| {
        let sum: f32 = waves.iter().map(|(a, b, phase)| (x * a + y * b + phase).sin()).sum();
        colour.map(|value| value + sum * 7.0)
    });
}

fn printed_paper(desk: &mut Picture, types: &Types, chance: &mut impl Rng) {
    const WORDS: [&str; 5] = [
        "Minutes of the meeting and the list of what is to be bought before the end of the month",
        "本日の予定と買い物の一覧 牛乳 卵 食パン 玉ねぎ 単三電池",
        "Gas, water and rent are due; the plumber comes in the morning",
        "会議室の予約は前日の午後五時までにお願いします",
        "2 kg flour, 12 eggs, 1 l milk, 250 g butter",
    ];
    let paper: f32 = chance.random_range(200.0..250.0);
    desk.change(|_, _, _| [paper, paper, paper - 4.0]);
    let em = chance.random_range(16.0..34.0);
    let pen = Pen {
        hand: types.plain(),
        em,
        squeeze: 1.0,
        tracking: 0.0,
        colour: [60.0; 3],
        ink: 0.9,
        pitch: None,
    };
    let mut y = em;
    while y < desk.height as f32 {
        let words = WORDS[chance.random_range(0..WORDS.len())];
        pen.write(desk, words, chance.random_range(-200.0..60.0), y);
        y += em * 1.7;
    }
}

/// Another card: of a shop, without names, numbers or a portrait.
pub(crate) fn other_card(types: &Types, chance: &mut impl Rng) -> Picture {
    let colour: Colour = std::array::from_fn(|_| chance.random_range(40.0..230.0));
    let mut card = Picture::filled(856, 540, colour);
    let light = if colour.iter().sum::<f32>() > 400.0 {
        [30.0; 3]
    } else {
        [235.0; 3]
    };
    let pen = Pen {
        hand: types.plain_bold(),
        em: 70.0,
        squeeze: 1.0,
        tracking: 0.0,
        colour: light,
        ink: 0.95,
        pitch: None,
    };
    let name = ["HARBOUR CAFE", "ポイントカード", "BOOKS & TEA", "GYM 24", "港図書"][chance.random_range(0..5)];
    pen.write(&mut card, name, 60.0, 120.0);
    Pen { em: 36.0, ..pen }.write(&mut card, "Thank you for your visit", 60.0, 470.0);
    card
}

/// Colour of a hand.
pub(crate) fn skin(chance: &mut impl Rng) -> Colour {
    let dark: f32 = chance.random_range(0.35..1.0);
    [232.0 * dark, 188.0 * dark, 160.0 * dark]
}

/// A finger from one point to another, of this width; with a nail at its tip.
pub(crate) fn finger(on: &mut Picture, from: (f32, f32), tip: (f32, f32), width: f32, skin: Colour) {
    let (dx, dy) = (tip.0 - from.0, tip.1 - from.1);
    let length = dx.hypot(dy).max(1.0);
    let (ux, uy) = (dx / length, dy / length);
    on.change(|x, y, colour| {
        let (px, py) = (x - from.0, y - from.1);
        let along = px * ux + py * uy;
        let across = (px * uy - py * ux) / width;
        let beyond = ((along - length).max(0.0) / width).hypot(across);
        if beyond >= 0.5 || along < -width {
            return colour;
        }
        let round = 1.0 - (beyond * 2.0).powi(3) * 0.45;
        let nail = ((along - length + width * 0.1) / (width * 0.42)).hypot(across / 0.28);
        let tone = if nail < 1.0 {
            mix(skin, [245.0, 215.0, 205.0], 0.5)
        } else {
            skin
        };
        mix(
            colour,
            tone.map(|value| value * round),
            ((0.5 - beyond) * 14.0).clamp(0.0, 1.0),
        )
    });
}
