//! One side of the document.

use super::{CaptureError, drop_if_refused, drop_pictures, keep, number_of_next, store_row};
use crate::{
    Honnin,
    access::Applicant,
    capture::progress::{AttemptState, Slot, SlotState, StepRefused, collecting, progress},
    runtime::analyser::{Analyser, Subject},
};
use domain::{
    document::{DocumentType, Side},
    quality::{QualityLimits, document_problems},
    session::{Status, Step},
    time::Timestamp,
};
use store::{
    Tx,
    capture::{attempts, captures::CaptureRow},
};

/// Takes a picture of `side` of the `kind` that its page asked for. The same file sent again, because its response was lost, counts once.
///
/// # Errors
/// [`CaptureError`]; [`StepRefused::OutOfTurn`] also if another kind has been chosen since, or if a picture of the side has been accepted: what a page
/// that is out of date sends replaces nothing.
pub async fn capture_document(
    honnin: &Honnin,
    applicant: &Applicant,
    kind: DocumentType,
    side: Side,
    upload: Vec<u8>,
) -> Result<(), CaptureError> {
    let attempt = progress(honnin, applicant).await?;
    check_turn(&attempt, kind, side, honnin.now())?;
    let picture = honnin
        .cpu_pool
        .run(move |analyser: &dyn Analyser| analyser.normalise(&upload, Subject::Document))
        .await??;
    let slot = Slot::Document(side);
    if is_last(&attempt, slot, &hex::encode(picture.sha256)) {
        return Ok(());
    }
    if attempt.tries_left(slot) == 0 {
        return Err(CaptureError::NoTryLeft);
    }
    let (id, now) = (honnin.capture_id(), honnin.now());
    let problems = document_problems(&picture.quality, &QualityLimits::default());
    let frames = keep(honnin, &attempt, &id, vec![(0, picture)]).await?;
    let of = (applicant.session(), applicant.attempt());
    // Its number is known in the unit that stores it.
    let capture = CaptureRow {
        document_type: Some(kind),
        problems,
        ..CaptureRow::new(id, of, slot, frames, now)
    };
    let (who, row) = (applicant.clone(), capture.clone());
    let unit = honnin
        .db
        .write(async move |tx| store(tx, &who, &row, (kind, side)).await);
    match drop_if_refused(honnin, &capture, unit.await).await? {
        Stored::New => {}
        Stored::Already => drop_pictures(honnin, &capture).await,
    }
    Ok(())
}

/// Whether the file with this SHA-256 is the slot's last picture, not checked yet.
fn is_last(attempt: &AttemptState, slot: Slot, sha256: &str) -> bool {
    let SlotState::ToCheck(last) = attempt.slot(slot) else {
        return false;
    };
    last.frames.iter().any(|frame| frame.sha256 == sha256)
}

/// What storing a picture's row came to.
enum Stored {
    /// It is there.
    New,
    /// Another node was sent the same file at the same time, and was faster.
    Already,
}

/// Stores the picture's row, if it may still be taken.
async fn store(
    tx: &mut Tx,
    applicant: &Applicant,
    row: &CaptureRow,
    (kind, side): (DocumentType, Side),
) -> Result<Stored, CaptureError> {
    let now = row.created_at;
    let mut attempt = collecting(tx, applicant, now).await?;
    check_turn(&attempt, kind, side, now)?;
    if row
        .frames
        .iter()
        .any(|frame| is_last(&attempt, row.slot, &frame.sha256))
    {
        return Ok(Stored::Already);
    }
    let row = CaptureRow {
        number: number_of_next(&attempt, row.slot)?,
        ..row.clone()
    };
    store_row(tx, &attempt.row.session.tenant, &row, now).await?;
    attempts::save(tx, &mut attempt.answers).await?;
    Ok(Stored::New)
}

/// Whether a picture of `side` of this `kind` may be taken now: of the chosen kind, and of a side without an accepted picture. With no tries left,
/// the error is `NoTryLeft` instead.
fn check_turn(attempt: &AttemptState, kind: DocumentType, side: Side, now: Timestamp) -> Result<(), StepRefused> {
    let open = attempt.row.session.status_at(now) == Status::Collecting && attempt.has_consent();
    let wanted = attempt.document_type() == Some(kind) && kind.sides().contains(&side);
    let slot = Slot::Document(side);
    let accepted = matches!(attempt.slot(slot), SlotState::Done(_)) && attempt.tries_left(slot) > 0;
    if open && wanted && attempt.plan().has(Step::Document) && !accepted {
        Ok(())
    } else {
        Err(StepRefused::OutOfTurn)
    }
}
