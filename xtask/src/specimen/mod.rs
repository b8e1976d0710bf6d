//! Specimens: documents of people who do not exist, and the pictures and videos of whole runs.

mod card;
mod degrade;
mod head;
mod ink;
mod mrz;
mod pdf417;
mod person;
mod picture;
mod scene;
mod sitter;
mod video;

use crate::Done;
use card::Side;
use degrade::Level;
use ink::Inks;
use person::{Document, Format};
use picture::Picture;
use rand::{SeedableRng, rngs::StdRng, seq::IndexedRandom};
use serde::Serialize;
use std::{
    fs,
    path::{Path, PathBuf},
};

pub(crate) use scene::{Scene, set_scene};

/// `cargo xtask specimens`.
#[derive(clap::Args)]
pub(crate) struct Specimens {
    /// Folder to write into; made where it is not there
    #[arg(long)]
    out: PathBuf,
    /// How many documents; a small card gives two pictures
    #[arg(long, default_value_t = 18)]
    count: usize,
    /// The same seed gives the same pictures
    #[arg(long, default_value_t = 7)]
    seed: u64,
    /// Only this level; otherwise all three in turn
    #[arg(long)]
    level: Option<Level>,
    /// Only this format; otherwise all three in turn
    #[arg(long)]
    format: Option<Format>,
    /// A picture to print instead of the sample faces
    #[arg(long)]
    portrait: Option<PathBuf>,
}

/// What is known of one picture.
#[derive(Serialize)]
struct Label {
    file: String,
    side: Side,
    level: Level,
    /// The lines of the machine-readable zone; none on the front of a small card.
    mrz: Vec<String>,
    document: Document,
}

/// Renders the documents and writes `labels.csv` (`file,mrz` with the lines joined by `|`) and `labels.json`.
pub(crate) fn render(wanted: &Specimens, samples: &Path) -> Done<usize> {
    fs::create_dir_all(&wanted.out)?;
    let inks = Inks::load()?;
    let given = wanted
        .portrait
        .as_ref()
        .map(image::open)
        .transpose()?
        .map(|image| Picture::from_rgb(&image.to_rgb8()));
    let mut labels = Vec::new();
    for index in 0..wanted.count {
        // Each document has a stream of its own, so that the fifth is the same whether or not the first is rendered.
        let mut chance = StdRng::seed_from_u64(wanted.seed.wrapping_mul(1_000_003).wrapping_add(index as u64));
        let format = wanted
            .format
            .unwrap_or([Format::Td1, Format::Td2, Format::Td3][index % 3]);
        let level = wanted
            .level
            .unwrap_or([Level::Clean, Level::Mid, Level::Hard][index / 3 % 3]);
        let document = Document::invented(format, &mut chance);
        let sitter = sitter::OTHERS
            .choose(&mut chance)
            .copied()
            .unwrap_or(sitter::FIRST_PORTRAIT);
        let photograph = if given.is_none() {
            Some(sitter.photograph(samples)?)
        } else {
            None
        };
        for &(side, has_zone) in format.sides() {
            let portrait = |width: usize, height: usize| match (&given, &photograph) {
                (Some(picture), _) => picture.resized(width, height),
                (None, Some(photograph)) => sitter.portrait(photograph, width, height),
                (None, None) => Picture::filled(width, height, [128.0; 3]),
            };
            let card = card::print(&document, side, portrait, &inks, &mut chance);
            let file = name(format, level, index, side);
            fs::write(wanted.out.join(&file), degrade::photograph(&card, level, &mut chance)?)?;
            let mrz = if has_zone { mrz::lines(&document) } else { Vec::new() };
            labels.push(Label {
                file,
                side,
                level,
                mrz,
                document: document.clone(),
            });
        }
    }
    write_labels(&wanted.out, &labels)?;
    Ok(labels.len())
}

fn name(format: Format, level: Level, index: usize, side: Side) -> String {
    format!("{format:?}_{level:?}_{index:03}_{side:?}.jpg").to_lowercase()
}

fn write_labels(out: &Path, labels: &[Label]) -> Done {
    let mut csv = String::from("file,mrz\n");
    for label in labels.iter().filter(|label| !label.mrz.is_empty()) {
        csv += &format!("{},{}\n", label.file, label.mrz.join("|"));
    }
    fs::write(out.join("labels.csv"), csv)?;
    fs::write(out.join("labels.json"), serde_json::to_vec_pretty(labels)?)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
