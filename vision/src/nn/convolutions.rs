//! The convolutions of an ONNX file, in the order in which it computes them, and what is left of the network behind them.

use super::Parameter;
use crate::model::ModelError;
use rten_onnx::onnx::{Dimension, GraphProto, ModelProto, NodeProto, TensorProto, TensorShapeProto};
use std::collections::{HashMap, HashSet};

/// An ONNX file, read but not understood.
pub(crate) struct OnnxFile {
    name: String,
    model: ModelProto,
}

/// A convolution as the file has it: its weights, and the bias that is added behind it.
pub(crate) struct Convolution {
    /// Outputs × inputs × height × width; inputs × outputs × height × width where it is transposed.
    pub(crate) weights: Parameter,
    pub(crate) bias: Option<Vec<f32>>,
    /// Down and across.
    pub(crate) stride: [usize; 2],
}

/// The convolutions of a file that were not taken yet.
pub(crate) struct Convolutions {
    model: String,
    rest: std::vec::IntoIter<Convolution>,
}

impl Convolutions {
    pub(crate) fn of(file: &OnnxFile) -> Result<Self, ModelError> {
        let found = convolutions(file.graph()?).ok_or_else(|| file.unusable("a convolution without weights"))?;
        Ok(Self {
            model: file.name.clone(),
            rest: found.into_iter(),
        })
    }

    /// The next convolution.
    pub(crate) fn next(&mut self) -> Result<Convolution, ModelError> {
        self.rest
            .next()
            .ok_or_else(|| self.unusable("fewer convolutions than expected"))
    }

    /// The shape of the weights of the next one.
    pub(crate) fn peek(&self) -> Option<&[usize]> {
        self.rest.as_slice().first().map(|next| next.weights.shape.as_slice())
    }

    pub(crate) fn unusable(&self, why: &str) -> ModelError {
        ModelError::Unusable(self.model.clone(), why.to_owned())
    }

    /// An error where some were not taken: the file is another network.
    pub(crate) fn end(self) -> Result<(), ModelError> {
        match self.rest.len() {
            0 => Ok(()),
            _ => Err(self.unusable("more convolutions than expected")),
        }
    }
}

impl OnnxFile {
    pub(crate) fn parse(name: &str, file: &[u8]) -> Result<Self, ModelError> {
        let model = ModelProto::parse_buf(file).map_err(|e| ModelError::Unusable(name.to_owned(), e.to_string()))?;
        Ok(Self {
            name: name.to_owned(),
            model,
        })
    }

    fn graph(&self) -> Result<&GraphProto, ModelError> {
        self.model.graph.as_ref().ok_or_else(|| self.unusable("no graph"))
    }

    /// A file of the network from the first operation of a kind on: its input is what that operation reads.
    pub(crate) fn cut_before_first(mut self, operation: &str) -> Result<Vec<u8>, ModelError> {
        let unusable = |why: &str| ModelError::Unusable(self.name.clone(), why.to_owned());
        let mut graph = self.model.graph.take().ok_or_else(|| unusable("no graph"))?;
        let is_first = |node: &NodeProto| node.op_type.as_deref() == Some(operation);
        let first = graph
            .node
            .iter()
            .position(is_first)
            .ok_or_else(|| unusable(operation))?;
        let input = graph.node[first]
            .input
            .first()
            .cloned()
            .ok_or_else(|| unusable(operation))?;
        let mut index = 0;
        graph.node.retain(|node| {
            index += 1;
            index > first || node.op_type.as_deref() == Some("Constant")
        });
        let read: HashSet<&String> = graph.node.iter().flat_map(|node| &node.input).collect();
        graph
            .initializer
            .retain(|tensor| tensor.name.as_ref().is_some_and(|name| read.contains(name)));
        graph.value_info.clear();
        graph.input.truncate(1);
        let [value] = graph.input.as_mut_slice() else {
            return Err(unusable("no input"));
        };
        value.name = Some(input);
        if let Some(tensor) = value.r#type.as_mut().and_then(|kind| kind.tensor_type.as_mut()) {
            // Four axes of any length.
            tensor.shape = Some(TensorShapeProto {
                dim: vec![Dimension::default(); 4],
            });
        }
        self.model.graph = Some(graph);
        self.model
            .write_buf()
            .map_err(|e| ModelError::Unusable(self.name.clone(), e.to_string()))
    }

    fn unusable(&self, why: &str) -> ModelError {
        ModelError::Unusable(self.name.clone(), why.to_owned())
    }
}

impl Convolution {
    /// The weights as height × width × inputs × outputs. Of a depthwise one, the inputs and outputs change places.
    pub(crate) fn filter(&self) -> Result<Parameter, ModelError> {
        let &[outputs, inputs, height, width] = self.weights.shape.as_slice() else {
            return Err(ModelError::Shape("filter".to_owned(), self.weights.shape.clone()));
        };
        let mut data = vec![0.0; self.weights.data.len()];
        for (at, value) in self.weights.data.iter().enumerate() {
            let (output, input, place) = (
                at / (inputs * height * width),
                at / (height * width) % inputs,
                at % (height * width),
            );
            data[(place * inputs + input) * outputs + output] = *value;
        }
        Ok(Parameter {
            shape: vec![height, width, inputs, outputs],
            data,
        })
    }

    pub(crate) fn outputs(&self) -> usize {
        self.weights.shape.first().copied().unwrap_or_default()
    }

    /// The bias, or zeros.
    pub(crate) fn bias(&self) -> Vec<f32> {
        self.bias.clone().unwrap_or_else(|| vec![0.0; self.outputs()])
    }
}

fn convolutions(graph: &GraphProto) -> Option<Vec<Convolution>> {
    let constants: HashMap<&str, &TensorProto> = graph
        .initializer
        .iter()
        .filter_map(|tensor| Some((tensor.name.as_deref()?, tensor)))
        .collect();
    let mut readers: HashMap<&str, Vec<&NodeProto>> = HashMap::new();
    for node in &graph.node {
        for input in &node.input {
            readers.entry(input).or_default().push(node);
        }
    }
    graph
        .node
        .iter()
        .filter(|node| matches!(node.op_type.as_deref(), Some("Conv" | "ConvTranspose")))
        .map(|node| {
            let weights = constants.get(node.input.get(1)?.as_str())?;
            let bias = bias_behind(node, &readers)
                .and_then(|name| constants.get(name))
                .and_then(|tensor| floats(tensor));
            Some(Convolution {
                weights: Parameter {
                    shape: weights
                        .dims
                        .iter()
                        .map(|&side| usize::try_from(side).ok())
                        .collect::<Option<_>>()?,
                    data: floats(weights)?,
                },
                bias,
                stride: stride(node),
            })
        })
        .collect()
}

/// The constant that is added to what a node computes, where nothing else reads it.
fn bias_behind<'a>(node: &NodeProto, readers: &HashMap<&str, Vec<&'a NodeProto>>) -> Option<&'a str> {
    let output = node.output.first()?;
    let [reader] = readers.get(output.as_str())?.as_slice() else {
        return None;
    };
    match reader.op_type.as_deref()? {
        "Identity" => bias_behind(reader, readers),
        "Add" => reader.input.iter().find(|input| *input != output).map(String::as_str),
        _ => None,
    }
}

fn stride(node: &NodeProto) -> [usize; 2] {
    let strides = node
        .attribute
        .iter()
        .find(|attribute| attribute.name.as_deref() == Some("strides"));
    match strides.map(|attribute| attribute.ints.as_slice()) {
        Some(&[down, across]) => [down, across].map(|n| usize::try_from(n).unwrap_or(1)),
        _ => [1, 1],
    }
}

/// The numbers of a tensor of floats. What is too small for a normal number is zero: it changes no result, and processors are slow on it.
fn floats(tensor: &TensorProto) -> Option<Vec<f32>> {
    let values: Vec<f32> = match &tensor.raw_data {
        Some(raw) => raw
            .borrow()
            .chunks_exact(4)
            .map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]))
            .collect(),
        None => tensor.float_data.clone(),
    };
    let count: i64 = tensor.dims.iter().product();
    (values.len() == usize::try_from(count).ok()?).then(|| {
        values
            .into_iter()
            .map(|value| if value.is_normal() { value } else { 0.0 })
            .collect()
    })
}
