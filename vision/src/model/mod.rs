//! A model as the rest of the crate sees it: a name, and numbers in, numbers out.
//!
//! The stages know only this trait, so that they can be tested with fakes and without weights.

mod denormals;
pub(crate) mod lock;
pub(crate) mod onnx;

use std::io;

/// Numbers with a shape, the last axis running fastest.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tensor {
    /// Length of each axis.
    pub shape: Vec<usize>,
    /// The numbers; as many as the product of `shape`.
    pub data: Vec<f32>,
}

impl Tensor {
    /// Numbers with a shape; `None` where they do not fit.
    #[must_use]
    pub fn new(shape: &[usize], data: Vec<f32>) -> Option<Self> {
        (shape.iter().product::<usize>() == data.len()).then(|| Self {
            shape: shape.to_vec(),
            data,
        })
    }
}

/// A trained network, or in tests something that answers like one.
pub trait Model: Send + Sync {
    /// What it is called in findings and errors.
    fn name(&self) -> &str;

    /// Runs the network on one input.
    fn run(&self, input: Tensor) -> Result<Vec<Tensor>, ModelError>;
}

/// Why a model gave no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// The file is not there.
    #[error("{0}: not found")]
    Missing(String),
    /// The file is not the pinned one.
    #[error("{0}: the SHA-256 is not the one in models.lock")]
    Altered(String),
    /// The file cannot be read, or is the pinned one and cannot be understood.
    #[error("{0}: {1}")]
    Unusable(String, String),
    /// The network did not run.
    #[error("{0} did not run: {1}")]
    Run(String, String),
    /// The answer has another shape than the network promises.
    #[error("{0}: unexpected shape {1:?}")]
    Shape(String, Vec<usize>),
}

impl ModelError {
    /// A file that could not be read.
    pub(crate) fn unread(file: &str, error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound => Self::Missing(file.to_owned()),
            _ => Self::Unusable(file.to_owned(), error.to_string()),
        }
    }

    pub(crate) fn shape(model: &dyn Model, tensor: &Tensor) -> Self {
        Self::Shape(model.name().to_owned(), tensor.shape.clone())
    }

    /// Says in the log why a check was not made: the findings only say that it was not, and a reviewer decides.
    pub(crate) fn log(&self) {
        tracing::error!(error = %self, "a network failed while it analysed a picture, so a check was not performed");
    }
}

/// The only output of a model that has one.
pub(crate) fn run_one(model: &dyn Model, input: Tensor) -> Result<Tensor, ModelError> {
    let outputs = model.run(input)?;
    outputs
        .into_iter()
        .next()
        .ok_or_else(|| ModelError::Run(model.name().to_owned(), "no output".to_owned()))
}
