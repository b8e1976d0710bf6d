//! Prepares pictures for a network as its model card describes: channels in its order, scaled, one plane after another.

use super::{Card, Channels, Input};
use crate::model::{Model, ModelError, Tensor, onnx::Onnx, run_one};
use std::path::Path;

/// Takes a picture, side × side × 3 in 0 to 255, and gives the network's numbers in one row.
pub(crate) struct OnPictures {
    network: Onnx,
    input: Input,
}

impl OnPictures {
    pub(crate) fn load(card: &Card, dir: &Path) -> Result<Self, ModelError> {
        Ok(Self {
            network: Onnx::load(&card.file, card.weights(dir)?)?,
            input: card.input.clone(),
        })
    }
}

impl Model for OnPictures {
    fn name(&self) -> &str {
        self.network.name()
    }

    fn run(&self, input: Tensor) -> Result<Vec<Tensor>, ModelError> {
        let Input {
            side,
            channels,
            mean,
            scale,
        } = &self.input;
        if input.shape != [*side, *side, 3] {
            return Err(ModelError::shape(self, &input));
        }
        let mut planes = Vec::with_capacity(input.data.len());
        for plane in 0..3 {
            let channel = match channels {
                Channels::Rgb => plane,
                Channels::Bgr => 2 - plane,
            };
            let values = input
                .data
                .chunks_exact(3)
                .map(|pixel| (pixel[channel] - mean[plane]) * scale[plane]);
            planes.extend(values);
        }
        let answer = run_one(
            &self.network,
            Tensor {
                shape: vec![1, 3, *side, *side],
                data: planes,
            },
        )?;
        Ok(vec![Tensor {
            shape: vec![answer.data.len()],
            data: answer.data,
        }])
    }
}
