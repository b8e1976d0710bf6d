//! The spectrum of a tile of a picture.

use microfft::{Complex32, complex::cfft_256};
use std::f32::consts::TAU;

/// Side of a tile: fine enough for a grid of a few pixels, small enough to stay flat.
pub(super) const TILE: usize = 256;

/// The blocks of a JPEG are eight pixels wide: a place whose cycles both lie next to multiples of this is their grid.
const BLOCKS: f32 = (TILE / 8) as f32;

/// Amplitudes of the tile of `luma` that begins at this place, without its mean and under a Hann window: `TILE` rows of `TILE`, cycles
/// down by cycles across, both from zero.
pub(super) fn amplitudes(luma: &[u8], width: usize, (x, y): (usize, usize)) -> Vec<f32> {
    let mut values = windowed(luma, width, x, y);
    for _ in 0..2 {
        for row in values.as_chunks_mut::<TILE>().0 {
            let _in_place = cfft_256(row);
        }
        values = transposed(&values);
    }
    values.iter().map(|value| value.norm()).collect()
}

/// Signed cycles of a row or column of the spectrum.
pub(super) fn cycles(at: usize) -> f32 {
    if at > TILE / 2 {
        at as f32 - TILE as f32
    } else {
        at as f32
    }
}

/// Whether a place of the spectrum, as cycles down and across, belongs to the grid of a JPEG's blocks.
pub(super) fn is_of_blocks(at: [f32; 2]) -> bool {
    let beside = |cycles: f32| (cycles / BLOCKS - (cycles / BLOCKS).round()).abs() * BLOCKS <= 1.0;
    at.into_iter().all(beside)
}

fn windowed(luma: &[u8], width: usize, x: usize, y: usize) -> Vec<Complex32> {
    let rows = (y..y + TILE).map(|row| &luma[row * width + x..row * width + x + TILE]);
    let mean = rows.clone().flatten().map(|&v| f32::from(v)).sum::<f32>() / (TILE * TILE) as f32;
    let window: Vec<f32> = (0..TILE)
        .map(|i| 0.5 - 0.5 * (TAU * i as f32 / TILE as f32).cos())
        .collect();
    let value = |v: u8, wy: f32, wx: f32| Complex32::new((f32::from(v) - mean) * wx * wy, 0.0);
    rows.zip(&window)
        .flat_map(|(row, &wy)| row.iter().zip(&window).map(move |(&v, &wx)| value(v, wy, wx)))
        .collect()
}

fn transposed(values: &[Complex32]) -> Vec<Complex32> {
    (0..TILE * TILE).map(|i| values[i % TILE * TILE + i / TILE]).collect()
}
