//! Continuing on another device: a one-time link for the user. Until it is opened, everything continues here; opening it ends
//! this browser's access.

use crate::{
    Honnin,
    access::Applicant,
    capture::progress::{NotNow, collecting},
    runtime::token,
    session::reissue_link::{Reissued, store_link},
};
use domain::{audit::AuditAction, time::Millis};
use store::{audit, session::links};

/// How long the link can be opened: the other phone is at hand.
pub const LIFETIME: Millis = Millis::minutes(15);

/// Creates the link; an earlier one becomes invalid.
///
/// # Errors
/// [`NotNow`].
pub async fn switch_device(honnin: &Honnin, applicant: &Applicant) -> Result<Reissued, NotNow> {
    let token = token::generate(&*honnin.random);
    let hash = token::hash(token.expose());
    let (applicant, at) = (applicant.clone(), honnin.moment());
    let now = at.now;
    let unit = honnin.db.write(async move |tx| {
        let attempt = collecting(tx, &applicant, now).await?;
        links::kill_all(tx, applicant.session(), now).await?;
        let expires_at = store_link(tx, &attempt.row, &hash, at, LIFETIME).await?;
        audit::record(tx, &attempt.audit_entry(now, AuditAction::LinkSwitchDevice)).await?;
        Ok::<_, NotNow>(expires_at)
    });
    let expires_at = unit.await?;
    Ok(Reissued {
        url: honnin.link_url(token.expose()),
        expires_at,
    })
}
