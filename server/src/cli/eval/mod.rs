//! `eval`: how well this installation judges the operator's own pictures.

mod attacks;
mod report;
mod signals;

use super::{Failure, Settings};
use clap::Subcommand;

#[derive(Subcommand)]
pub(super) enum EvalCommand {
    /// Judges recorded presentation attacks and genuine selfies, and writes a report: error rates for each kind of attack with 95 %
    /// intervals, as JSON and as a page. If interrupted, it resumes where it stopped.
    Attacks(attacks::Attacks),
}

pub(super) fn run(settings: &Settings, command: &EvalCommand) -> Result<(), Failure> {
    match command {
        EvalCommand::Attacks(attacks) => attacks::run(settings, attacks),
    }
}
