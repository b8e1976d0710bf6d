//! Two products for each pixel with a GELU between them, the second of which may add to the first one's input: most of a text network's work.

use super::{Dense, Map, Parameter};
use crate::model::ModelError;
use rten_simd::SimdUnaryOp;
use rten_vecmath::Gelu;

/// Values between the two products that are kept at once: half a megabyte, which stays in the processor's second cache.
const BETWEEN: usize = 1 << 17;

/// Two products with a GELU between them.
pub(crate) struct FeedForward {
    widen: Dense,
    narrow: Dense,
    inputs: usize,
    /// Whether the result is added to the input.
    adds: bool,
}

impl FeedForward {
    /// `widen` and `narrow` are 1 × 1 × inputs × outputs, each with its bias.
    pub(crate) fn new(widen: (&Parameter, Vec<f32>), narrow: (&Parameter, Vec<f32>)) -> Result<Self, ModelError> {
        let (&[1, 1, inputs, between], &[1, 1, again, _]) = (widen.0.shape.as_slice(), narrow.0.shape.as_slice())
        else {
            return Err(ModelError::Shape("feed forward".to_owned(), widen.0.shape.clone()));
        };
        if again != between {
            return Err(ModelError::Shape("feed forward".to_owned(), narrow.0.shape.clone()));
        }
        Ok(Self {
            widen: Dense::new(&widen.0.data, inputs, widen.1)?,
            narrow: Dense::new(&narrow.0.data, between, narrow.1)?,
            inputs,
            adds: false,
        })
    }

    /// The result is added to the input: a residual connection, for which both need as many channels.
    pub(crate) fn residual(self) -> Self {
        Self { adds: true, ..self }
    }

    pub(crate) fn run(&self, mut input: Map) -> Result<Map, ModelError> {
        if input.channels != self.inputs || self.adds && self.narrow.outputs() != self.inputs {
            return Err(ModelError::Shape(
                "layer".to_owned(),
                vec![input.height, input.width, input.channels],
            ));
        }
        let (wide, narrow) = (self.widen.outputs(), self.narrow.outputs());
        let at_once = (BETWEEN / wide).max(1);
        let mut between = vec![0.0; at_once.min(input.height * input.width) * wide];
        if self.adds {
            // The pixels of a block are read before any of them is written, so no copy of the input is needed.
            for pixels in input.data.chunks_mut(at_once * self.inputs) {
                let between = &mut between[..pixels.len() / self.inputs * wide];
                self.widened(pixels, between)?;
                self.narrow.add(between, pixels)?;
            }
            return Ok(input);
        }
        let mut out = Map::zeros(input.height, input.width, narrow);
        let blocks = input
            .data
            .chunks(at_once * self.inputs)
            .zip(out.data.chunks_mut(at_once * narrow));
        for (pixels, results) in blocks {
            let between = &mut between[..pixels.len() / self.inputs * wide];
            self.widened(pixels, between)?;
            self.narrow.run(between, results)?;
        }
        Ok(out)
    }

    /// Writes what the second product is given of some pixels.
    fn widened(&self, pixels: &[f32], between: &mut [f32]) -> Result<(), ModelError> {
        self.widen.run(pixels, between)?;
        Gelu {}.map_mut(between);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pixel_goes_through_both_products_in_however_many_blocks_and_may_add_to_itself() {
        let one = |inputs: usize, outputs: usize, value: f32| Parameter {
            shape: vec![1, 1, inputs, outputs],
            data: vec![value; inputs * outputs],
        };
        // So wide that a block holds 64 pixels, and the last one fewer.
        let wide = BETWEEN / 64;
        let layer = || {
            let widen = (&one(1, wide, 1.0), vec![0.0; wide]);
            let narrow = (&one(wide, 1, 1.0 / wide as f32), vec![3.0]);
            FeedForward::new(widen, narrow).unwrap()
        };
        let input = Map {
            height: 1,
            width: 150,
            channels: 1,
            data: (0..150).map(|i| i as f32 / 10.0 - 7.0).collect(),
        };
        for (layer, adds) in [(layer(), false), (layer().residual(), true)] {
            let out = layer.run(input.clone()).unwrap();
            for (&x, &got) in input.data.iter().zip(&out.data) {
                let wanted = Gelu {}.scalar_eval(x) + 3.0 + if adds { x } else { 0.0 };
                assert!((got - wanted).abs() < 1e-3, "{x}: {got} instead of {wanted}");
            }
        }
    }
}
