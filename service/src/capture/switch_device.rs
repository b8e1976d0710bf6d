//! Continuing on another device: a one-time link for the user. Until it is opened, everything continues here; opening it ends
//! this browser's access.

use crate::{
    Honnin,
    access::Applicant,
    capture::progress::{StepRefused, collecting},
    runtime::token,
    session::reissue_link::{Reissued, store_link},
};
use domain::{audit::AuditAction, time::Millis};
use store::{audit, session::links};

/// How long the link can be opened: the other phone is at hand.
pub const LIFETIME: Millis = Millis::minutes(15);

/// How many links a session may have had, whoever created them, before its user gets no more. Each stays in the audit log and on the
/// session's page: without a limit, anybody with a link could fill both within hours. No genuine user changes devices so often.
pub const MOST_LINKS: usize = 50;

/// Creates the link; an earlier one becomes invalid.
///
/// # Errors
/// [`StepRefused`]; [`StepRefused::OutOfTurn`] also if there were [`MOST_LINKS`] already: the session continues here.
pub async fn switch_device(honnin: &Honnin, applicant: &Applicant) -> Result<Reissued, StepRefused> {
    let token = token::generate(&*honnin.random);
    let hash = token::hash(token.expose());
    let (applicant, at) = (applicant.clone(), honnin.read_clock());
    let now = at.now;
    let unit = honnin.db.write(async move |tx| {
        let attempt = collecting(tx, &applicant, now).await?;
        if links::list(tx, applicant.session()).await?.len() >= MOST_LINKS {
            return Err(StepRefused::OutOfTurn);
        }
        links::kill_all(tx, applicant.session(), now).await?;
        let expires_at = store_link(tx, &attempt.row, &hash, at, LIFETIME).await?;
        audit::record(tx, &attempt.audit_entry(now, AuditAction::LinkSwitchDevice)).await?;
        Ok::<_, StepRefused>(expires_at)
    });
    Ok(Reissued::of(honnin, &token, unit.await?))
}
