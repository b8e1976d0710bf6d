//! Exporting the audit log to another system, such as a SIEM: every entry in the order of the chain, at least once. What was
//! exported is noted in the database after the other system has taken it, so that nothing is lost while it is away.

use crate::{Honnin, audit};
use async_trait::async_trait;
use domain::time::{Millis, Timestamp};
use serde::Serialize;
use std::{
    error::Error,
    time::{Duration, Instant},
};
use store::{
    StoreError,
    audit_export::{self, Exported},
};
use tokio_util::sync::CancellationToken;

/// How long a process has the export to itself without renewing the lease.
const LEASE: Millis = Millis::seconds(30);
/// Entries handed over at a time.
const BATCH: u32 = 200;
/// Time-out of handing them over: shorter than the lease.
const HAND_OVER: Duration = Duration::from_secs(15);
/// How often new entries are looked for.
const EVERY: Duration = Duration::from_secs(1);
/// The wait after a failure doubles from [`EVERY`] up to this.
const LONGEST_WAIT: Duration = Duration::from_secs(60);
/// How long a process that stops goes on with batches.
const AT_THE_END: Duration = Duration::from_secs(10);

/// An entry as it is exported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// When it was written.
    pub at: Timestamp,
    /// What was done, as `subject.verb`.
    pub action: String,
    /// The entry as one JSON object without a line break.
    pub json: String,
}

/// Why entries were not taken; its text is meant for people.
pub type SinkError = Box<dyn Error + Send + Sync>;

/// The other system.
#[async_trait]
pub trait Sink: Send {
    /// Takes entries. They are handed over again, with those that follow, if it fails.
    ///
    /// # Errors
    /// If it is uncertain whether it has all of them.
    async fn take(&mut self, lines: &[Line]) -> Result<(), SinkError>;
}

/// Why an export failed.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The other system.
    #[error("the receiver of the audit log does not take entries: {0}")]
    Sink(SinkError),
    /// Storage.
    #[error(transparent)]
    Store(#[from] StoreError),
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Members<'a> {
    position: i64,
    at: String,
    tenant: &'a Option<String>,
    actor: &'a str,
    actor_name: &'a Option<String>,
    action: &'a str,
    subject: &'a Option<String>,
    detail: &'a Option<String>,
    address: &'a Option<String>,
    number: i64,
    hash: String,
}

fn line(entry: &Exported) -> Result<Line, StoreError> {
    let at = Timestamp::from_millis(entry.at);
    let members = Members {
        position: entry.position,
        at: at.to_iso(),
        tenant: &entry.tenant_id,
        actor: &entry.actor,
        actor_name: &entry.actor_name,
        action: &entry.action,
        subject: &entry.subject,
        detail: &entry.detail,
        address: &entry.address,
        number: entry.number,
        hash: hex::encode(&entry.hash),
    };
    Ok(Line {
        at,
        action: entry.action.clone(),
        json: serde_json::to_string(&members).map_err(|_| StoreError::Corrupt("an entry cannot be written as JSON"))?,
    })
}

/// Exports everything that has not been exported, as far as another process is not doing it. Returns how many entries.
///
/// # Errors
/// [`ExportError`]. What was taken before stays exported.
pub async fn export_new(honnin: &Honnin, worker: &str, sink: &mut dyn Sink) -> Result<usize, ExportError> {
    export_while(honnin, worker, sink, || true).await
}

/// Exports batch by batch, as long as `goes_on`.
async fn export_while(
    honnin: &Honnin,
    worker: &str,
    sink: &mut dyn Sink,
    goes_on: impl Fn() -> bool,
) -> Result<usize, ExportError> {
    audit::seal_new(honnin).await?;
    let mut exported = 0;
    while goes_on()
        && let Some(count) = export_batch(honnin, worker, sink).await?
    {
        exported += count;
    }
    Ok(exported)
}

/// Exports one batch; `None` if there is nothing new, or another process exports it.
async fn export_batch(honnin: &Honnin, worker: &str, sink: &mut dyn Sink) -> Result<Option<usize>, ExportError> {
    // Most of the time there is nothing new, which costs no commit.
    if !honnin.db.ask(async |tx| audit_export::any_new(tx).await).await? {
        return Ok(None);
    }
    let (name, now) = (worker.to_owned(), honnin.now());
    let claim = honnin
        .db
        .write(async move |tx| audit_export::claim(tx, &name, now, now.plus(LEASE)).await);
    let Some(after) = claim.await? else { return Ok(None) };
    let found = honnin
        .db
        .read(async move |tx| audit_export::list(tx, after, BATCH).await)
        .await?;
    let Some(last) = found.last() else { return Ok(None) };
    let lines: Vec<Line> = found.iter().map(line).collect::<Result<_, _>>()?;
    let taken = tokio::time::timeout(HAND_OVER, sink.take(&lines)).await;
    taken
        .unwrap_or_else(|_| Err("time-out".into()))
        .map_err(ExportError::Sink)?;
    let (name, to) = (worker.to_owned(), last.position);
    honnin
        .db
        .write(async move |tx| audit_export::advance(tx, &name, to).await)
        .await?;
    Ok(Some(found.len()))
}

/// Exports until `stop`. A failure is logged once, and its end.
pub async fn run(honnin: Honnin, mut sink: Box<dyn Sink>, stop: CancellationToken) {
    let worker = honnin.worker_name();
    let (mut wait, mut failing) = (EVERY, false);
    loop {
        tokio::select! {
            () = tokio::time::sleep(wait) => {}
            () = stop.cancelled() => break,
        }
        match export_while(&honnin, &worker, &mut *sink, || !stop.is_cancelled()).await {
            Ok(_) => {
                if failing {
                    tracing::info!("the audit log is exported again");
                }
                (wait, failing) = (EVERY, false);
            }
            Err(error) => {
                if !failing {
                    tracing::error!(%error, "the audit log is not exported; trying again");
                }
                (wait, failing) = ((wait * 2).min(LONGEST_WAIT), true);
            }
        }
    }
    // What the last requests did. What has collected while the receiver was away would hold the process up until it is killed.
    let begun = Instant::now();
    if let Err(error) = export_while(&honnin, &worker, &mut *sink, || begun.elapsed() < AT_THE_END).await {
        tracing::warn!(%error, "the end of the audit log is exported after the next start");
    }
    let released = honnin
        .db
        .write(async move |tx| audit_export::release(tx, &worker).await)
        .await;
    if let Err(error) = released {
        tracing::debug!(%error, "the lease of the export runs out by itself");
    }
}
