//! Taking another selfie instead of the one that would be submitted.

use crate::{
    Honnin,
    access::Applicant,
    capture::progress::{Next, Slot, SlotState, StepRefused, collecting},
};
use store::capture::{attempts, captures};

/// Discards the selfie, so that another one is taken next.
///
/// # Errors
/// [`StepRefused`]; [`StepRefused::OutOfTurn`] unless the submit is next, and if no tries are left.
pub async fn retake_selfie(honnin: &Honnin, applicant: &Applicant) -> Result<(), StepRefused> {
    let (applicant, now) = (applicant.clone(), honnin.now());
    let unit = honnin.db.write(async move |tx| {
        let mut attempt = collecting(tx, &applicant, now).await?;
        let SlotState::Done(Some(selfie)) = attempt.slot(Slot::Selfie) else {
            return Err(StepRefused::OutOfTurn);
        };
        if attempt.next(now) != Next::Submit || !attempt.may_retake_selfie() {
            return Err(StepRefused::OutOfTurn);
        }
        captures::mark_discarded(tx, &selfie.id, now).await?;
        Ok(attempts::save(tx, &mut attempt.answers).await?)
    });
    unit.await
}
