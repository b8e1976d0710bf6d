//! The spectrum of a tile of a picture.

use microfft::{Complex32, complex::cfft_256};
use std::f32::consts::TAU;

/// Side of a tile: fine enough for a grid of a few pixels, small enough to stay flat.
pub(super) const TILE: usize = 256;

/// Columns of a spectrum before those that mirror others.
const HALF: usize = TILE / 2 + 1;

/// The blocks of a JPEG are eight pixels wide: a place whose cycles both lie next to multiples of this is their grid.
const BLOCKS: f32 = (TILE / 8) as f32;

/// Amplitudes of a tile, given as the luma of `TILE` rows of `TILE` pixels, without its mean and under a Hann window: `TILE` rows of `TILE`, cycles
/// down by cycles across, both from zero.
pub(super) fn amplitudes(luma: &[u8]) -> Vec<f32> {
    let mut values = windowed(luma);
    transform(&mut values);
    // The spectrum of a picture mirrors itself about its origin, so half of the columns say it all.
    let mut columns = first_columns(&values);
    transform(&mut columns);
    let half: Vec<f32> = columns.iter().map(|value| value.norm_sqr().sqrt()).collect();
    let places = (0..TILE).flat_map(|down| (0..TILE).map(move |across| (down, across)));
    let amplitude = |(down, across): (usize, usize)| {
        if across < HALF {
            half[across * TILE + down]
        } else {
            half[(TILE - across) * TILE + (TILE - down) % TILE]
        }
    };
    places.map(amplitude).collect()
}

/// Transforms each row of `TILE` values.
fn transform(rows: &mut [Complex32]) {
    for row in rows.as_chunks_mut::<TILE>().0 {
        let _in_place = cfft_256(row);
    }
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

fn windowed(luma: &[u8]) -> Vec<Complex32> {
    let mean = luma.iter().map(|&v| f32::from(v)).sum::<f32>() / (TILE * TILE) as f32;
    let window: Vec<f32> = (0..TILE)
        .map(|i| 0.5 - 0.5 * (TAU * i as f32 / TILE as f32).cos())
        .collect();
    let value = |v: u8, wy: f32, wx: f32| Complex32::new((f32::from(v) - mean) * wx * wy, 0.0);
    let mut values = Vec::with_capacity(TILE * TILE);
    for (row, &wy) in luma.chunks_exact(TILE).zip(&window) {
        values.extend(row.iter().zip(&window).map(|(&v, &wx)| value(v, wy, wx)));
    }
    values
}

/// The first [`HALF`] columns of `TILE` rows, as rows.
fn first_columns(values: &[Complex32]) -> Vec<Complex32> {
    (0..HALF * TILE).map(|i| values[i % TILE * TILE + i / TILE]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_halves_of_a_spectrum_are_what_the_definition_says() {
        let mut state = 1_u32;
        let mut noise = move || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 24) as u8
        };
        let luma: Vec<u8> = (0..TILE * TILE).map(|_| noise()).collect();
        let spectrum = amplitudes(&luma);
        let values = windowed(&luma);
        for (down, across) in [(0, 1), (3, 128), (200, 5), (0, 255), (7, 129), (128, 128), (250, 200)] {
            let waves = values.iter().enumerate().map(|(at, value)| {
                let turns = (down * (at / TILE) + across * (at % TILE)) % TILE;
                value * Complex32::from_polar(1.0, -TAU * turns as f32 / TILE as f32)
            });
            let (got, wanted) = (spectrum[down * TILE + across], waves.sum::<Complex32>().norm());
            assert!(
                (got - wanted).abs() < wanted * 0.01 + 5.0,
                "{down} down, {across} across: {got} instead of {wanted}"
            );
        }
    }
}
