//! A reader for tests that sees no text anywhere.

use crate::model::{Model, ModelError, Tensor};
use crate::text::{Alphabet, MRZ_SYMBOLS, Reader};

pub(super) fn blank_reader() -> Reader {
    let symbols: Vec<String> = MRZ_SYMBOLS
        .iter()
        .map(|symbol| char::from(*symbol).to_string())
        .collect();
    Reader {
        detector: Box::new(Blank),
        recogniser: Box::new(Blank),
        alphabet: Alphabet::parse(&symbols.join("\n")).unwrap(),
    }
}

/// A network that answers nothing but zeros.
struct Blank;

impl Model for Blank {
    fn name(&self) -> &str {
        "blank"
    }
    fn run(&self, input: Tensor) -> Result<Vec<Tensor>, ModelError> {
        let data = vec![0.0; input.shape[2] * input.shape[3]];
        Ok(vec![Tensor {
            shape: input.shape,
            data,
        }])
    }
}
