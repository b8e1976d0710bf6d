//! Deliveries are claimed tenant by tenant. In a single queue, the backlog of one silent receiver would have to be searched or
//! moved aside again and again before another tenant's webhook is found; here it is neither read nor written until its turn.

use super::{Claim, Job, JobKind, Moment, claim_for};
use crate::{
    StoreError,
    db::{Dialect, Tx, on},
};
use domain::{
    ids::{EventId, TenantId},
    time::Timestamp,
};

/// Adds the job for an event's next attempt, not before `run_at`. An event has at most one: enqueueing again only moves the
/// pending one to an earlier time. A new one counts its runs on from the attempts that the delivery has noted, so that a run which noted
/// none is found again ([`Job::attempt`]).
///
/// # Errors
/// If the database refuses or does not respond.
pub async fn enqueue_delivery(
    tx: &mut Tx,
    tenant: &TenantId,
    event: &EventId,
    run_at: Timestamp,
) -> Result<(), StoreError> {
    on!(tx, conn => sqlx::query(upsert!(
        "(kind, subject, dedup_key, run_at, tenant_id, attempt)
         VALUES ($1, $2, $2, $3, $4, COALESCE((SELECT attempts FROM deliveries WHERE event_id = $2), 0))",
        ", tenant_id = excluded.tenant_id"))
        .bind(JobKind::Deliver.as_str()).bind(event.as_str()).bind(run_at.as_millis()).bind(tenant.as_str())
        .execute(conn).await.map(drop))?;
    tx.wake_worker();
    Ok(())
}

/// The tenants with deliveries that could be claimed now, the one that has waited longest first. An empty name stands for
/// deliveries enqueued by an older program. Two steps in an index for each tenant with unfinished deliveries, however many
/// those are.
///
/// # Errors
/// If the database does not respond.
pub async fn list_tenants_due(tx: &mut Tx, at: Moment) -> Result<Vec<String>, StoreError> {
    on!(tx, conn => sqlx::query_scalar(
        "WITH RECURSIVE waiting (tenant) AS (
             SELECT MIN(tenant_id) FROM jobs WHERE finished_at IS NULL AND kind = 'deliver'
             UNION ALL
             SELECT (SELECT MIN(tenant_id) FROM jobs
                     WHERE finished_at IS NULL AND kind = 'deliver' AND tenant_id > waiting.tenant)
             FROM waiting WHERE waiting.tenant IS NOT NULL),
         heads (tenant, due) AS (
             SELECT tenant, (SELECT run_at FROM jobs
                             WHERE finished_at IS NULL AND kind = 'deliver' AND tenant_id = waiting.tenant AND run_at <= $1
                               AND (leased_until IS NULL OR leased_until <= $2) ORDER BY run_at, id LIMIT 1)
             FROM waiting WHERE tenant IS NOT NULL)
         SELECT tenant FROM heads WHERE due IS NOT NULL ORDER BY due, tenant")
        .bind(at.now.as_millis()).bind(at.leases.as_millis()).fetch_all(conn).await)
}

/// Up to `$4` deliveries of the tenant `$5` due at `$2` that nobody holds at `$6`. Those that another node is about to take are skipped; on SQLite
/// units run one after another anyway.
macro_rules! due_of_tenant {
    ($lock:literal) => {
        concat!(
            "SELECT id FROM jobs WHERE finished_at IS NULL AND kind = 'deliver' AND tenant_id = $5 AND run_at <= $2
             AND (leased_until IS NULL OR leased_until <= $6) ORDER BY run_at, id LIMIT $4 ",
            $lock
        )
    };
}

/// Claims due deliveries of one tenant that nobody holds, oldest first.
///
/// # Errors
/// If the database does not respond.
pub async fn claim_of_tenant(tx: &mut Tx, tenant: &str, claim: Claim<'_>) -> Result<Vec<Job>, StoreError> {
    let sql = match tx.dialect() {
        Dialect::Sqlite => claim_sql!(due_of_tenant!("")),
        Dialect::Postgres => claim_sql!(due_of_tenant!("FOR UPDATE SKIP LOCKED")),
    };
    claim_for(tx, sql, tenant, claim).await
}
