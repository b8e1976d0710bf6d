//! `backup create`, `backup verify` and `backup restore`.

use super::{Failure, Settings, block_on, logging, say};
use crate::{
    config::{Config, MasterKey},
    hold,
    open::{open_restored, picture_place},
};
use clap::{Args, Subcommand};
use domain::time::Clock as _;
use service::{Honnin, privacy::after_restore::erase_again, runtime::clock::SystemClock};
use std::{
    io::{IsTerminal as _, Write as _},
    path::PathBuf,
    sync::Arc,
};
use store::backup::{self, DatabasePlace, Gaps, Source, Target, Verified};

#[derive(Subcommand)]
pub(super) enum BackupCommand {
    /// Copies the databases and pictures of this installation, which may be running.
    Create(Create),
    /// Checks that a copy is whole and that its two halves fit.
    Verify(Copy),
    /// Puts a copy back into the empty data folder, databases and bucket of this configuration. Webhooks are held until a start with --send-deliveries.
    Restore(Restore),
}

#[derive(Args)]
pub(super) struct Create {
    /// New folder for the sessions and pictures.
    #[arg(long, value_name = "FOLDER")]
    to: PathBuf,
    /// Folder for the keys, kept elsewhere. An older copy of the keys in it is replaced.
    #[arg(long, value_name = "FOLDER")]
    keys: PathBuf,
    /// Copy even if pictures or keys of sessions that were not erased are missing; the copy lists them.
    #[arg(long)]
    allow_missing: bool,
}

#[derive(Args)]
pub(super) struct Copy {
    /// Folder with the sessions and pictures.
    #[arg(long, value_name = "FOLDER")]
    from: PathBuf,
    /// Folder with the keys.
    #[arg(long, value_name = "FOLDER")]
    keys: PathBuf,
}

#[derive(Args)]
pub(super) struct Restore {
    #[command(flatten)]
    copy: Copy,
    /// The file of the master keys, unless this configuration gets them from elsewhere (master_key.source).
    #[arg(long, value_name = "FILE")]
    master_key: Option<PathBuf>,
    /// Send webhooks at the next start. Only if the lost installation is certain to send none: receivers get repeated events.
    #[arg(long)]
    send_deliveries: bool,
}

pub(super) fn run(settings: &Settings, command: BackupCommand) -> Result<(), Failure> {
    match command {
        BackupCommand::Create(create) => make(settings.load()?.as_ref(), &create),
        BackupCommand::Verify(copy) => {
            let verified = block_on(async { Ok(backup::verify(&copy.from, &copy.keys, &mut shown("files")).await?) })?;
            describe(&verified)
        }
        BackupCommand::Restore(restore) => put_back(settings.load()?, &restore),
    }
}

fn make(config: &Config, create: &Create) -> Result<(), Failure> {
    let Create { to, keys, .. } = create;
    let gaps = if create.allow_missing { Gaps::Note } else { Gaps::Refuse };
    let pictures = picture_place(&config.pictures)?;
    let source = Source {
        database_url: &config.database_url,
        keys_url: &config.keys_url,
        pictures: &pictures,
    };
    let copied = block_on(async {
        let mut progress = shown("pictures");
        let made = backup::make(source, (to, keys), gaps, SystemClock.now(), &mut progress);
        Ok(made.await?)
    })?;
    say(format!("Copied the sessions and {copied} pictures to {}", to.display()))?;
    say(format!("Copied the keys to {}", keys.display()))?;
    say(format!(
        "Not copied: the master key ({}). Keep a copy of it apart from both.",
        config.master_key
    ))
}

fn put_back(config: Arc<Config>, restore: &Restore) -> Result<(), Failure> {
    logging::start(&config.log);
    let target = Target {
        folder: config.data_dir.clone(),
        database: DatabasePlace::at(&config.database_url)?,
        keys: DatabasePlace::at(&config.keys_url)?,
        master_key: place_of_master_key(&config.master_key, restore.master_key.is_some())?,
        pictures: picture_place(&config.pictures)?,
    };
    let Copy { from, keys } = &restore.copy;
    block_on(async move {
        let verified =
            backup::put_back(from, keys, restore.master_key.as_deref(), &target, &mut shown("files")).await?;
        let app = open_restored(Arc::clone(&config)).await?;
        let erased = settle(&app.honnin, restore.send_deliveries).await;
        let closed = app.honnin.close().await;
        let erased = erased?;
        closed?;
        target.finish().await?;
        describe(&verified)?;
        say(format!("Restored to {}", config.data_dir.display()))?;
        if erased > 0 {
            say(format!(
                "{erased} sessions were erased after the copy was made, and are erased again at the next start."
            ))?;
        }
        if !restore.send_deliveries {
            say(
                "Webhooks are held. When the lost installation is certain to be stopped: honnin serve --send-deliveries",
            )?;
        }
        Ok(())
    })
}

/// Holds the webhooks of a restored installation or lets them go, and erases again what was erased since the copy; how many sessions that were.
async fn settle(honnin: &Honnin, send_deliveries: bool) -> Result<u64, Failure> {
    if send_deliveries {
        hold::end(honnin).await?;
    } else {
        hold::begin(honnin).await?;
    }
    Ok(erase_again(honnin).await?)
}

/// Where the file of the master keys is put, if there is one.
fn place_of_master_key(source: &MasterKey, is_given: bool) -> Result<Option<PathBuf>, Failure> {
    match (source, is_given) {
        (MasterKey::File(path), true) => Ok(Some(path.clone())),
        (MasterKey::File(_), false) => Err("--master-key must name the file of the master keys".into()),
        (other, true) => {
            Err(format!("leave --master-key out: this configuration gets the master key from {other}").into())
        }
        (_, false) => Ok(None),
    }
}

fn describe(verified: &Verified) -> Result<(), Failure> {
    let Verified {
        data_begun_at,
        keys_begun_at,
        readable,
        erased_since,
        pictures,
        lost,
    } = verified;
    say(format!("Sessions copied   {data_begun_at}"))?;
    say(format!("Keys copied       {keys_begun_at}"))?;
    say(format!(
        "Sessions          {readable} with personal data, {erased_since} erased since"
    ))?;
    say(format!("Pictures          {pictures}"))?;
    if *lost > 0 {
        say(format!("Already missing   {lost} pictures or keys"))?;
    }
    say("Every file is as it was copied, and the keys fit.")
}

/// Shows on a terminal how far it is.
fn shown(what: &'static str) -> impl FnMut(u64) + Send {
    let terminal = std::io::stderr().is_terminal();
    move |done| {
        if terminal && done.is_multiple_of(100) {
            // Progress is no result: what cannot be shown is left out.
            drop(write!(std::io::stderr(), "\r{done} {what} "));
        }
    }
}
