//! The few kernels the face networks need: convolution as im2col and one matrix product, depthwise convolution, pooling.
//!
//! Height, width, channels; one picture at a time. Batch norms and scales are folded into the weights when they are loaded.

mod conv;
mod depthwise;
mod pool;
mod weights;

pub(crate) use conv::{Conv, Dense};
pub(crate) use depthwise::Depthwise;
pub(crate) use pool::{global_average, pool_average, pool_max};
pub(crate) use weights::{Parameter, Weights};

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

    pub(crate) fn activate(&mut self, activation: Activation) {
        match activation {
            Activation::None => {}
            Activation::Relu => self.data.iter_mut().for_each(|v| *v = v.max(0.0)),
            Activation::Relu6 => self.data.iter_mut().for_each(|v| *v = v.clamp(0.0, 6.0)),
            Activation::Leaky => self.data.iter_mut().for_each(|v| *v = v.max(*v * 0.1)),
        }
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

/// How the edge is treated, in TensorFlow's words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Padding {
    /// Only where the kernel fits.
    Valid,
    /// As many results as `input / stride`, rounded up; the odd row or column of padding comes last.
    Same,
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
                (output, ((output - 1) * stride + kernel).saturating_sub(input) / 2)
            }
        }
    }
}

pub(crate) fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}
