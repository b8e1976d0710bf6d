//! One-time links: found by the SHA-256 of their token, before which its time may stand; the token itself is never stored.

use crate::{
    StoreError,
    db::{Tx, on, row},
    ids,
};
use domain::{ids::SessionId, time::Timestamp};
use std::ops::RangeInclusive;

/// A link as stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkRow {
    /// SHA-256 of the token, after the time that it begins with, if it is a dated one.
    pub hash: Vec<u8>,
    /// The session it opens.
    pub session: SessionId,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it expires.
    pub expires_at: Timestamp,
    /// When it was opened.
    pub used_at: Option<Timestamp>,
    /// When a reissued link replaced it.
    pub killed_at: Option<Timestamp>,
}

impl LinkRow {
    /// Whether it can still be opened at `now`.
    #[must_use]
    pub fn is_open(&self, now: Timestamp) -> bool {
        self.used_at.is_none() && self.killed_at.is_none() && now < self.expires_at
    }
}

row! {
    struct Raw {
        hash: Vec<u8>,
        session_id: String,
        created_at: i64,
        expires_at: i64,
        used_at: Option<i64>,
        killed_at: Option<i64>,
    }
}

impl TryFrom<Raw> for LinkRow {
    type Error = StoreError;

    fn try_from(raw: Raw) -> Result<Self, StoreError> {
        Ok(Self {
            hash: raw.hash,
            session: ids::session_id(&raw.session_id)?,
            created_at: Timestamp::from_millis(raw.created_at),
            expires_at: Timestamp::from_millis(raw.expires_at),
            used_at: raw.used_at.map(Timestamp::from_millis),
            killed_at: raw.killed_at.map(Timestamp::from_millis),
        })
    }
}

/// Stores a new link.
///
/// # Errors
/// [`StoreError::Duplicate`] if its hash is already in use.
pub async fn insert(tx: &mut Tx, link: &LinkRow) -> Result<(), StoreError> {
    on!(tx, conn => sqlx::query("INSERT INTO links (hash, session_id, created_at, expires_at) VALUES ($1, $2, $3, $4)")
        .bind(&link.hash).bind(link.session.as_str())
        .bind(link.created_at.as_millis()).bind(link.expires_at.as_millis())
        .execute(conn).await.map(drop))
}

/// The link with this hash, open or not.
///
/// # Errors
/// If the database does not respond.
pub async fn find(tx: &mut Tx, hash: &[u8]) -> Result<Option<LinkRow>, StoreError> {
    let raw: Option<Raw> = on!(tx, conn => sqlx::query_as(
        "SELECT hash, session_id, created_at, expires_at, used_at, killed_at FROM links WHERE hash = $1")
        .bind(hash).fetch_optional(conn).await)?;
    raw.map(LinkRow::try_from).transpose()
}

/// Uses up the link if it is still open at `now`. Returns whether this call did it: of several, one wins.
///
/// # Errors
/// If the database does not respond.
pub async fn use_once(tx: &mut Tx, hash: &[u8], now: Timestamp) -> Result<bool, StoreError> {
    on!(tx, conn => sqlx::query(
        "UPDATE links SET used_at = $2 WHERE hash = $1 AND used_at IS NULL AND killed_at IS NULL AND expires_at > $2")
        .bind(hash).bind(now.as_millis())
        .execute(conn).await.map(|done| done.rows_affected() == 1))
}

/// Invalidates every unopened link of a session, including one stored for a retry.
///
/// # Errors
/// If the database does not respond.
pub async fn kill_all(tx: &mut Tx, session: &SessionId, now: Timestamp) -> Result<(), StoreError> {
    on!(tx, conn => sqlx::query(
        "UPDATE links SET killed_at = $2 WHERE session_id = $1 AND used_at IS NULL AND killed_at IS NULL")
        .bind(session.as_str()).bind(now.as_millis())
        .execute(conn).await.map(drop))?;
    crate::session::idempotency::forget_link(tx, session).await
}

/// Dates a session's unopened links again, as if they had been made at `now`: each lasts as long as it was to last, but not beyond `deadline`. Those
/// that were made at a time that is `right` stay as they are.
///
/// # Errors
/// If the database does not respond.
pub async fn redate(
    tx: &mut Tx,
    session: &SessionId,
    now: Timestamp,
    deadline: Timestamp,
    right: &RangeInclusive<Timestamp>,
) -> Result<(), StoreError> {
    on!(tx, conn => sqlx::query(
        "UPDATE links SET created_at = $2,
             expires_at = CASE WHEN $2 + expires_at - created_at < $3 THEN $2 + expires_at - created_at ELSE $3 END
         WHERE session_id = $1 AND used_at IS NULL AND killed_at IS NULL AND NOT (created_at >= $4 AND created_at <= $5)")
        .bind(session.as_str()).bind(now.as_millis()).bind(deadline.as_millis())
        .bind(right.start().as_millis()).bind(right.end().as_millis())
        .execute(conn).await.map(drop))
}

/// A session's links, oldest first.
///
/// # Errors
/// If the database does not respond.
pub async fn list(tx: &mut Tx, session: &SessionId) -> Result<Vec<LinkRow>, StoreError> {
    let raw: Vec<Raw> = on!(tx, conn => sqlx::query_as(
        "SELECT hash, session_id, created_at, expires_at, used_at, killed_at
         FROM links WHERE session_id = $1 ORDER BY created_at, hash")
        .bind(session.as_str()).fetch_all(conn).await)?;
    raw.into_iter().map(LinkRow::try_from).collect()
}

/// Removes a session's links, as part of erasing it.
///
/// # Errors
/// If the database does not respond.
pub async fn remove_all(tx: &mut Tx, session: &SessionId) -> Result<(), StoreError> {
    on!(tx, conn => sqlx::query("DELETE FROM links WHERE session_id = $1")
        .bind(session.as_str()).execute(conn).await.map(drop))
}
