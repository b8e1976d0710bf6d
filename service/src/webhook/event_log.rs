//! A tenant's events as its server reads them: what was sent, or would have been.

use crate::{Honnin, access::Tenant, webhook::payload};
use domain::{ids::EventId, time::Timestamp};
use store::{StoreError, webhook::outbox};

/// A page of events.
#[derive(Clone, Debug)]
pub struct EventPage {
    /// The bodies of their webhooks, newest first, without reviewers' notes.
    pub bodies: Vec<Vec<u8>>,
    /// Where the next page starts; `None` on the last one.
    pub next: Option<(Timestamp, EventId)>,
}

/// The tenant's events after the one with this time and id. Reviewers' notes are left out: they may contain personal data, each
/// reading of which would have to be recorded.
///
/// # Errors
/// If storage fails.
pub async fn list_events(
    honnin: &Honnin,
    tenant: &Tenant,
    after: Option<(Timestamp, EventId)>,
    limit: u32,
) -> Result<EventPage, StoreError> {
    tenant.record_use(honnin).await?;
    let id = tenant.id().clone();
    let unit = honnin
        .db
        .read(async move |tx| outbox::list(tx, &id, after.as_ref(), limit + 1).await);
    let mut listed = unit.await?;
    let is_last = listed.len() <= limit as usize;
    listed.truncate(limit as usize);
    let next = listed.last().filter(|_| !is_last);
    Ok(EventPage {
        next: next.map(|(event, _)| (event.created_at, event.id.clone())),
        bodies: listed
            .iter()
            .map(|(event, session)| payload::render_without_note(event, session.as_ref()))
            .collect::<Result<_, _>>()?,
    })
}
