//! Renders specimens: labelled pictures of documents of fictional people, and the pictures and videos of the end-to-end tests.
//!
//! A developer's tool, apart from `xtask` so that a build of the product does not compile it.
#![expect(clippy::print_stdout, reason = "a command line tool speaks on its standard output")]

mod attack;
mod burst;
mod condition;
mod copy;
mod deceit;
mod degrade;
mod desk;
mod display;
mod flash;
mod forms;
mod head;
mod label;
mod letters;
mod mrz;
mod names;
mod page;
mod paper;
mod pdf417;
mod people;
mod person;
mod picture;
mod render;
mod scene;
mod shot;
mod sitter;
mod video;

use clap::Parser;
use condition::{Condition, DEFECTS, FAIR};
use forms::{LAYOUTS, Layout, Paper};
use label::Label;
use letters::Types;
use rand::{RngExt, SeedableRng, rngs::StdRng};
use render::{Faces, Job, TRICKS};
use std::{
    fs,
    path::{Path, PathBuf},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

use scene::{Scene, set_scene};

/// The result of a step: nothing, or why it failed.
type Done<T = ()> = Result<T, Box<dyn std::error::Error + Send + Sync>>;

#[derive(Parser)]
#[command(about = "Renders specimens for tests and measurements")]
enum Task {
    /// Documents of fictional people, each with a label
    Documents(Specimens),
    /// Selfie bursts of attacks, for `honnin eval attacks`
    Attacks(attack::Attacks),
    /// The pictures and camera videos of the end-to-end tests
    Scene(Scene),
}

fn main() -> Done {
    match Task::parse() {
        Task::Documents(wanted) => {
            let rendered = render(&wanted, &samples())?;
            println!("{rendered} pictures rendered");
            Ok(())
        }
        Task::Attacks(wanted) => {
            let rendered = attack::render(&wanted, &samples())?;
            println!("{rendered} recordings rendered");
            Ok(())
        }
        Task::Scene(wanted) => set_scene(&wanted, &samples()),
    }
}

/// The sample photographs that come with the models.
fn samples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../models/samples")
}

/// What to render.
#[derive(clap::Args)]
struct Specimens {
    /// Output folder; created if missing
    #[arg(long)]
    out: PathBuf,
    /// Documents photographed without defects, every layout and circumstance in turn; a card with a back gives two pictures
    #[arg(long, default_value_t = 99)]
    count: usize,
    /// Documents photographed with an intentional defect
    #[arg(long, default_value_t = 0)]
    defects: usize,
    /// Documents that come with altered pictures, copies, and another document of the same person
    #[arg(long, default_value_t = 0)]
    deceit: usize,
    /// The same seed gives the same pictures
    #[arg(long, default_value_t = 7)]
    seed: u64,
    /// Only this layout; otherwise all in turn
    #[arg(long)]
    layout: Option<Layout>,
    /// Only these circumstances; otherwise all in turn
    #[arg(long)]
    condition: Option<Condition>,
    /// A picture to use as the portrait instead of the sample faces
    #[arg(long)]
    portrait: Option<PathBuf>,
    /// Leave out the words that say it is a specimen: to measure how the rest is judged
    #[arg(long)]
    without_specimen_words: bool,
    /// Pictures rendered concurrently
    #[arg(long, default_value_t = 1)]
    jobs: usize,
}

/// Renders the pictures, each with its label beside it as JSON, and `labels.json` with all of them.
fn render(wanted: &Specimens, samples: &Path) -> Done<usize> {
    fs::create_dir_all(&wanted.out)?;
    let types = Types::load()?;
    let faces = Faces::load(samples, wanted.portrait.as_deref())?;
    let jobs = jobs(wanted, faces.count());
    let next = AtomicUsize::new(0);
    let labels = Mutex::new(Vec::new());
    std::thread::scope(|threads| {
        let work = || -> Done {
            while let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                let label = job.run(&wanted.out, &types, &faces)?;
                labels.lock().unwrap_or_else(PoisonError::into_inner).push(label);
            }
            Ok(())
        };
        let workers: Vec<_> = (0..wanted.jobs.max(1)).map(|_| threads.spawn(work)).collect();
        workers
            .into_iter()
            .try_for_each(|worker| worker.join().map_err(|_| "rendering panicked")?)
    })?;
    let mut labels: Vec<Label> = labels.into_inner().unwrap_or_else(PoisonError::into_inner);
    labels.sort_by(|one, other| one.file.cmp(&other.file));
    fs::write(wanted.out.join("labels.json"), serde_json::to_vec_pretty(&labels)?)?;
    Ok(labels.len())
}

/// All pictures, in order. Each document has its own random stream, so that the fifth is the same whether or not the first is
/// rendered.
fn jobs(wanted: &Specimens, faces: usize) -> Vec<Job> {
    let stream =
        |document: usize| StdRng::seed_from_u64(wanted.seed.wrapping_mul(1_000_003).wrapping_add(document as u64));
    let layout = |document: usize| wanted.layout.unwrap_or(LAYOUTS[document % LAYOUTS.len()]);
    let turn = |document: usize, of: &[Condition]| {
        let layouts = if wanted.layout.is_some() { 1 } else { LAYOUTS.len() };
        wanted.condition.unwrap_or(of[document / layouts % of.len()])
    };
    let mut jobs = Vec::new();
    for document in 0..wanted.count + wanted.defects {
        let mut chance = stream(document);
        let paper = Paper::invented(layout(document), faces, &mut chance);
        let condition = if document < wanted.count {
            turn(document, &FAIR)
        } else {
            turn(document - wanted.count, &DEFECTS)
        };
        sides(&mut jobs, wanted, &paper, (document, document), condition, &mut chance);
    }
    // Numbered separately, so that changing the other counts does not change these.
    for index in 0..wanted.deceit {
        let document = 10_000 + 2 * index;
        let mut chance = stream(document);
        let paper = Paper::invented(layout(index), faces, &mut chance);
        let condition = [Condition::Flat, Condition::Tilted, Condition::Far][index % 3];
        sides(&mut jobs, wanted, &paper, (document, document), condition, &mut chance);
        let front = jobs
            .iter()
            .rfind(|job| job.document == document && job.side == label::Side::Front)
            .cloned();
        for trick in TRICKS {
            let seed = chance.random();
            jobs.extend(front.iter().cloned().map(|job| Job {
                trick: Some(trick),
                seed,
                ..job
            }));
        }
        let other = paper.other_kind(&mut chance);
        sides(
            &mut jobs,
            wanted,
            &other,
            (document + 1, document),
            condition,
            &mut chance,
        );
    }
    jobs
}

fn sides(
    jobs: &mut Vec<Job>,
    wanted: &Specimens,
    paper: &Paper,
    (document, person): (usize, usize),
    condition: Condition,
    chance: &mut StdRng,
) {
    let press = chance.random();
    for &side in paper.sides() {
        jobs.push(Job {
            paper: paper.clone(),
            document,
            person,
            side,
            condition,
            trick: None,
            press,
            seed: chance.random(),
            words: !wanted.without_specimen_words,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use person::{Document, Format};

    #[test]
    fn the_same_seed_gives_the_same_document() {
        let one = Document::invented(Format::Td3, &mut StdRng::seed_from_u64(3));
        let two = Document::invented(Format::Td3, &mut StdRng::seed_from_u64(3));
        let other = Document::invented(Format::Td3, &mut StdRng::seed_from_u64(4));
        assert_eq!(mrz::lines(&one), mrz::lines(&two));
        assert_ne!(mrz::lines(&one), mrz::lines(&other));
    }

    #[test]
    fn every_zone_has_the_lengths_of_its_format() {
        for seed in 0..200 {
            let mut chance = StdRng::seed_from_u64(seed);
            for (format, lengths) in [
                (Format::Td1, vec![30, 30, 30]),
                (Format::Td2, vec![36, 36]),
                (Format::Td3, vec![44, 44]),
            ] {
                let lines = mrz::lines(&Document::invented(format, &mut chance));
                assert_eq!(lines.iter().map(String::len).collect::<Vec<_>>(), lengths, "{lines:?}");
            }
        }
    }

    #[test]
    fn every_layout_prints_its_items_on_the_card() {
        let types = Types::load().unwrap();
        for (seed, layout) in (0_u64..).zip(LAYOUTS.into_iter().cycle().take(44)) {
            let mut chance = StdRng::seed_from_u64(seed);
            let paper = Paper::invented(layout, 6, &mut chance);
            let (width, height) = paper.millimetres();
            for &side in paper.sides() {
                let photo = |wide, high| picture::Picture::filled(wide, high, [120.0; 3]);
                let page = paper.print(side, photo, &types, seed, true).unwrap();
                let placed = page
                    .printed
                    .fields
                    .iter()
                    .filter_map(|field| Some((field, field.corners?)));
                for (field, corners) in placed {
                    let inside = corners
                        .iter()
                        .all(|[x, y]| (0.0..width).contains(x) && (0.0..height).contains(y));
                    assert!(inside, "{layout:?} {seed}: {field:?}");
                }
            }
        }
    }
}
