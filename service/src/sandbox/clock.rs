//! The test clock of a sandbox: moves one session to its deadline, or to the end of its retention period. What follows is done by
//! the same jobs as for a session whose time has really come.

use crate::{
    Honnin,
    access::Tenant,
    runtime::clock_trust::ClockReading,
    session::{create::enqueue_expiry, end::Ending, id_in_path, retention::schedule_requested_erasure},
};
use domain::{
    audit::AuditAction,
    ids::EventId,
    sandbox::SandboxTime,
    session::{Refused, Session, Status},
};
use store::{
    StoreError, Tx, audit,
    session::sessions::{self, SessionRow},
    settings::tenants::{self, TenantRow},
};

/// Why the session was not moved.
#[derive(Clone, Debug, thiserror::Error)]
pub enum AdvanceError {
    /// Unknown, malformed, another tenant's, or any session of a live tenant: alike.
    #[error("no such session")]
    NotFound,
    /// It is past that time, has not come near it, or a concurrent operation came first.
    #[error("the session cannot be moved to that time")]
    NotAllowed,
    /// The clock has jumped less than ten minutes ago: a session would end at a time that may be wrong. Try again later.
    #[error("the clock has jumped")]
    ClockJumped,
    /// Storage.
    #[error(transparent)]
    Store(StoreError),
}

impl From<StoreError> for AdvanceError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Conflict | StoreError::Duplicate | StoreError::Erased => Self::NotAllowed,
            other => Self::Store(other),
        }
    }
}

impl From<Refused> for AdvanceError {
    fn from(_: Refused) -> Self {
        Self::NotAllowed
    }
}

/// Moves a session of `tenant` by its id, well-formed or not, to a time. Returns the session as it is then: its deadline has
/// passed, or its erasure is due.
///
/// # Errors
/// [`AdvanceError`].
pub async fn advance(honnin: &Honnin, tenant: &Tenant, id: &str, to: SandboxTime) -> Result<Session, AdvanceError> {
    let id = id_in_path(id);
    let (caller, at, event) = (tenant.clone(), honnin.read_clock(), honnin.event_id());
    let now = at.now;
    let unit = honnin.db.write(async move |tx| {
        let row = sessions::find(tx, caller.id(), &id).await?;
        let mut row = row.ok_or(AdvanceError::NotFound)?;
        let owner = tenants::load_pinned(tx, caller.id()).await?;
        if owner.mode.is_live() {
            return Err(AdvanceError::NotFound);
        }
        match to {
            SandboxTime::Deadline => pass_deadline(tx, &mut row, at).await?,
            SandboxTime::RetentionEnd => end_retention(tx, &event, &owner, &mut row, at).await?,
        }
        caller.mark_key_used(tx, now).await?;
        let entry = caller
            .audit_entry(now, AuditAction::SessionAdvanceInSandbox, &id)
            .with_detail(to);
        audit::record(tx, &entry).await?;
        Ok::<_, AdvanceError>(row.session)
    });
    let session = unit.await?;
    honnin.wake_ups.notify(&session.id);
    Ok(session)
}

/// Brings the deadline forward to now, and its job with it.
async fn pass_deadline(tx: &mut Tx, row: &mut SessionRow, at: ClockReading) -> Result<(), AdvanceError> {
    row.session = row.session.bring_deadline_forward(at.now)?;
    refuse_jumped(at)?;
    sessions::save(tx, row).await?;
    Ok(enqueue_expiry(tx, &row.session, at).await?)
}

fn refuse_jumped(at: ClockReading) -> Result<(), AdvanceError> {
    if at.is_steady {
        Ok(())
    } else {
        Err(AdvanceError::ClockJumped)
    }
}

/// Brings the erasure forward to now, which is equivalent to a request for it: a caller who is told that it is due finds the session
/// erased. A session whose deadline has passed, but whose job has not run yet, ends first.
async fn end_retention(
    tx: &mut Tx,
    event: &EventId,
    owner: &TenantRow,
    row: &mut SessionRow,
    at: ClockReading,
) -> Result<(), AdvanceError> {
    if let Some(expired) = row.session.expire(at.now) {
        refuse_jumped(at)?;
        row.session = expired;
        let ending = Ending {
            event,
            tenant: owner,
            row,
            at,
        };
        ending.expire(tx).await?;
    }
    let ended = matches!(row.session.status, Status::Completed | Status::Failed | Status::Expired);
    if !ended || row.session.purged_at.is_some() {
        return Err(AdvanceError::NotAllowed);
    }
    row.session.erasure_requested_at.get_or_insert(at.now);
    sessions::save(tx, row).await?;
    Ok(schedule_requested_erasure(tx, &row.session).await?)
}
