//! Choosing the document. Choosing again, another kind or the same, means taking new photos as long as tries are left.

use crate::{
    Honnin,
    access::Applicant,
    capture::progress::{NotNow, Slot, collecting},
};
use domain::{document::DocumentType, session::Step};
use store::capture::{attempts, captures};

/// Stores the kind of document that the user chose.
///
/// # Errors
/// [`NotNow`].
pub async fn choose_document(honnin: &Honnin, applicant: &Applicant, kind: DocumentType) -> Result<(), NotNow> {
    let (applicant, now) = (applicant.clone(), honnin.now());
    let unit = honnin.db.write(async move |tx| {
        let mut attempt = collecting(tx, &applicant, now).await?;
        if !attempt.has_consent() || !attempt.plan().has(Step::Document) {
            return Err(NotNow::OutOfTurn);
        }
        for capture in &attempt.captures {
            if capture.slot != Slot::Selfie && attempt.tries_left(capture.slot) > 0 {
                captures::mark_discarded(tx, &capture.id, now).await?;
            }
        }
        if attempt.answers.document_type != Some(kind) {
            // Another document has other data and may require other details.
            attempt.answers.typed = None;
        }
        attempt.answers.document_type = Some(kind);
        Ok(attempts::save(tx, &mut attempt.answers).await?)
    });
    unit.await
}
