//! Runs due jobs: claim, renew the lease, run, settle. A job runs at least once; its effect happens exactly once, because the
//! job is finished in the unit of its effect.

mod deliveries;
mod lane;
mod round_robin;

pub use lane::{Lane, Ranks};

use crate::{
    Honnin, audit,
    capture::analyse,
    decision::decide,
    jobs::{clock_jump, lease::LEASE, sweep},
    people::pending_sign_in,
    privacy::erase,
    review::take_effect,
    runtime::job_error::JobError,
    session::{expire, redate, retention},
    webhook::{deliver, sender::pacing::Permit},
};
use domain::time::{Millis, Timestamp};
use futures::FutureExt;
use round_robin::LastTurn;
use std::{panic::AssertUnwindSafe, sync::Arc, time::Duration};
use store::{
    StoreError,
    jobs::{self, Claim, Job, JobKind, Moment},
};
use tokio::{
    sync::{Notify, OwnedSemaphorePermit, Semaphore},
    task::JoinSet,
};
use tokio_util::sync::CancellationToken;

/// How often a lane polls for due jobs when nothing wakes it.
const POLL: Duration = Duration::from_secs(1);
/// How soon to try again to store how a run ended, while the database is away. More often than jobs are polled for, so that it comes first.
const STORE_AGAIN: Duration = Duration::from_millis(200);
/// How long a stopping worker waits for running jobs; the leases of the rest expire.
const STOP_WITHIN: Duration = Duration::from_secs(20);
/// Back-off of failed jobs; the last wait repeats.
const BACKOFF: [Millis; 5] = [
    Millis::seconds(1),
    Millis::seconds(5),
    Millis::seconds(30),
    Millis::minutes(2),
    LONGEST_WAIT,
];
/// How long a job that keeps failing waits for its next run.
pub(super) const LONGEST_WAIT: Millis = Millis::minutes(10);

/// The worker of one lane in this process.
#[derive(Clone)]
pub struct Worker {
    honnin: Honnin,
    name: String,
    lane: Lane,
    slots: usize,
    /// The slots of jobs that take long. One less than all, if there are several: erasures wait for the storage of the pictures, and nothing else
    /// should wait for them.
    long: Arc<Semaphore>,
    /// The one of them in which erasures are brought forward, for one tenant after another: the erasures themselves keep the others.
    bringing_forward: Arc<Semaphore>,
    last_turn: Arc<LastTurn>,
}

/// A job to run now.
struct Claimed {
    job: Job,
    /// The receiver's concurrency permit, for a delivery.
    permit: Option<Permit>,
    /// The slots that a job takes up which takes long.
    slots: [Option<OwnedSemaphorePermit>; 2],
}

impl Worker {
    /// A worker for `lane` that runs up to `slots` jobs concurrently.
    #[must_use]
    pub fn new(honnin: Honnin, lane: Lane, slots: usize) -> Self {
        let (name, slots) = (honnin.worker_name(), slots.max(1));
        Self {
            honnin,
            name,
            lane,
            slots,
            long: Arc::new(Semaphore::new((slots - 1).max(1))),
            bringing_forward: Arc::new(Semaphore::new(1)),
            last_turn: Arc::default(),
        }
    }

    /// Works until `stop`: then claims no more and waits, within bounds, for running jobs. `wake` is notified when there may be
    /// something to do.
    pub async fn run(self, stop: CancellationToken, wake: &Notify) {
        // Jobs in the database name the worker that holds them.
        tracing::info!(lane = ?self.lane, worker = %self.name, "worker started");
        tokio::join!(self.link_until(&stop), self.work_until(&stop, wake));
    }

    /// Links new entries of the audit log, in one lane. Beside the jobs, and not before they are claimed: whoever breaks the chain, or holds it,
    /// must not stop deadlines and erasures with it.
    async fn link_until(&self, stop: &CancellationToken) {
        while self.is_linker() && !stop.is_cancelled() {
            let linked = async {
                // A panic in it must not stop them either.
                if AssertUnwindSafe(self.link()).catch_unwind().await.is_err() {
                    tracing::error!("linking new entries of the audit log panicked");
                }
                tokio::time::sleep(POLL).await;
            };
            stop.run_until_cancelled(linked).await;
        }
    }

    /// Whether this worker links the audit log: one lane does.
    fn is_linker(&self) -> bool {
        self.lane == Lane::Housekeeping
    }

    async fn link(&self) {
        if self.is_linker()
            && let Err(error) = audit::seal_new(&self.honnin).await
        {
            tracing::error!(%error, "cannot link new entries of the audit log");
        }
    }

    async fn work_until(&self, stop: &CancellationToken, wake: &Notify) {
        let mut running = JoinSet::new();
        while !stop.is_cancelled() {
            while running.try_join_next().is_some() {}
            let free = self.slots.saturating_sub(running.len());
            // Also while nothing can be claimed: leases are renewed by it.
            let claimed = if self.follows_lease_clock().await && free > 0 {
                self.claim_or_log(free).await
            } else {
                Vec::new()
            };
            for claimed in claimed {
                running.spawn(self.clone().execute(claimed));
            }
            tokio::select! {
                Some(_) = running.join_next() => {}
                () = wake.notified() => {}
                () = tokio::time::sleep(POLL) => {}
                () = stop.cancelled() => {}
            }
        }
        let drained = async { while running.join_next().await.is_some() {} };
        if tokio::time::timeout(STOP_WITHIN, drained).await.is_err() {
            tracing::warn!(lane = ?self.lane, "stopped with jobs running; their leases will expire");
        }
    }

    /// For tests: runs everything that is due now, in order, in this task. Returns how many jobs ran.
    ///
    /// # Errors
    /// If storage does not respond.
    pub async fn run_until_idle(&self) -> Result<usize, StoreError> {
        let mut ran = 0;
        loop {
            self.link().await;
            let claimed = self.claim(1).await?;
            if claimed.is_empty() {
                return Ok(ran);
            }
            for claimed in claimed {
                self.clone().execute(claimed).await;
                ran += 1;
            }
        }
    }

    /// For tests: claims once, as many jobs as there are slots, and runs them in this task. Returns them.
    ///
    /// # Errors
    /// If storage does not respond.
    pub async fn run_once(&self) -> Result<Vec<Job>, StoreError> {
        self.link().await;
        let (claimed, mut ran) = (self.claim(self.slots).await?, Vec::new());
        for claimed in claimed {
            ran.push(claimed.job.clone());
            self.clone().execute(claimed).await;
        }
        Ok(ran)
    }

    /// Whether it is known when leases end. If not, the database is away.
    async fn follows_lease_clock(&self) -> bool {
        let followed = self.honnin.follow_lease_clock().await;
        if let Err(error) = &followed {
            tracing::error!(%error, lane = ?self.lane, "cannot claim jobs: the clock of the database cannot be read");
        }
        followed.is_ok()
    }

    async fn claim_or_log(&self, free: usize) -> Vec<Claimed> {
        self.claim(free).await.unwrap_or_else(|error| {
            tracing::error!(%error, lane = ?self.lane, "cannot claim jobs");
            Vec::new()
        })
    }

    async fn claim(&self, free: usize) -> Result<Vec<Claimed>, StoreError> {
        let now = self.honnin.now();
        match self.lane {
            Lane::Deliver => self.claim_deliveries(free, self.honnin.moment(now)).await,
            Lane::Decide => self.claim_decisions(free).await,
            Lane::Housekeeping => self.claim_housekeeping(free, now).await,
        }
    }

    /// Nothing while the clock cannot be trusted: whether a document is valid depends on the date.
    async fn claim_decisions(&self, free: usize) -> Result<Vec<Claimed>, StoreError> {
        match self.honnin.steady_now() {
            Some(now) => self.claim_round_robin(free, self.honnin.moment(now)).await,
            None => Ok(Vec::new()),
        }
    }

    async fn claim_housekeeping(&self, free: usize, now: Timestamp) -> Result<Vec<Claimed>, StoreError> {
        let Some(now) = self.honnin.steady_now() else {
            return self.claim_oldest(free, now, Lane::UNDER_A_DOUBTFUL_CLOCK).await;
        };
        if self.honnin.clock_trust.take_settled()
            && let Err(error) = clock_jump::repair(&self.honnin, now).await
        {
            self.honnin.clock_trust.give_back_settled();
            return Err(error);
        }
        self.claim_oldest(free, now, self.lane.ranks()).await
    }

    async fn claim_oldest(&self, free: usize, now: Timestamp, ranks: Ranks) -> Result<Vec<Claimed>, StoreError> {
        let (name, kinds, at) = (self.name.clone(), ranks.concat(), self.honnin.moment(now));
        let (long, bringing_forward) = (self.long.available_permits(), self.bringing_forward.available_permits());
        // Most polls find nothing; only those that do need the writer.
        let due = self.honnin.db.ask(async move |tx| jobs::any_due(tx, &kinds, at).await);
        if !due.await? {
            return Ok(Vec::new());
        }
        let unit = self.honnin.db.write(async move |tx| {
            let mut claimed: Vec<Job> = Vec::new();
            for rank in ranks {
                let left = free.saturating_sub(claimed.len());
                let long = long.saturating_sub(claimed.iter().filter(|job| takes_long(job.kind)).count());
                let most = if rank.contains(&JobKind::BringErasuresForward) {
                    left.min(long).min(bringing_forward)
                } else if rank.contains(&JobKind::Erase) {
                    left.min(long)
                } else {
                    left
                };
                if most > 0 {
                    claimed.extend(jobs::claim(tx, rank, claim_up_to(most, &name, at)).await?);
                }
            }
            Ok::<_, StoreError>(claimed)
        });
        let claimed = unit.await?;
        Ok(claimed.into_iter().map(|job| self.in_a_slot(job)).collect())
    }

    fn in_a_slot(&self, job: Job) -> Claimed {
        let kind = job.kind;
        // Nothing but this worker takes them, and no more were claimed than were free.
        let take = |slot: &Arc<Semaphore>| {
            let taken = Arc::clone(slot).try_acquire_owned();
            let taken = taken.inspect_err(|error| tracing::error!(%error, kind = kind.as_str(), "a job has no slot"));
            taken.ok()
        };
        let long = takes_long(job.kind).then_some(&self.long);
        let bringing_forward = (job.kind == JobKind::BringErasuresForward).then_some(&self.bringing_forward);
        Claimed {
            slots: [long, bringing_forward].map(|slot| slot.and_then(take)),
            job,
            permit: None,
        }
    }

    async fn execute(
        self,
        Claimed {
            job,
            permit,
            slots: _slots,
        }: Claimed,
    ) {
        let work = AssertUnwindSafe(run(&self.honnin, &job, permit)).catch_unwind();
        let fault = tokio::select! {
            done = work => match done {
                Ok(Ok(())) => return,
                Ok(Err(fault)) => fault,
                Err(_) => JobError::Transient("panicked"),
            },
            // Another worker has it: whatever this one still did would be rolled back.
            () = self.keep_lease(&job) => return,
        };
        if let JobError::Store(StoreError::LeaseLost) = fault {
            return;
        }
        if let JobError::Store(StoreError::Conflict) = fault {
            tracing::debug!(
                kind = job.kind.as_str(),
                subject = job.subject,
                "a job starts again: a concurrent operation came first"
            );
        } else {
            tracing::warn!(kind = job.kind.as_str(), subject = job.subject, attempt = job.attempt, %fault, "job failed");
        }
        self.settle_or_wait(&job, &fault).await;
    }

    /// Settles a job. While the database is away, tries again until it is back or another worker has the job: a run whose end nobody stored counts as
    /// one that took the process down.
    async fn settle_or_wait(&self, job: &Job, fault: &JobError) {
        let mut has_warned = false;
        // What counts as no attempt gives its number to the next run, whose lease a second try would release if the first was carried out.
        let is_counted = !matches!(fault, JobError::Store(StoreError::MasterKeyMissing));
        while let Err(error) = self.settle(job, fault).await {
            if !is_counted || !matches!(error, StoreError::Unavailable(_)) {
                tracing::error!(%error, subject = job.subject, "cannot settle a job; its lease will expire");
                return;
            }
            if !has_warned {
                tracing::warn!(%error, subject = job.subject, "cannot settle a job yet; trying again");
                has_warned = true;
            }
            tokio::time::sleep(STORE_AGAIN).await;
        }
    }

    /// Returns when the lease is lost.
    async fn keep_lease(&self, job: &Job) {
        let third = Duration::from_millis(LEASE.0.unsigned_abs() / 3);
        loop {
            tokio::time::sleep(third).await;
            let (held, until) = (job.clone(), self.honnin.lease_now().plus(LEASE));
            let unit = self
                .honnin
                .db
                .write(async move |tx| jobs::renew(tx, &held, until).await);
            match unit.await {
                Ok(()) => {}
                Err(StoreError::LeaseLost) => return,
                Err(error) => tracing::warn!(%error, subject = job.subject, "cannot renew the lease of a job"),
            }
        }
    }

    async fn settle(&self, job: &Job, fault: &JobError) -> Result<(), StoreError> {
        let (now, job, fault) = (self.honnin.now(), job.clone(), fault.clone());
        let unit = self.honnin.db.write(async move |tx| {
            let (reason, again) = (fault.to_string(), retry_time(now, job.failures));
            match fault {
                JobError::Permanent(_) => jobs::give_up(tx, &job, now, &reason).await,
                // It says nothing about what the job is for.
                JobError::Store(StoreError::MasterKeyMissing) => {
                    jobs::retry_uncounted_at(tx, &job, again, &reason).await
                }
                // No failure: somebody else was first, and the next run sees what they did.
                JobError::Store(StoreError::Conflict) => jobs::retry_at(tx, &job, now.plus(BACKOFF[0]), None).await,
                JobError::Store(_) | JobError::Transient(_) => jobs::retry_at(tx, &job, again, Some(&reason)).await,
            }
        });
        match unit.await {
            Err(StoreError::LeaseLost) => Ok(()),
            other => other,
        }
    }
}

/// A claim of at most this many due jobs, by the worker with this name.
fn claim_up_to(most: usize, worker: &str, at: Moment) -> Claim<'_> {
    Claim {
        worker,
        at,
        until: at.leases.plus(LEASE),
        limit: u32::try_from(most).unwrap_or(u32::MAX),
    }
}

/// Whether a job of this kind may hold its slot for long.
const fn takes_long(kind: JobKind) -> bool {
    matches!(kind, JobKind::Erase | JobKind::BringErasuresForward)
}

/// When a job that had failed so often before is run again.
fn retry_time(now: Timestamp, failures: i64) -> Timestamp {
    let step = usize::try_from(failures).unwrap_or(0).min(BACKOFF.len() - 1);
    now.plus(BACKOFF[step])
}

/// The only place that knows what each kind of job does.
async fn run(honnin: &Honnin, job: &Job, permit: Option<Permit>) -> Result<(), JobError> {
    match job.kind {
        JobKind::Expire => expire::run(honnin, job).await,
        JobKind::Deliver => deliver::run(honnin, job, permit).await,
        JobKind::Analyse => analyse::run(honnin, job).await,
        JobKind::Decide => decide::run(honnin, job).await,
        JobKind::ApplyRuling => take_effect::run(honnin, job).await,
        JobKind::Erase => erase::run(honnin, job).await,
        JobKind::BringErasuresForward => retention::run(honnin, job).await,
        JobKind::Sweep => sweep::run(honnin, job).await,
        JobKind::Redate => redate::run(honnin, job).await,
        JobKind::RecordPendingSignIn => pending_sign_in::run(honnin, job).await,
    }
}
