//! A document cut out, straightened and divided into small cells. Of each cell, a few numbers are kept: its colour, how much is
//! printed on it, how fine its texture is. Obstructions and glare are detected from these.

use crate::geometry::Corners;
use crate::projection::Projection;
use crate::raster::Raster;
use crate::statistics::median;

/// Cells that the document is divided into, across and down, and their side in pixels: a cell is 2 mm of a card.
pub(super) const COLUMNS: usize = 43;
pub(super) const ROWS: usize = 27;
pub(super) const CELL: usize = 8;
const COUNT: usize = COLUMNS * ROWS;
/// Side of the patches whose mean colours show the background print, in pixels: the noise of a camera is finer.
const PATCH: usize = 4;
/// Patches to a cell, across or down.
const FINER: usize = CELL / PATCH;
/// The pixels of a cell, from dark to bright, that stand for the print on it, for all of it, and for its paper.
const RANKS: [usize; 3] = [CELL * CELL / 20, CELL * CELL / 2, CELL * CELL * 3 / 4];
/// Rounds of fitting the paper's brightness, each without what fits badly.
const ROUNDS: usize = 4;
/// Differences that count as paper at least, however well the rest fits.
const PAPER: f32 = 4.0;

/// How far a portrait reaches beyond the face's box, in widths or heights of the box: left and right, up, down.
const PORTRAIT: [f32; 3] = [0.9, 0.9, 1.3];

/// How far beyond an edge the colour beside it is taken, in cells: nearer, the edge or its shadow may be meant. As far within, the outermost row is left out.
const BEYOND: f32 = 1.5;
/// Places of a [`Profile`] to a cell.
pub(super) const FINE: usize = 4;

/// A document seen straight, cell by cell.
pub(crate) struct Rectified {
    pub(super) cells: Vec<Cell>,
    /// Along each [`Edge`], the colour of what lies just beyond it, beside each of its cells; `None` outside the picture.
    pub(super) beyond: [Vec<Option<[f32; 3]>>; 4],
    /// The same more finely, and within: of each edge.
    pub(super) profiles: [Profile; 4],
    /// All of it, [`CELL`] pixels to a cell.
    card: Raster,
    projection: Projection,
}

/// The colours along an edge, [`FINE`] to a cell.
pub(super) struct Profile {
    /// Of the document, just within the edge.
    pub(super) within: Vec<[f32; 3]>,
    /// Of what lies just beyond it; `None` outside the picture.
    pub(super) beyond: Vec<Option<[f32; 3]>>,
}

/// An edge of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Edge {
    Top,
    Right,
    Bottom,
    Left,
}

impl Edge {
    pub(super) const ALL: [Self; 4] = [Self::Top, Self::Right, Self::Bottom, Self::Left];

    /// How many cells lie along it.
    pub(super) const fn length(self) -> usize {
        match self {
            Self::Top | Self::Bottom => COLUMNS,
            Self::Left | Self::Right => ROWS,
        }
    }

    /// How far along the edge a cell lies, and how far from it, both from 0.
    pub(super) const fn place_of(self, index: usize) -> (usize, usize) {
        let (column, row) = (index % COLUMNS, index / COLUMNS);
        match self {
            Self::Top => (column, row),
            Self::Bottom => (column, ROWS - 1 - row),
            Self::Left => (row, column),
            Self::Right => (row, COLUMNS - 1 - column),
        }
    }

    /// The place so far along it, and so far beyond it or, if negative, within, in cells from the left upper corner of the document.
    pub(super) fn place(self, along: f32, beyond: f32) -> [f32; 2] {
        let (width, height) = (COLUMNS as f32, ROWS as f32);
        match self {
            Self::Top => [along, -beyond],
            Self::Bottom => [along, height + beyond],
            Self::Left => [-beyond, along],
            Self::Right => [width + beyond, along],
        }
    }
}

/// A small part of the document.
pub(super) struct Cell {
    /// Median of each channel.
    pub(super) colour: [f32; 3],
    /// Mean change from pixel to pixel, across and down together.
    pub(super) change: f32,
    /// The brightness of each pixel's darkest channel, by [`RANKS`]: of print, of the cell, of paper.
    pub(super) weakest: [f32; 3],
    /// How much the mean colours of small patches in and around it differ.
    pub(super) texture: f32,
}

impl Rectified {
    /// The document with these corners; `None` where they are those of no card.
    pub(crate) fn of(picture: &Raster, corners: &Corners) -> Option<Self> {
        let (width, height) = (COLUMNS * CELL, ROWS * CELL);
        let projection = Projection::of_rectangle(width as f32, height as f32, corners)?;
        let card = projection.cut_out(picture, width, height);
        let patches = Patches::of(&card);
        let cells = (0..COUNT).map(|index| Cell::of(&card, &patches, index)).collect();
        let beyond = Edge::ALL.map(|edge| {
            let colour = |along| colour_around(picture, &projection, edge.place(along as f32 + 0.5, BEYOND));
            (0..edge.length()).map(colour).collect()
        });
        let profiles = Edge::ALL.map(|edge| Profile::of(picture, &projection, edge));
        Some(Self {
            cells,
            beyond,
            profiles,
            card,
            projection,
        })
    }

    /// Which cells are the portrait's, whose face has this box: left, top, width, height in pixels of the picture.
    pub(super) fn of_portrait(&self, face: Option<[f32; 4]>) -> Vec<bool> {
        let [aside, above, below] = PORTRAIT;
        let is_in = |[left, top, width, height]: [f32; 4], [x, y]: [f32; 2]| {
            (left - aside * width..left + width * (1.0 + aside)).contains(&x)
                && (top - above * height..top + height * (1.0 + below)).contains(&y)
        };
        let cells = 0..self.cells.len();
        cells
            .map(|index| face.is_some_and(|face| is_in(face, self.place(index))))
            .collect()
    }

    /// The colour of a pixel.
    pub(super) fn pixel(&self, x: usize, y: usize) -> [f32; 3] {
        let at = (y * self.card.width() + x) * 3;
        [0, 1, 2].map(|channel| f32::from(self.card.pixels()[at + channel]))
    }

    /// Where a pixel stands in the picture.
    pub(super) fn place_of_pixel(&self, pixel: [f32; 2]) -> [f32; 2] {
        self.projection.place(pixel)
    }

    /// Where the middle of a cell stands in the picture.
    pub(super) fn place(&self, index: usize) -> [f32; 2] {
        let middle = |position: usize| (position * CELL + CELL / 2) as f32;
        self.projection
            .place([middle(index % COLUMNS), middle(index / COLUMNS)])
    }
}

impl Profile {
    fn of(picture: &Raster, projection: &Projection, edge: Edge) -> Self {
        let colours = |beyond: f32| {
            let along = (0..edge.length() * FINE).map(|place| (place as f32 + 0.5) / FINE as f32);
            along.map(move |along| colour_around(picture, projection, edge.place(along, beyond)))
        };
        Self {
            within: colours(-BEYOND).map(Option::unwrap_or_default).collect(),
            beyond: colours(BEYOND).collect(),
        }
    }
}

/// The median colour of nine places a quarter of a cell around one, in cells of the rectified document; `None` if one is outside the picture.
fn colour_around(picture: &Raster, projection: &Projection, place: [f32; 2]) -> Option<[f32; 3]> {
    let [x, y] = place.map(|cells| cells * CELL as f32);
    let step = (CELL / 4) as f32;
    let around = [-step, 0.0, step];
    let mut colours = Vec::with_capacity(9);
    for (dx, dy) in around.into_iter().flat_map(|dx| around.map(|dy| (dx, dy))) {
        let [x, y] = projection.place([x + dx, y + dy]);
        let (width, height) = (picture.width(), picture.height());
        if !(0.0..width as f32).contains(&x) || !(0.0..height as f32).contains(&y) {
            return None;
        }
        let at = (y as usize * width + x as usize) * 3;
        colours.push([0, 1, 2].map(|channel| f32::from(picture.pixels()[at + channel])));
    }
    Some([0, 1, 2].map(|channel| median(colours.iter().map(|colour| colour[channel])).unwrap_or_default()))
}

impl Cell {
    fn of(card: &Raster, patches: &Patches, index: usize) -> Self {
        let (left, top) = (index % COLUMNS * CELL, index / COLUMNS * CELL);
        let pixel = |x: usize, y: usize| -> [u8; 3] {
            let at = (y.min(card.height() - 1) * card.width() + x.min(card.width() - 1)) * 3;
            std::array::from_fn(|channel| card.pixels()[at + channel])
        };
        let luma = |x, y| pixel(x, y).iter().map(|value| f32::from(*value)).sum::<f32>() / 3.0;
        let (mut change, mut values) = (0.0, [[0_u8; CELL * CELL]; 4]);
        for at in 0..CELL * CELL {
            let (x, y) = (left + at % CELL, top + at / CELL);
            change += (luma(x, y) - luma(x + 1, y)).abs() + (luma(x, y) - luma(x, y + 1)).abs();
            let [r, g, b] = pixel(x, y);
            for (values, value) in values.iter_mut().zip([r, g, b, r.min(g).min(b)]) {
                values[at] = value;
            }
        }
        values.iter_mut().for_each(|values| values.sort_unstable());
        let [r, g, b, weakest] = values.map(|values| RANKS.map(|rank| f32::from(values[rank])));
        Self {
            colour: [r[1], g[1], b[1]],
            change: change / (CELL * CELL) as f32,
            weakest,
            texture: patches.spread(index % COLUMNS, index / COLUMNS),
        }
    }
}

/// The mean colours of the small patches of a card.
struct Patches(Vec<[f32; 3]>);

impl Patches {
    const COLUMNS: usize = COLUMNS * FINER;

    fn of(card: &Raster) -> Self {
        let mut sums = vec![[0.0_f32; 3]; COUNT * FINER * FINER];
        for (at, pixel) in card.pixels().chunks_exact(3).enumerate() {
            let (x, y) = (at % card.width(), at / card.width());
            let sum = &mut sums[y / PATCH * Self::COLUMNS + x / PATCH];
            for (sum, value) in sum.iter_mut().zip(pixel) {
                *sum += f32::from(*value) / (PATCH * PATCH) as f32;
            }
        }
        Self(sums)
    }

    /// Standard deviation over the patches of a cell and half of its neighbours.
    fn spread(&self, column: usize, row: usize) -> f32 {
        let around = |at: usize, count: usize| {
            (0..2 * FINER).map(move |step| (at * FINER + step).saturating_sub(1).min(count * FINER - 1))
        };
        let (mut sums, mut squares) = ([0.0_f32; 3], 0.0_f32);
        for y in around(row, ROWS) {
            for x in around(column, COLUMNS) {
                for (sum, value) in sums.iter_mut().zip(self.0[y * Self::COLUMNS + x]) {
                    *sum += value;
                    squares += value * value;
                }
            }
        }
        let count = (4 * FINER * FINER) as f32;
        let means: f32 = sums.iter().map(|sum| sum * sum / count).sum();
        ((squares - means) / (3.0 * count)).max(0.0).sqrt()
    }
}

/// The brightness of bare paper: a plane, since light falls unevenly.
pub(super) struct Paper([f32; 3]);

impl Paper {
    /// Least squares over what these cells say, again and again without the half that fits worst.
    pub(super) fn fit(values: &[(usize, f32)]) -> Self {
        let mut paper = Self([
            median(values.iter().map(|(_, value)| *value)).unwrap_or_default(),
            0.0,
            0.0,
        ]);
        for _ in 0..ROUNDS {
            let off = |(index, value): &(usize, f32)| (value - paper.at(*index)).abs();
            let limit = median(values.iter().map(off)).map_or(PAPER, |off| PAPER.max(off * 2.0));
            let kept = values.iter().filter(|value| off(value) <= limit);
            let Some(better) = least_squares(kept.map(|(index, value)| (terms(*index), *value))) else {
                return paper;
            };
            paper = Self(better);
        }
        paper
    }

    pub(super) fn at(&self, index: usize) -> f32 {
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

/// The cells that are at most so many steps across or down from a marked one.
pub(super) fn grown(marked: &[bool], steps: usize) -> Vec<bool> {
    let mut grown = marked.to_vec();
    for _ in 0..steps {
        let before = grown.clone();
        let marked = |x: usize, y: usize| before[y * COLUMNS + x];
        for (index, cell) in grown.iter_mut().enumerate() {
            let (x, y) = (index % COLUMNS, index / COLUMNS);
            *cell |= (x > 0 && marked(x - 1, y))
                || (x + 1 < COLUMNS && marked(x + 1, y))
                || (y > 0 && marked(x, y - 1))
                || (y + 1 < ROWS && marked(x, y + 1));
        }
    }
    grown
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(crate) const CORNERS: Corners = [[100.0, 80.0], [956.0, 80.0], [956.0, 620.0], [100.0, 620.0]];

    /// Cream paper in light that falls from the left, with a faint background print and lines of print, on a dark table.
    pub(crate) fn card() -> Raster {
        let mut table = Raster::filled(1060, 700, [60, 50, 45]);
        for x in 100..956 {
            let light = ((x - 100) / 20) as u8;
            for y in 80..620 {
                let wave = (((x + y / 2) % 30) / 5) as u8 * 3;
                let colour = [235 - light - wave, 225 - light, 190 - light + wave];
                table.paste(&Raster::filled(1, 1, colour), x, y);
            }
        }
        for line in 0..12 {
            for letter in 0..40 {
                table.paste(&Raster::filled(5, 12, [40; 3]), 300 + letter * 12, 120 + line * 40);
            }
        }
        table
    }

    #[test]
    fn paper_is_a_plane_whatever_lies_on_a_part_of_it() {
        let light = |index: usize| 200.0 + 20.0 * terms(index)[1] - 8.0 * terms(index)[2];
        let values: Vec<(usize, f32)> = (0..COUNT)
            .map(|index| (index, if index % COLUMNS < 12 { 90.0 } else { light(index) }))
            .collect();
        let paper = Paper::fit(&values);
        assert!((0..COUNT).all(|index| (paper.at(index) - light(index)).abs() < 0.5));
    }

    #[test]
    fn background_print_is_texture_and_light_is_none() {
        let rectified = Rectified::of(&card(), &CORNERS).unwrap();
        let bare = &rectified.cells[13 * COLUMNS + 3];
        assert!(bare.texture > 2.0, "{}", bare.texture);
        let mut covered = card();
        covered.paste(&Raster::filled(120, 120, [220, 212, 186]), 130, 300);
        let note = &Rectified::of(&covered, &CORNERS).unwrap().cells[13 * COLUMNS + 3];
        assert!(note.texture < 0.2, "{}", note.texture);
    }

    #[test]
    fn corners_in_one_place_are_those_of_no_card() {
        assert!(Rectified::of(&card(), &[[5.0, 5.0]; 4]).is_none());
    }
}
