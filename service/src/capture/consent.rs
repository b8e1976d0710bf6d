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

/// What a user agrees to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Agreement {
    /// Version of the text.
    pub version: String,
    /// The language it was in.
    pub language: Language,
    /// For how many days after the end their data is kept, according to the text.
    pub retention_days: u64,
    /// Whether they agreed to the face search among approved people; `None` if they were not asked.
    pub face_search: Option<bool>,
}

/// Stores the consent. Agreeing again changes nothing.
///
/// # Errors
/// [`StepRefused`]; [`StepRefused::OutOfTurn`] also if the tenant has changed in the meantime what is to be agreed to: it now uses the face search, or
/// has another retention period.
pub async fn consent(honnin: &Honnin, applicant: &Applicant, agreement: Agreement) -> Result<(), StepRefused> {
    let (applicant, now) = (applicant.clone(), honnin.now());
    let unit = honnin.db.write(async move |tx| {
        let mut attempt = collecting(tx, &applicant, now).await?;
        if attempt.has_consent() {
            return Ok(());
        }
        let (wanted, retention) = (attempt.searches_faces(), attempt.retention());
        if (wanted && agreement.face_search.is_none()) || agreement.retention_days != retention.days_begun() {
            return Err(StepRefused::OutOfTurn);
        }
        attempt.answers.face_search = agreement.face_search.filter(|_| wanted);
        attempt.answers.consent = Some(Consent {
            version: agreement.version.clone(),
            at: now,
            retention: Some(retention),
        });
        attempt.answers.language = Some(agreement.language);
        attempts::save(tx, &mut attempt.answers).await?;
        audit::record(tx, &attempt.audit_entry(now, AuditAction::SessionConsent)).await?;
        Ok(())
    });
    unit.await
}
