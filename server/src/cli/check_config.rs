//! `check-config`.

use super::{Failure, Settings, invalid, read, say};
use crate::{
    config::{Config, DEFAULTS, MasterKey, Tls},
    http_client::certificates,
};
use clap::Args;
use domain::time::Clock as _;
use service::runtime::clock::SystemClock;

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
    let faults = unusable(&config);
    if !faults.is_empty() {
        return Err(invalid(&faults));
    }
    if let Some(warning) = expiring(&config) {
        say(format_args!("\ntls.certificate: {warning}"))?;
    }
    say(format_args!(
        "\nBase URL {}, data folder {}. The configuration is valid.",
        config.base_url,
        config.data_dir.display()
    ))
}

/// That the certificate has expired or will soon, with which a server starts all the same.
fn expiring(config: &Config) -> Option<String> {
    let Tls::Files(files) = &config.tls else { return None };
    files.validity().ok().flatten()?.warning(SystemClock.now())
}

/// What a start would refuse of the files that the settings name. The user who asks must be able to read them, as that of the server.
fn unusable(config: &Config) -> Vec<String> {
    let mut faults = Vec::new();
    if let Tls::Files(files) = &config.tls
        && let Err(error) = files.check()
    {
        faults.push(format!("tls.certificate, tls.key: {error}"));
    }
    let of_key_service = match &config.master_key {
        MasterKey::Service(service) => service.ca_file.as_ref(),
        MasterKey::File(_) | MasterKey::Credential { .. } | MasterKey::Command(_) => None,
    };
    for (setting, file) in [
        ("master_key.ca_file", of_key_service),
        ("webhooks.extra_ca_file", config.webhooks.extra_ca_file.as_ref()),
        ("s3.ca_file", config.s3.ca_file.as_ref()),
        ("openid.ca_file", config.openid.ca_file.as_ref()),
        ("audit.ca_file", config.audit.ca_file.as_ref()),
    ] {
        if let Some(file) = file
            && let Err(reason) = certificates(file)
        {
            faults.push(format!("{setting}: {}: {reason}", file.display()));
        }
    }
    faults
}
