//! ONNX networks on `rten`.

use super::{Model, ModelError, Tensor, denormals};
use rten::{ModelOptions, Value};
use rten_tensor::NdTensor;
use rten_tensor::prelude::*;

/// A network of one input and one output, four axes in.
pub(crate) struct Onnx {
    name: String,
    network: rten::Model,
}

impl Onnx {
    pub(crate) fn load(name: &str, mut bytes: Vec<u8>) -> Result<Self, ModelError> {
        denormals::flush(&mut bytes);
        let mut options = ModelOptions::with_all_ops();
        options.prepack_weights(true);
        let network = options
            .load(bytes)
            .map_err(|e| ModelError::Unusable(name.to_owned(), e.to_string()))?;
        Ok(Self {
            name: name.to_owned(),
            network,
        })
    }

    /// A text the file carries beside the weights.
    pub(crate) fn metadata(&self, key: &str) -> Option<&str> {
        self.network.metadata().get(key)
    }

    fn failed(&self, error: &dyn std::fmt::Display) -> ModelError {
        ModelError::Run(self.name.clone(), error.to_string())
    }
}

impl Model for Onnx {
    fn name(&self) -> &str {
        &self.name
    }

    fn run(&self, input: Tensor) -> Result<Vec<Tensor>, ModelError> {
        let shape: [usize; 4] = input
            .shape
            .as_slice()
            .try_into()
            .map_err(|_| ModelError::Shape(self.name.clone(), input.shape.clone()))?;
        let tensor = NdTensor::try_from_data(shape, input.data).map_err(|e| self.failed(&e))?;
        let output = self
            .network
            .run_one(tensor.view().into(), None)
            .map_err(|e| self.failed(&e))?;
        let Value::FloatTensor(output) = output else {
            return Err(self.failed(&"not a tensor of floats"));
        };
        let shape = output.shape().to_vec();
        Ok(vec![Tensor {
            shape,
            data: output.into_data(),
        }])
    }
}
