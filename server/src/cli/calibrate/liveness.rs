//! `calibrate liveness`: how a passive network scores attacks and live people, and the limit that follows.

use super::{Failure, Output, card, drawing::Distributions, page, progress, recordings, say};
use app::html::escaped;
use clap::Args;
use domain::share::Share;
use serde_json::json;
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};
use toml_edit::value;
use vision::Vision;

#[derive(Args)]
pub(in crate::cli) struct Liveness {
    /// Folder as for `honnin eval attacks`: a folder for each kind of attack, and `genuine` for living people.
    dir: PathBuf,
    /// Share of living people that may be sent to a reviewer.
    #[arg(long, value_name = "0 TO 1", default_value_t = 0.02)]
    bpcer: f64,
    #[command(flatten)]
    output: Output,
}

/// What the report does not say.
const LIMITS: [&str; 3] = [
    "A passive network can send a selfie to a reviewer. It never approves one, whatever its score.",
    "Rates hold for the recordings in this report. They say nothing about kinds of attack that are not in it, such as deepfakes.",
    "No conformance with ISO/IEC 30107-3 is claimed, and no independent laboratory has taken part.",
];

pub(super) fn run(vision: &Vision, models: &Path, liveness: &Liveness) -> Result<(), Failure> {
    if !(0.0..1.0).contains(&liveness.bpcer) {
        return Err("--bpcer must be from 0 to 1".into());
    }
    let kinds = recordings::kinds(&liveness.dir)?;
    let total = kinds.iter().map(|(_, recordings)| recordings.len()).sum();
    let (mut scores, mut done): (BTreeMap<String, Vec<f64>>, _) = (BTreeMap::new(), 0);
    let mut without_face = 0;
    for (kind, recordings) in &kinds {
        for recording in recordings {
            match score(vision, &liveness.dir, recording)? {
                Some(score) => scores.entry(kind.clone()).or_default().push(score),
                None => without_face += 1,
            }
            done += 1;
            progress(done, total)?;
        }
    }
    let result = Measured::of(scores, without_face, liveness.bpcer)?;
    fs::create_dir_all(&liveness.output.out)?;
    fs::write(liveness.output.out.join("liveness.json"), result.json()?)?;
    fs::write(liveness.output.out.join("liveness.html"), result.page())?;
    say(result.table())?;
    if liveness.output.write {
        let path = card::complete(models, "liveness", |task| task["limit"] = value(result.limit))?;
        say(format_args!("Limit written to {}", path.display()))?;
    }
    say(format_args!("Report written to {}", liveness.output.out.display()))
}

/// The network's score of a recording; `None` if no frame shows a straight face.
fn score(vision: &Vision, dir: &Path, recording: &Path) -> Result<Option<f64>, Failure> {
    let frames = recordings::frames(recording)?;
    let found = vision.examine_selfie(&frames, &recordings::asked(vision, dir, recording, &frames)?);
    if vision.has_passive_network() {
        Ok(found.passive.map(|passive| f64::from(passive.score)))
    } else {
        Err("no model card with [liveness] is installed: there is nothing to calibrate".into())
    }
}

struct Measured {
    genuine: Vec<f64>,
    attacks: BTreeMap<String, Vec<f64>>,
    without_face: usize,
    limit: f64,
}

impl Measured {
    /// Chooses the greatest limit that at most this share of living people stays below.
    fn of(mut scores: BTreeMap<String, Vec<f64>>, without_face: usize, bpcer: f64) -> Result<Self, Failure> {
        let mut genuine = scores.remove(recordings::GENUINE).unwrap_or_default();
        if genuine.is_empty() || scores.is_empty() {
            return Err(format!(
                "recordings of attacks and of living people ({}) are needed",
                recordings::GENUINE
            )
            .into());
        }
        genuine.sort_by(f64::total_cmp);
        let below = ((bpcer * genuine.len() as f64) as usize).min(genuine.len() - 1);
        // Scores are single precision; a limit rounded up would refuse the very score it was taken from.
        let limit = (genuine[below] * 10_000.0).floor() / 10_000.0;
        Ok(Self {
            genuine,
            attacks: scores,
            without_face,
            limit,
        })
    }

    /// Name, rate and errors of each kind.
    fn rows(&self) -> Vec<(&str, &str, Share)> {
        let count = |scores: &[f64], wrong: &dyn Fn(f64) -> bool| {
            Share::of(scores.iter().filter(|score| wrong(**score)).count(), scores.len())
        };
        let attacks = self
            .attacks
            .iter()
            .map(|(kind, scores)| (kind.as_str(), "APCER", count(scores, &|score| score >= self.limit)));
        let genuine = (
            recordings::GENUINE,
            "BPCER",
            count(&self.genuine, &|score| score < self.limit),
        );
        attacks.chain([genuine]).collect()
    }

    fn table(&self) -> String {
        let rows = self
            .rows()
            .into_iter()
            .map(|(kind, rate, share)| format!("{kind:<24} {rate:<5} {}", share.text()));
        let mut lines: Vec<String> = rows.collect();
        if self.without_face > 0 {
            lines.push(format!("{} recordings without a straight face", self.without_face));
        }
        lines.push(format!("\n[liveness]\nlimit = {:.4}", self.limit));
        lines.join("\n")
    }

    fn json(&self) -> Result<String, Failure> {
        let kinds: BTreeMap<&str, _> = self
            .rows()
            .into_iter()
            .map(|(kind, rate, errors)| (kind, json!({"rate": rate, "errors": errors})))
            .collect();
        let report = json!({
            "product": concat!("honnin ", env!("CARGO_PKG_VERSION")), "limit": self.limit, "kinds": kinds, "withoutFace": self.without_face,
            "confidence": 0.95, "interval": "Clopper-Pearson", "limits": LIMITS,
        });
        Ok(serde_json::to_string_pretty(&report)?)
    }

    fn page(&self) -> String {
        let attacks: Vec<f64> = self.attacks.values().flatten().copied().collect();
        let curve = Distributions {
            axis: "Scores",
            range: (0.0, 1.0),
            groups: [("living people", &self.genuine), ("attacks", &attacks)],
            mark: ("limit", self.limit),
        };
        let row = |(kind, rate, share): (&str, &str, Share)| {
            format!(
                "<tr><td>{}</td><td>{rate}</td><td class=\"n\">{} of {}</td><td>{}{}</td></tr>",
                escaped(kind),
                share.hits,
                share.of,
                page::bar(share),
                page::interval(share)
            )
        };
        let rows: String = self.rows().into_iter().map(row).collect();
        page::page(
            "Passive liveness report",
            &format!(
                "<p>honnin {}. Selfies below the limit of {:.4} go to a reviewer.</p>\
                 <h2>Scores</h2>{}<h2>Error rates of the network alone</h2>\
                 <p>APCER: share of attacks at or above the limit. BPCER: share of living people below it. Bars show the 95 % interval \
                 (Clopper–Pearson).</p><div class=\"wide\"><table><thead><tr><th>Kind</th><th>Rate</th><th class=\"n\">Errors</th>\
                 <th>95 % interval</th></tr></thead><tbody>{rows}</tbody></table></div>\
                 <h2>What this report does not say</h2><ul>{}</ul>",
                env!("CARGO_PKG_VERSION"),
                self.limit,
                curve.svg(),
                page::items(&LIMITS)
            ),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_lets_the_wanted_share_of_living_people_through() {
        let scores = BTreeMap::from([
            ("genuine".to_owned(), (0..100).map(|i| f64::from(i) / 100.0).collect()),
            ("screen".to_owned(), vec![0.01, 0.5]),
        ]);
        let measured = Measured::of(scores, 0, 0.02).unwrap();
        assert_eq!(measured.limit, 0.02);
        let errors: Vec<_> = measured
            .rows()
            .into_iter()
            .map(|(kind, rate, share)| (kind, rate, share.hits))
            .collect();
        assert_eq!(errors, [("screen", "APCER", 1), ("genuine", "BPCER", 2)]);
        assert!(Measured::of(BTreeMap::new(), 0, 0.02).is_err());
    }
}
