//! `eval attacks`: each recording is judged as a selfie whose camera the server watched, which is the best case for an attacker. A
//! recording in which the camera would have waited forever for a straight face has no outcome.

use super::{
    super::{
        Failure, Settings,
        progress::progress,
        recordings::{asked, frames, is_genuine, kinds},
        say,
    },
    report::{Outcome, Report},
    signals::{SIGNALS, Signal, without},
};
use crate::beside;
use clap::Args;
use domain::{
    decision::{Decision, Earlier, Evidence, Policy, decide},
    findings::{Asked, SelfieFindings},
    live::looks_straight,
    outcome::Verdict,
    session::{Plan, Step},
    time::Clock as _,
};
use serde::{Deserialize, Serialize};
use service::runtime::clock::SystemClock;
use sha2::{Digest as _, Sha256};
use std::{
    collections::HashMap,
    fs,
    io::Write as _,
    path::{Path, PathBuf},
};
use vision::Vision;

#[derive(Args)]
pub(in crate::cli) struct Attacks {
    /// Folder with one subfolder per kind of attack, and `genuine` (or names that begin with it) for living people; in each, one folder
    /// per recording with its frames (JPEG, PNG or WebP, in the order of their names) and, if movements were asked for, a text
    /// file `movements` such as `turn_left,come_closer`. Text files that may be there as well: `watched` with the numbers of the frames,
    /// counted from 0, at which each movement was asked for and followed, such as `2,5,7,9`; `sent-before` with another recording, such as
    /// `genuine/001`, whose frames another session has sent; `colours`, if the screen shone in colours, with a line such as `12 magenta`
    /// for each frame.
    dir: PathBuf,
    /// Folder for `report.json`, `report.html` and the results of the recordings judged so far; created if missing.
    #[arg(long, value_name = "FOLDER", default_value = "attack-report")]
    out: PathBuf,
    /// Liveness threshold, if the tenant's is not the default.
    #[arg(long, value_name = "0 TO 1")]
    liveness: Option<f64>,
    /// Kinds of attack of which no recording may be approved, such as `screen,flat-print`. Once the report is written, the command fails if
    /// one was, or if a kind has no recordings.
    #[arg(long, value_name = "KINDS", value_delimiter = ',')]
    forbid: Vec<String>,
}

/// A recording that was judged.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Judged {
    /// Its folder, from the given one.
    recording: String,
    /// Hash of what it was judged with: models, version and thresholds.
    by: String,
    outcome: Outcome,
}

pub(super) fn run(settings: &Settings, attacks: &Attacks) -> Result<(), Failure> {
    let config = settings.load()?;
    let vision = Vision::load(&beside::or(
        &config.models_dir,
        &["models", "../models", "../../models"],
    ));
    if let Some(fault) = vision.faults().first() {
        return Err(format!("every model is needed: {fault}").into());
    }
    let policy = policy(attacks)?;
    let kinds = kinds(&attacks.dir)?;
    fs::create_dir_all(&attacks.out)?;
    let by = fingerprint(&vision, &policy)?;
    let mut known = Known::open(&attacks.out.join("recordings.jsonl"), by)?;
    let mut report = Report::new(&vision, policy.clone(), SystemClock.now());
    let total: usize = kinds.iter().map(|(_, recordings)| recordings.len()).sum();
    let mut done = 0;
    for (kind, recordings) in &kinds {
        for recording in recordings {
            let name = recording
                .strip_prefix(&attacks.dir)
                .unwrap_or(recording)
                .display()
                .to_string();
            let outcome = match known.find(&name) {
                Some(outcome) => outcome,
                None => known.add(name, judge(&vision, &policy, &attacks.dir, recording)?)?,
            };
            report.add(kind, is_genuine(kind), outcome);
            done += 1;
            progress(done, total)?;
        }
    }
    fs::write(attacks.out.join("report.json"), report.json()?)?;
    fs::write(attacks.out.join("report.html"), report.page())?;
    say(report.table())?;
    say(format_args!("Written to {}", attacks.out.display()))?;
    match report.missed(&attacks.forbid) {
        missed if missed.is_empty() => Ok(()),
        missed => Err(format!("attacks that must not be approved: {}", missed.join(", ")).into()),
    }
}

fn policy(attacks: &Attacks) -> Result<Policy, Failure> {
    let mut policy = Policy::default();
    if let Some(liveness) = attacks.liveness {
        policy.liveness_accept = liveness;
        policy.liveness_review = policy.liveness_review.min(liveness);
    }
    if policy.is_sane() {
        Ok(policy)
    } else {
        Err(format!("--liveness must be from {} to 1", Policy::LEAST_LIVENESS_ACCEPT).into())
    }
}

/// What the decision would say of a session with nothing but this selfie.
fn judge(vision: &Vision, policy: &Policy, dir: &Path, recording: &Path) -> Result<Outcome, Failure> {
    let frames = frames(recording)?;
    let asked = asked(vision, dir, recording, &frames)?;
    let found = vision.examine_selfie(&frames, &asked);
    let took = found.timings.iter().map(|stage| stage.ms).sum();
    if !begins(&found, &asked) {
        return Ok(Outcome::without_response(took));
    }
    let decision = decided(&found, policy);
    let passes = |signal: &Signal| decided(&without(signal, &found), policy).verdict == Verdict::Approved;
    let held_by = if decision.verdict == Verdict::Approved {
        Vec::new()
    } else {
        SIGNALS
            .iter()
            .filter(|signal| passes(signal))
            .map(|(name, _)| (*name).to_owned())
            .collect()
    };
    Ok(Outcome {
        verdict: Some(decision.verdict),
        reasons: decision.reasons,
        liveness: decision.checks.selfie.and_then(|check| check.liveness_confidence),
        colours: found.liveness.and_then(|liveness| liveness.colours_followed),
        held_by,
        took,
    })
}

/// Whether the camera would have begun: it requests a movement only of a face that looks straight.
fn begins(found: &SelfieFindings, asked: &Asked) -> bool {
    let first = found.poses.first();
    asked.movements.is_empty() || first.is_some_and(|pose| looks_straight(pose.yaw))
}

fn decided(found: &SelfieFindings, policy: &Policy) -> Decision {
    let plan = Plan {
        steps: vec![Step::Selfie],
    };
    let evidence = Evidence {
        plan: &plan,
        document_type: None,
        document: &[],
        selfie: Some(found),
        typed: None,
        known: None,
        earlier: &Earlier::default(),
        draw: 1.0,
        today: SystemClock.now().date(),
    };
    decide(&evidence, policy)
}

/// What a result depends on.
fn fingerprint(vision: &Vision, policy: &Policy) -> Result<String, Failure> {
    let models: Vec<_> = vision.models().into_iter().map(|model| model.sha256).collect();
    // A binary that was built again may judge differently under the same version.
    let program = fs::metadata(std::env::current_exe()?)?;
    let built = program.modified()?.duration_since(std::time::UNIX_EPOCH)?.as_secs();
    let text = serde_json::to_vec(&(env!("CARGO_PKG_VERSION"), built, program.len(), models, policy))?;
    Ok(hex::encode(Sha256::digest(text)))
}

/// The results so far, on disk after each recording.
struct Known {
    file: fs::File,
    by: String,
    outcomes: HashMap<String, Outcome>,
}

impl Known {
    fn open(path: &Path, by: String) -> Result<Self, Failure> {
        let before = fs::read_to_string(path).unwrap_or_default();
        // A line that an interruption cut short does not parse and is judged again.
        let judged = before
            .lines()
            .filter_map(|line| serde_json::from_str::<Judged>(line).ok());
        let outcomes = judged
            .filter(|judged| judged.by == by)
            .map(|judged| (judged.recording, judged.outcome));
        let outcomes = outcomes.collect();
        let mut file = fs::OpenOptions::new().create(true).append(true).open(path)?;
        if !before.is_empty() && !before.ends_with('\n') {
            writeln!(file)?;
        }
        Ok(Self { file, by, outcomes })
    }

    fn find(&self, recording: &str) -> Option<Outcome> {
        self.outcomes.get(recording).cloned()
    }

    fn add(&mut self, recording: String, outcome: Outcome) -> Result<Outcome, Failure> {
        let judged = Judged {
            recording,
            by: self.by.clone(),
            outcome,
        };
        writeln!(self.file, "{}", serde_json::to_string(&judged)?)?;
        Ok(judged.outcome)
    }
}
