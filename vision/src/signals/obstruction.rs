//! Whether something covers a document, such as fingers or a note. The paper of a document has one colour, apart from uneven light,
//! fine print and a portrait; an object on it is a large, smooth area in another colour, or an area without the background print of
//! the rest of the paper.

use super::colour::{TINT, brightness, difference, is_of_tint, tint};
use super::rectified::{CELL, COLUMNS, Cell, Edge, Paper, ROWS, Rectified, grown};
use super::strand::strand_cells;
use crate::statistics::median;
use lens::regions::regions;

/// Root mean square over the channels by which a cell differs from the paper, in steps of 255, on paper of this brightness. Background prints stay
/// below, skin and most notes are 46 and more away (rendered pictures). In poor light colours differ by as much less.
const FOREIGN: (f32, f32) = (24.0, 230.0);
/// Mean change from pixel to pixel, across and down together, below which a cell has no print on it; on strong background print, this share of its median.
const SMOOTH: (f32, f32) = (6.0, 0.6);
/// In even poorer light, the camera's noise would be mistaken for colours.
const LEAST_LIGHT: f32 = 0.5;
/// Factors by which a shadow or a lamp changes the light on paper at most.
const SHADE: (f32, f32) = (0.5, 1.5);
/// Cells of which no channel is darker are burnt out: reflections are measured elsewhere.
const BURNT: f32 = 245.0;
/// Parts of another colour up to this share of the document are printed on it: a flag, a seal, a title's ground.
const PRINT: f32 = 0.03;
/// A part of which this share lies in the portrait is the portrait: its background, clothes or hair.
const OF_PORTRAIT: f32 = 0.6;
/// Patches of bare paper that differ by less have no background print, on paper of this brightness. Notes of 38 rendered pictures
/// reach 1.3, and the largest field of the 190 originals that stays below takes 0.08 of the document, the notes 0.15 and more.
const FLAT: (f32, f32) = (1.5, 230.0);
/// The background print of the rest is this many times as strong: where paper has none, a field without says nothing.
const TEXTURED: f32 = 1.3;
/// A note ends at an edge: the cells next to it differ by this and more, as [`FLAT`] is measured. Where a background print fades on 10 originals the middle
/// one reaches 3.9, and 7.9 and more around 8 notes.
const EDGE: f32 = 4.5;
/// Cells that a note is wide and high, at least: margins and the free space beside a zone are narrower.
const NOTE: usize = 6;

/// Colours of two cells that are of one thing differ by less, as [`FOREIGN`] is measured.
const ALIKE: f32 = 22.0;
/// Of the cells along an edge that a part crosses, this share continues beyond it in the same colour.
const GOES_ON: f32 = 0.7;
/// Cells between two parts of one thing, at most.
const NEAR: usize = 3;
/// Cells along the edge and away from it that such a part takes at least, and places beside it that show what else lies beyond. What takes more than half
/// of an edge may be the table, where the edge was not found.
const COMES_IN: (usize, usize) = (2, 3);
const BESIDE: usize = 6;
/// The row of cells that shows at which slant it crosses the edge: as far from the outermost whole one, which is row 1, as that is from the places beyond.
const WITHIN: usize = 4;
/// Cells that it is further along the edge there, at most: it crosses at an angle of up to 53 degrees to the upright.
const SLANT: isize = 4;
/// Share of the document that such a part hides at least, and how many times it counts: nothing that is printed on a document continues beyond its
/// edge, so that it needs no size to be told from print.
const INTRUDING: f32 = 0.012;
const SURE: f32 = 4.0;
/// A part from edge to edge that fills this much of so many rows at most is printed: the magnetic stripe of a card, or the ground of its title.
const STRIPE: (f32, usize) = (0.7, 12);
/// So is a narrower one of which the words of a title take as much.
const TITLE: (f32, usize) = (0.4, 7);
/// Cells from either edge at which it may begin and end: its corners are round.
const NEAR_EDGE: usize = 3;
/// Share of the smallest rectangle around it, at any angle, that a part in the shape of one fills at least: a round seal fills 0.79.
const RECTANGULAR: f32 = 0.87;
/// Degrees between the angles that are tried, and those from the edges of the document from which something lies askew.
const ANGLES: (usize, usize) = (2, 8);

/// What the corners of a rectified part belong to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ground {
    /// The document's.
    Document,
    /// Of the part of the document that its labels are on: what is beyond an edge is on the document as well.
    Labels,
    /// Of the print on it. Where that reaches further than the document, the table is a part in another colour, or several parts in one: it lies along
    /// several sides, while a hand or a note comes in over one.
    Print,
}

/// Share of a document that something lies on; `portrait` is the box of the face on it (left, top, width, height) in pixels of the
/// picture.
pub(crate) fn obstructed_share(document: &Rectified, ground: Ground, portrait: Option<[f32; 4]>) -> f32 {
    let of_portrait = document.of_portrait(portrait);
    let foreign = foreign_share(document, ground, &of_portrait);
    match ground {
        Ground::Document => foreign
            .max(blank_share(document, &of_portrait))
            .max(strand_share(document)),
        Ground::Labels => foreign.max(blank_share(document, &of_portrait)),
        Ground::Print => foreign,
    }
}

/// Share of a page that things lie on which print never resembles, [`SURE`] times: rectangles that lie askew, or a strand. `portrait` as for
/// [`obstructed_share`]. Its edges need not be exact.
pub(crate) fn surely_obstructed_share(page: &Rectified, portrait: Option<[f32; 4]>) -> f32 {
    let of_portrait = page.of_portrait(portrait);
    let bare = Bare::of(&page.cells);
    let parts = regions(&foreign_cells(&page.cells, &bare), COLUMNS);
    let notes = parts.iter().map(|part| askew_note(page, &bare, part, &of_portrait));
    let largest = notes.map(|note| SURE * share(&note)).fold(0.0, f32::max);
    largest.max(strand_share(page)).min(1.0)
}

/// The cells of a note of which a part is free of writing: a rectangle that is large enough, and lies askew on the document. None where there is no note.
fn askew_note(document: &Rectified, bare: &Bare, part: &[usize], of_portrait: &[bool]) -> Vec<usize> {
    if share(part) <= INTRUDING || is_portrait(part, of_portrait) {
        return Vec::new();
    }
    let cells = &document.cells;
    let colour = colour_of(cells, part);
    let is_of_note = |(index, cell): (usize, &Cell)| {
        part.contains(&index) || (bare.is_foreign(cell, index) && are_alike(cell.colour, colour))
    };
    let marked: Vec<bool> = cells.iter().enumerate().map(is_of_note).collect();
    let mut whole = regions(&marked, COLUMNS)
        .into_iter()
        .filter(|all| all.contains(&part[0]));
    whole.next().filter(|note| is_askew(document, note)).unwrap_or_default()
}

/// Share that a strand from edge to edge lies on, [`SURE`] times; 0 for [`INTRUDING`] and less.
fn strand_share(document: &Rectified) -> f32 {
    let share = strand_cells(document) / (COLUMNS * ROWS) as f32;
    if share > INTRUDING {
        (SURE * share).min(1.0)
    } else {
        0.0
    }
}

/// Share of smooth parts in another colour than the paper's: of large ones, and of those that come in over an edge, which count [`SURE`] times.
fn foreign_share(document: &Rectified, ground: Ground, of_portrait: &[bool]) -> f32 {
    let cells = &document.cells;
    let bare = Bare::of(cells);
    let parts = regions(&foreign_cells(cells, &bare), COLUMNS);
    let intruding = match ground {
        Ground::Document => intruders(document, &parts, of_portrait),
        Ground::Labels | Ground::Print => vec![false; parts.len()],
    };
    let lies_on = |part: &Vec<usize>| {
        share(part) > PRINT
            && !is_portrait(part, of_portrait)
            && !is_stripe(part)
            && (ground != Ground::Print || !is_table(cells, part, &parts))
    };
    let hides = |(part, intrudes): (&Vec<usize>, &bool)| {
        if *intrudes {
            SURE * share(part)
        } else if lies_on(part) {
            share(part)
        } else {
            0.0
        }
    };
    let all = parts.iter().zip(&intruding);
    let sum = all.map(hides).fold(0.0, |sum, part| sum + part);
    let notes = parts.iter().map(|part| askew_note(document, &bare, part, of_portrait));
    notes.map(|note| SURE * share(&note)).fold(sum, f32::max).min(1.0)
}

/// Which cells have another colour than the paper and no print on them.
fn foreign_cells(cells: &[Cell], bare: &Bare) -> Vec<bool> {
    let (least, of_print) = SMOOTH;
    let smooth = least.max(of_print * median(cells.iter().map(|cell| cell.change)).unwrap_or_default());
    let is_foreign = |(index, cell): (usize, &Cell)| cell.change < smooth && bare.is_foreign(cell, index);
    cells.iter().enumerate().map(is_foreign).collect()
}

/// Share of the document that a part takes.
fn share(part: &[usize]) -> f32 {
    part.len() as f32 / (COLUMNS * ROWS) as f32
}

/// Whether a part is the portrait, or of it.
fn is_portrait(part: &[usize], of_portrait: &[bool]) -> bool {
    part.iter().filter(|index| of_portrait[**index]).count() as f32 >= OF_PORTRAIT * part.len() as f32
}

/// Whether a part may be the table around the print: it lies along several sides, alone or with others in its colour.
fn is_table(cells: &[Cell], part: &[usize], parts: &[Vec<usize>]) -> bool {
    let reached = sides(part);
    let goes_on = |other: &Vec<usize>| {
        let is_elsewhere = sides(other).iter().zip(reached).any(|(other, own)| *other && !own);
        is_elsewhere && share(other) > INTRUDING && difference(colour_of(cells, other), colour_of(cells, part)) < ALIKE
    };
    match reached.into_iter().filter(|reached| *reached).count() {
        0 => false,
        1 => parts.iter().any(goes_on),
        _ => true,
    }
}

/// Which parts are of something that comes in over an edge and hides more than [`INTRUDING`]: what comes in, and what is near it in the same colour. The
/// lines of a finger and the shadow below it divide it into parts.
fn intruders(document: &Rectified, parts: &[Vec<usize>], of_portrait: &[bool]) -> Vec<bool> {
    let may_belong = |part: &Vec<usize>| !is_stripe(part) && !is_portrait(part, of_portrait);
    let may_belong: Vec<bool> = parts.iter().map(may_belong).collect();
    let mut intruding = vec![false; parts.len()];
    for (first, part) in parts.iter().enumerate() {
        if intruding[first] || !lies_across_edge(document, part) {
            continue;
        }
        let thing = thing_of(first, parts, &may_belong, &document.cells);
        let size: f32 = thing.iter().map(|&of| share(&parts[of])).sum();
        if size > INTRUDING {
            thing.into_iter().for_each(|of| intruding[of] = true);
        }
    }
    intruding
}

/// The parts that are of one thing with the `first`: near it or near another of them, in the same colour.
fn thing_of(first: usize, parts: &[Vec<usize>], may_belong: &[bool], cells: &[Cell]) -> Vec<usize> {
    let mut thing = vec![first];
    let mut next = 0;
    while let Some(&of) = thing.get(next) {
        next += 1;
        for (other, part) in parts.iter().enumerate() {
            if may_belong[other]
                && !thing.contains(&other)
                && are_near(&parts[of], part)
                && is_of_one_thing(cells, &parts[of], part)
            {
                thing.push(other);
            }
        }
    }
    thing
}

/// Whether a part goes on beyond the document: over any edge or, where it is like a printed stripe, over both that it reaches. Such a stripe near the upper
/// or lower edge may be the table, where the edge was not found.
fn lies_across_edge(document: &Rectified, part: &[usize]) -> bool {
    let crossed: Vec<Edge> = Edge::ALL
        .into_iter()
        .zip(&document.beyond)
        .filter(|(edge, beyond)| comes_in(&document.cells, part, *edge, beyond))
        .map(|(edge, _)| edge)
        .collect();
    if !is_stripe(part) {
        return !crossed.is_empty();
    }
    let is_within = |index: &usize| (NEAR_EDGE + 1..ROWS - NEAR_EDGE - 1).contains(&(index / COLUMNS));
    crossed.contains(&Edge::Left) && crossed.contains(&Edge::Right) && part.iter().all(is_within)
}

/// Whether a cell of the one part is within [`NEAR`] of one of the other.
fn are_near(one: &[usize], other: &[usize]) -> bool {
    one.iter().any(|a| {
        let is_near =
            |b: &usize| (a % COLUMNS).abs_diff(b % COLUMNS) <= NEAR && (a / COLUMNS).abs_diff(b / COLUMNS) <= NEAR;
        other.iter().any(is_near)
    })
}

fn is_of_one_thing(cells: &[Cell], one: &[usize], other: &[usize]) -> bool {
    are_alike(colour_of(cells, one), colour_of(cells, other))
}

/// Whether two colours are of one thing, that may be in another light here and there.
fn are_alike(one: [f32; 3], other: [f32; 3]) -> bool {
    let factor = brightness(one) / brightness(other).max(1.0);
    difference(one, other) < ALIKE || ((SHADE.0..1.0 / SHADE.0).contains(&factor) && is_of_tint(one, other))
}

/// Whether a part continues beyond an edge of the document, in its own colour and not in that of the table beside it; `beyond` is what lies beyond that edge.
fn comes_in(cells: &[Cell], part: &[usize], edge: Edge, beyond: &[Option<[f32; 3]>]) -> bool {
    let depth = part.iter().map(|&index| edge.place_of(index).1).max();
    // The outermost cells are of both.
    let at_edge = row_of(part, edge, 1);
    let is_beside = |along: usize| at_edge.iter().all(|(_, touched)| touched.abs_diff(along) > 2);
    let others: Vec<[f32; 3]> = beyond
        .iter()
        .enumerate()
        .filter(|(along, _)| is_beside(*along))
        .filter_map(|(_, colour)| *colour)
        .collect();
    if at_edge.len() < COMES_IN.0
        || 2 * at_edge.len() > edge.length()
        || depth < Some(COMES_IN.1)
        || others.len() < BESIDE
    {
        return false;
    }
    let table = [0, 1, 2].map(|channel| median(others.iter().map(|colour| colour[channel])).unwrap_or_default());
    let goes_on = |shift: isize| {
        let is_seen =
            |&(index, along): &(usize, usize)| {
                let colour = beyond.get(along.checked_add_signed(shift)?)?;
                Some(colour.is_some_and(|colour| {
                    are_alike(colour, cells[index].colour) && difference(colour, table) > FOREIGN.0
                }))
            };
        // Over a corner of the document, some of what lies beyond is not beyond this edge.
        let seen: Vec<bool> = at_edge.iter().filter_map(is_seen).collect();
        let same = seen.iter().filter(|same| **same).count();
        seen.len() >= COMES_IN.0 && 2 * seen.len() >= at_edge.len() && same as f32 >= GOES_ON * seen.len() as f32
    };
    shifts(part, edge).into_iter().any(goes_on)
}

/// The cells of a part that are so far from an edge, each with its place along it.
fn row_of(part: &[usize], edge: Edge, from_edge: usize) -> Vec<(usize, usize)> {
    let place = |&index: &usize| {
        let (along, away) = edge.place_of(index);
        (away == from_edge).then_some((index, along))
    };
    part.iter().filter_map(place).collect()
}

/// How many cells further along an edge a part may be where it is seen beyond: none, or as its two sides run within the document.
fn shifts(part: &[usize], edge: Edge) -> Vec<isize> {
    let ends = |from_edge: usize| {
        let along = row_of(part, edge, from_edge)
            .into_iter()
            .map(|(_, along)| along as isize);
        Some([along.clone().min()?, along.max()?])
    };
    let mut shifts = vec![0];
    if let (Some(at_edge), Some(within)) = (ends(1), ends(WITHIN)) {
        shifts.extend([0, 1].map(|end| (at_edge[end] - within[end]).clamp(-SLANT, SLANT)));
    }
    shifts
}

/// Whether a part reaches from one edge to the opposite one as straight as what is printed.
fn is_stripe(part: &[usize]) -> bool {
    let rows = || part.iter().map(|index| index / COLUMNS);
    let columns = || part.iter().map(|index| index % COLUMNS);
    let (Some(top), Some(bottom)) = (rows().min(), rows().max()) else {
        return false;
    };
    let height = bottom - top + 1;
    let reaches_both =
        columns().any(|column| column <= NEAR_EDGE) && columns().any(|column| column + NEAR_EDGE + 1 >= COLUMNS);
    let fills =
        |(filled, most): (f32, usize)| height <= most && part.len() as f32 >= filled * (height * COLUMNS) as f32;
    reaches_both && (fills(STRIPE) || fills(TITLE))
}

/// Whether a part is a rectangle that lies askew on the document, as a note does. What is printed runs along the edges, or is no rectangle. Compared in the
/// picture: cells of a document whose size is not known are no squares.
fn is_askew(document: &Rectified, part: &[usize]) -> bool {
    // By the ends of each row: what is written on a note leaves holes in it.
    let rows = pixel_rows(document, part);
    let end = |place: usize| move |[y, ends @ ..]: &[f32; 3]| document.place_of_pixel([ends[place], *y]);
    let around: Vec<[f32; 2]> = rows.iter().map(end(0)).chain(rows.iter().rev().map(end(1))).collect();
    let Some([y, first, last]) = rows.get(rows.len() / 2) else {
        return false;
    };
    let [from, to] = [first, last].map(|x| document.place_of_pixel([*x, *y]));
    let edge = (to[1] - from[1]).atan2(to[0] - from[0]);
    let covered = |degrees: usize| -> f32 {
        let (sin, cos) = (edge + (degrees as f32).to_radians()).sin_cos();
        let turned = || around.iter().map(|[x, y]| [x * cos + y * sin, y * cos - x * sin]);
        let extent = |axis: usize| {
            let least = turned().map(|place| place[axis]).fold(f32::INFINITY, f32::min);
            turned().map(|place| place[axis]).fold(f32::NEG_INFINITY, f32::max) - least
        };
        extent(0) * extent(1)
    };
    let (step, askew) = ANGLES;
    let smallest = (0..90).step_by(step).map(|degrees| (degrees, covered(degrees)));
    let smallest = smallest.min_by(|(_, one), (_, other)| one.total_cmp(other));
    smallest.is_some_and(|(degrees, covered)| {
        (askew..=90 - askew).contains(&degrees) && area_of(&around) >= RECTANGULAR * covered
    })
}

/// The area of a polygon.
fn area_of(around: &[[f32; 2]]) -> f32 {
    let next = around.iter().cycle().skip(1);
    let twice: f32 = around
        .iter()
        .zip(next)
        .map(|(one, other)| one[0] * other[1] - other[0] * one[1])
        .sum();
    twice.abs() / 2.0
}

/// The rows of pixels of a part, each with its first and last one: those in the colour of the part, on it or on the cells around it, which are its edges.
fn pixel_rows(document: &Rectified, part: &[usize]) -> Vec<[f32; 3]> {
    let colour = colour_of(&document.cells, part);
    let mut marked = vec![false; COLUMNS * ROWS];
    part.iter().for_each(|index| marked[*index] = true);
    let marked = grown(&marked, 1);
    let is_of_part =
        |x: usize, y: usize| marked[y / CELL * COLUMNS + x / CELL] && are_alike(document.pixel(x, y), colour);
    let row = |y: usize| {
        // Two beside each other: a single one is noise.
        let mut found = (1..COLUMNS * CELL).filter(|x| is_of_part(x - 1, y) && is_of_part(*x, y));
        let first = found.next()?;
        Some([y as f32, first as f32 - 1.0, found.next_back().unwrap_or(first) as f32])
    };
    (0..ROWS * CELL).filter_map(row).collect()
}

/// The paper where nothing lies on it, as it changes from place to place.
struct Bare {
    colours: [Paper; 3],
    /// Red and blue, at the brightness of [`TINT`]: the light changes them little.
    tints: [Paper; 2],
}

impl Bare {
    fn of(cells: &[Cell]) -> Self {
        let fit = |value: &dyn Fn(&Cell) -> f32| {
            let values = cells.iter().enumerate().map(|(index, cell)| (index, value(cell)));
            Paper::fit(&values.collect::<Vec<_>>())
        };
        Self {
            colours: [0, 1, 2].map(|channel| fit(&|cell: &Cell| cell.colour[channel])),
            tints: [0, 1].map(|which| fit(&|cell: &Cell| tint(cell.colour)[which])),
        }
    }

    /// Whether a cell has another colour than the paper, and is not the paper in more or less light.
    fn is_foreign(&self, cell: &Cell, index: usize) -> bool {
        let paper = [0, 1, 2].map(|channel| self.colours[channel].at(index));
        let (foreign, bright) = FOREIGN;
        let light = (brightness(paper) / bright).clamp(LEAST_LIGHT, 1.0);
        difference(cell.colour, paper) > foreign * light && !is_burnt(cell) && !self.is_shade(cell.colour, paper, index)
    }

    fn is_shade(&self, colour: [f32; 3], paper: [f32; 3], index: usize) -> bool {
        let factor = brightness(colour) / brightness(paper).max(1.0);
        let is_of_tint = |(own, paper): (f32, &Paper)| (own - paper.at(index)).abs() < TINT.1;
        (SHADE.0..SHADE.1).contains(&factor) && tint(colour).into_iter().zip(&self.tints).all(is_of_tint)
    }
}

fn is_burnt(cell: &Cell) -> bool {
    cell.colour.iter().all(|value| *value >= BURNT)
}

/// The mean colour of some cells.
fn colour_of(cells: &[Cell], part: &[usize]) -> [f32; 3] {
    [0, 1, 2]
        .map(|channel| part.iter().map(|index| cells[*index].colour[channel]).sum::<f32>() / part.len().max(1) as f32)
}

/// The sides of the document that a part reaches.
fn sides(part: &[usize]) -> [bool; 4] {
    let reaches = |is_at: fn(usize, usize) -> bool| part.iter().any(|cell| is_at(cell % COLUMNS, cell / COLUMNS));
    [
        reaches(|x, _| x == 0),
        reaches(|x, _| x == COLUMNS - 1),
        reaches(|_, y| y == 0),
        reaches(|_, y| y == ROWS - 1),
    ]
}

/// Share of the largest rectangle on which there is neither print nor background print, where the rest of the paper has some: a white
/// note on pale paper.
fn blank_share(document: &Rectified, of_portrait: &[bool]) -> f32 {
    let cells = &document.cells;
    let luma = |cell: &Cell| brightness(cell.colour);
    let (flat, bright) = FLAT;
    let flat = flat * median(cells.iter().map(luma)).unwrap_or_default() / bright;
    let blank = |(cell, portrait): (&Cell, &bool)| cell.texture < flat && !portrait && !is_burnt(cell);
    let blank: Vec<bool> = cells.iter().zip(of_portrait).map(blank).collect();
    let Some(note) = largest_rectangle(&blank) else {
        return 0.0;
    };
    let rest = cells.iter().zip(&blank).filter(|(_, blank)| !**blank);
    let is_textured = median(rest.map(|(cell, _)| cell.texture)).is_some_and(|rest| rest >= TEXTURED * flat);
    let around = (0..cells.len()).filter(|&index| note.is_beside(index));
    let ends = median(around.map(|index| cells[index].texture)).is_some_and(|edge| edge >= EDGE / FLAT.0 * flat);
    if is_textured && ends {
        note.area() as f32 / cells.len() as f32
    } else {
        0.0
    }
}

/// A rectangle of cells; the last ones are part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Block {
    left: usize,
    top: usize,
    right: usize,
    bottom: usize,
}

impl Block {
    const fn area(self) -> usize {
        (self.right - self.left + 1) * (self.bottom - self.top + 1)
    }

    /// Whether a cell is outside, and one of the two next to it.
    fn is_beside(self, index: usize) -> bool {
        let (x, y) = (index % COLUMNS, index / COLUMNS);
        let is_within = |more: usize| {
            (self.left.saturating_sub(more)..=self.right + more).contains(&x)
                && (self.top.saturating_sub(more)..=self.bottom + more).contains(&y)
        };
        is_within(2) && !is_within(0)
    }
}

/// The largest rectangle of marked cells that is wide and high enough for a note.
fn largest_rectangle(marked: &[bool]) -> Option<Block> {
    let mut heights = [0_usize; COLUMNS];
    let mut largest: Option<Block> = None;
    for (bottom, row) in marked.chunks_exact(COLUMNS).enumerate() {
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
                let block = Block {
                    left,
                    top: bottom + 1 - height,
                    right: left + width - 1,
                    bottom,
                };
                if width >= NOTE && largest.is_none_or(|largest| block.area() > largest.area()) {
                    largest = Some(block);
                }
            }
        }
    }
    largest
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
    fn where_a_background_print_fades_there_is_no_note() {
        let mut fading = card();
        // As it becomes fainter from left to right, and is gone.
        for (x, y) in (400..700).flat_map(|x| (250..500).map(move |y| (x, y))) {
            let strength = ((480 - x.min(480)) / 16) as u8;
            let wave = (((x + y / 2) % 30) / 5) as u8 * strength;
            fading.paste(&Raster::filled(1, 1, [212 - wave, 208, 190 + wave]), x, y);
        }
        for (from, to) in [(250, 290), (460, 500)] {
            for (x, y) in (400..700).flat_map(|x| (from..to).map(move |y| (x, y))) {
                let wave = (((x + y / 2) % 30) / 5) as u8 * 2;
                fading.paste(&Raster::filled(1, 1, [212 - wave, 208, 190 + wave]), x, y);
            }
        }
        assert_eq!(share(&fading, None), 0.0);
    }

    #[test]
    fn a_finger_is_one_thing_though_its_joint_divides_it_and_the_light_differs() {
        let mut held = card();
        // In the shadow beyond the card, and brighter on it.
        held.paste(&Raster::filled(60, 60, [150, 108, 86]), 600, 620);
        held.paste(&Raster::filled(60, 80, [188, 136, 108]), 600, 540);
        assert_eq!(share(&held, None), 0.0, "a fingertip hides next to nothing");
        // Beyond the line of its joint.
        held.paste(&Raster::filled(60, 10, [90, 60, 45]), 600, 525);
        held.paste(&Raster::filled(60, 60, [196, 142, 113]), 600, 460);
        assert!(share(&held, None) > 0.06, "{}", share(&held, None));
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
        let wide = [[10.0, 115.0], [1050.0, 115.0], [1050.0, 575.0], [10.0, 575.0]];
        assert_eq!(share_within(&card(), &wide, Ground::Print, None), 0.0, "on either side");
    }

    #[test]
    fn a_finger_that_comes_in_over_an_edge_is_told_however_little_it_hides_and_a_printed_flag_is_not() {
        let skin = [205, 150, 120];
        let mut held = card();
        held.paste(&Raster::filled(100, 250, skin), 500, 450);
        assert!(share(&held, None) > 0.105, "{}", share(&held, None));
        let mut flag = card();
        flag.paste(&Raster::filled(70, 170, skin), 500, 450);
        assert_eq!(share(&flag, None), 0.0, "up to the edge and not beyond");
        // A finger behind the card.
        let mut behind = card();
        behind.paste(&Raster::filled(70, 80, skin), 500, 620);
        assert_eq!(share(&behind, None), 0.0);
    }

    /// The test card with skin wherever this says, by the distance from the card's first corner.
    fn touched(is_skin: impl Fn(f32, f32) -> bool) -> Raster {
        let mut touched = card();
        let skin = Raster::filled(1, 1, [205, 150, 120]);
        for (x, y) in (0..1060_usize).flat_map(|x| (0..700_usize).map(move |y| (x, y))) {
            if is_skin(x as f32 - 100.0, y as f32 - 80.0) {
                touched.paste(&skin, x, y);
            }
        }
        touched
    }

    #[test]
    fn a_finger_is_told_at_whatever_slant_it_comes_in() {
        let over_corner = touched(|x, y| (x - y).abs() < 104.0 && x + y < 300.0);
        assert!(share(&over_corner, None) > 0.105, "{}", share(&over_corner, None));
        let over_edge = touched(|x, y| (x - 400.0 + y - 540.0).abs() < 60.0 && y > 320.0);
        assert!(share(&over_edge, None) > 0.105, "{}", share(&over_edge, None));
        // Behind the card.
        let behind = touched(|x, y| (x - y).abs() < 104.0 && (x < 0.0 || y < 0.0));
        assert_eq!(share(&behind, None), 0.0);
        let print = touched(|x, y| (x - y).abs() < 104.0 && x + y < 300.0 && x >= 0.0 && y >= 0.0);
        assert!(share(&print, None) < 0.06, "{}", share(&print, None));
    }

    #[test]
    fn what_lies_across_the_card_and_goes_on_at_both_ends_is_no_stripe() {
        let ruler = |from: usize, to: usize, top: usize| {
            let mut shown = card();
            shown.paste(&Raster::filled(to - from, 100, [30, 90, 160]), from, top);
            share(&shown, None)
        };
        assert!(ruler(0, 1060, 300) > 0.5, "{}", ruler(0, 1060, 300));
        assert_eq!(ruler(100, 956, 300), 0.0, "printed");
        assert_eq!(ruler(0, 956, 300), 0.0, "beside something of its colour");
        assert_eq!(
            ruler(0, 1060, 520),
            0.0,
            "the table below a card whose edge was not found"
        );
    }

    #[test]
    fn a_small_note_is_told_by_lying_askew_and_a_printed_field_or_a_seal_is_not() {
        let green = Raster::filled(1, 1, [90, 190, 130]);
        let shown = |is_on: &dyn Fn(f32, f32) -> bool| {
            let mut shown = card();
            for (x, y) in (100..956).flat_map(|x| (80..620).map(move |y| (x, y))) {
                if is_on(x as f32 - 520.0, y as f32 - 350.0) {
                    shown.paste(&green, x, y);
                }
            }
            share(&shown, None)
        };
        let turned = |degrees: f32| {
            let (sin, cos) = degrees.to_radians().sin_cos();
            shown(&move |x, y| (x * cos + y * sin).abs() < 85.0 && (y * cos - x * sin).abs() < 70.0)
        };
        for degrees in [12.0, 20.0, 45.0, -15.0] {
            assert!(turned(degrees) > 0.105, "{degrees}: {}", turned(degrees));
        }
        for degrees in [0.0, 2.0, -3.0] {
            assert!(turned(degrees) < 0.07, "{degrees}: {}", turned(degrees));
        }
        assert!(shown(&|x, y| x.hypot(y) < 80.0) < 0.07);
    }

    #[test]
    fn a_cable_across_the_card_is_told_and_one_below_it_or_a_printed_line_is_not() {
        let black = Raster::filled(1, 1, [18, 18, 20]);
        let shown = |is_on: &dyn Fn(f32, f32) -> bool| {
            // On a light table: the cable would not be seen on a dark one.
            let mut shown = Raster::filled(1060, 700, [170, 160, 150]);
            shown.paste(&card().crop(100, 80, 856, 540).unwrap(), 100, 80);
            for (x, y) in (0..1060).flat_map(|x| (0..700).map(move |y| (x, y))) {
                if is_on(x as f32, y as f32) {
                    shown.paste(&black, x, y);
                }
            }
            share(&shown, None)
        };
        let lies_on = |x: f32, y: f32| (y - 300.0 - 40.0 * (x / 200.0).sin()).abs() < 16.0;
        assert!(shown(&lies_on) > 0.105, "{}", shown(&lies_on));
        let is_on_card = |x: f32, y: f32| (100.0..956.0).contains(&x) && (80.0..620.0).contains(&y);
        assert_eq!(shown(&|x, y| lies_on(x, y) && !is_on_card(x, y)), 0.0, "below the card");
        assert!(shown(&|x, y| lies_on(x, y) && is_on_card(x, y)) < 0.05, "printed");
    }

    #[test]
    fn a_strip_of_the_table_within_the_outline_lies_on_nothing() {
        let mut table = card();
        table.paste(&Raster::filled(1060, 80, [150, 110, 75]), 0, 620);
        let low = [CORNERS[0], CORNERS[1], [956.0, 660.0], [100.0, 660.0]];
        assert_eq!(share_within(&table, &low, Ground::Document, None), 0.0);
    }

    #[test]
    fn a_finger_with_wrinkles_is_told_from_a_background_print_that_is_stronger() {
        let mut held = card();
        let striped = |dark: [u8; 3], light: [u8; 3], width: usize, height: usize| {
            let mut field = Raster::filled(width, height, dark);
            for x in (0..width).step_by(4) {
                field.paste(&Raster::filled(2, height, light), x, 0);
            }
            field
        };
        held.paste(&striped([188, 180, 152], [235, 225, 190], 856, 540), 100, 80);
        assert_eq!(share(&held, None), 0.0);
        held.paste(&striped([197, 142, 112], [213, 158, 128], 200, 250), 400, 370);
        assert!(share(&held, None) > 0.1, "{}", share(&held, None));
    }

    #[test]
    fn skin_in_poor_light_differs_as_little_as_the_light_is() {
        let dim = |picture: &Raster| {
            let pixels = picture.pixels().iter().map(|value| value / 2).collect();
            Raster::new(picture.width(), picture.height(), pixels).unwrap()
        };
        let mut held = card();
        held.paste(&Raster::filled(300, 250, [208, 182, 150]), 400, 250);
        let bright = share(&held, None);
        assert!(bright > 0.1, "{bright}");
        assert!((share(&dim(&held), None) - bright).abs() < 0.05);
        assert_eq!(share(&dim(&card()), None), 0.0);
    }

    #[test]
    fn a_shadow_or_a_beam_of_light_lies_on_nothing_and_skin_in_the_same_light_does() {
        let lit = |[left, top, width, height]: [usize; 4], factors: [f32; 3]| {
            let mut shown = card();
            let part = shown.crop(left, top, width, height).unwrap();
            let pixels = part.pixels().iter().zip(factors.into_iter().cycle());
            let pixels = pixels.map(|(value, factor)| (f32::from(*value) * factor).min(255.0) as u8);
            shown.paste(&Raster::new(width, height, pixels.collect()).unwrap(), left, top);
            shown
        };
        // Across a corner of the card and the table beyond, as the shadow of a phone falls.
        let corner = [0, 0, 500, 350];
        assert_eq!(share(&lit(corner, [0.7, 0.71, 0.73]), None), 0.0);
        assert_eq!(share(&lit([400, 250, 300, 250], [1.15, 1.15, 1.17]), None), 0.0);
        assert!(share(&lit(corner, [0.8, 0.6, 0.5]), None) > 0.1);
    }

    #[test]
    fn what_goes_on_beyond_the_part_with_the_labels_is_on_the_document() {
        let mut portrait = card();
        portrait.paste(&Raster::filled(110, 130, [90, 110, 140]), 150, 400);
        let labels = [[200.0, 115.0], [900.0, 115.0], [900.0, 480.0], [200.0, 480.0]];
        let over = share_within(&portrait, &labels, Ground::Document, None);
        assert!(over > 0.05, "{over}");
        assert_eq!(share_within(&portrait, &labels, Ground::Labels, None), 0.0);
    }

    #[test]
    fn the_ground_of_a_title_lies_on_nothing_though_its_words_break_it_up() {
        let mut titled = card();
        titled.paste(&Raster::filled(790, 120, [20, 110, 60]), 133, 85);
        for x in (180..850).step_by(90) {
            titled.paste(&Raster::filled(30, 60, [250, 250, 250]), x, 110);
        }
        assert_eq!(share(&titled, None), 0.0);
    }

    #[test]
    fn a_magnetic_stripe_lies_on_nothing() {
        let mut back = card();
        back.paste(&Raster::filled(856, 90, [25, 25, 30]), 100, 120);
        assert_eq!(share(&back, None), 0.0);
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
