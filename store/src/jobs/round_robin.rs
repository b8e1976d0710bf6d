//! Pictures and decisions are claimed tenant by tenant. In a single queue, every tenant would wait for one that has sent a thousand pictures at once.

use super::{Claim, Job, Moment, NewJob, claim_for};
use crate::{
    StoreError,
    db::{Dialect, Tx, on},
};
use domain::ids::TenantId;

/// The condition of the index that serves these statements, written as it is there: SQLite compares the words.
macro_rules! is_open {
    ($kind:literal) => {
        concat!(
            "finished_at IS NULL AND kind IN ('analyse', 'decide') AND kind = '",
            $kind,
            "'"
        )
    };
}

/// The tenants with open jobs of a kind: two steps in the index for each, however many jobs those are.
macro_rules! tenants {
    ($name:literal, $kind:literal) => {
        concat!(
            $name,
            " (tenant) AS (
                 SELECT MIN(tenant_id) FROM jobs WHERE ",
            is_open!($kind),
            "    UNION ALL
                 SELECT (SELECT MIN(tenant_id) FROM jobs WHERE ",
            is_open!($kind),
            "            AND tenant_id > ",
            $name,
            ".tenant) FROM ",
            $name,
            " WHERE ",
            $name,
            ".tenant IS NOT NULL)"
        )
    };
}

/// Those of them with one that is due at `$1` and that nobody holds at `$2`.
macro_rules! with_due {
    ($name:literal, $kind:literal) => {
        concat!(
            "SELECT tenant FROM ",
            $name,
            " WHERE tenant IS NOT NULL AND (
                 SELECT run_at FROM jobs WHERE ",
            is_open!($kind),
            "    AND tenant_id = ",
            $name,
            ".tenant AND run_at <= $1
                 AND (leased_until IS NULL OR leased_until <= $2) ORDER BY run_at, id LIMIT 1) IS NOT NULL"
        )
    };
}

/// The first `$4` jobs of a kind of the tenant `$5` that are due at `$2` and that nobody holds at `$6`.
macro_rules! due_of_tenant {
    ($kind:literal, $lock:literal) => {
        concat!(
            "SELECT id, run_at FROM (SELECT id, run_at FROM jobs WHERE ",
            is_open!($kind),
            " AND tenant_id = $5 AND run_at <= $2 AND (leased_until IS NULL OR leased_until <= $6)
              ORDER BY run_at, id LIMIT $4 ",
            $lock,
            ") AS of_kind"
        )
    };
}

/// The first `$4` of both kinds.
macro_rules! due_round_robin {
    ($lock:literal) => {
        concat!(
            "SELECT id FROM (",
            due_of_tenant!("analyse", $lock),
            " UNION ALL ",
            due_of_tenant!("decide", $lock),
            ") AS of_tenant ORDER BY run_at, id LIMIT $4"
        )
    };
}

/// Adds a job of a tenant to this unit of work: a picture or a decision, with a key by which at most one is pending.
///
/// # Errors
/// If the database refuses or does not respond.
pub async fn enqueue_round_robin(tx: &mut Tx, tenant: &TenantId, job: NewJob<'_>) -> Result<(), StoreError> {
    on!(tx, conn => sqlx::query(upsert!(
        "(kind, subject, dedup_key, run_at, tenant_id) VALUES ($1, $2, $3, $4, $5)",
        ", tenant_id = excluded.tenant_id"))
        .bind(job.kind.as_str()).bind(job.subject).bind(job.dedup_key).bind(job.run_at.as_millis()).bind(tenant.as_str())
        .execute(conn).await.map(drop))?;
    if job.kind.is_prompt() {
        tx.wake_worker();
    }
    Ok(())
}

/// The tenants with pictures or decisions that could be claimed now, in no order. An empty name stands for those that an older program has
/// enqueued.
///
/// # Errors
/// If the database does not respond.
pub async fn list_tenants_round_robin(tx: &mut Tx, at: Moment) -> Result<Vec<String>, StoreError> {
    on!(tx, conn => sqlx::query_scalar(concat!(
        "WITH RECURSIVE ", tenants!("analyses", "analyse"), ", ", tenants!("decisions", "decide"),
        " ", with_due!("analyses", "analyse"), " UNION ", with_due!("decisions", "decide")))
        .bind(at.now.as_millis()).bind(at.leases.as_millis()).fetch_all(conn).await)
}

/// Claims due pictures and decisions of one tenant that nobody holds, oldest first.
///
/// # Errors
/// If the database does not respond.
pub async fn claim_round_robin(tx: &mut Tx, tenant: &str, claim: Claim<'_>) -> Result<Vec<Job>, StoreError> {
    let sql = match tx.dialect() {
        Dialect::Sqlite => claim_sql!(due_round_robin!("")),
        Dialect::Postgres => claim_sql!(due_round_robin!("FOR UPDATE SKIP LOCKED")),
    };
    claim_for(tx, sql, tenant, claim).await
}
