//! V3: every photograph of a face against every other.

use crate::{Done, times::Times};
use domain::{
    calibration::Errors,
    findings::{Asked, Face},
};
use serde_json::{Value, json};
use std::{
    fs,
    path::{Path, PathBuf},
    time::Instant,
};
use vision::{Picture, Vision, normalise, raster::Raster};

/// Compares every photograph with every other.
pub(crate) fn report(vision: &Vision, folder: &Path) -> Done<Value> {
    let mut files: Vec<PathBuf> = fs::read_dir(folder)?
        .filter_map(Result::ok)
        .map(|entry| entry.path())
        .collect();
    files.sort();
    let (mut found, mut missed, mut times) = (Vec::new(), Vec::new(), Times::default());
    let mut portraits: Vec<Vec<(String, Face)>> = EYES.iter().map(|_| Vec::new()).collect();
    for file in files.iter().filter(|file| file.extension().is_some_and(|e| e == "jpg")) {
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let person = name
            .trim_end_matches(|c: char| c.is_ascii_digit() || c == '_')
            .to_owned();
        let started = Instant::now();
        let picture: Picture = normalise(&fs::read(file)?)?;
        let original = picture.rgb.clone();
        let decoded = started.elapsed().as_secs_f32() * 1000.0;
        let findings = vision.examine_selfie(&[picture], &Asked::default());
        times.add("decode", decoded);
        for stage in &findings.timings {
            times.add(&stage.stage, stage.ms);
        }
        match findings.face {
            Some(face) => {
                for (eyes, portraits) in EYES.iter().zip(&mut portraits) {
                    portraits.extend(at_size(vision, &original, &face, *eyes)?.map(|small| (person.clone(), small)));
                }
                found.push((person, face));
            }
            None => missed.push(name),
        }
    }
    let (mut same, mut different) = (Vec::new(), Vec::new());
    for (index, (person, face)) in found.iter().enumerate() {
        for (other_person, other) in &found[index + 1..] {
            let distance = face.distance(other).map_or(f64::MAX, f64::from);
            let pairs = if person == other_person {
                &mut same
            } else {
                &mut different
            };
            pairs.push(distance);
        }
    }
    let errors = Errors::of(same, different);
    let (threshold, eer) = errors.equal().unwrap_or_default();
    let (same, different) = (errors.same(), errors.different());
    let (tar, far) = (share(same, 0.55), share(different, 0.55));
    println!("faces: {} found, missed {missed:?}", found.len());
    println!("faces: {} same and {} different pairs", same.len(), different.len());
    println!(
        "faces: EER {:.2} % at distance {threshold:.3}; at 0.55 TAR {:.1} % FAR {:.2} %",
        eer * 100.0,
        tar * 100.0,
        far * 100.0
    );
    let small: Vec<Value> = EYES
        .iter()
        .zip(&portraits)
        .map(|(eyes, small)| portraits_of(*eyes, small, &found))
        .collect();
    times.print();
    Ok(json!({
        "portraits": small, "found": found.len(), "missed": missed, "same_pairs": same.len(), "different_pairs": different.len(),
        "eer": eer, "eer_distance": threshold, "tar_at_0.55": tar, "far_at_0.55": far, "milliseconds": times.json(),
    }))
}

/// Distances between the eyes of portraits, in pixels.
const EYES: [f32; 6] = [48.0, 32.0, 24.0, 20.0, 16.0, 12.0];

/// The face of a picture reduced until its eyes are this far apart; `None` where it is not found any more, or was smaller.
fn at_size(vision: &Vision, picture: &Raster, face: &Face, eyes: f32) -> Done<Option<Face>> {
    let scale = eyes / face.eye_distance;
    if scale > 1.0 {
        return Ok(None);
    }
    let length = |side: usize| ((side as f32 * scale).round() as usize).max(1);
    let small = picture.resized(length(picture.width()), length(picture.height()));
    Ok(vision
        .examine_selfie(&[Picture::from_raster(small)?], &Asked::default())
        .face)
}

/// Each small portrait against every selfie but its own picture.
fn portraits_of(eyes: f32, small: &[(String, Face)], selfies: &[(String, Face)]) -> Value {
    let (mut same, mut different) = (Vec::new(), Vec::new());
    for (person, portrait) in small {
        for (other, selfie) in selfies {
            let distance = portrait.distance(selfie).map_or(f64::MAX, f64::from);
            // The nearest of all is the picture that it was made of.
            let pairs = if person == other { &mut same } else { &mut different };
            pairs.push(distance);
        }
    }
    same.sort_by(f64::total_cmp);
    different.sort_by(f64::total_cmp);
    // Its own picture is nearer than any other of that person.
    same.drain(..small.len().min(same.len()));
    let at_fmr = different.get(different.len() / 1000).copied().unwrap_or(0.0);
    let (tar, known, refused) = (share(&same, at_fmr), share(&same, 0.5515), 1.0 - share(&same, 0.6045));
    println!(
        "faces: portraits of {eyes:>2} px: {:>3} found; TAR at FMR 0.1 % {:.1} % (distance {at_fmr:.3}); matched {:.1} %, taken for somebody else {:.2} %",
        small.len(),
        tar * 100.0,
        known * 100.0,
        refused * 100.0
    );
    json!({"eyes": eyes, "found": small.len(), "tar_at_fmr_0.001": tar, "distance": at_fmr, "matched": known, "taken_for_another": refused})
}

/// The share of pairs up to this distance.
fn share(pairs: &[f64], limit: f64) -> f64 {
    pairs.iter().filter(|d| **d <= limit).count() as f64 / pairs.len().max(1) as f64
}
