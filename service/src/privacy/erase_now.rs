//! Erasing a session's personal data before its retention period is over, at the request of an admin or of the tenant's server. This
//! ends a session that has not ended: the person concerned may ask for the erasure at any time.

use crate::{
    Honnin,
    access::{Admin, Forbidden, Tenant},
    people::is_still,
    runtime::clock_trust::ClockReading,
    session::{end::Ending, id_in_path, retention::schedule_requested_erasure},
};
use domain::{
    audit::AuditAction,
    ids::{EventId, SessionId, TenantId},
    session::{FailureReason, Session},
};
use store::{
    StoreError, Tx, audit, review,
    session::{
        queue_stays,
        sessions::{self, SessionRow},
    },
    settings::tenants::{self, TenantRow},
};

/// Why nothing is erased at the request of an admin.
#[derive(Clone, Debug, thiserror::Error)]
pub enum EraseNowError {
    /// No such session in this tenant.
    #[error("no such session")]
    NotFound,
    /// The caller has lost the role that allows this, or has been signed out.
    #[error(transparent)]
    Forbidden(#[from] Forbidden),
    /// Storage.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Why nothing is erased at the request of the tenant's server.
#[derive(Clone, Debug, thiserror::Error)]
pub enum EraseOfTenantError {
    /// No such session in this tenant.
    #[error("no such session")]
    NotFound,
    /// Storage.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Schedules the erasure of the session as soon as possible: from then on, nothing revives it. If it is already erased, nothing is done.
///
/// # Errors
/// [`EraseNowError`].
pub async fn erase_now(honnin: &Honnin, admin: &Admin, id: &SessionId) -> Result<(), EraseNowError> {
    let (staff, at, event) = (admin.staff().clone(), honnin.read_clock(), honnin.event_id());
    let wanted = id.clone();
    let unit = honnin.db.write(async move |tx| {
        let session = schedule(tx, staff.tenant(), &wanted, &event, at).await?;
        let session = session.ok_or(EraseNowError::NotFound)?;
        // It cannot be undone: a person who has just lost access must not erase anything. Asked after the session is written, since
        // whoever assigns a case locks its session before the account, too; the error takes back what was written.
        if !is_still(tx, &staff).await? {
            return Err(EraseNowError::from(Forbidden));
        }
        if session.purged_at.is_none() {
            let entry = staff.entry(at.now, AuditAction::SessionEraseNow).about(&wanted);
            audit::record(tx, &entry).await?;
        }
        Ok(())
    });
    unit.await?;
    honnin.wake_ups.notify(id);
    Ok(())
}

/// The same for a session of `tenant` by the id in the path, well-formed or not; returns the session as it is then.
///
/// # Errors
/// [`EraseOfTenantError`].
pub async fn erase_of_tenant(honnin: &Honnin, tenant: &Tenant, id: &str) -> Result<Session, EraseOfTenantError> {
    let id = id_in_path(id);
    let (caller, at, event) = (tenant.clone(), honnin.read_clock(), honnin.event_id());
    let now = at.now;
    let unit = honnin.db.write(async move |tx| {
        let session = schedule(tx, caller.id(), &id, &event, at).await?;
        let session = session.ok_or(EraseOfTenantError::NotFound)?;
        caller.mark_key_used(tx, now).await?;
        if session.purged_at.is_none() {
            audit::record(tx, &caller.audit_entry(now, AuditAction::SessionEraseNow, &id)).await?;
        }
        Ok::<_, EraseOfTenantError>(session)
    });
    let session = unit.await?;
    honnin.wake_ups.notify(&session.id);
    Ok(session)
}

/// Notes the request, ends the session if it has not ended, and schedules its erasure unless it is erased already. `None` if there is no
/// such session in the tenant.
async fn schedule(
    tx: &mut Tx,
    tenant: &TenantId,
    id: &SessionId,
    event: &EventId,
    at: ClockReading,
) -> Result<Option<Session>, StoreError> {
    // Before the session is written, as in a decision: otherwise each would wait for what the other has locked.
    let owner = tenants::load_pinned(tx, tenant).await?;
    sessions::request_erasure(tx, tenant, id, at.now).await?;
    let Some(mut row) = sessions::find(tx, tenant, id).await? else {
        return Ok(None);
    };
    if row.session.purged_at.is_none() {
        end_early(tx, event, &owner, &mut row, at).await?;
        schedule_requested_erasure(tx, &row.session).await?;
    }
    Ok(Some(row.session))
}

/// Ends a session that has not ended, since its personal data is about to be erased. One whose deadline has passed by a clock in doubt is
/// abandoned like one that is open: that it expired, and when, could not be taken back. `owner` is pinned ([`tenants::load_pinned`]).
pub(super) async fn end_early(
    tx: &mut Tx,
    event: &EventId,
    owner: &TenantRow,
    row: &mut SessionRow,
    at: ClockReading,
) -> Result<(), StoreError> {
    let (now, certain) = (at.now, at.for_certain());
    if let Some(expired) = row.session.expire(certain) {
        // Its deadline has passed, but that has not been stored yet.
        row.session = expired;
        let ending = Ending {
            event,
            tenant: owner,
            row,
            at,
        };
        return ending.expire(tx).await;
    }
    // Refused if the session has ended.
    if let Ok(abandoned) = row.session.abandon(certain) {
        row.session = abandoned;
        row.outcome = None;
        let ending = Ending {
            event,
            tenant: owner,
            row,
            at,
        };
        ending.fail(tx, FailureReason::ErasedBeforeDecision).await?;
        review::release(tx, &row.session.id).await?;
        queue_stays::leave(tx, &row.session.id, now).await?;
        review::remove_pending(tx, &row.session.id).await?;
    }
    Ok(())
}
