//! `inspect`: what vision measures in pictures, without a database.

use super::{Failure, Settings, say};
use crate::beside;
use clap::{Args, Subcommand};
use domain::{
    decision::{kind_shown, match_confidence},
    document::{DocumentType, FieldName, OcrField, Side},
    findings::{Asked, Challenge, DocumentFindings, Face, SelfieFindings, StageTime},
    time::Clock as _,
};
use serde_json::{Value, json};
use service::runtime::clock::SystemClock;
use std::{
    fs,
    path::{Path, PathBuf},
};
use vision::{Picture, Vision, normalise};

#[derive(Subcommand)]
pub(super) enum Inspect {
    /// Analyses pictures of documents.
    Document(Document),
    /// Analyses a selfie: one picture, or the frames of a burst in order.
    Selfie(Selfie),
}

#[derive(Args)]
pub(super) struct Document {
    /// Picture files, each of one side.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Type of the documents; detected for each picture if not given.
    #[arg(long = "type", value_parser = kind)]
    kind: Option<DocumentType>,
    /// Which side is shown: front or back; detected for each picture if not given.
    #[arg(long, value_parser = side)]
    side: Option<Side>,
    /// Draw the outline (green), lines (blue), labels (orange), items (red) and the portrait (violet) on a copy of the picture; takes one
    /// picture.
    #[arg(long, value_name = "OUT.png")]
    draw: Option<PathBuf>,
    /// Print one JSON object for each picture.
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
pub(super) struct Selfie {
    /// Picture files, in the order in which they were taken.
    #[arg(required = true)]
    frames: Vec<PathBuf>,
    /// Requested movements, in order: turn_left, turn_right, come_closer.
    #[arg(long, value_parser = challenge, value_delimiter = ',')]
    challenge: Vec<Challenge>,
    /// Picture of the document whose portrait the face is compared with.
    #[arg(long, value_name = "FILE")]
    portrait: Option<PathBuf>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

fn kind(text: &str) -> Result<DocumentType, String> {
    let names: Vec<_> = DocumentType::ALL.iter().map(|kind| kind.as_str()).collect();
    DocumentType::parse(text).ok_or_else(|| format!("must be one of {}", names.join(", ")))
}

fn side(text: &str) -> Result<Side, String> {
    Side::parse(text).ok_or_else(|| "must be front or back".to_owned())
}

fn challenge(text: &str) -> Result<Challenge, String> {
    Challenge::parse(text).ok_or_else(|| "must be turn_left, turn_right or come_closer".to_owned())
}

pub(super) fn run(settings: &Settings, command: &Inspect) -> Result<(), Failure> {
    let config = settings.load()?;
    let vision = Vision::load(&beside::or(
        &config.models_dir,
        &["models", "../models", "../../models"],
    ));
    for fault in vision.faults() {
        drop(std::io::Write::write_fmt(
            &mut std::io::stderr(),
            format_args!("honnin: {fault}\n"),
        ));
    }
    match command {
        Inspect::Document(document) => documents(&vision, document),
        Inspect::Selfie(selfie) => self::selfie(&vision, selfie),
    }
}

fn picture(path: &Path) -> Result<Picture, Failure> {
    let bytes = fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    normalise(&bytes).map_err(|fault| format!("{}: {fault}", path.display()).into())
}

fn documents(vision: &Vision, document: &Document) -> Result<(), Failure> {
    if document.draw.is_some() && document.files.len() > 1 {
        return Err("--draw takes one picture".into());
    }
    let mut failed = 0;
    for path in &document.files {
        match picture(path).and_then(|picture| examine(vision, &picture, document)) {
            Ok((kind, found)) if document.json => {
                say(without_descriptors(
                    json!({"file": path, "documentType": kind, "findings": found}),
                ))?;
            }
            Ok((kind, found)) => show_document(path, kind, &found)?,
            Err(fault) => {
                failed += 1;
                if document.json {
                    say(json!({"file": path, "fault": fault.to_string()}))?;
                } else {
                    say(fault)?;
                }
            }
        }
    }
    if failed > 0 {
        Err(format!("{failed} of {} pictures could not be opened", document.files.len()).into())
    } else {
        Ok(())
    }
}

/// Analyses a picture as the given kind, or as the kind that it appears to be.
fn examine(vision: &Vision, picture: &Picture, wanted: &Document) -> Result<(DocumentType, DocumentFindings), Failure> {
    let today = SystemClock.now().date();
    let look = |kind, side| vision.trace_document(picture, kind, side, today);
    let (kind, side) = (
        wanted.kind.unwrap_or(DocumentType::Passport),
        wanted.side.unwrap_or(Side::Front),
    );
    let (mut kind, mut seen) = (kind, look(kind, side));
    let shown = wanted.kind.or_else(|| kind_shown(&seen.0)).unwrap_or(kind);
    let layout = seen.0.layout.as_ref().map(|layout| layout.side);
    let shown_side = wanted.side.or(layout).unwrap_or(side);
    if (shown, shown_side) != (kind, side) {
        (kind, seen) = (shown, look(shown, shown_side));
    }
    let (found, trace) = seen;
    if let Some(path) = &wanted.draw {
        let png = vision::drawn(picture, &found, &trace).ok_or("the picture cannot be drawn")?;
        fs::write(path, png).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok((kind, found))
}

fn show_document(path: &Path, kind: DocumentType, found: &DocumentFindings) -> Result<(), Failure> {
    say(path.display())?;
    let layout = found.layout.as_ref();
    let layout = layout.map_or("not recognised".to_owned(), |layout| {
        format!("{} ({:.2})", layout.layout, layout.score)
    });
    say(format_args!("  kind      {kind}, {}; layout {layout}", found.side))?;
    for line in found.mrz.iter().flat_map(|zone| &zone.lines) {
        say(format_args!("  mrz       {line}"))?;
    }
    for OcrField {
        name, text, normalized, ..
    } in found.fields.iter().filter(|field| field.name != FieldName::Mrz)
    {
        let (text, normalized) = (text.as_deref().unwrap_or("-"), normalized.as_deref().unwrap_or("-"));
        let region = found.regions.iter().find(|region| region.name == *name);
        let region = region.map_or(String::new(), |region| {
            let [[left, top], _, [right, bottom], _] = region.corners;
            format!(
                "  {:.2} at {left:.0},{top:.0} to {right:.0},{bottom:.0}",
                region.confidence
            )
        });
        say(format_args!("  {:<18} {text:<40} {normalized}{region}", name.as_str()))?;
    }
    say(format_args!(
        "  portrait  {}",
        found
            .portrait
            .as_ref()
            .map_or("none".to_owned(), |face| format!("{:?}", face.bounds))
    ))?;
    say(format_args!("  quality   {:?}", found.quality))?;
    times(&found.timings)
}

fn selfie(vision: &Vision, selfie: &Selfie) -> Result<(), Failure> {
    let frames = selfie
        .frames
        .iter()
        .map(|path| picture(path))
        .collect::<Result<Vec<_>, _>>()?;
    let asked = Asked {
        movements: selfie.challenge.clone(),
        live: None,
    };
    let found = vision.examine_selfie(&frames, &asked);
    let portrait = match &selfie.portrait {
        None => None,
        Some(path) => portrait(vision, path)?,
    };
    let distance = found
        .face
        .as_ref()
        .zip(portrait.as_ref())
        .and_then(|(face, portrait)| face.distance(portrait));
    let confidence = distance.map(|distance| match_confidence(f64::from(distance)));
    if selfie.json {
        let all =
            json!({"findings": found, "portrait": portrait, "distance": distance, "faceMatchConfidence": confidence});
        return say(without_descriptors(all));
    }
    show_selfie(&found)?;
    if selfie.portrait.is_some() {
        let words = confidence.map_or("no face to compare".to_owned(), |confidence| {
            format!("confidence {confidence:.3}")
        });
        say(format_args!("match     {words}, distance {distance:?}"))?;
    }
    times(&found.timings)
}

fn portrait(vision: &Vision, path: &Path) -> Result<Option<Face>, Failure> {
    let today = SystemClock.now().date();
    Ok(vision
        .examine_document(&picture(path)?, DocumentType::Passport, Side::Front, today)
        .portrait)
}

fn show_selfie(found: &SelfieFindings) -> Result<(), Failure> {
    say(format_args!(
        "frames    {}, at most {} faces in one",
        found.frames, found.faces
    ))?;
    say(format_args!(
        "face      {:?}",
        found.face.as_ref().map(|face| face.bounds)
    ))?;
    say(format_args!("liveness  {:?}", found.liveness))?;
    say(format_args!("quality   {:?}", found.quality))
}

fn times(laps: &[StageTime]) -> Result<(), Failure> {
    let laps: Vec<_> = laps.iter().map(|lap| json!(lap).to_string()).collect();
    say(format_args!("  times     {}", laps.join(" ")))
}

/// Removes face descriptors and crops: hundreds of numbers that mean nothing to a reader.
fn without_descriptors(mut value: Value) -> Value {
    match &mut value {
        Value::Object(fields) => {
            for name in ["descriptor", "face_crop", "portrait_crop"] {
                fields.remove(name);
            }
            for field in fields.values_mut() {
                *field = without_descriptors(field.take());
            }
        }
        Value::Array(items) => items
            .iter_mut()
            .for_each(|item| *item = without_descriptors(item.take())),
        _ => {}
    }
    value
}
