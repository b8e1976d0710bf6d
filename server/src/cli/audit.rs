//! `audit verify`: checks that no entry of the audit log was changed, dropped, added or moved. `audit export`: exports entries again.

use super::{Failure, Settings, block_on, end, logging, say};
use crate::{config::Config, open::open_existing};
use clap::{Args, Subcommand};
use service::{
    access::CommandLine,
    audit::{Head, Verified, verify},
    audit_export::export_again,
};
use std::sync::Arc;

#[derive(Subcommand)]
pub(super) enum AuditCommand {
    /// Checks the hash chain of the audit log and prints its last entry.
    Verify(Verify),
    /// Exports entries again, for a receiver of audit.export that has lost some.
    Export(Export),
}

#[derive(Args)]
pub(super) struct Verify {
    /// The last entry that an earlier check printed, as POSITION:HASH. The log must contain it.
    #[arg(long, value_parser = head)]
    noted: Option<Head>,
}

#[derive(Args)]
pub(super) struct Export {
    /// The position of the first entry that is exported again. All later ones follow.
    #[arg(long, value_name = "POSITION", value_parser = clap::value_parser!(i64).range(1..))]
    from: i64,
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

pub(super) fn run(settings: &Settings, command: AuditCommand) -> Result<(), Failure> {
    let config = settings.load()?;
    logging::start(&config.log);
    match command {
        AuditCommand::Verify(Verify { noted }) => verify_chain(config, noted),
        AuditCommand::Export(Export { from }) => export_from(config, from),
    }
}

fn export_from(config: Arc<Config>, from: i64) -> Result<(), Failure> {
    block_on(async move {
        let app = open_existing(config).await?;
        let set_back = export_again(&app.honnin, CommandLine::here(), from).await;
        let said = match set_back {
            Ok(()) => say(format!("The audit log is exported again from position {from} on.")),
            Err(error) => Err(error.into()),
        };
        end(&app.honnin, said).await
    })
}

fn verify_chain(config: Arc<Config>, noted: Option<Head>) -> Result<(), Failure> {
    block_on(async move {
        let app = open_existing(config).await?;
        let verified = verify(&app.honnin, noted.as_ref()).await;
        let said = match verified {
            Ok(verified) => conclude(verified),
            Err(error) => Err(error.into()),
        };
        end(&app.honnin, said).await
    })
}

fn conclude(verified: Verified) -> Result<(), Failure> {
    match verified {
        Verified::Whole(last, open) => intact(&last, open),
        Verified::NotedRemoved(last, open) => {
            say("The noted entry has since been removed because of its age: see retention.audit_days.")?;
            intact(&last, open)
        }
        Verified::Broken(position) => Err(format!(
            "the chain of the audit log is broken at position {position}: the entry there is missing, or was changed or moved"
        )
        .into()),
        Verified::Replaced => Err("the audit log does not contain the entry that was noted: it was replaced".into()),
    }
}

fn intact(last: &Head, open: i64) -> Result<(), Failure> {
    say(format!(
        "The audit log is intact: {} entries, {open} more not yet linked.",
        last.position
    ))?;
    if last.position == 0 {
        return Ok(());
    }
    say(format!("Last entry    {}:{}", last.position, hex::encode(&last.hash)))
}
