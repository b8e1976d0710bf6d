//! A job is held by one worker at a time, and a worker that lost it can do nothing more.

use super::{at, by_one_clock, claim, enqueue, finish, list, renew, retry_at};
use domain::ids::{EventId, TenantId};
use std::collections::HashMap;
use store::{
    StoreError,
    jobs::{self, Claim, JobKind, JobNumber, Moment, NewJob},
};
use testkit::databases::{Backend, backends};

#[tokio::test]
async fn a_lease_that_ran_out_goes_to_the_next_worker_and_fences_the_first() {
    for Backend { name, db, .. } in backends().await {
        enqueue(&db, JobKind::Analyse, "evt", 0, None).await;
        let first = claim(&db, "w1", 10, 70, 1).await.remove(0);
        assert!(claim(&db, "w2", 69, 130, 1).await.is_empty(), "{name}");
        let second = claim(&db, "w2", 70, 130, 1).await.remove(0);
        assert_eq!(second.attempt, 2, "{name}");
        assert!(
            matches!(finish(&db, &first, 80).await, Err(StoreError::LeaseLost)),
            "{name}"
        );
        assert!(
            matches!(renew(&db, &first, 200).await, Err(StoreError::LeaseLost)),
            "{name}"
        );
        assert!(
            matches!(retry_at(&db, &first, 200, "late").await, Err(StoreError::LeaseLost)),
            "{name}"
        );
        finish(&db, &second, 80).await.unwrap();
        assert!(
            matches!(finish(&db, &second, 81).await, Err(StoreError::LeaseLost)),
            "{name}: finished twice"
        );
        assert!(claim(&db, "w1", 1_000, 2_000, 1).await.is_empty(), "{name}");
    }
}

/// Planted fault that this test detects: a statement that compares the end of a lease with the worker's own time.
#[tokio::test]
async fn a_lease_ends_by_the_clock_of_leases_whatever_time_it_is_for_the_worker() {
    for Backend { name, db, .. } in backends().await {
        let tenant = TenantId::from_random([1; 16]);
        enqueue(&db, JobKind::Expire, "vs", 0, None).await;
        let owner = tenant.clone();
        let added: Result<(), StoreError> = db
            .write(async move |tx| {
                let picture = NewJob {
                    kind: JobKind::Analyse,
                    subject: "cap",
                    run_at: at(0),
                    dedup_key: Some("cap"),
                };
                jobs::enqueue_round_robin(tx, &owner, picture).await?;
                jobs::enqueue_delivery(tx, &owner, &EventId::from_random([1; 16]), at(0)).await
            })
            .await;
        added.unwrap();
        let take = async |moment: Moment, until: i64| {
            let owner = tenant.clone();
            let unit = db.write(async move |tx| -> Result<_, StoreError> {
                let claim = Claim {
                    worker: "w",
                    at: moment,
                    until: at(until),
                    limit: 10,
                };
                let seen = [
                    jobs::any_due(tx, &[JobKind::Expire], moment).await?,
                    !jobs::list_tenants_due(tx, moment).await?.is_empty(),
                    !jobs::list_tenants_round_robin(tx, moment).await?.is_empty(),
                ];
                let mut taken = jobs::claim(tx, &[JobKind::Expire], claim).await?;
                taken.extend(jobs::claim_of_tenant(tx, owner.as_str(), claim).await?);
                taken.extend(jobs::claim_round_robin(tx, owner.as_str(), claim).await?);
                Ok((seen, taken.len()))
            });
            unit.await.unwrap()
        };
        assert_eq!(take(by_one_clock(10), 70).await, ([true; 3], 3), "{name}");
        let ahead = Moment {
            now: at(1_000),
            leases: at(69),
        };
        assert_eq!(take(ahead, 130).await, ([false; 3], 0), "{name}: they are held");
        let behind = Moment {
            now: at(10),
            leases: at(70),
        };
        assert_eq!(take(behind, 130).await, ([true; 3], 3), "{name}: the leases ran out");
    }
}

#[tokio::test]
async fn a_database_server_has_a_clock_and_a_file_has_none() {
    for Backend { name, db, .. } in backends().await {
        let unit = db.read(async |tx| -> Result<_, StoreError> {
            Ok([jobs::read_clock(tx).await?, jobs::read_clock(tx).await?])
        });
        let [first, second] = unit.await.unwrap();
        assert_eq!([first, second].map(|shown| shown.is_some()), [name == "postgres"; 2]);
        assert!(first <= second, "{name}");
        // The 9th of September 2001, in milliseconds.
        assert!(
            first.is_none_or(|first| first > at(1_000_000_000_000)),
            "{name}: {first:?}"
        );
    }
}

#[tokio::test]
async fn the_same_worker_is_fenced_from_its_own_earlier_attempt() {
    for Backend { name, db, .. } in backends().await {
        enqueue(&db, JobKind::Analyse, "cap", 0, None).await;
        let first = claim(&db, "w", 10, 70, 1).await.remove(0);
        let second = claim(&db, "w", 70, 130, 1).await.remove(0);
        assert!(
            matches!(finish(&db, &first, 80).await, Err(StoreError::LeaseLost)),
            "{name}"
        );
        finish(&db, &second, 80).await.unwrap();
    }
}

#[tokio::test]
async fn a_run_that_is_not_counted_is_a_failure_and_opens_the_fence_for_nobody() {
    for Backend { name, db, .. } in backends().await {
        enqueue(&db, JobKind::Analyse, "cap", 0, None).await;
        let stale = claim(&db, "w", 10, 70, 1).await.remove(0);
        let second = claim(&db, "w", 70, 130, 1).await.remove(0);
        let done: Result<(), StoreError> = db
            .write(async move |tx| jobs::retry_uncounted_at(tx, &second, at(80), "no key").await)
            .await;
        done.unwrap();
        let third = claim(&db, "w", 80, 140, 1).await.remove(0);
        assert_eq!((third.attempt, third.failures), (2, 1), "{name}");
        assert!(
            matches!(finish(&db, &stale, 90).await, Err(StoreError::LeaseLost)),
            "{name}"
        );
        finish(&db, &third, 90).await.unwrap();
    }
}

#[tokio::test]
async fn runs_that_begin_and_do_not_end_are_counted_until_one_ends() {
    for Backend { name, db, .. } in backends().await {
        enqueue(&db, JobKind::Analyse, "cap", 0, None).await;
        for (run, begun) in [(1, 0), (2, 1), (3, 2), (4, 0), (5, 1)] {
            let job = claim(&db, "w", run * 10, run * 10 + 5, 1).await.remove(0);
            assert_eq!((job.attempt, job.begun), (run, begun), "{name}");
            let noted = job.clone();
            let done: Result<(), StoreError> = db.write(async move |tx| jobs::note_begun(tx, &noted).await).await;
            done.unwrap();
            if run == 3 {
                retry_at(&db, &job, 40, "it ended").await.unwrap();
            }
            if run == 5 {
                finish(&db, &job, 55).await.unwrap();
                let late: Result<(), StoreError> = db.write(async move |tx| jobs::note_begun(tx, &job).await).await;
                assert!(matches!(late, Err(StoreError::LeaseLost)), "{name}");
            }
        }
    }
}

#[tokio::test]
async fn a_renewed_lease_is_held_until_its_new_end() {
    for Backend { name, db, .. } in backends().await {
        enqueue(&db, JobKind::Analyse, "cap", 0, None).await;
        let job = claim(&db, "w1", 10, 70, 1).await.remove(0);
        renew(&db, &job, 90).await.unwrap();
        assert!(claim(&db, "w2", 89, 200, 1).await.is_empty(), "{name}");
        assert_eq!(claim(&db, "w2", 90, 200, 1).await.len(), 1, "{name}");
    }
}

#[tokio::test]
async fn a_lost_lease_rolls_back_the_effect_beside_it() {
    for Backend { name, db, .. } in backends().await {
        enqueue(&db, JobKind::Decide, "vs", 0, None).await;
        let zombie = claim(&db, "w1", 10, 70, 1).await.remove(0);
        claim(&db, "w2", 70, 130, 1).await;
        let lost: Result<(), StoreError> = db
            .write(async move |tx| {
                let effect = NewJob {
                    kind: JobKind::Analyse,
                    subject: "evt",
                    run_at: at(0),
                    dedup_key: None,
                };
                jobs::enqueue(tx, effect).await?;
                jobs::finish(tx, &zombie, at(80)).await
            })
            .await;
        assert!(matches!(lost, Err(StoreError::LeaseLost)), "{name}");
        assert_eq!(list(&db, Some("evt")).await, [], "{name}");
    }
}

/// Planted fault that this test detects: without SKIP LOCKED and without the lease condition in the claim, jobs are claimed
/// twice.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn racing_workers_claim_every_job_exactly_once() {
    const WORKERS: [&str; 8] = ["w0", "w1", "w2", "w3", "w4", "w5", "w6", "w7"];
    for Backend { name, db, .. } in backends().await {
        db.write(async |tx| -> Result<_, StoreError> {
            for run_at in 0..200 {
                let job = NewJob {
                    kind: JobKind::Analyse,
                    subject: "evt",
                    run_at: at(run_at),
                    dedup_key: None,
                };
                jobs::enqueue(tx, job).await?;
            }
            Ok(())
        })
        .await
        .unwrap();
        let racing = WORKERS.map(|worker| {
            let db = db.clone();
            tokio::spawn(async move {
                let mut mine = Vec::new();
                loop {
                    let claimed = claim(&db, worker, 1_000, 2_000, 5).await;
                    if claimed.is_empty() {
                        return mine;
                    }
                    mine.extend(claimed);
                    assert!(mine.len() <= 200, "{worker} is given the same jobs again and again");
                }
            })
        });
        let mut times: HashMap<JobNumber, u32> = HashMap::new();
        for worker in racing {
            for job in worker.await.unwrap() {
                *times.entry(job.number).or_default() += 1;
            }
        }
        // A worker that found everything locked may have left early; the rest is claimed now.
        for job in claim(&db, "last", 1_000, 2_000, 200).await {
            *times.entry(job.number).or_default() += 1;
        }
        assert_eq!((times.len(), times.values().max()), (200, Some(&1)), "{name}");
    }
}
