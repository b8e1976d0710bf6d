//! Viewing deliveries: lists, one with its attempts, and the exact request as it is or was sent.

use crate::{
    Honnin,
    access::{Developer, Reader},
    runtime::turns::Effort,
    webhook::{
        payload::{self, is_unreadable},
        sender::{self, signature::SignedRequest},
        signing_secret,
    },
};
use domain::{
    audit::AuditAction,
    audit_detail::DetailPhrase,
    event::EventKind,
    ids::{EventId, SessionId, TenantId},
    time::Timestamp,
};
use std::time::Duration;
use store::{
    StoreError, Tx, audit,
    webhook::{
        deliveries::{self, AttemptRow, DeliveryFilter, DeliveryRow},
        delivery_attempts,
        events::{self, EventContent, EventRow},
        outbox::{self, Sources},
        unsent,
    },
};
use tokio::time::{Instant, sleep};

/// Where the delivery of an event stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    /// Its delivery; `None` if nothing was to be sent, or if none is on record.
    pub delivery: Option<DeliveryRow>,
    /// Whether it may have had a delivery that was removed because of its age.
    pub may_be_removed: bool,
}

/// Where the delivery of a tenant's event stands. An event that is noted as unsent had none here, although after a restore it also counts as one that
/// may have been sent.
pub(crate) async fn find_standing(tx: &mut Tx, tenant: &TenantId, event: &EventId) -> Result<Standing, StoreError> {
    let delivery = deliveries::find(tx, tenant, event).await?;
    let may_be_removed = delivery.is_none()
        && deliveries::was_removed(tx, event).await? != Some(false)
        && !unsent::is_noted(tx, event).await?;
    Ok(Standing {
        delivery,
        may_be_removed,
    })
}

/// One event with its delivery and every attempt.
#[derive(Clone, Debug)]
pub struct DeliveryDetail {
    /// The event.
    pub id: EventId,
    /// Its type.
    pub kind: EventKind,
    /// When it happened.
    pub created_at: Timestamp,
    /// The session it is about; `None` for a test event.
    pub session: Option<SessionId>,
    /// Where its delivery stands.
    pub standing: Standing,
    /// First to last.
    pub attempts: Vec<AttemptRow>,
}

/// The request of one attempt, byte for byte.
#[derive(Clone)]
pub struct RequestView {
    /// Its URL; `None` if no receiver is set.
    pub url: Option<String>,
    /// Its headers, without `Host` and `Content-Length`; also without the signature if the body is hidden, because anyone with
    /// a secret could test guesses of the body against it.
    pub headers: Vec<(&'static str, String)>,
    /// The signed bytes.
    pub body: Result<Vec<u8>, NoBody>,
}

/// Why a request is not shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoBody {
    /// It contains a reviewer's note that the caller's role may not read.
    Hidden,
    /// The stored event or a secret cannot be decrypted, so nothing can be sent either.
    Unreadable,
}

/// The tenant's deliveries, newest first.
///
/// # Errors
/// If storage fails.
pub async fn list(
    honnin: &Honnin,
    developer: &Developer,
    filter: &DeliveryFilter,
    limit: u32,
) -> Result<Vec<DeliveryRow>, StoreError> {
    let (tenant, filter) = (developer.staff().tenant().clone(), filter.clone());
    // No index finds those of a type.
    let turn = if filter.kind.is_some() {
        Some(honnin.efforts.take((tenant.clone(), Effort::Search)).await)
    } else {
        None
    };
    let unit = honnin.db.read(async move |tx| {
        let _turn = &turn;
        deliveries::list(tx, &tenant, &filter, limit).await
    });
    unit.await
}

/// The last attempts of some deliveries, in their order.
///
/// # Errors
/// If storage fails.
pub async fn last_attempts(
    honnin: &Honnin,
    _developer: &Developer,
    listed: &[DeliveryRow],
) -> Result<Vec<Option<AttemptRow>>, StoreError> {
    let ids: Vec<EventId> = listed.iter().map(|delivery| delivery.event.clone()).collect();
    let unit = honnin
        .db
        .read(async move |tx| delivery_attempts::list_last(tx, &ids).await);
    let found = unit.await?;
    let last = |delivery: &DeliveryRow| found.iter().find(|attempt| attempt.event == delivery.event).cloned();
    Ok(listed.iter().map(last).collect())
}

/// The attempt that is made after the first `before` ones, if it is made within `wait_at_most`: for somebody who has just had an event sent.
///
/// # Errors
/// If storage fails.
pub async fn attempt_within(
    honnin: &Honnin,
    developer: &Developer,
    id: &EventId,
    before: usize,
    wait_at_most: Duration,
) -> Result<Option<AttemptRow>, StoreError> {
    let end = Instant::now() + wait_at_most;
    loop {
        let found = find(honnin, developer, id).await?;
        let next = found.and_then(|found| found.attempts.into_iter().nth(before));
        if next.is_some() || Instant::now() >= end {
            return Ok(next);
        }
        // Another process may make it, so nothing here is notified of it.
        sleep(POLL_INTERVAL).await;
    }
}

/// How often [`attempt_within`] looks.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// One event of the tenant; `None` if it has none with this id.
///
/// # Errors
/// If storage fails.
pub async fn find(honnin: &Honnin, developer: &Developer, id: &EventId) -> Result<Option<DeliveryDetail>, StoreError> {
    let (tenant, id) = (developer.staff().tenant().clone(), id.clone());
    let unit = honnin.db.read(async move |tx| {
        let Some(event) = events::find(tx, &tenant, &id).await? else {
            return Ok(None);
        };
        let standing = find_standing(tx, &tenant, &id).await?;
        let attempts = delivery_attempts::list(tx, &id).await?;
        Ok::<_, StoreError>(Some((event, standing, attempts)))
    });
    let detail = |(event, standing, attempts): (EventRow, _, _)| DeliveryDetail {
        kind: event.content.kind(),
        session: session_of(&event),
        id: event.id,
        created_at: event.created_at,
        standing,
        attempts,
    };
    Ok(unit.await?.map(detail))
}

fn session_of(event: &EventRow) -> Option<SessionId> {
    match &event.content {
        EventContent::Session { session, .. } => Some(session.clone()),
        EventContent::Test => None,
    }
}

/// The request for an event as it would be sent now or, with the time of an attempt, as it was sent then: with the current secrets, and
/// without what was erased since. `None` if the tenant has no such event. Access to a reviewer's note is recorded in the audit log before
/// it is decrypted.
///
/// # Errors
/// If storage fails.
pub async fn find_request(
    honnin: &Honnin,
    developer: &Developer,
    id: &EventId,
    at: Timestamp,
) -> Result<Option<RequestView>, StoreError> {
    let Some(found) = find_sources(honnin, developer, id).await? else {
        return Ok(None);
    };
    let is_shown = !holds_note(&found.event) || Reader::of(developer.staff()).is_ok();
    if is_shown {
        record_note_read(honnin, developer, &found.event).await?;
    }
    let url = found.url.clone();
    let request = match render(honnin, &found, at).await {
        Ok(request) => request,
        Err(error) if !is_unreadable(&error) => return Err(error),
        Err(_) => {
            return Ok(Some(RequestView {
                url,
                headers: Vec::new(),
                body: Err(NoBody::Unreadable),
            }));
        }
    };
    Ok(Some(RequestView {
        url,
        headers: sender::headers(&request)
            .into_iter()
            .filter(|(name, _)| is_shown || *name != "webhook-signature")
            .collect(),
        body: is_shown.then_some(request.body).ok_or(NoBody::Hidden),
    }))
}

/// Records that somebody reads the reviewer's note in the webhook of an event, if there is one.
///
/// # Errors
/// If storage fails.
pub(crate) async fn record_note_read(
    honnin: &Honnin,
    developer: &Developer,
    event: &EventRow,
) -> Result<(), StoreError> {
    let EventContent::Session {
        session, note: Some(_), ..
    } = &event.content
    else {
        return Ok(());
    };
    let staff = developer.staff();
    let entry = staff
        .entry(honnin.now(), AuditAction::SessionRead)
        .about(session)
        .with_detail(DetailPhrase::NoteIn.with(&event.id));
    honnin.db.write(async move |tx| audit::record(tx, &entry).await).await
}

async fn render(honnin: &Honnin, found: &Sources, at: Timestamp) -> Result<SignedRequest, StoreError> {
    let secrets = signing_secret::signers(honnin, &found.secrets)?;
    let body = payload::render(honnin, found).await?;
    Ok(SignedRequest::new(found.event.id.clone(), at, body, &secrets))
}

/// A note may contain personal data, which not every role that works with webhooks may see.
pub(crate) const fn holds_note(event: &EventRow) -> bool {
    matches!(&event.content, EventContent::Session { note: Some(_), .. })
}

/// The rows from which the webhook of one of the developer's events is rendered.
pub(crate) async fn find_sources(
    honnin: &Honnin,
    developer: &Developer,
    id: &EventId,
) -> Result<Option<Sources>, StoreError> {
    let id = id.clone();
    let unit = honnin.db.ask(async move |tx| outbox::find(tx, &id).await);
    let own = unit.await?.filter(|found| found.tenant == *developer.staff().tenant());
    own.map(|found| found.sources).transpose()
}
