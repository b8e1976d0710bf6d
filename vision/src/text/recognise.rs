//! What a rectified line says: the recogniser's probabilities, read greedily, and kept for the machine-readable zone.

use super::alphabet::{Alphabet, MRZ_SYMBOLS};
use super::area::Area;
use super::detect::planes;
use crate::model::{Model, ModelError, run_one};
use crate::raster::Raster;

/// The narrowest line the network takes.
const NARROWEST: usize = 48;
/// Below this probability a symbol is impossible; keeps logarithms finite.
const FLOOR: f32 = 1e-7;

/// Log-probabilities of the blank and the 37 MRZ symbols, step by step along a line.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Lattice {
    pub(crate) steps: Vec<[f32; MRZ_SYMBOLS.len() + 1]>,
}

/// A line of text.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Line {
    pub(crate) area: Area,
    pub(crate) text: String,
    /// Mean probability of the symbols read, 0 to 1.
    pub(crate) confidence: f32,
    pub(crate) lattice: Lattice,
}

/// Reads the line under an area.
pub(super) fn line(model: &dyn Model, alphabet: &Alphabet, picture: &Raster, area: Area) -> Result<Line, ModelError> {
    let strip = area.rectify(picture);
    let answer = run_one(model, planes(&strip, strip.width().max(NARROWEST)))?;
    let &[1, _, symbols] = answer.shape.as_slice() else {
        return Err(ModelError::shape(model, &answer));
    };
    if symbols != alphabet.len() {
        return Err(ModelError::shape(model, &answer));
    }
    let (mut text, mut sum, mut count, mut last) = (String::new(), 0.0, 0, 0);
    let mut lattice = Lattice {
        steps: Vec::with_capacity(answer.data.len() / symbols),
    };
    for step in answer.data.chunks_exact(symbols) {
        let (best, probability) = largest(step);
        // CTC: a symbol counts once until another or a blank comes between.
        if best != 0 && best != last {
            text.push_str(alphabet.symbol(best));
            sum += probability;
            count += 1;
        }
        last = best;
        let log = |index: usize| step[index].max(FLOOR).ln();
        lattice.steps.push(std::array::from_fn(|i| {
            i.checked_sub(1).map_or_else(|| log(0), |s| log(alphabet.mrz()[s]))
        }));
    }
    let confidence = if count > 0 { sum / count as f32 } else { 0.0 };
    Ok(Line {
        area,
        text,
        confidence,
        lattice,
    })
}

fn largest(step: &[f32]) -> (usize, f32) {
    // In two passes, since the compiler can vectorise the first.
    let best = step.iter().copied().fold(0.0_f32, f32::max);
    (step.iter().position(|&p| p == best).unwrap_or_default(), best)
}
