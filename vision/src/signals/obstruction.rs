//! Whether something lies on a document: fingers, a note. The paper of a document has one colour, apart from the fall of the light,
//! fine print and a portrait; what lies on it is a large and smooth part in another colour.

use crate::projection::{Corners, Projection};
use crate::raster::Raster;
use lens::regions::regions;

/// Cells that the document is divided into, across and down, and their side in pixels: a cell is 2 mm of a card.
const COLUMNS: usize = 43;
const ROWS: usize = 27;
const CELL: usize = 8;
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
/// Rounds of fitting the paper's colour, each without what fits badly.
const ROUNDS: usize = 4;
/// Differences that count as paper at least, however well the rest fits.
const PAPER: f32 = 4.0;

/// Share of the document with these corners that something lies on; `portrait` is the box of the face on it (left, top, width,
/// height), both in pixels of the picture. `None` where the corners are those of no card.
pub(crate) fn obstructed_share(picture: &Raster, corners: &Corners, portrait: Option<[f32; 4]>) -> Option<f32> {
    let (width, height) = (COLUMNS * CELL, ROWS * CELL);
    let projection = Projection::of_rectangle(width as f32, height as f32, corners)?;
    let card = projection.cut_out(picture, width, height);
    let cells: Vec<Cell> = (0..COLUMNS * ROWS).map(|index| Cell::of(&card, index)).collect();
    let papers = [0, 1, 2].map(|channel| Paper::fit(&cells, channel));
    let foreign = |(index, cell): (usize, &Cell)| cell.is_smooth && cell.is_foreign(&papers, index);
    let foreign: Vec<bool> = cells.iter().enumerate().map(foreign).collect();
    let is_of_portrait = |index: usize| {
        let middle = |position: usize| (position * CELL + CELL / 2) as f32;
        let place = projection.place([middle(index % COLUMNS), middle(index / COLUMNS)]);
        portrait.is_some_and(|face| in_portrait(face, place))
    };
    let lies_on = |part: &Vec<usize>| {
        let of_portrait = part.iter().filter(|index| is_of_portrait(**index)).count();
        (of_portrait as f32) < OF_PORTRAIT * part.len() as f32
    };
    let share = |part: &Vec<usize>| part.len() as f32 / cells.len() as f32;
    let parts = regions(&foreign, COLUMNS);
    let large = parts.iter().filter(|part| share(part) > PRINT && lies_on(part));
    // The sum of no numbers is -0.
    Some(large.map(share).fold(0.0, |sum, part| sum + part))
}

/// A small part of the document.
struct Cell {
    /// Median of each channel.
    colour: [f32; 3],
    is_smooth: bool,
}

impl Cell {
    fn of(card: &Raster, index: usize) -> Self {
        let (left, top) = (index % COLUMNS * CELL, index / COLUMNS * CELL);
        let pixel = |x: usize, y: usize| -> [f32; 3] {
            let at = (y.min(card.height() - 1) * card.width() + x.min(card.width() - 1)) * 3;
            std::array::from_fn(|channel| f32::from(card.pixels()[at + channel]))
        };
        let luma = |x, y| pixel(x, y).iter().sum::<f32>() / 3.0;
        let places = || (top..top + CELL).flat_map(|y| (left..left + CELL).map(move |x| (x, y)));
        let change: f32 = places()
            .map(|(x, y)| (luma(x, y) - luma(x + 1, y)).abs() + (luma(x, y) - luma(x, y + 1)).abs())
            .sum();
        let colour = std::array::from_fn(|channel| {
            let mut values: Vec<f32> = places().map(|(x, y)| pixel(x, y)[channel]).collect();
            median(&mut values)
        });
        Self {
            colour,
            is_smooth: change < SMOOTH * (CELL * CELL) as f32,
        }
    }

    fn is_foreign(&self, papers: &[Paper; 3], index: usize) -> bool {
        let off = |channel: usize| self.colour[channel] - papers[channel].at(index);
        let square: f32 = (0..3).map(|channel| off(channel) * off(channel)).sum();
        square > 3.0 * FOREIGN * FOREIGN && self.colour.iter().any(|value| *value < BURNT)
    }
}

/// The brightness of bare paper in one channel: a plane, since light falls unevenly.
struct Paper([f32; 3]);

impl Paper {
    /// Least squares over the cells, again and again without the half that fits worst.
    fn fit(cells: &[Cell], channel: usize) -> Self {
        let mut values: Vec<f32> = cells.iter().map(|cell| cell.colour[channel]).collect();
        let mut paper = Self([median(&mut values), 0.0, 0.0]);
        for _ in 0..ROUNDS {
            let off = |index: usize| (cells[index].colour[channel] - paper.at(index)).abs();
            let mut offs: Vec<f32> = (0..cells.len()).map(off).collect();
            let limit = (median(&mut offs) * 2.0).max(PAPER);
            let kept = (0..cells.len()).filter(|&index| off(index) <= limit);
            let Some(better) = least_squares(kept.map(|index| (terms(index), cells[index].colour[channel]))) else {
                return paper;
            };
            paper = Self(better);
        }
        paper
    }

    fn at(&self, index: usize) -> f32 {
        terms(index)
            .iter()
            .zip(self.0)
            .map(|(term, factor)| term * factor)
            .sum()
    }
}

/// What a cell's brightness depends on: nothing, its place across and its place down, both -1 to 1.
fn terms(index: usize) -> [f32; 3] {
    let share = |position: usize, count: usize| position as f32 / (count - 1) as f32 * 2.0 - 1.0;
    [1.0, share(index % COLUMNS, COLUMNS), share(index / COLUMNS, ROWS)]
}

/// The factors of the terms with the least squared error, by Cramer's rule; `None` where the places say too little.
fn least_squares(points: impl Iterator<Item = ([f32; 3], f32)>) -> Option<[f32; 3]> {
    let (mut left, mut right) = ([[0.0_f32; 3]; 3], [0.0_f32; 3]);
    for (terms, value) in points {
        for row in 0..3 {
            right[row] += terms[row] * value;
            for column in 0..3 {
                left[row][column] += terms[row] * terms[column];
            }
        }
    }
    let whole = determinant(&left);
    (whole.abs() > 1.0).then(|| {
        std::array::from_fn(|column| {
            let mut replaced = left;
            for (row, value) in replaced.iter_mut().zip(right) {
                row[column] = value;
            }
            determinant(&replaced) / whole
        })
    })
}

fn determinant([a, b, c]: &[[f32; 3]; 3]) -> f32 {
    a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) + a[2] * (b[0] * c[1] - b[1] * c[0])
}

fn in_portrait([left, top, width, height]: [f32; 4], [x, y]: [f32; 2]) -> bool {
    let [aside, above, below] = PORTRAIT;
    (left - aside * width..left + width * (1.0 + aside)).contains(&x)
        && (top - above * height..top + height * (1.0 + below)).contains(&y)
}

/// The middle value; 0 of none.
fn median(values: &mut [f32]) -> f32 {
    let index = values.len() / 2;
    if index >= values.len() {
        return 0.0;
    }
    *values.select_nth_unstable_by(index, f32::total_cmp).1
}

#[cfg(test)]
mod tests {
    use super::*;

    const CORNERS: Corners = [[100.0, 80.0], [956.0, 80.0], [956.0, 620.0], [100.0, 620.0]];

    /// Cream paper in light that falls from the left, with lines of print, on a dark table.
    fn card() -> Raster {
        let mut table = Raster::filled(1060, 700, [60, 50, 45]);
        for x in 100..956 {
            let light = ((x - 100) / 20) as u8;
            table.paste(&Raster::filled(1, 540, [235 - light, 225 - light, 205 - light]), x, 80);
        }
        for line in 0..12 {
            for letter in 0..40 {
                table.paste(&Raster::filled(5, 12, [40; 3]), 300 + letter * 12, 120 + line * 40);
            }
        }
        table
    }

    #[test]
    fn a_note_or_a_finger_on_a_card_is_measured_and_print_in_uneven_light_is_none() {
        assert_eq!(obstructed_share(&card(), &CORNERS, None), Some(0.0));
        for colour in [[250, 150, 190], [40, 40, 45], [205, 150, 120]] {
            let mut covered = card();
            covered.paste(&Raster::filled(300, 250, colour), 400, 250);
            let share = obstructed_share(&covered, &CORNERS, None).unwrap();
            assert!((0.12..0.2).contains(&share), "{share} {colour:?}");
        }
    }

    #[test]
    fn the_portrait_and_a_burnt_out_reflection_lie_under_nothing() {
        let mut portrait = card();
        portrait.paste(&Raster::filled(200, 280, [90, 110, 140]), 120, 200);
        assert!(obstructed_share(&portrait, &CORNERS, None).unwrap() > 0.1);
        let face = [180.0, 280.0, 80.0, 100.0];
        assert!(obstructed_share(&portrait, &CORNERS, Some(face)).unwrap() < 0.01);
        let mut reflection = card();
        reflection.paste(&Raster::filled(300, 250, [254; 3]), 400, 250);
        assert!(obstructed_share(&reflection, &CORNERS, None).unwrap() < 0.01);
    }

    #[test]
    fn corners_in_one_place_measure_nothing() {
        assert_eq!(obstructed_share(&card(), &[[5.0, 5.0]; 4], None), None);
    }
}
