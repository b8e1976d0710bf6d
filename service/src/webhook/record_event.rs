//! Records an event in the unit of work that causes it, together with its delivery and the job that sends it (transactional
//! outbox): there is no moment at which the state has changed and the webhook can still be lost.

use domain::{event::EventData, ids::EventId, time::Timestamp};
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

/// What happened to a session.
#[derive(Clone, Debug)]
pub struct NewEvent<'a> {
    /// A new id; a unit that runs again reuses it.
    pub id: &'a EventId,
    /// What happened.
    pub data: EventData,
    /// When.
    pub at: Timestamp,
}

/// Records what happened to the session in `row`. Call it in the unit that saves `row`, with the row as saved: its encrypted
/// note is stored with the event.
///
/// # Errors
/// If the database refuses or does not respond.
pub async fn record(tx: &mut Tx, tenant: &TenantRow, row: &SessionRow, new: NewEvent<'_>) -> Result<(), StoreError> {
    let NewEvent { id, data, at } = new;
    let kind = data.kind();
    let note = data.is_reviewed().then(|| row.note.clone()).flatten();
    let event = EventRow {
        id: id.clone(),
        tenant: tenant.id.clone(),
        created_at: at,
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
        Some(settings) if settings.webhook_url.is_some() => enqueue(tx, &event, at).await,
        // Somebody may send it once there is a receiver.
        Some(_) => unsent::insert(tx, &event).await,
        None => Ok(()),
    }
}

/// Stores the delivery of a stored event, and the job that makes it, due immediately.
pub(crate) async fn enqueue(tx: &mut Tx, event: &EventRow, now: Timestamp) -> Result<(), StoreError> {
    deliveries::insert(tx, event, now).await?;
    jobs::enqueue_delivery(tx, &event.tenant, &event.id, now).await
}
