//! A backlog of one kind of job does not delay those that somebody waits for.

use domain::time::Clock as _;
use service::jobs::worker::{Lane, Worker};
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

#[tokio::test]
async fn a_ruling_and_a_deadline_do_not_wait_for_a_thousand_erasures() {
    for database in backends().await {
        let name = database.name;
        let harness = Harness::on(database, Default::default(), loopback_sender(), Default::default()).await;
        enqueue(&harness, JobKind::Erase, 1_000).await;
        enqueue(&harness, JobKind::Expire, 2).await;
        enqueue(&harness, JobKind::Rule, 1).await;
        let worker = Worker::new(harness.honnin.clone(), Lane::Housekeeping, 4);
        let mut claims = Vec::new();
        for _ in 0..2 {
            let ran = worker.run_once().await.unwrap();
            claims.push(ran.into_iter().map(|job| job.kind).collect::<Vec<_>>());
        }
        let first = [JobKind::Rule, JobKind::Expire, JobKind::Expire, JobKind::Erase];
        assert_eq!(claims[0], first, "{name}");
        assert_eq!(claims[1], [JobKind::Erase; 3], "{name}: erasures leave a slot free");
    }
}
