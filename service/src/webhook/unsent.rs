//! Events that happened while the tenant had no receiver: viewing them, and sending them once there is one.

use crate::{
    Honnin,
    access::Developer,
    webhook::redeliver::{MAX_AT_ONCE, RedeliverError, Requester, SentAgain, send_first, take_turn},
};
use domain::{
    audit::AuditAction,
    audit_detail::DetailPhrase,
    cursor::{self, After},
    event::EventKind,
    ids::EventId,
    time::Timestamp,
};
use store::{
    StoreError, audit,
    webhook::{events::EventRow, unsent},
};

/// An event that was not sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsent {
    /// The event.
    pub id: EventId,
    /// Its type.
    pub kind: EventKind,
    /// When it happened.
    pub created_at: Timestamp,
}

impl From<EventRow> for Unsent {
    fn from(event: EventRow) -> Self {
        Self {
            kind: event.content.kind(),
            created_at: event.created_at,
            id: event.id,
        }
    }
}

/// How many of the tenant's events were not sent.
///
/// # Errors
/// If storage fails.
pub async fn count(honnin: &Honnin, developer: &Developer) -> Result<i64, StoreError> {
    let tenant = developer.staff().tenant().clone();
    let unit = honnin.db.read(async move |tx| unsent::count(tx, &tenant).await);
    unit.await
}

/// The tenant's events that were not sent, oldest first, after the one with this time and id.
///
/// # Errors
/// If storage fails.
pub async fn list(
    honnin: &Honnin,
    developer: &Developer,
    after: Option<After<EventId>>,
    limit: u32,
) -> Result<Vec<Unsent>, StoreError> {
    let tenant = developer.staff().tenant().clone();
    let unit = honnin
        .db
        .read(async move |tx| unsent::list(tx, &tenant, after.as_ref(), limit).await);
    Ok(unit.await?.into_iter().map(Unsent::from).collect())
}

/// Sends the events that were not sent, up to [`MAX_AT_ONCE`], oldest first, starting after `after`. The same are skipped as
/// when a range is resent ([`RedeliverError::NeedsAdmin`]), and stay unsent.
///
/// # Errors
/// [`RedeliverError::NoReceiver`], [`RedeliverError::Busy`], or if storage fails.
pub async fn send_all(
    honnin: &Honnin,
    developer: &Developer,
    after: Option<After<EventId>>,
) -> Result<SentAgain, RedeliverError> {
    let (now, staff) = (honnin.now(), developer.staff());
    let requester = Requester::of(staff);
    let entry = staff.entry(now, AuditAction::WebhookSendRangeAgain);
    let turn = take_turn(honnin, staff)?;
    let unit = honnin.db.write(async move |tx| {
        let _turn = &turn;
        let receiver = requester.require_receiver(tx).await?;
        let (found, more) = cursor::page_of(
            unsent::list(tx, &requester.tenant, after.as_ref(), MAX_AT_ONCE + 1).await?,
            MAX_AT_ONCE,
        );
        let (mut count, mut left_out) = (0, 0);
        for event in &found {
            if receiver.is_denied(event) {
                left_out += 1;
            } else if send_first(tx, event, now).await? {
                count += 1;
            }
        }
        let entry = entry.clone().with_detail(DetailPhrase::UnsentEvents.with(count));
        audit::record(tx, &entry).await?;
        let last = found.last().filter(|_| more);
        Ok(SentAgain {
            count,
            left_out,
            go_on_after: last.map(|last| (last.created_at, last.id.clone())),
        })
    });
    unit.await
}
