//! V3: every photograph of a face against every other.

use crate::{Done, times::Times};
use domain::findings::Asked;
use serde_json::{Value, json};
use std::{
    fs,
    path::{Path, PathBuf},
    time::Instant,
};
use vision::{Picture, Vision, normalise};

/// Compares every photograph with every other.
pub(crate) fn report(vision: &Vision, folder: &Path) -> Done<Value> {
    let mut files: Vec<PathBuf> = fs::read_dir(folder)?
        .filter_map(Result::ok)
        .map(|entry| entry.path())
        .collect();
    files.sort();
    let (mut found, mut missed, mut times) = (Vec::new(), Vec::new(), Times::default());
    for file in files.iter().filter(|file| file.extension().is_some_and(|e| e == "jpg")) {
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let person = name
            .trim_end_matches(|c: char| c.is_ascii_digit() || c == '_')
            .to_owned();
        let started = Instant::now();
        let picture: Picture = normalise(&fs::read(file)?)?;
        let decoded = started.elapsed().as_secs_f32() * 1000.0;
        let findings = vision.examine_selfie(&[picture], &Asked::default());
        times.add("decode", decoded);
        for stage in &findings.timings {
            times.add(&stage.stage, stage.ms);
        }
        match findings.face {
            Some(face) => found.push((person, face)),
            None => missed.push(name),
        }
    }
    let (mut same, mut different) = (Vec::new(), Vec::new());
    for (index, (person, face)) in found.iter().enumerate() {
        for (other_person, other) in &found[index + 1..] {
            let distance = face.distance(other).unwrap_or(f32::MAX);
            let pairs = if person == other_person {
                &mut same
            } else {
                &mut different
            };
            pairs.push(distance);
        }
    }
    let (eer, threshold) = equal_error(&same, &different);
    let share =
        |pairs: &[f32], limit: f32| pairs.iter().filter(|d| **d <= limit).count() as f32 / pairs.len().max(1) as f32;
    let (tar, far) = (share(&same, 0.55), share(&different, 0.55));
    println!("faces: {} found, missed {missed:?}", found.len());
    println!("faces: {} same and {} different pairs", same.len(), different.len());
    println!(
        "faces: EER {:.2} % at distance {threshold:.3}; at 0.55 TAR {:.1} % FAR {:.2} %",
        eer * 100.0,
        tar * 100.0,
        far * 100.0
    );
    times.print();
    Ok(json!({
        "found": found.len(), "missed": missed, "same_pairs": same.len(), "different_pairs": different.len(),
        "eer": eer, "eer_distance": threshold, "tar_at_0.55": tar, "far_at_0.55": far, "milliseconds": times.json(),
    }))
}

/// Where the share of same pairs above equals the share of different pairs below.
fn equal_error(same: &[f32], different: &[f32]) -> (f32, f32) {
    let mut best = (f32::MAX, 1.0, 0.0);
    for &threshold in same.iter().chain(different) {
        let miss = same.iter().filter(|d| **d > threshold).count() as f32 / same.len().max(1) as f32;
        let pass = different.iter().filter(|d| **d <= threshold).count() as f32 / different.len().max(1) as f32;
        if (miss - pass).abs() < best.0 {
            best = ((miss - pass).abs(), f32::midpoint(miss, pass), threshold);
        }
    }
    (best.1, best.2)
}
