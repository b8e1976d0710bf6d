//! Reading a session: the access is recorded durably first, then the personal data is decrypted.

use crate::{Honnin, access::Tenant, runtime::sealed_json::open_column, session::id_in_path};
use domain::{
    audit::AuditAction,
    document::{DocumentType, OcrField},
    outcome::Outcome,
    request::PreRegistered,
    secret::{Personal, Unlogged},
    session::{Session, Status},
    time::Timestamp,
    user_input::UserInput,
};
use store::{
    StoreError,
    session::sessions::{self, SessionRow},
    vault::{SealedValue, SessionKey},
};

/// Everything a tenant may read of its session.
#[derive(Clone, Debug)]
pub struct SessionDetail {
    /// Status, plan and times; its stored status may lag behind `status`.
    pub session: Session,
    /// The status as readers see it now.
    pub status: Status,
    /// Compact JSON as written at creation.
    pub metadata: Option<Unlogged>,
    /// As submitted at creation.
    pub pre_registered: Option<Personal<PreRegistered>>,
    /// What the user typed.
    pub typed: Option<Personal<UserInput>>,
    /// The kind of document that the user chose, once something was read.
    pub document_type: Option<DocumentType>,
    /// What was read.
    pub ocr: Option<Personal<Vec<OcrField>>>,
    /// Only in `reviewing` or `completed`; the note is personal data.
    pub outcome: Option<Outcome>,
}

/// Why a session was not read.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ReadSessionError {
    /// Unknown, another tenant's, or malformed: all alike.
    #[error("no such session")]
    NotFound,
    /// Storage.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Reads a session of `tenant` by the id in the path, well-formed or not.
///
/// # Errors
/// [`ReadSessionError`].
pub async fn read_session(honnin: &Honnin, tenant: &Tenant, id: &str) -> Result<SessionDetail, ReadSessionError> {
    let id = id_in_path(id);
    let now = honnin.now();
    let caller = tenant.clone();
    let entry = tenant.audit_entry(now, AuditAction::SessionRead, &id);
    let unit = honnin.db.write(async move |tx| {
        caller.mark_key_used(tx, now).await?;
        sessions::find_and_record(tx, caller.id(), &id, &entry).await
    });
    let row = unit.await?.ok_or(ReadSessionError::NotFound)?;
    Ok(detail(honnin, row, now).await?)
}

/// Decrypts a row. Erased data is `None`, whether the row was marked when read or has been erased since.
pub(crate) async fn detail(honnin: &Honnin, row: SessionRow, now: Timestamp) -> Result<SessionDetail, StoreError> {
    let (mut row, key) = match honnin.vault.open(&row.data_key).await {
        Ok(key) => (row, Some(key)),
        Err(StoreError::Erased) => (marked(honnin, row).await?, None),
        Err(other) => return Err(other),
    };
    let status = row.session.status_at(now);
    let is_shown = matches!(status, Status::Reviewing | Status::Completed);
    let mut outcome = row.outcome.take().filter(|_| is_shown);
    let personal = match key {
        Some(key) => open_personal(&row, &key, outcome.as_mut())?,
        None => Opened::default(),
    };
    Ok(SessionDetail {
        status,
        metadata: row.metadata,
        pre_registered: personal.known,
        typed: personal.typed,
        document_type: row.document_type.filter(|_| personal.ocr.is_some()),
        ocr: personal.ocr,
        outcome,
        session: row.session,
    })
}

/// The row of a session whose key is gone. It is marked before its key is destroyed, so a row read before the mark is read
/// again: the response must never show erased data without `purgedAt`.
async fn marked(honnin: &Honnin, row: SessionRow) -> Result<SessionRow, StoreError> {
    if row.session.purged_at.is_some() {
        return Ok(row);
    }
    let id = row.session.id.clone();
    let again = honnin.db.ask(async move |tx| sessions::find_any(tx, &id).await);
    Ok(again.await?.unwrap_or(row))
}

/// The decrypted columns of a row.
#[derive(Default)]
struct Opened {
    known: Option<Personal<PreRegistered>>,
    typed: Option<Personal<UserInput>>,
    ocr: Option<Personal<Vec<OcrField>>>,
}

/// Decrypts the columns of a row, and the note of its review into `outcome`.
fn open_personal(row: &SessionRow, key: &SessionKey, outcome: Option<&mut Outcome>) -> Result<Opened, StoreError> {
    if let (Some(note), Some(review)) = (&row.note, outcome.and_then(|outcome| outcome.review.as_mut())) {
        review.note = Some(
            key.open_text(&row.associated_data(SealedValue::Note), note)?
                .into_exposed(),
        );
    }
    Ok(Opened {
        known: open_column(key, &row.associated_data(SealedValue::Known), row.known.as_ref())?,
        typed: open_column(key, &row.associated_data(SealedValue::Typed), row.typed.as_ref())?,
        ocr: open_column(key, &row.associated_data(SealedValue::Ocr), row.ocr.as_ref())?,
    })
}
