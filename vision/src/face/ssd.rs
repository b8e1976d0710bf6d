//! Face detector: SSD on MobileNet v1, 512 × 512 in, candidate boxes out.

use crate::model::{Model, ModelError, Tensor};
use crate::nn::{Activation, Conv, Depthwise, Map, Padding, Weights, sigmoid};

/// File names without their endings.
pub(crate) const SSD: &str = "ssd_mobilenetv1_model";
/// Side of the input.
pub(crate) const SSD_SIDE: usize = 512;
/// Candidates below this score are not returned.
const FLOOR: f32 = 0.3;
/// Added to the variance by the batch norms of the trained network.
const EPSILON: f32 = 0.001;
/// Layers of the backbone that halve the picture.
const HALVING: [usize; 4] = [2, 4, 6, 12];

/// The network with its norms folded away.
pub(crate) struct Ssd {
    first: Conv,
    backbone: Vec<(Depthwise, Conv)>,
    extra: Vec<Conv>,
    /// For each scale: box encodings and class scores.
    heads: Vec<(Conv, Conv)>,
    /// Default boxes: top, left, bottom, right in 0..1.
    defaults: Vec<[f32; 4]>,
}

impl Ssd {
    pub(crate) fn new(weights: &Weights) -> Result<Self, ModelError> {
        let pointwise = |prefix: &str, index: usize, stride: usize| {
            let filter = weights.get(&format!("{prefix}/Conv2d_{index}_pointwise/weights"))?;
            let bias = weights.values(&format!("{prefix}/Conv2d_{index}_pointwise/convolution_bn_offset"))?;
            Conv::new(filter, None, bias, stride, Padding::Same, Activation::Relu6)
        };
        let backbone = (1..=13).map(|index| {
            let depthwise = depthwise(weights, index, if HALVING.contains(&index) { 2 } else { 1 })?;
            Ok((depthwise, pointwise("MobilenetV1", index, 1)?))
        });
        let extra = (0..=7).map(|index| pointwise("Prediction", index, if index % 2 == 1 { 2 } else { 1 }));
        let heads = (0..=5).map(|scale| {
            Ok((
                head(weights, scale, "BoxEncodingPredictor")?,
                head(weights, scale, "ClassPredictor")?,
            ))
        });
        let defaults = weights
            .get("Output/extra_dim")?
            .data
            .chunks_exact(4)
            .map(|b| [b[0], b[1], b[2], b[3]])
            .collect();
        Ok(Self {
            first: pointwise("MobilenetV1", 0, 2)?,
            backbone: backbone.collect::<Result<_, ModelError>>()?,
            extra: extra.collect::<Result<_, ModelError>>()?,
            heads: heads.collect::<Result<_, ModelError>>()?,
            defaults,
        })
    }

    /// The maps of the six scales.
    fn scales(&self, input: &Map) -> Result<Vec<Map>, ModelError> {
        let mut map = self.first.run(input)?;
        let mut scales = Vec::with_capacity(self.heads.len());
        for (index, (depthwise, pointwise)) in self.backbone.iter().enumerate() {
            map = pointwise.run(&depthwise.run(&map)?)?;
            // Layer 11, the last at a sixteenth of the size, is the finest scale.
            if index + 1 == 11 {
                scales.push(map.clone());
            }
        }
        scales.push(map.clone());
        for (index, conv) in self.extra.iter().enumerate() {
            map = conv.run(&map)?;
            if index % 2 == 1 {
                scales.push(map.clone());
            }
        }
        Ok(scales)
    }
}

fn depthwise(weights: &Weights, index: usize, stride: usize) -> Result<Depthwise, ModelError> {
    let name = format!("MobilenetV1/Conv2d_{index}_depthwise");
    let norm = |part: &str| weights.values(&format!("{name}/BatchNorm/{part}"));
    let (gamma, beta, mean, variance) = (
        norm("gamma")?,
        norm("beta")?,
        norm("moving_mean")?,
        norm("moving_variance")?,
    );
    let scale: Vec<f32> = gamma
        .iter()
        .zip(&variance)
        .map(|(g, v)| g / (v + EPSILON).sqrt())
        .collect();
    let bias = beta
        .iter()
        .zip(&mean)
        .zip(&scale)
        .map(|((b, m), s)| b - m * s)
        .collect();
    let filter = weights.get(&format!("{name}/depthwise_weights"))?;
    Depthwise::new(filter, Some(&scale), Some(bias), stride, Activation::Relu6)
}

fn head(weights: &Weights, scale: usize, part: &str) -> Result<Conv, ModelError> {
    let filter = weights.get(&format!("Prediction/BoxPredictor_{scale}/{part}/weights"))?;
    let bias = weights.values(&format!("Prediction/BoxPredictor_{scale}/{part}/biases"))?;
    Conv::new(filter, None, bias, 1, Padding::Same, Activation::None)
}

impl Model for Ssd {
    fn name(&self) -> &str {
        SSD
    }

    /// Input 512 × 512 × 3 in 0..255; output rows of score, left, top, right, bottom, the box in 0..1 of the input.
    fn run(&self, input: Tensor) -> Result<Vec<Tensor>, ModelError> {
        if input.shape != [SSD_SIDE, SSD_SIDE, 3] {
            return Err(ModelError::shape(self, &input));
        }
        let data = input.data.iter().map(|v| v / 127.5 - 1.0).collect();
        let scales = self.scales(&Map {
            height: SSD_SIDE,
            width: SSD_SIDE,
            channels: 3,
            data,
        })?;
        let (mut boxes, mut classes) = (Vec::new(), Vec::new());
        for (map, (encoding, class)) in scales.iter().zip(&self.heads) {
            boxes.extend(encoding.run(map)?.data);
            classes.extend(class.run(map)?.data);
        }
        let mut rows = Vec::new();
        let candidates = self
            .defaults
            .iter()
            .zip(boxes.chunks_exact(4))
            .zip(classes.chunks_exact(3));
        for ((default, encoding), class) in candidates {
            let score = sigmoid(class[1]);
            if score > FLOOR {
                rows.push(score);
                rows.extend(decode(default, encoding));
            }
        }
        Ok(vec![Tensor {
            shape: vec![rows.len() / 5, 5],
            data: rows,
        }])
    }
}

/// A box from its default and its encoding, whose variances are 1/10 for the centre and 1/5 for the size.
fn decode(default: &[f32; 4], encoding: &[f32]) -> [f32; 4] {
    let (height, width) = (default[2] - default[0], default[3] - default[1]);
    let y = encoding[0] / 10.0 * height + default[0] + height / 2.0;
    let x = encoding[1] / 10.0 * width + default[1] + width / 2.0;
    let (half_height, half_width) = (
        (encoding[2] / 5.0).exp() * height / 2.0,
        (encoding[3] / 5.0).exp() * width / 2.0,
    );
    [x - half_width, y - half_height, x + half_width, y + half_height].map(|v| v.clamp(0.0, 1.0))
}
