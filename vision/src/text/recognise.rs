//! The text of a rectified line: the recogniser's probabilities, decoded greedily, and kept for the machine-readable zone.

use super::alphabet::{Alphabet, MRZ_SYMBOLS};
use super::area::{Area, Spacing};
use super::detect::planes;
use crate::model::{Model, ModelError, run_one};
use crate::raster::Raster;
use std::slice::ChunksExact;

/// The narrowest line the network takes.
const NARROWEST: usize = 48;
/// Below this probability a symbol is impossible; keeps logarithms finite.
const FLOOR: f32 = 1e-7;

/// Probability of a symbol that may as well be its twin.
const DOUBTFUL: f32 = 0.5;

/// Of so many symbols, the largest probability is found before its place is looked for.
const BLOCK: usize = 256;
/// So many are compared at the same time.
const LANES: usize = 16;

/// Log-probabilities of the blank and the 37 MRZ symbols, step by step along a line.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Lattice {
    pub(crate) steps: Vec<[f32; MRZ_SYMBOLS.len() + 1]>,
}

/// A symbol as it was read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Symbol {
    pub(crate) symbol: char,
    /// Where it stands along the line, 0 (left) to 1 (right).
    pub(crate) at: f32,
    /// Probability of this symbol where it was read most surely, 0 to 1.
    pub(crate) probability: f32,
}

/// A line of text.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Line {
    pub(crate) area: Area,
    pub(crate) text: String,
    /// Mean probability of the symbols read, 0 to 1.
    pub(crate) confidence: f32,
    pub(crate) lattice: Lattice,
    /// The symbols of the text, each with its place and probability.
    pub(crate) symbols: Vec<Symbol>,
}

/// Reads the line under an area.
pub(super) fn line(
    model: &dyn Model,
    alphabet: &Alphabet,
    picture: &Raster,
    area: Area,
    spacing: Spacing,
) -> Result<Line, ModelError> {
    let strip = area.rectify(picture, spacing);
    let padded = strip.width().max(NARROWEST);
    let answer = run_one(model, planes(&strip, padded))?;
    let &[1, steps, symbols] = answer.shape.as_slice() else {
        return Err(ModelError::shape(model, &answer));
    };
    if symbols != alphabet.len() {
        return Err(ModelError::shape(model, &answer));
    }
    let share = padded as f32 / strip.width() as f32 / steps.max(1) as f32;
    Ok(decode(alphabet, area, answer.data.chunks_exact(symbols), share))
}

/// The most probable symbol of each step, of which each takes this `share` of the line's width.
fn decode(alphabet: &Alphabet, area: Area, steps: ChunksExact<'_, f32>, share: f32) -> Line {
    let (mut text, mut sum, mut count, mut last) = (String::new(), 0.0, 0, 0);
    let mut read: Vec<Symbol> = Vec::new();
    let mut lattice = Lattice {
        steps: Vec::with_capacity(steps.len()),
    };
    let mut is_doubtful = false;
    for (index, step) in steps.enumerate() {
        let (best, probability) = largest(step);
        is_doubtful = is_doubtful && best == last || alphabet.is_doubtful(best, step);
        let probability = if is_doubtful {
            probability.min(DOUBTFUL)
        } else {
            probability
        };
        // CTC: a symbol counts once until another or a blank comes between.
        if best != 0 && best != last {
            text.push_str(alphabet.symbol(best));
            read.extend(alphabet.symbol(best).chars().map(|symbol| Symbol {
                symbol,
                at: ((index as f32 + 0.5) * share).min(1.0),
                probability,
            }));
            sum += probability;
            count += 1;
        } else if best != 0
            && let Some(symbol) = read.last_mut()
        {
            symbol.probability = if is_doubtful {
                probability
            } else {
                symbol.probability.max(probability)
            };
        }
        last = best;
        let log = |index: usize| step[index].max(FLOOR).ln();
        lattice.steps.push(std::array::from_fn(|i| {
            i.checked_sub(1).map_or_else(|| log(0), |s| log(alphabet.mrz()[s]))
        }));
    }
    let confidence = if count > 0 { sum / count as f32 } else { 0.0 };
    Line {
        area,
        text,
        confidence,
        lattice,
        symbols: read,
    }
}

/// The first of the most probable symbols, and its probability.
fn largest(step: &[f32]) -> (usize, f32) {
    // Block by block: the largest value of each is found many at a time, and only one block is searched for the place.
    let (mut best, mut begin) = (0.0, 0);
    for (index, block) in step.chunks(BLOCK).enumerate() {
        let probability = maximum(block);
        if probability > best {
            (best, begin) = (probability, index * BLOCK);
        }
    }
    let place = step.iter().skip(begin).position(|&p| p == best);
    (place.map_or(0, |place| begin + place), best)
}

/// The largest of some probabilities. The compiler vectorises a comparison lane by lane, and seldom one of each with the one before.
fn maximum(values: &[f32]) -> f32 {
    let larger = |a: f32, b: f32| if b > a { b } else { a };
    let (whole, rest) = values.as_chunks::<LANES>();
    let mut lanes = [0.0; LANES];
    for chunk in whole {
        for (lane, value) in lanes.iter_mut().zip(chunk) {
            *lane = larger(*lane, *value);
        }
    }
    lanes.iter().chain(rest).copied().fold(0.0, larger)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_probable_symbol_is_found_wherever_it_stands_and_the_first_of_equal_ones() {
        let count = 3 * BLOCK + LANES + 3;
        for place in [0, 1, LANES, BLOCK - 1, BLOCK, 2 * BLOCK + 7, count - 1] {
            let mut step: Vec<f32> = (0..count).map(|at| (at % 97) as f32 / 1_000.0).collect();
            step[place] = 0.5;
            assert_eq!(largest(&step), (place, 0.5));
            step[count - 1] = 0.5;
            assert_eq!(largest(&step), (place, 0.5));
        }
        assert_eq!(largest(&[0.0; 5]), (0, 0.0));
        assert_eq!(largest(&[]), (0, 0.0));
    }
}
