//! A tenant's events as its server reads them: what was sent, or would have been.

use crate::{Honnin, access::Tenant, webhook::payload};
use domain::{
    cursor::{self, After},
    ids::EventId,
};
use store::{StoreError, webhook::outbox};

/// A page of events.
#[derive(Clone, Debug)]
pub struct EventPage {
    /// The bodies of their webhooks, newest first, without reviewers' notes.
    pub bodies: Vec<Vec<u8>>,
    /// Where the next page starts; `None` on the last one.
    pub next: Option<After<EventId>>,
}

/// The tenant's events after the one with this time and id. Reviewers' notes are left out: they may contain personal data, each
/// reading of which would have to be recorded.
///
/// # Errors
/// If storage fails.
pub async fn list_events(
    honnin: &Honnin,
    tenant: &Tenant,
    after: Option<After<EventId>>,
    limit: u32,
) -> Result<EventPage, StoreError> {
    tenant.record_use(honnin).await?;
    let id = tenant.id().clone();
    let unit = honnin
        .db
        .read(async move |tx| outbox::list(tx, &id, after.as_ref(), limit + 1).await);
    let (listed, more) = cursor::page_of(unit.await?, limit);
    let next = listed.last().filter(|_| more);
    Ok(EventPage {
        next: next.map(|(event, _)| (event.created_at, event.id.clone())),
        bodies: listed
            .iter()
            .map(|(event, metadata)| payload::render_without_note(event, metadata.as_deref()))
            .collect::<Result<_, _>>()?,
    })
}
