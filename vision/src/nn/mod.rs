//! The few kernels that the networks need: convolution as im2col and one matrix product, depthwise and transposed convolution, feed-forward
//! blocks, squeeze and excitation, pooling.
//!
//! Height, width, channels; one picture at a time. Batch norms and scales are folded into the weights when they are loaded.

mod conv;
mod convolutions;
mod depthwise;
mod feed_forward;
mod lanes;
mod pool;
mod squeeze;
mod transposed;
mod weights;

pub(crate) use conv::{Conv, Dense};
pub(crate) use convolutions::{Convolution, Convolutions, OnnxFile};
pub(crate) use depthwise::Depthwise;
pub(crate) use feed_forward::FeedForward;
pub(crate) use pool::{global_average, pool_average, pool_max};
pub(crate) use squeeze::Squeeze;
pub(crate) use transposed::Doubling;
pub(crate) use weights::{Parameter, Weights};

use crate::model::{ModelError, Tensor};

/// Values of a picture or of a layer: height × width × channels, channels running fastest.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Map {
    pub(crate) height: usize,
    pub(crate) width: usize,
    pub(crate) channels: usize,
    pub(crate) data: Vec<f32>,
}

impl Map {
    pub(crate) fn zeros(height: usize, width: usize, channels: usize) -> Self {
        Self {
            height,
            width,
            channels,
            data: vec![0.0; height * width * channels],
        }
    }

    /// A square picture of `side` × `side` × 3 values in 0..255, less each channel's mean, in 255ths: how face-api's
    /// networks were trained.
    pub(crate) fn of_picture(side: usize, values: &[f32], mean: [f32; 3]) -> Self {
        let data = values
            .iter()
            .zip(mean.iter().cycle())
            .map(|(v, mean)| (v - mean) / 255.0);
        Self {
            height: side,
            width: side,
            channels: 3,
            data: data.collect(),
        }
    }

    /// A picture given as planes, one for each channel, each in rows: batch (of one) × channels × height × width.
    pub(crate) fn of_planes(planes: &Tensor) -> Result<Self, ModelError> {
        let &[1, channels, height, width] = planes.shape.as_slice() else {
            return Err(ModelError::Shape("picture".to_owned(), planes.shape.clone()));
        };
        let mut map = Self::zeros(height, width, channels);
        for (channel, plane) in planes.data.chunks_exact((height * width).max(1)).enumerate() {
            let values = map.data.iter_mut().skip(channel).step_by(channels);
            values.zip(plane).for_each(|(value, number)| *value = *number);
        }
        Ok(map)
    }

    /// The same as planes.
    pub(crate) fn planes(&self) -> Tensor {
        let channel = |channel| self.data.iter().skip(channel).step_by(self.channels.max(1));
        Tensor {
            shape: vec![1, self.channels, self.height, self.width],
            data: (0..self.channels).flat_map(channel).copied().collect(),
        }
    }

    /// The values of one pixel.
    pub(crate) fn at(&self, y: usize, x: usize) -> &[f32] {
        let from = (y * self.width + x) * self.channels;
        &self.data[from..from + self.channels]
    }

    pub(crate) fn at_mut(&mut self, y: usize, x: usize) -> &mut [f32] {
        let from = (y * self.width + x) * self.channels;
        &mut self.data[from..from + self.channels]
    }

    pub(crate) fn add(&mut self, other: &Self) {
        self.data.iter_mut().zip(&other.data).for_each(|(a, b)| *a += b);
    }

    /// Layers of equal size as one, the channels of each behind those of the one before.
    pub(crate) fn joined(layers: &[&Self]) -> Result<Self, ModelError> {
        let Some(first) = layers.first() else {
            return Err(ModelError::Shape("layers".to_owned(), Vec::new()));
        };
        let mut out = Self::zeros(
            first.height,
            first.width,
            layers.iter().map(|layer| layer.channels).sum(),
        );
        let mut from = 0;
        for layer in layers {
            if (layer.height, layer.width) != (first.height, first.width) {
                return Err(ModelError::Shape("layers".to_owned(), vec![layer.height, layer.width]));
            }
            let pixels = out
                .data
                .chunks_exact_mut(out.channels)
                .zip(layer.data.chunks_exact(layer.channels));
            pixels.for_each(|(out, pixel)| out[from..from + layer.channels].copy_from_slice(pixel));
            from += layer.channels;
        }
        Ok(out)
    }

    /// Each pixel `times` × `times` times.
    pub(crate) fn enlarged(&self, times: usize) -> Self {
        let mut out = Self::zeros(self.height * times, self.width * times, self.channels);
        let line = self.width * self.channels;
        if line == 0 || times == 0 {
            return out;
        }
        for (rows, source) in out
            .data
            .chunks_exact_mut(line * times * times)
            .zip(self.data.chunks_exact(line))
        {
            let (first, others) = rows.split_at_mut(line * times);
            for (many, pixel) in first
                .chunks_exact_mut(self.channels * times)
                .zip(source.chunks_exact(self.channels))
            {
                many.chunks_exact_mut(self.channels)
                    .for_each(|one| one.copy_from_slice(pixel));
            }
            others
                .chunks_exact_mut(line * times)
                .for_each(|row| row.copy_from_slice(first));
        }
        out
    }

    pub(crate) fn activate(&mut self, activation: Activation) {
        activation.apply(&mut self.data);
    }
}

/// What follows a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Activation {
    None,
    Relu,
    Relu6,
    /// Slope 0.1 below zero.
    Leaky,
}

impl Activation {
    /// Changes the values of a layer, or of a part of it that is still in the processor's cache.
    fn apply(self, values: &mut [f32]) {
        match self {
            Self::None => {}
            Self::Relu => values.iter_mut().for_each(|v| *v = v.max(0.0)),
            Self::Relu6 => values.iter_mut().for_each(|v| *v = v.clamp(0.0, 6.0)),
            Self::Leaky => values.iter_mut().for_each(|v| *v = v.max(*v * 0.1)),
        }
    }
}

/// How the edge is treated, in TensorFlow's words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Padding {
    /// Only where the kernel fits.
    Valid,
    /// As many results as `input / stride`, rounded up; the odd row or column of padding comes last.
    Same,
    /// So many places on each side, in the words of ONNX.
    Around(usize),
}

impl Padding {
    /// Results along one axis, and how many places of padding come before the first pixel.
    pub(crate) const fn along(self, input: usize, kernel: usize, stride: usize) -> (usize, usize) {
        match self {
            Self::Valid => (
                if input < kernel {
                    0
                } else {
                    (input - kernel) / stride + 1
                },
                0,
            ),
            Self::Same => {
                let output = input.div_ceil(stride);
                let read = output.saturating_sub(1) * stride + kernel;
                (output, read.saturating_sub(input) / 2)
            }
            Self::Around(pad) => match (input + 2 * pad).checked_sub(kernel) {
                Some(room) => (room / stride + 1, pad),
                None => (0, pad),
            },
        }
    }
}

pub(crate) fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(height: usize, width: usize, channels: usize, from: usize) -> Map {
        Map {
            height,
            width,
            channels,
            data: (from..from + height * width * channels).map(|i| i as f32).collect(),
        }
    }

    #[test]
    fn planes_and_back_is_the_same_layer() {
        let map = counted(2, 3, 4, 0);
        let planes = map.planes();
        assert_eq!(planes.shape, [1, 4, 2, 3]);
        assert_eq!(planes.data[..6], [0.0, 4.0, 8.0, 12.0, 16.0, 20.0]);
        assert_eq!(Map::of_planes(&planes).unwrap(), map);
    }

    #[test]
    fn layers_are_joined_channel_behind_channel_and_only_if_they_are_of_one_size() {
        let joined = Map::joined(&[&counted(1, 2, 2, 0), &counted(1, 2, 1, 8)]).unwrap();
        assert_eq!(joined.data, [0.0, 1.0, 8.0, 2.0, 3.0, 9.0]);
        assert!(Map::joined(&[&counted(1, 2, 2, 0), &counted(2, 1, 2, 0)]).is_err());
    }

    #[test]
    fn an_enlarged_layer_repeats_each_pixel_down_and_across() {
        let large = counted(1, 2, 2, 0).enlarged(2);
        assert_eq!((large.height, large.width), (2, 4));
        assert_eq!(large.data[..8], [0.0, 1.0, 0.0, 1.0, 2.0, 3.0, 2.0, 3.0]);
        assert_eq!(large.data[8..], large.data[..8]);
    }

    #[test]
    fn a_layer_without_rows_has_no_results_however_it_is_padded() {
        for padding in [Padding::Valid, Padding::Same, Padding::Around(0)] {
            assert_eq!(padding.along(0, 3, 2).0, 0, "{padding:?}");
        }
    }

    #[test]
    fn padding_around_counts_as_onnx_does() {
        assert_eq!(Padding::Around(1).along(736, 3, 2), (368, 1));
        assert_eq!(Padding::Around(3).along(23, 7, 1), (23, 3));
        assert_eq!(Padding::Around(0).along(2, 3, 1), (0, 0));
    }
}
