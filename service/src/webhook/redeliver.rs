//! Resending by hand: one event, a range of them, a test event. The retry schedule restarts; the event's id stays.

use crate::{
    Honnin,
    access::{Admin, Developer, Staff},
    audit::describe_filter,
    runtime::turns::{Effort, Turn},
    webhook::{delivery_log::holds_note, record_event},
};
use domain::{
    audit::AuditAction,
    audit_detail::DetailPhrase,
    cursor::{self, After},
    ids::{EventId, SessionId, TenantId},
    tenant::TenantSettings,
    time::Timestamp,
};
use store::{
    StoreError, Tx, audit, jobs,
    settings::tenants,
    webhook::{
        deliveries::{self, DeliveryFilter, DeliveryRow, DeliveryState},
        delivery_attempts::{self, ReceiverHealth},
        events::{self, EventContent, EventRow},
        unsent,
    },
};

/// Maximum number of events resent by one request.
pub const MAX_AT_ONCE: u32 = 1_000;

/// Why nothing is resent.
#[derive(Clone, Debug, thiserror::Error)]
pub enum RedeliverError {
    /// The tenant has no such event.
    #[error("there is no such event")]
    NotFound,
    /// The tenant has no receiver URL.
    #[error("no receiver URL is configured")]
    NoReceiver,
    /// It contains a reviewer's note that is withheld from the receiver ([`TenantSettings::withholds_note`]).
    #[error("the receiver URL was changed after a reviewer's note was written; an admin has to confirm it")]
    NeedsAdmin,
    /// Somebody of the tenant has many events resent at this moment; worth a retry.
    #[error("many events are being resent already")]
    Busy,
    /// Storage.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Resends one event immediately, whatever its state. One that was never sent, because its type was not selected or there was
/// no receiver, is sent now.
///
/// # Errors
/// [`RedeliverError`].
pub async fn send_again(honnin: &Honnin, developer: &Developer, event: &EventId) -> Result<(), RedeliverError> {
    let (now, staff) = (honnin.now(), developer.staff());
    let (requester, event) = (Requester::of(staff), event.clone());
    let entry = staff.entry(now, AuditAction::WebhookSendAgain).about(&event);
    let unit = honnin.db.write(async move |tx| {
        let receiver = requester.require_receiver(tx).await?;
        let event = events::find(tx, &requester.tenant, &event)
            .await?
            .ok_or(RedeliverError::NotFound)?;
        if receiver.is_denied(&event) {
            return Err(RedeliverError::NeedsAdmin);
        }
        if !resend(tx, &event, now).await? {
            return Err(RedeliverError::NotFound);
        }
        Ok(audit::record(tx, &entry).await?)
    });
    unit.await
}

/// Sends an event now, whether or not it was ever sent. Returns false if it has just been removed because of its age.
async fn resend(tx: &mut Tx, event: &EventRow, now: Timestamp) -> Result<bool, StoreError> {
    if let Some(delivery) = deliveries::find(tx, &event.tenant, &event.id).await? {
        begin_anew(tx, &delivery, now).await?;
        return Ok(true);
    }
    send_first(tx, event, now).await
}

/// Sends an event now that has no delivery. Returns false if it has just been removed because of its age.
pub(super) async fn send_first(tx: &mut Tx, event: &EventRow, now: Timestamp) -> Result<bool, StoreError> {
    if !events::hold(tx, &event.id).await? {
        return Ok(false);
    }
    deliveries::note_removed(tx, &event.id).await?;
    record_event::enqueue(tx, event, now).await?;
    unsent::remove(tx, &event.id).await?;
    Ok(true)
}

/// Whether an event was meant for the receiver: it has or had a delivery, or it could not be sent and its type is still selected. That
/// counts as well for one of which nobody knows whether it had one. One that is noted as unsent had none here, although after a restore
/// it also counts as one that may have been sent.
async fn is_meant(tx: &mut Tx, settings: &TenantSettings, event: &EventRow) -> Result<bool, StoreError> {
    if deliveries::find(tx, &event.tenant, &event.id).await?.is_some() {
        return Ok(true);
    }
    let was_removed = deliveries::was_removed(tx, &event.id).await?;
    let is_unsent = unsent::is_noted(tx, &event.id).await?;
    if was_removed == Some(true) && !is_unsent {
        return Ok(true);
    }
    let is_selected = match &event.content {
        EventContent::Session { kind, .. } => settings.event_types.contains(kind),
        EventContent::Test => true,
    };
    Ok(is_selected && (was_removed.is_none() || is_unsent))
}

/// The turn of a tenant to have many events resent, which is held until the unit that does so is done: it keeps the writer busy, for which everybody
/// waits.
pub(super) fn take_turn(honnin: &Honnin, staff: &Staff) -> Result<Turn, RedeliverError> {
    let turn = honnin.efforts.try_take((staff.tenant().clone(), Effort::Resend));
    turn.ok_or(RedeliverError::Busy)
}

/// Resends the events of some sessions that were meant for the receiver, each session's oldest first. Sessions of other tenants have none.
///
/// # Errors
/// [`RedeliverError`].
pub async fn send_sessions_again(
    honnin: &Honnin,
    developer: &Developer,
    sessions: &[SessionId],
) -> Result<SentAgain, RedeliverError> {
    let (now, staff) = (honnin.now(), developer.staff());
    let (requester, sessions) = (Requester::of(staff), sessions.to_vec());
    let entry = staff.entry(now, AuditAction::WebhookSendRangeAgain);
    let turn = take_turn(honnin, staff)?;
    let unit = honnin.db.write(async move |tx| {
        let _turn = &turn;
        let receiver = requester.require_receiver(tx).await?;
        let (mut count, mut left_out) = (0, 0);
        for session in &sessions {
            let mut events = events::list_of_session(tx, session).await?;
            events.retain(|event| event.tenant == requester.tenant);
            let of_session = resend_meant(tx, &receiver, &events, now).await?;
            if of_session.count > 0 {
                // One for each, so that its access log says that its metadata, and perhaps a note, went out again.
                let sent = DetailPhrase::Events.with(of_session.count);
                audit::record(tx, &entry.clone().about(session).with_detail(sent)).await?;
            }
            count += of_session.count;
            left_out += of_session.left_out;
        }
        Ok(SentAgain {
            count,
            left_out,
            go_on_after: None,
        })
    });
    unit.await
}

/// Sends those of `events` now that were meant for the receiver.
async fn resend_meant(
    tx: &mut Tx,
    receiver: &Receiver,
    events: &[EventRow],
    now: Timestamp,
) -> Result<SentAgain, StoreError> {
    let (mut count, mut left_out) = (0, 0);
    for event in events {
        if !is_meant(tx, &receiver.settings, event).await? {
            continue;
        }
        if receiver.is_denied(event) {
            left_out += 1;
        } else if resend(tx, event, now).await? {
            count += 1;
        }
    }
    Ok(SentAgain {
        count,
        left_out,
        go_on_after: None,
    })
}

/// The result of resending several events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SentAgain {
    /// How many events.
    pub count: usize,
    /// How many were skipped because of [`RedeliverError::NeedsAdmin`].
    pub left_out: usize,
    /// The last of them, if there are more: the filter's `after` of the next call.
    pub go_on_after: Option<After<EventId>>,
}

/// Resends the deliveries that `filter` selects, up to [`MAX_AT_ONCE`], oldest first, starting at its `after`.
///
/// # Errors
/// [`RedeliverError`].
pub async fn send_range_again(
    honnin: &Honnin,
    developer: &Developer,
    filter: &DeliveryFilter,
) -> Result<SentAgain, RedeliverError> {
    let (now, staff) = (honnin.now(), developer.staff());
    let (requester, filter) = (Requester::of(staff), filter.clone());
    let entry = staff.entry(now, AuditAction::WebhookSendRangeAgain);
    let (tenant, state, described) = (requester.tenant.clone(), filter.state, describe(&filter));
    let turn = take_turn(honnin, staff)?;
    // Those of a type may be few among many, and nobody has to wait for the writer while they are looked for.
    let list = honnin
        .db
        .read(async move |tx| deliveries::list_oldest(tx, &tenant, &filter, MAX_AT_ONCE + 1).await);
    let (found, more) = cursor::page_of(list.await?, MAX_AT_ONCE);
    let unit = honnin.db.write(async move |tx| {
        let _turn = &turn;
        let receiver = requester.require_receiver(tx).await?;
        let (mut count, mut left_out) = (0, 0);
        for listed in &found {
            // It may have been attempted, sent again or removed since.
            let now_stored = deliveries::find(tx, &requester.tenant, &listed.event).await?;
            let Some(delivery) = now_stored.filter(|one| state.is_none_or(|state| one.state == state)) else {
                continue;
            };
            if receiver.is_denied_notes_of(delivery.created_at) && has_note(tx, &delivery).await? {
                left_out += 1;
            } else {
                begin_anew(tx, &delivery, now).await?;
                count += 1;
            }
        }
        let sent = DetailPhrase::Events.with(count);
        let entry = entry.clone().with_detail(format_args!("{sent}, {described}"));
        audit::record(tx, &entry).await?;
        let last = found.last().filter(|_| more);
        Ok(SentAgain {
            count,
            left_out,
            go_on_after: last.map(|last| (last.created_at, last.event.clone())),
        })
    });
    unit.await
}

/// For the audit log: which deliveries were selected.
fn describe(filter: &DeliveryFilter) -> String {
    describe_filter([
        filter.state.map(|state| DetailPhrase::State.with(state.as_str())),
        filter.kind.as_ref().map(|kind| DetailPhrase::Type.with(kind.as_str())),
        filter.since.map(|time| DetailPhrase::From.with(time.to_iso())),
        filter.until.map(|time| DetailPhrase::Until.with(time.to_iso())),
        filter.after.as_ref().map(|(_, event)| DetailPhrase::After.with(event)),
    ])
}

/// Sends a `webhook.test` event and returns its id.
///
/// # Errors
/// [`RedeliverError::NoReceiver`], or if storage fails.
pub async fn send_test(honnin: &Honnin, developer: &Developer) -> Result<EventId, RedeliverError> {
    let (now, id, staff) = (honnin.now(), honnin.event_id(), developer.staff());
    let requester = Requester::of(staff);
    let entry = staff.entry(now, AuditAction::WebhookTest).about(&id);
    let event = EventRow {
        id: id.clone(),
        tenant: requester.tenant.clone(),
        created_at: now,
        content: EventContent::Test,
    };
    let unit = honnin.db.write(async move |tx| {
        requester.require_receiver(tx).await?;
        events::insert(tx, &event).await?;
        record_event::enqueue(tx, &event, now).await?;
        Ok::<_, RedeliverError>(audit::record(tx, &entry).await?)
    });
    unit.await?;
    Ok(id)
}

/// The health of the tenant's receiver.
///
/// # Errors
/// If storage fails.
pub async fn receiver_health(honnin: &Honnin, developer: &Developer) -> Result<ReceiverHealth, StoreError> {
    let tenant = developer.staff().tenant().clone();
    let unit = honnin.db.read(async move |tx| {
        let settings = tenants::find(tx, &tenant).await?.and_then(|tenant| tenant.settings);
        let set_at = settings.and_then(|settings| settings.webhook_url_set_at);
        delivery_attempts::find_health(tx, &tenant, set_at).await
    });
    unit.await
}

/// Somebody who has events sent by hand.
pub(super) struct Requester {
    /// The tenant whose events they are.
    pub(super) tenant: TenantId,
    is_admin: bool,
}

impl Requester {
    pub(super) fn of(staff: &Staff) -> Self {
        Self {
            tenant: staff.tenant().clone(),
            is_admin: Admin::of(staff).is_ok(),
        }
    }

    /// The tenant's receiver, if it has one.
    pub(super) async fn require_receiver(&self, tx: &mut Tx) -> Result<Receiver, RedeliverError> {
        let tenant = tenants::find(tx, &self.tenant).await?.ok_or(RedeliverError::NotFound)?;
        let settings = tenant.settings.filter(|settings| settings.webhook_url.is_some());
        Ok(Receiver {
            settings: settings.ok_or(RedeliverError::NoReceiver)?,
            gets_every_note: self.is_admin,
        })
    }
}

/// The receiver of a tenant's webhooks, for what somebody has sent by hand.
pub(super) struct Receiver {
    settings: TenantSettings,
    /// Whether it gets the notes that are withheld from it otherwise: an admin has them sent.
    gets_every_note: bool,
}

impl Receiver {
    /// Whether the notes in events of `since` are not for it ([`RedeliverError::NeedsAdmin`]).
    fn is_denied_notes_of(&self, since: Timestamp) -> bool {
        !self.gets_every_note && self.settings.withholds_note(since)
    }

    /// Whether an event is not for it, because of its note.
    pub(super) fn is_denied(&self, event: &EventRow) -> bool {
        self.is_denied_notes_of(event.created_at) && holds_note(event)
    }
}

async fn has_note(tx: &mut Tx, delivery: &DeliveryRow) -> Result<bool, StoreError> {
    let event = events::find(tx, &delivery.tenant, &delivery.event).await?;
    Ok(event.is_some_and(|event| holds_note(&event)))
}

async fn begin_anew(tx: &mut Tx, delivery: &DeliveryRow, now: Timestamp) -> Result<(), StoreError> {
    let after = DeliveryRow {
        state: DeliveryState::Pending,
        started_at: now,
        step: 0,
        next_attempt_at: Some(now),
        settled_at: None,
        ..delivery.clone()
    };
    deliveries::save(tx, delivery, &after).await?;
    jobs::enqueue_delivery(tx, &delivery.tenant, &delivery.event, now).await
}
