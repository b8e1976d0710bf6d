//! The request log is bounded by count and by age, and never in the way.

use domain::{
    ids::{ApiKeyId, RequestId, TenantId},
    time::Millis,
};
use futures::FutureExt as _;
use service::{
    jobs::sweep,
    request_log::{self, kept},
    stored::{RequestEntry, RequestFilter},
};
use testkit::Harness;

fn entry(harness: &Harness, tenant: &TenantId) -> RequestEntry {
    RequestEntry {
        tenant: tenant.clone(),
        key: ApiKeyId::from_random([1; 16]),
        at: harness.honnin.now(),
        request: RequestId::from_random(harness.honnin.random_bytes()),
        method: "GET".into(),
        route: "/v1/events".into(),
        status: 200,
        error: None,
        duration_ms: 1,
        address: "192.0.2.1".into(),
    }
}

fn note(harness: &Harness, count: usize) {
    for _ in 0..count {
        request_log::note(&harness.honnin, entry(harness, &harness.tenant.id));
    }
}

async fn count(harness: &Harness) -> usize {
    let developer = harness.developer().await;
    let all = RequestFilter::default();
    let found = request_log::list(&harness.honnin, &developer, all, None, 100_000);
    found.await.unwrap().len()
}

#[tokio::test]
async fn a_tenant_keeps_its_newest_requests_and_no_other_tenant_loses_any_by_that() {
    let harness = Harness::new().await;
    let other = harness.another_tenant().await;
    request_log::note(&harness.honnin, entry(&harness, other.id()));
    let most = kept(&harness.honnin).most as usize;
    for _ in 0..12 {
        note(&harness, 1_000);
        request_log::write(&harness.honnin).await.unwrap();
    }
    assert_eq!(count(&harness).await, most);
    note(&harness, 999);
    assert_eq!(count(&harness).await, most + 999, "trimmed once in a thousand");
    sweep::plan(&harness.honnin).await.unwrap();
    harness.run_until_idle().await;
    assert_eq!(count(&harness).await, most, "and every hour");
    assert_eq!(
        harness
            .database
            .run("DELETE FROM request_log WHERE tenant_id <> (SELECT id FROM tenants WHERE name = 'Example Shop')")
            .await,
        1
    );
}

#[tokio::test]
async fn old_requests_leave_with_the_sweep() {
    let harness = Harness::new().await;
    sweep::plan(&harness.honnin).await.unwrap();
    note(&harness, 3);
    assert_eq!(count(&harness).await, 3);
    let age = kept(&harness.honnin).age;
    harness.wait(Millis(age.0 - Millis::hours(2).0)).await;
    note(&harness, 1);
    assert_eq!(count(&harness).await, 4);
    harness.wait(Millis::hours(3)).await;
    assert_eq!(count(&harness).await, 1);
}

#[tokio::test]
async fn when_nobody_writes_the_log_stays_within_its_memory() {
    let harness = Harness::new().await;
    note(&harness, 10_500);
    assert_eq!(count(&harness).await, 10_000);
    note(&harness, 1);
    assert_eq!(count(&harness).await, 10_001, "it goes on");
}

#[tokio::test]
async fn a_developer_who_leaves_the_page_takes_no_requests_along() {
    let harness = Harness::new().await;
    let developer = harness.developer().await;
    note(&harness, 1_200);
    let all = RequestFilter::default();
    let page = request_log::list(&harness.honnin, &developer, all, None, 100_000);
    assert!(page.now_or_never().is_none());
    assert_eq!(count(&harness).await, 1_200);
}

#[tokio::test]
async fn what_the_database_could_not_take_is_written_later() {
    const BREAK: &str = "CREATE TRIGGER broken BEFORE INSERT ON request_log WHEN NEW.status = 418
        BEGIN SELECT RAISE(ABORT, 'broken'); END";
    let harness = Harness::new().await;
    note(&harness, 600);
    let teapot = RequestEntry {
        status: 418,
        ..entry(&harness, &harness.tenant.id)
    };
    request_log::note(&harness.honnin, teapot);
    note(&harness, 600);
    harness.database.run(BREAK).await;
    request_log::write(&harness.honnin).await.unwrap_err();
    harness.database.run("DROP TRIGGER broken").await;
    assert_eq!(count(&harness).await, 1_201);
}
