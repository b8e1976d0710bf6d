//! Consent: explicit agreement to one version of the text, in one language.

use crate::{
    Honnin,
    access::Applicant,
    capture::progress::{StepRefused, collecting},
};
use domain::{audit::AuditAction, language::Language};
use store::{
    audit,
    capture::attempts::{self, Consent},
};

/// Stores the consent. Agreeing again changes nothing. `face_search` says whether the user agreed to the face search among
/// approved people; `None` if they were not asked.
///
/// # Errors
/// [`StepRefused`]; [`StepRefused::OutOfTurn`] also if they were not asked but must be, because the tenant now uses the face search.
pub async fn consent(
    honnin: &Honnin,
    applicant: &Applicant,
    version: &str,
    language: Language,
    face_search: Option<bool>,
) -> Result<(), StepRefused> {
    let (applicant, version, now) = (applicant.clone(), version.to_owned(), honnin.now());
    let unit = honnin.db.write(async move |tx| {
        let mut attempt = collecting(tx, &applicant, now).await?;
        if attempt.has_consent() {
            return Ok(());
        }
        let wanted = attempt.searches_faces();
        if wanted && face_search.is_none() {
            return Err(StepRefused::OutOfTurn);
        }
        attempt.answers.face_search = face_search.filter(|_| wanted);
        attempt.answers.consent = Some(Consent {
            version: version.clone(),
            at: now,
        });
        attempt.answers.language = Some(language);
        attempts::save(tx, &mut attempt.answers).await?;
        audit::record(tx, &attempt.audit_entry(now, AuditAction::SessionConsent)).await?;
        Ok(())
    });
    unit.await
}
