//! The grid of a screen's pixels behind a face. It appears in the spectrum as isolated peaks; skin, hair and the camera's noise are
//! spread over it.

use super::spectrum::{TILE, amplitudes, cycles, is_of_blocks};
use crate::geometry::{Point, clip};
use crate::raster::Raster;
use crate::statistics::median;

/// Frequencies below this, in cycles a tile, hold the face itself.
const LOWEST: f32 = 30.0;
/// The last frequency holds the pattern of the camera's own colour filter.
const HIGHEST: f32 = (TILE / 2 - 2) as f32;
/// A peak is the highest within this many places each way, and is measured against the median of the places around it.
const ALONE: usize = 3;
const AROUND: usize = 4;
/// Added to amplitudes, so that an empty spectrum has a logarithm.
const FLOOR: f32 = 0.1;
/// What white noise alone reaches in the mean of so many spectra: 1.34 for one, 1.10 for two, 0.88 for four, 0.67 for eight, 0.51 for
/// sixteen.
const NOISE: f32 = 1.34;
const NOISE_FALLS: f32 = -0.34;

/// How far the second highest peak over the face rises above its surroundings, beyond what noise reaches: the natural logarithm of
/// a ratio of amplitudes. Each frame comes with the middle of its face. A screen on a stand has its peaks where they are in every frame, so
/// they stand out of the mean of all spectra; that of a screen in a hand moves, and each frame is measured by itself. The greater of
/// the two counts. `None` without a frame, or if one is smaller than a tile: what it hides would count as no grid.
///
/// `known` are the positions of the frames that the server watched. They are measured by themselves as well: the sender of a burst may add frames of
/// a person to those of a screen, and would thin out its grid in the mean of all.
pub(crate) fn grid(faces: &[(&Raster, Point)], known: &[usize]) -> Option<f32> {
    let spectra: Vec<Spectrum> = faces
        .iter()
        .map(|(picture, middle)| Spectrum::over_face(picture, *middle))
        .collect::<Option<_>>()?;
    let all: Vec<&Spectrum> = spectra.iter().collect();
    let known: Vec<&Spectrum> = known.iter().filter_map(|&at| spectra.get(at)).collect();
    [all, known].iter().filter_map(|some| in_spectra(some)).reduce(f32::max)
}

/// The same in some of the spectra; `None` without any.
fn in_spectra(spectra: &[&Spectrum]) -> Option<f32> {
    if spectra.is_empty() {
        return None;
    }
    let count = spectra.len() as f32;
    let each = spectra.iter().map(|spectrum| spectrum.second_peak).sum::<f32>() / count;
    let mean: Vec<f32> = (0..TILE * TILE)
        .map(|at| spectra.iter().map(|spectrum| spectrum.logarithms[at]).sum::<f32>() / count)
        .collect();
    let moving = each - NOISE;
    let steady = second_peak(&mean) - NOISE * count.powf(NOISE_FALLS);
    Some(moving.max(steady))
}

/// What is measured in one frame.
struct Spectrum {
    logarithms: Vec<f32>,
    second_peak: f32,
}

impl Spectrum {
    /// Of the tile in the middle of the face; `None` for a picture smaller than a tile.
    fn over_face(picture: &Raster, middle: Point) -> Option<Self> {
        let (x, y) = place(picture, middle)?;
        let tile = picture.crop(x, y, TILE, TILE)?;
        let amplitudes = amplitudes(&tile.luma());
        let logarithms: Vec<f32> = amplitudes
            .into_iter()
            .map(|amplitude| (amplitude + FLOOR).ln())
            .collect();
        let second_peak = second_peak(&logarithms);
        Some(Self {
            logarithms,
            second_peak,
        })
    }
}

/// Where the tile begins.
fn place(picture: &Raster, [x, y]: Point) -> Option<(usize, usize)> {
    let begin = |middle: f32, length: usize| {
        let last = length.checked_sub(TILE)?;
        Some(clip(middle - (TILE / 2) as f32, last))
    };
    Some((begin(x, picture.width())?, begin(y, picture.height())?))
}

/// How far the second highest peak rises above the median around it. One wave alone may be a stripe.
fn second_peak(spectrum: &[f32]) -> f32 {
    let height = |at: usize| {
        let around = neighbours(at, AROUND).map(|at| spectrum[at]);
        spectrum[at] - median(around).unwrap_or_default()
    };
    let mut heights: Vec<f32> = candidates()
        .filter(|&at| is_highest(spectrum, at))
        .map(height)
        .collect();
    heights.sort_by(f32::total_cmp);
    heights.iter().rev().nth(1).copied().unwrap_or_default()
}

/// The places of half the spectrum, whose other half is its mirror, where the grid of a screen may be.
fn candidates() -> impl Iterator<Item = usize> {
    (0..TILE * TILE).filter(|&at| {
        let (down, across) = (cycles(at / TILE), cycles(at % TILE));
        let half = across > 0.0 || (across == 0.0 && down > 0.0);
        let in_band = down.hypot(across) >= LOWEST && down.abs() <= HIGHEST && across <= HIGHEST;
        half && in_band && !is_of_blocks([down, across])
    })
}

fn is_highest(spectrum: &[f32], at: usize) -> bool {
    neighbours(at, ALONE).all(|other| spectrum[other] <= spectrum[at])
}

/// The positions within `reach` rows and columns, this one included; the spectrum wraps around at its edges.
fn neighbours(at: usize, reach: usize) -> impl Iterator<Item = usize> {
    let shifted = move |from: usize, by: usize| (from + TILE + by - reach) % TILE;
    let (row, column) = (at / TILE, at % TILE);
    (0..=2 * reach)
        .flat_map(move |down| (0..=2 * reach).map(move |across| shifted(row, down) * TILE + shifted(column, across)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SIZE: usize = 300;

    /// Frames of a face-like gradient that moves, with noise, and a pattern that is added to each.
    fn burst(count: usize, pattern: impl Fn(usize, f32, f32) -> f32) -> Vec<Raster> {
        let mut state = 1_u32;
        let mut noise = move || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 24) as f32 / 32.0
        };
        let frames = (0..count).map(|frame| {
            let moved = frame as f32 * 3.7;
            let pixels = (0..SIZE * SIZE).flat_map(|at| {
                let (x, y) = ((at % SIZE) as f32, (at / SIZE) as f32);
                let skin = 150.0 + 30.0 * ((x + moved) / 50.0).sin() + 20.0 * (y / 35.0).cos();
                [(skin + noise() + pattern(frame, x, y)).clamp(0.0, 255.0) as u8; 3]
            });
            Raster::new(SIZE, SIZE, pixels.collect()).unwrap()
        });
        frames.collect()
    }

    fn measured(frames: &[Raster]) -> Option<f32> {
        measured_with(frames, &[])
    }

    /// The same, where the server watched some of the frames.
    fn measured_with(frames: &[Raster], known: &[usize]) -> Option<f32> {
        let faces: Vec<_> = frames.iter().map(|frame| (frame, [150.0, 150.0])).collect();
        grid(&faces, known)
    }

    /// Rows and columns of gaps between pixels, this much darker.
    fn gaps(pitch: f32, darker: f32) -> impl Fn(f32, f32) -> f32 {
        let gap = move |at: f32| {
            if (at / pitch).rem_euclid(1.0) < 0.3 {
                -darker
            } else {
                0.0
            }
        };
        move |x, y| gap(x) + gap(y)
    }

    #[test]
    fn neither_skin_nor_blocks_nor_stripes_are_a_grid() {
        let blocks = gaps(8.0, 3.0);
        let plain = measured(&burst(8, |_, _, _| 0.0)).unwrap();
        let blocks = measured(&burst(8, |_, x, y| blocks(x, y))).unwrap();
        let stripes = measured(&burst(8, |_, x, y| 3.0 * (x * 1.51 + y * 0.23).sin())).unwrap();
        for (name, height) in [("plain", plain), ("blocks", blocks), ("stripes", stripes)] {
            assert!(height < 0.6, "{name}: {height}");
        }
    }

    #[test]
    fn a_faint_grid_that_stays_is_found_in_all_frames_together() {
        let faint = gaps(3.3, 0.5);
        let frames = burst(12, |_, x, y| faint(x, y));
        assert!(measured(&frames).unwrap() > 1.3);
        assert!(measured(&frames[..1]).unwrap() < 1.3, "one frame does not show it");
    }

    #[test]
    fn a_grid_that_moves_in_a_hand_is_found_in_each_frame() {
        let moved = |frame: usize, x: f32, y: f32| {
            let (sin, cos) = (frame as f32 * 0.03).sin_cos();
            gaps(3.3 + frame as f32 * 0.1, 5.0)(x * cos + y * sin, y * cos - x * sin)
        };
        assert!(measured(&burst(6, moved)).unwrap() > 1.3);
    }

    /// Detects if frames of a living face, added to those that the server watched, thin out the grid.
    #[test]
    fn frames_without_a_grid_that_the_server_did_not_watch_do_not_hide_it() {
        let moved = |frame: usize, x: f32, y: f32| {
            let (sin, cos) = (frame as f32 * 0.03).sin_cos();
            let darker = if frame < 4 { 5.0 } else { 0.0 };
            gaps(3.3 + frame as f32 * 0.1, darker)(x * cos + y * sin, y * cos - x * sin)
        };
        let frames = burst(13, moved);
        assert!(measured(&frames).unwrap() < 1.3, "thinned out");
        assert!(measured_with(&frames, &[0, 1, 2, 3]).unwrap() > 1.3);
        let plain = burst(13, |_, _, _| 0.0);
        assert!(measured_with(&plain, &[0, 1, 2, 3]).unwrap() < 0.6);
        assert_eq!(measured_with(&plain, &[99]), measured(&plain), "there is no such frame");
    }

    #[test]
    fn a_picture_smaller_than_a_tile_is_not_measured() {
        assert!(measured(&[Raster::filled(TILE - 1, 600, [9; 3])]).is_none());
        assert!(measured(&[]).is_none());
    }

    #[test]
    fn a_burst_with_one_frame_smaller_than_a_tile_is_not_measured() {
        let mut frames = burst(2, |_, _, _| 0.0);
        assert!(measured(&frames).is_some());
        frames.push(Raster::filled(600, TILE - 1, [9; 3]));
        assert!(measured(&frames).is_none());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn wherever_the_face_is_said_to_be_the_tile_lies_in_the_frame(x in proptest::num::f32::ANY, y in proptest::num::f32::ANY) {
            let (left, top) = place(&Raster::filled(300, 400, [9; 3]), [x, y]).unwrap();
            prop_assert!(left + TILE <= 300 && top + TILE <= 400);
        }
    }
}
