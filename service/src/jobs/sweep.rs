//! The hourly sweep: removes obsolete rows, and pictures that belong to no session.

use crate::{Honnin, people::sign_in, runtime::job_error::JobError, session::create::idempotency::oldest};
use domain::{
    ids::SessionId,
    time::{Millis, Timestamp},
};
use store::{
    StoreError,
    jobs::{self, Job, JobKind, NewJob},
    people::{console_sessions, invitations, password_resets, users},
    session::{idempotency, sessions},
};

/// Interval between sweeps.
const INTERVAL: Millis = Millis::hours(1);
/// How long finished jobs are kept for troubleshooting.
const FINISHED_JOBS: Millis = Millis::days(7);
/// Maximum number of jobs deleted in one unit of work, so that others are not delayed.
const BATCH: u32 = 10_000;
/// All nodes share one sweep.
const SUBJECT: &str = "all";

/// Makes sure that a sweep is scheduled. Called at every start.
///
/// # Errors
/// If storage fails.
pub async fn plan(honnin: &Honnin) -> Result<(), StoreError> {
    let now = honnin.now();
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

/// Sweeps, and schedules the next sweep.
///
/// # Errors
/// If storage fails; the job is retried then.
pub(crate) async fn run(honnin: &Honnin, job: &Job) -> Result<(), JobError> {
    remove_orphans(honnin).await?;
    remove_finished_jobs(honnin).await?;
    let (job, now) = (job.clone(), honnin.now());
    let unit = honnin.db.write(async move |tx| {
        users::sweep_tries(tx, now, sign_in::WINDOW).await?;
        console_sessions::remove_ended(tx, now).await?;
        invitations::sweep(tx, now).await?;
        password_resets::sweep(tx, now).await?;
        idempotency::sweep(tx, oldest(now), now).await?;
        jobs::retry_at(tx, &job, now.plus(INTERVAL), None).await
    });
    Ok(unit.await?)
}

async fn remove_finished_jobs(honnin: &Honnin) -> Result<(), StoreError> {
    let before = honnin.now().plus(Millis(-FINISHED_JOBS.0));
    loop {
        let unit = honnin
            .db
            .write(async move |tx| jobs::remove_finished(tx, before, BATCH).await);
        if unit.await? < u64::from(BATCH) {
            return Ok(());
        }
    }
}

/// Removes the pictures of sessions that are erased or were never stored, left for example by an upload during an erasure, or
/// by a folder restored from an older backup.
async fn remove_orphans(honnin: &Honnin) -> Result<(), StoreError> {
    for shelf in 0..=u8::MAX {
        let listed = honnin.pictures.list_sessions(shelf).await?;
        if listed.is_empty() {
            continue;
        }
        let unit = honnin.db.read(async move |tx| -> Result<_, StoreError> {
            let mut orphans: Vec<SessionId> = Vec::new();
            for session in &listed {
                let row = sessions::find_any(tx, session).await?;
                if row.is_none_or(|row| row.session.purged_at.is_some()) {
                    orphans.push(session.clone());
                }
            }
            Ok(orphans)
        });
        for session in unit.await? {
            let removed = honnin.pictures.delete_session(&session).await?;
            tracing::info!(%session, removed, "removed pictures that belong to no session");
        }
    }
    Ok(())
}
