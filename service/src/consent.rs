//! Consent: explicit agreement to one version of the text, in one language.

use crate::{
    Honnin,
    access::Applicant,
    progress::{NotNow, collecting},
};
use domain::language::Language;
use store::{attempts, audit};

/// Stores the consent. Agreeing again changes nothing. `face_search` says whether the user agreed to the face search among
/// approved people; `None` if they were not asked.
///
/// # Errors
/// [`NotNow`]; [`NotNow::OutOfTurn`] also if they were not asked but must be, because the tenant now uses the face search.
pub async fn consent(
    honnin: &Honnin,
    applicant: &Applicant,
    version: &str,
    language: Language,
    face_search: Option<bool>,
) -> Result<(), NotNow> {
    let (applicant, version, now) = (applicant.clone(), version.to_owned(), honnin.now());
    let unit = honnin.db.write(async move |tx| {
        let mut standing = collecting(tx, &applicant, now).await?;
        if standing.has_consent() {
            return Ok(());
        }
        let wanted = standing.searches_faces();
        if wanted && face_search.is_none() {
            return Err(NotNow::OutOfTurn);
        }
        standing.answers.face_search = face_search.filter(|_| wanted);
        standing.answers.consent = Some((version.clone(), now));
        standing.answers.language = Some(language);
        attempts::save(tx, &mut standing.answers).await?;
        audit::record(tx, &standing.audit_entry(now, "session.consent")).await?;
        Ok(())
    });
    unit.await
}
