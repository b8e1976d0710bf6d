//! Erasing a session's personal data before its retention period is over, at an admin's request. This ends an open session; one
//! that is being decided or reviewed must be decided first.

use crate::{
    Honnin,
    access::Admin,
    session::{end, retention::schedule_erasure_at},
};
use domain::{
    audit::AuditAction,
    ids::SessionId,
    session::{FailureReason, Status},
};
use store::{StoreError, audit, session::sessions, settings::tenants};

/// Why nothing is erased.
#[derive(Clone, Debug, thiserror::Error)]
pub enum EraseNowError {
    /// No such session in this tenant.
    #[error("no such session")]
    NotFound,
    /// It must be decided first.
    #[error("the session is {0} and must be decided first")]
    Undecided(Status),
    /// Storage.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Schedules the erasure of the session as soon as possible. If it is already erased, nothing is done.
///
/// # Errors
/// [`EraseNowError`].
pub async fn erase_now(honnin: &Honnin, admin: &Admin, id: &SessionId) -> Result<(), EraseNowError> {
    let (staff, id, now, event) = (admin.staff().clone(), id.clone(), honnin.now(), honnin.event_id());
    let unit = honnin.db.write(async move |tx| {
        let row = sessions::find(tx, staff.tenant(), &id).await?;
        let mut row = row.ok_or(EraseNowError::NotFound)?;
        let owner = tenants::find(tx, staff.tenant()).await?;
        let owner = owner.ok_or(EraseNowError::NotFound)?;
        if row.session.purged_at.is_some() {
            return Ok(());
        }
        match (row.session.status, row.session.status_at(now)) {
            (Status::Completed | Status::Failed | Status::Expired, _) => {}
            (_, Status::Expired) => {
                // Its deadline has passed, but that has not been stored yet.
                if let Some(expired) = row.session.expire(now) {
                    row.session = expired;
                    end::expire(tx, &event, &owner, &mut row, now).await?;
                }
            }
            (_, Status::Created | Status::Collecting) => {
                let status = row.session.status;
                row.session = row.session.fail(now).map_err(|_| EraseNowError::Undecided(status))?;
                end::fail(tx, &event, &owner, &mut row, FailureReason::OperatorCancelled, now).await?;
            }
            (status, _) => return Err(EraseNowError::Undecided(status)),
        }
        schedule_erasure_at(tx, &row.session, now).await?;
        audit::record(
            tx,
            &staff.entry(now, AuditAction::SessionEraseNow, Some(id.to_string())),
        )
        .await?;
        Ok(())
    });
    unit.await
}
