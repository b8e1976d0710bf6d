//! Statistics of a tenant's sessions for the console: how far people get, and how long decisions take. Nothing personal is read.

use crate::{
    StoreError,
    db::{Tx, day, on},
};
use domain::{
    funnel::FunnelStep,
    ids::TenantId,
    outcome::Source,
    time::{Millis, Timestamp},
};

/// The last step of a session that somebody took in any of its attempts, as SQL.
macro_rules! last_step {
    () => {
        "CASE
            WHEN sessions.status IN ('reviewing', 'completed') THEN 'decided'
            WHEN sessions.status = 'deciding' OR EXISTS (SELECT 1 FROM attempts
                WHERE attempts.session_id = sessions.id AND submitted_at IS NOT NULL) THEN 'submitted'
            WHEN EXISTS (SELECT 1 FROM captures
                WHERE captures.session_id = sessions.id AND slot = 'selfie' AND accepted_at IS NOT NULL) THEN 'selfie_taken'
            WHEN EXISTS (SELECT 1 FROM attempts
                WHERE attempts.session_id = sessions.id AND details_given) THEN 'details_given'
            WHEN EXISTS (SELECT 1 FROM captures
                WHERE captures.session_id = sessions.id AND slot = 'document-front' AND accepted_at IS NOT NULL)
                THEN 'document_sent'
            WHEN EXISTS (SELECT 1 FROM attempts
                WHERE attempts.session_id = sessions.id AND consented_at IS NOT NULL) THEN 'agreed'
            WHEN EXISTS (SELECT 1 FROM capture_cookies WHERE capture_cookies.session_id = sessions.id)
                OR EXISTS (SELECT 1 FROM attempts WHERE attempts.session_id = sessions.id) THEN 'opened'
            ELSE 'created' END"
    };
}
pub(super) use last_step;

/// Whether the user of a session can still continue at a time.
macro_rules! is_open {
    ($now:literal) => {
        concat!(
            "sessions.status IN ('created', 'collecting') AND sessions.expires_at > ",
            $now
        )
    };
}
pub(super) use is_open;

/// How many sessions got to a step and no further.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepCount {
    /// The last step they took.
    pub step: FunnelStep,
    /// Whether they can still continue.
    pub open: bool,
    /// How many.
    pub count: i64,
}

/// A tenant's sessions created since `from`, counted by the last step that somebody took in any of their attempts.
///
/// # Errors
/// If the database does not respond or the counts do not parse.
pub async fn count_by_step(
    tx: &mut Tx,
    tenant: &TenantId,
    from: Timestamp,
    now: Timestamp,
) -> Result<Vec<StepCount>, StoreError> {
    let rows: Vec<(String, i64, i64)> = on!(tx, conn => sqlx::query_as(
        concat!("SELECT step, open, COUNT(*) FROM (
            SELECT ", last_step!(), " AS step,
                CASE WHEN status = 'deciding' OR (", is_open!("$3"), ")
                    THEN CAST(1 AS BIGINT) ELSE CAST(0 AS BIGINT) END AS open
            FROM sessions WHERE tenant_id = $1 AND created_at >= $2) AS counted
         GROUP BY step, open ORDER BY step, open"))
        .bind(tenant.as_str()).bind(from.as_millis()).bind(now.as_millis()).fetch_all(conn).await)?;
    rows.into_iter()
        .map(|(step, open, count)| {
            Ok(StepCount {
                step: FunnelStep::parse(&step).ok_or(StoreError::Corrupt("an unknown step"))?,
                open: open == 1,
                count,
            })
        })
        .collect()
}

/// How long decisions took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DecisionTimes {
    /// Who decided.
    pub source: Source,
    /// How many decisions.
    pub count: i64,
    /// Half of them took at most this long.
    pub median: Millis,
    /// Nine in ten took at most this long.
    pub ninetieth: Millis,
}

/// Of each of a tenant's sessions created since `$2` that have a final decision: the day of it, how long it took from the submission, and
/// whether a person decided. Sessions that were completed with test data were never submitted and do not count.
macro_rules! decided {
    () => {
        concat!(
            "SELECT ",
            day!("sessions.completed_at"),
            " AS day, sessions.completed_at - attempts.submitted_at AS took,
                CASE WHEN sessions.outcome LIKE $3 THEN CAST(1 AS BIGINT) ELSE CAST(0 AS BIGINT) END AS by_person
         FROM sessions
         JOIN attempts ON attempts.session_id = sessions.id AND attempts.attempt = sessions.attempt
         WHERE sessions.tenant_id = $1 AND sessions.created_at >= $2 AND sessions.status = 'completed'
           AND sessions.completed_at >= attempts.submitted_at"
        )
    };
}

/// How an outcome shows that a person decided.
fn by_person() -> String {
    format!("%\"source\":\"{}\"%", Source::ManualReview)
}

const fn source_of(by_person: i64) -> Source {
    match by_person {
        1 => Source::ManualReview,
        _ => Source::Automatic,
    }
}

/// How long it took from the submission to the final decision, for the tenant's sessions created since `from`. Percentiles are by
/// nearest rank.
///
/// # Errors
/// If the database does not respond.
pub async fn decision_times(tx: &mut Tx, tenant: &TenantId, from: Timestamp) -> Result<Vec<DecisionTimes>, StoreError> {
    let rows: Vec<(i64, i64, i64, i64)> = on!(tx, conn => sqlx::query_as(
        concat!("SELECT by_person, MAX(total), MIN(CASE WHEN nth * 2 >= total THEN took END),
                MIN(CASE WHEN nth * 10 >= total * 9 THEN took END)
         FROM (SELECT by_person, took, COUNT(*) OVER (PARTITION BY by_person) AS total,
                      ROW_NUMBER() OVER (PARTITION BY by_person ORDER BY took) AS nth
               FROM (", decided!(), ") AS decided) AS ranked
         GROUP BY by_person ORDER BY by_person"))
        .bind(tenant.as_str()).bind(from.as_millis()).bind(by_person()).fetch_all(conn).await)?;
    let times = rows
        .into_iter()
        .map(|(by_person, count, median, ninetieth)| DecisionTimes {
            source: source_of(by_person),
            count,
            median: Millis(median),
            ninetieth: Millis(ninetieth),
        });
    Ok(times.collect())
}

/// How long the decisions of one day took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DecisionDay {
    /// Days since 1970, UTC.
    pub day: i64,
    /// Who decided.
    pub source: Source,
    /// Half of them took at most this long.
    pub median: Millis,
}

/// The same by the day of the decision, in their order.
///
/// # Errors
/// If the database does not respond.
pub async fn decision_times_by_day(
    tx: &mut Tx,
    tenant: &TenantId,
    from: Timestamp,
) -> Result<Vec<DecisionDay>, StoreError> {
    let rows: Vec<(i64, i64, i64)> = on!(tx, conn => sqlx::query_as(
        concat!("SELECT day, by_person, MIN(took)
         FROM (SELECT day, by_person, took, COUNT(*) OVER (PARTITION BY day, by_person) AS total,
                      ROW_NUMBER() OVER (PARTITION BY day, by_person ORDER BY took) AS nth
               FROM (", decided!(), ") AS decided) AS ranked
         WHERE nth * 2 >= total GROUP BY day, by_person ORDER BY day, by_person"))
        .bind(tenant.as_str()).bind(from.as_millis()).bind(by_person()).fetch_all(conn).await)?;
    let days = rows.into_iter().map(|(day, by_person, median)| DecisionDay {
        day,
        source: source_of(by_person),
        median: Millis(median),
    });
    Ok(days.collect())
}
