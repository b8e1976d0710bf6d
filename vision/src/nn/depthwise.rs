//! Depthwise convolution: one 3 × 3 filter for each channel, by hand, since a matrix product gains nothing here.

use super::{Activation, Map, Padding, Parameter};
use crate::model::ModelError;

const KERNEL: usize = 3;

/// A 3 × 3 depthwise convolution with its bias and what follows it.
pub(crate) struct Depthwise {
    filter: Vec<f32>,
    bias: Vec<f32>,
    stride: usize,
    activation: Activation,
}

impl Depthwise {
    /// `filter` is 3 × 3 × channels × 1; `scale` multiplies each channel before the bias. The padding is `Same`.
    pub(crate) fn new(
        filter: &Parameter,
        scale: Option<&[f32]>,
        bias: Option<Vec<f32>>,
        stride: usize,
        activation: Activation,
    ) -> Result<Self, ModelError> {
        let &[KERNEL, KERNEL, channels, 1] = filter.shape.as_slice() else {
            return Err(ModelError::Shape("depthwise filter".to_owned(), filter.shape.clone()));
        };
        let mut weights = filter.data.clone();
        if let Some(scale) = scale {
            weights
                .chunks_exact_mut(channels)
                .for_each(|row| row.iter_mut().zip(scale).for_each(|(w, s)| *w *= s));
        }
        let bias = bias.unwrap_or_else(|| vec![0.0; channels]);
        if bias.len() != channels || weights.len() != KERNEL * KERNEL * channels {
            return Err(ModelError::Shape(
                "depthwise bias".to_owned(),
                vec![bias.len(), channels],
            ));
        }
        Ok(Self {
            filter: weights,
            bias,
            stride,
            activation,
        })
    }

    pub(crate) fn run(&self, input: &Map) -> Result<Map, ModelError> {
        let channels = self.bias.len();
        if input.channels != channels || input.data.is_empty() {
            return Err(ModelError::Shape(
                "layer".to_owned(),
                vec![input.height, input.width, input.channels],
            ));
        }
        let (height, top) = Padding::Same.along(input.height, KERNEL, self.stride);
        let (width, left) = Padding::Same.along(input.width, KERNEL, self.stride);
        let mut out = Map {
            height,
            width,
            channels,
            data: Vec::with_capacity(height * width * channels),
        };
        for _ in 0..height * width {
            out.data.extend_from_slice(&self.bias);
        }
        for y in 0..height {
            let rows = taps(y * self.stride, top, input.height);
            for x in 0..width {
                let columns = taps(x * self.stride, left, input.width);
                let result = out.at_mut(y, x);
                for (ky, row) in rows.clone() {
                    for (kx, column) in columns.clone() {
                        let filter = &self.filter[(ky * KERNEL + kx) * channels..][..channels];
                        for ((r, v), f) in result.iter_mut().zip(input.at(row, column)).zip(filter) {
                            *r += v * f;
                        }
                    }
                }
            }
        }
        out.activate(self.activation);
        Ok(out)
    }
}

/// The places of the kernel that lie inside the picture, with the pixel each one reads.
fn taps(start: usize, pad: usize, length: usize) -> impl Iterator<Item = (usize, usize)> + Clone {
    let first = pad.saturating_sub(start);
    (first..KERNEL)
        .map(move |k| (k, start + k - pad))
        .take_while(move |(_, at)| *at < length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_with_one_in_its_middle_changes_nothing_but_the_stride() {
        let mut filter = vec![0.0; 18];
        filter[8] = 1.0;
        filter[9] = 1.0;
        let filter = Parameter {
            shape: vec![3, 3, 2, 1],
            data: filter,
        };
        let input = Map {
            height: 4,
            width: 5,
            channels: 2,
            data: (0..40).map(|i| i as f32).collect(),
        };
        let same = Depthwise::new(&filter, None, None, 1, Activation::None)
            .unwrap()
            .run(&input)
            .unwrap();
        assert_eq!(same, input);
        let half = Depthwise::new(&filter, Some(&[2.0, 1.0]), Some(vec![1.0, 0.0]), 2, Activation::None).unwrap();
        let half = half.run(&input).unwrap();
        // Even height: no padding before, so that the middle of the kernel is one row below; odd width: one column of padding.
        assert_eq!((half.height, half.width), (2, 3));
        assert_eq!(half.at(0, 1), &[input.at(1, 2)[0] * 2.0 + 1.0, input.at(1, 2)[1]]);
    }
}
