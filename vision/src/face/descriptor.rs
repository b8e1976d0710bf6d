//! The descriptor of 128 numbers that identifies a face: a residual network on an aligned chip.

use super::landmarks::MEAN;
use crate::model::{Model, ModelError, Tensor};
use crate::nn::{Activation, Conv, Dense, Map, Padding, Weights, global_average, pool_average, pool_max};

/// File names without their endings.
pub(crate) const DESCRIPTOR: &str = "face_recognition_model";
/// Side of the chip.
pub(crate) const CHIP_SIDE: usize = 150;
/// Length of a descriptor.
pub(crate) const DESCRIPTOR_LENGTH: usize = 128;

const LAYERS: [&str; 14] = [
    "conv32_1",
    "conv32_2",
    "conv32_3",
    "conv64_down",
    "conv64_1",
    "conv64_2",
    "conv64_3",
    "conv128_down",
    "conv128_1",
    "conv128_2",
    "conv256_down",
    "conv256_1",
    "conv256_2",
    "conv256_down_out",
];

/// Two convolutions and a way around them; where the layer halves the picture, the way around is averaged.
struct Residual {
    first: Conv,
    second: Conv,
    halves: bool,
}

pub(crate) struct Descriptor {
    first: Conv,
    layers: Vec<Residual>,
    last: Dense,
}

fn conv(
    weights: &Weights,
    name: &str,
    stride: usize,
    padding: Padding,
    activation: Activation,
) -> Result<Conv, ModelError> {
    let scale = weights.values(&format!("{name}/scale/weights"))?;
    let shift = weights.values(&format!("{name}/scale/biases"))?;
    let bias = weights.values(&format!("{name}/conv/bias"))?;
    let bias = bias
        .iter()
        .zip(&scale)
        .zip(&shift)
        .map(|((b, w), s)| b * w + s)
        .collect();
    Conv::new(
        weights.get(&format!("{name}/conv/filters"))?,
        Some(&scale),
        bias,
        stride,
        padding,
        activation,
    )
}

impl Descriptor {
    pub(crate) fn new(weights: &Weights) -> Result<Self, ModelError> {
        let layers = LAYERS.iter().map(|name| {
            let halves = name.contains("down");
            let (stride, padding) = if halves {
                (2, Padding::Valid)
            } else {
                (1, Padding::Same)
            };
            Ok(Residual {
                first: conv(weights, &format!("{name}/conv1"), stride, padding, Activation::Relu)?,
                second: conv(weights, &format!("{name}/conv2"), 1, Padding::Same, Activation::None)?,
                halves,
            })
        });
        let last = weights.get("fc")?;
        let inputs = last.shape.first().copied().unwrap_or_default();
        Ok(Self {
            first: conv(weights, "conv32_down", 2, Padding::Valid, Activation::Relu)?,
            layers: layers.collect::<Result<_, ModelError>>()?,
            last: Dense::new(&last.data, inputs, vec![0.0; DESCRIPTOR_LENGTH])?,
        })
    }
}

impl Residual {
    fn run(&self, input: &Map) -> Result<Map, ModelError> {
        let way = self.second.run(&self.first.run(input)?)?;
        let mut sum = if self.halves {
            let around = pool_average(input, 2, 2, Padding::Valid);
            let mut sum = Map::zeros(way.height.max(around.height), way.width.max(around.width), way.channels);
            add_into(&mut sum, &way);
            add_into(&mut sum, &around);
            sum
        } else {
            let mut sum = way;
            sum.add(input);
            sum
        };
        sum.activate(Activation::Relu);
        Ok(sum)
    }
}

/// Adds a map that may be smaller, or have fewer channels: what it lacks counts as zero.
fn add_into(sum: &mut Map, part: &Map) {
    for y in 0..part.height {
        for x in 0..part.width {
            sum.at_mut(y, x)
                .iter_mut()
                .zip(part.at(y, x))
                .for_each(|(s, v)| *s += v);
        }
    }
}

impl Model for Descriptor {
    fn name(&self) -> &str {
        DESCRIPTOR
    }

    /// Input 150 × 150 × 3 in 0..255; output 128 numbers.
    fn run(&self, input: Tensor) -> Result<Vec<Tensor>, ModelError> {
        if input.shape != [CHIP_SIDE, CHIP_SIDE, 3] {
            return Err(ModelError::shape(self, &input));
        }
        let mut map = self.first.run(&Map::of_picture(CHIP_SIDE, &input.data, MEAN))?;
        map = pool_max(&map, 3, 2, Padding::Valid);
        for layer in &self.layers {
            map = layer.run(&map)?;
        }
        let mut descriptor = vec![0.0; self.last.outputs()];
        self.last.run(&global_average(&map), &mut descriptor)?;
        Ok(vec![Tensor {
            shape: vec![descriptor.len()],
            data: descriptor,
        }])
    }
}
