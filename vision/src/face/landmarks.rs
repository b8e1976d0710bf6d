//! The 68 landmarks of a face: jaw 0–16, brows 17–26, nose 27–35, eyes 36–47, mouth 48–67, counted from the picture's left.

use crate::model::{Model, ModelError, Tensor};
use crate::nn::{Activation, Conv, Dense, Depthwise, Map, Padding, Weights, pool_average};

/// File names without their endings.
pub(crate) const LANDMARKS: &str = "face_landmark_68_model";
/// Side of the input.
pub(crate) const LANDMARK_SIDE: usize = 112;
/// Mean colour of the pictures the landmark and descriptor networks were trained on.
pub(crate) const MEAN: [f32; 3] = [122.782, 117.001, 104.298];

/// One step of a block: depthwise then pointwise, or in the very first place a full convolution.
enum Step {
    Full(Conv),
    Separable(Depthwise, Conv),
}

impl Step {
    fn new(weights: &Weights, name: &str, stride: usize, activation: Activation) -> Result<Self, ModelError> {
        let bias = weights.values(&format!("{name}/bias"))?;
        if let Ok(filter) = weights.get(&format!("{name}/filters")) {
            return Ok(Self::Full(Conv::new(
                filter,
                None,
                bias,
                stride,
                Padding::Same,
                activation,
            )?));
        }
        let depthwise = Depthwise::new(
            weights.get(&format!("{name}/depthwise_filter"))?,
            None,
            None,
            stride,
            Activation::None,
        )?;
        let filter = weights.get(&format!("{name}/pointwise_filter"))?;
        Ok(Self::Separable(
            depthwise,
            Conv::new(filter, None, bias, 1, Padding::Valid, activation)?,
        ))
    }

    fn run(&self, input: &Map) -> Result<Map, ModelError> {
        match self {
            Self::Full(conv) => conv.run(input),
            Self::Separable(depthwise, conv) => conv.run(&depthwise.run(input)?),
        }
    }
}

/// Four blocks, in each of which every step adds to what came before; a mean; one matrix product.
pub(crate) struct Landmarks {
    blocks: Vec<[Step; 4]>,
    last: Dense,
}

impl Landmarks {
    pub(crate) fn new(weights: &Weights) -> Result<Self, ModelError> {
        let blocks = (0..4).map(|block| {
            let step = |index: usize, stride, activation| {
                Step::new(weights, &format!("dense{block}/conv{index}"), stride, activation)
            };
            Ok([
                step(0, 2, Activation::Relu)?,
                step(1, 1, Activation::None)?,
                step(2, 1, Activation::None)?,
                step(3, 1, Activation::None)?,
            ])
        });
        let filter = weights.get("fc/weights")?;
        let inputs = filter.shape.first().copied().unwrap_or_default();
        Ok(Self {
            blocks: blocks.collect::<Result<_, ModelError>>()?,
            last: Dense::new(&filter.data, inputs, weights.values("fc/bias")?)?,
        })
    }
}

fn run_block(steps: &[Step; 4], input: &Map) -> Result<Map, ModelError> {
    let mut sum = steps[0].run(input)?;
    let mut next = steps[1].run(&sum)?;
    for step in &steps[2..] {
        sum.add(&next);
        let mut active = sum.clone();
        active.activate(Activation::Relu);
        next = step.run(&active)?;
    }
    sum.add(&next);
    sum.activate(Activation::Relu);
    Ok(sum)
}

impl Model for Landmarks {
    fn name(&self) -> &str {
        LANDMARKS
    }

    /// Input 112 × 112 × 3 in 0..255; output 68 × 2: x and y in 0..1 of the input.
    fn run(&self, input: Tensor) -> Result<Vec<Tensor>, ModelError> {
        if input.shape != [LANDMARK_SIDE, LANDMARK_SIDE, 3] {
            return Err(ModelError::shape(self, &input));
        }
        let mut map = Map::of_picture(LANDMARK_SIDE, &input.data, MEAN);
        for block in &self.blocks {
            map = run_block(block, &map)?;
        }
        let mean = pool_average(&map, 7, 2, Padding::Valid);
        let mut points = vec![0.0; self.last.outputs()];
        self.last.run(&mean.data, &mut points)?;
        Ok(vec![Tensor {
            shape: vec![points.len() / 2, 2],
            data: points,
        }])
    }
}
