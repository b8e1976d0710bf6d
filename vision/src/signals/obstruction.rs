//! Whether something lies on a document: fingers, a note. The paper of a document has one colour, apart from the fall of the light,
//! fine print and a portrait; what lies on it is a large and smooth part in another colour, or a field without the background print
//! that the rest of the paper has.

use super::rectified::{COLUMNS, Cell, Paper, ROWS, Rectified};
use crate::statistics::median;
use lens::regions::regions;

/// Root mean square over the channels by which a cell differs from the paper, in steps of 255. Background prints stay below, skin
/// and most notes are 46 and more away (rendered pictures).
const FOREIGN: f32 = 24.0;
/// Mean change from pixel to pixel, across and down together, below which a cell has no print on it.
const SMOOTH: f32 = 6.0;
/// Cells of which no channel is darker are burnt out: reflections are measured elsewhere.
const BURNT: f32 = 245.0;
/// Parts of another colour up to this share of the document are printed on it: a flag, a seal, a title's ground.
const PRINT: f32 = 0.03;
/// A part of which this share lies in the portrait is the portrait: its background, clothes or hair.
const OF_PORTRAIT: f32 = 0.6;
/// How far a portrait reaches beyond the face's box, in widths or heights of the box: left and right, up, down.
const PORTRAIT: [f32; 3] = [0.9, 0.9, 1.3];
/// Patches of bare paper that differ by less have no background print, on paper of this brightness. Notes of 38 rendered pictures
/// reach 1.3, and the largest field of the 190 originals that stays below takes 0.08 of the document, the notes 0.15 and more.
const FLAT: (f32, f32) = (1.5, 230.0);
/// The background print of the rest is this many times as strong: where paper has none, a field without says nothing.
const TEXTURED: f32 = 1.3;
/// Cells that a note is wide and high, at least: margins and the free space beside a zone are narrower.
const NOTE: usize = 6;

/// What the corners of a rectified part belong to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ground {
    /// The document's.
    Document,
    /// Of the print on it. Where that reaches further than the document, the table is a part in another colour: it lies along several
    /// sides, while a hand or a note comes in over one.
    Print,
}

/// Share of a document that something lies on; `portrait` is the box of the face on it (left, top, width, height) in pixels of the
/// picture.
pub(crate) fn obstructed_share(document: &Rectified, ground: Ground, portrait: Option<[f32; 4]>) -> f32 {
    let of_portrait = |index: usize| portrait.is_some_and(|face| in_portrait(face, document.place(index)));
    let of_portrait: Vec<bool> = (0..document.cells.len()).map(of_portrait).collect();
    let foreign = foreign_share(document, ground, &of_portrait);
    match ground {
        Ground::Document => foreign.max(blank_share(document, &of_portrait)),
        Ground::Print => foreign,
    }
}

/// Share of large smooth parts in another colour than the paper's.
fn foreign_share(document: &Rectified, ground: Ground, of_portrait: &[bool]) -> f32 {
    let cells = &document.cells;
    let papers = [0, 1, 2].map(|channel| {
        let value = |(index, cell): (usize, &Cell)| (index, cell.colour[channel]);
        Paper::fit(&cells.iter().enumerate().map(value).collect::<Vec<_>>())
    });
    let foreign = |(index, cell): (usize, &Cell)| cell.change < SMOOTH && is_foreign(cell, &papers, index);
    let foreign: Vec<bool> = cells.iter().enumerate().map(foreign).collect();
    let share = |part: &Vec<usize>| part.len() as f32 / cells.len() as f32;
    let lies_on = |part: &Vec<usize>| {
        let portrait = part.iter().filter(|index| of_portrait[**index]).count();
        (portrait as f32) < OF_PORTRAIT * part.len() as f32 && (ground == Ground::Document || sides(part) < 2)
    };
    let parts = regions(&foreign, COLUMNS);
    let large = parts.iter().filter(|part| share(part) > PRINT && lies_on(part));
    // The sum of no numbers is -0.
    large.map(share).fold(0.0, |sum, part| sum + part)
}

fn is_foreign(cell: &Cell, papers: &[Paper; 3], index: usize) -> bool {
    let off = |channel: usize| cell.colour[channel] - papers[channel].at(index);
    let square: f32 = (0..3).map(|channel| off(channel) * off(channel)).sum();
    square > 3.0 * FOREIGN * FOREIGN && !is_burnt(cell)
}

fn is_burnt(cell: &Cell) -> bool {
    cell.colour.iter().all(|value| *value >= BURNT)
}

/// How many sides of the document a part reaches.
fn sides(part: &[usize]) -> usize {
    let reaches = |is_at: fn(usize, usize) -> bool| part.iter().any(|cell| is_at(cell % COLUMNS, cell / COLUMNS));
    let sides = [
        reaches(|x, _| x == 0),
        reaches(|x, _| x == COLUMNS - 1),
        reaches(|_, y| y == 0),
        reaches(|_, y| y == ROWS - 1),
    ];
    sides.into_iter().filter(|reached| *reached).count()
}

/// Share of the largest rectangle on which there is neither print nor background print, where the rest of the paper has some: a white
/// note on pale paper.
fn blank_share(document: &Rectified, of_portrait: &[bool]) -> f32 {
    let cells = &document.cells;
    let luma = |cell: &Cell| cell.colour.iter().sum::<f32>() / 3.0;
    let (flat, bright) = FLAT;
    let flat = flat * median(cells.iter().map(luma)).unwrap_or_default() / bright;
    let blank = |(cell, portrait): (&Cell, &bool)| cell.texture < flat && !portrait && !is_burnt(cell);
    let blank: Vec<bool> = cells.iter().zip(of_portrait).map(blank).collect();
    let area = largest_rectangle(&blank);
    let rest = cells.iter().zip(&blank).filter(|(_, blank)| !**blank);
    let is_textured = median(rest.map(|(cell, _)| cell.texture)).is_some_and(|rest| rest >= TEXTURED * flat);
    if is_textured {
        area as f32 / cells.len() as f32
    } else {
        0.0
    }
}

/// Cells of the largest rectangle of marked ones that is wide and high enough for a note.
fn largest_rectangle(marked: &[bool]) -> usize {
    let mut heights = [0_usize; COLUMNS];
    let mut largest = 0;
    for row in marked.chunks_exact(COLUMNS) {
        for (height, marked) in heights.iter_mut().zip(row) {
            *height = if *marked { *height + 1 } else { 0 };
        }
        for left in 0..COLUMNS {
            let mut height = ROWS;
            for (width, above) in (1..).zip(&heights[left..]) {
                height = height.min(*above);
                if height < NOTE {
                    break;
                }
                if width >= NOTE {
                    largest = largest.max(width * height);
                }
            }
        }
    }
    largest
}

fn in_portrait([left, top, width, height]: [f32; 4], [x, y]: [f32; 2]) -> bool {
    let [aside, above, below] = PORTRAIT;
    (left - aside * width..left + width * (1.0 + aside)).contains(&x)
        && (top - above * height..top + height * (1.0 + below)).contains(&y)
}

#[cfg(test)]
mod tests {
    use super::super::rectified::tests::{CORNERS, card};
    use super::*;
    use crate::geometry::Corners;
    use crate::raster::Raster;

    fn share_within(picture: &Raster, corners: &Corners, ground: Ground, portrait: Option<[f32; 4]>) -> f32 {
        obstructed_share(&Rectified::of(picture, corners).unwrap(), ground, portrait)
    }

    fn share(picture: &Raster, portrait: Option<[f32; 4]>) -> f32 {
        share_within(picture, &CORNERS, Ground::Document, portrait)
    }

    #[test]
    fn a_note_or_a_finger_on_a_card_is_measured_and_print_in_uneven_light_is_none() {
        assert_eq!(share(&card(), None), 0.0);
        for colour in [[250, 150, 190], [40, 40, 45], [205, 150, 120]] {
            let mut covered = card();
            covered.paste(&Raster::filled(300, 250, colour), 400, 250);
            let share = share(&covered, None);
            assert!((0.12..0.2).contains(&share), "{share} {colour:?}");
        }
    }

    #[test]
    fn a_note_of_the_papers_colour_lacks_its_background_print() {
        let mut covered = card();
        covered.paste(&Raster::filled(300, 250, [212, 208, 190]), 400, 250);
        let noted = share(&covered, None);
        assert!((0.12..0.2).contains(&noted), "{noted}");
        let mut strip = card();
        strip.paste(&Raster::filled(700, 60, [212, 208, 190]), 150, 500);
        assert_eq!(share(&strip, None), 0.0, "the free space of a zone");
        let mut plain = Raster::filled(1060, 700, [60, 50, 45]);
        plain.paste(&Raster::filled(856, 540, [212, 208, 190]), 100, 80);
        assert_eq!(share(&plain, None), 0.0, "paper without any background print");
    }

    #[test]
    fn what_comes_in_over_one_side_of_the_print_lies_on_it_and_the_table_beside_it_does_not() {
        let mut held = card();
        held.paste(&Raster::filled(130, 600, [205, 150, 120]), 500, 300);
        let print = [[290.0, 115.0], [790.0, 115.0], [790.0, 575.0], [290.0, 575.0]];
        let over = share_within(&held, &print, Ground::Print, None);
        assert!(over > 0.12, "{over}");
        let beyond = [[290.0, 115.0], [1050.0, 115.0], [1050.0, 690.0], [290.0, 690.0]];
        assert_eq!(share_within(&card(), &beyond, Ground::Print, None), 0.0);
        assert!(share_within(&card(), &beyond, Ground::Document, None) > 0.1);
    }

    #[test]
    fn the_portrait_and_a_burnt_out_reflection_lie_under_nothing() {
        let mut portrait = card();
        portrait.paste(&Raster::filled(200, 280, [90, 110, 140]), 120, 200);
        assert!(share(&portrait, None) > 0.1);
        assert!(share(&portrait, Some([180.0, 280.0, 80.0, 100.0])) < 0.01);
        let mut reflection = card();
        reflection.paste(&Raster::filled(300, 250, [254; 3]), 400, 250);
        assert!(share(&reflection, None) < 0.01);
    }
}
