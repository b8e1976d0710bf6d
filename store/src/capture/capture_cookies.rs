//! Capture cookies: they tie one browser to one attempt of a session. Found by the SHA-256 of their value.

use crate::{
    StoreError,
    db::{Tx, on, row},
    ids,
};
use domain::{ids::SessionId, session::AttemptNumber, time::Timestamp};

/// A cookie as stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CookieRow {
    /// SHA-256 of its value.
    pub hash: Vec<u8>,
    /// Its session.
    pub session: SessionId,
    /// The attempt of that session.
    pub attempt: AttemptNumber,
    /// When the link was opened.
    pub created_at: Timestamp,
    /// When the browser was last seen.
    pub seen_at: Timestamp,
    /// When a reissued link replaced it.
    pub ended_at: Option<Timestamp>,
}

row! {
    struct Raw {
        hash: Vec<u8>,
        session_id: String,
        attempt: i64,
        created_at: i64,
        seen_at: i64,
        ended_at: Option<i64>,
    }
}

impl TryFrom<Raw> for CookieRow {
    type Error = StoreError;

    fn try_from(raw: Raw) -> Result<Self, StoreError> {
        Ok(Self {
            hash: raw.hash,
            session: ids::session_id(&raw.session_id)?,
            attempt: AttemptNumber::new(raw.attempt),
            created_at: Timestamp::from_millis(raw.created_at),
            seen_at: Timestamp::from_millis(raw.seen_at),
            ended_at: raw.ended_at.map(Timestamp::from_millis),
        })
    }
}

/// Stores a new cookie.
///
/// # Errors
/// [`StoreError::Duplicate`] if its hash is already in use.
pub async fn insert(tx: &mut Tx, cookie: &CookieRow) -> Result<(), StoreError> {
    on!(tx, conn => sqlx::query(
        "INSERT INTO capture_cookies (hash, session_id, attempt, created_at, seen_at) VALUES ($1, $2, $3, $4, $5)")
        .bind(&cookie.hash).bind(cookie.session.as_str()).bind(cookie.attempt.get())
        .bind(cookie.created_at.as_millis()).bind(cookie.seen_at.as_millis())
        .execute(conn).await.map(drop))
}

/// The cookie with this SHA-256, valid or not.
///
/// # Errors
/// If the database does not respond.
pub async fn find(tx: &mut Tx, hash: &[u8]) -> Result<Option<CookieRow>, StoreError> {
    let raw: Option<Raw> = on!(tx, conn => sqlx::query_as(
        "SELECT hash, session_id, attempt, created_at, seen_at, ended_at FROM capture_cookies WHERE hash = $1")
        .bind(hash).fetch_optional(conn).await)?;
    raw.map(CookieRow::try_from).transpose()
}

/// The cookie of the browser that has this attempt of a session. There is one at most: whoever opens a link ends the others. `None` if it was ended, or
/// nobody has opened a link.
///
/// # Errors
/// If the database does not respond.
pub async fn find_holder(
    tx: &mut Tx,
    session: &SessionId,
    attempt: AttemptNumber,
) -> Result<Option<CookieRow>, StoreError> {
    let raw: Option<Raw> = on!(tx, conn => sqlx::query_as(
        "SELECT hash, session_id, attempt, created_at, seen_at, ended_at FROM capture_cookies
         WHERE session_id = $1 AND attempt = $2 AND ended_at IS NULL ORDER BY created_at DESC LIMIT 1")
        .bind(session.as_str()).bind(attempt.get()).fetch_optional(conn).await)?;
    raw.map(CookieRow::try_from).transpose()
}

/// Records that the browser was seen.
///
/// # Errors
/// If the database does not respond.
pub async fn mark_seen(tx: &mut Tx, hash: &[u8], now: Timestamp) -> Result<(), StoreError> {
    on!(tx, conn => sqlx::query("UPDATE capture_cookies SET seen_at = $2 WHERE hash = $1 AND seen_at < $2")
        .bind(hash).bind(now.as_millis()).execute(conn).await.map(drop))
}

/// Ends every cookie of a session, because a new link replaces them.
///
/// # Errors
/// If the database does not respond.
pub async fn end_all(tx: &mut Tx, session: &SessionId, now: Timestamp) -> Result<(), StoreError> {
    on!(tx, conn => sqlx::query("UPDATE capture_cookies SET ended_at = $2 WHERE session_id = $1 AND ended_at IS NULL")
        .bind(session.as_str()).bind(now.as_millis()).execute(conn).await.map(drop))
}

/// Removes a session's cookies, as part of erasing it. Their attempts get a row without answers, if they have none yet: by it, the statistics
/// still count the link as opened.
///
/// # Errors
/// If the database does not respond.
pub async fn remove_all(tx: &mut Tx, session: &SessionId) -> Result<(), StoreError> {
    on!(tx, conn => sqlx::query(
        "INSERT INTO attempts (session_id, attempt, version)
         SELECT DISTINCT session_id, attempt, 1 FROM capture_cookies WHERE session_id = $1
         ON CONFLICT (session_id, attempt) DO NOTHING")
        .bind(session.as_str()).execute(conn).await.map(drop))?;
    on!(tx, conn => sqlx::query("DELETE FROM capture_cookies WHERE session_id = $1")
        .bind(session.as_str()).execute(conn).await.map(drop))
}
