//! Squeeze and excitation: each channel is weighted by a function of the means of all channels (Hu et al., 2018).

use super::lanes::wide;
use super::{Map, Parameter};
use crate::model::ModelError;

/// Weighs the channels of a layer.
pub(crate) struct Squeeze {
    /// Inputs × outputs, of both small products.
    reduce: Vec<f32>,
    expand: Vec<f32>,
    reduce_bias: Vec<f32>,
    expand_bias: Vec<f32>,
    /// Slope of the hard sigmoid.
    slope: f32,
    /// Added to each weight: one where the layer itself is kept as well.
    kept: f32,
}

impl Squeeze {
    /// `reduce` and `expand` are 1 × 1 × inputs × outputs, each with its bias.
    pub(crate) fn new(
        reduce: (&Parameter, Vec<f32>),
        expand: (&Parameter, Vec<f32>),
        slope: f32,
    ) -> Result<Self, ModelError> {
        let fits = |parameter: &Parameter, inputs: usize, outputs: usize| parameter.shape == [1, 1, inputs, outputs];
        let (few, many) = (reduce.1.len(), expand.1.len());
        if !fits(reduce.0, many, few) || !fits(expand.0, few, many) {
            return Err(ModelError::Shape("squeeze".to_owned(), reduce.0.shape.clone()));
        }
        Ok(Self {
            reduce: reduce.0.data.clone(),
            expand: expand.0.data.clone(),
            reduce_bias: reduce.1,
            expand_bias: expand.1,
            slope,
            kept: 0.0,
        })
    }

    /// The layer itself is kept as well: what is weighed is added to it.
    pub(crate) fn keeping_layer(self) -> Self {
        Self { kept: 1.0, ..self }
    }

    pub(crate) fn run(&self, layer: &mut Map) -> Result<(), ModelError> {
        if layer.channels != self.expand_bias.len() {
            return Err(ModelError::Shape(
                "layer".to_owned(),
                vec![layer.height, layer.width, layer.channels],
            ));
        }
        let mut few = product(&means(layer), &self.reduce, &self.reduce_bias);
        few.iter_mut().for_each(|value| *value = value.max(0.0));
        let mut weights = product(&few, &self.expand, &self.expand_bias);
        weights
            .iter_mut()
            .for_each(|value| *value = (*value * self.slope + 0.5).clamp(0.0, 1.0) + self.kept);
        wide(
            #[inline(always)]
            || {
                for pixel in layer.data.chunks_exact_mut(weights.len()) {
                    pixel
                        .iter_mut()
                        .zip(&weights)
                        .for_each(|(value, weight)| *value *= weight);
                }
            },
        );
        Ok(())
    }
}

fn means(layer: &Map) -> Vec<f32> {
    let mut sums = vec![0.0_f32; layer.channels];
    wide(
        #[inline(always)]
        || {
            for pixel in layer.data.chunks_exact(sums.len()) {
                sums.iter_mut().zip(pixel).for_each(|(sum, value)| *sum += value);
            }
        },
    );
    let count = (layer.height * layer.width) as f32;
    sums.iter_mut().for_each(|sum| *sum /= count);
    sums
}

fn product(values: &[f32], weights: &[f32], bias: &[f32]) -> Vec<f32> {
    let mut out = bias.to_vec();
    for (value, row) in values.iter().zip(weights.chunks_exact(bias.len())) {
        out.iter_mut().zip(row).for_each(|(sum, weight)| *sum += value * weight);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn channels_are_weighed_by_the_means_of_all_of_them() {
        let product = |data: [f32; 2], shape: [usize; 2]| Parameter {
            shape: vec![1, 1, shape[0], shape[1]],
            data: data.to_vec(),
        };
        // Means are 2 and 4; their sum, 6, times 0.2 plus 0.5 is beyond 1 for the first channel, and minus 6 below 0 for the second.
        let layer = Map {
            height: 1,
            width: 2,
            channels: 2,
            data: vec![1.0, 3.0, 3.0, 5.0],
        };
        let (reduce, expand) = (product([1.0, 1.0], [2, 1]), product([1.0, -1.0], [1, 2]));
        let squeeze = || Squeeze::new((&reduce, vec![0.0]), (&expand, vec![0.0, 0.0]), 0.2).unwrap();
        for (squeeze, wanted) in [
            (squeeze(), [1.0, 0.0, 3.0, 0.0]),
            (squeeze().keeping_layer(), [2.0, 3.0, 6.0, 5.0]),
        ] {
            let mut weighed = layer.clone();
            squeeze.run(&mut weighed).unwrap();
            assert_eq!(weighed.data, wanted);
        }
    }
}
