//! The network that finds text (PP-OCR's detector): the probability that a pixel belongs to text.

use super::backbone::{Backbone, conv, depthwise, squeeze};
use crate::model::{Model, ModelError, Tensor};
use crate::nn::{
    Activation, Conv, Convolution, Convolutions, Depthwise, Doubling, Map, OnnxFile, Padding, Squeeze, sigmoid,
};

/// Slope of the hard sigmoid that weighs channels behind the backbone.
const SLOPE: f32 = 0.2;
/// Layers of the backbone that are looked at, from a quarter of the picture's size down to a 32nd.
const STAGES: usize = 4;

pub(super) struct Finder {
    name: String,
    backbone: Backbone,
    /// From the smallest layer to the largest.
    lateral: Vec<(Conv, Squeeze)>,
    smooth: Vec<(Depthwise, Conv, Squeeze)>,
    head: Conv,
    double: [Doubling; 2],
}

impl Finder {
    pub(super) fn parse(name: &str, file: &[u8]) -> Result<Self, ModelError> {
        let mut file = Convolutions::of(&OnnxFile::parse(name, file)?)?;
        let backbone = Backbone::take(&mut file)?;
        let lateral = (0..STAGES)
            .map(|_| {
                let conv = conv(&file.next()?, Padding::Valid, Activation::None)?;
                Ok((conv, squeeze(&mut file, SLOPE)?.keeping_layer()))
            })
            .collect::<Result<_, ModelError>>()?;
        let smooth = (0..STAGES)
            .map(|_| {
                let depthwise = depthwise(&file.next()?, 3)?;
                let conv = conv(&file.next()?, Padding::Valid, Activation::None)?;
                Ok((depthwise, conv, squeeze(&mut file, SLOPE)?.keeping_layer()))
            })
            .collect::<Result<_, ModelError>>()?;
        let head = conv(&file.next()?, Padding::Around(1), Activation::Relu)?;
        let double = [
            doubling(&file.next()?, Activation::Relu)?,
            doubling(&file.next()?, Activation::None)?,
        ];
        file.end()?;
        Ok(Self {
            name: name.to_owned(),
            backbone,
            lateral,
            smooth,
            head,
            double,
        })
    }

    /// Layers of equal depth from the smallest to the largest, each with what the smaller ones say.
    fn merged(&self, picture: &Map) -> Result<Vec<Map>, ModelError> {
        let mut stages = Vec::with_capacity(STAGES);
        let last = self.backbone.run(picture, |layer| stages.push(layer.clone()))?;
        stages.push(last);
        let mut merged: Vec<Map> = Vec::with_capacity(STAGES);
        for (stage, (conv, squeeze)) in stages.iter().rev().zip(&self.lateral) {
            let mut layer = conv.run(stage)?;
            squeeze.run(&mut layer)?;
            if let Some(smaller) = merged.last() {
                layer.add(&smaller.enlarged(2));
            }
            merged.push(layer);
        }
        Ok(merged)
    }
}

impl Model for Finder {
    fn name(&self) -> &str {
        &self.name
    }

    /// `picture` is in -1..1, and its sides are multiples of 32.
    fn run(&self, picture: Tensor) -> Result<Vec<Tensor>, ModelError> {
        let picture = Map::of_planes(&picture)?;
        if picture.height % 32 != 0 || picture.width % 32 != 0 {
            return Err(ModelError::Shape(
                self.name.clone(),
                vec![picture.height, picture.width],
            ));
        }
        let mut parts = Vec::with_capacity(STAGES);
        for (index, (layer, (depthwise, conv, squeeze))) in self.merged(&picture)?.iter().zip(&self.smooth).enumerate()
        {
            let mut part = conv.run(&depthwise.run(layer)?)?;
            squeeze.run(&mut part)?;
            parts.push(part.enlarged(1 << (STAGES - 1 - index)));
        }
        let joined = Map::joined(&parts.iter().collect::<Vec<_>>())?;
        let [first, second] = &self.double;
        let mut map = second.run(&first.run(&self.head.run(&joined)?)?)?;
        map.data.iter_mut().for_each(|value| *value = sigmoid(*value));
        Ok(vec![map.planes()])
    }
}

fn doubling(from: &Convolution, activation: Activation) -> Result<Doubling, ModelError> {
    let bias = from.bias.clone().unwrap_or_default();
    Doubling::new(&from.weights, &bias, activation)
}
