//! Sweeping: rows that have served their time, once an hour.

use crate::{Honnin, create_session::idempotency::oldest, job_fault::JobFault};
use domain::time::{Millis, Timestamp};
use store::{
    StoreError, console_sessions, idempotency,
    jobs::{self, Job, JobKind, NewJob},
};

/// Between two sweeps.
const INTERVAL: Millis = Millis::hours(1);
/// How long a finished job is kept, for whoever looks into what happened.
const FINISHED_JOBS: Millis = Millis::days(7);
/// At most this many jobs leave in one sweep, so that it stays short.
const BATCH: u32 = 10_000;
/// There is one sweep for all nodes.
const SUBJECT: &str = "all";

/// Makes sure that a sweep is planned. Called at every start.
///
/// # Errors
/// When storage fails.
pub async fn plan(honnin: &Honnin) -> Result<(), StoreError> {
    let now = honnin.now();
    let unit = honnin
        .db
        .write::<_, StoreError, _>(move |tx| Box::pin(async move { jobs::enqueue(tx, next(now)).await.map(drop) }));
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

/// Sweeps, and plans the next sweep.
///
/// # Errors
/// When storage fails; the job is tried again then.
pub(crate) async fn run(honnin: &Honnin, job: &Job) -> Result<(), JobFault> {
    let (job, now) = (job.clone(), honnin.now());
    let unit = honnin.db.write::<_, StoreError, _>(move |tx| {
        let job = job.clone();
        Box::pin(async move {
            jobs::remove_finished(tx, now.plus(Millis(-FINISHED_JOBS.0)), BATCH).await?;
            console_sessions::remove_ended(tx, now).await?;
            idempotency::sweep(tx, oldest(now), now).await?;
            jobs::retry_at(tx, &job, now.plus(INTERVAL), None).await
        })
    });
    Ok(unit.await?)
}
