//! The hourly sweep: removes rows that are no longer needed, and pictures that belong to no session. The data of a session is removed
//! with its personal data (`privacy::erase`), or kept with its outcome.

use crate::{
    Honnin,
    jobs::clock_jump,
    people::{known_browser, try_counter},
    privacy::secret_age,
    request_log::{self, Kept},
    runtime::{job_error::JobError, master_key},
    session::{blind_index::index_earlier, create::idempotency::oldest, retention},
};
use domain::{
    audit::{Actor, AuditAction},
    audit_detail::ENTRIES_BEFORE,
    ids::{SessionId, TenantId},
    time::{Millis, Timestamp},
};
use std::collections::HashMap;
use store::{
    StoreError, Tx, audit, audit_chain,
    capture::attempts,
    jobs::{self, Job, JobKind, NewJob},
    people::{
        console_sessions, invitations, known_browsers, password_resets, provider_accounts, second_factors, try_counters,
    },
    request_log as stored_requests, review,
    session::{idempotency, queue_stays, sessions},
    settings::tenants::{self, TenantRow},
    webhook::{
        deliveries,
        events::{self, Old},
    },
};

/// Interval between sweeps.
const INTERVAL: Millis = Millis::hours(1);
/// After a sweep of which a step has failed.
const AFTER_A_FAULT: Millis = Millis::minutes(10);
/// Maximum number of rows deleted in one unit of work, so that others are not delayed.
const BATCH: u32 = 500;
/// Maximum number of sessions that are looked up in one query.
const LOOKED_UP: usize = 500;
/// Pictures of sessions that the database does not know are kept for this long.
const UNKNOWN_KEPT: Millis = Millis::days(1);
/// No pictures of unknown sessions are removed if there are more such sessions than this, and more than one in this many of those with pictures.
const MAX_UNKNOWN: usize = 20;
const UNKNOWN_SHARE: usize = 100;
/// After this many consecutive sessions whose pictures cannot be removed, no more are tried.
const MAX_FAILURES: usize = 10;
/// How long it is kept when a case was in the review queue: longer than any page counts.
const STAYS_KEPT: Millis = Millis::days(100);
/// One sweep in this many examines every event that may be old enough.
const THOROUGH_EVERY: i64 = 12;
/// All nodes share one sweep.
const SUBJECT: &str = "all";

/// How long rows are kept that are not part of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retention {
    /// Entries of the audit log.
    pub audit: Millis,
    /// Deliveries and their attempts, after they were delivered or abandoned.
    pub deliveries: Millis,
    /// Events, after the personal data of their session was erased.
    pub events: Millis,
    /// Finished background jobs, for troubleshooting.
    pub finished_jobs: Millis,
    /// The request log.
    pub requests: Kept,
}

impl Default for Retention {
    fn default() -> Self {
        Self {
            // Seven years.
            audit: Millis::days(2557),
            deliveries: Millis::days(90),
            events: Millis::days(90),
            finished_jobs: Millis::days(7),
            requests: Kept::default(),
        }
    }
}

/// Makes sure that a sweep is scheduled, and brings forward what a clock that was ahead has planned. Called at every start.
///
/// # Errors
/// If storage fails.
pub async fn plan(honnin: &Honnin) -> Result<(), StoreError> {
    let now = honnin.now();
    // Before leases are ended: by a clock that is behind, those of all other nodes would last too long.
    honnin.follow_lease_clock().await?;
    clock_jump::repair_jobs(honnin, now).await?;
    let unit = honnin
        .db
        .write(async move |tx| jobs::enqueue(tx, next(now)).await.map(drop));
    unit.await
}

const fn next(run_at: Timestamp) -> NewJob<'static> {
    NewJob {
        kind: JobKind::Sweep,
        subject: SUBJECT,
        run_at,
        dedup_key: Some(SUBJECT),
    }
}

/// Sweeps, and schedules the next sweep. A step that fails keeps none of the others from being done, nor the next sweep from coming.
///
/// # Errors
/// If the next sweep cannot be scheduled; the job is retried then.
pub(crate) async fn run(honnin: &Honnin, job: &Job) -> Result<(), JobError> {
    // The same time for every step: the clock may be set while the sweep runs.
    let now = honnin.steady_now().ok_or(JobError::CLOCK_JUMPED)?;
    let mut steps = Steps::default();
    steps.note("pictures of no session", remove_orphans(honnin, now).await);
    steps.note("sessions that are not indexed", index_earlier(honnin).await);
    sweep_rows(honnin, now, &mut steps).await;
    sweep_webhooks(honnin, now, EventSweep::of(job), &mut steps).await;
    steps.note("entries that are not linked", crate::audit::seal_all(honnin).await);
    let mark = honnin.db.write(async move |tx| audit_chain::mark(tx, now).await);
    steps.note("age of the audit log", mark.await);
    steps.note("audit log", sweep_audit(honnin, now).await);
    steps.note("age of the master key", secret_age::note_master_key(honnin).await);
    steps.note("versions of the master key", master_key::warn_of_missing(honnin).await);
    let (job, done_at, fault) = (job.clone(), honnin.now(), steps.first_fault);
    let interval = if fault.is_some() { AFTER_A_FAULT } else { INTERVAL };
    let unit = honnin
        .db
        .write(async move |tx| jobs::retry_at(tx, &job, done_at.plus(interval), fault.as_deref()).await);
    Ok(unit.await?)
}

/// How the steps of a sweep have gone.
#[derive(Default)]
struct Steps {
    /// The first step that failed, and why.
    first_fault: Option<String>,
}

impl Steps {
    fn note<T>(&mut self, step: &'static str, done: Result<T, StoreError>) {
        if let Err(error) = done {
            tracing::warn!(step, %error, "a step of the sweep failed; the others are still done");
            self.first_fault.get_or_insert_with(|| format!("{step}: {error}"));
        }
    }
}

/// Runs `remove` in one unit of work after another, until it has removed less than a batch. Returns how many it removed.
async fn in_batches<F>(honnin: &Honnin, remove: F) -> Result<u64, StoreError>
where
    F: AsyncFn(&mut Tx) -> Result<u64, StoreError> + Clone + Send + 'static,
{
    let mut removed = 0;
    loop {
        let remove = remove.clone();
        let unit = honnin.db.write(async move |tx| remove(tx).await);
        let batch = honnin.in_turn(unit).await?;
        removed += batch;
        if batch < u64::from(BATCH) {
            return Ok(removed);
        }
    }
}

/// Runs `sweep` in one unit of work after another, each on the slice of a table that follows the last row of the one before, which it
/// returns, to the end of the table.
async fn in_slices<K, F>(honnin: &Honnin, sweep: F) -> Result<(), StoreError>
where
    K: Clone + Send + Sync + 'static,
    F: AsyncFn(&mut Tx, Option<&K>) -> Result<Option<K>, StoreError> + Clone + Send + 'static,
{
    let mut last = None;
    loop {
        let (sweep, after) = (sweep.clone(), last);
        let unit = honnin.db.write(async move |tx| sweep(tx, after.as_ref()).await);
        last = honnin.in_turn(unit).await?;
        if last.is_none() {
            return Ok(());
        }
    }
}

async fn sweep_rows(honnin: &Honnin, now: Timestamp, steps: &mut Steps) {
    let finished = now.minus(honnin.config.retention.finished_jobs);
    let jobs = in_batches(honnin, async move |tx| jobs::remove_finished(tx, finished, BATCH).await);
    steps.note("finished jobs", jobs.await);
    let tries = in_slices(honnin, async move |tx, after| {
        try_counters::sweep(tx, now, try_counter::WINDOW, after.map(Vec::as_slice), BATCH).await
    });
    steps.note("attempts to sign in", tries.await);
    let browsers = in_batches(honnin, async move |tx| {
        console_sessions::remove_ended(tx, now, BATCH).await
    });
    steps.note("sessions of the console", browsers.await);
    let challenges = in_batches(honnin, async move |tx| {
        second_factors::remove_expired_challenges(tx, now, BATCH).await
    });
    steps.note("challenges", challenges.await);
    let responses = in_batches(honnin, async move |tx| {
        provider_accounts::remove_old_responses(tx, now, BATCH).await
    });
    steps.note("responses of the provider", responses.await);
    let drafts = in_batches(honnin, async move |tx| {
        attempts::empty_drafts_of_erased(tx, BATCH).await
    });
    steps.note("drafts of erased sessions", drafts.await);
    let used = now.minus(known_browser::LIFETIME);
    let known = in_batches(honnin, async move |tx| {
        known_browsers::remove_unused(tx, used, BATCH).await
    });
    steps.note("known browsers", known.await);
    let invited = honnin.db.write(async move |tx| invitations::sweep(tx, now).await);
    steps.note("invitations", invited.await);
    let resets = honnin.db.write(async move |tx| password_resets::sweep(tx, now).await);
    steps.note("links to set a password", resets.await);
    let reservations = in_batches(honnin, async move |tx| {
        review::remove_ended_reservations(tx, now, BATCH).await
    });
    steps.note("reserved cases", reservations.await);
    let stays = honnin.db.write(async move |tx| queue_stays::repair(tx, now).await);
    steps.note("stays in the queue", stays.await);
    let counted = now.minus(STAYS_KEPT);
    let ended = in_batches(honnin, async move |tx| {
        queue_stays::remove_ended(tx, counted, BATCH).await
    });
    steps.note("ended stays in the queue", ended.await);
    let logged = request_log::oldest(honnin, now);
    let requests = in_batches(honnin, async move |tx| {
        stored_requests::remove_before(tx, logged, BATCH).await
    });
    steps.note("request log", requests.await);
    let answered = oldest(now);
    let answers = in_batches(honnin, async move |tx| {
        idempotency::remove_old(tx, answered, BATCH).await
    });
    steps.note("responses to creations", answers.await);
    let links = in_slices(honnin, async move |tx, after| {
        idempotency::forget_expired_links(tx, now, after, BATCH).await
    });
    steps.note("links in responses to creations", links.await);
}

/// Tenant by tenant, as the tables are indexed.
async fn sweep_webhooks(honnin: &Honnin, now: Timestamp, events: EventSweep, steps: &mut Steps) {
    match honnin.db.read(async |tx| tenants::list(tx).await).await {
        Err(error) => steps.note::<()>("tenants", Err(error)),
        Ok(tenants) => {
            for tenant in tenants {
                steps.note(
                    "webhooks and requests of a tenant",
                    sweep_tenant(honnin, tenant, now, events).await,
                );
            }
        }
    }
}

/// Which events a sweep examines.
#[derive(Clone, Copy)]
enum EventSweep {
    /// Every one that may be old enough. Events of sessions that were erased before the period was over that their tenant has now, because somebody
    /// requested it or the period was shorter, are few among many.
    Thorough,
    /// Those of sessions that were kept for the whole period.
    Usual,
}

impl EventSweep {
    /// Counted by sweeps and not by the time of day: nodes may run only at some of it.
    const fn of(job: &Job) -> Self {
        if job.attempt % THOROUGH_EVERY == 1 {
            Self::Thorough
        } else {
            Self::Usual
        }
    }
}

async fn sweep_tenant(
    honnin: &Honnin,
    tenant: TenantRow,
    now: Timestamp,
    events: EventSweep,
) -> Result<(), StoreError> {
    let kept = honnin.config.retention;
    let erased = now.minus(kept.events);
    let happened = match events {
        EventSweep::Thorough => erased,
        // Most sessions of later events have not been erased for long enough.
        EventSweep::Usual => erased.minus(retention::period(&tenant)),
    };
    let (settled, id) = (now.minus(kept.deliveries), tenant.id.clone());
    in_batches(honnin, async move |tx| {
        deliveries::remove_settled(tx, &id, settled, BATCH).await
    })
    .await?;
    let (id, most) = (tenant.id.clone(), kept.requests.most);
    in_batches(honnin, async move |tx| {
        stored_requests::keep_newest(tx, &id, most, BATCH).await
    })
    .await?;
    let old = Old {
        happened_before: happened,
        erased_before: erased,
    };
    sweep_events(honnin, &tenant.id, old).await
}

/// Removes a tenant's old events. They are looked for outside the unit that writes: after a retention was shortened, many of them are of
/// sessions that were erased only just now, and nobody has to wait while these are passed by.
async fn sweep_events(honnin: &Honnin, tenant: &TenantId, old: Old) -> Result<(), StoreError> {
    let mut after = None;
    loop {
        let (tenant, from) = (tenant.clone(), after);
        let slice = honnin
            .db
            .read(async move |tx| events::list_old(tx, &tenant, old, from.as_ref(), BATCH).await);
        let events::Slice { removable, last } = slice.await?;
        if !removable.is_empty() {
            let remove = honnin
                .db
                .write(async move |tx| events::remove_old(tx, &removable, old.erased_before).await);
            honnin.in_turn(remove).await?;
        }
        if last.is_none() {
            return Ok(());
        }
        after = last;
    }
}

/// Removes old entries of the audit log, which is itself recorded, together with each batch.
async fn sweep_audit(honnin: &Honnin, now: Timestamp) -> Result<(), StoreError> {
    let before = now.minus(honnin.config.retention.audit);
    let removal = in_batches(honnin, async move |tx| {
        let removed = audit_chain::remove_before(tx, before, now, BATCH).await?;
        if removed > 0 {
            let entry = audit::Entry::new(now, Actor::System, AuditAction::AuditTrim)
                .with_detail(format_args!("{removed}{ENTRIES_BEFORE}{before}"));
            audit::record(tx, &entry).await?;
        }
        Ok::<_, StoreError>(removed)
    });
    removal.await.map(drop)
}

/// Removes the pictures of sessions that are erased, left for example by an upload during the erasure; and those of sessions that this
/// database does not know, left for example by a database restored from an older backup. But this may be another database than that of
/// the pictures: of sessions that it does not know, only old pictures are removed, and none at all if there are many. Pictures that cannot
/// be removed, such as those of another user, keep none of the others from being removed.
async fn remove_orphans(honnin: &Honnin, now: Timestamp) -> Result<(), StoreError> {
    let (mut unknown, mut all, mut removal) = (Vec::new(), 0, Removal::default());
    for shelf in 0..=u8::MAX {
        let listed = honnin.pictures.list_sessions(shelf).await?;
        if listed.is_empty() {
            continue;
        }
        all += listed.len();
        let mut found = look_up(honnin, &listed).await?;
        unknown.append(&mut found.unknown);
        for session in found.erased {
            let removed = honnin.pictures.delete_session(&session).await;
            if let Some(removed) = removal.note(&session, removed)? {
                tracing::info!(%session, removed, "removed pictures of a session that was erased");
            }
        }
    }
    if unknown.len() > MAX_UNKNOWN.max(all / UNKNOWN_SHARE) {
        tracing::error!(
            unknown = unknown.len(),
            all,
            "too many sessions that have pictures are not in the database, so none of these pictures are removed; is it the database of these pictures?"
        );
    } else {
        remove_unknown(honnin, unknown, now, &mut removal).await?;
    }
    removal.end()
}

/// How the removal of pictures has gone, session by session.
#[derive(Default)]
struct Removal {
    /// The first failure.
    fault: Option<StoreError>,
    /// Failures since the last success.
    in_a_row: usize,
}

impl Removal {
    /// What was done for a session; `None` if that failed.
    ///
    /// # Errors
    /// After [`MAX_FAILURES`] in a row: then it is the store that fails, and asking it about every other session could take hours.
    fn note<T>(&mut self, session: &SessionId, done: Result<T, StoreError>) -> Result<Option<T>, StoreError> {
        match done {
            Ok(done) => {
                self.in_a_row = 0;
                Ok(Some(done))
            }
            Err(error) => {
                tracing::warn!(%session, %error, "cannot remove the pictures of a session");
                self.in_a_row += 1;
                if self.in_a_row >= MAX_FAILURES {
                    return Err(error);
                }
                self.fault.get_or_insert(error);
                Ok(None)
            }
        }
    }

    /// The first failure, if there was any.
    fn end(self) -> Result<(), StoreError> {
        self.fault.map_or(Ok(()), Err)
    }
}

/// Sessions that have pictures and should not.
#[derive(Default)]
struct Orphans {
    erased: Vec<SessionId>,
    unknown: Vec<SessionId>,
}

async fn look_up(honnin: &Honnin, sessions: &[SessionId]) -> Result<Orphans, StoreError> {
    let mut orphans = Orphans::default();
    for some in sessions.chunks(LOOKED_UP) {
        let asked = some.to_vec();
        let unit = honnin.db.read(async move |tx| sessions::list_purged(tx, &asked).await);
        let known: HashMap<SessionId, Option<Timestamp>> = unit.await?.into_iter().collect();
        for session in some {
            match known.get(session) {
                None => orphans.unknown.push(session.clone()),
                Some(Some(_)) => orphans.erased.push(session.clone()),
                Some(None) => {}
            }
        }
    }
    Ok(orphans)
}

/// Removes pictures that are a day old, and not newer than everything in the database.
async fn remove_unknown(
    honnin: &Honnin,
    sessions: Vec<SessionId>,
    now: Timestamp,
    removal: &mut Removal,
) -> Result<(), StoreError> {
    if sessions.is_empty() {
        return Ok(());
    }
    let newest_known = honnin.db.ask(async |tx| sessions::find_newest_at(tx).await).await?;
    let limit = newest_known.map(|newest| newest.min(now.minus(UNKNOWN_KEPT)));
    for session in sessions {
        let removed = remove_older(honnin, &session, limit).await;
        if let Some(Some(removed)) = removal.note(&session, removed)? {
            tracing::warn!(%session, removed, "removed pictures of a session that is not in the database");
        }
    }
    Ok(())
}

/// Removes a session's pictures, unless one is newer than `limit`. Returns how many there were; `None` if they are kept.
async fn remove_older(
    honnin: &Honnin,
    session: &SessionId,
    limit: Option<Timestamp>,
) -> Result<Option<usize>, StoreError> {
    let newest = honnin.pictures.find_newest(session).await?;
    if newest.is_none() || newest > limit {
        return Ok(None);
    }
    honnin.pictures.delete_session(session).await.map(Some)
}
