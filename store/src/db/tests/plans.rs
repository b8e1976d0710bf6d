//! The queries that every node repeats are answered by PostgreSQL without a full table scan, whatever the planner's statistics say.

use super::*;
use crate::{
    audit, audit_chain, audit_export,
    jobs::{self, JobKind, Moment},
    settings::tenants,
    webhook::unsent,
};
use domain::{
    ids::{EventId, TenantId},
    time::Timestamp,
};
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

/// How many rows this connection has read by an index.
async fn rows_read(tx: &mut Tx, table: &'static str) -> Result<i64, StoreError> {
    on!(tx, conn => sqlx::query_scalar(
        "SELECT idx_tup_fetch FROM pg_stat_xact_user_tables WHERE relname = $1 AND schemaname = current_schema()")
        .bind(table).fetch_one(conn).await)
}

/// Two tenants, numbered 0 and 1.
const TENANTS: &str = "INSERT INTO tenants (id, name, livemode, created_at, version)
                       SELECT 'tn_' || LPAD(TO_HEX(i), 32, '0'), 'Shop ' || i, TRUE, 0, 0 FROM generate_series(0, 1) AS i";

fn tenant(number: u32) -> TenantId {
    TenantId::parse(&format!("tn_{number:032x}")).unwrap()
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
        let at = Moment::by_one_clock(Timestamp::from_millis(1_000_000));
        let due = jobs::any_due(tx, &[JobKind::Analyse, JobKind::Decide], at).await?;
        let tenants = jobs::list_tenants_round_robin(tx, at).await?;
        Ok::<_, StoreError>((due, tenants.len(), whole_reads(tx, "jobs").await? - before))
    });
    assert_eq!(unit.await.unwrap(), (false, 0, 0));
}

/// An earlier version had not linked them, and the server has not counted again since.
#[tokio::test]
async fn whether_entries_are_to_be_linked_is_known_without_reading_the_audit_log_after_many_were() {
    let fill = [
        "INSERT INTO audit (at, actor, action) SELECT i, 'system', 'session.read' FROM generate_series(1, 5000) AS i",
        "ANALYZE audit",
        "UPDATE audit SET position = number, hash = ''",
    ];
    let Some(backend) = filled(&fill).await else { return };
    let unit = backend.db.read(async |tx| {
        let before = whole_reads(tx, "audit").await?;
        let any = audit_chain::any_open(tx).await?;
        Ok::<_, StoreError>((any, whole_reads(tx, "audit").await? - before))
    });
    assert_eq!(unit.await.unwrap(), (false, 0));
}

/// Until the table is vacuumed, what was linked is still in the index of what is not.
#[tokio::test]
async fn whether_entries_are_to_be_linked_is_known_without_those_that_were_linked_before() {
    let fill = [
        "ALTER TABLE audit SET (autovacuum_enabled = FALSE)",
        "INSERT INTO audit (at, actor, action) SELECT i, 'system', 'session.read' FROM generate_series(1, 5000) AS i",
        "UPDATE audit SET position = number, hash = ''",
        "UPDATE audit_chain SET position = 5000",
        "INSERT INTO audit (at, actor, action) VALUES (5001, 'system', 'session.read')",
    ];
    let Some(backend) = filled(&fill).await else { return };
    let unit = backend.db.read(async |tx| {
        let any = audit_chain::any_open_within(tx, 100).await?;
        let looked_at: i64 = on!(tx, conn => sqlx::query_scalar(
            "SELECT pg_stat_get_xact_tuples_returned(CAST('audit_not_in_chain' AS REGCLASS))").fetch_one(conn).await)?;
        Ok::<_, StoreError>((any, looked_at))
    });
    let (any, looked_at) = unit.await.unwrap();
    assert!(any && looked_at <= 101, "{any}, {looked_at} entries looked at");
}

/// With the plan that the server makes once for all tenants.
#[tokio::test]
async fn the_newest_entries_of_a_quiet_tenant_are_not_looked_for_among_those_of_another() {
    let fill = [
        TENANTS,
        "INSERT INTO audit (at, tenant_id, actor, action)
         SELECT i, 'tn_' || LPAD('', 32, '0'), 'system', 'session.read' FROM generate_series(1, 5000) AS i",
        "ANALYZE audit",
    ];
    let Some(backend) = filled(&fill).await else { return };
    let unit = backend.db.read(async |tx| {
        execute(tx, "SET LOCAL plan_cache_mode = force_generic_plan").await?;
        let (quiet, always) = (tenant(1), Timestamp::from_millis(0));
        let before = (whole_reads(tx, "audit").await?, rows_read(tx, "audit").await?);
        let active = tenants::list_activity(tx, "", always, 10).await?;
        let last = active.iter().map(|one| one.last_at.map(Timestamp::as_millis));
        let last: Vec<_> = last.collect();
        let addresses = audit::list_key_addresses(tx, &quiet, always).await?;
        let searched = audit::find_searched_since(tx, &quiet).await?;
        assert_eq!((last, addresses, searched), (vec![Some(5000), None], Vec::new(), None));
        let after = (whole_reads(tx, "audit").await?, rows_read(tx, "audit").await?);
        Ok::<_, StoreError>((after.0 - before.0, after.1 - before.1))
    });
    // The last entry of the other tenant.
    assert_eq!(unit.await.unwrap(), (0, 1));
}

#[tokio::test]
async fn unsent_events_are_listed_page_by_page_without_those_of_the_pages_before() {
    let fill = [
        TENANTS,
        "INSERT INTO events (id, tenant_id, kind, created_at)
         SELECT 'evt_' || LPAD(TO_HEX(i), 32, '0'), 'tn_' || LPAD('', 32, '0'), 'webhook.test', i FROM generate_series(1, 5000) AS i",
        "INSERT INTO unsent_events (event_id, tenant_id, created_at) SELECT id, tenant_id, created_at FROM events",
        "ANALYZE unsent_events",
    ];
    let Some(backend) = filled(&fill).await else { return };
    let unit = backend.db.read(async |tx| {
        let last = EventId::parse(&format!("evt_{:032x}", 4_900)).unwrap();
        let after = (Timestamp::from_millis(4_900), last);
        let before = rows_read(tx, "unsent_events").await?;
        let listed = unsent::list(tx, &tenant(0), Some(&after), 10).await?;
        Ok::<_, StoreError>((listed.len(), rows_read(tx, "unsent_events").await? - before))
    });
    let (listed, read) = unit.await.unwrap();
    assert!(listed == 10 && read <= 10, "{listed} listed, {read} read");
}
