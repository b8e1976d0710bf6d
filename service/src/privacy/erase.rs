//! Erasing the personal data of an ended session after its retention period: the encrypted columns, the key (and with it every
//! backup), the pictures, and what SQLite's logs still contain. After a crash the job remains and repeats all steps.

use crate::{Honnin, runtime::job_error::JobError, session};
use domain::{
    audit::AuditAction,
    session::{AttemptNumber, Session, Status},
};
use store::{
    StoreError, audit,
    capture::{capture_cookies, captures, frame_prints},
    decision::identities,
    jobs::{ErasureSubject, Job},
    review,
    session::{
        blind_index, idempotency, links,
        sessions::{self, SessionRow},
    },
    webhook::events,
};

/// Erases the session if it is still ended and in the same attempt.
///
/// # Errors
/// If storage fails; the job is retried then.
pub(crate) async fn run(honnin: &Honnin, job: &Job) -> Result<(), JobError> {
    let ErasureSubject { session, attempt } = ErasureSubject::parse(&job.subject).ok_or(JobError::MALFORMED_SUBJECT)?;
    let find = honnin.db.read(async move |tx| sessions::find_any(tx, &session).await);
    let due = find.await?.filter(|row| is_over(&row.session, attempt));
    let Some(row) = due else {
        return Ok(honnin.finish(job).await?);
    };
    // Marked first, because the mark is what refuses a reprocess after the retention period, when nobody has requested the erasure: a
    // session must not collect data under a destroyed key.
    mark(honnin, row.clone()).await?;
    let key_gone = honnin.vault.destroy(&row.data_key).await?;
    honnin.pictures.delete_session(&row.session.id).await?;
    if !(honnin.db.checkpoint().await? && key_gone) {
        return Err(JobError::Transient("a reader keeps erased bytes in the log"));
    }
    Ok(honnin.finish(job).await?)
}

fn is_over(session: &Session, attempt: AttemptNumber) -> bool {
    session.attempt == attempt && matches!(session.status, Status::Completed | Status::Expired | Status::Failed)
}

/// Empties the encrypted columns, deletes the hashes of what was sent, and sets `purgedAt`, which from then on also refuses a
/// reprocess. Until then one is allowed at the end of the retention period, and overtakes the erasure.
async fn mark(honnin: &Honnin, row: SessionRow) -> Result<(), StoreError> {
    if row.session.purged_at.is_some() {
        return Ok(());
    }
    let now = honnin.now();
    let unit = honnin.db.write(async move |tx| {
        tx.saves_earlier_read();
        let mut row = row.clone();
        row.session.purged_at = Some(now);
        (row.state, row.known, row.typed, row.ocr, row.note) = (None, None, None, None, None);
        sessions::save(tx, &mut row).await?;
        let id = &row.session.id;
        captures::erase(tx, id).await?;
        events::erase_notes(tx, id).await?;
        review::erase_notes(tx, id).await?;
        identities::remove(tx, id).await?;
        blind_index::remove(tx, id).await?;
        frame_prints::remove(tx, id).await?;
        links::remove_all(tx, id).await?;
        capture_cookies::remove_all(tx, id).await?;
        idempotency::forget_link(tx, id).await?;
        idempotency::forget_body(tx, id).await?;
        audit::record(tx, &session::audit_entry(&row, now, AuditAction::SessionErase)).await
    });
    unit.await
}
