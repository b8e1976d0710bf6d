//! Consent: an explicit yes to one version of the text, in one language.

use crate::{
    Honnin,
    access::Applicant,
    progress::{NotNow, collecting},
};
use domain::language::Language;
use store::{attempts, audit};

/// Keeps the consent. Agreeing again changes nothing.
///
/// # Errors
/// [`NotNow`].
pub async fn consent(honnin: &Honnin, applicant: &Applicant, version: &str, language: Language) -> Result<(), NotNow> {
    let (applicant, version, now) = (applicant.clone(), version.to_owned(), honnin.now());
    let unit = honnin.db.write(move |tx| {
        let (applicant, version) = (applicant.clone(), version.clone());
        Box::pin(async move {
            let mut standing = collecting(tx, &applicant, now).await?;
            if standing.has_consent() {
                return Ok(());
            }
            standing.answers.consent = Some((version, now));
            standing.answers.language = Some(language);
            attempts::save(tx, &mut standing.answers).await?;
            audit::record(tx, &standing.audit_entry(now, "session.consent")).await?;
            Ok(())
        })
    });
    unit.await
}
