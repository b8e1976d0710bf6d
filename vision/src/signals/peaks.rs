//! Regular rasters: the grid of a screen or of a printer stands out in the spectrum as lonely peaks.

use crate::raster::Raster;
use rustfft::FftPlanner;
use rustfft::num_complex::Complex;
use std::f32::consts::TAU;

/// Side of a tile: fine enough for a grid of a few pixels, small enough to stay flat.
const TILE: usize = 256;
/// Tiles looked at, spread over the picture; the median needs no more.
const MOST_TILES: usize = 12;
/// Frequencies below this hold the document's own print, those near the end the sensor's noise.
const LOWEST_RING: usize = 30;
const HIGHEST_RING: usize = TILE / 2 - 2;
/// Rows and columns next to the axes hold the edges of the document.
const AXIS: usize = 3;
/// The spread of a ring never counts as less: JPEG leaves some rings almost empty.
const LEAST_SPREAD: f32 = 0.2;

/// z-score of the strongest peak against the median of its ring, the median over the tiles; `None` for a picture below a tile.
pub(crate) fn raster_z(picture: &Raster) -> Option<f32> {
    let (columns, rows) = (picture.width() / TILE, picture.height() / TILE);
    let tiles = columns * rows;
    if tiles == 0 {
        return None;
    }
    let luma = picture.luma();
    let mut planner = FftPlanner::<f32>::new();
    let transform = planner.plan_fft_forward(TILE);
    let rings = Rings::new();
    let chosen = tiles.min(MOST_TILES);
    let mut peaks: Vec<f32> = (0..chosen)
        .map(|index| {
            let tile = index * tiles / chosen;
            let (x, y) = (tile % columns * TILE, tile / columns * TILE);
            let mut values = windowed(&luma, picture.width(), x, y);
            for _ in 0..2 {
                values.chunks_exact_mut(TILE).for_each(|row| transform.process(row));
                values = transposed(&values);
            }
            rings.strongest(&values)
        })
        .collect();
    peaks.sort_by(f32::total_cmp);
    peaks.get(peaks.len() / 2).copied()
}

/// A tile without its mean under a Hann window.
fn windowed(luma: &[u8], width: usize, x: usize, y: usize) -> Vec<Complex<f32>> {
    let rows = (y..y + TILE).map(|row| &luma[row * width + x..row * width + x + TILE]);
    let mean = rows.clone().flatten().map(|&v| f32::from(v)).sum::<f32>() / (TILE * TILE) as f32;
    let window: Vec<f32> = (0..TILE)
        .map(|i| 0.5 - 0.5 * (TAU * i as f32 / TILE as f32).cos())
        .collect();
    let value = |v: u8, wy: f32, wx: f32| Complex::new((f32::from(v) - mean) * wx * wy, 0.0);
    rows.zip(&window)
        .flat_map(|(row, &wy)| row.iter().zip(&window).map(move |(&v, &wx)| value(v, wy, wx)))
        .collect()
}

fn transposed(values: &[Complex<f32>]) -> Vec<Complex<f32>> {
    (0..TILE * TILE).map(|i| values[i % TILE * TILE + i / TILE]).collect()
}

/// Places of the half spectrum by their distance from its middle; the other half is its mirror.
struct Rings(Vec<Vec<(usize, bool)>>);

impl Rings {
    fn new() -> Self {
        let mut rings = vec![Vec::new(); TILE / 2];
        for (row, column) in (0..TILE).flat_map(|row| (0..=TILE / 2).map(move |column| (row, column))) {
            let high = row.min(TILE - row);
            let radius = (high as f32).hypot(column as f32) as usize;
            if (LOWEST_RING..HIGHEST_RING).contains(&radius) {
                let off_axis = high >= AXIS && column >= AXIS;
                rings[radius].push((row * TILE + column, off_axis));
            }
        }
        Self(rings)
    }

    fn strongest(&self, spectrum: &[Complex<f32>]) -> f32 {
        let log = |at: usize| (spectrum[at].norm() + 1e-3).ln();
        let mut best = 0.0_f32;
        for ring in self.0.iter().filter(|ring| !ring.is_empty()) {
            let mut values: Vec<f32> = ring.iter().map(|(at, _)| log(*at)).collect();
            let middle = median(&mut values);
            let mut spread: Vec<f32> = values.iter().map(|v| (v - middle).abs()).collect();
            let spread = median(&mut spread).max(LEAST_SPREAD);
            let peak = ring
                .iter()
                .filter(|(_, off)| *off)
                .map(|(at, _)| log(*at))
                .fold(f32::MIN, f32::max);
            best = best.max((peak - middle) / spread);
        }
        best
    }
}

fn median(values: &mut [f32]) -> f32 {
    let middle = values.len() / 2;
    *values.select_nth_unstable_by(middle, f32::total_cmp).1
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Paper with sensor noise from a fixed generator, and a raster of this strength with a period of about four pixels.
    fn page(raster: f32) -> Raster {
        let mut state = 1_u32;
        let mut pixels = Vec::new();
        for (y, x) in (0..600).flat_map(|y| (0..800).map(move |x| (y as f32, x as f32))) {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let noise = (state >> 24) as f32 / 16.0;
            let wave = (x * 1.51 + y * 0.23).sin() + (y * 1.47 - x * 0.19).sin();
            let value = (150.0 + 30.0 * (x / 90.0).sin() + noise + raster * wave).clamp(0.0, 255.0) as u8;
            pixels.extend([value; 3]);
        }
        Raster::new(800, 600, pixels).unwrap()
    }

    #[test]
    fn a_raster_stands_out_and_noise_does_not() {
        let (plain, screen) = (raster_z(&page(0.0)).unwrap(), raster_z(&page(6.0)).unwrap());
        assert!(plain < 7.0, "{plain}");
        assert!(screen > 9.0, "{screen}");
        assert!(raster_z(&Raster::filled(200, 300, [9; 3])).is_none());
    }
}
