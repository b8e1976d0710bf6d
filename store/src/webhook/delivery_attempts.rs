//! The attempts of deliveries, and the receiver's health derived from them.

use crate::{
    StoreError,
    db::{Tx, on, row},
    ids,
    webhook::deliveries::AttemptRow,
};
use domain::{
    delivery::DeliveryFault,
    ids::{EventId, TenantId},
    named::Named,
    time::Timestamp,
};
use sqlx::QueryBuilder;

/// The health of a tenant's receiver.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReceiverHealth {
    /// The last attempt that was answered 2xx since the receiver URL was set.
    pub last_success_at: Option<Timestamp>,
    /// The first failure since then, or since the receiver URL was set: as long as it is present, the receiver is failing.
    pub failing_since: Option<Timestamp>,
    /// The class of the last of these failures.
    pub last_fault: Option<Named<DeliveryFault>>,
}

row! {
    struct Raw {
        event_id: String,
        number: i64,
        attempted_at: i64,
        duration_ms: i64,
        status: Option<i64>,
        fault: Option<String>,
    }
}

impl TryFrom<Raw> for AttemptRow {
    type Error = StoreError;

    fn try_from(raw: Raw) -> Result<Self, StoreError> {
        let status = raw.status.map(u16::try_from).transpose();
        Ok(Self {
            event: ids::event_id(&raw.event_id)?,
            number: raw.number,
            attempted_at: Timestamp::from_millis(raw.attempted_at),
            duration_ms: raw.duration_ms,
            status: status.map_err(|_| StoreError::Corrupt("a status that is none"))?,
            fault: raw.fault.as_deref().map(Named::parse),
        })
    }
}

/// Stores one attempt.
///
/// # Errors
/// [`StoreError::Duplicate`] if the event already has an attempt with this number.
pub async fn insert(tx: &mut Tx, tenant: &TenantId, attempt: &AttemptRow) -> Result<(), StoreError> {
    tx.count_attempt(attempt.fault.as_ref().map(Named::as_str));
    on!(tx, conn => sqlx::query(
        "INSERT INTO delivery_attempts (event_id, number, tenant_id, attempted_at, duration_ms, status, fault)
         VALUES ($1, $2, $3, $4, $5, $6, $7)")
        .bind(attempt.event.as_str()).bind(attempt.number).bind(tenant.as_str()).bind(attempt.attempted_at.as_millis())
        .bind(attempt.duration_ms).bind(attempt.status.map(i64::from)).bind(attempt.fault.as_ref().map(Named::as_str))
        .execute(conn).await.map(drop))
}

/// The attempts of an event, first to last. Call it only after the event was found for its tenant.
///
/// # Errors
/// If the database does not respond or a row does not parse.
pub async fn list(tx: &mut Tx, event: &EventId) -> Result<Vec<AttemptRow>, StoreError> {
    let raw: Vec<Raw> = on!(tx, conn => sqlx::query_as(
        "SELECT event_id, number, attempted_at, duration_ms, status, fault FROM delivery_attempts
         WHERE event_id = $1 ORDER BY number")
        .bind(event.as_str()).fetch_all(conn).await)?;
    raw.into_iter().map(AttemptRow::try_from).collect()
}

/// The last attempt of each of these events, in no particular order; those without one are left out. Call it only after the events were found for
/// their tenant.
///
/// # Errors
/// If the database does not respond or a row does not parse.
pub async fn list_last(tx: &mut Tx, events: &[EventId]) -> Result<Vec<AttemptRow>, StoreError> {
    if events.is_empty() {
        return Ok(Vec::new());
    }
    let raw: Vec<Raw> = on!(tx, conn => {
        let mut statement = QueryBuilder::new(
            "SELECT event_id, number, attempted_at, duration_ms, status, fault FROM delivery_attempts AS attempt
             WHERE number = (SELECT MAX(number) FROM delivery_attempts AS other WHERE other.event_id = attempt.event_id)
                 AND event_id IN (",
        );
        let mut listed = statement.separated(", ");
        for event in events {
            listed.push_bind(event.as_str());
        }
        statement.push(")");
        statement.build_query_as().fetch_all(conn).await
    })?;
    raw.into_iter().map(AttemptRow::try_from).collect()
}

/// The health of a tenant's receiver, whose URL was set at `set_at`: earlier attempts went to another receiver. Look-ups in
/// two indexes, so that no attempt has to update a shared row.
///
/// # Errors
/// If the database does not respond.
pub async fn find_health(
    tx: &mut Tx,
    tenant: &TenantId,
    set_at: Option<Timestamp>,
) -> Result<ReceiverHealth, StoreError> {
    // An attempt at the exact moment of the change may still have gone to the old URL.
    let set_at = set_at.map_or(i64::MIN, Timestamp::as_millis);
    let success: Option<i64> = on!(tx, conn => sqlx::query_scalar(
        "SELECT MAX(attempted_at) FROM delivery_attempts WHERE tenant_id = $1 AND fault IS NULL AND attempted_at > $2")
        .bind(tenant.as_str()).bind(set_at).fetch_one(conn).await)?;
    let after = success.unwrap_or(set_at);
    let failure: Option<i64> = on!(tx, conn => sqlx::query_scalar(
        "SELECT MIN(attempted_at) FROM delivery_attempts WHERE tenant_id = $1 AND fault IS NOT NULL AND attempted_at > $2")
        .bind(tenant.as_str()).bind(after).fetch_one(conn).await)?;
    let last_fault: Option<String> = on!(tx, conn => sqlx::query_scalar(
        "SELECT fault FROM delivery_attempts WHERE tenant_id = $1 AND fault IS NOT NULL AND attempted_at > $2
         ORDER BY attempted_at DESC LIMIT 1")
        .bind(tenant.as_str()).bind(after).fetch_optional(conn).await)?;
    Ok(ReceiverHealth {
        last_success_at: success.map(Timestamp::from_millis),
        failing_since: failure.map(Timestamp::from_millis),
        last_fault: last_fault.as_deref().map(Named::parse),
    })
}
