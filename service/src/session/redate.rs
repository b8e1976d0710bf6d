//! Setting anew what a clock that has jumped has set: the deadline of a session that was created under it, its link or one that was made
//! later, and the erasure of one that ended.
//! Planned by a clock that was a year back, a session would expire or be erased the moment the clock is right again; by one that was a year
//! ahead, a year too late. So nothing is planned by such a clock but this job ([`super::undated`]), which runs once the clock is steady, or on
//! another node.

use crate::{
    Honnin,
    runtime::{job_error::JobError, steadiness::Moment},
    session::{create::enqueue_expiry, retention::schedule_erasure},
};
use domain::{ids::SessionId, session::Status};
use store::{
    StoreError, Tx,
    jobs::{self, Job, JobKind},
    session::{idempotency, links, sessions},
    settings::tenants,
    webhook::events,
};

/// Sets the times of the session that the job names, as if it had been created or had ended now.
///
/// # Errors
/// If storage fails or the clock has jumped; the job is retried then.
pub(crate) async fn run(honnin: &Honnin, job: &Job) -> Result<(), JobError> {
    let id = SessionId::parse(&job.subject).ok_or(JobError::MALFORMED_SUBJECT)?;
    let at = honnin.moment();
    if !at.is_steady {
        return Err(JobError::CLOCK_JUMPED);
    }
    let job = job.clone();
    let unit = honnin.db.write(async move |tx| {
        jobs::finish(tx, &job, at.now).await?;
        redate(tx, &id, at).await
    });
    Ok(unit.await?)
}

async fn redate(tx: &mut Tx, id: &SessionId, at: Moment) -> Result<(), StoreError> {
    let row = sessions::find_any(tx, id).await?;
    let Some(mut row) = row.filter(|row| row.session.purged_at.is_none()) else {
        return Ok(());
    };
    let tenant = tenants::load(tx, &row.session.tenant).await?;
    let settings = tenant.settings_or_default();
    let is_open = matches!(row.session.status, Status::Created | Status::Collecting);
    // A deadline that has a job was set by a clock that was right.
    let was_planned = jobs::is_planned(tx, JobKind::Expire, id.as_str(), row.session.expires_at).await?;
    let keeps_deadline = is_open && was_planned;
    if !keeps_deadline && let Some(redated) = row.session.redate(at.now, settings.session_lifetime) {
        row.session = redated;
        sessions::save(tx, &mut row).await?;
    }
    if is_open {
        links::redate(tx, id, at.now, row.session.expires_at).await?;
    }
    if !was_planned {
        idempotency::redate(tx, id, at.now, row.session.expires_at).await?;
    }
    match row.session.status {
        Status::Created | Status::Collecting => {
            if keeps_deadline {
                return Ok(());
            }
            enqueue_expiry(tx, &row.session, at).await
        }
        Status::Completed | Status::Expired | Status::Failed => {
            events::redate_failure(tx, id, at.now).await?;
            schedule_erasure(tx, &tenant, &row.session, at).await
        }
        Status::Deciding | Status::Reviewing => Ok(()),
    }
}
