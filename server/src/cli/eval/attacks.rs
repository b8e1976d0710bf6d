//! `eval attacks`: each recording is judged as a selfie whose camera the server watched, which is the best that an attacker can reach.

use super::{
    super::{Failure, Settings, say},
    report::{Outcome, Report},
};
use crate::beside;
use clap::Args;
use domain::{
    decision::{Decision, Earlier, Evidence, Policy, decide},
    findings::{Asked, Challenge, LiveFindings, SelfieFindings},
    session::{Plan, Step},
    time::Clock as _,
};
use serde::{Deserialize, Serialize};
use service::runtime::clock::SystemClock;
use sha2::{Digest as _, Sha256};
use std::{
    collections::HashMap,
    fs,
    io::{IsTerminal as _, Write as _},
    path::{Path, PathBuf},
};
use vision::{Picture, Vision, normalise};

/// Name of the folders with selfies of living people.
const GENUINE: &str = "genuine";
/// Text file of a recording: the movements that were asked for, separated by commas.
const MOVEMENTS: &str = "movements";

#[derive(Args)]
pub(in crate::cli) struct Attacks {
    /// Folder with a folder for each kind of attack, and `genuine` for living people; in each, a folder for each recording with its
    /// frames (JPEG, PNG or WebP, in the order of their names) and, if movements were asked for, a text file `movements` such as
    /// `turn_left,come_closer`.
    dir: PathBuf,
    /// Folder for `report.json`, `report.html` and the results of the recordings judged so far; created if missing.
    #[arg(long, value_name = "FOLDER", default_value = "attack-report")]
    out: PathBuf,
    /// Threshold of liveness, if the tenant's is not the default.
    #[arg(long, value_name = "0 TO 1")]
    liveness: Option<f64>,
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
                None => known.add(name, judge(&vision, &policy, recording)?)?,
            };
            report.add(kind, kind == GENUINE, outcome);
            done += 1;
            progress(done, total)?;
        }
    }
    fs::write(attacks.out.join("report.json"), report.json()?)?;
    fs::write(attacks.out.join("report.html"), report.page())?;
    say(report.table())?;
    say(format_args!("Written to {}", attacks.out.display()))
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

/// Folders by name, each with the folders of its recordings.
fn kinds(dir: &Path) -> Result<Vec<(String, Vec<PathBuf>)>, Failure> {
    let mut kinds = Vec::new();
    for folder in folders(dir)? {
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        kinds.push((name, folders(&folder)?));
    }
    if kinds.iter().all(|(_, recordings)| recordings.is_empty()) {
        return Err(format!(
            "{}: no recordings; wanted are folders such as {GENUINE}/001 and screen/001, each with the frames of one selfie",
            dir.display()
        )
        .into());
    }
    Ok(kinds)
}

fn folders(dir: &Path) -> Result<Vec<PathBuf>, Failure> {
    let entries = fs::read_dir(dir).map_err(|error| format!("{}: {error}", dir.display()))?;
    let mut found: Vec<PathBuf> = entries
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()?;
    found.retain(|path| path.is_dir());
    found.sort();
    Ok(found)
}

/// What the decision would say of a session with nothing but this selfie.
fn judge(vision: &Vision, policy: &Policy, recording: &Path) -> Result<Outcome, Failure> {
    let frames = frames(recording)?;
    let asked = asked(recording)?;
    let found = vision.examine_selfie(&frames, &asked);
    let decision = decided(&found, policy);
    Ok(Outcome {
        verdict: decision.verdict,
        reasons: decision.reasons,
        liveness: decision.checks.selfie.and_then(|check| check.liveness_confidence),
    })
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

fn frames(recording: &Path) -> Result<Vec<Picture>, Failure> {
    let entries = fs::read_dir(recording)?;
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()?;
    let is_picture = |path: &PathBuf| {
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        ["jpg", "jpeg", "png", "webp"].contains(&ending.to_ascii_lowercase().as_str())
    };
    files.retain(is_picture);
    files.sort();
    if files.is_empty() {
        return Err(format!("{}: no pictures", recording.display()).into());
    }
    let open = |path: &PathBuf| {
        let bytes = fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
        normalise(&bytes).map_err(|fault| format!("{}: {fault}", path.display()).into())
    };
    files.iter().map(open).collect()
}

/// What was asked for; the frames count as watched.
fn asked(recording: &Path) -> Result<Asked, Failure> {
    let file = recording.join(MOVEMENTS);
    let text = match fs::read_to_string(&file) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(format!("{}: {error}", file.display()).into()),
    };
    let names = text.split(',').map(str::trim).filter(|name| !name.is_empty());
    let parse =
        |name: &str| Challenge::parse(name).ok_or_else(|| format!("{}: {name} is no movement", file.display()).into());
    let movements: Vec<Challenge> = names.map(parse).collect::<Result<_, Failure>>()?;
    Ok(Asked {
        live: (!movements.is_empty()).then(|| LiveFindings {
            answered_ms: Vec::new(),
            same_frames: true,
            run: 1,
        }),
        movements,
    })
}

/// What a result depends on.
fn fingerprint(vision: &Vision, policy: &Policy) -> Result<String, Failure> {
    let models: Vec<_> = vision.models().into_iter().map(|model| model.sha256).collect();
    // A binary that was built anew may judge differently under the same version.
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

fn progress(done: usize, total: usize) -> Result<(), Failure> {
    let mut out = std::io::stderr();
    if out.is_terminal() {
        write!(out, "\r{done} of {total}")?;
        if done == total {
            writeln!(out)?;
        }
    } else if done.is_multiple_of(100) || done == total {
        writeln!(out, "{done} of {total}")?;
    }
    Ok(())
}
