//! The end of a decision, automatic or a reviewer's: outcome, state and event in the caller's unit.

use domain::{
    event::{EventData, EventType},
    ids::EventId,
    outcome::Outcome,
    time::Timestamp,
};
use store::{
    StoreError, Tx,
    sessions::{self, SessionRow},
    tenants::TenantRow,
};

/// Saves `row`, whose session has made its transition and whose note is sealed already, with `outcome`, and records the event
/// `id` of its verdict.
///
/// # Errors
/// [`StoreError::Conflict`] where somebody else was first.
pub(crate) async fn conclude(
    tx: &mut Tx,
    id: EventId,
    tenant: &TenantRow,
    row: &mut SessionRow,
    outcome: Outcome,
    now: Timestamp,
) -> Result<(), StoreError> {
    let kind = EventType::from(outcome.verdict);
    row.outcome = Some(outcome.clone());
    sessions::save(tx, row).await?;
    crate::record_event::record(tx, id, tenant, row, kind, EventData::Decision(Box::new(outcome)), now).await
}
