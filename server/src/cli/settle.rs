//! `backup settle`, and what `backup restore` does last: what a restored installation has to know and to erase before its first start.

use super::{Failure, Settings, block_on, logging, say};
use crate::{hold, open::open_without_models};
use clap::Args;
use service::{
    Honnin,
    privacy::after_restore::{count_unknown_keys, count_without_key, erase_again, forget_unknown_keys},
};

#[derive(Args)]
pub(super) struct Settle {
    /// Erase the sessions whose keys are gone. Only if the keys were copied after the data, so that these sessions were erased in between.
    #[arg(long)]
    erase: bool,
    /// Send webhooks and export the audit log from the next start on. Only if the lost installation is certain to be stopped.
    #[arg(long, conflicts_with = "erase")]
    send_deliveries: bool,
}

/// What is done with keys that no session here has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UnknownKeys {
    /// They are counted.
    Keep,
    /// They are removed.
    Forget,
}

impl UnknownKeys {
    pub(super) const fn with(forget: bool) -> Self {
        if forget { Self::Forget } else { Self::Keep }
    }
}

/// What was found and done.
pub(super) struct Settled {
    /// Sessions that are erased again.
    erased: u64,
    /// Keys that no session here has.
    unknown_keys: u64,
    /// What was done with them.
    fate: UnknownKeys,
}

pub(super) fn run(settings: &Settings, arguments: &Settle) -> Result<(), Failure> {
    let config = settings.load()?;
    logging::start(&config.log);
    block_on(async move {
        let app = open_without_models(config).await?;
        let result = if arguments.send_deliveries {
            release(&app.honnin).await
        } else {
            settle(&app.honnin, arguments).await
        };
        let closed = app.honnin.close().await;
        result?;
        Ok(closed?)
    })
}

async fn release(honnin: &Honnin) -> Result<(), Failure> {
    hold::end(honnin).await?;
    say("Webhooks are sent and the audit log is exported from the next start on.")
}

/// Holds what a copy must not send, and erases again what was erased since the data was copied, if the arguments say that it was.
async fn settle(honnin: &Honnin, arguments: &Settle) -> Result<(), Failure> {
    hold::begin(honnin).await?;
    let found = count_without_key(honnin).await?;
    if found.without_key > 0 && !arguments.erase {
        return Err(format!(
            "{} of {} sessions have no key. If the keys were copied after the data, these sessions were erased in between: run \
             honnin backup settle --erase. Otherwise put newer keys back first. Webhooks and the export of the audit log are held",
            found.without_key, found.sessions
        )
        .into());
    }
    // A node that runs has keys in advance, which must not be removed, and nothing here says whether one does.
    let settled = finish(honnin, UnknownKeys::Keep).await?;
    report(&settled, false)
}

/// Settles an installation whose copy has been verified.
pub(super) async fn settle_verified(
    honnin: &Honnin,
    send_deliveries: bool,
    fate: UnknownKeys,
) -> Result<Settled, Failure> {
    if send_deliveries {
        hold::end(honnin).await?;
    } else {
        hold::begin(honnin).await?;
    }
    finish(honnin, fate).await
}

async fn finish(honnin: &Honnin, fate: UnknownKeys) -> Result<Settled, Failure> {
    let erased = erase_again(honnin).await?;
    let unknown_keys = match fate {
        UnknownKeys::Keep => count_unknown_keys(honnin).await?,
        UnknownKeys::Forget => forget_unknown_keys(honnin).await?,
    };
    Ok(Settled {
        erased,
        unknown_keys,
        fate,
    })
}

/// Says what was settled.
pub(super) fn report(settled: &Settled, send_deliveries: bool) -> Result<(), Failure> {
    let Settled {
        erased,
        unknown_keys,
        fate,
    } = settled;
    if *erased > 0 {
        say(format!(
            "Sessions that were erased after the copy was made, and are erased again at the next start: {erased}."
        ))?;
    }
    match fate {
        _ if *unknown_keys == 0 => {}
        UnknownKeys::Keep => say(format!(
            "Keys that belong to no session here: {unknown_keys}. Some were made in advance; others may be of sessions that only newer copies \
             have, which nobody can erase here. If you no longer need those copies, restore with --forget-unknown-keys instead."
        ))?,
        UnknownKeys::Forget => say(format!(
            "Keys that belonged to no session here and were removed: {unknown_keys}. Make a new backup, and remove the copies that are newer \
             than this one: they do not fit its keys."
        ))?,
    }
    if send_deliveries {
        return Ok(());
    }
    say(
        "Webhooks and the export of the audit log are held. Once you are sure the lost installation is no longer running, \
         start with: honnin serve --send-deliveries",
    )
}
