//! Transposed convolution that doubles height and width: each pixel becomes two by two.

use super::{Activation, Dense, Map, Parameter};
use crate::model::ModelError;

/// A 2 × 2 transposed convolution with stride 2.
pub(crate) struct Doubling {
    product: Dense,
    outputs: usize,
    activation: Activation,
}

impl Doubling {
    /// `filter` is inputs × outputs × 2 × 2, as ONNX has it.
    pub(crate) fn new(filter: &Parameter, bias: &[f32], activation: Activation) -> Result<Self, ModelError> {
        let (weights, &[inputs, outputs, 2, 2]) = (&filter.data, filter.shape.as_slice()) else {
            return Err(ModelError::Shape("transposed filter".to_owned(), filter.shape.clone()));
        };
        if bias.len() != outputs || weights.len() != inputs * outputs * 4 {
            return Err(ModelError::Shape("bias".to_owned(), vec![bias.len(), outputs]));
        }
        // For each input the four pixels it becomes, one after another.
        let mut rows = vec![0.0; weights.len()];
        for (input, row) in rows.chunks_exact_mut(outputs * 4).enumerate() {
            for (at, value) in row.iter_mut().enumerate() {
                let (place, output) = (at / outputs, at % outputs);
                *value = weights[(input * outputs + output) * 4 + place];
            }
        }
        Ok(Self {
            product: Dense::new(&rows, inputs, bias.repeat(4))?,
            outputs,
            activation,
        })
    }

    pub(crate) fn run(&self, input: &Map) -> Result<Map, ModelError> {
        let mut four = vec![0.0; input.height * input.width * self.outputs * 4];
        self.product.run(&input.data, &mut four)?;
        let mut out = Map::zeros(input.height * 2, input.width * 2, self.outputs);
        let line = input.width * 2 * self.outputs;
        for (rows, pixels) in out.data.chunks_exact_mut(line * 2).zip(four.chunks_exact(line * 2)) {
            let (upper, lower) = rows.split_at_mut(line);
            let places = upper
                .chunks_exact_mut(self.outputs * 2)
                .zip(lower.chunks_exact_mut(self.outputs * 2));
            for ((upper, lower), pixel) in places.zip(pixels.chunks_exact(self.outputs * 4)) {
                let (first, second) = pixel.split_at(self.outputs * 2);
                upper.copy_from_slice(first);
                lower.copy_from_slice(second);
            }
        }
        out.activate(self.activation);
        Ok(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_pixel_becomes_two_by_two() {
        let filter = Parameter {
            shape: vec![1, 2, 2, 2],
            data: vec![1.0, 2.0, 3.0, 4.0, -1.0, -2.0, -3.0, -4.0],
        };
        let layer = Doubling::new(&filter, &[0.5, 0.0], Activation::None).unwrap();
        let out = layer
            .run(&Map {
                height: 1,
                width: 2,
                channels: 1,
                data: vec![1.0, 10.0],
            })
            .unwrap();
        assert_eq!((out.height, out.width, out.channels), (2, 4, 2));
        let first: Vec<f32> = out.data.iter().step_by(2).copied().collect();
        assert_eq!(first, [1.5, 2.5, 10.5, 20.5, 3.5, 4.5, 30.5, 40.5]);
        let second: Vec<f32> = out.data.iter().skip(1).step_by(2).copied().collect();
        assert_eq!(second, [-1.0, -2.0, -10.0, -20.0, -3.0, -4.0, -30.0, -40.0]);
    }
}
