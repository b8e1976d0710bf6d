//! Correcting the times that a clock set after it had jumped: the deadline of a session that was created under it, its link or a later one, and the
//! erasure of a session that ended. With a clock that is a year behind, a session would expire or be erased the moment the clock is right again; with
//! one that is a year ahead, a year too late. So such a clock plans nothing but this job ([`super::undated`]), which runs once the clock is steady,
//! or on another node. If the clock was right after its jump, as after a pause of the machine, the times are kept, since a tenant may have been told
//! them, and only what was not planned is planned.

use crate::{
    Honnin,
    runtime::{clock_trust::ClockReading, job_error::JobError},
    session::{create::enqueue_expiry, retention::schedule_erasure},
};
use domain::{
    ids::SessionId,
    session::{Session, Status},
    time::{Millis, Timestamp},
};
use std::ops::RangeInclusive;
use store::{
    StoreError, Tx,
    jobs::{self, Job, JobKind},
    session::{idempotency, links, sessions},
    settings::tenants,
    webhook::events,
};

/// Sets the times of the session that the job names which a wrong clock has set, as if it had been created or had ended now.
///
/// # Errors
/// If storage fails or the clock has jumped; the job is retried then.
pub(crate) async fn run(honnin: &Honnin, job: &Job) -> Result<(), JobError> {
    let id = SessionId::parse(&job.subject).ok_or(JobError::MALFORMED_SUBJECT)?;
    let at = honnin.read_clock();
    if !at.is_steady {
        return Err(JobError::CLOCK_JUMPED);
    }
    let (job, right) = (job.clone(), honnin.clock_trust.proved_right());
    let unit = honnin.db.write(async move |tx| {
        jobs::finish(tx, &job, at.now).await?;
        redate(tx, &id, at, &right).await
    });
    Ok(unit.await?)
}

/// Whether the session was created, begun again or decided at one of the times that are `right`.
fn was_set_right(session: &Session, lifetime: Millis, right: &RangeInclusive<Timestamp>) -> bool {
    match session.status {
        Status::Created | Status::Collecting => right.contains(&session.expires_at.minus(lifetime)),
        Status::Completed => session.completed_at.is_some_and(|at| right.contains(&at)),
        Status::Deciding | Status::Reviewing | Status::Expired | Status::Failed => false,
    }
}

async fn redate(
    tx: &mut Tx,
    id: &SessionId,
    at: ClockReading,
    right: &RangeInclusive<Timestamp>,
) -> Result<(), StoreError> {
    let row = sessions::find_any(tx, id).await?;
    let Some(mut row) = row.filter(|row| row.session.purged_at.is_none()) else {
        return Ok(());
    };
    let tenant = tenants::load_pinned(tx, &row.session.tenant).await?;
    let settings = tenant.settings_or_default();
    let is_open = matches!(row.session.status, Status::Created | Status::Collecting);
    // A deadline that has a job was set by a clock that was right.
    let was_planned = jobs::is_planned(tx, JobKind::Expire, id.as_str(), row.session.expires_at).await?;
    let keeps_deadline = is_open && was_planned;
    let stays = was_set_right(&row.session, settings.session_lifetime, right);
    if !keeps_deadline
        && !stays
        && let Some(redated) = row.session.redate(at.now, settings.session_lifetime)
    {
        row.session = redated;
        sessions::save(tx, &mut row).await?;
    }
    if is_open {
        links::redate(tx, id, at.now, row.session.expires_at, right).await?;
    }
    if !was_planned && !stays {
        idempotency::redate(tx, id, at.now, row.session.expires_at).await?;
    }
    match row.session.status {
        Status::Created | Status::Collecting => {
            if keeps_deadline {
                return Ok(());
            }
            enqueue_expiry(tx, &row.session, at).await
        }
        Status::Failed => {
            events::redate_failure(tx, id, row.session.attempt, at.now, right).await?;
            schedule_erasure(tx, &row.session, at).await
        }
        Status::Completed | Status::Expired => schedule_erasure(tx, &row.session, at).await,
        Status::Deciding | Status::Reviewing => Ok(()),
    }
}
