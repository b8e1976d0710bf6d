//! Checking the photo just taken: use it, or take another. A selfie is used anyway here, once another try showed nothing new.

use crate::{
    Honnin,
    access::Applicant,
    capture::{
        progress::{Next, Slot, SlotState, StepRefused, collecting, progress},
        retake::{PictureFindings, is_known},
    },
};
use domain::{ids::CaptureId, reasons::Reason};
use store::capture::{attempts, captures};

/// The user's choice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PhotoChoice {
    /// Use this one, despite these problems, which were shown.
    Use(Vec<Reason>),
    /// Take another one.
    Retake,
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
/// [`StepRefused`].
pub async fn check_picture(
    honnin: &Honnin,
    applicant: &Applicant,
    photo: &CaptureId,
    choice: PhotoChoice,
) -> Result<Checked, StepRefused> {
    let attempt = progress(honnin, applicant).await?;
    let slot = match attempt.next(honnin.now()) {
        Next::Check(side) => Slot::Document(side),
        Next::Selfie if attempt.may_use_selfie_anyway() => Slot::Selfie,
        _ => return Err(StepRefused::OutOfTurn),
    };
    if attempt.shown(slot).is_none_or(|shown| shown.id != *photo) {
        return Ok(Checked::Done);
    }
    let key = honnin.vault.open(&attempt.row.data_key).await?;
    let problems = PictureFindings::of(&attempt, &key)?.problems(&attempt, slot);
    let again = choice == PhotoChoice::Retake && attempt.tries_left(slot) > 0;
    if let PhotoChoice::Use(shown) = &choice {
        let new = problems.iter().filter(|problem| !is_known(**problem, shown));
        let new: Vec<_> = new.copied().collect();
        if !new.is_empty() {
            return Ok(Checked::FoundMore(new));
        }
    }
    let (seen, applicant, now) = (attempt.answers.version, applicant.clone(), honnin.now());
    let unit = honnin.db.write(async move |tx| {
        let mut attempt = collecting(tx, &applicant, now).await?;
        let SlotState::ToCheck(capture) = attempt.slot(slot) else {
            return Err(StepRefused::OutOfTurn);
        };
        if attempt.answers.version != seen {
            return Err(StepRefused::OutOfTurn);
        }
        if again {
            captures::mark_discarded(tx, &capture.id, now).await?;
        } else {
            if slot == Slot::Selfie {
                // Accepted as it arrived, before its analysis found anything.
                captures::take_back(tx, &capture.id).await?;
            }
            captures::mark_accepted(tx, &capture.id, &problems, now).await?;
        }
        attempts::save(tx, &mut attempt.answers).await?;
        Ok(Checked::Done)
    });
    unit.await
}
