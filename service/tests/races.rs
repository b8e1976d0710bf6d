//! Many concurrent clients on one session, on real threads: of all that submit, decide, reprocess, expire or open, one wins,
//! and the others are refused. On SQLite and, if `HONNIN_TEST_POSTGRES` names a server, on Postgres; `HONNIN_RACES` sets the
//! number of rounds.
//!
//! Planted faults that these tests detect: `links::use_once` without its conditions; `sessions::save` without comparing the
//! version, and opening a link without a lock on its session (both on Postgres; on SQLite units run one after another); a
//! decision that does not check the status.

use domain::{
    ids::SessionId,
    role::Role,
    session::{AttemptNumber, Status, Step},
    tenant::TenantSettings,
    time::Millis,
};
use futures::future::{BoxFuture, join_all};
use service::{
    access::{Applicant, Reviewer, Tenant, capture_cookie},
    capture::{
        open_link::{OpenLinkError, browser_mark, open_link},
        progress::StepRefused,
        submit::submit,
    },
    jobs::worker::{Lane, Worker},
    privacy::erase_now::{EraseOfTenantError, erase_of_tenant},
    review::{LookedAt, ReviewDecision, RuleError, UNDO, ask_again, reserve_next, rule},
    session::{
        rate_limit::CreationRate,
        reprocess::{ReprocessError, reprocess},
        search::Filter,
    },
};
use std::sync::Arc;
use testkit::{
    Harness,
    analyser::holder,
    databases::{Backend, backends},
    long_runs, loopback_sender,
};
use tokio::sync::Barrier;

/// On one session.
const CLIENTS: usize = 16;
/// Rounds in `make test`.
const ROUNDS: u64 = 90;
/// Sessions prepared together, since each commit costs the same for one or for many.
const BATCH: u64 = 10;
/// The kinds of races below.
const KINDS: u64 = 9;

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_sixteen_on_one_session_one_wins() {
    let batches = long_runs::count("HONNIN_RACES", ROUNDS).div_ceil(KINDS * BATCH);
    for database in backends().await {
        let arena = Arena::new(database).await;
        for _ in 0..batches {
            arena.opens().await;
            arena.submits().await;
            arena.decisions().await;
            arena.rulings().await;
            arena.reprocessings().await;
            arena.expiries().await;
            arena.submits_at_the_deadline().await;
            arena.rulings_and_reprocessings().await;
            arena.erasures_and_reprocessings().await;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_a_hundred_who_open_a_link_one_gets_in() {
    for database in backends().await {
        let arena = Arena::new(database).await;
        let token = Harness::token(&arena.harness.create().await);
        arena.open(&token, 100).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_browser_that_taps_many_times_at_once_gets_in_with_every_tap() {
    for database in backends().await {
        let arena = Arena::new(database).await;
        let token = Harness::token(&arena.harness.create().await);
        let mark = browser_mark(&arena.harness.honnin).expose().clone();
        let tap = |_| -> Client<_> {
            let (honnin, token, mark) = (arena.harness.honnin.clone(), token.clone(), mark.clone());
            Box::pin(async move { open_link(&honnin, &token, Some(mark.as_str())).await })
        };
        let opened = at_once((0..CLIENTS).map(tap).collect()).await;
        let cookies: Vec<_> = opened.into_iter().map(|opened| opened.unwrap().cookie).collect();
        let is_one = cookies.windows(2).all(|two| two[0] == two[1]);
        assert!(is_one, "{}: cookies of one browser", arena.name);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn reviewers_who_go_on_at_the_same_moment_get_different_cases() {
    for database in backends().await {
        let arena = Arena::new(database).await;
        let mut cases = arena.reviewing().await;
        let next = |reviewer: &Reviewer| -> Client<_> {
            let (honnin, reviewer) = (arena.harness.honnin.clone(), reviewer.clone());
            Box::pin(async move { reserve_next(&honnin, &reviewer, Filter::default()).await })
        };
        let reserved = at_once(arena.reviewers.iter().map(next).collect()).await;
        let mut reserved: Vec<_> = reserved.into_iter().filter_map(Result::unwrap).collect();
        reserved.sort_unstable();
        cases.sort_unstable();
        assert_eq!(reserved, cases, "{}", arena.name);
    }
}

/// One system, used for one race after another.
struct Arena {
    name: &'static str,
    harness: Harness,
    caller: Tenant,
    reviewers: Vec<Reviewer>,
}

type Client<T> = BoxFuture<'static, T>;

/// Starts all of them at the same moment.
async fn at_once<T: Send + 'static>(clients: Vec<Client<T>>) -> Vec<T> {
    let start = Arc::new(Barrier::new(clients.len()));
    let running = clients.into_iter().map(|client| {
        let start = Arc::clone(&start);
        tokio::spawn(async move {
            start.wait().await;
            client.await
        })
    });
    let running: Vec<_> = running.collect();
    join_all(running).await.into_iter().map(Result::unwrap).collect()
}

/// The winners; every other answer must satisfy `is_loss`.
fn winners<T, E: std::fmt::Debug>(answers: Vec<Result<T, E>>, is_loss: fn(&E) -> bool) -> Vec<T> {
    let kept = answers.into_iter().filter_map(|answer| match answer {
        Ok(won) => Some(won),
        Err(lost) if is_loss(&lost) => None,
        Err(fault) => panic!("{fault:?}"),
    });
    kept.collect()
}

const fn is_decided(error: &RuleError) -> bool {
    matches!(error, RuleError::Decided(_) | RuleError::Pending { .. })
}

const fn is_not_allowed(error: &ReprocessError) -> bool {
    matches!(error, ReprocessError::NotAllowed)
}

const fn is_out_of_turn(error: &StepRefused) -> bool {
    matches!(error, StepRefused::OutOfTurn)
}

impl Arena {
    async fn new(database: Backend) -> Self {
        let name = database.name;
        let settings = TenantSettings {
            steps: Step::ALL.to_vec(),
            ..TenantSettings::default()
        };
        let unlimited = CreationRate {
            per_minute: 0,
            burst: 0,
        };
        let harness = Harness::on(database, settings, loopback_sender(), unlimited).await;
        let mut reviewers = Vec::new();
        for _ in 0..CLIENTS {
            reviewers.push(Reviewer::of(&harness.staff(Role::Reviewer).await).unwrap());
        }
        Self {
            name,
            caller: harness.caller().await,
            harness,
            reviewers,
        }
    }

    async fn opens(&self) {
        for created in join_all((0..BATCH).map(|_| self.harness.create())).await {
            self.open(&Harness::token(&created), CLIENTS).await;
        }
    }

    /// Each from another phone.
    async fn open(&self, token: &str, clients: usize) {
        let client = |_| -> Client<_> {
            let (honnin, token) = (self.harness.honnin.clone(), token.to_owned());
            Box::pin(async move { open_link(&honnin, &token, None).await })
        };
        let opened = at_once((0..clients).map(client).collect()).await;
        let opened = winners(opened, |error| matches!(error, OpenLinkError::NotUsable));
        assert_eq!(opened.len(), 1, "{}: phones that got in", self.name);
        let cookie = opened[0].cookie.expose();
        capture_cookie::applicant(&self.harness.honnin, cookie).await.unwrap();
    }

    async fn submits(&self) {
        for (id, applicant) in self.ready().await {
            let submitted = at_once((0..CLIENTS).map(|_| self.submit(&applicant)).collect()).await;
            assert_eq!(winners(submitted, is_out_of_turn).len(), 1, "{}: submits", self.name);
            self.expect(&id, Status::Deciding, 1, &[]).await;
        }
        self.work(Lane::Decide).await;
    }

    /// Workers that all look for something to decide.
    async fn decisions(&self) {
        let submitted = self.submitted().await;
        at_once((0..CLIENTS).map(|_| self.worker(Lane::Decide)).collect()).await;
        for id in submitted {
            self.expect(&id, Status::Completed, 1, &["verification.approved"]).await;
        }
    }

    async fn rulings(&self) {
        for id in self.reviewing().await {
            let ruled = at_once(self.reviewers.iter().map(|reviewer| self.rule(&id, reviewer)).collect()).await;
            assert_eq!(winners(ruled, is_decided).len(), 1, "{}: rulings", self.name);
            self.harness.clock.advance(UNDO);
            at_once((0..CLIENTS).map(|_| self.worker(Lane::Housekeeping)).collect()).await;
            let told = ["verification.approved", "verification.needs_review"];
            self.expect(&id, Status::Completed, 1, &told).await;
        }
    }

    async fn reprocessings(&self) {
        let submitted = self.submitted().await;
        self.work(Lane::Decide).await;
        for id in submitted {
            let begun = at_once((0..CLIENTS).map(|_| self.reprocess(&id)).collect()).await;
            assert_eq!(winners(begun, is_not_allowed).len(), 1, "{}: reprocessings", self.name);
            self.expect(&id, Status::Collecting, 2, &["verification.approved"])
                .await;
        }
    }

    async fn expiries(&self) {
        let created = join_all((0..BATCH).map(|_| self.harness.create())).await;
        self.harness.clock.advance(Millis::days(7));
        at_once((0..CLIENTS).map(|_| self.worker(Lane::Housekeeping)).collect()).await;
        for session in created {
            self.expect(&session.id, Status::Expired, 1, &["verification.expired"])
                .await;
        }
        self.harness.clock.advance(Millis(-Millis::days(7).0));
    }

    /// The deadline passes while all submit: each session is submitted or expired, and never both.
    async fn submits_at_the_deadline(&self) {
        let sessions = self.ready().await;
        let almost = Millis(Millis::days(7).0 - 1);
        self.harness.clock.advance(almost);
        let mut clients: Vec<Client<bool>> = Vec::new();
        for (_, applicant) in &sessions {
            let submit = self.submit(applicant);
            clients.push(Box::pin(async move {
                winners(vec![submit.await], is_out_of_turn).len() == 1
            }));
        }
        for _ in 0..CLIENTS {
            let (clock, worker) = (Arc::clone(&self.harness.clock), self.worker(Lane::Housekeeping));
            clients.push(Box::pin(async move {
                clock.advance(Millis(1));
                worker.await;
                false
            }));
        }
        let submitted = at_once(clients).await;
        for ((id, _), submitted) in sessions.iter().zip(submitted) {
            if submitted {
                self.expect(id, Status::Deciding, 1, &[]).await;
            } else {
                self.expect(id, Status::Expired, 1, &["verification.expired"]).await;
            }
        }
        self.work(Lane::Decide).await;
        self.harness
            .clock
            .advance(Millis(-almost.0 - i64::try_from(CLIENTS).unwrap()));
    }

    /// A decision may be made before a reprocess, which overtakes it, and none after it. If it was made, nobody may ask again:
    /// at most one decision, exactly one new attempt.
    async fn rulings_and_reprocessings(&self) {
        for id in self.reviewing().await {
            let client = |number: usize| -> Client<(u32, u32)> {
                let reviewer = &self.reviewers[number];
                match number % 3 {
                    0 => {
                        let ruled = self.rule(&id, reviewer);
                        Box::pin(async move { (count(winners(vec![ruled.await], is_decided)), 0) })
                    }
                    1 => {
                        let begun = self.reprocess(&id);
                        Box::pin(async move { (0, count(winners(vec![begun.await], is_not_allowed))) })
                    }
                    _ => {
                        let (honnin, id, reviewer) = (self.harness.honnin.clone(), id.clone(), reviewer.clone());
                        let asked = async move {
                            ask_again(&honnin, &reviewer, LookedAt::new(&id, AttemptNumber::FIRST), None).await
                        };
                        Box::pin(async move { (0, count(winners(vec![asked.await], is_decided))) })
                    }
                }
            };
            let won = at_once((0..CLIENTS).map(client).collect()).await;
            let (ruled, begun) = won.into_iter().fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
            assert!(
                ruled <= 1 && begun == 1,
                "{}: {ruled} rulings, {begun} attempts",
                self.name
            );
            self.harness.clock.advance(UNDO);
            self.work(Lane::Housekeeping).await;
            self.expect(&id, Status::Collecting, 2, &["verification.needs_review"])
                .await;
        }
    }

    /// Every request for the erasure is accepted, and it is done: a reprocess comes before all of them or is refused.
    async fn erasures_and_reprocessings(&self) {
        let submitted = self.submitted().await;
        self.work(Lane::Decide).await;
        for id in submitted {
            let client = |number: usize| -> Client<u32> {
                if number.is_multiple_of(2) {
                    let begun = self.reprocess(&id);
                    Box::pin(async move { count(winners(vec![begun.await], is_not_allowed)) })
                } else {
                    let erased = self.erase(&id);
                    Box::pin(async move { erased.await.map(|()| 0).unwrap() })
                }
            };
            let begun: u32 = at_once((0..CLIENTS).map(client).collect()).await.into_iter().sum();
            assert!(begun <= 1, "{}: {begun} attempts", self.name);
            let refused = self.reprocess(&id).await;
            assert!(matches!(refused, Err(ReprocessError::NotAllowed)), "{}", self.name);
            self.work(Lane::Housekeeping).await;
            let session = self.harness.detail(&id).await.session;
            assert!(session.purged_at.is_some(), "{}: {session:?}", self.name);
        }
    }

    fn submit(&self, applicant: &Applicant) -> Client<Result<(), StepRefused>> {
        let (honnin, applicant) = (self.harness.honnin.clone(), applicant.clone());
        Box::pin(async move { submit(&honnin, &applicant).await })
    }

    fn rule(&self, id: &SessionId, reviewer: &Reviewer) -> Client<Result<(), RuleError>> {
        let (honnin, id, reviewer) = (self.harness.honnin.clone(), id.clone(), reviewer.clone());
        Box::pin(async move {
            rule(
                &honnin,
                &reviewer,
                LookedAt::new(&id, AttemptNumber::FIRST),
                ReviewDecision::Approve,
                None,
            )
            .await
            .map(drop)
        })
    }

    fn reprocess(&self, id: &SessionId) -> Client<Result<(), ReprocessError>> {
        let (honnin, id, caller) = (self.harness.honnin.clone(), id.clone(), self.caller.clone());
        Box::pin(async move { reprocess(&honnin, &caller, id.as_str()).await.map(drop) })
    }

    fn erase(&self, id: &SessionId) -> Client<Result<(), EraseOfTenantError>> {
        let (honnin, id, caller) = (self.harness.honnin.clone(), id.clone(), self.caller.clone());
        Box::pin(async move { erase_of_tenant(&honnin, &caller, id.as_str()).await.map(drop) })
    }

    fn worker(&self, lane: Lane) -> Client<()> {
        let worker = Worker::new(self.harness.honnin.clone(), lane, 1);
        Box::pin(async move {
            worker.run_until_idle().await.unwrap();
        })
    }

    async fn work(&self, lane: Lane) {
        self.worker(lane).await;
    }

    /// Sessions ready to be submitted, with their pictures analysed.
    async fn ready(&self) -> Vec<(SessionId, Applicant)> {
        let sessions = join_all((0..BATCH).map(|_| async {
            let (id, applicant) = self.harness.agreed().await;
            self.harness.photograph(&applicant).await;
            self.harness.type_details(&applicant).await;
            self.harness.selfie(&applicant).await;
            (id, applicant)
        }))
        .await;
        self.work(Lane::Decide).await;
        sessions
    }

    async fn submitted(&self) -> Vec<SessionId> {
        let sessions = self.ready().await;
        for done in join_all(sessions.iter().map(|(_, applicant)| self.submit(applicant))).await {
            done.unwrap();
        }
        sessions.into_iter().map(|(id, _)| id).collect()
    }

    /// Sessions waiting for review because liveness was uncertain.
    async fn reviewing(&self) -> Vec<SessionId> {
        let mut doubtful = holder();
        doubtful.liveness = None;
        self.harness.analyser.see_selfie(doubtful);
        let sessions = self.submitted().await;
        self.work(Lane::Decide).await;
        self.harness.analyser.see_selfie(holder());
        sessions
    }

    /// Where a session stands, and what was told about it, in alphabetical order.
    async fn expect(&self, id: &SessionId, status: Status, attempt: i64, told: &[&str]) {
        let detail = self.harness.detail(id).await;
        let events = self.harness.events(id).await;
        let mut kinds: Vec<_> = events.iter().map(|event| event.content.kind().as_str()).collect();
        kinds.sort_unstable();
        assert_eq!(
            (detail.status, detail.session.attempt.get(), &kinds[..]),
            (status, attempt, told),
            "{}",
            self.name
        );
    }
}

fn count<T>(won: Vec<T>) -> u32 {
    u32::try_from(won.len()).unwrap()
}
