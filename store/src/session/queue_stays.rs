//! When cases were in the review queue, for the daily backlog. A session enters it at most once in each attempt.

use crate::{
    StoreError,
    db::{Tx, day, on},
};
use domain::{
    ids::{SessionId, TenantId},
    session::Session,
    time::Timestamp,
};

/// A session enters the queue with its present attempt. No decision fails because a chart knows of it already.
///
/// # Errors
/// If the database does not respond.
pub async fn enter(tx: &mut Tx, session: &Session, now: Timestamp) -> Result<(), StoreError> {
    on!(tx, conn => sqlx::query(
        "INSERT INTO queue_stays (session_id, attempt, tenant_id, entered_at) VALUES ($1, $2, $3, $4)
         ON CONFLICT (session_id, attempt) DO NOTHING")
        .bind(session.id.as_str()).bind(session.attempt.get()).bind(session.tenant.as_str()).bind(now.as_millis())
        .execute(conn).await.map(drop))
}

/// A session leaves the queue, if it is in it.
///
/// # Errors
/// If the database does not respond.
pub async fn leave(tx: &mut Tx, session: &SessionId, now: Timestamp) -> Result<(), StoreError> {
    on!(tx, conn => sqlx::query("UPDATE queue_stays SET left_at = $2 WHERE session_id = $1 AND left_at IS NULL")
        .bind(session.as_str()).bind(now.as_millis()).execute(conn).await.map(drop))
}

/// By how much a tenant's queue grew on each day since `from`, which begins a day, in their order: days since 1970, UTC. What it was before
/// is on the day before.
///
/// # Errors
/// If the database does not respond.
pub async fn changes_by_day(tx: &mut Tx, tenant: &TenantId, from: Timestamp) -> Result<Vec<(i64, i64)>, StoreError> {
    on!(tx, conn => sqlx::query_as(concat!(
        "SELECT day, SUM(change) FROM (
             SELECT CASE WHEN entered_at < $2 THEN ", day!("$2"), " - 1 ELSE ", day!("entered_at"), " END AS day, 1 AS change
             FROM queue_stays WHERE tenant_id = $1 AND (left_at IS NULL OR left_at >= $2)
             UNION ALL
             SELECT ", day!("left_at"), ", -1 FROM queue_stays WHERE tenant_id = $1 AND left_at >= $2) AS changes
         GROUP BY day ORDER BY day"))
        .bind(tenant.as_str()).bind(from.as_millis()).fetch_all(conn).await)
}

/// Makes the stays agree with the sessions, for what a node of an earlier version has done meanwhile. Returns how many did not.
///
/// # Errors
/// If the database does not respond.
pub async fn repair(tx: &mut Tx, now: Timestamp) -> Result<u64, StoreError> {
    let left = on!(tx, conn => sqlx::query(
        "UPDATE queue_stays SET left_at = $1 WHERE left_at IS NULL AND NOT EXISTS (
             SELECT 1 FROM sessions WHERE sessions.id = queue_stays.session_id
                 AND sessions.attempt = queue_stays.attempt AND sessions.status = 'reviewing')")
        .bind(now.as_millis()).execute(conn).await.map(|done| done.rows_affected()))?;
    let entered = on!(tx, conn => sqlx::query(
        "INSERT INTO queue_stays (session_id, attempt, tenant_id, entered_at)
         SELECT id, attempt, tenant_id, COALESCE(waiting_since, created_at) FROM sessions
         WHERE status = 'reviewing' AND NOT EXISTS (SELECT 1 FROM queue_stays
             WHERE queue_stays.session_id = sessions.id AND queue_stays.attempt = sessions.attempt)
         ON CONFLICT (session_id, attempt) DO NOTHING")
        .execute(conn).await.map(|done| done.rows_affected()))?;
    Ok(left + entered)
}

/// Removes up to `limit` of the stays that ended before `before`. Returns how many.
///
/// # Errors
/// If the database does not respond.
pub async fn remove_ended(tx: &mut Tx, before: Timestamp, limit: u32) -> Result<u64, StoreError> {
    on!(tx, conn => sqlx::query(
        "DELETE FROM queue_stays WHERE (session_id, attempt) IN (
             SELECT session_id, attempt FROM queue_stays WHERE left_at < $1 LIMIT $2)")
        .bind(before.as_millis()).bind(i64::from(limit)).execute(conn).await.map(|done| done.rows_affected()))
}
