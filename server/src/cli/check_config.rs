//! `check-config`.

use super::{Failure, Settings, read, say};
use crate::config::DEFAULTS;
use clap::Args;

#[derive(Args)]
pub(super) struct CheckConfig {
    /// Print the documented default configuration.
    #[arg(long)]
    defaults: bool,
}

pub(super) fn run(settings: &Settings, command: &CheckConfig) -> Result<(), Failure> {
    if command.defaults {
        return say(DEFAULTS.trim_end());
    }
    let layers = settings.layers()?;
    for (key, value, origin) in layers.shown() {
        say(format_args!("{key} = {value}  # {origin}"))?;
    }
    let config = read(&layers)?;
    say(format_args!(
        "\nBase URL {}, data folder {}. The configuration is valid.",
        config.base_url,
        config.data_dir.display()
    ))
}
