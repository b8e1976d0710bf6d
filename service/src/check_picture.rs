//! Looking at the photograph just taken: go on with it, or take another.

use crate::{
    Honnin,
    access::Applicant,
    progress::{Next, NotNow, Slot, SlotState, collecting},
};
use store::{attempts, captures};

/// What the user wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wish {
    /// Go on with this one.
    Use,
    /// Take another.
    Again,
}

/// Does as the user wishes with the photograph that is to be checked. Without a try left it can only be used.
///
/// # Errors
/// [`NotNow`].
pub async fn check_picture(honnin: &Honnin, applicant: &Applicant, wish: Wish) -> Result<(), NotNow> {
    let (applicant, now) = (applicant.clone(), honnin.now());
    let unit = honnin.db.write(move |tx| {
        let applicant = applicant.clone();
        Box::pin(async move {
            let mut standing = collecting(tx, &applicant, now).await?;
            let Next::Check(side) = standing.next(now) else {
                return Err(NotNow::OutOfTurn);
            };
            let slot = Slot::Document(side);
            let SlotState::ToCheck(capture) = standing.slot(slot) else {
                return Err(NotNow::OutOfTurn);
            };
            match wish {
                Wish::Again if standing.tries_left(slot) > 0 => captures::mark_discarded(tx, &capture.id, now).await?,
                Wish::Again | Wish::Use => captures::mark_accepted(tx, &capture.id, now).await?,
            }
            Ok(attempts::save(tx, &mut standing.answers).await?)
        })
    });
    unit.await
}
