//! Retention: the job that erases a session once it has been kept for as long as its tenant says, and the job that brings these
//! erasures forward when the tenant shortens the period. A longer period applies to users who agree from then on: for the
//! others, the period that they agreed to stays in force, and sessions that have already ended are erased when their users were
//! told.

use crate::{
    Honnin,
    runtime::{clock_trust::ClockReading, job_error::JobError},
    session::undated,
};
use domain::{
    cursor::After,
    ids::{SessionId, TenantId},
    session::Session,
    time::{Millis, Timestamp},
};
use store::{
    StoreError, Tx,
    capture::attempts,
    jobs::{self, ErasureSubject, Job, JobKind, NewJob},
    session::ended::{self, Ended},
    settings::tenants::{self, TenantRow},
};

/// Sessions in one unit of work: few enough that others do not wait for it.
const BATCH: u32 = 200;

/// How long the personal data of a tenant's sessions is kept.
pub(crate) fn period(tenant: &TenantRow) -> Millis {
    tenant.settings_or_default().retention
}

/// The job that erases the data of a session, which ended at `ended`, after the retention period: the tenant's, or the one that the user agreed to if
/// that is shorter. Call it in the unit that ends the session. By a clock that has just jumped, nothing is planned yet.
pub(crate) async fn schedule_erasure(tx: &mut Tx, session: &Session, ended: ClockReading) -> Result<(), StoreError> {
    if !ended.is_steady {
        return undated::schedule(tx, &session.id).await;
    }
    // A concurrent shortening of the period brings forward the erasures of sessions that have ended, which do not include this one yet.
    let tenant = tenants::load_pinned(tx, &session.tenant).await?;
    let promised = attempts::promised_retention(tx, &session.id).await?;
    let kept = promised.map_or(period(&tenant), |promised| promised.min(period(&tenant)));
    schedule_erasure_at(tx, &ErasureSubject::of(session), ended.now.plus(kept)).await
}

/// The job that erases the data of a session at `run_at`, or earlier if a pending one is due earlier.
pub(crate) async fn schedule_erasure_at(
    tx: &mut Tx,
    ended: &ErasureSubject,
    run_at: Timestamp,
) -> Result<(), StoreError> {
    let subject = ended.to_string();
    let job = NewJob {
        kind: JobKind::Erase,
        subject: &subject,
        run_at,
        dedup_key: Some(&subject),
    };
    jobs::enqueue(tx, job).await.map(drop)
}

/// The same for an erasure that somebody requested, who was told that it takes seconds: it comes before all that are due by time, of which there are as
/// many as sessions once a tenant has shortened its period.
pub(crate) async fn schedule_requested_erasure(tx: &mut Tx, session: &Session) -> Result<(), StoreError> {
    schedule_erasure_at(tx, &ErasureSubject::of(session), ClockReading::LONG_AGO).await
}

/// When the data of a session will be erased. `None` while that is not planned: until the session has ended, and once it is erased.
pub(crate) async fn find_erasure(tx: &mut Tx, session: &Session) -> Result<Option<Timestamp>, StoreError> {
    let subject = ErasureSubject::of(session).to_string();
    let planned = jobs::find_planned_at(tx, JobKind::Erase, &subject).await?;
    // One that was requested is due by any clock until it has failed.
    Ok(planned.map(|at| session.erasure_requested_at.map_or(at, |requested| at.max(requested))))
}

/// The job that brings the erasures of a tenant forward. Call it in the unit that shortens the period. It is due by any clock, as it plans
/// by when the sessions ended. There is one at a time, however often a tenant shortens the period: one that is running may have passed sessions by a
/// period that has just been shortened again, so it is followed by another one.
pub(crate) async fn schedule_shortening(tx: &mut Tx, tenant: &TenantId, at: ClockReading) -> Result<(), StoreError> {
    let job = NewJob {
        kind: JobKind::BringErasuresForward,
        subject: tenant.as_str(),
        run_at: at.at_once(),
        dedup_key: None,
    };
    jobs::enqueue_unless_pending(tx, job).await
}

/// Brings the erasures of a tenant's ended sessions forward to what its settings say now. Begins again after a crash.
///
/// # Errors
/// If storage fails; the job is retried then.
pub(crate) async fn run(honnin: &Honnin, job: &Job) -> Result<(), JobError> {
    let tenant = TenantId::parse(&job.subject).ok_or(JobError::MALFORMED_SUBJECT)?;
    let mut after = None;
    loop {
        let Some(batch) = next_batch(honnin, &tenant, after).await? else {
            break;
        };
        let last = batch.sessions.last().filter(|_| batch.sessions.len() == BATCH as usize);
        after = last.map(|last| (last.created_at, last.id.clone()));
        let unit = honnin.db.write(async move |tx| shorten(tx, &batch).await);
        honnin.in_turn(unit).await?;
        if after.is_none() {
            break;
        }
    }
    Ok(honnin.finish(job).await?)
}

/// Sessions that have ended, and how long their tenant keeps them.
struct Batch {
    sessions: Vec<Ended>,
    period: Millis,
}

/// The next sessions after `after`; `None` if there is no such tenant. They are read outside the unit that writes: to get past many that are erased
/// already takes a while, and nobody else could write meanwhile.
async fn next_batch(
    honnin: &Honnin,
    tenant: &TenantId,
    after: Option<After<SessionId>>,
) -> Result<Option<Batch>, StoreError> {
    let tenant = tenant.clone();
    let unit = honnin.db.read(async move |tx| {
        let Some(row) = tenants::find(tx, &tenant).await? else {
            return Ok(None);
        };
        let after = after.as_ref().map(|(at, id)| (*at, id));
        Ok(Some(Batch {
            sessions: ended::list(tx, &tenant, after, BATCH).await?,
            period: period(&row),
        }))
    });
    unit.await
}

async fn shorten(tx: &mut Tx, batch: &Batch) -> Result<(), StoreError> {
    for session in &batch.sessions {
        let ended = ErasureSubject {
            session: session.id.clone(),
            attempt: session.attempt,
        };
        schedule_erasure_at(tx, &ended, session.ended_at.plus(batch.period)).await?;
    }
    Ok(())
}
