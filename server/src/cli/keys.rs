//! `keys check` and `keys rotate`.

use super::{Failure, Settings, block_on, logging, say};
use crate::{open::open_without_models, state::App};
use clap::{Args, Subcommand};
use service::{
    access::CommandLine,
    privacy::master_key::{count, encrypt_anew, record},
};
use std::{
    io::{IsTerminal as _, Write as _},
    time::Duration,
};
use store::vault::MasterKeys;

#[derive(Subcommand)]
pub(super) enum KeysCommand {
    /// Shows which version of the master key encrypts what.
    Check,
    /// Replaces the master key: adds a new version, encrypts everything with it, and removes the old one. The installation may be
    /// running; all its processes must use the same file. If interrupted, run it again.
    Rotate(Rotate),
}

#[derive(Args)]
pub(super) struct Rotate {
    /// Seconds to wait before the old version is removed, for what running processes encrypted with it and have not stored yet.
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    settle: u64,
}

pub(super) fn run(settings: &Settings, command: KeysCommand) -> Result<(), Failure> {
    let config = settings.load()?;
    logging::start(&config.log);
    block_on(async move {
        let app = open_without_models(config).await?;
        let result = match command {
            KeysCommand::Check => check(&app).await,
            KeysCommand::Rotate(rotate) => change(&app, Duration::from_secs(rotate.settle)).await,
        };
        app.honnin.close().await?;
        result
    })
}

async fn check(app: &App) -> Result<(), Failure> {
    let file = &app.config.master_key_file;
    let versions = MasterKeys::load(file)?.versions();
    let versions: Vec<String> = versions.iter().map(ToString::to_string).collect();
    say(format!("Versions in {}: {}", file.display(), versions.join(", ")))?;
    let found = count(&app.honnin).await?;
    for (version, keys) in &found.keys {
        say(format!("Version {version} encrypts {keys} session keys"))?;
    }
    let (all, older) = (found.secrets, found.older_secrets);
    say(format!(
        "{all} webhook and authenticator secrets, {older} of them with an older version"
    ))?;
    if versions.len() > 1 {
        say("A rotation was not finished: run `honnin keys rotate` again.")?;
    }
    Ok(())
}

async fn change(app: &App, settle: Duration) -> Result<(), Failure> {
    let file = &app.config.master_key_file;
    // More than one version: an earlier run was interrupted, and is continued.
    if MasterKeys::load(file)?.versions().len() == 1 {
        let version = MasterKeys::add_version(file)?;
        say(format!("Added version {version} to {}", file.display()))?;
    }
    let done = encrypt_anew(&app.honnin, shown()).await?;
    say(format!("Encrypted {done} keys and secrets with it"))?;
    say(format!(
        "Waiting {} s for what running processes have not stored yet",
        settle.as_secs()
    ))?;
    tokio::time::sleep(settle).await;
    let late = encrypt_anew(&app.honnin, |_| ()).await?;
    let found = count(&app.honnin).await?;
    if found.keys.len() > 1 || found.older_secrets > 0 {
        return Err("something is still encrypted with the old version: does every process use this file? Run the command again".into());
    }
    let newest = MasterKeys::load(file)?.versions().last().copied().unwrap_or_default();
    MasterKeys::keep_newest(file)?;
    record(&app.honnin, CommandLine::here(), newest).await?;
    say(format!("Encrypted {late} more. The old key was removed."))?;
    say("Copy the file to where you keep it. Older copies of the keys need the older file.")
}

fn shown() -> impl FnMut(usize) {
    let terminal = std::io::stderr().is_terminal();
    move |done| {
        if terminal {
            // Progress is no result: what cannot be shown is left out.
            drop(write!(std::io::stderr(), "\r{done} keys "));
        }
    }
}
