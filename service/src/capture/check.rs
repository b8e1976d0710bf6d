//! Checking the photo just taken: use it, or take another.

use crate::{
    Honnin,
    access::Applicant,
    capture::{
        progress::{Next, NotNow, Slot, SlotState, collecting, progress},
        retake::PictureFindings,
    },
};
use domain::{ids::CaptureId, reasons::Reason};
use store::capture::{attempts, captures};

/// The user's choice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wish {
    /// Use this one, despite these problems, which were shown.
    Use(Vec<Reason>),
    /// Take another one.
    Again,
}

/// What became of the choice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Checked {
    /// It was applied, or another tab has replaced the photo.
    Done,
    /// The photo is to be used, but meanwhile these problems were found, which were not shown.
    FoundMore(Vec<Reason>),
}

/// Applies the user's choice about `photo`, which was shown. Without tries left it can only be used. If another tab has replaced it, or if it has
/// problems that the user was not shown, there remains something to be checked: the next page shows it.
///
/// # Errors
/// [`NotNow`].
pub async fn check_picture(
    honnin: &Honnin,
    applicant: &Applicant,
    photo: &CaptureId,
    wish: Wish,
) -> Result<Checked, NotNow> {
    let attempt = progress(honnin, applicant).await?;
    let Next::Check(side) = attempt.next(honnin.now()) else {
        return Err(NotNow::OutOfTurn);
    };
    let slot = Slot::Document(side);
    if attempt.shown(slot).is_none_or(|shown| shown.id != *photo) {
        return Ok(Checked::Done);
    }
    let key = honnin.vault.open(&attempt.row.data_key).await?;
    let problems = PictureFindings::of(&attempt, &key)?.problems(&attempt, slot);
    let again = wish == Wish::Again && attempt.tries_left(slot) > 0;
    if let Wish::Use(shown) = &wish {
        let known = |problem: &Reason| {
            // Whoever knows that the document was not found expects no better of it.
            let expected = matches!(problem, Reason::DocumentCutOff | Reason::DocumentBlurry);
            shown.contains(problem) || (expected && shown.contains(&Reason::DocumentNotFound))
        };
        let new = problems.iter().filter(|problem| !known(problem));
        let new: Vec<_> = new.copied().collect();
        if !new.is_empty() {
            return Ok(Checked::FoundMore(new));
        }
    }
    let (seen, applicant, now) = (attempt.answers.version, applicant.clone(), honnin.now());
    let unit = honnin.db.write(async move |tx| {
        let mut attempt = collecting(tx, &applicant, now).await?;
        let SlotState::ToCheck(capture) = attempt.slot(slot) else {
            return Err(NotNow::OutOfTurn);
        };
        if attempt.answers.version != seen {
            return Err(NotNow::OutOfTurn);
        }
        if again {
            captures::mark_discarded(tx, &capture.id, now).await?;
        } else {
            captures::mark_accepted(tx, &capture.id, &problems, now).await?;
        }
        attempts::save(tx, &mut attempt.answers).await?;
        Ok(Checked::Done)
    });
    unit.await
}
