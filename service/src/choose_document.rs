//! Choosing the document. Choosing again, another kind or the same, means taking new photos as long as tries are left.

use crate::{
    Honnin,
    access::Applicant,
    progress::{NotNow, Slot, collecting},
};
use domain::{document::DocumentType, session::Step};
use store::{attempts, captures};

/// Stores the kind of document that the user chose.
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
            // Another document has other data and may require other details.
            standing.answers.typed = None;
        }
        standing.answers.document_type = Some(kind);
        Ok(attempts::save(tx, &mut standing.answers).await?)
    });
    unit.await
}
