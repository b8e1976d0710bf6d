//! Jobs: due in order, unique if requested, finished with their effect.

mod deliveries;
mod leases;
mod round_robin;

use domain::{delivery::DeliveryFault, time::Timestamp};
use store::{
    Db, StoreError,
    jobs::{self, Claim, Job, JobKind, JobNumber, JobState, Moment, NewJob},
};
use testkit::databases::{Backend, backends};

const fn at(millis: i64) -> Timestamp {
    Timestamp::from_millis(millis)
}

const fn by_one_clock(millis: i64) -> Moment {
    Moment::by_one_clock(at(millis))
}

async fn enqueue(db: &Db, kind: JobKind, subject: &'static str, run_at: i64, dedup: Option<&'static str>) -> JobNumber {
    let job = NewJob {
        kind,
        subject,
        run_at: at(run_at),
        dedup_key: dedup,
    };
    db.write(async move |tx| jobs::enqueue(tx, job).await).await.unwrap()
}

async fn claim(db: &Db, worker: &'static str, now: i64, until: i64, limit: u32) -> Vec<Job> {
    let claim = Claim {
        worker,
        at: by_one_clock(now),
        until: at(until),
        limit,
    };
    db.write(async move |tx| jobs::claim(tx, JobKind::ALL, claim).await)
        .await
        .unwrap()
}

async fn finish(db: &Db, job: &Job, now: i64) -> Result<(), StoreError> {
    let job = job.clone();
    db.write(async move |tx| jobs::finish(tx, &job, at(now)).await).await
}

async fn renew(db: &Db, job: &Job, until: i64) -> Result<(), StoreError> {
    let job = job.clone();
    db.write(async move |tx| jobs::renew(tx, &job, at(until)).await).await
}

async fn retry_at(db: &Db, job: &Job, run_at: i64, reason: &'static str) -> Result<(), StoreError> {
    let job = job.clone();
    db.write(async move |tx| jobs::retry_at(tx, &job, at(run_at), Some(reason)).await)
        .await
}

async fn list(db: &Db, subject: Option<&'static str>) -> Vec<JobState> {
    db.read(async move |tx| jobs::list(tx, subject, 100).await)
        .await
        .unwrap()
}

fn subjects(jobs: &[Job]) -> Vec<&str> {
    jobs.iter().map(|job| job.subject.as_str()).collect()
}

#[tokio::test]
async fn due_jobs_are_claimed_oldest_first_and_no_more_than_asked_for() {
    for Backend { name, db, .. } in backends().await {
        enqueue(&db, JobKind::Decide, "late", 30, None).await;
        enqueue(&db, JobKind::Analyse, "first", 10, None).await;
        enqueue(&db, JobKind::Expire, "second", 20, None).await;
        enqueue(&db, JobKind::Erase, "not yet", 101, None).await;
        let claimed = claim(&db, "w", 100, 160, 2).await;
        assert_eq!(subjects(&claimed), ["first", "second"], "{name}");
        assert_eq!(
            (claimed[0].kind, claimed[0].attempt, claimed[0].run_at),
            (JobKind::Analyse, 1, at(10)),
            "{name}"
        );
        assert_eq!(subjects(&claim(&db, "w", 100, 160, 10).await), ["late"], "{name}");
    }
}

#[tokio::test]
async fn a_retried_job_waits_for_its_time_and_keeps_the_reason() {
    for Backend { name, db, .. } in backends().await {
        enqueue(&db, JobKind::Analyse, "evt", 0, None).await;
        let job = claim(&db, "w", 10, 70, 1).await.remove(0);
        retry_at(&db, &job, 500, "HTTP 503").await.unwrap();
        let state = list(&db, Some("evt")).await.remove(0);
        assert_eq!(
            (state.last_error.as_deref(), state.leased_until),
            (Some("HTTP 503"), None),
            "{name}"
        );
        assert!(claim(&db, "w", 499, 560, 1).await.is_empty(), "{name}");
        assert_eq!(claim(&db, "w", 500, 560, 1).await[0].attempt, 2, "{name}");
    }
}

#[tokio::test]
async fn failures_in_a_row_are_counted_and_postponements_are_none() {
    for Backend { name, db, .. } in backends().await {
        enqueue(&db, JobKind::Decide, "vs", 0, None).await;
        for (run, failed, before) in [
            (1, true, 0),
            (2, true, 1),
            (3, false, 2),
            (4, false, 0),
            (5, true, 0),
            (6, true, 1),
        ] {
            let job = claim(&db, "w", run, run + 50, 1).await.remove(0);
            assert_eq!((job.attempt, job.failures), (run, before), "{name}");
            let reason = failed.then_some("busy");
            db.write(async move |tx| jobs::retry_at(tx, &job, at(run + 1), reason).await)
                .await
                .unwrap();
        }
    }
}

#[tokio::test]
async fn a_job_given_up_is_finished_with_its_reason() {
    for Backend { name, db, .. } in backends().await {
        enqueue(&db, JobKind::Analyse, "evt", 0, None).await;
        let job = claim(&db, "w", 10, 70, 1).await.remove(0);
        db.write(async move |tx| jobs::give_up(tx, &job, at(20), "schedule used up").await)
            .await
            .unwrap();
        let state = list(&db, Some("evt")).await.remove(0);
        assert_eq!(
            (state.finished_at, state.last_error.as_deref()),
            (Some(at(20)), Some("schedule used up")),
            "{name}"
        );
        assert!(claim(&db, "w", 1_000, 2_000, 1).await.is_empty(), "{name}");
    }
}

#[tokio::test]
async fn an_equal_open_job_is_moved_forward_and_not_doubled() {
    for Backend { name, db, .. } in backends().await {
        let first = enqueue(&db, JobKind::Expire, "vs", 100, Some("vs")).await;
        assert_eq!(
            enqueue(&db, JobKind::Expire, "vs", 50, Some("vs")).await,
            first,
            "{name}"
        );
        assert_eq!(
            enqueue(&db, JobKind::Expire, "vs", 200, Some("vs")).await,
            first,
            "{name}"
        );
        assert_eq!(
            list(&db, None).await.iter().map(|job| job.run_at).collect::<Vec<_>>(),
            [at(50)],
            "{name}"
        );
        assert_ne!(
            enqueue(&db, JobKind::Erase, "vs", 50, Some("vs")).await,
            first,
            "{name}: another kind"
        );
        let job = claim(&db, "w", 50, 110, 1).await.remove(0);
        finish(&db, &job, 60).await.unwrap();
        assert_ne!(
            enqueue(&db, JobKind::Expire, "vs", 70, Some("vs")).await,
            first,
            "{name}: after the end"
        );
    }
}

#[tokio::test]
async fn beside_a_job_that_runs_one_for_the_same_subject_waits_and_no_more() {
    for Backend { name, db, .. } in backends().await {
        let request = async |run_at: i64| {
            let job = NewJob {
                kind: JobKind::BringErasuresForward,
                subject: "tn",
                run_at: at(run_at),
                dedup_key: None,
            };
            let unit = db.write(async move |tx| jobs::enqueue_unless_pending(tx, job).await);
            unit.await.unwrap();
        };
        for run_at in [20, 10, 30] {
            request(run_at).await;
        }
        enqueue(&db, JobKind::BringErasuresForward, "other", 40, None).await;
        let running = claim(&db, "w", 10, 70, 5).await;
        assert_eq!(running.len(), 1, "{name}: one, moved to the earliest time");
        for _ in 0..3 {
            request(10).await;
        }
        let open = list(&db, None).await;
        let of_tenant = open.iter().filter(|job| job.subject == "tn");
        assert_eq!(of_tenant.count(), 2, "{name}: one follows");
        finish(&db, &running[0], 15).await.unwrap();
        let next = claim(&db, "w", 15, 70, 5).await;
        assert_eq!(next.len(), 1, "{name}");
        // One that failed waits as well.
        retry_at(&db, &next[0], 60, "why").await.unwrap();
        request(20).await;
        assert_eq!(claim(&db, "w", 20, 70, 5).await[0].number, next[0].number, "{name}");
    }
}

#[tokio::test]
async fn cancelling_ends_what_waits_and_leaves_what_runs() {
    for Backend { name, db, .. } in backends().await {
        enqueue(&db, JobKind::Expire, "vs", 10, None).await;
        let running = claim(&db, "w", 10, 70, 1).await.remove(0);
        enqueue(&db, JobKind::Expire, "vs", 20, None).await;
        enqueue(&db, JobKind::Expire, "other", 20, None).await;
        let cancelled = db.write(async |tx| jobs::cancel(tx, JobKind::Expire, "vs", at(30)).await);
        assert_eq!(cancelled.await.unwrap(), 1, "{name}");
        finish(&db, &running, 40).await.unwrap();
        assert_eq!(
            list(&db, None)
                .await
                .iter()
                .map(|job| job.subject.as_str())
                .collect::<Vec<_>>(),
            ["other"]
        );
    }
}

#[tokio::test]
async fn the_next_due_time_is_that_of_the_earliest_job_nobody_holds() {
    for Backend { name, db, .. } in backends().await {
        let next = || db.read(async |tx| jobs::find_next_due_at(tx).await);
        assert_eq!(next().await.unwrap(), None, "{name}");
        enqueue(&db, JobKind::Expire, "a", 10, None).await;
        enqueue(&db, JobKind::Expire, "b", 20, None).await;
        assert_eq!(next().await.unwrap(), Some(at(10)), "{name}");
        claim(&db, "w", 10, 70, 1).await;
        assert_eq!(next().await.unwrap(), Some(at(20)), "{name}");
    }
}

#[tokio::test]
async fn only_jobs_finished_long_ago_are_removed() {
    for Backend { name, db, .. } in backends().await {
        for subject in ["old", "new", "open"] {
            enqueue(&db, JobKind::Sweep, subject, 0, None).await;
        }
        let claimed = claim(&db, "w", 0, 60, 2).await;
        finish(&db, &claimed[0], 10).await.unwrap();
        finish(&db, &claimed[1], 20).await.unwrap();
        let removed = db.write(async |tx| jobs::remove_finished(tx, at(20), 100).await);
        assert_eq!(removed.await.unwrap(), 1, "{name}");
        assert_eq!(
            (list(&db, Some("old")).await.len(), list(&db, Some("new")).await.len()),
            (0, 1),
            "{name}"
        );
        assert_eq!(list(&db, Some("open")).await.len(), 1, "{name}");
    }
}

#[tokio::test]
async fn a_kind_this_program_does_not_know_waits_for_one_that_does() {
    for backend in backends().await {
        backend
            .run("INSERT INTO jobs (kind, subject, run_at) VALUES ('of_tomorrow', 'x', 0)")
            .await;
        enqueue(&backend.db, JobKind::Sweep, "s", 5, None).await;
        assert_eq!(
            subjects(&claim(&backend.db, "w", 10, 70, 10).await),
            ["s"],
            "{}",
            backend.name
        );
    }
}

#[tokio::test]
async fn a_kind_this_program_does_not_know_is_left_out_where_jobs_are_listed_and_counted() {
    for backend in backends().await {
        let (name, db) = (backend.name, &backend.db);
        backend
            .run("INSERT INTO jobs (kind, subject, run_at) VALUES ('of_tomorrow', 'x', 0)")
            .await;
        enqueue(db, JobKind::Sweep, "x", 5, None).await;
        let due = db.read(async |tx| jobs::count_due(tx, at(10)).await).await.unwrap();
        let due: Vec<_> = due.iter().map(|backlog| (backlog.kind, backlog.due)).collect();
        assert_eq!(due, [(JobKind::Sweep, 1)], "{name}");
        for subject in [None, Some("x")] {
            let listed = list(db, subject).await;
            let kinds: Vec<_> = listed.iter().map(|job| job.kind).collect();
            assert_eq!(kinds, [JobKind::Sweep], "{name}");
        }
    }
}

#[tokio::test]
async fn a_worker_takes_the_kinds_it_asked_for_and_sees_whether_there_are_any() {
    const QUICK: [JobKind; 2] = [JobKind::Expire, JobKind::Analyse];
    for Backend { name, db, .. } in backends().await {
        let due = |now| db.read(async move |tx| jobs::any_due(tx, &QUICK, by_one_clock(now)).await);
        enqueue(&db, JobKind::Decide, "slow", 0, None).await;
        enqueue(&db, JobKind::Analyse, "quick", 10, None).await;
        assert!(!due(9).await.unwrap(), "{name}: not yet");
        assert!(due(10).await.unwrap(), "{name}");
        let claim = Claim {
            worker: "w",
            at: by_one_clock(10),
            until: at(70),
            limit: 10,
        };
        let claimed = db.write(async move |tx| jobs::claim(tx, &QUICK, claim).await);
        assert_eq!(subjects(&claimed.await.unwrap()), ["quick"], "{name}");
        assert!(!due(69).await.unwrap(), "{name}: held");
        assert!(due(70).await.unwrap(), "{name}: the lease ran out");
    }
}

#[tokio::test]
async fn committing_a_job_rings_the_worker_and_rolling_back_does_not() {
    for Backend { name, db, .. } in backends().await {
        let failed: Result<(), StoreError> = db
            .write(async |tx| {
                let job = NewJob {
                    kind: JobKind::Sweep,
                    subject: "s",
                    run_at: at(0),
                    dedup_key: None,
                };
                jobs::enqueue(tx, job).await?;
                Err(StoreError::Conflict)
            })
            .await;
        assert!(failed.is_err());
        let ring = db.jobs_changed().notified();
        tokio::pin!(ring);
        assert!(
            futures::poll!(ring.as_mut()).is_pending(),
            "{name}: nothing was committed"
        );
        enqueue(&db, JobKind::Sweep, "s", 0, None).await;
        assert!(futures::poll!(ring.as_mut()).is_ready(), "{name}");
    }
}

#[tokio::test]
async fn jobs_that_failed_often_and_wait_for_their_next_run_are_counted_by_kind() {
    for Backend { name, db, .. } in &backends().await {
        enqueue(db, JobKind::Deliver, "evt_1", 10, None).await;
        enqueue(db, JobKind::Deliver, "evt_2", 11, None).await;
        enqueue(db, JobKind::Erase, "vs_1", 10, None).await;
        enqueue(db, JobKind::Erase, "vs_2", 60, None).await;
        for (now, next) in [(11, 20), (20, 100)] {
            for delivery in deliveries::claim(db, "", now, now + 5, 2).await {
                // Stored as an attempt, and shown by its fault.
                let attempted = delivery.subject == "evt_2";
                let reason = if attempted {
                    DeliveryFault::CannotRender.as_str()
                } else {
                    "no"
                };
                retry_at(db, &delivery, next, reason).await.unwrap();
            }
            let erasure = claim(db, "w", now, now + 5, 1).await.remove(0);
            retry_at(db, &erasure, next, "no").await.unwrap();
        }
        let count = async |failures: i64, now: i64, until: i64| {
            let unit = db.read(async move |tx| jobs::count_failing(tx, failures, at(now), at(until)).await);
            unit.await.unwrap()
        };
        let both = [(JobKind::Deliver, 1), (JobKind::Erase, 1)];
        assert_eq!(count(2, 30, 100).await, both, "{name}");
        assert_eq!(count(3, 30, 100).await, [], "{name}");
        assert_eq!(count(2, 30, 99).await, [], "{name}: later");
        assert_eq!(count(2, 100, 200).await, [], "{name}: due");
    }
}

#[tokio::test]
async fn what_is_due_is_counted_by_kind_with_the_age_of_the_oldest() {
    for Backend { db, .. } in &backends().await {
        enqueue(db, JobKind::Deliver, "evt_1", 100, None).await;
        enqueue(db, JobKind::Deliver, "evt_2", 300, None).await;
        enqueue(db, JobKind::Erase, "vs_1", 900, None).await;
        enqueue(db, JobKind::Sweep, "sweep", 200, None).await;
        let held = deliveries::claim(db, "", 200, 60_000, 1).await.remove(0);
        let count = async |now: i64| {
            let unit = db.read(async move |tx| jobs::count_due(tx, at(now)).await);
            let found = unit.await.unwrap();
            found
                .iter()
                .map(|kind| (kind.kind, kind.due, kind.oldest.0))
                .collect::<Vec<_>>()
        };
        assert_eq!(count(99).await, []);
        assert_eq!(
            count(500).await,
            [(JobKind::Deliver, 2, 400), (JobKind::Sweep, 1, 300)],
            "held ones too"
        );
        finish(db, &held, 500).await.unwrap();
        assert_eq!(count(500).await, [(JobKind::Deliver, 1, 200), (JobKind::Sweep, 1, 300)]);
        // Due whatever the clock says, and not since 1970.
        enqueue(db, JobKind::Redate, "first", 0, None).await;
        assert_eq!(count(99).await, [(JobKind::Redate, 1, 0)]);
        enqueue(db, JobKind::Redate, "second", 250, None).await;
        assert_eq!(
            count(500).await,
            [
                (JobKind::Deliver, 1, 200),
                (JobKind::Redate, 2, 250),
                (JobKind::Sweep, 1, 300)
            ]
        );
    }
}

#[tokio::test]
async fn a_job_is_planned_for_its_time_until_it_is_finished() {
    for Backend { name, db, .. } in backends().await {
        enqueue(&db, JobKind::Expire, "vs_1", 100, None).await;
        let planned = async |kind, subject: &'static str, run_at| {
            db.read(async move |tx| jobs::is_planned(tx, kind, subject, at(run_at)).await)
                .await
                .unwrap()
        };
        assert!(planned(JobKind::Expire, "vs_1", 100).await, "{name}");
        for (kind, subject, run_at) in [
            (JobKind::Redate, "vs_1", 100),
            (JobKind::Expire, "vs_2", 100),
            (JobKind::Expire, "vs_1", 101),
        ] {
            assert!(
                !planned(kind, subject, run_at).await,
                "{name}: {kind:?} {subject} {run_at}"
            );
        }
        let job = claim(&db, "a", 100, 200, 1).await.remove(0);
        assert!(planned(JobKind::Expire, "vs_1", 100).await, "{name}: while it runs");
        finish(&db, &job, 110).await.unwrap();
        assert!(!planned(JobKind::Expire, "vs_1", 100).await, "{name}");
    }
}

#[tokio::test]
async fn the_time_of_a_job_is_that_of_the_first_one_that_is_not_finished() {
    for Backend { name, db, .. } in backends().await {
        let first = async |kind, subject: &'static str| {
            db.read(async move |tx| jobs::find_planned_at(tx, kind, subject).await)
                .await
                .unwrap()
        };
        assert_eq!(first(JobKind::Erase, "vs_1#1").await, None, "{name}");
        enqueue(&db, JobKind::Erase, "vs_1#1", 200, None).await;
        enqueue(&db, JobKind::Erase, "vs_1#1", 100, None).await;
        enqueue(&db, JobKind::Erase, "vs_1#2", 50, None).await;
        enqueue(&db, JobKind::Expire, "vs_1#1", 60, None).await;
        assert_eq!(first(JobKind::Erase, "vs_1#1").await, Some(at(100)), "{name}");
        for job in claim(&db, "a", 100, 200, 3).await {
            finish(&db, &job, 110).await.unwrap();
        }
        assert_eq!(first(JobKind::Erase, "vs_1#1").await, Some(at(200)), "{name}");
        assert_eq!(first(JobKind::Erase, "vs_1#2").await, None, "{name}");
    }
}
