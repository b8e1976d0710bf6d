//! `keys check` and `keys rotate`.

use super::{Failure, Settings, block_on, end, logging, say};
use crate::{config::MasterKey, master_key::load, open::open_with_its_keys, state::App};
use clap::{Args, Subcommand};
use domain::time::{Millis, Timestamp};
use service::{
    access::CommandLine,
    privacy::{
        master_key::{count, encrypt_anew, record},
        secret_age::{SecretAge, oldest},
    },
};
use std::{
    io::{IsTerminal as _, Write as _},
    path::Path,
    time::Duration,
};
use store::vault::{MasterKeys, Rotation};

#[derive(Subcommand)]
pub(super) enum KeysCommand {
    /// Shows which version of the master key encrypts what, and how old each secret is.
    Check,
    /// Replaces the master key: adds a new version, encrypts everything with it, and removes the old one. The installation may be
    /// running; all its processes must use the same file. If interrupted, run it again.
    Rotate(Rotate),
    /// Prints a new master key, for a place where Honnin cannot write it: a credential, a command, a key service.
    Generate(Generate),
}

#[derive(Args)]
pub(super) struct Generate {
    /// Version of the key: for a rotation, one more than the newest.
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    version: u32,
}

#[derive(Args)]
pub(super) struct Rotate {
    /// Seconds to wait before the old version is removed, so that running processes can store what they encrypted with it.
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    settle: u64,
    /// Every process has been restarted since the new version was added. Only for a master key that does not come from a file.
    #[arg(long)]
    restarted: bool,
}

pub(super) fn run(settings: &Settings, command: KeysCommand) -> Result<(), Failure> {
    if let KeysCommand::Generate(Generate { version }) = command {
        return say(MasterKeys::generate(version)?.trim_end());
    }
    let config = settings.load()?;
    logging::start(&config.log);
    block_on(async move {
        let app = open_with_its_keys(config).await?;
        let result = match command {
            KeysCommand::Rotate(rotate) => change(&app, &rotate).await,
            KeysCommand::Check | KeysCommand::Generate(_) => check(&app).await,
        };
        end(&app.honnin, result).await
    })
}

async fn check(app: &App) -> Result<(), Failure> {
    let source = &app.config.master_key;
    let versions = load(source).await?.versions();
    let listed: Vec<String> = versions.iter().map(ToString::to_string).collect();
    say(format!("Versions in {source}: {}", listed.join(", ")))?;
    let found = count(&app.honnin).await?;
    let mut is_whole = true;
    for (version, keys) in &found.keys {
        let is_there = versions.contains(version);
        let fault = if is_there { "" } else { ", and is missing" };
        say(format!("Version {version} encrypts {keys} session keys{fault}"))?;
        is_whole &= is_there;
    }
    let (all, older) = (found.secrets, found.older_secrets);
    say(format!(
        "{all} webhook and authenticator secrets, {older} of them with an older version"
    ))?;
    for (version, secrets) in &found.secrets_by_version {
        if !versions.contains(version) {
            say(format!("Version {version} encrypts {secrets} of them, and is missing"))?;
            is_whole = false;
        }
    }
    let (now, limit) = (app.honnin.now(), app.config.secret_age);
    for age in oldest(&app.honnin).await? {
        say(age_line(age, now, limit))?;
    }
    if versions.len() > 1 {
        say("A rotation was not finished: run `honnin keys rotate` again.")?;
    }
    if is_whole {
        Ok(())
    } else {
        Err(format!("what a missing version encrypts cannot be read: put its line back into {source}").into())
    }
}

/// How old the oldest secret of a kind is, and whether it is to be replaced.
fn age_line(age: SecretAge, now: Timestamp, limit: Millis) -> String {
    let days = |span: i64| span / Millis::days(1).0;
    let old = now.as_millis() - age.since.as_millis();
    let advice = if old >= limit.0 { ": replace it" } else { "" };
    format!(
        "{} in use for {} of {} days{advice}",
        age.kind,
        days(old),
        days(limit.0)
    )
}

async fn change(app: &App, rotate: &Rotate) -> Result<(), Failure> {
    let settle = Duration::from_secs(rotate.settle);
    match &app.config.master_key {
        MasterKey::File(file) => change_file(app, file, settle).await,
        elsewhere => change_elsewhere(app, elsewhere, rotate.restarted, settle).await,
    }
}

async fn change_file(app: &App, file: &Path, settle: Duration) -> Result<(), Failure> {
    let rotation = Rotation::begin(file)?;
    // More than one version: an earlier run was interrupted, and is continued.
    if rotation.keys()?.versions().len() == 1 {
        let version = rotation.add_version()?;
        say(format!("Added version {version} to {}", file.display()))?;
    }
    let late = encrypt_all(app, settle).await?;
    let newest = rotation.keys()?.versions().last().copied().unwrap_or_default();
    // First: with one version left in the file, a run that was interrupted would not be continued, and nothing would record it.
    record(&app.honnin, CommandLine::here(), newest).await?;
    rotation.keep_newest()?;
    say(format!(
        "Re-encrypted {late} more items. The old key version was removed."
    ))?;
    say(
        "Copy the file to where you keep it. Older copies of the sessions and of the keys need the older file: keep it apart from them.",
    )
}

/// Honnin cannot write the new version itself, nor remove the old one: it says what is to be done.
async fn change_elsewhere(app: &App, source: &MasterKey, restarted: bool, settle: Duration) -> Result<(), Failure> {
    let versions = load(source).await?.versions();
    let newest = versions.last().copied().unwrap_or_default();
    if versions.len() == 1 {
        return Err(format!(
            "the master key comes from {source}, where Honnin cannot change it. First add a line to it, and keep the old one: \
             honnin keys generate --version {}. Then restart every process, and run: honnin keys rotate --restarted",
            u64::from(newest) + 1
        )
        .into());
    }
    if !restarted {
        return Err(format!(
            "running processes do not know version {newest} yet, because they read {source} only at start. Restart each of them, \
             then run: honnin keys rotate --restarted"
        )
        .into());
    }
    let late = encrypt_all(app, settle).await?;
    record(&app.honnin, CommandLine::here(), newest).await?;
    say(format!(
        "Re-encrypted {late} more items. Nothing needs the older versions any more."
    ))?;
    say(format!(
        "Now remove the older versions from {source}. Older copies of the sessions and of the keys need them: keep them apart from those \
         copies for as long as you keep any."
    ))
}

/// Encrypts everything with the newest version, and what running processes stored in the meantime. Returns how much that was.
async fn encrypt_all(app: &App, settle: Duration) -> Result<usize, Failure> {
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
        return Err("something is still encrypted with the old version: does every process use the new one? Run the command again".into());
    }
    Ok(late)
}

fn shown() -> impl FnMut(usize) {
    let terminal = std::io::stderr().is_terminal();
    move |done| {
        if terminal {
            // Progress is not a result: what cannot be printed is dropped.
            drop(write!(std::io::stderr(), "\r{done} keys "));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::secret_kind::SecretKind;

    #[test]
    fn a_secret_is_to_be_replaced_once_it_is_as_old_as_it_may_be() {
        let age = SecretAge {
            kind: SecretKind::MasterKey,
            since: Timestamp::from_millis(0),
        };
        let line = |days| {
            age_line(
                age,
                Timestamp::from_millis(0).plus(Millis::days(days)),
                Millis::days(365),
            )
        };
        assert_eq!(line(364), "master_key in use for 364 of 365 days");
        assert_eq!(line(365), "master_key in use for 365 of 365 days: replace it");
    }
}
