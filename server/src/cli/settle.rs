//! `backup settle`, and what `backup restore` does last: what a restored installation has to know and to erase before its first start.

use super::{Failure, Settings, block_on, logging, say};
use crate::{hold, open::open_without_models};
use clap::Args;
use service::{
    Honnin,
    privacy::after_restore::{count_without_key, erase_again},
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

pub(super) fn run(settings: &Settings, arguments: &Settle) -> Result<(), Failure> {
    let config = settings.load()?;
    logging::start(&config.log);
    block_on(async move {
        let app = open_without_models(config).await?;
        let result = if arguments.send_deliveries {
            release(&app.honnin).await
        } else {
            settle(&app.honnin, arguments.erase).await
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

/// Holds what a copy must not send, and erases again what was erased since the data was copied, if `erase` says that it was.
async fn settle(honnin: &Honnin, erase: bool) -> Result<(), Failure> {
    hold::begin(honnin).await?;
    let found = count_without_key(honnin).await?;
    if found.without_key > 0 && !erase {
        return Err(format!(
            "{} of {} sessions have no key. If the keys were copied after the data, these sessions were erased in between: run \
             honnin backup settle --erase. Otherwise put newer keys back first. Webhooks and the export of the audit log are held",
            found.without_key, found.sessions
        )
        .into());
    }
    let erased = erase_again(honnin).await?;
    report(erased, false)
}

/// Settles an installation whose copy has been verified. Returns how many sessions are erased again.
pub(super) async fn settle_verified(honnin: &Honnin, send_deliveries: bool) -> Result<u64, Failure> {
    if send_deliveries {
        hold::end(honnin).await?;
    } else {
        hold::begin(honnin).await?;
    }
    Ok(erase_again(honnin).await?)
}

/// Says what was settled.
pub(super) fn report(erased: u64, send_deliveries: bool) -> Result<(), Failure> {
    if erased > 0 {
        say(format!(
            "{erased} sessions were erased after the copy was made, and are erased again at the next start."
        ))?;
    }
    if send_deliveries {
        return Ok(());
    }
    say(
        "Webhooks and the export of the audit log are held. Once you are sure the lost installation is no longer running, \
         start with: honnin serve --send-deliveries",
    )
}
