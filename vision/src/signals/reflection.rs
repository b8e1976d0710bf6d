//! How much of a document a reflection hides. Where it is brightest, no channel of the camera distinguishes paper from print; around it, the paper is
//! brighter than uneven lighting would make it.

use super::rectified::{COLUMNS, Cell, Rectified, grown};
use super::veil::veiled_share;
use crate::statistics::median;
use lens::regions::regions;

/// From this brightness of its darkest channel on, a cell is burnt out. Paper has a tint: where the camera takes it too bright, one
/// channel is left.
const BURNT: f32 = 252.0;
/// A reflection over less of the document is a glint at its edge, or hides nothing that the rest does not say: on 19 rendered pictures with one that
/// leaves all print legible it took up to 0.018. The smallest of 103 that hid an item took 0.043.
const LEAST_SHARE: f32 = 0.035;
/// A part over more of it is white paper, as of a scan. Of 95 rendered reflections the largest took 0.58.
const MAX_SHARE: f32 = 0.62;
/// Print on a burnt-out cell is brighter than this, too.
const PRINTLESS: f32 = 240.0;
/// Share of a reflection's cells on which there is no print to be seen: 0.65 and more, and 0.49 on white paper with print.
const WITHOUT_PRINT: f32 = 0.62;
/// Cells within which the rim of a reflection lies; between which the paper lies that its light hardly reaches; and between which that lies
/// which shows how the light of the room falls.
const RIM: usize = 2;
const BEYOND: (usize, usize) = (4, 6);
const FURTHER: (usize, usize) = (11, 14);
/// From the rim to the paper beyond, as a share of the way from there to what lies further.
const NEARER: f32 = 4.0 / 7.5;
/// The rim is brighter than the paper beyond by more than this, apart from how the light of the room falls: by 6 and more around 38 rendered
/// reflections, by less than 2 around burnt-out paper on 674 pictures without one.
const BRIGHTER: f32 = 4.0;
/// The same around a part that leaves nothing further: white paper is brighter there by up to 6, too.
const BRIGHTER_ALONE: f32 = 9.0;

/// Share of a document that reflections hide; `portrait` is the box of the face on it (left, top, width, height) in pixels of the picture.
pub(crate) fn reflected_share(document: &Rectified, portrait: Option<[f32; 4]>) -> f32 {
    burnt_out_share(document).max(veiled_share(document, portrait))
}

fn burnt_out_share(document: &Rectified) -> f32 {
    let cells = &document.cells;
    let burnt: Vec<bool> = cells.iter().map(|cell| cell.weakest[1] >= BURNT).collect();
    let share = |part: &[usize]| part.len() as f32 / cells.len() as f32;
    let is_reflection = |part: &Vec<usize>| {
        let is_printless = |index: &&usize| cells[**index].weakest[0] >= PRINTLESS;
        (LEAST_SHARE..MAX_SHARE).contains(&share(part))
            && part.iter().filter(is_printless).count() as f32 >= WITHOUT_PRINT * part.len() as f32
            && fades(cells, &burnt, part)
    };
    let parts = regions(&burnt, COLUMNS);
    // The sum of no numbers is -0.
    let reflections = parts.iter().filter(|part| is_reflection(part));
    reflections.fold(0.0, |sum, part| sum + share(part))
}

/// Whether paper is brighter at the rim of a blown-out part than beyond. The light of a room falls off steadily, also further away; that of a
/// reflection ends.
fn fades(cells: &[Cell], burnt: &[bool], part: &[usize]) -> bool {
    let mut own = vec![false; cells.len()];
    part.iter().for_each(|index| own[*index] = true);
    let paper = |(from, to): (usize, usize)| {
        let (outside, inside) = (grown(&own, from), grown(&own, to));
        let around = (0..cells.len()).filter(|&index| inside[index] && !outside[index] && !burnt[index]);
        median(around.map(|index| cells[index].weakest[2]))
    };
    let (Some(rim), Some(beyond)) = (paper((0, RIM)), paper(BEYOND)) else {
        return false;
    };
    match paper(FURTHER) {
        Some(further) => rim - beyond - (beyond - further).max(0.0) * NEARER > BRIGHTER,
        None => rim - beyond > BRIGHTER_ALONE,
    }
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
        burnt_out_share(&Rectified::of(&seen(gain, radius), &CORNERS).unwrap())
    }

    #[test]
    fn a_lamp_is_told_from_paper_that_the_camera_took_too_bright() {
        for gain in [0.8, 1.0, 1.2] {
            let lamp = share(gain, 120.0);
            assert!(lamp > 0.11, "{lamp} at {gain}");
            assert_eq!(share(gain, 0.0), 0.0, "{gain}");
            assert_eq!(share(gain, 30.0), 0.0, "a glint at {gain}");
        }
        assert_eq!(share(1.0, 380.0), 0.0, "a scan of white paper");
        assert_eq!(share(1.4, 0.0), 0.0, "paper that is burnt out as a whole");
    }

    #[test]
    fn paper_that_is_burnt_out_towards_a_window_fades_on_and_on() {
        let card = card();
        let width = card.width();
        let lit = |(at, value): (usize, &u8)| {
            let gain = 1.55 - 0.95 * (at / 3 % width) as f32 / width as f32;
            (f32::from(*value) * gain).min(255.0) as u8
        };
        let pixels = card.pixels().iter().enumerate().map(lit).collect();
        let towards_a_window = Raster::new(width, card.height(), pixels).unwrap();
        let document = Rectified::of(&towards_a_window, &CORNERS).unwrap();
        let burnt = document.cells.iter().filter(|cell| cell.weakest[1] >= BURNT).count();
        assert!(burnt as f32 > LEAST_SHARE * document.cells.len() as f32);
        assert_eq!(burnt_out_share(&document), 0.0);
    }

    #[test]
    fn white_print_has_no_light_around_it() {
        let mut white = card();
        white.paste(&Raster::filled(300, 250, [254; 3]), 400, 250);
        assert_eq!(burnt_out_share(&Rectified::of(&white, &CORNERS).unwrap()), 0.0);
    }
}
