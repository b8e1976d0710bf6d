//! Depthwise convolution: one filter for each channel, by hand, since a matrix product gains nothing here.

use super::lanes::Taps;
use super::{Activation, Map, Padding, Parameter};
use crate::model::ModelError;
use rten_simd::SimdOp;
use std::ops::Range;

/// A depthwise convolution with its bias and what follows it.
pub(crate) struct Depthwise {
    /// Kernel height × kernel width × channels.
    filter: Vec<f32>,
    bias: Vec<f32>,
    kernel: [usize; 2],
    stride: [usize; 2],
    padding: Padding,
    activation: Activation,
}

impl Depthwise {
    /// `filter` is kernel height × kernel width × channels × 1, and three or seven wide; `scale` multiplies each channel before the bias. The
    /// padding is `Same`.
    pub(crate) fn new(
        filter: &Parameter,
        scale: Option<&[f32]>,
        bias: Option<Vec<f32>>,
        stride: usize,
        activation: Activation,
    ) -> Result<Self, ModelError> {
        let &[height, width @ (3 | 7), channels, 1] = filter.shape.as_slice() else {
            return Err(ModelError::Shape("depthwise filter".to_owned(), filter.shape.clone()));
        };
        let weights = filter.scaled(scale);
        let bias = bias.unwrap_or_else(|| vec![0.0; channels]);
        let fits = bias.len() == channels && scale.is_none_or(|scale| scale.len() == channels);
        if !fits || weights.len() != height * width * channels {
            return Err(ModelError::Shape(
                "depthwise bias".to_owned(),
                vec![bias.len(), channels],
            ));
        }
        Ok(Self {
            filter: weights,
            bias,
            kernel: [height, width],
            stride: [stride, stride],
            padding: Padding::Same,
            activation,
        })
    }

    /// The same layer with another stride, down and across, and so many places of padding on each side.
    pub(crate) fn around(self, stride: [usize; 2], padding: usize) -> Self {
        Self {
            stride,
            padding: Padding::Around(padding),
            ..self
        }
    }

    pub(crate) fn run(&self, input: &Map) -> Result<Map, ModelError> {
        let channels = self.bias.len();
        let [(height, top), (width, left)] = [
            self.padding.along(input.height, self.kernel[0], self.stride[0]),
            self.padding.along(input.width, self.kernel[1], self.stride[1]),
        ];
        if input.channels != channels || input.data.is_empty() || height * width == 0 {
            return Err(ModelError::Shape(
                "layer".to_owned(),
                vec![input.height, input.width, input.channels],
            ));
        }
        let inner = inner(width, input.width, self.kernel[1], self.stride[1], left);
        let biases = self.bias.repeat(width);
        let mut data = Vec::with_capacity(height * biases.len());
        // A row is finished before the next one begins: the whole layer does not stay in the processor's cache.
        for y in 0..height {
            data.extend_from_slice(&biases);
            let results = &mut data[y * biases.len()..];
            for (ky, row) in taps(self.kernel[0], y * self.stride[0], top, input.height) {
                let row = &input.data[row * input.width * channels..][..input.width * channels];
                let weights = &self.filter[ky * self.kernel[1] * channels..][..self.kernel[1] * channels];
                self.across(results, row, weights, left, &inner);
            }
            self.activation.apply(results);
        }
        Ok(Map {
            height,
            width,
            channels,
            data,
        })
    }

    /// One row of the kernel over one row of pixels. Results in `inner` have every pixel they read.
    fn across(&self, results: &mut [f32], row: &[f32], weights: &[f32], left: usize, inner: &Range<usize>) {
        let (channels, stride, width) = (self.bias.len(), self.stride[1], self.kernel[1]);
        if !inner.is_empty() {
            let out = &mut results[inner.start * channels..inner.end * channels];
            let row = &row[(inner.start * stride - left) * channels..];
            match width {
                3 => Taps::<3> {
                    out,
                    row,
                    weights,
                    channels,
                    stride,
                }
                .dispatch(),
                _ => Taps::<7> {
                    out,
                    row,
                    weights,
                    channels,
                    stride,
                }
                .dispatch(),
            }
        }
        let count = results.len() / channels;
        for x in (0..inner.start).chain(inner.end..count) {
            let result = &mut results[x * channels..][..channels];
            for (kx, column) in taps(width, x * stride, left, row.len() / channels) {
                let pixel = &row[column * channels..][..channels];
                for ((r, v), f) in result.iter_mut().zip(pixel).zip(&weights[kx * channels..]) {
                    *r += v * f;
                }
            }
        }
    }
}

/// The results whose pixels all lie inside a row. Empty where the row is shorter than the kernel.
fn inner(results: usize, pixels: usize, kernel: usize, stride: usize, pad: usize) -> Range<usize> {
    let first = pad.div_ceil(stride).min(results);
    let end = (pixels + pad).checked_sub(kernel).map_or(0, |last| last / stride + 1);
    first..end.clamp(first, results)
}

/// The places of the kernel that lie inside the picture, with the pixel each one reads.
fn taps(kernel: usize, start: usize, pad: usize, length: usize) -> impl Iterator<Item = (usize, usize)> + Clone {
    let first = pad.saturating_sub(start);
    (first..kernel)
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

    #[test]
    fn a_scale_of_another_number_of_channels_is_refused() {
        let filter = Parameter {
            shape: vec![3, 3, 2, 1],
            data: vec![1.0; 18],
        };
        let scaled = |scale: &[f32]| Depthwise::new(&filter, Some(scale), None, 1, Activation::None);
        assert!(scaled(&[2.0, 1.0]).is_ok());
        assert!(scaled(&[2.0]).is_err());
    }

    /// The definition of a depthwise convolution, slow and plain.
    fn by_definition(input: &Map, filter: &Parameter, bias: &[f32], stride: [usize; 2], pad: usize) -> Map {
        let [kh, kw, channels, _]: [usize; 4] = filter.shape.clone().try_into().unwrap();
        let (height, top) = Padding::Around(pad).along(input.height, kh, stride[0]);
        let (width, left) = Padding::Around(pad).along(input.width, kw, stride[1]);
        let mut out = Map::zeros(height, width, channels);
        for (y, x, c) in (0..height).flat_map(|y| (0..width).flat_map(move |x| (0..channels).map(move |c| (y, x, c)))) {
            let mut sum = bias[c];
            for (ky, kx) in (0..kh).flat_map(|a| (0..kw).map(move |b| (a, b))) {
                let (row, column) = (
                    (y * stride[0] + ky).wrapping_sub(top),
                    (x * stride[1] + kx).wrapping_sub(left),
                );
                if row < input.height && column < input.width {
                    sum += input.at(row, column)[c] * filter.data[(ky * kw + kx) * channels + c];
                }
            }
            out.at_mut(y, x)[c] = sum;
        }
        out
    }

    #[test]
    fn every_width_of_kernel_stride_and_number_of_channels_agrees_with_the_definition() {
        let wave = |n: usize, by: f32| (0..n).map(|i| (i as f32 * by).sin()).collect::<Vec<f32>>();
        for (kernel, stride, channels, width) in [
            (3, [1, 1], 16, 9),
            (3, [2, 1], 48, 9),
            (3, [2, 2], 5, 8),
            (7, [1, 1], 35, 11),
            // Narrower than the kernel: no result has all its pixels.
            (7, [1, 1], 16, 4),
        ] {
            let input = Map {
                height: 6,
                width,
                channels,
                data: wave(6 * width * channels, 0.37),
            };
            let filter = Parameter {
                shape: vec![kernel, kernel, channels, 1],
                data: wave(kernel * kernel * channels, 0.91),
            };
            let bias = wave(channels, 0.5);
            let pad = kernel / 2;
            let layer = Depthwise::new(&filter, None, Some(bias.clone()), 1, Activation::Relu6)
                .unwrap()
                .around(stride, pad);
            let (got, mut wanted) = (
                layer.run(&input).unwrap(),
                by_definition(&input, &filter, &bias, stride, pad),
            );
            wanted.activate(Activation::Relu6);
            assert_eq!((got.height, got.width), (wanted.height, wanted.width));
            let worst = got
                .data
                .iter()
                .zip(&wanted.data)
                .map(|(a, b)| (a - b).abs())
                .fold(0.0, f32::max);
            assert!(
                worst < 1e-4,
                "kernel {kernel} stride {stride:?} channels {channels}: {worst}"
            );
        }
    }
}
