//! Declining consent, which ends the session.

use crate::{
    Honnin,
    access::Applicant,
    conclude,
    progress::{NotNow, collecting},
};
use domain::session::FailureReason;
use store::audit;

/// Ends the session: `failed`, `consent_declined`.
///
/// # Errors
/// [`NotNow`].
pub async fn decline(honnin: &Honnin, applicant: &Applicant) -> Result<(), NotNow> {
    let (applicant, event, now) = (applicant.clone(), honnin.event_id(), honnin.now());
    let unit = honnin.db.write(async move |tx| {
        let mut standing = collecting(tx, &applicant, now).await?;
        standing.row.session = standing.row.session.fail(now).map_err(|_| NotNow::OutOfTurn)?;
        let (tenant, row) = (&standing.tenant, &mut standing.row);
        conclude::fail(tx, &event, tenant, row, FailureReason::ConsentDeclined, now).await?;
        audit::record(tx, &standing.audit_entry(now, "session.decline")).await?;
        Ok(())
    });
    unit.await
}
