//! A backlog of one kind of job does not delay those that somebody waits for.

use domain::{
    ids::TenantId,
    session::Step,
    tenant::TenantSettings,
    time::{Clock as _, Millis},
};
use service::{
    jobs::worker::{Lane, Worker},
    privacy::erase_now::erase_of_tenant,
};
use store::{
    StoreError,
    jobs::{self, JobKind, NewJob},
};
use testkit::{Harness, databases::backends, loopback_sender};

async fn enqueue(harness: &Harness, kind: JobKind, count: u32) {
    let now = harness.clock.now();
    let unit = harness.honnin.db().write(async move |tx| -> Result<(), StoreError> {
        for _ in 0..count {
            let job = NewJob {
                kind,
                subject: "nothing",
                run_at: now,
                dedup_key: None,
            };
            jobs::enqueue(tx, job).await?;
        }
        Ok(())
    });
    unit.await.unwrap();
}

/// What a worker with four slots claims at two polls.
async fn two_claims(harness: &Harness) -> [Vec<JobKind>; 2] {
    let worker = Worker::new(harness.honnin.clone(), Lane::Housekeeping, 4);
    let mut claims = [Vec::new(), Vec::new()];
    for claimed in &mut claims {
        claimed.extend(worker.run_once().await.unwrap().into_iter().map(|job| job.kind));
    }
    claims
}

#[tokio::test]
async fn neither_a_deadline_nor_an_erasure_waits_for_tenants_that_shorten_their_retention() {
    for database in backends().await {
        let name = database.name;
        let harness = Harness::on(database, Default::default(), loopback_sender(), Default::default()).await;
        enqueue(&harness, JobKind::BringErasuresForward, 100).await;
        enqueue(&harness, JobKind::Erase, 10).await;
        enqueue(&harness, JobKind::Expire, 1).await;
        enqueue(&harness, JobKind::ApplyRuling, 1).await;
        let claims = two_claims(&harness).await;
        let first = [
            JobKind::ApplyRuling,
            JobKind::BringErasuresForward,
            JobKind::Expire,
            JobKind::Erase,
        ];
        assert_eq!(claims[0], first, "{name}");
        let second = [JobKind::BringErasuresForward, JobKind::Erase, JobKind::Erase];
        assert_eq!(claims[1], second, "{name}: a slot is left for others");
    }
}

#[tokio::test]
async fn a_ruling_and_a_deadline_do_not_wait_for_a_thousand_erasures() {
    for database in backends().await {
        let name = database.name;
        let harness = Harness::on(database, Default::default(), loopback_sender(), Default::default()).await;
        enqueue(&harness, JobKind::Erase, 1_000).await;
        enqueue(&harness, JobKind::Expire, 2).await;
        enqueue(&harness, JobKind::ApplyRuling, 1).await;
        let claims = two_claims(&harness).await;
        let first = [JobKind::ApplyRuling, JobKind::Expire, JobKind::Expire, JobKind::Erase];
        assert_eq!(claims[0], first, "{name}");
        assert_eq!(claims[1], [JobKind::Erase; 3], "{name}: erasures leave a slot free");
    }
}

#[tokio::test]
async fn an_erasure_that_was_requested_does_not_wait_for_those_of_a_tenant_that_has_shortened_its_retention() {
    for database in backends().await {
        let name = database.name;
        let settings = TenantSettings {
            steps: Step::ALL.to_vec(),
            ..TenantSettings::default()
        };
        let harness = Harness::on(database, settings, loopback_sender(), Default::default()).await;
        let session = harness.create().await.id;
        enqueue(&harness, JobKind::Erase, 1_000).await;
        erase_of_tenant(&harness.honnin, &harness.caller().await, session.as_str())
            .await
            .unwrap();
        let worker = Worker::new(harness.honnin.clone(), Lane::Housekeeping, 4);
        let first = worker.run_once().await.unwrap().swap_remove(0);
        assert!(first.subject.starts_with(session.as_str()), "{name}: {first:?}");
        assert!(harness.detail(&session).await.session.purged_at.is_some(), "{name}");
    }
}

#[tokio::test]
async fn the_pictures_of_a_tenant_do_not_wait_for_a_thousand_of_another() {
    for database in backends().await {
        let name = database.name;
        let harness = Harness::on(database, Default::default(), loopback_sender(), Default::default()).await;
        let now = harness.clock.now();
        let unit = harness.honnin.db().write(async move |tx| -> Result<(), StoreError> {
            for (number, count) in [(1, 1_000), (2, 2), (3, 1)] {
                let tenant = TenantId::from_random([number; 16]);
                for picture in 0..count {
                    let subject = format!("of {number}, {picture}");
                    let job = NewJob {
                        kind: JobKind::Analyse,
                        subject: &subject,
                        run_at: now.plus(Millis(-1_000 / i64::from(number))),
                        dedup_key: None,
                    };
                    jobs::enqueue_round_robin(tx, &tenant, job).await?;
                }
            }
            Ok(())
        });
        unit.await.unwrap();
        // Alone in its process: its next turn is that of the tenant after the last one.
        let worker = Worker::new(harness.honnin.clone(), Lane::Decide, 1);
        let mut ran = Vec::new();
        for _ in 0..6 {
            let job = worker.run_once().await.unwrap().pop().unwrap();
            ran.push(job.subject[3..4].to_owned());
        }
        assert_eq!(ran.concat(), "123121", "{name}");
        let worker = Worker::new(harness.honnin.clone(), Lane::Decide, 4);
        let ran = worker.run_once().await.unwrap();
        assert_eq!(ran.len(), 4, "{name}: whoever waits alone takes every slot");
    }
}
