//! What every node asks PostgreSQL again and again is answered without reading a whole table, whatever the server expects to find in it.

use super::*;
use crate::{
    audit_export,
    jobs::{self, JobKind},
};
use domain::time::Timestamp;
use testkit::databases::{postgres_address, postgres_server, run_at};

/// A database that was filled by these statements, if there is a server.
async fn filled(fill: &[&'static str]) -> Option<Backend> {
    let backend = Backend::open(postgres_address(&postgres_server()?).await).await;
    for statement in fill {
        run_at(&backend.url, statement).await;
    }
    Some(backend)
}

/// How often this connection has read a whole table.
async fn whole_reads(tx: &mut Tx, table: &'static str) -> Result<i64, StoreError> {
    on!(tx, conn => sqlx::query_scalar(
        "SELECT seq_scan FROM pg_stat_xact_user_tables WHERE relname = $1 AND schemaname = current_schema()")
        .bind(table).fetch_one(conn).await)
}

#[tokio::test]
async fn whether_there_is_something_to_export_is_known_without_reading_the_audit_log() {
    let fill = [
        "INSERT INTO audit (at, actor, action, position, hash)
         SELECT i, 'system', 'session.read', i, '' FROM generate_series(1, 5000) AS i",
        "UPDATE audit_chain SET position = 5000",
        "UPDATE audit_export SET position = 5000",
        "ANALYZE audit",
    ];
    let Some(backend) = filled(&fill).await else { return };
    let unit = backend.db.read(async |tx| {
        let before = whole_reads(tx, "audit").await?;
        let any = audit_export::any_new(tx).await?;
        Ok::<_, StoreError>((any, whole_reads(tx, "audit").await? - before))
    });
    assert_eq!(unit.await.unwrap(), (false, 0));
}

/// With the plan that the server makes once for a statement, whatever is asked for.
#[tokio::test]
async fn whether_a_job_is_due_is_known_without_reading_all_jobs() {
    let fill = [
        "INSERT INTO jobs (kind, subject, run_at, finished_at)
         SELECT 'analyse', 'vs_' || i, i, i FROM generate_series(1, 5000) AS i",
        "INSERT INTO jobs (kind, subject, run_at) SELECT 'expire', 'vs_' || i, 2000000 + i FROM generate_series(1, 5000) AS i",
        "ANALYZE jobs",
    ];
    let Some(backend) = filled(&fill).await else { return };
    let unit = backend.db.read(async |tx| {
        execute(tx, "SET LOCAL plan_cache_mode = force_generic_plan").await?;
        let before = whole_reads(tx, "jobs").await?;
        let now = Timestamp::from_millis(1_000_000);
        let due = jobs::any_due(tx, &[JobKind::Analyse, JobKind::Decide], now).await?;
        let tenants = jobs::list_tenants_round_robin(tx, now).await?;
        Ok::<_, StoreError>((due, tenants.len(), whole_reads(tx, "jobs").await? - before))
    });
    assert_eq!(unit.await.unwrap(), (false, 0, 0));
}
