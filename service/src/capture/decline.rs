//! Declining consent, which ends the session.

use crate::{
    Honnin,
    access::Applicant,
    capture::progress::{StepRefused, collecting},
    session::end::Ending,
};
use domain::{audit::AuditAction, session::FailureReason};
use store::{audit, settings::tenants};

/// Ends the session: `failed`, `consent_declined`.
///
/// # Errors
/// [`StepRefused`].
pub async fn decline(honnin: &Honnin, applicant: &Applicant) -> Result<(), StepRefused> {
    let (applicant, event, at) = (applicant.clone(), honnin.event_id(), honnin.read_clock());
    let now = at.now;
    let unit = honnin.db.write(async move |tx| {
        // Before the session is locked, as wherever one ends.
        let tenant = tenants::load_pinned(tx, applicant.tenant()).await?;
        let mut attempt = collecting(tx, &applicant, now).await?;
        attempt.row.session = attempt.row.session.fail(now).map_err(|_| StepRefused::OutOfTurn)?;
        let ending = Ending {
            event: &event,
            tenant: &tenant,
            row: &mut attempt.row,
            at,
        };
        ending.fail(tx, FailureReason::ConsentDeclined).await?;
        audit::record(tx, &attempt.audit_entry(now, AuditAction::SessionDecline)).await?;
        Ok(())
    });
    unit.await
}
