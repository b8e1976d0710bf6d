//! Declining consent, which ends the session.

use crate::{
    Honnin,
    access::Applicant,
    capture::progress::{NotNow, collecting},
    session::end::Ending,
};
use domain::{audit::AuditAction, session::FailureReason};
use store::audit;

/// Ends the session: `failed`, `consent_declined`.
///
/// # Errors
/// [`NotNow`].
pub async fn decline(honnin: &Honnin, applicant: &Applicant) -> Result<(), NotNow> {
    let (applicant, event, at) = (applicant.clone(), honnin.event_id(), honnin.moment());
    let now = at.now;
    let unit = honnin.db.write(async move |tx| {
        let mut attempt = collecting(tx, &applicant, now).await?;
        attempt.row.session = attempt.row.session.fail(now).map_err(|_| NotNow::OutOfTurn)?;
        let ending = Ending {
            event: &event,
            tenant: &attempt.tenant,
            row: &mut attempt.row,
            at,
        };
        ending.fail(tx, FailureReason::ConsentDeclined).await?;
        audit::record(tx, &attempt.audit_entry(now, AuditAction::SessionDecline)).await?;
        Ok(())
    });
    unit.await
}
