//! `audit verify`: checks that no entry of the audit log was changed, dropped, added or moved.

use super::{Failure, Settings, block_on, logging, say};
use crate::open::open_without_models;
use clap::{Args, Subcommand};
use service::audit::{Head, Verified, verify};

#[derive(Subcommand)]
pub(super) enum AuditCommand {
    /// Checks the hash chain of the audit log and prints its last entry.
    Verify(Verify),
}

#[derive(Args)]
pub(super) struct Verify {
    /// The last entry that an earlier check printed, as POSITION:HASH. The log must contain it.
    #[arg(long, value_parser = head)]
    noted: Option<Head>,
}

fn head(text: &str) -> Result<Head, String> {
    let parse = || {
        let (position, hash) = text.split_once(':')?;
        let head = Head {
            position: position.parse().ok()?,
            hash: hex::decode(hash).ok()?,
        };
        (head.position > 0 && head.hash.len() == 32).then_some(head)
    };
    parse().ok_or_else(|| "must be a number, a colon and 64 hex digits".to_owned())
}

pub(super) fn run(settings: &Settings, AuditCommand::Verify(Verify { noted }): AuditCommand) -> Result<(), Failure> {
    let config = settings.load()?;
    logging::start(&config.log);
    block_on(async move {
        let app = open_without_models(config).await?;
        let verified = verify(&app.honnin, noted.as_ref()).await;
        app.honnin.close().await?;
        match verified? {
            Verified::Whole(last, open) => intact(&last, open),
            Verified::NotedRemoved(last, open) => {
                say("The entry that was noted was removed since because of its age: see retention.audit_days.")?;
                intact(&last, open)
            }
            Verified::Broken(position) => Err(format!(
                "the chain of the audit log is broken at position {position}: the entry there is missing, or was changed or moved"
            )
            .into()),
            Verified::Replaced => {
                Err("the audit log does not contain the entry that was noted: it was replaced".into())
            }
        }
    })
}

fn intact(last: &Head, open: i64) -> Result<(), Failure> {
    say(format!(
        "The audit log is intact: {} entries, {open} more not yet linked.",
        last.position
    ))?;
    say(format!("Last entry    {}:{}", last.position, hex::encode(&last.hash)))
}
