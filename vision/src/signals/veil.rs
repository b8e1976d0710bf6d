//! The reflection of a window or a lamp that lies over print like a veil. Its light adds to that of paper and ink alike: paper is brighter than
//! around it, and ink is grey. Nothing has to be blown out, since cameras compress highlights.

use super::rectified::{COLUMNS, Cell, Paper, Rectified, grown};
use crate::statistics::{median, quantile};
use lens::regions::regions;

/// Paper under a reflection exceeds the brightness that the room's light gives it by more than this, on a scale of 255. The second limit is for a
/// reflection that fades out: print at its rim is still black.
const BRIGHTER: [f32; 2] = [10.0, 20.0];
/// The median of its cells exceeds it by at least this: by 14.6 and more under 24 rendered reflections. Alone, that proves nothing.
const AT_ITS_MEDIAN: f32 = 14.0;
/// A reflection takes this share of a document at least. Smaller ones hide a word at most, and bright parts of a print are as large.
const LEAST_SHARE: f32 = 0.10;
/// At most this share of its cells has dark ink; outside reflections, 0.1 to 0.3 of all cells have some.
const DARK_PRINT: f32 = 0.12;
/// Dark ink is darker than its paper by this share of the paper's brightness.
const DARK: f32 = 0.35;
/// The strongest tenth of its print is weaker than that of the rest by this factor: 0.17 to 0.79 under 22 reflections, 0.95 and more where paper is
/// bright for another reason, as beside a shadow.
const WEAKER: f32 = 0.8;
/// The strongest tenth begins here.
const STRONG: [usize; 2] = [9, 10];

/// Share of a document, or of the part of it that has print, that lies under such a reflection. `portrait` is the box of the face on it (left, top, width,
/// height) in pixels of the picture: a portrait's background is bright, and has no print.
pub(crate) fn veiled_share(document: &Rectified, portrait: Option<[f32; 4]>) -> f32 {
    let (cells, of_portrait) = (&document.cells, document.of_portrait(portrait));
    let light: Vec<(usize, f32)> = cells.iter().map(|cell| cell.weakest[2]).enumerate().collect();
    let paper = Paper::fit(&light);
    let brighter: Vec<f32> = light.iter().map(|&(index, value)| value - paper.at(index)).collect();
    let shares = BRIGHTER.map(|limit| {
        let is_bright = |(&more, &of_portrait): (&f32, &bool)| more > limit && !of_portrait;
        let bright: Vec<bool> = brighter.iter().zip(&of_portrait).map(is_bright).collect();
        let veils = regions(&bright, COLUMNS);
        let near = grown(&bright, 1);
        let beside = (0..cells.len()).filter(|&index| !near[index] && !of_portrait[index]);
        let usual = strength(beside.map(|index| &cells[index]));
        let share = |part: &[usize]| part.len() as f32 / cells.len() as f32;
        let is_veil = |part: &&Vec<usize>| {
            share(part) >= LEAST_SHARE
                && median(part.iter().map(|&index| brighter[index])).is_some_and(|more| more >= AT_ITS_MEDIAN)
                && is_washed_out(part.iter().map(|&index| &cells[index]), usual)
        };
        veils.iter().filter(is_veil).map(|part| share(part)).fold(0.0, f32::max)
    });
    shares.into_iter().fold(0.0, f32::max)
}

/// Whether the print of these cells is weaker than the `usual` one.
fn is_washed_out<'a>(cells: impl ExactSizeIterator<Item = &'a Cell> + Clone, usual: f32) -> bool {
    let all = cells.len() as f32;
    let dark = cells.clone().filter(|cell| contrast(cell) > DARK).count() as f32;
    dark <= DARK_PRINT * all && strength(cells) <= WEAKER * usual
}

/// How much darker than its paper the print of a cell is, as a share of the paper.
fn contrast(cell: &Cell) -> f32 {
    let [print, _, paper] = cell.weakest;
    (paper - print) / paper.max(1.0)
}

/// The contrast that a tenth of the cells exceed; 0 of none.
fn strength<'a>(cells: impl Iterator<Item = &'a Cell>) -> f32 {
    quantile(cells.map(contrast), STRONG).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::super::rectified::tests::{CORNERS, card};
    use super::*;
    use crate::raster::Raster;

    /// The test card, with what `lit` makes of each value at a place.
    fn share(lit: impl Fn(f32, f32, f32) -> f32) -> f32 {
        let card = card();
        let width = card.width();
        let seen = |(at, value): (usize, &u8)| {
            let (x, y) = ((at / 3 % width) as f32, (at / 3 / width) as f32);
            lit(f32::from(*value), x, y).min(255.0) as u8
        };
        let pixels = card.pixels().iter().enumerate().map(seen).collect();
        let seen = Raster::new(width, card.height(), pixels).unwrap();
        let document = Rectified::of(&seen, &CORNERS).unwrap();
        veiled_share(&document, None)
    }

    fn is_in_window(x: f32, y: f32) -> bool {
        (450.0..750.0).contains(&x) && (200.0..500.0).contains(&y)
    }

    #[test]
    fn a_window_that_makes_ink_grey_is_a_reflection_though_nothing_is_burnt_out() {
        // What is bright is compressed: paper of 190 becomes 218, and ink of 40 becomes 180.
        let veil = share(|value, x, y| {
            if is_in_window(x, y) {
                180.0 + (value - 40.0) * 0.25
            } else {
                value
            }
        });
        assert!(veil > 0.15, "{veil}");
        assert_eq!(share(|value, _, _| value), 0.0);
    }

    #[test]
    fn paper_beside_a_shadow_is_brighter_and_its_ink_is_black() {
        let beside = share(|value, x, y| if is_in_window(x, y) { value } else { value * 0.7 });
        assert_eq!(beside, 0.0);
    }
}
