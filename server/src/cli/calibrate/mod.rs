//! `calibrate`: measures a network of faces or of liveness on the operator's own pictures, and completes its model card.

mod card;
mod drawing;
mod faces;
mod liveness;

use super::{Failure, Settings, page, progress::progress, recordings, say};
use crate::beside;
use clap::{Args, Subcommand};
use std::path::PathBuf;
use vision::Vision;

#[derive(Subcommand)]
pub(super) enum CalibrateCommand {
    /// Compares every picture of a face with every other, and fits the confidence to the distances.
    Faces(faces::Faces),
    /// Scores recordings of attacks and live people with the passive network, and sets its threshold.
    Liveness(liveness::Liveness),
}

/// Where results go.
#[derive(Args)]
struct Output {
    /// Folder for the report, as JSON and as a page; created if missing.
    #[arg(long, value_name = "FOLDER", default_value = "calibration")]
    out: PathBuf,
    /// Write the calibration into the model card. Restart Honnin to use it.
    #[arg(long)]
    write: bool,
}

pub(super) fn run(settings: &Settings, command: &CalibrateCommand) -> Result<(), Failure> {
    let config = settings.load()?;
    let models = beside::or(&config.models_dir, &["models", "../models", "../../models"]);
    let vision = Vision::load_uncalibrated(&models);
    if let Some(fault) = vision.faults().first() {
        return Err(format!("every model is needed: {fault}").into());
    }
    match command {
        CalibrateCommand::Faces(faces) => faces::run(&vision, &models, faces),
        CalibrateCommand::Liveness(liveness) => liveness::run(&vision, &models, liveness),
    }
}
