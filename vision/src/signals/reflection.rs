//! What the reflection of a lamp hides of a document. Where it is brightest, no channel of the camera tells paper from print; around it, the paper is
//! brighter than uneven lighting would make it.

use super::rectified::{COLUMNS, Cell, Rectified, grown};
use crate::statistics::median;
use lens::regions::regions;

/// From this brightness of its darkest channel on, a cell is burnt out. Paper has a tint: where the camera takes it too bright, one
/// channel is left.
const BURNT: f32 = 252.0;
/// A reflection over less of the document is a glint at its edge, or hides nothing that the rest does not say: on 19 rendered pictures
/// with one that leaves all print legible it took up to 0.018, on 57 with one that does not 0.11 and more. White paper in bright light passed for
/// one on 3 of 190 whole documents, over up to 0.05.
const LEAST_SHARE: f32 = 0.07;
/// A part over more of it is white paper, as of a scan. Of 57 rendered reflections one took more.
const MAX_SHARE: f32 = 0.5;
/// Print on a burnt-out cell is brighter than this, too.
const PRINTLESS: f32 = 240.0;
/// Share of a reflection's cells on which there is no print to be seen: 0.65 and more, and 0.49 on white paper with print.
const WITHOUT_PRINT: f32 = 0.62;
/// Cells within which the rim of a reflection lies; and between which the paper lies that its light hardly reaches.
const RIM: usize = 2;
const BEYOND: (usize, usize) = (4, 6);
/// The rim is brighter than the paper beyond by more than this: by 12 and more around reflections, by up to 6 around white paper, on which
/// light falls unevenly, too.
const BRIGHTER: f32 = 9.0;

/// Share of a document that reflections hide.
pub(crate) fn reflected_share(document: &Rectified) -> f32 {
    let cells = &document.cells;
    let burnt: Vec<bool> = cells.iter().map(|cell| cell.weakest[1] >= BURNT).collect();
    let share = |part: &[usize]| part.len() as f32 / cells.len() as f32;
    let is_reflection = |part: &Vec<usize>| {
        let is_printless = |index: &&usize| cells[**index].weakest[0] >= PRINTLESS;
        (LEAST_SHARE..MAX_SHARE).contains(&share(part))
            && part.iter().filter(is_printless).count() as f32 >= WITHOUT_PRINT * part.len() as f32
            && fading(cells, &burnt, part) > BRIGHTER
    };
    let parts = regions(&burnt, COLUMNS);
    // The sum of no numbers is -0.
    let reflections = parts.iter().filter(|part| is_reflection(part));
    reflections.fold(0.0, |sum, part| sum + share(part))
}

/// How much brighter paper is at the rim of a burnt-out part than beyond.
fn fading(cells: &[Cell], burnt: &[bool], part: &[usize]) -> f32 {
    let mut own = vec![false; cells.len()];
    part.iter().for_each(|index| own[*index] = true);
    let within = |steps: usize| grown(&own, steps);
    let paper = |inside: &[bool], outside: &[bool]| {
        let around = (0..cells.len()).filter(|&index| inside[index] && !outside[index] && !burnt[index]);
        median(around.map(|index| cells[index].weakest[2]))
    };
    let rim = paper(&within(RIM), &own);
    let beyond = paper(&within(BEYOND.1), &within(BEYOND.0));
    rim.zip(beyond).map_or(0.0, |(rim, beyond)| rim - beyond)
}

#[cfg(test)]
mod tests {
    use super::super::rectified::tests::{CORNERS, card};
    use super::*;
    use crate::raster::Raster;

    /// A card as a camera sees it that takes it so much brighter, with the reflection of a lamp of this radius.
    fn seen(gain: f32, radius: f32) -> Raster {
        let card = card();
        let (width, height) = (card.width(), card.height());
        let lit = |(at, value): (usize, &u8)| {
            let (x, y) = ((at / 3 % width) as f32, (at / 3 / width) as f32);
            let far = (x - 560.0).hypot(y - 330.0) / radius.max(1.0);
            let lamp = if radius > 0.0 { 330.0 / (1.0 + far.powi(6)) } else { 0.0 };
            (f32::from(*value) * gain + lamp).min(255.0) as u8
        };
        let pixels = card.pixels().iter().enumerate().map(lit).collect();
        Raster::new(width, height, pixels).unwrap()
    }

    fn share(gain: f32, radius: f32) -> f32 {
        reflected_share(&Rectified::of(&seen(gain, radius), &CORNERS).unwrap())
    }

    #[test]
    fn a_lamp_is_told_from_paper_that_the_camera_took_too_bright() {
        for gain in [0.8, 1.0, 1.2] {
            let lamp = share(gain, 120.0);
            assert!(lamp > 0.08, "{lamp} at {gain}");
            assert_eq!(share(gain, 0.0), 0.0, "{gain}");
            assert_eq!(share(gain, 30.0), 0.0, "a glint at {gain}");
        }
        assert_eq!(share(1.0, 380.0), 0.0, "a scan of white paper");
        assert_eq!(share(1.4, 0.0), 0.0, "paper that is burnt out as a whole");
    }

    #[test]
    fn white_print_has_no_light_around_it() {
        let mut white = card();
        white.paste(&Raster::filled(300, 250, [254; 3]), 400, 250);
        assert_eq!(reflected_share(&Rectified::of(&white, &CORNERS).unwrap()), 0.0);
    }
}
