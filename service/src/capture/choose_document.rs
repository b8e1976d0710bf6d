//! Choosing the document. Choosing another kind means taking new photos as long as tries are left. Choosing the same kind again keeps the good ones:
//! opening the page again loses nothing, and a photo with problems is taken again. A separate option takes new photos of the same kind, or of another
//! document of that kind. What was typed is kept for the details of the new document.

use crate::{
    Honnin,
    access::Applicant,
    capture::{
        details::keep_typed_as_draft,
        progress::{AttemptState, Slot, StepRefused, collecting, progress},
        retake::PictureFindings,
    },
};
use domain::{document::DocumentType, ids::CaptureId, session::Step};
use store::{
    StoreError,
    capture::{attempts, captures},
    vault::SessionKey,
};

/// What becomes of the photos that are there, if the same kind of document is chosen again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Photos {
    /// Those without problems stay.
    KeepGood,
    /// None stays.
    DiscardAll,
}

/// Stores the kind of document that the user chose.
///
/// # Errors
/// [`StepRefused`].
pub async fn choose_document(
    honnin: &Honnin,
    applicant: &Applicant,
    kind: DocumentType,
    photos: Photos,
) -> Result<(), StepRefused> {
    let attempt = progress(honnin, applicant).await?;
    let key = honnin.vault.open(&attempt.row.data_key).await?;
    let keeps = photos == Photos::KeepGood && attempt.document_type() == Some(kind);
    let poor = if keeps {
        poor_photos(&attempt, &key)?
    } else {
        Vec::new()
    };
    let (applicant, now) = (applicant.clone(), honnin.now());
    let unit = honnin.db.write(async move |tx| {
        let mut attempt = collecting(tx, &applicant, now).await?;
        if !attempt.has_consent() || !attempt.plan().has(Step::Document) {
            return Err(StepRefused::OutOfTurn);
        }
        let same = attempt.answers.document_type == Some(kind);
        let keeps_good = same && photos == Photos::KeepGood;
        for capture in &attempt.captures {
            // What another tab has taken of this kind meanwhile stays.
            let of_no_use = capture.slot != Slot::Selfie && (!keeps_good || poor.contains(&capture.id));
            if of_no_use && attempt.tries_left(capture.slot) > 0 {
                captures::mark_discarded(tx, &capture.id, now).await?;
            }
        }
        if !same {
            // Another document has other data and may require other details: the user confirms them once more.
            keep_typed_as_draft(&mut attempt, &key)?;
        }
        attempt.answers.document_type = Some(kind);
        Ok(attempts::save(tx, &mut attempt.answers).await?)
    });
    unit.await
}

/// The photos of the document that have problems.
fn poor_photos(attempt: &AttemptState, key: &SessionKey) -> Result<Vec<CaptureId>, StoreError> {
    let found = PictureFindings::of(attempt, key)?;
    let photos = attempt
        .relied_on()
        .into_iter()
        .filter(|capture| capture.slot != Slot::Selfie && !found.problems(attempt, capture.slot).is_empty());
    Ok(photos.map(|capture| capture.id.clone()).collect())
}
