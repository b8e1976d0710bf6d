//! Checking the photo just taken: use it, or take another. A selfie can be used anyway once another try has shown nothing new.

use crate::{
    Honnin,
    access::Applicant,
    capture::{
        progress::{AttemptState, Next, Slot, SlotState, StepRefused, collecting, progress},
        retake::{PictureFindings, is_known},
    },
};
use domain::{ids::CaptureId, reasons::Reason};
use store::capture::{
    attempts,
    captures::{self, CaptureRow},
};

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
    /// It was applied, now or before.
    Done,
    /// It was not applied: another tab has decided otherwise, or has replaced the photo.
    OutOfDate,
    /// The photo is to be used, but meanwhile these problems were found, which were not shown.
    FoundMore(Vec<Reason>),
}

/// Applies the user's choice about `photo`, which was shown. Without tries left it can only be used. If it has problems that the user was not shown,
/// there remains something to be checked: the next page shows it.
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
        Next::Check(side) => Some(Slot::Document(side)),
        Next::Selfie if attempt.may_use_selfie_anyway() => Some(Slot::Selfie),
        _ => None,
    };
    let is_shown = |slot: &Slot| attempt.shown(*slot).is_some_and(|shown| shown.id == *photo);
    let Some(slot) = slot.filter(is_shown) else {
        return Ok(if is_so(&attempt, photo, &choice) {
            Checked::Done
        } else {
            Checked::OutOfDate
        });
    };
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

/// Whether the photo is already as chosen: it was sent twice, or another tab has decided alike.
fn is_so(attempt: &AttemptState, photo: &CaptureId, choice: &PhotoChoice) -> bool {
    let same = |capture: &&CaptureRow| capture.id == *photo;
    match choice {
        PhotoChoice::Use(_) => {
            let used = attempt.relied_on().into_iter().find(|capture| same(capture));
            // A selfie is accepted as it arrives, and may be asked for again since.
            used.is_some_and(|capture| {
                capture.accepted_at.is_some() && matches!(attempt.slot(capture.slot), SlotState::Done(_))
            })
        }
        PhotoChoice::Retake => {
            let left = attempt.captures.iter().find(same);
            left.is_some_and(|capture| capture.discarded_at.is_some())
        }
    }
}
