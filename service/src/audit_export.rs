//! Exporting the audit log to another system, such as a SIEM: every entry in the order of the chain, at least once. What was
//! exported is noted in the database after the other system has taken it, so that nothing is lost while it is away. A receiver that confirms nothing is
//! given the last minutes again on each new connection.

use crate::{Honnin, access::CommandLine, audit};
use async_trait::async_trait;
use domain::{
    audit::AuditAction,
    audit_detail::DetailPhrase,
    time::{Millis, Timestamp},
};
use serde::Serialize;
use std::{
    error::Error,
    time::{Duration, Instant},
};
use store::{
    StoreError,
    audit_export::{self, Exported, Reached},
};
use tokio::time::timeout_at;
use tokio_util::sync::CancellationToken;

/// How long a process has the export to itself without renewing the lease.
const LEASE: Millis = Millis::seconds(30);
/// How long a process that is connected to a receiver that confirms nothing goes without renewing it: another process would begin with what was
/// exported lately.
const RENEWAL: Millis = Millis::seconds(10);
/// Entries handed over at a time.
const BATCH: u32 = 200;
/// Time-out of connecting and handing them over: shorter than the lease.
const HAND_OVER: Duration = Duration::from_secs(15);
/// After how long a receiver that confirms nothing has what it was given, unless its connection broke: much longer than a connection on which nothing
/// is acknowledged lasts.
const SETTLING: Millis = Millis::minutes(5);
/// How often new entries are looked for.
const EVERY: Duration = Duration::from_secs(1);
/// The wait after a failure doubles from [`EVERY`] up to this.
const LONGEST_WAIT: Duration = Duration::from_secs(60);
/// How long a stopping process continues with batches.
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
    /// Connects, unless it is connected. Returns whether the connection is new and the end of what was sent on the old one may be
    /// lost. Always `false` for a system that confirms what it takes.
    ///
    /// # Errors
    /// If it cannot be reached.
    async fn connect(&mut self) -> Result<bool, SinkError> {
        Ok(false)
    }

    /// Ends the connection: the next one is new.
    fn disconnect(&mut self) {}

    /// Whether a connection has broken.
    fn is_cut_off(&mut self) -> bool {
        false
    }

    /// Takes entries. They are handed over again, with those that follow, if it fails.
    ///
    /// # Errors
    /// If it is uncertain whether it has all of them.
    async fn take(&mut self, lines: &[Line]) -> Result<(), SinkError>;
}

/// Why an export failed.
#[derive(Debug, thiserror::Error)]
enum ExportError {
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

/// The export by this process.
struct Exporter {
    honnin: Honnin,
    /// Its name as the holder of the lease.
    worker: String,
    sink: Box<dyn Sink>,
    /// The position that it has seen or noted last. If another one is in the database, another process has exported, or somebody has set the export back.
    noted: Option<i64>,
    /// The entry after which it continues, while it repeats what was exported before.
    again_after: Option<i64>,
    /// Since when, by the time that passes evenly, nothing is to be handed over again.
    whole_since: Option<Millis>,
    /// When it has taken or renewed the lease, by the time that passes evenly, as long as it is connected to a receiver that confirms nothing.
    leased_at: Option<Millis>,
}

impl Exporter {
    fn new(honnin: Honnin, sink: Box<dyn Sink>) -> Self {
        Self {
            worker: honnin.worker_name(),
            honnin,
            sink,
            noted: None,
            again_after: None,
            whole_since: None,
            leased_at: None,
        }
    }

    /// Exports what has not been exported, batch by batch, as long as `goes_on` and as far as another process is not doing it. What was taken before a
    /// failure stays exported.
    async fn export_while(&mut self, goes_on: impl Fn() -> bool) -> Result<(), ExportError> {
        audit::seal_new(&self.honnin).await?;
        while goes_on() && self.export_batch().await? {}
        Ok(())
    }

    /// Whether the lease is due, or there may be something to hand over. Most of the time there is nothing, which costs no commit.
    async fn has_work(&mut self) -> Result<bool, StoreError> {
        if self.sink.is_cut_off() {
            // Until there is a new connection.
            (self.noted, self.leased_at) = (None, None);
        }
        let elapsed = self.honnin.clock.elapsed();
        let is_due = self.leased_at.is_some_and(|at| elapsed.0 - at.0 >= RENEWAL.0);
        if is_due || self.noted.is_none() || self.again_after.is_some() {
            return Ok(true);
        }
        self.honnin.db.ask(async |tx| audit_export::any_new(tx).await).await
    }

    /// Takes or renews the lease. How far the log was exported; `None` if another process has the lease.
    async fn claim(&mut self) -> Result<Option<Reached>, StoreError> {
        self.honnin.follow_lease_clock().await?;
        let now = self.honnin.lease_now();
        let until = now.plus(LEASE);
        let name = self.worker.clone();
        // Every other node comes here each second while the one with the lease has something to hand over.
        let is_taken = self
            .honnin
            .db
            .ask(async move |tx| audit_export::is_taken(tx, &name, now, until).await);
        if is_taken.await? {
            return Ok(None);
        }
        let name = self.worker.clone();
        let claim = self
            .honnin
            .db
            .write(async move |tx| audit_export::claim(tx, &name, now, until).await);
        claim.await
    }

    /// Exports one batch; `false` if there is nothing to be exported, or another process does it.
    async fn export_batch(&mut self) -> Result<bool, ExportError> {
        if !self.has_work().await? {
            return Ok(false);
        }
        let elapsed = self.honnin.clock.elapsed();
        let Some(reached) = self.claim().await? else {
            self.sink.disconnect();
            (self.again_after, self.leased_at) = (None, None);
            return Ok(false);
        };
        let deadline = tokio::time::Instant::now() + HAND_OVER;
        if self.noted != Some(reached.position) {
            // What another process has sent may be lost, on its connection.
            self.sink.disconnect();
            self.leased_at = None;
        }
        let connected = timeout_at(deadline, self.sink.connect()).await;
        let is_new = in_time(connected)?;
        if is_new {
            (self.again_after, self.whole_since) = (Some(reached.settled.min(reached.position)), None);
        }
        if is_new || self.leased_at.is_some() {
            self.leased_at = Some(elapsed);
        }
        self.noted = Some(reached.position);
        let after = self.again_after.unwrap_or(reached.position);
        let found = self
            .honnin
            .db
            .read(async move |tx| audit_export::list(tx, after, BATCH).await)
            .await?;
        let Some(last) = found.last() else {
            self.have_caught_up();
            return Ok(false);
        };
        let lines: Vec<Line> = found.iter().map(line).collect::<Result<_, _>>()?;
        in_time(timeout_at(deadline, self.sink.take(&lines)).await)?;
        if last.position < reached.position {
            self.again_after = Some(last.position);
            return Ok(true);
        }
        self.have_caught_up();
        if last.position > reached.position {
            self.advance(last.position).await?;
        }
        Ok(true)
    }

    /// What was exported before has been handed over on this connection, or there is no need to.
    fn have_caught_up(&mut self) {
        self.again_after = None;
        self.whole_since.get_or_insert_with(|| self.honnin.clock.elapsed());
    }

    /// Notes that everything up to the entry at `to` was exported.
    async fn advance(&mut self, to: i64) -> Result<(), StoreError> {
        let (now, elapsed) = (self.honnin.now(), self.honnin.clock.elapsed());
        // What was handed over again has not had its time on this connection.
        let has_settled = self.whole_since.is_some_and(|since| elapsed.0 - since.0 >= SETTLING.0);
        let certain = has_settled.then(|| now.minus(SETTLING));
        let worker = self.worker.clone();
        self.honnin
            .db
            .write(async move |tx| audit_export::advance(tx, &worker, to, now, certain).await)
            .await?;
        self.noted = Some(to);
        Ok(())
    }

    /// Gives the lease up.
    async fn release(self) {
        let Self { honnin, worker, .. } = self;
        let released = honnin
            .db
            .write(async move |tx| audit_export::release(tx, &worker).await)
            .await;
        if let Err(error) = released {
            tracing::debug!(%error, "the lease of the export was not released; it will expire");
        }
    }
}

/// What the other system says, unless it took too long.
fn in_time<T>(said: Result<Result<T, SinkError>, tokio::time::error::Elapsed>) -> Result<T, ExportError> {
    said.unwrap_or_else(|_| Err("time-out".into()))
        .map_err(ExportError::Sink)
}

/// Exports until `stop`. A failure is logged once, and its end.
pub async fn run(honnin: Honnin, sink: Box<dyn Sink>, stop: CancellationToken) {
    let mut exporter = Exporter::new(honnin, sink);
    let (mut wait, mut failing) = (EVERY, false);
    loop {
        tokio::select! {
            () = tokio::time::sleep(wait) => {}
            () = stop.cancelled() => break,
        }
        match exporter.export_while(|| !stop.is_cancelled()).await {
            Ok(()) => {
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
    if let Err(error) = exporter.export_while(|| begun.elapsed() < AT_THE_END).await {
        tracing::warn!(%error, "the end of the audit log is exported after the next start");
    }
    exporter.release().await;
}

/// How many entries wait to be exported.
///
/// # Errors
/// If the database does not respond.
pub async fn backlog(honnin: &Honnin) -> Result<i64, StoreError> {
    honnin.db.ask(async |tx| audit_export::count_new(tx).await).await
}

/// Why nothing is exported again.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ExportAgainError {
    /// Nothing was exported from there on.
    #[error("the last entry exported is at position {0}")]
    NotExported(i64),
    /// Storage.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Exports everything again from the entry at position `from` on: the receiver has lost it.
///
/// # Errors
/// [`ExportAgainError`].
pub async fn export_again(honnin: &Honnin, here: CommandLine, from: i64) -> Result<(), ExportAgainError> {
    let now = honnin.now();
    let unit = honnin.db.write(async move |tx| {
        if !audit_export::set_back(tx, from - 1).await? {
            return Err(ExportAgainError::NotExported(audit_export::find_position(tx).await?));
        }
        let entry = here
            .entry(now, AuditAction::AuditExport)
            .with_detail(DetailPhrase::AgainFrom.with(from));
        Ok(store::audit::record(tx, &entry).await?)
    });
    unit.await
}
