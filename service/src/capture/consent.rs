//! Consent: an explicit yes to one version of the text, in one language.

use crate::{
    Honnin,
    access::Applicant,
    capture::progress::{NotNow, collecting},
};
use domain::language::Language;
use store::{audit, capture::attempts};

/// Keeps the consent. Agreeing again changes nothing. `face_search` says whether the applicant agreed to be searched for among the faces
/// approved before; `None` where they were not asked.
///
/// # Errors
/// [`NotNow`]; [`NotNow::OutOfTurn`] also where they were not asked and must be, since the tenant searches by now.
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
