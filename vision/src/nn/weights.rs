//! Reads weights in the tfjs layout: a manifest of names and shapes, and one binary of numbers, 8-bit quantised or plain.

use crate::model::ModelError;
use serde::Deserialize;
use std::collections::HashMap;

#[derive(Deserialize)]
struct Group {
    weights: Vec<Entry>,
}

#[derive(Deserialize)]
struct Entry {
    name: String,
    shape: Vec<usize>,
    dtype: String,
    quantization: Option<Quantization>,
}

#[derive(Deserialize)]
struct Quantization {
    dtype: String,
    scale: f64,
    min: f64,
}

/// One named array of weights.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Parameter {
    pub(crate) shape: Vec<usize>,
    pub(crate) data: Vec<f32>,
}

impl Parameter {
    /// The values, each multiplied by the `scale` of its output; outputs run fastest.
    pub(super) fn scaled(&self, scale: Option<&[f32]>) -> Vec<f32> {
        let mut values = self.data.clone();
        if let Some(scale) = scale {
            for (value, factor) in values.iter_mut().zip(scale.iter().cycle()) {
                *value *= factor;
            }
        }
        values
    }
}

/// All weights of a network by name.
#[derive(Debug)]
pub(crate) struct Weights {
    model: String,
    parameters: HashMap<String, Parameter>,
}

impl Weights {
    /// `binary` holds the numbers in the manifest's order, without gaps.
    pub(crate) fn parse(model: &str, manifest: &[u8], binary: &[u8]) -> Result<Self, ModelError> {
        let unusable = |why: &str| ModelError::Unusable(model.to_owned(), why.to_owned());
        let groups: Vec<Group> = serde_json::from_slice(manifest).map_err(|e| unusable(&e.to_string()))?;
        let mut parameters = HashMap::new();
        let mut rest = binary;
        for entry in groups.into_iter().flat_map(|group| group.weights) {
            let count = entry
                .shape
                .iter()
                .try_fold(1_usize, |product, &side| product.checked_mul(side));
            let count = count.ok_or_else(|| unusable("a shape without end"))?;
            let (data, after) = numbers(&entry, count, rest).ok_or_else(|| unusable(&entry.name))?;
            rest = after;
            parameters.insert(
                entry.name,
                Parameter {
                    shape: entry.shape,
                    data,
                },
            );
        }
        if !rest.is_empty() {
            return Err(unusable("more bytes than the manifest names"));
        }
        Ok(Self {
            model: model.to_owned(),
            parameters,
        })
    }

    pub(crate) fn get(&self, name: &str) -> Result<&Parameter, ModelError> {
        self.parameters
            .get(name)
            .ok_or_else(|| ModelError::Unusable(self.model.clone(), format!("no weights {name}")))
    }

    /// The numbers alone.
    pub(crate) fn values(&self, name: &str) -> Result<Vec<f32>, ModelError> {
        Ok(self.get(name)?.data.clone())
    }
}

/// The next `count` numbers and the bytes behind them; `None` for an unknown kind or too few bytes.
fn numbers<'a>(entry: &Entry, count: usize, bytes: &'a [u8]) -> Option<(Vec<f32>, &'a [u8])> {
    let size = match entry.quantization.as_ref().map(|q| q.dtype.as_str()) {
        Some("uint8") => 1,
        Some("uint16") => 2,
        Some(_) => return None,
        None => 4,
    };
    let (mine, rest) = bytes.split_at_checked(count.checked_mul(size)?)?;
    let data = match &entry.quantization {
        Some(q) if size == 1 => mine.iter().map(|&b| (f64::from(b) * q.scale + q.min) as f32).collect(),
        Some(q) => {
            let value = |b: &[u8]| f64::from(u16::from_le_bytes([b[0], b[1]]));
            mine.chunks_exact(2)
                .map(|b| (value(b) * q.scale + q.min) as f32)
                .collect()
        }
        None if entry.dtype == "float32" => mine
            .chunks_exact(4)
            .map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]))
            .collect(),
        None if entry.dtype == "int32" => mine
            .chunks_exact(4)
            .map(|b| i32::from_le_bytes([b[0], b[1], b[2], b[3]]) as f32)
            .collect(),
        None => return None,
    };
    Some((data, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MANIFEST: &[u8] = br#"[{"paths": ["x.bin"], "weights": [
        {"name": "a", "shape": [3], "dtype": "float32", "quantization": {"scale": 0.5, "min": -1, "dtype": "uint8"}},
        {"name": "b", "shape": [], "dtype": "float32"}]}]"#;

    #[test]
    fn quantised_and_plain_numbers_are_read_in_order() {
        let mut binary = vec![0, 2, 255];
        binary.extend_from_slice(&2.5_f32.to_le_bytes());
        let weights = Weights::parse("x", MANIFEST, &binary).unwrap();
        assert_eq!(weights.values("a").unwrap(), [-1.0, 0.0, 126.5]);
        assert_eq!(weights.values("b").unwrap(), [2.5]);
        assert!(weights.get("c").is_err());
    }

    #[test]
    fn too_few_and_too_many_bytes_are_refused() {
        assert!(Weights::parse("x", MANIFEST, &[0; 6]).is_err());
        assert!(Weights::parse("x", MANIFEST, &[0; 8]).is_err());
        assert!(Weights::parse("x", b"{}", &[]).is_err());
    }
}
