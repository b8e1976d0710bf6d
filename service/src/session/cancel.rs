//! Cancelling a session that the user has not submitted, at the tenant's request.

use crate::{
    Honnin,
    access::Tenant,
    session::{end::Ending, id_in_path},
};
use domain::{
    audit::AuditAction,
    session::{FailureReason, Session, Status},
};
use store::{StoreError, audit, session::sessions, settings::tenants};

/// Why a session was not cancelled.
#[derive(Clone, Debug, thiserror::Error)]
pub enum CancelError {
    /// Unknown, another tenant's, or malformed: all alike.
    #[error("no such session")]
    NotFound,
    /// It is past `created` and `collecting`, or a concurrent operation came first.
    #[error("the session cannot be cancelled")]
    NotAllowed,
    /// Storage.
    #[error(transparent)]
    Store(StoreError),
}

impl From<StoreError> for CancelError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Conflict => Self::NotAllowed,
            other => Self::Store(other),
        }
    }
}

/// Ends a session of `tenant` that is `created` or `collecting`: `failed`, `operator_cancelled`.
///
/// # Errors
/// [`CancelError`].
pub async fn cancel(honnin: &Honnin, tenant: &Tenant, id: &str) -> Result<Session, CancelError> {
    let id = id_in_path(id);
    let (caller, event, at) = (tenant.clone(), honnin.event_id(), honnin.read_clock());
    let now = at.now;
    let unit = honnin.db.write(async move |tx| {
        let row = sessions::find(tx, caller.id(), &id).await?;
        let mut row = row.ok_or(CancelError::NotFound)?;
        let owner = tenants::load_pinned(tx, caller.id()).await?;
        if !matches!(row.session.status_at(now), Status::Created | Status::Collecting) {
            return Err(CancelError::NotAllowed);
        }
        row.session = row.session.fail(now).map_err(|_| CancelError::NotAllowed)?;
        let ending = Ending {
            event: &event,
            tenant: &owner,
            row: &mut row,
            at,
        };
        ending.fail(tx, FailureReason::OperatorCancelled).await?;
        caller.mark_key_used(tx, now).await?;
        audit::record(tx, &caller.audit_entry(now, AuditAction::SessionCancel, &id)).await?;
        Ok(row.session)
    });
    let session = unit.await?;
    honnin.wake_ups.notify(&session.id);
    Ok(session)
}
