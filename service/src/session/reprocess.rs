//! Reprocessing: a new attempt with a new deadline. Old links, cookies, a reviewer's reservation and a decision that could still be
//! undone become invalid; the earlier decision stays in the history.

use crate::{
    Honnin,
    access::Tenant,
    runtime::clock_trust::ClockReading,
    session::{create::enqueue_expiry, id_in_path},
};
use domain::{audit::AuditAction, secret::Unlogged, session::Session};
use store::{
    StoreError, Tx, audit,
    decision::identities,
    review,
    session::{
        links, queue_stays,
        sessions::{self, SessionRow},
    },
    settings::tenants::{self, TenantRow},
};

/// A session back in `collecting`.
#[derive(Clone, Debug)]
pub struct Reprocessed {
    /// Its new state.
    pub session: Session,
    /// Compact JSON as written at creation.
    pub metadata: Option<Unlogged>,
}

/// Why a session was not reprocessed.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ReprocessError {
    /// Unknown, another tenant's, or malformed: all alike.
    #[error("no such session")]
    NotFound,
    /// The status does not allow it, the personal data is erased or its erasure was requested, or a concurrent operation came first.
    #[error("the session cannot be reprocessed")]
    NotAllowed,
    /// Storage.
    #[error(transparent)]
    Store(StoreError),
}

impl From<StoreError> for ReprocessError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Conflict => Self::NotAllowed,
            other => Self::Store(other),
        }
    }
}

/// Returns a session of `tenant` to `collecting`.
///
/// # Errors
/// [`ReprocessError`].
pub async fn reprocess(honnin: &Honnin, tenant: &Tenant, id: &str) -> Result<Reprocessed, ReprocessError> {
    let id = id_in_path(id);
    let at = honnin.read_clock();
    let now = at.now;
    let caller = tenant.clone();
    let unit = honnin.db.write(async move |tx| {
        let row = sessions::find(tx, caller.id(), &id)
            .await?
            .ok_or(ReprocessError::NotFound)?;
        let owner = tenants::find(tx, caller.id()).await?.ok_or(ReprocessError::NotFound)?;
        let row = begin_attempt(tx, &owner, row, at).await?;
        caller.mark_key_used(tx, now).await?;
        audit::record(tx, &caller.audit_entry(now, AuditAction::SessionReprocess, &id)).await?;
        Ok(Reprocessed {
            session: row.session,
            metadata: row.metadata,
        })
    });
    unit.await
}

/// Starts the next attempt of a session, in the caller's unit: for the API and for a reviewer who asks again.
pub(crate) async fn begin_attempt(
    tx: &mut Tx,
    owner: &TenantRow,
    mut row: SessionRow,
    at: ClockReading,
) -> Result<SessionRow, ReprocessError> {
    let now = at.now;
    let lifetime = owner.settings_or_default().session_lifetime;
    row.session = row
        .session
        .reprocess(now, lifetime)
        .map_err(|_| ReprocessError::NotAllowed)?;
    tx.count_session(row.session.status);
    row.outcome = None;
    row.note = None;
    row.ocr = None;
    row.typed = None;
    row.document_type = None;
    row.failure_reason = None;
    sessions::save(tx, &mut row).await?;
    links::kill_all(tx, &row.session.id, now).await?;
    review::release(tx, &row.session.id).await?;
    queue_stays::leave(tx, &row.session.id, now).await?;
    review::remove_pending(tx, &row.session.id).await?;
    identities::remove(tx, &row.session.id).await?;
    enqueue_expiry(tx, &row.session, at).await?;
    Ok(row)
}
