//! Measures how well `vision` sees, on pictures it is given: `cargo run --release -p vision --example eval -- --data DIR`.
//!
//! `DIR/mrz/labels.csv` names pictures and the lines of their machine-readable zone; `DIR/faces/` holds photographs named after
//! the person up to the number; `DIR/pdf417/` holds pictures of PDF417 codes with their texts. `--rendered DIR` names rendered specimens with their `labels.csv`. Results go to `target/bench/`.
#![expect(clippy::print_stdout, reason = "a table on the terminal is what this is for")]

#[path = "eval/codes.rs"]
mod codes;

use domain::document::{DocumentType, Side};
use domain::findings::StageTime;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;
use time::macros::date;
use vision::{Picture, Vision, normalise};

/// The day all pictures are examined on, so that a run can be repeated.
const TODAY: time::Date = date!(2026 - 01 - 01);
/// Rendered codes of each level: enough that 97 % is told from 95 %.
const RENDERED_CODES: usize = 200;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let option = |name: &str, default: &str| {
        let at = arguments.iter().position(|a| a == name);
        PathBuf::from(at.and_then(|at| arguments.get(at + 1)).map_or(default, String::as_str))
    };
    let (data, out) = (
        option("--data", "data"),
        option("--out", "target/bench/vision-eval.json"),
    );
    let vision = Vision::load(&option("--models", "models"));
    if !vision.missing().is_empty() {
        return Err(format!("models are missing: {:?}", vision.faults()).into());
    }
    let verbose = arguments.iter().any(|a| a == "--verbose");
    let mut report = serde_json::Map::new();
    let rendered = option("--rendered", "target/specimens");
    for (set, folder) in [("mrz", data.join("mrz")), ("rendered", rendered)] {
        if folder.join("labels.csv").exists() {
            report.insert(set.to_owned(), zones(&vision, &folder, verbose)?);
        }
    }
    if data.join("pdf417").is_dir() {
        report.insert("pdf417".to_owned(), codes::pictures(&data.join("pdf417"), verbose)?);
    }
    report.insert("codes".to_owned(), codes::rendered(RENDERED_CODES, verbose)?);
    if data.join("faces").is_dir() {
        report.insert("faces".to_owned(), faces(&vision, &data.join("faces"), verbose)?);
    }
    if let Some(folder) = out.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(&out, serde_json::to_vec_pretty(&report)?)?;
    println!("written to {}", out.display());
    Ok(())
}

/// Reads every labelled document and counts those of which all lines are right.
fn zones(vision: &Vision, folder: &Path, verbose: bool) -> Result<Value, Box<dyn Error>> {
    let (mut right, mut unread, mut wrong, mut times, mut total) = (0, 0, Vec::new(), Times::default(), 0);
    for line in fs::read_to_string(folder.join("labels.csv"))?.lines().skip(1) {
        let Some((file, wanted)) = label(line) else { continue };
        total += 1;
        let started = Instant::now();
        let picture = match normalise(&fs::read(folder.join(file))?) {
            Ok(picture) => picture,
            Err(fault) => {
                wrong.push(json!({"file": file, "fault": fault.to_string()}));
                continue;
            }
        };
        let decoded = started.elapsed().as_secs_f32() * 1000.0;
        let findings = vision.examine_document(&picture, DocumentType::Passport, Side::Front, TODAY);
        times.add(decoded, &findings.timings);
        let read = findings.mrz.as_ref().map(|mrz| mrz.lines.join("|")).unwrap_or_default();
        let checks = findings
            .mrz
            .as_ref()
            .map_or((0, 0), |mrz| (mrz.checks_passed, mrz.checks_total));
        let likely = findings.mrz.as_ref().map_or(0.0, |mrz| mrz.log_probability);
        if read == wanted {
            right += 1;
        } else {
            unread += usize::from(read.is_empty());
            wrong.push(json!({"file": file, "wanted": wanted, "read": read, "checks": [checks.0, checks.1]}));
        }
        if verbose {
            let (ok, lines) = (if read == wanted { "ok   " } else { "WRONG" }, findings.text_lines);
            println!(
                "{ok} {file:<24} {checks:?} {likely:.3} lines {lines} agreement {:?} portrait {}",
                findings.viz_agreement,
                findings.portrait.is_some()
            );
            if read != wanted {
                println!("      wanted {wanted}\n      read   {read}");
            }
        }
    }
    let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    println!("{name}: all lines right on {right} of {total} ({unread} not found)");
    times.print();
    Ok(json!({"right": right, "total": total, "not_found": unread, "wrong": wrong, "milliseconds": times.json()}))
}

/// The file and the lines, from a row whose first two columns they are, or `file,format,level,lines,..`.
fn label(row: &str) -> Option<(&str, &str)> {
    let mut columns = row.split(',');
    let file = columns.next()?;
    columns.find(|column| column.contains('|')).map(|lines| (file, lines))
}

/// Compares every photograph with every other.
fn faces(vision: &Vision, folder: &Path, verbose: bool) -> Result<Value, Box<dyn Error>> {
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
        let findings = vision.examine_selfie(&[picture], None);
        times.add(decoded, &findings.timings);
        match findings.face {
            Some(face) => found.push((person, name, face)),
            None => missed.push(name),
        }
    }
    let (mut same, mut different) = (Vec::new(), Vec::new());
    for (index, (person, name, face)) in found.iter().enumerate() {
        for (other_person, other_name, other) in &found[index + 1..] {
            let distance = face.distance(other).unwrap_or(f32::MAX);
            let pairs = if person == other_person {
                &mut same
            } else {
                &mut different
            };
            pairs.push(distance);
            if verbose && (person == other_person) != (distance < 0.6) {
                println!("{name} {other_name} {distance:.3}");
            }
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

/// Times by stage.
#[derive(Default)]
struct Times(BTreeMap<String, Vec<f32>>);

impl Times {
    fn add(&mut self, decoded: f32, stages: &[StageTime]) {
        let total = decoded + stages.iter().map(|stage| stage.ms).sum::<f32>();
        self.0.entry("decode".to_owned()).or_default().push(decoded);
        self.0.entry("total".to_owned()).or_default().push(total);
        for stage in stages {
            self.0.entry(stage.stage.clone()).or_default().push(stage.ms);
        }
    }

    fn quantile(values: &[f32], share: f32) -> f32 {
        let mut sorted = values.to_vec();
        sorted.sort_by(f32::total_cmp);
        sorted
            .get(((sorted.len() as f32 - 1.0) * share).round() as usize)
            .copied()
            .unwrap_or_default()
    }

    fn print(&self) {
        println!("  {:<20} {:>8} {:>8}", "stage", "p50 ms", "p95 ms");
        for (stage, values) in &self.0 {
            println!(
                "  {stage:<20} {:>8.1} {:>8.1}",
                Self::quantile(values, 0.5),
                Self::quantile(values, 0.95)
            );
        }
    }

    fn json(&self) -> Value {
        let stages = self.0.iter();
        stages
            .map(|(stage, v)| {
                (
                    stage.clone(),
                    json!({"p50": Self::quantile(v, 0.5), "p95": Self::quantile(v, 0.95)}),
                )
            })
            .collect()
    }
}
