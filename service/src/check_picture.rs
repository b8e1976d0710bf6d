//! Checking the photo just taken: use it, or take another.

use crate::{
    Honnin,
    access::Applicant,
    mend::Found,
    progress::{Next, NotNow, Slot, SlotState, collecting, progress},
};
use domain::reasons::Reason;
use store::{attempts, captures};

/// The user's choice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wish {
    /// Use this one, despite these problems, which were shown.
    Use(Vec<Reason>),
    /// Take another one.
    Again,
}

/// Applies the user's choice to the photo to be checked. Without tries left it can only be used. If it has problems that the
/// user was not shown, it remains to be checked: the next page shows them.
///
/// # Errors
/// [`NotNow`].
pub async fn check_picture(honnin: &Honnin, applicant: &Applicant, wish: Wish) -> Result<(), NotNow> {
    let standing = progress(honnin, applicant).await?;
    let Next::Check(side) = standing.next(honnin.now()) else {
        return Err(NotNow::OutOfTurn);
    };
    let slot = Slot::Document(side);
    let key = honnin.vault.open(&standing.row.data_key).await?;
    let problems = Found::of(&standing, &key)?.problems(&standing, slot);
    let again = wish == Wish::Again && standing.tries_left(slot) > 0;
    if let Wish::Use(shown) = &wish
        && !problems.iter().all(|problem| shown.contains(problem))
    {
        return Ok(());
    }
    let (seen, applicant, now) = (standing.answers.version, applicant.clone(), honnin.now());
    let unit = honnin.db.write(async move |tx| {
        let mut standing = collecting(tx, &applicant, now).await?;
        let SlotState::ToCheck(capture) = standing.slot(slot) else {
            return Err(NotNow::OutOfTurn);
        };
        if standing.answers.version != seen {
            return Err(NotNow::OutOfTurn);
        }
        if again {
            captures::mark_discarded(tx, &capture.id, now).await?;
        } else {
            captures::mark_accepted(tx, &capture.id, &problems, now).await?;
        }
        Ok(attempts::save(tx, &mut standing.answers).await?)
    });
    unit.await
}
