//! Measures how well the machine sees: `make eval`, or `cargo run --release --example eval -- --rendered FOLDER`.
//!
//! `--help` lists its options. Times are those of one core where the whole is run by `taskset -c 0` with one job.
#![expect(clippy::print_stdout, reason = "tables on the terminal are what this is for")]

mod approvals;
mod codes;
mod compare;
mod faces;
mod fields;
mod hints;
mod look;
mod sheet;
mod times;
mod truth;
mod zones;

use clap::Parser;
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

/// Measures how well pictures are read and judged; see `make eval`
#[derive(clap::Parser)]
struct Options {
    /// Folder of `make specimens`
    #[arg(long, default_value = "target/specimens")]
    rendered: PathBuf,
    /// Folder of public pictures: `mrz/labels.csv` names pictures and the lines of their machine-readable zone, `faces/` holds
    /// photographs named after the person up to the number, `pdf417/` pictures of codes with their texts
    #[arg(long)]
    data: Option<PathBuf>,
    /// Folder for `eval.json`, with every figure and failure, and `worst.png`, the pictures that were read worst
    #[arg(long, default_value = "target/eval")]
    out: PathBuf,
    /// Folder of the models
    #[arg(long, default_value = "models")]
    models: PathBuf,
    /// Parts to measure, such as `v0,v7`; all if omitted
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
    /// Pictures examined concurrently
    #[arg(long, default_value_t = 1)]
    jobs: usize,
}

impl Options {
    fn wants(&self, part: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|only| only.eq_ignore_ascii_case(part))
    }
}

fn main() -> Done {
    let options = Options::parse();
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
    let falsely = report
        .get("V7")
        .and_then(|v7| v7.get("falsely_approved"))
        .and_then(Value::as_array)
        .map_or(0, Vec::len);
    if falsely > 0 {
        return Err(format!("V7 missed: {falsely} attempts were approved that should not have been (limit 0)").into());
    }
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
