//! One side of the document.

use super::{CaptureError, drop_if_refused, drop_pictures, keep, number_of_next, store_row, unused::CountedPicture};
use crate::{
    Honnin,
    access::Applicant,
    capture::progress::{AttemptState, Slot, SlotState, StepRefused, collecting, progress},
    runtime::analyser::{Analyser, Normalised, Subject},
};
use domain::{
    document::{DocumentType, Side},
    quality::{QualityLimits, document_problems},
    session::{Status, Step},
    time::Timestamp,
};
use sha2::{Digest, Sha256};
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
    let counted = CountedPicture::begin(honnin, applicant.session()).await?;
    let taken = take(honnin, applicant, &attempt, (kind, side), upload, &counted).await;
    counted.settle(honnin, taken).await
}

async fn take(
    honnin: &Honnin,
    applicant: &Applicant,
    attempt: &AttemptState,
    (kind, side): (DocumentType, Side),
    upload: Vec<u8>,
    counted: &CountedPicture,
) -> Result<(), CaptureError> {
    let slot = Slot::Document(side);
    let Some(picture) = decode(honnin, attempt, slot, upload).await? else {
        return Ok(counted.take_back(honnin).await?);
    };
    let (id, now) = (honnin.capture_id(), honnin.now());
    let problems = document_problems(&picture.quality, &QualityLimits::default());
    let frames = keep(honnin, attempt, &id, vec![(0, picture)]).await?;
    let of = (applicant.session(), applicant.attempt());
    // Its number is known in the unit that stores it.
    let capture = CaptureRow {
        document_type: Some(kind),
        problems,
        ..CaptureRow::new(id, of, slot, frames, now)
    };
    let (who, row, counted) = (applicant.clone(), capture.clone(), counted.clone());
    let unit = honnin.db.write(async move |tx| {
        let stored = store(tx, &who, &row, kind, side).await?;
        counted.keep(tx).await?;
        Ok::<_, CaptureError>(stored)
    });
    match drop_if_refused(honnin, &capture, unit.await).await? {
        Stored::New => {}
        Stored::Already => drop_pictures(honnin, &capture).await,
    }
    Ok(())
}

/// The picture, or `None` if the file is the slot's last one. Nothing is decoded that could not be stored.
async fn decode(
    honnin: &Honnin,
    attempt: &AttemptState,
    slot: Slot,
    upload: Vec<u8>,
) -> Result<Option<Normalised>, CaptureError> {
    let (last, has_try) = (last_files(attempt, slot), attempt.tries_left(slot) > 0);
    let look = move |analyser: &dyn Analyser| {
        let is_last = !last.is_empty() && last.contains(&hex::encode(Sha256::digest(&upload)));
        if is_last {
            return Ok(None);
        }
        if !has_try {
            return Err(CaptureError::NoTryLeft);
        }
        Ok(Some(analyser.normalise(&upload, Subject::Document)?))
    };
    honnin.cpu_pool.run(look).await?
}

/// SHA-256 of the files of the slot's last picture, while it is not checked yet.
fn last_files(attempt: &AttemptState, slot: Slot) -> Vec<String> {
    let SlotState::ToCheck(last) = attempt.slot(slot) else {
        return Vec::new();
    };
    last.frames.iter().map(|frame| frame.sha256.clone()).collect()
}

/// Whether the file with this SHA-256 is the slot's last picture, not checked yet.
fn is_last(attempt: &AttemptState, slot: Slot, sha256: &str) -> bool {
    last_files(attempt, slot).iter().any(|last| last == sha256)
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
    kind: DocumentType,
    side: Side,
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
