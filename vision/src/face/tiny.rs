//! The small face detector: ten times faster than the large one, for the many frames of a burst.

use crate::model::{Model, ModelError, Tensor};
use crate::nn::{Activation, Conv, Depthwise, Map, Padding, Weights, pool_max, sigmoid};

/// File names without their endings.
pub(crate) const TINY: &str = "tiny_face_detector_model";
/// Side of the input; the network takes any multiple of 32.
pub(crate) const TINY_SIDE: usize = 224;
const FLOOR: f32 = 0.3;
/// Mean colour of the pictures it was trained on.
const MEAN: [f32; 3] = [117.001, 114.697, 97.404];
/// Width and height of the default boxes in cells.
const ANCHORS: [[f32; 2]; 5] = [
    [1.603_231, 2.094_468],
    [6.041_143, 7.080_126],
    [2.882_459, 3.518_061],
    [4.266_906, 5.178_857],
    [9.041_765, 10.663_08],
];

pub(crate) struct Tiny {
    first: Conv,
    blocks: Vec<(Depthwise, Conv)>,
    last: Conv,
}

impl Tiny {
    pub(crate) fn new(weights: &Weights) -> Result<Self, ModelError> {
        let conv = |name: &str, part: &str, padding, activation| {
            let bias = weights.values(&format!("{name}/bias"))?;
            Conv::new(
                weights.get(&format!("{name}/{part}"))?,
                None,
                bias,
                1,
                padding,
                activation,
            )
        };
        let blocks = (1..=5).map(|index| {
            let name = format!("conv{index}");
            let filter = weights.get(&format!("{name}/depthwise_filter"))?;
            let depthwise = Depthwise::new(filter, None, None, 1, Activation::None)?;
            Ok((
                depthwise,
                conv(&name, "pointwise_filter", Padding::Valid, Activation::Leaky)?,
            ))
        });
        Ok(Self {
            first: conv("conv0", "filters", Padding::Valid, Activation::Leaky)?,
            blocks: blocks.collect::<Result<_, ModelError>>()?,
            last: conv("conv8", "filters", Padding::Valid, Activation::None)?,
        })
    }
}

impl Model for Tiny {
    fn name(&self) -> &str {
        TINY
    }

    /// Input square × 3 in 0..255; output rows of score, left, top, right, bottom, the box in 0..1 of the input.
    fn run(&self, input: Tensor) -> Result<Vec<Tensor>, ModelError> {
        let &[side, width, 3] = input.shape.as_slice() else {
            return Err(ModelError::shape(self, &input));
        };
        if side != width {
            return Err(ModelError::shape(self, &input));
        }
        let mut map = self.first.run(&Map::of_picture(side, &input.data, MEAN))?;
        map = pool_max(&map, 2, 2, Padding::Same);
        for (index, (depthwise, pointwise)) in self.blocks.iter().enumerate() {
            map = pointwise.run(&depthwise.run(&map)?)?;
            map = pool_max(&map, 2, if index == 4 { 1 } else { 2 }, Padding::Same);
        }
        let map = self.last.run(&map)?;
        let cells = map.height as f32;
        let mut rows = Vec::new();
        for (index, cell) in map.data.chunks_exact(ANCHORS.len() * 5).enumerate() {
            let (row, column) = ((index / map.width) as f32, (index % map.width) as f32);
            for (found, anchor) in cell.chunks_exact(5).zip(&ANCHORS) {
                let score = sigmoid(found[4]);
                if score > FLOOR {
                    let (x, y) = ((column + sigmoid(found[0])) / cells, (row + sigmoid(found[1])) / cells);
                    let (w, h) = (
                        found[2].exp() * anchor[0] / cells / 2.0,
                        found[3].exp() * anchor[1] / cells / 2.0,
                    );
                    rows.extend([score, x - w, y - h, x + w, y + h]);
                }
            }
        }
        Ok(vec![Tensor {
            shape: vec![rows.len() / 5, 5],
            data: rows,
        }])
    }
}
