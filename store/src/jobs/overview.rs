//! Viewing jobs without claiming them, and removing old ones.

use super::{JobKind, JobNumber, Moment, Row};
use crate::{
    StoreError,
    db::{Tx, on},
};
use domain::{
    delivery::DeliveryFault,
    time::{Millis, Timestamp},
};
use sqlx::QueryBuilder;

/// A job as the console and tests see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobState {
    /// Its number.
    pub number: JobNumber,
    /// What to do.
    pub kind: JobKind,
    /// The id of the object.
    pub subject: String,
    /// When it is due.
    pub run_at: Timestamp,
    /// How often it was claimed.
    pub attempt: i64,
    /// The worker that holds it.
    pub leased_by: Option<String>,
    /// When the lease ends.
    pub leased_until: Option<Timestamp>,
    /// When it was finished.
    pub finished_at: Option<Timestamp>,
    /// Why the last run did not finish it.
    pub last_error: Option<String>,
}

/// Whether a job of these kinds could be claimed now. Deliveries are not included.
///
/// # Errors
/// If the database does not respond.
pub async fn any_due(tx: &mut Tx, kinds: &[JobKind], at: Moment) -> Result<bool, StoreError> {
    if kinds.is_empty() {
        return Ok(false);
    }
    let (now, leases) = (at.now.as_millis(), at.leases.as_millis());
    let found: Option<i64> = on!(tx, conn => {
        let mut statement = QueryBuilder::new("SELECT id FROM (");
        // The first of each kind, as they are claimed: whatever PostgreSQL expects to find, it takes the index for an order.
        for (position, kind) in kinds.iter().enumerate() {
            statement.push(if position == 0 { "" } else { " UNION ALL " });
            statement.push("SELECT id FROM (SELECT id, run_at FROM jobs ");
            statement.push("WHERE finished_at IS NULL AND kind <> 'deliver' AND kind = ").push_bind(kind.as_str());
            statement.push(" AND run_at <= ").push_bind(now);
            statement.push(" AND (leased_until IS NULL OR leased_until <= ").push_bind(leases);
            statement.push(") ORDER BY run_at, id LIMIT 1) AS of_kind");
        }
        statement.push(") AS due LIMIT 1");
        statement.build_query_scalar().fetch_optional(conn).await
    })?;
    Ok(found.is_some())
}

/// The backlog of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backlog {
    /// Which kind.
    pub kind: JobKind,
    /// Jobs that are due and not finished.
    pub due: i64,
    /// How long the oldest of them has been due. Jobs that are due whatever the clock says have no time, and do not count.
    pub oldest: Millis,
}

/// The kinds that are indexed one by one; deliveries are indexed by tenant.
fn own_kinds() -> impl Iterator<Item = JobKind> {
    JobKind::ALL.iter().copied().filter(|kind| *kind != JobKind::Deliver)
}

/// The jobs that are due at `now` and not finished, held by a worker or not, by kind; kinds without any are left out, and those
/// that only a newer program knows.
///
/// # Errors
/// If the database does not respond.
pub async fn count_due(tx: &mut Tx, now: Timestamp) -> Result<Vec<Backlog>, StoreError> {
    let now_millis = now.as_millis();
    let rows: Vec<(String, i64, Option<i64>)> = on!(tx, conn => {
        let mut statement = QueryBuilder::new(
            "SELECT kind, COUNT(*) AS due, MIN(NULLIF(run_at, 0)) FROM jobs
             WHERE finished_at IS NULL AND kind = 'deliver' AND tenant_id >= '' AND run_at <= ");
        statement.push_bind(now_millis).push(" GROUP BY kind");
        for kind in own_kinds() {
            statement.push(
                " UNION ALL SELECT kind, COUNT(*), MIN(NULLIF(run_at, 0)) FROM jobs
                 WHERE finished_at IS NULL AND kind <> 'deliver' AND kind = ");
            statement.push_bind(kind.as_str()).push(" AND run_at <= ").push_bind(now_millis).push(" GROUP BY kind");
        }
        statement.push(" ORDER BY 1");
        statement.build_query_as().fetch_all(conn).await
    })?;
    let known = rows.into_iter().filter_map(|(kind, due, since)| {
        Some(Backlog {
            kind: JobKind::parse(&kind)?,
            due,
            oldest: since.map_or(Millis(0), |since| Millis(now.as_millis() - since)),
        })
    });
    Ok(known.collect())
}

/// The jobs of each kind that have failed this many times in a row or more, and wait for a run after `now` and until `until`; kinds without any are
/// left out, and those that only a newer program knows. With `until` soon, what is planned for later is not looked at.
///
/// A delivery that cannot be rendered is no failure here: the run came to its end and was stored as an attempt, with its fault.
///
/// # Errors
/// If the database does not respond.
pub async fn count_failing(
    tx: &mut Tx,
    failures: i64,
    now: Timestamp,
    until: Timestamp,
) -> Result<Vec<(JobKind, i64)>, StoreError> {
    let (after, until) = (now.as_millis(), until.as_millis());
    let rows: Vec<(String, i64)> = on!(tx, conn => {
        let mut statement = QueryBuilder::new("");
        for (position, kind) in JobKind::ALL.iter().enumerate() {
            let index = if *kind == JobKind::Deliver {
                "kind = 'deliver' AND tenant_id >= '' AND kind = "
            } else {
                "kind <> 'deliver' AND kind = "
            };
            statement.push(if position == 0 { "" } else { " UNION ALL " });
            statement.push("SELECT kind, COUNT(*) FROM jobs WHERE finished_at IS NULL AND ").push(index).push_bind(kind.as_str());
            statement.push(" AND run_at > ").push_bind(after).push(" AND run_at <= ").push_bind(until);
            statement.push(" AND failures >= ").push_bind(failures);
            statement.push(" AND COALESCE(last_error, '') <> ").push_bind(DeliveryFault::CannotRender.as_str());
            statement.push(" GROUP BY kind");
        }
        statement.push(" ORDER BY 1");
        statement.build_query_as().fetch_all(conn).await
    })?;
    let known = rows
        .into_iter()
        .filter_map(|(kind, count)| Some((JobKind::parse(&kind)?, count)));
    Ok(known.collect())
}

/// When the next job that nobody holds is due.
///
/// # Errors
/// If the database does not respond.
pub async fn find_next_due_at(tx: &mut Tx) -> Result<Option<Timestamp>, StoreError> {
    let next: Option<i64> = on!(tx, conn => {
        let mut statement = QueryBuilder::new(
            "SELECT MIN(run_at) FROM (
                 SELECT MIN(run_at) AS run_at FROM jobs
                 WHERE finished_at IS NULL AND kind = 'deliver' AND tenant_id >= '' AND leased_by IS NULL");
        for kind in own_kinds() {
            statement.push(
                " UNION ALL SELECT MIN(run_at) FROM jobs
                 WHERE finished_at IS NULL AND kind <> 'deliver' AND leased_by IS NULL AND kind = ");
            statement.push_bind(kind.as_str());
        }
        statement.push(") AS soonest");
        statement.build_query_scalar().fetch_one(conn).await
    })?;
    Ok(next.map(Timestamp::from_millis))
}

/// Up to `limit` unfinished jobs by due time, or all kinds of jobs of one subject, finished ones included. Kinds that only a newer
/// program knows are left out.
///
/// # Errors
/// If the database does not respond.
pub async fn list(tx: &mut Tx, subject: Option<&str>, limit: u32) -> Result<Vec<JobState>, StoreError> {
    let rows: Vec<Row> = on!(tx, conn => sqlx::query_as(
        "SELECT id, kind, subject, run_at, attempt, failures, leased_by, leased_until, finished_at, last_error FROM jobs
         WHERE ($1 IS NULL AND finished_at IS NULL) OR subject = $1 ORDER BY run_at, id LIMIT $2")
        .bind(subject).bind(i64::from(limit)).fetch_all(conn).await)?;
    let known = rows.into_iter().filter_map(|row| {
        Some(JobState {
            number: JobNumber(row.id),
            kind: JobKind::parse(&row.kind)?,
            subject: row.subject,
            run_at: Timestamp::from_millis(row.run_at),
            attempt: row.attempt,
            leased_by: row.leased_by,
            leased_until: row.leased_until.map(Timestamp::from_millis),
            finished_at: row.finished_at.map(Timestamp::from_millis),
            last_error: row.last_error,
        })
    });
    Ok(known.collect())
}

/// Removes jobs finished before `before`, at most `limit`. Returns how many.
///
/// # Errors
/// If the database does not respond.
pub async fn remove_finished(tx: &mut Tx, before: Timestamp, limit: u32) -> Result<u64, StoreError> {
    on!(tx, conn => sqlx::query(
        "DELETE FROM jobs WHERE id IN (SELECT id FROM jobs WHERE finished_at < $1 ORDER BY finished_at LIMIT $2)")
        .bind(before.as_millis()).bind(i64::from(limit))
        .execute(conn).await.map(|done| done.rows_affected()))
}

/// Whether an unfinished job of `kind` for `subject` is planned for exactly this time.
///
/// # Errors
/// If the database does not respond.
pub async fn is_planned(tx: &mut Tx, kind: JobKind, subject: &str, run_at: Timestamp) -> Result<bool, StoreError> {
    let found: Option<i64> = on!(tx, conn => sqlx::query_scalar(
        "SELECT id FROM jobs WHERE subject = $2 AND kind = $1 AND run_at = $3 AND finished_at IS NULL LIMIT 1")
        .bind(kind.as_str()).bind(subject).bind(run_at.as_millis())
        .fetch_optional(conn).await)?;
    Ok(found.is_some())
}

/// When the first unfinished job of `kind` for `subject` is due. `None` if there is none.
///
/// # Errors
/// If the database does not respond.
pub async fn find_planned_at(tx: &mut Tx, kind: JobKind, subject: &str) -> Result<Option<Timestamp>, StoreError> {
    let first: Option<i64> = on!(tx, conn => sqlx::query_scalar(
        "SELECT MIN(run_at) FROM jobs WHERE subject = $2 AND kind = $1 AND finished_at IS NULL")
        .bind(kind.as_str()).bind(subject)
        .fetch_one(conn).await)?;
    Ok(first.map(Timestamp::from_millis))
}

/// Makes the unfinished jobs of `kind` that nobody holds due at `now` if they are due after `latest`. Returns how many. Not those that are
/// planned for as long as a tenant wants: there is one for every session.
///
/// # Errors
/// If the database does not respond.
pub async fn bring_forward(tx: &mut Tx, kind: JobKind, latest: Timestamp, now: Timestamp) -> Result<u64, StoreError> {
    tx.wake_worker();
    // The kinds that each statement leaves out are those that its index leaves out, and what may not be brought forward.
    let sql = if kind == JobKind::Deliver {
        "UPDATE jobs SET run_at = $3 WHERE kind = $1 AND run_at > $2 AND finished_at IS NULL AND leased_by IS NULL
             AND kind NOT IN ('expire', 'erase', 'retain')"
    } else {
        "UPDATE jobs SET run_at = $3 WHERE kind = $1 AND run_at > $2 AND finished_at IS NULL AND leased_by IS NULL
             AND kind <> 'deliver' AND kind NOT IN ('expire', 'erase')"
    };
    on!(tx, conn => sqlx::query(sql)
        .bind(kind.as_str()).bind(latest.as_millis()).bind(now.as_millis())
        .execute(conn).await.map(|done| done.rows_affected()))
}

/// Ends the leases that would last beyond `latest`, by the clock of leases. Returns how many. A worker that still holds one loses its job.
///
/// # Errors
/// If the database does not respond.
pub async fn end_leases_after(tx: &mut Tx, latest: Timestamp) -> Result<u64, StoreError> {
    on!(tx, conn => sqlx::query(
        "UPDATE jobs SET leased_by = NULL, leased_until = NULL WHERE leased_until > $1 AND finished_at IS NULL")
        .bind(latest.as_millis())
        .execute(conn).await.map(|done| done.rows_affected()))
}
