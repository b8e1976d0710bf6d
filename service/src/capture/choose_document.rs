//! Choosing the document. Choosing again, another kind or the same, means photographing again as long as there are tries.

use crate::{
    Honnin,
    access::Applicant,
    capture::progress::{NotNow, Slot, collecting},
};
use domain::{document::DocumentType, session::Step};
use store::capture::{attempts, captures};

/// Keeps what the user says the document is.
///
/// # Errors
/// [`NotNow`].
pub async fn choose_document(honnin: &Honnin, applicant: &Applicant, kind: DocumentType) -> Result<(), NotNow> {
    let (applicant, now) = (applicant.clone(), honnin.now());
    let unit = honnin.db.write(async move |tx| {
        let mut standing = collecting(tx, &applicant, now).await?;
        if !standing.has_consent() || !standing.plan().has(Step::Document) {
            return Err(NotNow::OutOfTurn);
        }
        for capture in &standing.captures {
            if capture.slot != Slot::Selfie && standing.tries_left(capture.slot) > 0 {
                captures::mark_discarded(tx, &capture.id, now).await?;
            }
        }
        if standing.answers.document_type != Some(kind) {
            // Another document may ask for other details, and says other things.
            standing.answers.typed = None;
        }
        standing.answers.document_type = Some(kind);
        Ok(attempts::save(tx, &mut standing.answers).await?)
    });
    unit.await
}
