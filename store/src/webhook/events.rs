//! Webhook events as they were recorded. What may change or be erased (metadata, the reviewer's note) is read at each attempt.

use crate::{
    StoreError,
    db::{Dialect, Tx, on, row},
    ids,
    vault::{AssociatedData, SealedValue},
};
use domain::{
    cursor::After,
    event::{EventData, EventKind, EventType, TestEvent},
    ids::{EventId, SessionId, TenantId},
    session::AttemptNumber,
    time::Timestamp,
};
use sqlx::QueryBuilder;
use std::{mem::take, ops::RangeInclusive};

/// An event as stored.
#[derive(Clone, Debug, PartialEq)]
pub struct EventRow {
    /// Stable across redeliveries.
    pub id: EventId,
    /// Its tenant.
    pub tenant: TenantId,
    /// When it happened.
    pub created_at: Timestamp,
    /// What happened.
    pub content: EventContent,
}

/// The content of an event.
#[derive(Clone, Debug, PartialEq)]
pub enum EventContent {
    /// A session changed state.
    Session {
        /// Which session.
        session: SessionId,
        /// What happened to it.
        kind: EventType,
        /// `data`, without the reviewer's note.
        data: EventData,
        /// Encrypted: the reviewer's note, as it was when the event was recorded.
        note: Option<Vec<u8>>,
    },
    /// An admin tests the receiver.
    Test,
}

impl EventContent {
    /// Its type.
    #[must_use]
    pub const fn kind(&self) -> EventKind {
        match self {
            Self::Session { kind, .. } => EventKind::Session(*kind),
            Self::Test => EventKind::Test,
        }
    }
}

/// Sets the time of the event of a session's failure in this attempt, which is when the session ended, and of what is noted about sending it. The
/// failures of earlier attempts keep theirs, unless it is a time that has not come, which a wrong clock has set as well. So does one that is of a time
/// that is `right`.
///
/// # Errors
/// If the database does not respond.
pub async fn redate_failure(
    tx: &mut Tx,
    session: &SessionId,
    attempt: AttemptNumber,
    at: Timestamp,
    right: &RangeInclusive<Timestamp>,
) -> Result<(), StoreError> {
    // Events without an attempt are from before it was noted. Those of a first attempt can still be told.
    macro_rules! redated {
        () => {
            "session_id = $1 AND kind = $3
                 AND (attempt = $4 OR (attempt IS NULL AND $4 = 1) OR created_at > $2)
                 AND NOT (created_at >= $5 AND created_at <= $6)"
        };
    }
    // Lists of deliveries are in the order of the events. The deliveries come first, as where old ones are removed, and what is noted about an event
    // comes after it, as where it is sent at last: otherwise each would wait for what the other has locked.
    on!(tx, conn => sqlx::query(concat!(
        "UPDATE deliveries SET created_at = $2 WHERE event_id IN (SELECT id FROM events WHERE ", redated!(), ")"))
        .bind(session.as_str()).bind(at.as_millis()).bind(EventType::Failed.as_str()).bind(attempt.get())
        .bind(right.start().as_millis()).bind(right.end().as_millis())
        .execute(conn).await.map(drop))?;
    let events: Vec<String> = on!(tx, conn => sqlx::query_scalar(concat!(
        "UPDATE events SET created_at = $2 WHERE ", redated!(), " RETURNING id"))
        .bind(session.as_str()).bind(at.as_millis()).bind(EventType::Failed.as_str()).bind(attempt.get())
        .bind(right.start().as_millis()).bind(right.end().as_millis())
        .fetch_all(conn).await)?;
    for event in &events {
        on!(tx, conn => sqlx::query("UPDATE unsent_events SET created_at = $2 WHERE event_id = $1")
            .bind(event).bind(at.as_millis()).execute(conn).await.map(drop))?;
    }
    Ok(())
}

impl EventRow {
    /// The [`AssociatedData`] of the encrypted note of a decision; `None` for a test event.
    #[must_use]
    pub const fn note_associated_data(&self) -> Option<AssociatedData<'_>> {
        match &self.content {
            EventContent::Session { session, .. } => {
                Some(AssociatedData::new(&self.tenant, session, SealedValue::Note))
            }
            EventContent::Test => None,
        }
    }
}

row! {
    pub(crate) struct Raw {
        id: String,
        pub(crate) tenant_id: String,
        session_id: Option<String>,
        pub(crate) kind: String,
        pub(crate) created_at: i64,
        data: Option<String>,
        note: Option<Vec<u8>>,
    }
}

impl Raw {
    /// Its time and id, which order a list.
    pub(crate) fn key(&self) -> (i64, String) {
        (self.created_at, self.id.clone())
    }
}

impl TryFrom<Raw> for EventRow {
    type Error = StoreError;

    fn try_from(raw: Raw) -> Result<Self, StoreError> {
        let content = match (raw.session_id, raw.data) {
            (Some(session), Some(data)) => EventContent::Session {
                session: ids::session_id(&session)?,
                kind: EventType::parse(&raw.kind).ok_or(StoreError::Corrupt("an unknown type of event"))?,
                data: serde_json::from_str(&data).map_err(|_| StoreError::Corrupt("an event that does not parse"))?,
                note: raw.note,
            },
            (None, None) if raw.kind == TestEvent::TYPE => EventContent::Test,
            _ => return Err(StoreError::Corrupt("an event of a session without its data")),
        };
        Ok(Self {
            id: ids::event_id(&raw.id)?,
            tenant: ids::tenant_id(&raw.tenant_id)?,
            created_at: Timestamp::from_millis(raw.created_at),
            content,
        })
    }
}

/// An event as it was read, if this version can read it. Lists leave out what it cannot, since one event must not hide the others: during an
/// upgrade, a newer node may have recorded it.
fn if_readable<T>(id: &str, read: Result<T, StoreError>) -> Option<T> {
    read.inspect_err(|error| tracing::warn!(event = id, %error, "an event is left out of a list"))
        .ok()
}

/// How many rows are read at once after the first of a page could not all be read.
const BATCH: i64 = 1_000;

/// A page of events that this version can read. Rows are read until it is full or there are no more.
pub(crate) struct Page<T> {
    /// The time and id of the row after which the next ones begin.
    pub(crate) after: (i64, String),
    /// How many are read next.
    pub(crate) batch: i64,
    limit: usize,
    events: Vec<T>,
}

impl<T> Page<T> {
    /// An empty page of up to `limit` events after one, or from `start` on.
    pub(crate) fn new(after: Option<&After<EventId>>, start: i64, limit: u32) -> Self {
        Self {
            after: after.map_or((start, String::new()), |(at, id)| (at.as_millis(), id.to_string())),
            batch: i64::from(limit),
            limit: limit as usize,
            events: Vec::new(),
        }
    }

    /// Adds what was read from the next rows, each with its time and id. Returns the events if that is all.
    pub(crate) fn add(
        &mut self,
        rows: impl IntoIterator<Item = ((i64, String), Result<T, StoreError>)>,
    ) -> Option<Vec<T>> {
        let mut count = 0;
        for (key, read) in rows {
            count += 1;
            self.events.extend(if_readable(&key.1, read));
            self.after = key;
        }
        let is_done = count < self.batch || self.events.len() >= self.limit;
        self.batch = BATCH;
        self.events.truncate(self.limit);
        is_done.then(|| take(&mut self.events))
    }
}

/// Stores a new event, with the attempt that its session is in. A reviewer's note inside `data` is not stored: it belongs in `note`, encrypted.
///
/// # Errors
/// [`StoreError::Duplicate`] if its id is already in use.
pub async fn insert(tx: &mut Tx, event: &EventRow) -> Result<(), StoreError> {
    let (session, data, note) = match &event.content {
        EventContent::Session {
            session, data, note, ..
        } => (Some(session.as_str()), Some(bare_json(data)?), note.as_deref()),
        EventContent::Test => (None, None, None),
    };
    on!(tx, conn => sqlx::query(
        "INSERT INTO events (id, tenant_id, session_id, kind, created_at, data, note, removed_delivery, attempt)
         VALUES ($1, $2, $3, $4, $5, $6, $7, 'none', (SELECT attempt FROM sessions WHERE sessions.id = $3))")
        .bind(event.id.as_str()).bind(event.tenant.as_str()).bind(session).bind(event.content.kind().as_str())
        .bind(event.created_at.as_millis()).bind(&data).bind(note)
        .execute(conn).await.map(drop))
}

fn bare_json(data: &EventData) -> Result<String, StoreError> {
    let mut bare = data.clone();
    if let EventData::Decision(outcome) = &mut bare
        && let Some(review) = &mut outcome.review
    {
        review.note = None;
    }
    serde_json::to_string(&bare).map_err(StoreError::refused)
}

macro_rules! event_columns {
    () => {
        "SELECT id, tenant_id, session_id, kind, created_at, data, note FROM events "
    };
}

/// A tenant's event; another tenant's id finds nothing.
///
/// # Errors
/// If the database does not respond or the row does not parse.
pub async fn find(tx: &mut Tx, tenant: &TenantId, id: &EventId) -> Result<Option<EventRow>, StoreError> {
    let raw: Option<Raw> = on!(tx, conn => sqlx::query_as(concat!(event_columns!(), "WHERE id = $1 AND tenant_id = $2"))
        .bind(id.as_str()).bind(tenant.as_str()).fetch_optional(conn).await)?;
    raw.map(EventRow::try_from).transpose()
}

/// The events of a session that this version can read, oldest first.
///
/// # Errors
/// If the database does not respond.
pub async fn list_of_session(tx: &mut Tx, session: &SessionId) -> Result<Vec<EventRow>, StoreError> {
    let raw: Vec<Raw> = on!(tx, conn => sqlx::query_as(concat!(event_columns!(),
        "WHERE session_id = $1 ORDER BY created_at, id"))
        .bind(session.as_str()).fetch_all(conn).await)?;
    let read = |raw: Raw| if_readable(&raw.id.clone(), EventRow::try_from(raw));
    Ok(raw.into_iter().filter_map(read).collect())
}

/// Locks a session's events before several of them are changed, in the order of their ids: of two units with different orders, each would wait for
/// the other. On SQLite, units run one after another anyway.
async fn lock_of_session(tx: &mut Tx, session: &SessionId) -> Result<(), StoreError> {
    match tx.dialect() {
        Dialect::Sqlite => Ok(()),
        Dialect::Postgres => on!(tx, conn => sqlx::query(
            "SELECT id FROM events WHERE session_id = $1 ORDER BY id FOR NO KEY UPDATE")
            .bind(session.as_str()).execute(conn).await.map(drop)),
    }
}

/// The same for some events of any sessions.
pub(crate) async fn lock_all(tx: &mut Tx, events: &[&str]) -> Result<(), StoreError> {
    if tx.dialect() == Dialect::Sqlite || events.is_empty() {
        return Ok(());
    }
    on!(tx, conn => {
        let mut statement = QueryBuilder::new("SELECT id FROM events WHERE id IN (");
        let mut listed = statement.separated(", ");
        for event in events {
            listed.push_bind(*event);
        }
        statement.push(") ORDER BY id FOR NO KEY UPDATE");
        statement.build().execute(conn).await.map(drop)
    })
}

/// Removes the encrypted notes of a session's events, as part of erasing the session.
///
/// # Errors
/// If the database does not respond.
pub async fn erase_notes(tx: &mut Tx, session: &SessionId) -> Result<(), StoreError> {
    lock_of_session(tx, session).await?;
    on!(tx, conn => sqlx::query("UPDATE events SET note = NULL WHERE session_id = $1 AND note IS NOT NULL")
        .bind(session.as_str()).execute(conn).await.map(drop))
}

/// Which events are old.
#[derive(Clone, Copy, Debug)]
pub struct Old {
    /// They happened before this time.
    pub happened_before: Timestamp,
    /// The personal data of their sessions was erased before this time.
    pub erased_before: Timestamp,
}

/// A slice of a tenant's events, oldest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slice {
    /// The ids of those that can be removed.
    pub removable: Vec<String>,
    /// The time, in milliseconds since 1970, and the id of the last one, if there may be more.
    pub last: Option<(i64, String)>,
}

/// Looks at `limit` events of a tenant that happened long enough ago, after the one with this time and id. Those can be removed that have
/// no delivery any more: test events, and those of sessions whose personal data was erased long enough ago.
///
/// # Errors
/// If the database does not respond.
pub async fn list_old(
    tx: &mut Tx,
    tenant: &TenantId,
    old: Old,
    after: Option<&(i64, String)>,
    limit: u32,
) -> Result<Slice, StoreError> {
    let (at, id) = after.map_or((i64::MIN, ""), |(at, id)| (*at, id.as_str()));
    let rows: Vec<(i64, String, bool)> = on!(tx, conn => sqlx::query_as(
        "SELECT event.created_at, event.id,
                COALESCE(event.session_id IS NULL OR session.purged_at < $3, FALSE)
                    AND NOT EXISTS (SELECT 1 FROM deliveries WHERE deliveries.event_id = event.id)
         FROM (SELECT id, created_at, session_id FROM events
               WHERE tenant_id = $1 AND created_at < $2 AND (created_at, id) > ($4, $5)
               ORDER BY created_at, id LIMIT $6) AS event
         LEFT JOIN sessions AS session ON session.id = event.session_id
         ORDER BY event.created_at, event.id")
        .bind(tenant.as_str()).bind(old.happened_before.as_millis()).bind(old.erased_before.as_millis())
        .bind(at).bind(id).bind(i64::from(limit))
        .fetch_all(conn).await)?;
    let last = rows.last().filter(|_| rows.len() == limit as usize);
    Ok(Slice {
        last: last.map(|(at, id, _)| (*at, id.clone())),
        removable: rows
            .into_iter()
            .filter_map(|(_, id, removable)| removable.then_some(id))
            .collect(),
    })
}

/// Keeps the sweep from removing an event until the caller's unit is done, in which it gets a delivery. Returns whether the event is still there. On
/// SQLite, units run one after another anyway.
///
/// # Errors
/// If the database does not respond.
pub async fn hold(tx: &mut Tx, event: &EventId) -> Result<bool, StoreError> {
    let sql = match tx.dialect() {
        Dialect::Sqlite => "SELECT id FROM events WHERE id = $1",
        Dialect::Postgres => "SELECT id FROM events WHERE id = $1 FOR NO KEY UPDATE",
    };
    let found: Option<String> = on!(tx, conn => sqlx::query_scalar(sql)
        .bind(event.as_str()).fetch_optional(conn).await)?;
    Ok(found.is_some())
}

/// Those of some events that no other unit holds, which are this one's now.
async fn take_free(tx: &mut Tx, found: &[String]) -> Result<Vec<String>, StoreError> {
    if tx.dialect() == Dialect::Sqlite || found.is_empty() {
        return Ok(found.to_vec());
    }
    on!(tx, conn => {
        let mut statement = QueryBuilder::new("SELECT id FROM events WHERE id IN (");
        let mut listed = statement.separated(", ");
        for event in found {
            listed.push_bind(event);
        }
        statement.push(") FOR UPDATE SKIP LOCKED");
        statement.build_query_scalar().fetch_all(conn).await
    })
}

/// Removes events that [`list_old`] has found, unless they have got a delivery since, or somebody is having one sent. Returns how many.
///
/// # Errors
/// If the database does not respond.
pub async fn remove_old(tx: &mut Tx, found: &[String], erased_before: Timestamp) -> Result<u64, StoreError> {
    // First, since any unit that had one locked before has committed its delivery by now: the statement that removes it sees that only if it begins
    // later.
    let free = take_free(tx, found).await?;
    if free.is_empty() {
        return Ok(0);
    }
    on!(tx, conn => {
        let mut statement = QueryBuilder::new("DELETE FROM events WHERE id IN (");
        let mut listed = statement.separated(", ");
        for event in &free {
            listed.push_bind(event);
        }
        statement.push(
            ") AND NOT EXISTS (SELECT 1 FROM deliveries WHERE deliveries.event_id = events.id)
             AND (session_id IS NULL OR EXISTS (
                 SELECT 1 FROM sessions WHERE sessions.id = events.session_id AND sessions.purged_at < ");
        statement.push_bind(erased_before.as_millis()).push("))");
        statement.build().execute(conn).await.map(|done| done.rows_affected())
    })
}
