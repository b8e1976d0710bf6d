//! Measures how well the machine sees: `make eval`, or `cargo run --release --example eval -- --rendered FOLDER`.
//!
//! `--rendered FOLDER` holds what `cargo xtask specimens` made (default `target/specimens`). `--data FOLDER` adds public pictures:
//! `mrz/labels.csv` names pictures and the lines of their machine-readable zone, `faces/` holds photographs named after the person
//! up to the number, `pdf417/` holds pictures of codes with their texts. `--only v0,v7` measures a part, `--jobs N` looks at so many pictures at a time, `--out FOLDER` is written to
//! (default `target/eval`): `eval.json` with every figure and failure, `worst.png` with the pictures that were read worst. Times are
//! those of one core where the whole is run by `taskset -c 0` with one job.
#![expect(clippy::print_stdout, reason = "tables on the terminal are what this is for")]

mod approvals;
mod codes;
mod compare;
mod faces;
mod fields;
mod hints;
mod interval;
mod look;
mod sheet;
mod times;
mod truth;
mod zones;

use look::{Looker, Task};
use serde_json::{Map, Value};
use std::{
    error::Error,
    fs,
    path::{Path, PathBuf},
};
use time::macros::date;
use truth::Label;
use vision::Vision;

/// What every part answers, or why it could not be done.
type Done<T = ()> = Result<T, Box<dyn Error + Send + Sync>>;

/// The day all pictures are examined on, so that a run can be repeated: rendered documents are issued before it and expire later.
const TODAY: time::Date = date!(2026 - 02 - 01);

/// Rendered codes of each level: enough that 97 % is told from 95 %.
const RENDERED_CODES: usize = 200;

/// What was asked for.
struct Options {
    rendered: PathBuf,
    data: Option<PathBuf>,
    out: PathBuf,
    models: PathBuf,
    only: Vec<String>,
    jobs: usize,
}

impl Options {
    fn read(arguments: &[String]) -> Done<Self> {
        let value = |name: &str| {
            let at = arguments.iter().position(|argument| argument == name)?;
            arguments
                .get(at + 1)
                .map(String::as_str)
                .filter(|value| !value.is_empty())
        };
        Ok(Self {
            rendered: value("--rendered").unwrap_or("target/specimens").into(),
            data: value("--data").map(PathBuf::from),
            out: value("--out").unwrap_or("target/eval").into(),
            models: value("--models").unwrap_or("models").into(),
            only: value("--only")
                .map(|only| only.split(',').map(str::to_lowercase).collect())
                .unwrap_or_default(),
            jobs: value("--jobs").unwrap_or("1").parse()?,
        })
    }

    fn wants(&self, part: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|only| only == part)
    }
}

fn main() -> Done {
    let arguments: Vec<String> = std::env::args().collect();
    let options = Options::read(&arguments)?;
    let vision = Vision::load(&options.models);
    if !vision.missing().is_empty() {
        return Err(format!("models are missing: {:?}", vision.faults()).into());
    }
    let looker = Looker::new(&vision, &options.out, options.jobs, TODAY)?;
    let mut report = Map::new();
    rendered(&options, &looker, &mut report)?;
    if let Some(data) = &options.data {
        public(&options, &looker, data, &mut report)?;
    }
    let path = options.out.join("eval.json");
    fs::write(&path, serde_json::to_vec_pretty(&report)?)?;
    println!("written to {}", path.display());
    Ok(())
}

/// Everything that is measured on rendered pictures.
fn rendered(options: &Options, looker: &Looker<'_>, report: &mut Map<String, Value>) -> Done {
    let labels = truth::read(&options.rendered)?;
    // Documents from 10 000 on are those of V7, in few circumstances.
    let fair: Vec<&Label> = labels
        .iter()
        .filter(|label| label.is_fair() && label.document < 10_000)
        .collect();
    let defects: Vec<&Label> = labels.iter().filter(|label| !label.defects.is_empty()).collect();
    let look = |labels: &[&Label], name: &str| {
        let tasks: Vec<Task> = labels.iter().map(|label| Task::honest(label)).collect();
        looker.all(&tasks, name)
    };
    if ["v0", "v1", "v6", "p6"].iter().any(|part| options.wants(part)) {
        let looks = look(&fair, "fair pictures")?;
        if options.wants("v0") {
            let cases = fields::cases(&fair, &looks);
            report.insert("V0".to_owned(), fields::report("V0", &cases));
            sheet::draw(&cases, &options.out.join("worst.png"))?;
        }
        if options.wants("v1") {
            report.insert("V1".to_owned(), zones::rendered(&fair, &looks));
        }
        if options.wants("p6") {
            let times = look::times(&looks);
            println!("P6: {} pictures", looks.len());
            times.print();
            report.insert("P6".to_owned(), times.json());
        }
        if options.wants("v6") {
            let mut all = fair.clone();
            all.extend(&defects);
            let mut every = looks;
            every.extend(look(&defects, "defects")?);
            if options.wants("v0") {
                let split = every.len() - defects.len();
                let cases = fields::cases(&defects, &every[split..]);
                report.insert("V0_defects".to_owned(), fields::report("V0, unusable pictures", &cases));
            }
            report.insert("V6".to_owned(), hints::report(&all, &every, TODAY));
        }
    }
    if options.wants("v2") {
        println!("V2");
        report.insert("V2".to_owned(), codes::rendered(RENDERED_CODES, false)?);
    }
    let pairs: Vec<&Label> = labels.iter().filter(|label| label.document >= 10_000).collect();
    if options.wants("v7") && !pairs.is_empty() {
        report.insert("V7".to_owned(), approvals::report(looker, &pairs, TODAY)?);
    }
    Ok(())
}

/// Everything that is measured on the pictures somebody brought.
fn public(options: &Options, looker: &Looker<'_>, data: &Path, report: &mut Map<String, Value>) -> Done {
    if options.wants("v1") && data.join("mrz/labels.csv").exists() {
        report.insert("V1_public".to_owned(), zones::public(looker, &data.join("mrz"))?);
    }
    if options.wants("v2") && data.join("pdf417").is_dir() {
        report.insert("V2_public".to_owned(), codes::pictures(&data.join("pdf417"), true)?);
    }
    if options.wants("v3") && data.join("faces").is_dir() {
        report.insert("V3".to_owned(), faces::report(looker.vision, &data.join("faces"))?);
    }
    Ok(())
}
