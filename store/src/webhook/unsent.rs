//! Events that were not sent because their tenant had no receiver when they happened, until somebody sends them.

use crate::{
    StoreError,
    db::{Tx, on, row},
    webhook::events::{EventRow, Page, Raw},
};
use domain::{
    cursor::After,
    ids::{EventId, TenantId},
};

/// Notes that a stored event was not sent.
///
/// # Errors
/// [`StoreError::Duplicate`] if it is noted already.
pub async fn insert(tx: &mut Tx, event: &EventRow) -> Result<(), StoreError> {
    on!(tx, conn => sqlx::query("INSERT INTO unsent_events (event_id, tenant_id, created_at) VALUES ($1, $2, $3)")
        .bind(event.id.as_str()).bind(event.tenant.as_str()).bind(event.created_at.as_millis())
        .execute(conn).await.map(drop))
}

/// Whether a stored event is noted as not sent.
///
/// # Errors
/// If the database does not respond.
pub async fn is_noted(tx: &mut Tx, event: &EventId) -> Result<bool, StoreError> {
    let found: Option<String> = on!(tx, conn => sqlx::query_scalar("SELECT event_id FROM unsent_events WHERE event_id = $1")
        .bind(event.as_str()).fetch_optional(conn).await)?;
    Ok(found.is_some())
}

/// Forgets it, once the event is being sent. Nothing happens if it was never noted.
///
/// # Errors
/// If the database does not respond.
pub async fn remove(tx: &mut Tx, event: &EventId) -> Result<(), StoreError> {
    on!(tx, conn => sqlx::query("DELETE FROM unsent_events WHERE event_id = $1")
        .bind(event.as_str()).execute(conn).await.map(drop))
}

/// How many events of a tenant were not sent.
///
/// # Errors
/// If the database does not respond.
pub async fn count(tx: &mut Tx, tenant: &TenantId) -> Result<i64, StoreError> {
    on!(tx, conn => sqlx::query_scalar("SELECT COUNT(*) FROM unsent_events WHERE tenant_id = $1")
        .bind(tenant.as_str()).fetch_one(conn).await)
}

row! {
    struct RawUnsent {
        ..event: Raw;
        noted_at: i64,
    }
}

/// The events of a tenant that were not sent and that this version can read, oldest first, beyond the one with this time and id.
///
/// # Errors
/// If the database does not respond.
pub async fn list(
    tx: &mut Tx,
    tenant: &TenantId,
    after: Option<&After<EventId>>,
    limit: u32,
) -> Result<Vec<EventRow>, StoreError> {
    let mut page = Page::new(after, i64::MIN, limit);
    loop {
        let rows: Vec<RawUnsent> = on!(tx, conn => sqlx::query_as(
            "SELECT event.id, event.tenant_id, event.session_id, event.kind, event.created_at, event.data, event.note,
                    unsent.created_at AS noted_at
             FROM unsent_events AS unsent JOIN events AS event ON event.id = unsent.event_id
             WHERE unsent.tenant_id = $1 AND (unsent.created_at, unsent.event_id) > ($2, $3)
             ORDER BY unsent.created_at, unsent.event_id LIMIT $4")
            .bind(tenant.as_str()).bind(page.after.0).bind(&page.after.1).bind(page.batch)
            .fetch_all(conn).await)?;
        let read = rows.into_iter().map(|row| {
            let key = (row.noted_at, row.event.key().1);
            (key, EventRow::try_from(row.event))
        });
        if let Some(listed) = page.add(read) {
            return Ok(listed);
        }
    }
}
