//! Times as distributions.

use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Milliseconds by name.
#[derive(Default)]
pub(crate) struct Times(BTreeMap<String, Vec<f32>>);

impl Times {
    /// Adds one.
    pub(crate) fn add(&mut self, name: &str, milliseconds: f32) {
        self.0.entry(name.to_owned()).or_default().push(milliseconds);
    }

    /// A table.
    pub(crate) fn print(&self) {
        println!(
            "  {:<32} {:>6} {:>8} {:>8} {:>8}",
            "time", "n", "p50 ms", "p95 ms", "max ms"
        );
        for (name, values) in &self.0 {
            println!(
                "  {name:<32} {:>6} {:>8.0} {:>8.0} {:>8.0}",
                values.len(),
                quantile(values, 0.5),
                quantile(values, 0.95),
                quantile(values, 1.0)
            );
        }
    }

    /// The same for machines.
    pub(crate) fn json(&self) -> Value {
        let named = |(name, values): (&String, &Vec<f32>)| {
            let figures = json!({
                "n": values.len(), "p50": quantile(values, 0.5), "p95": quantile(values, 0.95),
                "max": quantile(values, 1.0),
            });
            (name.clone(), figures)
        };
        self.0.iter().map(named).collect()
    }
}

/// The value at a share of the sorted values, the nearest rank.
pub(crate) fn quantile(values: &[f32], share: f32) -> f32 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f32::total_cmp);
    sorted
        .get(((sorted.len() as f32 - 1.0) * share).round() as usize)
        .copied()
        .unwrap_or_default()
}
