//! Ending a session by a decision (automatic or a reviewer's), by failure, or by its deadline: state, outcome and event in the
//! caller's unit. A failure and the deadline may come before the link was opened: the one kept for a retry of the creation is wiped, since it
//! opens nothing any more.

use crate::{
    runtime::steadiness::Moment,
    session::retention::schedule_erasure,
    webhook::record_event::{self, NewEvent},
};
use domain::{
    event::EventData,
    ids::EventId,
    outcome::{Outcome, SessionRef},
    session::{FailureReason, Status},
};
use store::{
    StoreError, Tx,
    session::{
        idempotency, queue_stays,
        sessions::{self, SessionRow},
    },
    settings::tenants::TenantRow,
};

/// Saves `row`, whose session has made its transition and whose note is already encrypted, with `outcome`, and records the
/// event `id` of its verdict.
///
/// # Errors
/// [`StoreError::Conflict`] if a concurrent operation came first.
pub(crate) async fn record_outcome(
    tx: &mut Tx,
    id: &EventId,
    tenant: &TenantRow,
    row: &mut SessionRow,
    outcome: Outcome,
    at: Moment,
) -> Result<(), StoreError> {
    tx.count_session(row.session.status);
    tx.count_verdict(outcome.verdict, outcome.source);
    row.outcome = Some(outcome.clone());
    sessions::save(tx, row).await?;
    match row.session.status {
        Status::Reviewing => queue_stays::enter(tx, &row.session, at.now).await?,
        Status::Completed => {
            queue_stays::leave(tx, &row.session.id, at.now).await?;
            schedule_erasure(tx, tenant, &row.session, at).await?;
        }
        _ => {}
    }
    let new = NewEvent {
        id,
        data: EventData::Decision(Box::new(outcome)),
        at: at.now,
    };
    record_event::record(tx, tenant, row, new).await
}

/// Saves `row`, whose session has become `failed`, with the reason, and records the event `id` of it.
///
/// # Errors
/// [`StoreError::Conflict`] if a concurrent operation came first.
pub(crate) async fn fail(
    tx: &mut Tx,
    id: &EventId,
    tenant: &TenantRow,
    row: &mut SessionRow,
    reason: FailureReason,
    at: Moment,
) -> Result<(), StoreError> {
    tx.count_session(row.session.status);
    row.failure_reason = Some(reason);
    sessions::save(tx, row).await?;
    idempotency::forget_link(tx, &row.session.id).await?;
    schedule_erasure(tx, tenant, &row.session, at).await?;
    let session = SessionRef {
        session_id: row.session.id.clone(),
        tenant_id: tenant.id.clone(),
    };
    let new = NewEvent {
        id,
        data: EventData::Failed { session, reason },
        at: at.now,
    };
    record_event::record(tx, tenant, row, new).await
}

/// Saves `row`, whose session has become `expired`, and records the event `id` of it.
///
/// # Errors
/// [`StoreError::Conflict`] if a concurrent operation came first.
pub(crate) async fn expire(
    tx: &mut Tx,
    id: &EventId,
    tenant: &TenantRow,
    row: &mut SessionRow,
    at: Moment,
) -> Result<(), StoreError> {
    tx.count_session(row.session.status);
    sessions::save(tx, row).await?;
    idempotency::forget_link(tx, &row.session.id).await?;
    // However late this worker is, the session ended at its deadline.
    let deadline = Moment {
        now: row.session.expires_at,
        ..at
    };
    schedule_erasure(tx, tenant, &row.session, deadline).await?;
    let session = SessionRef {
        session_id: row.session.id.clone(),
        tenant_id: tenant.id.clone(),
    };
    let expired_at = row.session.expires_at;
    let new = NewEvent {
        id,
        data: EventData::Expired { session, expired_at },
        at: at.now,
    };
    record_event::record(tx, tenant, row, new).await
}
