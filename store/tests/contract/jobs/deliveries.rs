//! Deliveries: claimed tenant by tenant.

use super::{at, by_one_clock, finish, list};
use domain::ids::{EventId, TenantId};
use store::{
    Db,
    jobs::{self, Claim, Job, JobKind},
};
use testkit::databases::{Backend, backends};

fn tenant(number: u8) -> TenantId {
    TenantId::from_random([number; 16])
}

fn event(number: u8) -> EventId {
    EventId::from_random([number; 16])
}

async fn enqueue(db: &Db, tenant_number: u8, event_number: u8, run_at: i64) {
    let (tenant, event) = (tenant(tenant_number), event(event_number));
    db.write(async move |tx| jobs::enqueue_delivery(tx, &tenant, &event, at(run_at)).await)
        .await
        .unwrap();
}

pub(super) async fn claim(db: &Db, tenant: &str, now: i64, until: i64, limit: u32) -> Vec<Job> {
    let tenant = tenant.to_owned();
    let claim = Claim {
        worker: "w",
        at: by_one_clock(now),
        until: at(until),
        limit,
    };
    db.write(async move |tx| jobs::claim_of_tenant(tx, &tenant, claim).await)
        .await
        .unwrap()
}

async fn due(db: &Db, now: i64) -> Vec<String> {
    db.read(async move |tx| jobs::list_tenants_due(tx, by_one_clock(now)).await)
        .await
        .unwrap()
}

fn subjects(jobs: &[Job]) -> Vec<&str> {
    jobs.iter().map(|job| job.subject.as_str()).collect()
}

/// A plan of Postgres may run a subquery once for each job, and then its limit limits nothing.
#[tokio::test]
async fn no_more_are_claimed_than_asked_for_whatever_the_planner_expects() {
    for backend in backends().await {
        let (name, db) = (backend.name, &backend.db);
        enqueue(db, 1, 1, 0).await;
        backend.run("ANALYZE jobs").await;
        for event in 2..=40 {
            enqueue(db, 1, event, 0).await;
        }
        let claimed = claim(db, tenant(1).as_str(), 100, 160, 4).await;
        assert_eq!(claimed.len(), 4, "{name}");
    }
}

#[tokio::test]
async fn tenants_with_due_deliveries_are_found_oldest_first_and_claimed_one_by_one() {
    for Backend { name, db, .. } in backends().await {
        assert!(due(&db, 1_000).await.is_empty(), "{name}");
        for (tenant, event, run_at) in [(2, 1, 50), (2, 2, 10), (2, 3, 70), (1, 4, 40), (3, 5, 500)] {
            enqueue(&db, tenant, event, run_at).await;
        }
        let [one, two, three] = [1, 2, 3].map(|number| tenant(number).to_string());
        assert_eq!(due(&db, 9).await, Vec::<String>::new(), "{name}: not yet");
        assert_eq!(due(&db, 100).await, [two.clone(), one.clone()], "{name}");
        let claimed = claim(&db, &two, 100, 160, 2).await;
        assert_eq!(subjects(&claimed), [event(2).as_str(), event(1).as_str()], "{name}");
        assert_eq!((claimed[0].kind, claimed[0].attempt), (JobKind::Deliver, 1), "{name}");
        assert_eq!(
            due(&db, 100).await,
            [one.clone(), two.clone()],
            "{name}: held ones wait for nobody"
        );
        assert_eq!(
            subjects(&claim(&db, &two, 100, 160, 9).await),
            [event(3).as_str()],
            "{name}"
        );
        assert_eq!(due(&db, 100).await, std::slice::from_ref(&one), "{name}");
        finish(&db, &claimed[0], 110).await.unwrap();
        assert_eq!(
            due(&db, 160).await,
            [one.clone(), two.clone()],
            "{name}: the leases ran out"
        );
        assert_eq!(due(&db, 500).await, [one, two, three.clone()], "{name}");
        assert_eq!(claim(&db, &three, 499, 600, 9).await, [], "{name}: not yet");
    }
}

#[tokio::test]
async fn an_event_asked_for_again_has_one_delivery_at_the_sooner_time() {
    for Backend { name, db, .. } in backends().await {
        for run_at in [100, 50, 200] {
            enqueue(&db, 1, 1, run_at).await;
        }
        let open = list(&db, None).await;
        assert_eq!(
            open.iter().map(|job| (job.kind, job.run_at)).collect::<Vec<_>>(),
            [(JobKind::Deliver, at(50))],
            "{name}"
        );
        let ring = db.jobs_changed().notified();
        tokio::pin!(ring);
        enqueue(&db, 1, 2, 0).await;
        assert!(futures::poll!(ring.as_mut()).is_ready(), "{name}: the worker is rung");
    }
}

#[tokio::test]
async fn other_kinds_of_work_are_claimed_past_any_pile_of_deliveries_and_without_them() {
    for Backend { name, db, .. } in backends().await {
        for number in 0..20 {
            enqueue(&db, 1, number, 0).await;
        }
        super::enqueue(&db, JobKind::Sweep, "s", 5, None).await;
        assert_eq!(
            super::subjects(&super::claim(&db, "w", 10, 70, 50).await),
            ["s"],
            "{name}"
        );
    }
}
