//! Background jobs as rows: enqueue in the unit that makes the job necessary, claim under a lease, finish in the unit of the
//! effect. A job runs at least once; a worker that lost its lease cannot finish it.

/// Adds a job; of one that is unfinished and has the same key, only the time changes, to an earlier one. `$more` sets further columns, or returns some.
macro_rules! upsert {
    ($job:literal, $more:literal) => {
        concat!(
            "INSERT INTO jobs ",
            $job,
            " ON CONFLICT (kind, dedup_key) WHERE finished_at IS NULL AND dedup_key IS NOT NULL
              DO UPDATE SET run_at = CASE WHEN excluded.run_at < jobs.run_at THEN excluded.run_at ELSE jobs.run_at END",
            $more
        )
    };
}

/// The columns of a job that was claimed.
macro_rules! claimed {
    () => {
        " RETURNING id, kind, subject, run_at, attempt, failures, leased_by, leased_until, finished_at, last_error"
    };
}

/// Releases a job until `$4`, with `$also` of what is counted.
macro_rules! release_sql {
    ($also:literal) => {
        concat!(
            "UPDATE jobs SET run_at = $4, last_error = $5, ",
            $also,
            ", leased_by = NULL, leased_until = NULL
             WHERE id = $1 AND leased_by = $2 AND attempt = $3 AND finished_at IS NULL"
        )
    };
}

/// Takes the jobs that `$due` selects by their ids, for the worker `$1` until `$3`. The selection runs once: Postgres would be free to run one
/// that is not materialised again for each job, and to take more than its limit.
macro_rules! claim_sql {
    ($due:expr) => {
        concat!(
            "WITH due AS MATERIALIZED (",
            $due,
            ") UPDATE jobs SET leased_by = $1, leased_until = $3, attempt = attempt + 1 WHERE id IN (SELECT id FROM due)",
            claimed!()
        )
    };
}

mod deliveries;
mod erasure_subject;
mod moment;
mod overview;
mod round_robin;

pub use deliveries::{claim_of_tenant, enqueue_delivery, list_tenants_due};
pub use erasure_subject::ErasureSubject;
pub(crate) use erasure_subject::erasure_subject;
pub use moment::{Moment, read_clock};
pub use overview::{
    Backlog, JobState, any_due, bring_forward, count_due, count_failing, end_leases_after, find_next_due_at,
    find_planned_at, is_planned, list, remove_finished,
};
pub use round_robin::{claim_round_robin, enqueue_round_robin, list_tenants_round_robin};

use crate::{
    StoreError,
    db::{Dialect, Tx, on, row},
};
use domain::time::Timestamp;
use sqlx::QueryBuilder;

domain::stored_vocabulary! {
    /// What kind of work a job is. Nodes of several versions share the jobs: a kind keeps the name under which it is stored, whatever it is called
    /// here.
    JobKind {
        /// Expire a session at its deadline.
        Expire = "expire",
        /// Read one uploaded picture.
        Analyse = "analyse",
        /// Decide a submitted session.
        Decide = "decide",
        /// Send one webhook event.
        Deliver = "deliver",
        /// Carry out a reviewer's decision that can no longer be undone.
        ApplyRuling = "rule",
        /// Erase a session.
        Erase = "erase",
        /// Bring a tenant's erasures forward after its retention period was shortened.
        BringErasuresForward = "retain",
        /// Clean up what crashes left behind.
        Sweep = "sweep",
        /// Correct the times of a session that were set by a doubtful clock.
        Redate = "redate",
        /// Record a sign-in whose second factor has not come.
        RecordPendingSignIn = "signin",
    }
}

impl JobKind {
    /// Whether somebody may be waiting for it. A deadline that is days away is found when the worker polls; waking the worker
    /// at every creation would cost more than the creation.
    const fn is_prompt(self) -> bool {
        !matches!(self, Self::Expire)
    }
}

/// A job's number, in the order of enqueueing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct JobNumber(pub i64);

/// Work to be done.
#[derive(Clone, Copy, Debug)]
pub struct NewJob<'a> {
    /// What to do.
    pub kind: JobKind,
    /// The id of the object. Never personal data.
    pub subject: &'a str,
    /// Not before this time.
    pub run_at: Timestamp,
    /// At most one unfinished job of a kind has this key; enqueueing another one only moves the pending one to an earlier time.
    /// A running job counts as unfinished, so use it only if the running job would see what the new one is about. Otherwise there is
    /// [`enqueue_unless_pending`].
    pub dedup_key: Option<&'a str>,
}

/// A job held under a lease.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    /// Its number.
    pub number: JobNumber,
    /// What to do.
    pub kind: JobKind,
    /// The id of the object.
    pub subject: String,
    /// When it was due.
    pub run_at: Timestamp,
    /// 1 in the first run; of a delivery that is sent again, one more than the attempts noted before. Fences off a worker whose lease
    /// expired. Runs that could do nothing are not counted ([`retry_uncounted_at`]).
    pub attempt: i64,
    /// The number of consecutive failures before this run. Runs that only postponed it are not failures.
    pub failures: i64,
    /// How many runs before this one were recorded as begun ([`note_begun`]) and did not end, because the process died during them.
    pub begun: i64,
    /// The worker that holds it.
    pub worker: String,
}

row! {
    struct Row {
        id: i64,
        kind: String,
        subject: String,
        run_at: i64,
        attempt: i64,
        failures: i64,
        leased_by: Option<String>,
        leased_until: Option<i64>,
        finished_at: Option<i64>,
        last_error: Option<String>,
    }
}

/// Stored in place of the reason, before the number of such runs, while a run is in progress that may not end. The end of the run replaces it.
const BEGUN: &str = "begun and not ended: ";

/// The number of consecutive runs that were recorded as begun and did not end.
fn begun(noted: Option<&str>) -> i64 {
    let number = noted.and_then(|noted| noted.strip_prefix(BEGUN));
    number.and_then(|number| number.parse().ok()).unwrap_or(0)
}

fn kind_of(text: &str) -> Result<JobKind, StoreError> {
    JobKind::parse(text).ok_or(StoreError::Corrupt("an unknown kind of job"))
}

/// Adds a job to this unit of work. For pictures and decisions there is [`enqueue_round_robin`].
///
/// # Errors
/// If the database refuses or does not respond.
pub async fn enqueue(tx: &mut Tx, job: NewJob<'_>) -> Result<JobNumber, StoreError> {
    let number: i64 = on!(tx, conn => sqlx::query_scalar(
        upsert!("(kind, subject, dedup_key, run_at) VALUES ($1, $2, $3, $4)", " RETURNING id"))
        .bind(job.kind.as_str()).bind(job.subject).bind(job.dedup_key).bind(job.run_at.as_millis())
        .fetch_one(conn).await)?;
    if job.kind.is_prompt() {
        tx.wake_worker();
    }
    Ok(JobNumber(number))
}

/// Adds a job to this unit of work, unless one of its kind for its subject is pending, which is only moved to an earlier time. A running one does not
/// count: it may not see what this unit has changed. So at most one is pending and not claimed yet, beside those that are running or whose worker died.
///
/// # Errors
/// If the database refuses or does not respond.
pub async fn enqueue_unless_pending(tx: &mut Tx, job: NewJob<'_>) -> Result<(), StoreError> {
    // It also keeps others from claiming the pending one before this unit is done.
    let pending = on!(tx, conn => sqlx::query(
        "UPDATE jobs SET run_at = CASE WHEN run_at > $3 THEN $3 ELSE run_at END
         WHERE subject = $2 AND kind = $1 AND finished_at IS NULL AND leased_by IS NULL")
        .bind(job.kind.as_str()).bind(job.subject).bind(job.run_at.as_millis())
        .execute(conn).await.map(|done| done.rows_affected()))?;
    if pending == 0 {
        return enqueue(tx, job).await.map(drop);
    }
    if job.kind.is_prompt() {
        tx.wake_worker();
    }
    Ok(())
}

/// A worker that claims jobs.
#[derive(Clone, Copy, Debug)]
pub struct Claim<'a> {
    /// Its name.
    pub worker: &'a str,
    /// Claims jobs that are due by then and not leased.
    pub at: Moment,
    /// When the lease ends, by the clock of leases.
    pub until: Timestamp,
    /// The maximum number to claim.
    pub limit: u32,
}

/// Claims due jobs of these kinds that nobody holds, oldest first. Commit before starting them. Jobs of a kind that this program does not know
/// are left to a newer one. Deliveries are not included: [`claim_of_tenant`].
///
/// # Errors
/// If the database does not respond.
pub async fn claim(tx: &mut Tx, kinds: &[JobKind], claim: Claim<'_>) -> Result<Vec<Job>, StoreError> {
    if kinds.is_empty() {
        return Ok(Vec::new());
    }
    let lock = match tx.dialect() {
        // Units run one after another.
        Dialect::Sqlite => "",
        // Jobs that another node is about to take are skipped.
        Dialect::Postgres => " FOR UPDATE SKIP LOCKED",
    };
    let (now, leases) = (claim.at.now.as_millis(), claim.at.leases.as_millis());
    let (until, limit) = (claim.until.as_millis(), i64::from(claim.limit));
    let rows: Vec<Row> = on!(tx, conn => {
        // Materialised, as in `claim_sql`.
        let mut statement = QueryBuilder::new("WITH due AS MATERIALIZED (SELECT id FROM (");
        // The first of each kind are next to each other in the index, however many there are of another one.
        for (position, kind) in kinds.iter().enumerate() {
            statement.push(if position == 0 { "" } else { " UNION ALL " });
            statement.push("SELECT id, run_at FROM (SELECT id, run_at FROM jobs ");
            statement.push("WHERE finished_at IS NULL AND kind <> 'deliver' AND kind = ").push_bind(kind.as_str());
            statement.push(" AND run_at <= ").push_bind(now);
            statement.push(" AND (leased_until IS NULL OR leased_until <= ").push_bind(leases);
            statement.push(") ORDER BY run_at, id LIMIT ").push_bind(limit).push(lock).push(") AS of_kind");
        }
        statement.push(") AS of_kinds ORDER BY run_at, id LIMIT ").push_bind(limit);
        statement.push(") UPDATE jobs SET leased_by = ").push_bind(claim.worker);
        statement.push(", leased_until = ").push_bind(until);
        statement.push(", attempt = attempt + 1 WHERE id IN (SELECT id FROM due)");
        statement.push(claimed!());
        statement.build_query_as().fetch_all(conn).await
    })?;
    to_jobs(rows, claim.worker)
}

/// Claims jobs of one tenant by a statement, oldest first.
async fn claim_for(tx: &mut Tx, sql: &'static str, tenant: &str, claim: Claim<'_>) -> Result<Vec<Job>, StoreError> {
    let rows: Vec<Row> = on!(tx, conn => sqlx::query_as(sql)
        .bind(claim.worker).bind(claim.at.now.as_millis()).bind(claim.until.as_millis()).bind(i64::from(claim.limit))
        .bind(tenant).bind(claim.at.leases.as_millis()).fetch_all(conn).await)?;
    to_jobs(rows, claim.worker)
}

/// The claimed jobs, oldest first.
fn to_jobs(mut rows: Vec<Row>, worker: &str) -> Result<Vec<Job>, StoreError> {
    rows.sort_by_key(|row| (row.run_at, row.id));
    rows.into_iter()
        .map(|row| {
            Ok(Job {
                number: JobNumber(row.id),
                kind: kind_of(&row.kind)?,
                subject: row.subject,
                run_at: Timestamp::from_millis(row.run_at),
                attempt: row.attempt,
                failures: row.failures,
                begun: begun(row.last_error.as_deref()),
                worker: worker.to_owned(),
            })
        })
        .collect()
}

/// Renews the lease of `job` until `lease_until`, by the clock of leases.
///
/// # Errors
/// [`StoreError::LeaseLost`] if another worker has it or it is finished.
pub async fn renew(tx: &mut Tx, job: &Job, lease_until: Timestamp) -> Result<(), StoreError> {
    let renewed = on!(tx, conn => sqlx::query(
        "UPDATE jobs SET leased_until = $4 WHERE id = $1 AND leased_by = $2 AND attempt = $3 AND finished_at IS NULL")
        .bind(job.number.0).bind(&job.worker).bind(job.attempt).bind(lease_until.as_millis())
        .execute(conn).await.map(|done| done.rows_affected()))?;
    held(renewed)
}

/// Records the start of a run of `job` that may crash the whole process, so that such runs can be counted. Commit before the run starts.
///
/// # Errors
/// [`StoreError::LeaseLost`] if another worker has it or it is finished.
pub async fn note_begun(tx: &mut Tx, job: &Job) -> Result<(), StoreError> {
    let noted = on!(tx, conn => sqlx::query(
        "UPDATE jobs SET last_error = $4 WHERE id = $1 AND leased_by = $2 AND attempt = $3 AND finished_at IS NULL")
        .bind(job.number.0).bind(&job.worker).bind(job.attempt).bind(format!("{BEGUN}{}", job.begun.saturating_add(1)))
        .execute(conn).await.map(|done| done.rows_affected()))?;
    held(noted)
}

/// Marks `job` done, in the unit of its effect: a lost lease then rolls the effect back.
///
/// # Errors
/// [`StoreError::LeaseLost`] if another worker has it or it is finished.
pub async fn finish(tx: &mut Tx, job: &Job, now: Timestamp) -> Result<(), StoreError> {
    end(tx, job, now, None).await
}

/// Ends `job` permanently without success. `reason` names the fault and contains no personal data.
///
/// # Errors
/// [`StoreError::LeaseLost`] if another worker has it or it is finished.
pub async fn give_up(tx: &mut Tx, job: &Job, now: Timestamp, reason: &str) -> Result<(), StoreError> {
    end(tx, job, now, Some(reason)).await
}

async fn end(tx: &mut Tx, job: &Job, now: Timestamp, reason: Option<&str>) -> Result<(), StoreError> {
    let ended = on!(tx, conn => sqlx::query(
        "UPDATE jobs SET finished_at = $4, last_error = $5, leased_by = NULL, leased_until = NULL
         WHERE id = $1 AND leased_by = $2 AND attempt = $3 AND finished_at IS NULL")
        .bind(job.number.0).bind(&job.worker).bind(job.attempt).bind(now.as_millis()).bind(reason)
        .execute(conn).await.map(|done| done.rows_affected()))?;
    held(ended)
}

/// Releases `job` until `run_at`. `reason` names the fault, if it failed, and contains no personal data.
///
/// # Errors
/// [`StoreError::LeaseLost`] if another worker has it or it is finished.
pub async fn retry_at(tx: &mut Tx, job: &Job, run_at: Timestamp, reason: Option<&str>) -> Result<(), StoreError> {
    let sql = release_sql!("failures = CASE WHEN $5 IS NULL THEN 0 ELSE failures + 1 END");
    release(tx, sql, job, run_at, reason).await
}

/// The same for a run that could do nothing, for a reason unrelated to its subject: it counts as a failure, but not as an attempt. No worker that
/// has lost the job can take it for the run that it had: the next run gets the number of this one, which is over.
///
/// # Errors
/// [`StoreError::LeaseLost`] if another worker has it or it is finished.
pub async fn retry_uncounted_at(tx: &mut Tx, job: &Job, run_at: Timestamp, reason: &str) -> Result<(), StoreError> {
    let sql = release_sql!("failures = failures + 1, attempt = attempt - 1");
    release(tx, sql, job, run_at, Some(reason)).await
}

async fn release(
    tx: &mut Tx,
    sql: &'static str,
    job: &Job,
    run_at: Timestamp,
    reason: Option<&str>,
) -> Result<(), StoreError> {
    let released = on!(tx, conn => sqlx::query(sql)
        .bind(job.number.0).bind(&job.worker).bind(job.attempt).bind(run_at.as_millis()).bind(reason)
        .execute(conn).await.map(|done| done.rows_affected()))?;
    held(released)?;
    tx.wake_worker();
    Ok(())
}

const fn held(rows: u64) -> Result<(), StoreError> {
    if rows == 1 { Ok(()) } else { Err(StoreError::LeaseLost) }
}

/// Ends the pending jobs of `kind` for `subject`; a running one continues. Returns how many were ended.
///
/// # Errors
/// If the database does not respond.
pub async fn cancel(tx: &mut Tx, kind: JobKind, subject: &str, now: Timestamp) -> Result<u64, StoreError> {
    on!(tx, conn => sqlx::query(
        "UPDATE jobs SET finished_at = $3, last_error = 'cancelled'
         WHERE subject = $2 AND kind = $1 AND finished_at IS NULL AND leased_by IS NULL")
        .bind(kind.as_str()).bind(subject).bind(now.as_millis())
        .execute(conn).await.map(|done| done.rows_affected()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_is_stored_under_the_name_that_other_versions_know() {
        let names = [
            "expire", "analyse", "decide", "deliver", "rule", "erase", "retain", "sweep", "redate", "signin",
        ];
        let stored: Vec<_> = JobKind::ALL.iter().map(|kind| kind.as_str()).collect();
        assert_eq!(stored, names);
        assert_eq!(names.map(JobKind::parse).map(Option::unwrap), JobKind::ALL);
    }
}
