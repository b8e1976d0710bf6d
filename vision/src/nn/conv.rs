//! Convolution: patches laid out as rows (im2col), then one matrix product with the packed filters.

use super::{Activation, Map, Padding, Parameter};
use crate::model::ModelError;
use rten_gemm::{BiasVector, GemmExecutor, GemmInputA, GemmInputB, GemmOptions, PackedBMatrix};
use rten_tensor::NdTensorView;

/// Values laid out or computed at once: half a megabyte, which stays in the processor's second cache.
const PATCHES: usize = 1 << 17;

thread_local! {
    /// The kernel that suits this processor. The same one on every thread, so that packed weights fit; but it cannot be sent.
    static EXECUTOR: GemmExecutor = GemmExecutor::new();
}

/// A matrix product with fixed right-hand side and bias.
pub(crate) struct Dense {
    weights: PackedBMatrix<f32>,
    bias: Vec<f32>,
    inputs: usize,
    outputs: usize,
}

impl Dense {
    /// `weights` are `inputs` rows of `outputs` numbers.
    pub(crate) fn new(weights: &[f32], inputs: usize, bias: Vec<f32>) -> Result<Self, ModelError> {
        let outputs = bias.len();
        let view = NdTensorView::try_from_data([inputs, outputs], weights)
            .map_err(|e| ModelError::Unusable("weights".to_owned(), e.to_string()))?;
        let weights = EXECUTOR.with(|executor| executor.prepack_b(view));
        Ok(Self {
            weights,
            bias,
            inputs,
            outputs,
        })
    }

    pub(crate) const fn outputs(&self) -> usize {
        self.outputs
    }

    /// One result row for each row of `inputs` numbers.
    pub(crate) fn run(&self, rows: &[f32], out: &mut [f32]) -> Result<(), ModelError> {
        self.product(rows, out, 0.0)
    }

    /// The same, added to what is in `out`.
    pub(crate) fn add(&self, rows: &[f32], out: &mut [f32]) -> Result<(), ModelError> {
        self.product(rows, out, 1.0)
    }

    /// `kept` is how much of what is in `out` stays.
    fn product(&self, rows: &[f32], out: &mut [f32], kept: f32) -> Result<(), ModelError> {
        let failed = |e: &dyn std::fmt::Display| ModelError::Run("matrix product".to_owned(), e.to_string());
        let count = rows.len() / self.inputs.max(1);
        let view = NdTensorView::try_from_data([count, self.inputs], rows).map_err(|e| failed(&e))?;
        let options = GemmOptions {
            bias: Some(BiasVector::Row(&self.bias)),
            beta: kept,
            ..GemmOptions::default()
        };
        let (a, b) = (GemmInputA::Unpacked(view), GemmInputB::Packed(&self.weights));
        EXECUTOR
            .with(|executor| executor.gemm(out, a, b, options))
            .map_err(|e| failed(&e))
    }
}

/// A convolution with its bias and what follows it.
pub(crate) struct Conv {
    product: Dense,
    kernel: (usize, usize),
    stride: usize,
    padding: Padding,
    activation: Activation,
}

impl Conv {
    /// `filter` is kernel height × kernel width × inputs × outputs; `scale` multiplies each output before the bias.
    pub(crate) fn new(
        filter: &Parameter,
        scale: Option<&[f32]>,
        bias: Vec<f32>,
        stride: usize,
        padding: Padding,
        activation: Activation,
    ) -> Result<Self, ModelError> {
        let &[height, width, inputs, outputs] = filter.shape.as_slice() else {
            return Err(ModelError::Shape("filter".to_owned(), filter.shape.clone()));
        };
        if bias.len() != outputs || scale.is_some_and(|s| s.len() != outputs) {
            return Err(ModelError::Shape("bias".to_owned(), vec![bias.len(), outputs]));
        }
        let product = Dense::new(&filter.scaled(scale), height * width * inputs, bias)?;
        Ok(Self {
            product,
            kernel: (height, width),
            stride,
            padding,
            activation,
        })
    }

    pub(crate) fn run(&self, input: &Map) -> Result<Map, ModelError> {
        let (height, top) = self.padding.along(input.height, self.kernel.0, self.stride);
        let (width, left) = self.padding.along(input.width, self.kernel.1, self.stride);
        if self.product.inputs != self.kernel.0 * self.kernel.1 * input.channels || height * width == 0 {
            return Err(ModelError::Shape(
                "layer".to_owned(),
                vec![input.height, input.width, input.channels],
            ));
        }
        let mut out = Map::zeros(height, width, self.product.outputs);
        if self.kernel == (1, 1) && (height, width) == (input.height, input.width) {
            let at_once = (PATCHES / (self.product.inputs + self.product.outputs)).max(1);
            let blocks = input
                .data
                .chunks(at_once * self.product.inputs)
                .zip(out.data.chunks_mut(at_once * self.product.outputs));
            for (pixels, results) in blocks {
                self.product.run(pixels, results)?;
                self.activation.apply(results);
            }
        } else {
            let rows_at_once = (PATCHES / (width * self.product.inputs)).max(1);
            let mut patches = vec![0.0; rows_at_once.min(height) * width * self.product.inputs];
            for (block, results) in out
                .data
                .chunks_mut(rows_at_once * width * self.product.outputs)
                .enumerate()
            {
                let rows = results.len() / (width * self.product.outputs);
                let patches = &mut patches[..rows * width * self.product.inputs];
                self.lay_out(input, block * rows_at_once, width, (top, left), patches);
                self.product.run(patches, results)?;
                self.activation.apply(results);
            }
        }
        Ok(out)
    }

    /// Writes the patch under each result of some rows, beginning with row `from`.
    fn lay_out(&self, input: &Map, from: usize, width: usize, pad: (usize, usize), patches: &mut [f32]) {
        let (kernel_height, kernel_width) = self.kernel;
        let channels = input.channels;
        for (index, patch) in patches.chunks_exact_mut(self.product.inputs).enumerate() {
            let (y, x) = (from + index / width, index % width);
            for (ky, line) in patch.chunks_exact_mut(kernel_width * channels).enumerate() {
                let row = (y * self.stride + ky)
                    .checked_sub(pad.0)
                    .filter(|&row| row < input.height && ky < kernel_height);
                let Some(row) = row else {
                    line.fill(0.0);
                    continue;
                };
                // Columns of the kernel that lie inside the picture.
                let skipped = pad.1.saturating_sub(x * self.stride).min(kernel_width);
                let first = (x * self.stride + skipped).saturating_sub(pad.1);
                let count = (kernel_width - skipped).min(input.width.saturating_sub(first));
                let source = (row * input.width + first) * channels;
                line[..skipped * channels].fill(0.0);
                line[skipped * channels..(skipped + count) * channels]
                    .copy_from_slice(&input.data[source..source + count * channels]);
                line[(skipped + count) * channels..].fill(0.0);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The definition of a convolution, slow and plain.
    fn by_definition(input: &Map, filter: &Parameter, bias: &[f32], stride: usize, padding: Padding) -> Map {
        let [kh, kw, inputs, outputs]: [usize; 4] = filter.shape.clone().try_into().unwrap();
        let (height, top) = padding.along(input.height, kh, stride);
        let (width, left) = padding.along(input.width, kw, stride);
        let mut out = Map::zeros(height, width, outputs);
        for (y, x, o) in (0..height).flat_map(|y| (0..width).flat_map(move |x| (0..outputs).map(move |o| (y, x, o)))) {
            let mut sum = bias[o];
            for (ky, kx, i) in (0..kh).flat_map(|a| (0..kw).flat_map(move |b| (0..inputs).map(move |c| (a, b, c)))) {
                let (row, column) = (
                    (y * stride + ky).wrapping_sub(top),
                    (x * stride + kx).wrapping_sub(left),
                );
                if row < input.height && column < input.width {
                    sum += input.at(row, column)[i] * filter.data[((ky * kw + kx) * inputs + i) * outputs + o];
                }
            }
            out.at_mut(y, x)[o] = sum;
        }
        out
    }

    fn wave(n: usize, by: f32) -> Vec<f32> {
        (0..n).map(|i| (i as f32 * by).sin()).collect()
    }

    #[test]
    fn every_stride_and_padding_agrees_with_the_definition() {
        let input = Map {
            height: 9,
            width: 7,
            channels: 3,
            data: wave(9 * 7 * 3, 0.37),
        };
        for (kernel, stride) in [(1, 1), (1, 2), (3, 1), (3, 2), (7, 2)] {
            let filter = Parameter {
                shape: vec![kernel, kernel, 3, 5],
                data: wave(kernel * kernel * 15, 0.91),
            };
            let bias = wave(5, 0.5);
            for padding in [Padding::Valid, Padding::Same] {
                let conv = Conv::new(&filter, None, bias.clone(), stride, padding, Activation::None).unwrap();
                let (got, wanted) = (
                    conv.run(&input).unwrap(),
                    by_definition(&input, &filter, &bias, stride, padding),
                );
                assert_eq!(
                    (got.height, got.width, got.channels),
                    (wanted.height, wanted.width, wanted.channels)
                );
                let worst = got
                    .data
                    .iter()
                    .zip(&wanted.data)
                    .map(|(a, b)| (a - b).abs())
                    .fold(0.0, f32::max);
                assert!(worst < 1e-4, "kernel {kernel} stride {stride} {padding:?}: {worst}");
            }
        }
    }

    #[test]
    fn every_pixel_is_computed_in_however_many_blocks_and_activated_once() {
        // So deep that a block holds 64 pixels, and the last one fewer.
        let (inputs, outputs) = (2_000, 48);
        let input = Map {
            height: 3,
            width: 50,
            channels: inputs,
            data: wave(150 * inputs, 0.37),
        };
        let filter = Parameter {
            shape: vec![1, 1, inputs, outputs],
            data: wave(inputs * outputs, 0.91),
        };
        let bias = wave(outputs, 0.5);
        let conv = Conv::new(&filter, None, bias.clone(), 1, Padding::Same, Activation::Leaky).unwrap();
        let mut wanted = by_definition(&input, &filter, &bias, 1, Padding::Same);
        wanted.activate(Activation::Leaky);
        let got = conv.run(&input).unwrap();
        let differences = got.data.iter().zip(&wanted.data).map(|(a, b)| (a - b).abs());
        let worst = differences.fold(0.0, f32::max);
        assert!(worst < 1e-2, "{worst}");
    }
}
