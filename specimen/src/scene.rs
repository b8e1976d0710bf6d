//! The input of the end-to-end tests: a passport and driving licences in front of the camera, their owner turning her head, and
//! another person.

use super::{
    degrade,
    forms::{Layout, Paper},
    head::{Head, turned},
    label::{Field, Side},
    letters::Types,
    mrz,
    person::{Date, Document, Format},
    picture::Picture,
    sitter::{self, Sitter},
    video::Video,
};
use crate::Done;
use rand::{Rng, RngExt, SeedableRng, rngs::StdRng};
use serde_json::{Value, json};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// `cargo xtask scene`.
#[derive(clap::Args)]
pub(crate) struct Scene {
    /// Output folder; created if missing
    #[arg(long)]
    out: PathBuf,
    /// The same seed gives the same pictures
    #[arg(long, default_value_t = 7)]
    seed: u64,
    /// Year in which the Japanese licence was renewed, which is valid for five years then
    #[arg(long, default_value_t = 2025)]
    renewed: u16,
}

/// Resolution of the camera: the aspect of a phone's picture, as small as the print is legible. The same for all videos, since
/// a browser that has learnt a camera's size may get no picture from one that changes it.
const CAMERA: (usize, usize) = (1440, 1080);
const FRAMES_A_SECOND: u32 = 6;
/// The head turn of somebody who follows the request, in radians: about a quarter of a right angle.
const TURN: f32 = 0.48;
/// The turn that makes the owner's photographed head look ahead, in radians. The head is so little to a side that noise alone would decide whether
/// it looks straight.
const OWNER_AHEAD: f32 = 0.095;

/// When the documents expire. The server that reads them in tests goes by today's date.
const VALID_UNTIL: Date = Date {
    year: 2049,
    month: 4,
    day: 15,
};
/// Length of the video in frames, which Chromium shows again and again.
const STRAIGHT: usize = 12;

/// The press that printed the passport: its fonts, inks and tolerances.
const PRESS: u64 = 5;
/// The licences, by the names of their pictures.
const LICENCES: [(&str, Layout); 2] = [("jp-licence", Layout::JpLicence), ("us-licence", Layout::America)];

/// Writes the pictures, the videos and `scene.json`, which names the owner of the passport.
pub(crate) fn set_scene(wanted: &Scene, samples: &Path) -> Done {
    fs::create_dir_all(&wanted.out)?;
    let mut chance = StdRng::seed_from_u64(wanted.seed);
    let document = traveller();
    passport(&wanted.out, samples, &document, &mut chance)?;
    let selfies = [
        ("owner", sitter::FIRST_SELFIE, OWNER_AHEAD),
        ("stranger", sitter::SECOND_SELFIE, 0.0),
    ];
    let seeds = selfies.map(|_| chance.random());
    std::thread::scope(|threads| {
        let film = |((who, sitter, ahead), seed)| {
            let mut chance = StdRng::seed_from_u64(seed);
            threads.spawn(move || selfie(&wanted.out, samples, who, (sitter, ahead), &mut chance))
        };
        let filming: Vec<_> = selfies.into_iter().zip(seeds).map(film).collect();
        filming
            .into_iter()
            .try_for_each(|thread| thread.join().map_err(|_| "the filming panicked")?)
    })?;
    let mut words = json!({ "document": document, "mrz": mrz::lines(&document) });
    for (number, (name, layout)) in (0_u64..).zip(LICENCES) {
        // A separate random stream, so that drawing more for one leaves the others unchanged.
        let mut chance = StdRng::seed_from_u64(wanted.seed ^ ((number + 1) << 32));
        words[name] = licence(&wanted.out, samples, (name, layout), wanted.renewed, &mut chance)?;
    }
    Ok(fs::write(
        wanted.out.join("scene.json"),
        serde_json::to_vec_pretty(&words)?,
    )?)
}

/// The owner of the passport, who is fictional too.
fn traveller() -> Document {
    Document {
        format: Format::Td3,
        issuer: "UTO".into(),
        nationality: "UTO".into(),
        surname: "Ingersoll".into(),
        given_names: "Anna Maria".into(),
        number: "XK4208157".into(),
        sex: 'F',
        birth: Date {
            year: 1991,
            month: 8,
            day: 12,
        },
        issued: Date {
            year: 2024,
            month: 4,
            day: 16,
        },
        expiry: VALID_UNTIL,
        optional: String::new(),
    }
}

/// The passport's page, held still: a photograph to upload and a video.
fn passport(out: &Path, samples: &Path, document: &Document, chance: &mut impl Rng) -> Done {
    let owner = sitter::FIRST_PORTRAIT;
    let photograph = owner.photograph(samples)?;
    let portrait = |width: usize, height: usize| owner.portrait(&photograph, width, height);
    let types = Types::load()?;
    let page = Paper::Icao(document.clone(), 0).print(Side::Front, portrait, &types, PRESS, true)?;
    let page = page.picture;
    let upload = on_desk(&page, 1920, 1440, chance);
    fs::write(out.join("passport.jpg"), degrade::jpeg(&upload, 90)?)?;

    let (width, height) = CAMERA;
    let still = on_desk(&page, width, height, chance);
    let grain = Grain::new(chance);
    let mut video = Video::create(&out.join("passport.y4m"), width, height, FRAMES_A_SECOND)?;
    for _ in 0..FRAMES_A_SECOND {
        video.push(&grain.over(&still, 1.5, chance))?;
    }
    video.finish()
}

/// Both sides of a licence with the owner's portrait, as photographs to upload. Returns its content by item name.
fn licence(
    out: &Path,
    samples: &Path,
    (name, layout): (&str, Layout),
    renewed: u16,
    chance: &mut impl Rng,
) -> Done<Value> {
    let owner = sitter::FIRST_PORTRAIT;
    let photograph = owner.photograph(samples)?;
    let types = Types::load()?;
    let mut paper = Paper::invented(layout, 1, chance);
    let renewed = Date {
        year: renewed,
        month: 4,
        day: 16,
    };
    paper.valid_until(VALID_UNTIL, renewed);
    let mut items = serde_json::Map::new();
    for (side, end) in [(Side::Front, "front"), (Side::Back, "back")] {
        let portrait = |width: usize, height: usize| owner.portrait(&photograph, width, height);
        let page = paper.print(side, portrait, &types, PRESS, true)?;
        for Field { name, normalized, .. } in page.printed.fields {
            items.insert(serde_json::from_value(json!(name))?, normalized.into());
        }
        let upload = on_desk(&page.picture, 1920, 1440, chance);
        fs::write(out.join(format!("{name}-{end}.jpg")), degrade::jpeg(&upload, 90)?)?;
    }
    Ok(items.into())
}

/// The page on a dark desk, nearly filling the picture, seen slightly from the side.
fn on_desk(page: &Picture, width: usize, height: usize, chance: &mut impl Rng) -> Picture {
    let (span_x, span_y) = (width as f32, height as f32);
    let scale = (span_x * 0.86 / page.width as f32).min(span_y * 0.86 / page.height as f32);
    let (half_x, half_y) = (page.width as f32 * scale / 2.0, page.height as f32 * scale / 2.0);
    let (middle_x, middle_y) = (span_x / 2.0, span_y / 2.0);
    let corners = [
        (middle_x - half_x * 0.99, middle_y - half_y),
        (middle_x + half_x * 0.985, middle_y - half_y * 0.995),
        (middle_x + half_x, middle_y + half_y),
        (middle_x - half_x, middle_y + half_y * 0.99),
    ];
    // First at twice the size, so that every letter is antialiased.
    let twice = corners.map(|(x, y)| (x * 2.0, y * 2.0));
    let mut desk = degrade::on_table(page, twice, width * 2, height * 2, chance).resized(width, height);
    desk.change(|x, _, colour| colour.map(|value| value * (1.0 - 0.08 * x / span_x)));
    desk
}

/// One person in front of the camera: straight, left and right as pictures, and a video of looking straight ahead.
/// The sitter comes with the turn that makes the photographed head look ahead.
fn selfie(out: &Path, samples: &Path, who: &str, (sitter, ahead): (Sitter, f32), chance: &mut impl Rng) -> Done {
    let photograph = sitter.photograph(samples)?;
    let (width, height) = CAMERA;
    let head = Head {
        eyes: (width as f32 / 2.0, height as f32 * 0.42),
        apart: height as f32 * 0.17,
    };
    let photographed = sitter.alone(&photograph, (width, height), head.eyes, head.apart);
    let straight = turned(&photographed, head, ahead);
    fs::write(out.join(format!("{who}-straight.jpg")), degrade::jpeg(&straight, 92)?)?;
    // A head turned to its own left shows its nose further right in the picture: cameras do not mirror.
    for (side, yaw) in [("left", TURN), ("right", -TURN)] {
        let turned = turned(&photographed, head, ahead + yaw);
        fs::write(out.join(format!("{who}-{side}.jpg")), degrade::jpeg(&turned, 92)?)?;
    }
    let grain = Grain::new(chance);
    let mut video = Video::create(&out.join(format!("{who}.y4m")), width, height, FRAMES_A_SECOND)?;
    for time in 0..STRAIGHT {
        video.push(&grain.over(&swaying(&straight, time), 2.0, chance))?;
    }
    video.finish()
}

/// The picture shifted slightly, as by a hand and breathing.
fn swaying(picture: &Picture, time: usize) -> Picture {
    let time = time as f32 / FRAMES_A_SECOND as f32;
    let (dx, dy) = (1.6 * (time * 1.9).sin(), 1.2 * (time * 1.3 + 0.7).sin());
    picture.sampled(picture.width, picture.height, |x, y| (x + dx, y + dy))
}

/// A sensor's noise, drawn once: every frame takes it from another offset.
struct Grain {
    values: Vec<f32>,
}

impl Grain {
    fn new(chance: &mut impl Rng) -> Self {
        Self {
            values: (0..1 << 18).map(|_| degrade::normal(chance)).collect(),
        }
    }

    /// The picture with the noise over it.
    fn over(&self, picture: &Picture, sigma: f32, chance: &mut impl Rng) -> Picture {
        let mut out = picture.clone();
        let start = chance.random_range(0..self.values.len());
        let mut noise = self.values.iter().cycle().skip(start);
        out.change(|_, _, colour| {
            let here = sigma * noise.next().copied().unwrap_or_default();
            colour.map(|value| value + here)
        });
        out
    }
}
