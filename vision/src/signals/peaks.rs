//! Regular rasters: the grid of a screen or of a printer appears in the spectrum as two isolated peaks at a right angle, one for its rows and
//! one for its columns. The fine lines of a document's background produce peaks as high, but in one direction only. A printer's dots have the
//! same pitch all over the sheet, so that their peaks are in the same place in every tile, however faint they are in each.

use super::spectrum::{TILE, amplitudes, cycles, is_of_blocks};
use crate::geometry::{Corners, rectangle};
use crate::raster::Raster;
use crate::statistics::median;
use std::f32::consts::SQRT_2;

/// Tiles looked at, spread over the picture.
const MAX_TILES: usize = 24;
/// With fewer places on a document the whole picture says more.
const LEAST_PLACES: usize = 4;
/// A raster changes the brightness by this many steps at least; what is fainter is the grid of the blocks of a JPEG that was resized.
const LEAST_AMPLITUDE: f32 = 0.25;
/// Rows and columns of a screen seen at a slant: the cosine of their angle, and how many times finer the one may look.
const CROSSING: f32 = 0.35;
const FINER: f32 = 2.0;
/// Frequencies below this hold the document's own print, those near the end the sensor's noise.
const LOWEST_RING: usize = 30;
const HIGHEST_RING: usize = TILE / 2 - 2;
/// Rows and columns next to the axes hold the edges of the document.
const AXIS: usize = 3;
/// The spread of a ring never counts as less: JPEG leaves some rings almost empty.
const LEAST_SPREAD: f32 = 0.2;
/// Beside the amplitude of a place whose logarithm is averaged over tiles: empty places are alike.
const FLOOR: f32 = 1.0;
/// A single tile counts with so much at most: its raster may be printed on a part of the document.
const MOST_OF_TILE: f32 = 10.0;
/// Of a normal distribution, the standard deviation is so many times the median distance from the median.
const NORMAL: f32 = 1.4826;

/// What is measured of regular rasters on a document, both z-scores of the weaker of two crossing peaks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Rasters {
    /// Against its ring, the median over tiles: a raster that is strong everywhere, and may change from place to place, as a screen's at a slant does.
    pub(crate) each: f32,
    /// In the mean of all tiles: one that is the same everywhere, and may be faint, as a printer's is.
    pub(crate) steady: f32,
}

/// The rasters of a document, or of the whole picture where there are too few tiles of it; `None` for a picture below a tile. Cloth below a document may
/// have a raster as regular as a screen's.
///
/// `is_on_document` is asked for the middle half of a tile, which the window lets through almost alone.
pub(crate) fn rasters(picture: &Raster, is_on_document: impl Fn(&Corners) -> bool) -> Option<Rasters> {
    let places = places(picture, is_on_document);
    let rings = Rings::new();
    let mut mean = Mean::default();
    let mut each = Vec::new();
    for index in spread(places.len()) {
        let (x, y) = places[index];
        let spectrum = amplitudes(&picture.crop(x, y, TILE, TILE)?.luma());
        each.push(weaker_of_crossing(&rings.peaks(&spectrum)));
        mean.add(&rings.heights(&spectrum));
    }
    Some(Rasters {
        each: median(each)?,
        steady: weaker_of_crossing(&rings.peaks_of_mean(&mean)),
    })
}

/// Which of so many tiles to look at: they are divided into [`MAX_TILES`] parts, and of each part one is taken, at a place that differs. The same place would
/// be one column of the tiles where a row has as many as a part.
fn spread(tiles: usize) -> impl Iterator<Item = usize> {
    let chosen = tiles.min(MAX_TILES);
    let step = tiles as f32 / chosen.max(1) as f32;
    (0..chosen).map(move |index| ((index as f32 + (index as f32 * SQRT_2).fract()) * step) as usize)
}

/// Where tiles begin: over each other on the document where that leaves enough of them, else side by side over the picture.
fn places(picture: &Raster, is_on_document: impl Fn(&Corners) -> bool) -> Vec<(usize, usize)> {
    let (width, height) = (picture.width(), picture.height());
    if width < TILE || height < TILE {
        return Vec::new();
    }
    let all = |step: usize| {
        let starts = move |length: usize| (0..=length - TILE).step_by(step);
        starts(height).flat_map(move |y| starts(width).map(move |x| (x, y)))
    };
    let middle_half = |x: usize, y: usize| {
        let sides = [x + TILE / 4, y + TILE / 4, x + TILE * 3 / 4, y + TILE * 3 / 4];
        rectangle(sides.map(|side| side as f32))
    };
    let on_document: Vec<_> = all(TILE / 4)
        .filter(|&(x, y)| is_on_document(&middle_half(x, y)))
        .collect();
    if on_document.len() < LEAST_PLACES {
        return all(TILE).collect();
    }
    on_document
}

/// A place of the spectrum, as cycles down and across, and its z-score.
struct Peak {
    at: [f32; 2],
    z: f32,
}

/// The z-score of the highest peak that crosses the highest of all.
fn weaker_of_crossing(peaks: &[Peak]) -> f32 {
    let Some(highest) = peaks.iter().max_by(|a, b| a.z.total_cmp(&b.z)) else {
        return 0.0;
    };
    let length = |[down, across]: [f32; 2]| down.hypot(across);
    let crosses = |other: &&Peak| {
        let cosine =
            (other.at[0] * highest.at[0] + other.at[1] * highest.at[1]) / length(other.at) / length(highest.at);
        let finer = length(other.at) / length(highest.at);
        cosine.abs() < CROSSING && (1.0 / FINER..FINER).contains(&finer)
    };
    peaks.iter().filter(crosses).map(|peak| peak.z).fold(0.0, f32::max)
}

/// Places of the half spectrum by their distance from its middle, and whether a raster may show there; the other half is its mirror.
struct Rings(Vec<Vec<(usize, bool)>>);

impl Rings {
    fn new() -> Self {
        let mut rings = vec![Vec::new(); TILE / 2];
        for (row, column) in (0..TILE).flat_map(|row| (0..=TILE / 2).map(move |column| (row, column))) {
            let high = row.min(TILE - row);
            let radius = (high as f32).hypot(column as f32) as usize;
            if (LOWEST_RING..HIGHEST_RING).contains(&radius) {
                let is_off_axes = high >= AXIS && column >= AXIS;
                let may_show = is_off_axes && !is_of_blocks([row, column].map(cycles));
                rings[radius].push((row * TILE + column, may_show));
            }
        }
        Self(rings)
    }

    /// How far each place that may show a raster is above the median of its ring, in spreads of the ring; 0 elsewhere.
    fn heights(&self, spectrum: &[f32]) -> Vec<f32> {
        let mut heights = vec![0.0; TILE * TILE];
        for ring in self.0.iter().filter(|ring| !ring.is_empty()) {
            let logs: Vec<f32> = ring.iter().map(|(at, _)| (spectrum[*at] + FLOOR).ln()).collect();
            let (middle, spread) = middle_and_spread(&logs);
            for ((at, _), log) in ring.iter().zip(logs).filter(|((_, may_show), _)| *may_show) {
                heights[*at] = ((log - middle) / spread.max(LEAST_SPREAD)).min(MOST_OF_TILE);
            }
        }
        heights
    }

    /// The places that may show a raster, each against all others in the mean of tiles.
    fn peaks_of_mean(&self, mean: &Mean) -> Vec<Peak> {
        let may_show: Vec<usize> = self
            .0
            .iter()
            .flatten()
            .filter(|(_, may_show)| *may_show)
            .map(|(at, _)| *at)
            .collect();
        let heights: Vec<f32> = may_show.iter().map(|&at| mean.at(at)).collect();
        let (middle, spread) = middle_and_spread(&heights);
        let z = |height: f32| (height - middle) / (NORMAL * spread).max(f32::EPSILON);
        let peaks = may_show.iter().zip(heights).map(|(&at, height)| Peak {
            at: [cycles(at / TILE), cycles(at % TILE)],
            z: z(height),
        });
        peaks.collect()
    }

    /// Places that stand out by their amplitude and may show a raster, each against its ring.
    fn peaks(&self, spectrum: &[f32]) -> Vec<Peak> {
        // A sine under a Hann window peaks at its amplitude times an eighth of the tile's pixels.
        let least = (LEAST_AMPLITUDE * (TILE * TILE / 8) as f32).ln();
        let mut peaks = Vec::new();
        for ring in self.0.iter().filter(|ring| !ring.is_empty()) {
            let values: Vec<f32> = ring.iter().map(|(at, _)| (spectrum[*at] + 1e-3).ln()).collect();
            let (middle, spread) = middle_and_spread(&values);
            let spread = spread.max(LEAST_SPREAD);
            let seen = ring
                .iter()
                .zip(&values)
                .filter(|((_, may_show), value)| *may_show && **value >= least);
            peaks.extend(seen.map(|((at, _), value)| Peak {
                at: [cycles(*at / TILE), cycles(*at % TILE)],
                z: (value - middle) / spread,
            }));
        }
        peaks
    }
}

/// The heights of the places, on average over tiles.
#[derive(Default)]
struct Mean {
    sums: Vec<f32>,
    tiles: usize,
}

impl Mean {
    /// Adds a tile. A peak may be a place further in the next one, since the document lies at a slant: each place counts with the highest around it.
    fn add(&mut self, heights: &[f32]) {
        self.sums.resize(heights.len(), 0.0);
        self.tiles += 1;
        // Row by row and without a branch, so that many places are compared at a time.
        let mut beside = heights.to_vec();
        for (highest, row) in beside.chunks_exact_mut(TILE).zip(heights.chunks_exact(TILE)) {
            raise(&mut highest[1..], row);
            raise(highest, &row[1..]);
        }
        for (row, sums) in self.sums.chunks_exact_mut(TILE).enumerate() {
            // The spectrum wraps around at its edges.
            let [above, own, below] = [row + TILE - 1, row, row + 1].map(|row| &beside[row % TILE * TILE..][..TILE]);
            let mut highest = own.to_vec();
            raise(&mut highest, above);
            raise(&mut highest, below);
            sums.iter_mut().zip(highest).for_each(|(sum, highest)| *sum += highest);
        }
    }

    fn at(&self, place: usize) -> f32 {
        self.sums.get(place).map_or(0.0, |sum| sum / self.tiles as f32)
    }
}

/// Raises each value to the other one, where that is higher.
fn raise(values: &mut [f32], others: &[f32]) {
    for (value, other) in values.iter_mut().zip(others) {
        *value = value.max(*other);
    }
}

/// The median of some values, and their median distance from it.
fn middle_and_spread(values: &[f32]) -> (f32, f32) {
    let middle = median(values.iter().copied()).unwrap_or_default();
    let off = values.iter().map(|value| (value - middle).abs());
    (middle, median(off).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::are_inside;

    const ANYWHERE: fn(&Corners) -> bool = |_| false;

    /// Paper with sensor noise from a fixed generator, and waves of this strength with a period of about four pixels: along rows, and
    /// along columns.
    fn page(width: usize, [rows, columns]: [f32; 2]) -> Raster {
        let mut state = 1_u32;
        let mut pixels = Vec::new();
        for (y, x) in (0..600).flat_map(|y| (0..width).map(move |x| (y as f32, x as f32))) {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let noise = (state >> 24) as f32 / 16.0;
            let wave = rows * (x * 1.51 + y * 0.23).sin() + columns * (y * 1.47 - x * 0.19).sin();
            let value = (150.0 + 30.0 * (x / 90.0).sin() + noise + wave).clamp(0.0, 255.0) as u8;
            pixels.extend([value; 3]);
        }
        Raster::new(width, 600, pixels).unwrap()
    }

    #[test]
    fn a_raster_stands_out_and_neither_noise_nor_lines_in_one_direction_do() {
        let z = |waves| rasters(&page(800, waves), ANYWHERE).unwrap().each;
        for plain in [z([0.0, 0.0]), z([6.0, 0.0]), z([0.0, 12.0])] {
            assert!(plain < 6.5, "{plain}");
        }
        let screen = z([6.0, 6.0]);
        assert!(screen > 9.0, "{screen}");
        assert!(rasters(&Raster::filled(200, 300, [9; 3]), ANYWHERE).is_none());
    }

    #[test]
    fn the_dots_of_a_printer_stand_out_of_all_tiles_together_though_they_are_faint_in_each() {
        let found = |waves| rasters(&page(800, waves), ANYWHERE).unwrap();
        for plain in [found([0.0, 0.0]), found([1.0, 0.0]), found([0.0, 1.0])] {
            assert!(plain.steady < 9.0, "{plain:?}");
        }
        let printed = found([0.5, 0.5]);
        assert!(printed.each < 6.5 && printed.steady > 9.0, "{printed:?}");
    }

    #[test]
    fn tiles_are_looked_at_in_many_columns_however_many_are_in_a_row() {
        for (columns, rows) in (4..40).flat_map(|columns| (4..20).map(move |rows| (columns, rows))) {
            let mut of_column = vec![0; columns];
            spread(columns * rows).for_each(|tile| of_column[tile % columns] += 1);
            let most = of_column.iter().max().copied().unwrap_or_default();
            assert!(most <= MAX_TILES / 2, "{most} of {columns} columns in {rows} rows");
        }
    }

    #[test]
    fn the_blocks_of_a_jpeg_are_no_raster() {
        let mut picture = page(800, [0.0, 0.0]).pixels().to_vec();
        let is_corner_of_block = |at: usize| (at / 3 % 800) % 8 < 2 && (at / 3 / 800) % 8 < 2;
        for (at, value) in picture.iter_mut().enumerate().filter(|(at, _)| is_corner_of_block(*at)) {
            *value = value.saturating_add(20 + (at % 3) as u8);
        }
        let found = rasters(&Raster::new(800, 600, picture).unwrap(), ANYWHERE).unwrap();
        assert!(found.each < 6.5 && found.steady < 9.0, "{found:?}");
    }

    #[test]
    fn only_the_document_is_looked_at_where_it_is_known() {
        // A card of plain paper beside one with a raster.
        let mut picture = page(800, [6.0, 6.0]);
        picture.paste(&page(400, [0.0, 0.0]), 0, 0);
        let card = |left: f32| [[left, 0.0], [left + 400.0, 0.0], [left + 400.0, 600.0], [left, 600.0]];
        let on_card = |left: f32| rasters(&picture, |tile| are_inside(&card(left), tile)).unwrap();
        assert!(on_card(0.0).each < 6.5 && on_card(0.0).steady < 9.0);
        assert!(on_card(400.0).each > 9.0);
    }
}
