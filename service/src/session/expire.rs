//! The deadline: stores `expired` and its event, once, for a session that readers already see as expired.

use crate::{
    Honnin,
    runtime::job_error::JobError,
    session::{self, end::Ending},
};
use domain::{
    audit::AuditAction,
    ids::SessionId,
    session::{Session, Status},
    time::Timestamp,
};
use store::{
    audit,
    jobs::{self, Job},
    session::sessions,
    settings::tenants,
};

/// Expires the session if it is still due, and ends the job.
///
/// # Errors
/// If storage fails; the job is retried then.
pub(crate) async fn run(honnin: &Honnin, job: &Job) -> Result<(), JobError> {
    let id = SessionId::parse(&job.subject).ok_or(JobError::MALFORMED_SUBJECT)?;
    let (at, event, job) = (honnin.read_clock(), honnin.event_id(), job.clone());
    let now = at.now;
    let unit = honnin.db.write(async move |tx| {
        let found = sessions::find_any(tx, &id).await?;
        if let Some(row) = &found
            && is_early(&row.session, &job, now)
        {
            return jobs::retry_at(tx, &job, row.session.expires_at, None).await;
        }
        jobs::finish(tx, &job, now).await?;
        let Some(mut row) = found else {
            return Ok(());
        };
        // Nothing to do: it was submitted in time, or was reprocessed and has a job for its new deadline.
        let Some(expired) = row.session.expire(now) else {
            return Ok(());
        };
        row.session = expired;
        let tenant = tenants::load_pinned(tx, &row.session.tenant).await?;
        let ending = Ending {
            event: &event,
            tenant: &tenant,
            row: &mut row,
            at,
        };
        ending.expire(tx).await?;
        audit::record(tx, &session::audit_entry(&row, now, AuditAction::SessionExpire)).await
    });
    Ok(unit.await?)
}

/// Whether the deadline that the job was claimed at lies ahead again: the clock was set back since then, by too little to be a jump. A deadline that
/// was set after the job was planned has a job of its own.
fn is_early(session: &Session, job: &Job, now: Timestamp) -> bool {
    let is_open = matches!(session.status, Status::Created | Status::Collecting);
    is_open && now < session.expires_at && session.expires_at <= job.run_at
}
