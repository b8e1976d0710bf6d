//! Sessions that have ended and whose personal data has not been erased yet, for a change of the retention period.

use crate::{
    StoreError,
    db::{Tx, on},
    ids,
    jobs::{JobKind, erasure_subject},
};
use domain::{
    ids::{SessionId, TenantId},
    session::AttemptNumber,
    time::{Millis, Timestamp},
};

/// A session that has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended {
    /// Its id.
    pub id: SessionId,
    /// The attempt in which it ended.
    pub attempt: AttemptNumber,
    /// When it was created: the order of the list.
    pub created_at: Timestamp,
    /// When it ended.
    pub ended_at: Timestamp,
}

/// When a session ended: its decision, its deadline, or the event of its failure.
macro_rules! ended_at {
    () => {
        "COALESCE(completed_at, CASE WHEN status = 'expired' THEN expires_at END,
             (SELECT MAX(events.created_at) FROM events WHERE events.session_id = sessions.id), created_at)"
    };
}

/// A tenant's sessions that have ended and are not erased, by creation, after `after`.
///
/// # Errors
/// If the database does not respond.
pub async fn list(
    tx: &mut Tx,
    tenant: &TenantId,
    after: Option<(Timestamp, &SessionId)>,
    limit: u32,
) -> Result<Vec<Ended>, StoreError> {
    let (at, id) = after.map_or((i64::MIN, ""), |(at, id)| (at.as_millis(), id.as_str()));
    let rows: Vec<(String, i64, i64, i64)> = on!(tx, conn => sqlx::query_as(concat!(
        "SELECT id, attempt, created_at, ", ended_at!(), " FROM sessions
         WHERE tenant_id = $1 AND (created_at, id) > ($2, $3) AND purged_at IS NULL
             AND status IN ('completed', 'expired', 'failed')
         ORDER BY created_at, id LIMIT $4"))
        .bind(tenant.as_str()).bind(at).bind(id).bind(i64::from(limit)).fetch_all(conn).await)?;
    rows.into_iter()
        .map(|(id, attempt, created_at, ended_at)| {
            Ok(Ended {
                id: ids::session_id(&id)?,
                attempt: AttemptNumber::new(attempt),
                created_at: Timestamp::from_millis(created_at),
                ended_at: Timestamp::from_millis(ended_at),
            })
        })
        .collect()
}

/// How many of those sessions are erased by each of these times if they are kept for `period` after their end: earlier if that is planned, since a
/// longer period leaves what is planned as it is.
///
/// # Errors
/// If the database does not respond.
pub async fn count_erasures(
    tx: &mut Tx,
    tenant: &TenantId,
    period: Millis,
    by: [Timestamp; 3],
) -> Result<[i64; 3], StoreError> {
    let [first, second, third] = by.map(Timestamp::as_millis);
    // With a limit, the innermost query is one of its own, and looks each erasure up once: the databases would repeat that wherever its
    // columns are used.
    let counts: (i64, i64, i64) = on!(tx, conn => sqlx::query_as(concat!(
        "SELECT COUNT(CASE WHEN erased_at <= $4 THEN 1 END), COUNT(CASE WHEN erased_at <= $5 THEN 1 END),
             COUNT(CASE WHEN erased_at <= $6 THEN 1 END)
         FROM (SELECT CASE WHEN planned_at < ended_at + $2 THEN planned_at ELSE ended_at + $2 END AS erased_at
               FROM (SELECT ", ended_at!(), " AS ended_at,
                         (SELECT MIN(jobs.run_at) FROM jobs WHERE jobs.kind = $3 AND jobs.finished_at IS NULL
                              AND jobs.subject = ", erasure_subject!(), ") AS planned_at
                     FROM sessions
                     WHERE tenant_id = $1 AND purged_at IS NULL AND status IN ('completed', 'expired', 'failed')
                     LIMIT 9223372036854775807) AS ended
              ) AS erasure"))
        .bind(tenant.as_str()).bind(period.0).bind(JobKind::Erase.as_str()).bind(first).bind(second).bind(third)
        .fetch_one(conn).await)?;
    Ok(counts.into())
}
