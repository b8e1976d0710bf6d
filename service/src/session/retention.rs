//! Retention: the job that erases a session once it has been kept for as long as its tenant says, and the job that brings these
//! erasures forward when the tenant shortens the period. A longer period counts for sessions that end from then on: those that
//! ended before are erased when their users were told.

use crate::{
    Honnin,
    runtime::{job_error::JobError, steadiness::Moment},
    session::undated,
};
use domain::{
    ids::{SessionId, TenantId},
    session::Session,
    time::{Millis, Timestamp},
};
use store::{
    StoreError, Tx,
    jobs::{self, Job, JobKind, NewJob},
    session::ended,
    settings::tenants::{self, TenantRow},
};

/// Sessions in one unit of work: few enough that others do not wait for it.
const BATCH: u32 = 200;

/// How long the personal data of a tenant's sessions is kept.
pub(crate) fn period(tenant: &TenantRow) -> Millis {
    tenant.settings_or_default().retention
}

/// The job that erases the data of a session, which ended at `ended`, after the retention period. Call it in the unit that
/// ends the session. A later attempt has a separate job: the subject names the attempt. By a clock that has just jumped, nothing is planned yet.
pub(crate) async fn schedule_erasure(
    tx: &mut Tx,
    tenant: &TenantRow,
    session: &Session,
    ended: Moment,
) -> Result<(), StoreError> {
    if !ended.is_steady {
        return undated::schedule(tx, &session.id).await;
    }
    schedule_erasure_at(tx, (&session.id, session.attempt), ended.now.plus(period(tenant))).await
}

/// The job that erases the data of a session at `run_at`, or earlier if a pending one is due earlier.
pub(crate) async fn schedule_erasure_at(
    tx: &mut Tx,
    (id, attempt): (&SessionId, i64),
    run_at: Timestamp,
) -> Result<(), StoreError> {
    let subject = format!("{id}#{attempt}");
    let job = NewJob {
        kind: JobKind::Erase,
        subject: &subject,
        run_at,
        dedup_key: Some(&subject),
    };
    jobs::enqueue(tx, job).await.map(drop)
}

/// The job that brings the erasures of a tenant forward. Call it in the unit that shortens the period.
pub(crate) async fn schedule_shortening(tx: &mut Tx, tenant: &TenantId, now: Timestamp) -> Result<(), StoreError> {
    let job = NewJob {
        kind: JobKind::Retain,
        subject: tenant.as_str(),
        run_at: now,
        // A job that is running may have passed sessions by a period that has just been shortened again.
        dedup_key: None,
    };
    jobs::enqueue(tx, job).await.map(drop)
}

/// Brings the erasures of a tenant's ended sessions forward to what its settings say now. Begins again after a crash.
///
/// # Errors
/// If storage fails; the job is retried then.
pub(crate) async fn run(honnin: &Honnin, job: &Job) -> Result<(), JobError> {
    let tenant = TenantId::parse(&job.subject).ok_or(JobError::MALFORMED_SUBJECT)?;
    let mut after = None;
    loop {
        let (tenant, from) = (tenant.clone(), after);
        let unit = honnin
            .db
            .write(async move |tx| shorten(tx, &tenant, from.as_ref()).await);
        after = unit.await?;
        if after.is_none() {
            break;
        }
    }
    let (job, now) = (job.clone(), honnin.now());
    let unit = honnin.db.write(async move |tx| jobs::finish(tx, &job, now).await);
    Ok(unit.await?)
}

/// One batch; the last session of it, if there may be more.
async fn shorten(
    tx: &mut Tx,
    tenant: &TenantId,
    after: Option<&(Timestamp, SessionId)>,
) -> Result<Option<(Timestamp, SessionId)>, StoreError> {
    let Some(row) = tenants::find(tx, tenant).await? else {
        return Ok(None);
    };
    let after = after.map(|(at, id)| (*at, id));
    let batch = ended::list(tx, tenant, after, BATCH).await?;
    for session in &batch {
        schedule_erasure_at(tx, (&session.id, session.attempt), session.ended_at.plus(period(&row))).await?;
    }
    let full = batch.len() == BATCH as usize;
    Ok(batch
        .into_iter()
        .next_back()
        .filter(|_| full)
        .map(|last| (last.created_at, last.id)))
}
