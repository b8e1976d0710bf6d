//! The network that reads a line (PP-OCR's recogniser): the probability of each symbol at each step along it.

use super::backbone::Backbone;
use crate::model::onnx::Onnx;
use crate::model::{Model, ModelError, Tensor};
use crate::nn::{Convolutions, Map, OnnxFile};

/// The first operation behind the backbone.
const BEHIND: &str = "AveragePool";

/// The backbone on our own kernels, and on `rten` what is behind it: attention along the line, and one product with the symbols.
pub(super) struct Recogniser {
    backbone: Backbone,
    head: Onnx,
}

impl Recogniser {
    pub(super) fn parse(name: &str, file: &[u8]) -> Result<Self, ModelError> {
        let file = OnnxFile::parse(name, file)?;
        let backbone = Backbone::take(&mut Convolutions::of(&file)?)?;
        let head = Onnx::load(name, file.cut_before_first(BEHIND)?)?;
        Ok(Self { backbone, head })
    }

    /// The symbols, one a line.
    pub(super) fn symbols(&self) -> &str {
        self.head.metadata("character").unwrap_or_default()
    }
}

impl Model for Recogniser {
    fn name(&self) -> &str {
        self.head.name()
    }

    /// `line` is in -1..1 and 48 high.
    fn run(&self, line: Tensor) -> Result<Vec<Tensor>, ModelError> {
        let layer = self.backbone.run(&Map::of_planes(&line)?, |_| ())?;
        self.head.run(layer.planes())
    }
}
