//! Deliveries: one for each event to be sent, with every attempt that was made. The schedule is not known here.

use crate::{
    StoreError,
    db::{Dialect, Tx, day, on, row},
    ids,
    webhook::{
        events::{self, EventRow},
        sent::{may_have_sent, sent_nothing},
    },
};
use domain::{
    cursor::After,
    delivery::DeliveryFault,
    event::EventKind,
    ids::{EventId, SessionId, TenantId},
    named::Named,
    time::Timestamp,
};
use sqlx::QueryBuilder;
use std::iter::Sum;

domain::stored_vocabulary! {
    /// State of a delivery.
    DeliveryState {
        /// The next attempt is due at a known time.
        Pending = "pending",
        /// A receiver answered 2xx.
        Delivered = "delivered",
        /// All attempts of the schedule failed.
        Abandoned = "abandoned",
    }
}

/// A delivery as stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeliveryRow {
    /// The event.
    pub event: EventId,
    /// The tenant whose receiver gets it.
    pub tenant: TenantId,
    /// The event's type; other versions may know others.
    pub kind: Named<EventKind>,
    /// When the event happened.
    pub created_at: Timestamp,
    /// Its state.
    pub state: DeliveryState,
    /// Attempts made in total.
    pub attempts: i64,
    /// When the schedule started; it restarts when the event is resent by hand.
    pub started_at: Timestamp,
    /// Attempts made since the schedule started.
    pub step: i64,
    /// When the next attempt is due; only while pending.
    pub next_attempt_at: Option<Timestamp>,
    /// When it was delivered or abandoned.
    pub settled_at: Option<Timestamp>,
}

/// One attempt, as stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttemptRow {
    /// What was sent.
    pub event: EventId,
    /// 1 for the first attempt of the event.
    pub number: i64,
    /// When it began; also the time of the signature.
    pub attempted_at: Timestamp,
    /// How long the exchange took.
    pub duration_ms: i64,
    /// The response's status, if there was a response.
    pub status: Option<u16>,
    /// The class of the failure; `None` means delivered.
    pub fault: Option<Named<DeliveryFault>>,
}

/// Which of a tenant's deliveries to list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeliveryFilter {
    /// Only in this state.
    pub state: Option<DeliveryState>,
    /// Only of this type.
    pub kind: Option<Named<EventKind>>,
    /// Only events of this time or later.
    pub since: Option<Timestamp>,
    /// Only events before this time.
    pub until: Option<Timestamp>,
    /// Only those beyond this one, by the time and id of its event: the last of the previous page. Older ones if the newest
    /// come first.
    pub after: Option<After<EventId>>,
}

row! {
    struct Raw {
        event_id: String,
        tenant_id: String,
        kind: String,
        created_at: i64,
        state: String,
        attempts: i64,
        started_at: i64,
        step: i64,
        next_attempt_at: Option<i64>,
        settled_at: Option<i64>,
    }
}

impl TryFrom<Raw> for DeliveryRow {
    type Error = StoreError;

    fn try_from(raw: Raw) -> Result<Self, StoreError> {
        Ok(Self {
            event: ids::event_id(&raw.event_id)?,
            tenant: ids::tenant_id(&raw.tenant_id)?,
            kind: Named::parse(&raw.kind),
            created_at: Timestamp::from_millis(raw.created_at),
            state: DeliveryState::parse(&raw.state).ok_or(StoreError::Corrupt("an unknown state of a delivery"))?,
            attempts: raw.attempts,
            started_at: Timestamp::from_millis(raw.started_at),
            step: raw.step,
            next_attempt_at: raw.next_attempt_at.map(Timestamp::from_millis),
            settled_at: raw.settled_at.map(Timestamp::from_millis),
        })
    }
}

macro_rules! select {
    ($clause:literal) => {
        concat!(
            "SELECT event_id, tenant_id, kind, created_at, state, attempts, started_at, step, next_attempt_at, settled_at
             FROM deliveries ",
            $clause
        )
    };
}

/// Stores a new delivery, pending, to be attempted at `first_attempt_at`.
///
/// # Errors [`StoreError::Conflict`] if the event already has one: somebody else requested it at the same moment.
pub async fn insert(tx: &mut Tx, event: &EventRow, first_attempt_at: Timestamp) -> Result<(), StoreError> {
    let inserted = on!(tx, conn => sqlx::query(
        "INSERT INTO deliveries (event_id, tenant_id, kind, created_at, state, attempts, started_at, step,
             next_attempt_at)
         VALUES ($1, $2, $3, $4, 'pending', 0, $5, 0, $5)")
        .bind(event.id.as_str()).bind(event.tenant.as_str()).bind(event.content.kind().as_str())
        .bind(event.created_at.as_millis())
        .bind(first_attempt_at.as_millis())
        .execute(conn).await.map(drop));
    match inserted {
        Err(StoreError::Duplicate) => Err(tx.conflict()),
        other => other,
    }
}

/// A tenant's delivery; another tenant's event finds nothing.
///
/// # Errors
/// If the database does not respond or the row does not parse.
pub async fn find(tx: &mut Tx, tenant: &TenantId, event: &EventId) -> Result<Option<DeliveryRow>, StoreError> {
    Ok(find_any(tx, event).await?.filter(|delivery| delivery.tenant == *tenant))
}

/// The delivery of any tenant's event, for the worker.
///
/// # Errors
/// If the database does not respond or the row does not parse.
pub async fn find_any(tx: &mut Tx, event: &EventId) -> Result<Option<DeliveryRow>, StoreError> {
    let raw: Option<Raw> = on!(tx, conn => sqlx::query_as(select!("WHERE event_id = $1"))
        .bind(event.as_str()).fetch_optional(conn).await)?;
    raw.map(DeliveryRow::try_from).transpose()
}

/// Whether a delivery of a stored event was removed because of its age; `None` if that is unknown, because the event is older than this record.
///
/// # Errors
/// If the database does not respond.
pub async fn was_removed(tx: &mut Tx, event: &EventId) -> Result<Option<bool>, StoreError> {
    let noted: Option<Option<bool>> = on!(tx, conn => sqlx::query_scalar(
        "SELECT removed_delivery <> 'none' FROM events WHERE id = $1")
        .bind(event.as_str()).fetch_optional(conn).await)?;
    Ok(noted.flatten())
}

/// Notes that something of an event without a delivery may have been sent, if nobody knows and it is not noted as unsent. Call it before
/// the event gets a new delivery, from which it would seem that there was none before.
///
/// # Errors
/// If the database does not respond.
pub async fn note_removed(tx: &mut Tx, event: &EventId) -> Result<(), StoreError> {
    on!(tx, conn => sqlx::query(
        "UPDATE events SET removed_delivery = 'sent' WHERE id = $1 AND removed_delivery IS NULL
             AND NOT EXISTS (SELECT 1 FROM unsent_events WHERE unsent_events.event_id = events.id)")
        .bind(event.as_str()).execute(conn).await.map(drop))
}

/// Notes that something of an event may have been sent by a run that noted no attempt.
///
/// # Errors
/// If the database does not respond.
pub async fn note_sent(tx: &mut Tx, event: &EventId) -> Result<(), StoreError> {
    on!(tx, conn => sqlx::query("UPDATE events SET removed_delivery = 'sent' WHERE id = $1")
        .bind(event.as_str()).execute(conn).await.map(drop))
}

/// Notes that something of every event of a session may have been sent. For a copy, which does not have the attempts that were made after it.
///
/// # Errors
/// If the database does not respond.
pub async fn note_sent_of_session(tx: &mut Tx, session: &SessionId) -> Result<(), StoreError> {
    on!(tx, conn => sqlx::query("UPDATE events SET removed_delivery = 'sent' WHERE session_id = $1")
        .bind(session.as_str()).execute(conn).await.map(drop))
}

/// Notes for every event of a tenant that is pending, was abandoned or is noted as unsent that something of it may have been sent. For a copy, like
/// [`note_sent_of_session`].
///
/// # Errors
/// If the database does not respond.
pub async fn note_sent_of_undelivered(tx: &mut Tx, tenant: &TenantId) -> Result<(), StoreError> {
    on!(tx, conn => sqlx::query(
        "UPDATE events SET removed_delivery = 'sent' WHERE id IN (
             SELECT event_id FROM deliveries WHERE tenant_id = $1 AND state IN ('pending', 'abandoned')
             UNION ALL SELECT event_id FROM unsent_events WHERE tenant_id = $1)")
        .bind(tenant.as_str()).execute(conn).await.map(drop))
}

/// Saves the state of a delivery, if nobody has made or requested an attempt since it was read.
///
/// # Errors
/// [`StoreError::Conflict`] if somebody has.
pub async fn save(tx: &mut Tx, before: &DeliveryRow, after: &DeliveryRow) -> Result<(), StoreError> {
    let saved = on!(tx, conn => sqlx::query(
        "UPDATE deliveries SET state = $4, attempts = $5, started_at = $6, step = $7, next_attempt_at = $8, settled_at = $9
         WHERE event_id = $1 AND attempts = $2 AND state = $3 AND started_at = $10 AND step = $11")
        .bind(before.event.as_str()).bind(before.attempts).bind(before.state.as_str())
        .bind(after.state.as_str()).bind(after.attempts).bind(after.started_at.as_millis()).bind(after.step)
        .bind(after.next_attempt_at.map(Timestamp::as_millis)).bind(after.settled_at.map(Timestamp::as_millis))
        .bind(before.started_at.as_millis()).bind(before.step)
        .execute(conn).await.map(|done| done.rows_affected()))?;
    if saved == 1 { Ok(()) } else { Err(tx.conflict()) }
}

/// Which deliveries come first in a list.
#[derive(Clone, Copy)]
enum Order {
    Newest,
    Oldest,
}

macro_rules! page {
    ($index:literal, $state:literal, $far:literal, $beyond:literal, $direction:literal) => {
        concat!(
            select!(""),
            $index,
            " WHERE tenant_id = $1 AND (CAST($2 AS TEXT) IS NULL OR kind = $2) AND created_at ",
            $far,
            " $3 AND (created_at, event_id) ",
            $beyond,
            " ($4, $5)",
            $state,
            " ORDER BY created_at ",
            $direction,
            ", event_id ",
            $direction,
            " LIMIT $6"
        )
    };
}

/// The statement that lists a page. With a state, it is a separate statement, so that the index by state is used, which cannot answer a
/// query for any state. SQLite needs a hint, because it prefers an index with two bounds to one with one more column compared for equality.
const fn statement(order: Order, of_a_state: Option<Dialect>) -> &'static str {
    match (order, of_a_state) {
        (Order::Newest, None) => page!("", "", ">=", "<", "DESC"),
        (Order::Oldest, None) => page!("", "", "<", ">", "ASC"),
        (Order::Newest, Some(Dialect::Postgres)) => page!("", " AND state = $7", ">=", "<", "DESC"),
        (Order::Oldest, Some(Dialect::Postgres)) => page!("", " AND state = $7", "<", ">", "ASC"),
        (Order::Newest, Some(Dialect::Sqlite)) => {
            page!("INDEXED BY deliveries_by_state", " AND state = $7", ">=", "<", "DESC")
        }
        (Order::Oldest, Some(Dialect::Sqlite)) => {
            page!("INDEXED BY deliveries_by_state", " AND state = $7", "<", ">", "ASC")
        }
    }
}

/// The bounds of a page: the time at its far end, and the row after which it begins, by its time and id. The time at its beginning is such
/// a row as well, because the empty text comes before every id: an index is entered at one bound.
fn bounds(filter: &DeliveryFilter, order: Order) -> (i64, (i64, &str)) {
    let since = filter.since.map_or(i64::MIN, Timestamp::as_millis);
    let until = filter.until.map_or(i64::MAX, Timestamp::as_millis);
    let after = filter.after.as_ref().map(|(at, id)| (at.as_millis(), id.as_str()));
    match order {
        Order::Newest => (since, after.map_or((until, ""), |after| after.min((until, "")))),
        Order::Oldest => (until, after.map_or((since, ""), |after| after.max((since, "")))),
    }
}

/// A tenant's deliveries, newest first.
///
/// # Errors
/// If the database does not respond or a row does not parse.
pub async fn list(
    tx: &mut Tx,
    tenant: &TenantId,
    filter: &DeliveryFilter,
    limit: u32,
) -> Result<Vec<DeliveryRow>, StoreError> {
    list_by(tx, Order::Newest, tenant, filter, limit).await
}

/// A tenant's deliveries, oldest first.
///
/// # Errors
/// If the database does not respond or a row does not parse.
pub async fn list_oldest(
    tx: &mut Tx,
    tenant: &TenantId,
    filter: &DeliveryFilter,
    limit: u32,
) -> Result<Vec<DeliveryRow>, StoreError> {
    list_by(tx, Order::Oldest, tenant, filter, limit).await
}

async fn list_by(
    tx: &mut Tx,
    order: Order,
    tenant: &TenantId,
    filter: &DeliveryFilter,
    limit: u32,
) -> Result<Vec<DeliveryRow>, StoreError> {
    let (far, (at, id)) = bounds(filter, order);
    let sql = statement(order, filter.state.map(|_| tx.dialect()));
    let raw: Vec<Raw> = on!(tx, conn => {
        let page = sqlx::query_as(sql)
            .bind(tenant.as_str()).bind(filter.kind.as_ref().map(Named::as_str))
            .bind(far).bind(at).bind(id).bind(i64::from(limit));
        let page = match filter.state {
            Some(state) => page.bind(state.as_str()),
            None => page,
        };
        page.fetch_all(conn).await
    })?;
    raw.into_iter().map(DeliveryRow::try_from).collect()
}

/// How a tenant's deliveries turned out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DeliveryCounts {
    /// Delivered at the first attempt, even if resent since.
    pub at_once: i64,
    /// Delivered with a later one.
    pub later: i64,
    /// Still to be delivered.
    pub pending: i64,
    /// Given up.
    pub abandoned: i64,
}

impl Sum for DeliveryCounts {
    fn sum<I: Iterator<Item = Self>>(counts: I) -> Self {
        counts.fold(Self::default(), |sum, one| Self {
            at_once: sum.at_once + one.at_once,
            later: sum.later + one.later,
            pending: sum.pending + one.pending,
            abandoned: sum.abandoned + one.abandoned,
        })
    }
}

/// A tenant's deliveries of events since `from`, counted by how they turned out, by the day of the event: days since 1970, UTC, in their order.
///
/// # Errors
/// If the database does not respond.
pub async fn count_by_day(
    tx: &mut Tx,
    tenant: &TenantId,
    from: Timestamp,
) -> Result<Vec<(i64, DeliveryCounts)>, StoreError> {
    let rows: Vec<(i64, i64, i64, i64, i64)> = on!(tx, conn => sqlx::query_as(concat!(
        "SELECT day,
                COUNT(CASE WHEN state = 'delivered' AND first_sufficed THEN 1 END),
                COUNT(CASE WHEN state = 'delivered' AND NOT first_sufficed THEN 1 END),
                COUNT(CASE WHEN state = 'pending' THEN 1 END),
                COUNT(CASE WHEN state = 'abandoned' THEN 1 END)
         FROM (SELECT ", day!("created_at"), " AS day, state,
                      attempts <= 1 OR EXISTS (
                          SELECT 1 FROM delivery_attempts AS attempt
                          WHERE attempt.event_id = deliveries.event_id AND attempt.number = 1 AND attempt.fault IS NULL
                      ) AS first_sufficed
               FROM deliveries WHERE tenant_id = $1 AND created_at >= $2) AS delivery
         GROUP BY day ORDER BY day"))
        .bind(tenant.as_str()).bind(from.as_millis()).fetch_all(conn).await)?;
    let counts = rows.into_iter().map(|(day, at_once, later, pending, abandoned)| {
        let counts = DeliveryCounts {
            at_once,
            later,
            pending,
            abandoned,
        };
        (day, counts)
    });
    Ok(counts.collect())
}

/// Removes up to `limit` deliveries of a tenant, with their attempts, whose events happened before `before` and that were settled
/// before then. Returns how many. Each event notes whether something of it may have been sent.
///
/// # Errors
/// If the database does not respond.
pub async fn remove_settled(tx: &mut Tx, tenant: &TenantId, before: Timestamp, limit: u32) -> Result<u64, StoreError> {
    let mut removed = 0;
    for state in [DeliveryState::Delivered, DeliveryState::Abandoned] {
        let left = i64::from(limit) - i64::try_from(removed).unwrap_or(i64::MAX);
        if left > 0 {
            removed += remove_in_state(tx, tenant, state, before, left).await?;
        }
    }
    Ok(removed)
}

/// Up to `$4` deliveries of the tenant `$1` in the state `$2` that leave, and whether something of each may have been sent. They are locked: one
/// that is sent again at this moment is no longer in that state, or is sent again once it has left.
macro_rules! old_sql {
    ($lock:literal) => {
        concat!(
            "SELECT event_id, ",
            may_have_sent!("deliveries.event_id", "$5"),
            " FROM deliveries
             WHERE tenant_id = $1 AND state = $2 AND created_at < $3 AND settled_at < $3
             ORDER BY created_at, event_id LIMIT $4",
            $lock
        )
    };
}

async fn remove_in_state(
    tx: &mut Tx,
    tenant: &TenantId,
    state: DeliveryState,
    before: Timestamp,
    limit: i64,
) -> Result<u64, StoreError> {
    let sql = match tx.dialect() {
        // Units run one after another.
        Dialect::Sqlite => old_sql!(""),
        Dialect::Postgres => old_sql!(" FOR UPDATE OF deliveries"),
    };
    let old: Vec<(String, bool)> = on!(tx, conn => sqlx::query_as(sql)
        .bind(tenant.as_str()).bind(state.as_str()).bind(before.as_millis()).bind(limit).bind(sent_nothing())
        .fetch_all(conn).await)?;
    let all: Vec<&str> = old.iter().map(|(event, _)| event.as_str()).collect();
    events::lock_all(tx, &all).await?;
    let of = |may_be_sent: bool| -> Vec<&str> {
        let those = old.iter().filter(|(_, may)| *may == may_be_sent);
        those.map(|(event, _)| event.as_str()).collect()
    };
    change_of(
        tx,
        "UPDATE events SET removed_delivery = 'sent' WHERE id IN (",
        &of(true),
    )
    .await?;
    // Of one from before this was noted, an earlier delivery may have been removed.
    change_of(
        tx,
        "UPDATE events SET removed_delivery = 'unsent' WHERE removed_delivery = 'none' AND id IN (",
        &of(false),
    )
    .await?;
    change_of(tx, "DELETE FROM delivery_attempts WHERE event_id IN (", &all).await?;
    change_of(tx, "DELETE FROM deliveries WHERE event_id IN (", &all).await
}

/// Runs a statement that ends with a list of events; with none, nothing happens. Returns how many rows it changed.
async fn change_of(tx: &mut Tx, change: &'static str, events: &[&str]) -> Result<u64, StoreError> {
    if events.is_empty() {
        return Ok(0);
    }
    on!(tx, conn => {
        let mut statement = QueryBuilder::new(change);
        let mut listed = statement.separated(", ");
        for event in events {
            listed.push_bind(*event);
        }
        statement.push(")");
        statement.build().execute(conn).await.map(|done| done.rows_affected())
    })
}
