//! Altered documents and pictures: changed digits, a replaced portrait.

use super::{
    label::{Corners, Deceit, Field, Item},
    letters::Types,
    page::Page,
    picture::{Picture, mix},
};
use rand::{Rng, RngExt, seq::IndexedRandom};

/// Writes other digits over a number or a date, in another font or slightly displaced; `None` if no item contains digits.
pub(crate) fn digits(page: &mut Page<'_>, types: &Types, chance: &mut impl Rng) -> Option<Deceit> {
    let able = |field: &&mut Field| {
        let number = matches!(
            field.name,
            Item::DocumentNumber | Item::BirthDate | Item::ExpiryDate | Item::IssueDate
        );
        number && field.corners.is_some() && field.text.chars().any(|c| c.is_ascii_digit())
    };
    let mut fields: Vec<&mut Field> = page.printed.fields.iter_mut().filter(able).collect();
    let index = chance.random_range(0..fields.len().max(1));
    let field = fields.get_mut(index)?;
    let was = field.text.clone();
    field.text = other_digits(&was, chance);
    field.normalized.clear();
    field.also.clear();
    field.wanted = false;
    let (item, text, corners) = (field.name, field.text.clone(), field.corners?);
    let [[left, top], _, [right, bottom], _] = corners;
    erase(
        &mut page.picture,
        [left, top, right, bottom].map(|mm| mm * page.scale),
        chance,
    );
    let mut pen = page.fill_pen(1.0);
    let size = chance.random_range(0.93..1.07);
    pen.em = (bottom - top) / 0.96 * page.scale * size;
    // Half of the forgers do not have the issuer's font.
    if chance.random_bool(0.5) {
        pen.hand = types.latin(chance);
    }
    pen.squeeze *= ((right - left) * page.scale / pen.width(&text).max(1.0)).clamp(0.6, 1.25);
    let drop = chance.random_range(-0.25..0.25);
    let baseline = (bottom - 0.14 * (bottom - top) + drop) * page.scale;
    pen.write(&mut page.picture, &text, left * page.scale, baseline);
    Some(Deceit {
        what: "altered",
        item: Some(item),
        was: Some(was),
        digital: false,
    })
}

/// The text with one to three of its digits changed.
fn other_digits(text: &str, chance: &mut impl Rng) -> String {
    let places: Vec<usize> = text
        .char_indices()
        .filter(|(_, c)| c.is_ascii_digit())
        .map(|(at, _)| at)
        .collect();
    let mut changed = text.to_owned();
    for _ in 0..chance.random_range(1..=3) {
        let Some(&at) = places.choose(chance) else { break };
        let old = text[at..].chars().next().and_then(|c| c.to_digit(10)).unwrap_or(0);
        let new = (old + chance.random_range(1..10)) % 10;
        changed.replace_range(at..=at, &new.to_string());
    }
    changed
}

/// Fills an area with its surroundings above and below, slightly off in colour.
fn erase(picture: &mut Picture, [left, top, right, bottom]: [f32; 4], chance: &mut impl Rng) {
    let source = picture.clone();
    let off = chance.random_range(-7.0..7.0_f32);
    picture.change(|x, y, colour| {
        if x < left || x > right || y < top || y > bottom {
            return colour;
        }
        let down = (y - top) / (bottom - top).max(1.0);
        mix(source.at(x, top - 2.0), source.at(x, bottom + 2.0), down).map(|value| value + off)
    });
}

/// Covers the printed portrait with another person's, cut out with straight edges.
pub(crate) fn portrait(
    page: &mut Page<'_>,
    other: impl FnOnce(usize, usize) -> Picture,
    chance: &mut impl Rng,
) -> Option<Deceit> {
    let [left, top, width, height] = page.printed.portrait?;
    let grow = chance.random_range(0.98..1.06);
    let (dx, dy) = (chance.random_range(-0.7..0.7), chance.random_range(-0.7..0.7));
    let (wide, high) = (width * grow * page.scale, height * grow * page.scale);
    let mut photo = other(wide as usize, high as usize);
    let (light, soft) = (chance.random_range(0.82..1.16_f32), chance.random_range(0.0..1.6_f32));
    if soft > 0.4 {
        photo = photo.blurred(soft);
    }
    photo.change(|_, _, colour| colour.map(|value| value * light));
    let at = |mm: f32| (mm.max(0.0) * page.scale) as usize;
    let (x, y) = (at(left + dx), at(top + dy));
    page.picture.paste(&photo, x, y);
    Some(Deceit {
        what: "portrait",
        item: None,
        was: None,
        digital: false,
    })
}

/// The first photograph with an upright piece of the second: the trace of an image editor.
pub(crate) fn pasted(first: &Picture, second: &Picture, piece: Corners) -> Picture {
    let bounds = |axis: usize| {
        let values = piece.map(|corner| corner[axis]);
        (
            values.iter().copied().fold(f32::MAX, f32::min),
            values.iter().copied().fold(f32::MIN, f32::max),
        )
    };
    let ((left, right), (top, bottom)) = (bounds(0), bounds(1));
    let mut out = first.clone();
    out.change(|x, y, colour| {
        if x >= left && x <= right && y >= top && y <= bottom {
            second.at(x, y)
        } else {
            colour
        }
    });
    out
}
