//! `calibrate faces`: the errors of comparing faces at every threshold, and the confidence that follows from a distance.

use super::{Failure, Output, card, drawing::Distributions, page, progress, recordings::is_picture, say};
use app::html::escaped;
use clap::Args;
use domain::{
    calibration::{Errors, Logistic, Operating},
    findings::{Asked, Face},
};
use serde_json::json;
use std::{
    fs,
    path::{Path, PathBuf},
};
use toml_edit::value;
use vision::{Vision, normalise};

#[derive(Args)]
pub(in crate::cli) struct Faces {
    /// Folder with one subfolder of pictures per person, or with pictures named after the person and a number, such as
    /// `Ada_Lovelace_0001.jpg`.
    dir: PathBuf,
    #[command(flatten)]
    output: Output,
}

/// False match rates of the table.
const RATES: [f64; 5] = [0.1, 0.01, 0.001, 0.000_1, 0.000_01];

/// What the report does not say.
const LIMITS: [&str; 3] = [
    "Pairs share people and pictures, so they are not independent: the true intervals are wider than the exact ones for independent pairs.",
    "A rate below one false match in the number of pairs of different people cannot be seen and is left out.",
    "Rates hold for people and pictures like those in the folder. Check that it shows the people you verify: errors differ with age, sex and \
     skin colour.",
];

/// A picture of a known person.
struct Portrait {
    person: String,
    file: PathBuf,
}

pub(super) fn run(vision: &Vision, models: &Path, faces: &Faces) -> Result<(), Failure> {
    let portraits = portraits(&faces.dir)?;
    let mut found: Vec<(&str, Face)> = Vec::new();
    let mut missed = Vec::new();
    for (done, portrait) in portraits.iter().enumerate() {
        match face(vision, &portrait.file)? {
            Some(face) => found.push((&portrait.person, face)),
            None => missed.push(portrait.file.display().to_string()),
        }
        progress(done + 1, portraits.len())?;
    }
    let errors = compare(&found);
    let fitted = Logistic::fitted(errors.same(), errors.different()).ok_or(
        "pairs of the same person and of different people are needed, with the smaller distances between the same",
    )?;
    let result = Measured {
        engine: found
            .first()
            .map(|(_, face)| face.engine.name.clone())
            .unwrap_or_default(),
        missed,
        pictures: found.len(),
        errors,
        fitted,
    };
    fs::create_dir_all(&faces.output.out)?;
    fs::write(faces.output.out.join("faces.json"), result.json()?)?;
    fs::write(faces.output.out.join("faces.html"), result.page())?;
    say(result.table())?;
    if faces.output.write {
        let path = card::complete(models, "face", |face| {
            face["calibration"]["middle"] = value(fitted.middle);
            face["calibration"]["slope"] = value(fitted.slope);
        })?;
        say(format_args!("Calibration written to {}", path.display()))?;
    }
    say(format_args!("Report written to {}", faces.output.out.display()))
}

/// The pictures of a folder, by name.
fn portraits(dir: &Path) -> Result<Vec<Portrait>, Failure> {
    let mut found = Vec::new();
    for path in sorted(dir)? {
        let name = |path: &Path| path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() {
            let person = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            for file in sorted(&path)?.into_iter().filter(|file| is_picture(file)) {
                found.push(Portrait {
                    person: person.clone(),
                    file,
                });
            }
        } else if is_picture(&path) {
            let person = name(&path)
                .trim_end_matches(|c: char| c.is_ascii_digit())
                .trim_end_matches(['_', '-', ' '])
                .to_owned();
            found.push(Portrait { person, file: path });
        }
    }
    if found.is_empty() {
        return Err(format!(
            "{}: no pictures; expected JPEG, PNG or WebP files, one face in each",
            dir.display()
        )
        .into());
    }
    Ok(found)
}

fn sorted(dir: &Path) -> Result<Vec<PathBuf>, Failure> {
    let entries = fs::read_dir(dir).map_err(|error| format!("{}: {error}", dir.display()))?;
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()?;
    paths.sort();
    Ok(paths)
}

fn face(vision: &Vision, file: &Path) -> Result<Option<Face>, Failure> {
    let picture = normalise(&fs::read(file)?).map_err(|fault| format!("{}: {fault}", file.display()))?;
    Ok(vision.examine_selfie(&[picture], &Asked::default()).face)
}

/// The distances of every pair, as the network measures them.
fn compare(found: &[(&str, Face)]) -> Errors {
    let (mut same, mut different) = (Vec::new(), Vec::new());
    for (index, (person, face)) in found.iter().enumerate() {
        for (other, other_face) in &found[index + 1..] {
            let pairs = if person == other { &mut same } else { &mut different };
            pairs.extend(face.raw_distance(other_face).map(f64::from));
        }
    }
    Errors::of(same, different)
}

struct Measured {
    engine: String,
    pictures: usize,
    missed: Vec<String>,
    errors: Errors,
    fitted: Logistic,
}

impl Measured {
    fn rows(&self) -> Vec<(f64, Operating)> {
        let row = |rate: &f64| self.errors.at_fmr(*rate).map(|at| (*rate, at));
        RATES.iter().filter_map(row).collect()
    }

    fn table(&self) -> String {
        let mut lines = vec![format!(
            "{}: {} faces, {} pictures without one; {} pairs of the same person, {} of different people",
            self.engine,
            self.pictures,
            self.missed.len(),
            self.errors.same().len(),
            self.errors.different().len()
        )];
        if let Some((distance, rate)) = self.errors.equal() {
            lines.push(format!(
                "equal error rate {:.2} % at distance {distance:.4}",
                rate * 100.0
            ));
        }
        lines.extend(self.rows().iter().map(|(rate, at)| {
            let confidence = self.fitted.at(at.distance);
            format!(
                "FMR {:>6} %: FNMR {} at distance {:.4}, confidence {confidence:.3}",
                rate * 100.0,
                at.fnmr.text(),
                at.distance
            )
        }));
        lines.push(format!("\n{}", self.card()));
        lines.join("\n")
    }

    /// The part of the model card.
    fn card(&self) -> String {
        let Logistic { middle, slope } = self.fitted;
        format!("[face.calibration]\nmiddle = {middle:.5}\nslope = {slope:.3}")
    }

    fn json(&self) -> Result<String, Failure> {
        let rows: Vec<_> = self.rows().into_iter().map(|(rate, at)| {
            json!({"rate": rate, "distance": at.distance, "fmr": at.fmr, "fnmr": at.fnmr, "confidence": self.fitted.at(at.distance)})
        }).collect();
        let equal = self
            .errors
            .equal()
            .map(|(distance, rate)| json!({"distance": distance, "rate": rate}));
        let report = json!({
            "product": concat!("honnin ", env!("CARGO_PKG_VERSION")), "engine": self.engine, "faces": self.pictures, "missed": self.missed,
            "samePairs": self.errors.same().len(), "differentPairs": self.errors.different().len(), "calibration": self.fitted,
            "equalErrorRate": equal, "operating": rows, "confidence": 0.95, "interval": "Clopper-Pearson", "limits": LIMITS,
        });
        Ok(serde_json::to_string_pretty(&report)?)
    }

    fn page(&self) -> String {
        let most = self.errors.different().last().copied().unwrap_or(1.0);
        let curve = Distributions {
            axis: "Distances",
            range: (0.0, most),
            groups: [
                ("same person", self.errors.same()),
                ("different people", self.errors.different()),
            ],
            mark: ("as likely as not", self.fitted.middle),
        };
        let rows: String = self
            .rows()
            .iter()
            .map(|(rate, at)| {
                format!(
                    "<tr><td class=\"n\">{} %</td><td class=\"n\">{:.4}</td><td class=\"n\">{:.3}</td><td class=\"n\">{} of {}</td><td>{}{}</td></tr>",
                    rate * 100.0,
                    at.distance,
                    self.fitted.at(at.distance),
                    at.fnmr.hits,
                    at.fnmr.of,
                    page::bar(at.fnmr),
                    page::interval(at.fnmr)
                )
            })
            .collect();
        page::page(
            "Face recognition report",
            &format!(
                "<p>honnin {}, network <code>{}</code>. {} faces, {} pairs of the same person and {} of different people.</p>\
                 <h2>Distances</h2>{}<h2>Error rates</h2>\
                 <p>FMR: share of different people who match. FNMR: share of pairs of the same person who do not. Bars show the 95 % interval \
                 (Clopper–Pearson).</p><div class=\"wide\"><table><thead><tr><th class=\"n\">FMR</th><th class=\"n\">Distance</th>\
                 <th class=\"n\">Confidence</th><th class=\"n\">Not matched</th><th>FNMR</th></tr></thead><tbody>{rows}</tbody></table></div>\
                 <h2>Model card</h2><pre>{}</pre><h2>What this report does not say</h2><ul>{}</ul>",
                env!("CARGO_PKG_VERSION"),
                escaped(&self.engine),
                self.pictures,
                self.errors.same().len(),
                self.errors.different().len(),
                curve.svg(),
                self.card(),
                page::items(&LIMITS)
            ),
        )
    }
}
