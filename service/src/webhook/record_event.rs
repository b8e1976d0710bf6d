//! Records an event in the unit of work that causes it, together with its delivery and the job that sends it (transactional
//! outbox): there is no moment at which the state has changed and the webhook can still be lost.

use domain::{
    event::{EventData, EventType},
    ids::EventId,
    time::Timestamp,
};
use store::{
    StoreError, Tx, jobs,
    session::sessions::SessionRow,
    settings::tenants::TenantRow,
    webhook::{
        deliveries,
        events::{self, EventContent, EventRow},
        unsent,
    },
};

/// Records what happened to the session in `row`. Call it in the unit that saves `row`, with the row as saved: its encrypted
/// note is stored with the event. `id` is a new one; a unit that runs again reuses it.
///
/// # Errors
/// If the database refuses or does not respond.
pub async fn record(
    tx: &mut Tx,
    id: &EventId,
    tenant: &TenantRow,
    row: &SessionRow,
    kind: EventType,
    data: EventData,
    now: Timestamp,
) -> Result<(), StoreError> {
    let note = data.is_reviewed().then(|| row.note.clone()).flatten();
    let event = EventRow {
        id: id.clone(),
        tenant: tenant.id.clone(),
        created_at: now,
        content: EventContent::Session {
            session: row.session.id.clone(),
            kind,
            data,
            note,
        },
    };
    events::insert(tx, &event).await?;
    let settings = tenant.settings.as_ref();
    match settings.filter(|settings| settings.event_types.contains(&kind)) {
        Some(settings) if settings.webhook_url.is_some() => enqueue(tx, &event, now).await,
        // Somebody may send it once there is a receiver.
        Some(_) => unsent::insert(tx, &event).await,
        None => Ok(()),
    }
}

/// Stores the delivery of a stored event, and the job that makes it, due immediately.
pub(crate) async fn enqueue(tx: &mut Tx, event: &EventRow, now: Timestamp) -> Result<(), StoreError> {
    deliveries::insert(
        tx,
        &event.tenant,
        &event.id,
        event.content.type_name(),
        event.created_at,
        now,
    )
    .await?;
    jobs::enqueue_delivery(tx, &event.tenant, &event.id, now).await
}
