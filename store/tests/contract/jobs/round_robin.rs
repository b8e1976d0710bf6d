//! Pictures and decisions: claimed tenant by tenant.

use super::{at, by_one_clock, finish, list, subjects};
use domain::ids::TenantId;
use store::{
    Db,
    jobs::{self, Claim, Job, JobKind, NewJob},
};
use testkit::databases::{Backend, backends};

fn tenant(number: u8) -> TenantId {
    TenantId::from_random([number; 16])
}

async fn enqueue(db: &Db, number: u8, kind: JobKind, subject: &'static str, run_at: i64) {
    let (tenant, job) = (
        tenant(number),
        NewJob {
            kind,
            subject,
            run_at: at(run_at),
            dedup_key: Some(subject),
        },
    );
    db.write(async move |tx| jobs::enqueue_round_robin(tx, &tenant, job).await)
        .await
        .unwrap();
}

async fn claim(db: &Db, tenant: &str, now: i64, limit: u32) -> Vec<Job> {
    let tenant = tenant.to_owned();
    let claim = Claim {
        worker: "w",
        at: by_one_clock(now),
        until: at(now + 60),
        limit,
    };
    db.write(async move |tx| jobs::claim_round_robin(tx, &tenant, claim).await)
        .await
        .unwrap()
}

async fn due(db: &Db, now: i64) -> Vec<String> {
    let list = db.read(async move |tx| jobs::list_tenants_round_robin(tx, by_one_clock(now)).await);
    let mut tenants = list.await.unwrap();
    tenants.sort();
    tenants
}

#[tokio::test]
async fn tenants_with_pictures_or_decisions_are_found_and_claimed_one_by_one_oldest_first() {
    for Backend { name, db, .. } in backends().await {
        assert!(due(&db, 1_000).await.is_empty(), "{name}");
        let [one, two, three] = [1, 2, 3].map(|number| tenant(number).to_string());
        for (tenant, kind, subject, run_at) in [
            (1, JobKind::Analyse, "a", 50),
            (1, JobKind::Decide, "b", 10),
            (1, JobKind::Analyse, "c", 70),
            (2, JobKind::Decide, "d", 40),
            (3, JobKind::Analyse, "e", 500),
        ] {
            enqueue(&db, tenant, kind, subject, run_at).await;
        }
        // Of an older program, and of kinds that do not take turns.
        super::enqueue(&db, JobKind::Analyse, "old", 0, None).await;
        super::enqueue(&db, JobKind::Sweep, "s", 0, None).await;
        assert_eq!(due(&db, 9).await, [""], "{name}");
        assert_eq!(due(&db, 100).await, ["", &one, &two], "{name}");
        assert_eq!(subjects(&claim(&db, "", 100, 9).await), ["old"], "{name}");
        let claimed = claim(&db, &one, 100, 2).await;
        assert_eq!(subjects(&claimed), ["b", "a"], "{name}");
        assert_eq!((claimed[0].kind, claimed[0].attempt), (JobKind::Decide, 1), "{name}");
        assert_eq!(subjects(&claim(&db, &one, 100, 9).await), ["c"], "{name}");
        assert_eq!(due(&db, 100).await, std::slice::from_ref(&two), "{name}: held");
        finish(&db, &claimed[0], 110).await.unwrap();
        assert_eq!(due(&db, 160).await, ["", &one, &two], "{name}: the leases ran out");
        assert_eq!(due(&db, 500).await, ["", &one, &two, &three], "{name}");
        assert_eq!(claim(&db, &three, 499, 9).await, [], "{name}: not yet");
    }
}

#[tokio::test]
async fn a_picture_or_decision_is_pending_once_at_the_sooner_time_and_rings_the_worker() {
    for Backend { name, db, .. } in backends().await {
        let ring = db.jobs_changed().notified();
        tokio::pin!(ring);
        for run_at in [100, 50, 200] {
            enqueue(&db, 1, JobKind::Decide, "vs", run_at).await;
        }
        assert!(futures::poll!(ring.as_mut()).is_ready(), "{name}");
        let open = list(&db, None).await;
        assert_eq!(
            open.iter().map(|job| (job.kind, job.run_at)).collect::<Vec<_>>(),
            [(JobKind::Decide, at(50))],
            "{name}"
        );
    }
}
