//! The cost of deliveries: durable deliveries per second with 128 in flight, the time from the commit of an event to its
//! receiver, and what one dead receiver in ten costs the others. Each beside its baseline, on the same disk in the same run.
//!
//! The baseline is a bare loop that stores the same rows, 128 deliveries per commit. It is compared with deliveries over a wire
//! that responds immediately; deliveries over real TLS are reported too, where both ends of each handshake share this machine's
//! cores.
//!
//! `cargo bench --bench deliveries` prints the rounds and writes `target/bench/deliveries.json`.

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark prints its results and may panic"
)]

mod system;

use domain::{
    ids::EventId,
    time::{Millis, Timestamp},
};
use service::jobs::worker::{Lane, Worker};
use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};
use store::{
    StoreError, Tx,
    jobs::{self, Claim, Moment},
    webhook::{
        deliveries::{self, AttemptRow, DeliveryRow, DeliveryState},
        delivery_attempts,
    },
};
use system::System;
use testkit::receiver::{Receiver, Reply};
use tokio_util::sync::CancellationToken;

const IN_FLIGHT: usize = 128;
const TENANTS: usize = 10;
const EVENTS: usize = 2_560;
const SINGLE: usize = 60;
const ROUNDS: usize = 5;
/// Turns of the bare loop and of the deliveries in a round.
const TURNS: usize = 3;

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .unwrap();
    let rounds: Vec<Round> = (0..ROUNDS).map(|round| runtime.block_on(measure(round))).collect();
    let median = |of: fn(&Round) -> f64| middle(rounds.iter().map(of).collect());
    let to_loop = median(|round| round.wire / round.floor);
    let to_commit = median(|round| round.to_receiver / round.commit);
    let slowed = median(|round| 1.0 - round.beside_dead / round.beside_alive);
    println!(
        "median of {ROUNDS}: {to_loop:.2} x the bare loop (>= 0.6), commit to receiver {to_commit:.2} x one commit (<= 2.5), \
         a dead receiver slows the others by {:.1} % (< 10)",
        slowed * 100.0
    );
    let result = serde_json::json!({
        "in_flight": IN_FLIGHT, "events": EVENTS, "tenants": TENANTS, "rounds": ROUNDS,
        "bare_loop_per_second": median(|round| round.floor), "deliveries_per_second": median(|round| round.wire),
        "deliveries_per_second_over_tls": median(|round| round.tls), "ratio_to_bare_loop": to_loop,
        "one_commit_ms": median(|round| round.commit), "commit_to_receiver_ms": median(|round| round.to_receiver),
        "ratio_to_one_commit": to_commit, "slowed_by_one_dead_in_ten": slowed,
    });
    std::fs::write(results().join("deliveries.json"), format!("{result:#}\n")).unwrap();
    assert!(to_loop >= 0.6, "target missed: {to_loop:.2} x the bare loop");
    assert!(
        to_commit <= 2.5,
        "target missed: commit to receiver {to_commit:.2} x one commit"
    );
    assert!(
        slowed < 0.1,
        "target missed: a dead receiver slows the others by {:.1} %",
        slowed * 100.0
    );
}

/// Where results go: on the disk that is measured, unlike the system's temporary folder, which may be in memory.
fn results() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/bench");
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// Rates per second, times in milliseconds.
struct Round {
    floor: f64,
    wire: f64,
    tls: f64,
    commit: f64,
    to_receiver: f64,
    beside_alive: f64,
    beside_dead: f64,
}

async fn measure(number: usize) -> Round {
    let mut quick = System::over_a_quick_wire().await;
    let (floor, wire) = quick.in_turns().await;
    let receivers = [Receiver::start().await, Receiver::start().await];
    let mut real = System::over_tls(&receivers).await;
    let tls = real.all(|_| EVENTS / TENANTS / 4).await;
    let (commit, to_receiver) = real.one_by_one(&receivers[0]).await;
    let beside_alive = real.nine(&receivers[0]).await;
    receivers[1].reply(vec![Reply::Silence; EVENTS]);
    let beside_dead = real.nine(&receivers[0]).await;
    println!(
        "round {number}: {wire:.0} deliveries/s, over TLS {tls:.0}/s, bare loop {floor:.0}/s; one commit {commit:.1} ms, commit to \
         receiver {to_receiver:.1} ms; nine receivers {beside_alive:.0}/s beside a good one, {beside_dead:.0}/s beside a dead one"
    );
    Round {
        floor,
        wire,
        tls,
        commit,
        to_receiver,
        beside_alive,
        beside_dead,
    }
}

impl System {
    /// Works until `enough`, then until running jobs are durable. Returns how long it took.
    async fn work_until(&self, enough: impl Future<Output = ()>) -> Duration {
        let (stop, started) = (CancellationToken::new(), Instant::now());
        let worker = Worker::new(self.harness.honnin.clone(), Lane::Deliver, IN_FLIGHT);
        let bell = Arc::clone(self.harness.honnin.db().jobs_changed());
        let running = tokio::spawn({
            let stop = stop.clone();
            async move { worker.run(stop, &bell).await }
        });
        enough.await;
        stop.cancel();
        running.await.unwrap();
        started.elapsed()
    }

    /// Deliveries per second, all of them durable at the end.
    async fn all(&mut self, count: impl Fn(usize) -> usize) -> f64 {
        let events = self.record(count).await;
        let took = self.work_until(self.settled(&events)).await;
        per_second(events.len(), took)
    }

    /// Returns when every one of `events` is delivered.
    async fn settled(&self, events: &[EventId]) {
        for event in events {
            while self.harness.delivery(event).await.unwrap().state == DeliveryState::Pending {
                // The last ones are polled; that is little reading beside thousands of writes.
                tokio::time::sleep(Duration::from_millis(2)).await;
            }
        }
    }

    /// The bare loop and deliveries over this system's wire, per second. They take turns, because what ran just before changes
    /// by a factor of two how quickly threads of a virtual machine wake each other.
    async fn in_turns(&mut self) -> (f64, f64) {
        let (mut floor, mut wire) = (Vec::new(), Vec::new());
        for turn in 0..TURNS {
            if turn % 2 == 0 {
                floor.push(self.bare_loop().await);
                wire.push(self.all(|_| EVENTS / TENANTS).await);
            } else {
                wire.push(self.all(|_| EVENTS / TENANTS).await);
                floor.push(self.bare_loop().await);
            }
        }
        (middle(floor), middle(wire))
    }

    /// The same rows, 128 deliveries per commit, with nothing sent.
    async fn bare_loop(&mut self) -> f64 {
        let count = self.record(|_| EVENTS / TENANTS).await.len();
        let started = Instant::now();
        for _ in 0..count / IN_FLIGHT {
            let now = self.harness.honnin.now();
            let unit = self
                .harness
                .honnin
                .db()
                .write(async move |tx| -> Result<_, StoreError> {
                    let limit = u32::try_from(IN_FLIGHT).unwrap();
                    let at = Moment::by_one_clock(now);
                    let claim = Claim {
                        worker: "bare",
                        at,
                        until: now.plus(Millis::minutes(1)),
                        limit,
                    };
                    let mut left = limit;
                    for tenant in jobs::list_tenants_due(tx, at).await? {
                        for job in jobs::claim_of_tenant(tx, &tenant, Claim { limit: left, ..claim }).await? {
                            store_delivery(tx, &job, now).await?;
                            left -= 1;
                        }
                    }
                    Ok(())
                });
            unit.await.unwrap();
        }
        per_second(count, started.elapsed())
    }

    /// One commit, and the time from an event's commit to its receiver: medians in milliseconds.
    async fn one_by_one(&mut self, receiver: &Receiver) -> (f64, f64) {
        self.harness.tenant = self.tenants[0].clone();
        let (mut commits, mut ways) = (Vec::new(), Vec::new());
        let stop = CancellationToken::new();
        let worker = Worker::new(self.harness.honnin.clone(), Lane::Deliver, IN_FLIGHT);
        let bell = Arc::clone(self.harness.honnin.db().jobs_changed());
        let stopped = stop.clone();
        let running = tokio::spawn(async move { worker.run(stopped, &bell).await });
        for _ in 0..SINGLE {
            let begun = Instant::now();
            let arrived = receiver.count();
            let event = self.harness.record_expired(&self.session).await;
            let committed = Instant::now();
            receiver.wait_for(arrived + 1).await;
            ways.push(committed.elapsed());
            commits.push(committed - begun);
            self.settled(&[event]).await;
        }
        stop.cancel();
        running.await.unwrap();
        (milliseconds(commits), milliseconds(ways))
    }

    /// Requests per second that nine of the receivers get while the tenth has as many.
    async fn nine(&mut self, receiver: &Receiver) -> f64 {
        let each = EVENTS / TENANTS / 4;
        let before = receiver.count();
        self.record(|_| each).await;
        let began = Instant::now();
        let worker = Worker::new(self.harness.honnin.clone(), Lane::Deliver, IN_FLIGHT);
        let bell = Arc::clone(self.harness.honnin.db().jobs_changed());
        tokio::select! {
            () = worker.run(CancellationToken::new(), &bell) => {}
            () = receiver.wait_for(before + each * (TENANTS - 1)) => {}
        }
        per_second(each * (TENANTS - 1), began.elapsed())
    }
}

async fn store_delivery(tx: &mut Tx, job: &jobs::Job, now: Timestamp) -> Result<(), StoreError> {
    let event = EventId::parse(&job.subject).unwrap();
    let before = deliveries::find_any(tx, &event).await?.unwrap();
    let row = AttemptRow {
        event,
        number: 1,
        attempted_at: now,
        duration_ms: 1,
        status: Some(200),
        fault: None,
    };
    delivery_attempts::insert(tx, &before.tenant, &row).await?;
    let after = DeliveryRow {
        state: DeliveryState::Delivered,
        attempts: 1,
        step: 1,
        next_attempt_at: None,
        settled_at: Some(now),
        ..before.clone()
    };
    deliveries::save(tx, &before, &after).await?;
    jobs::finish(tx, job, now).await
}

#[expect(clippy::cast_precision_loss, reason = "a few thousand")]
fn per_second(count: usize, took: Duration) -> f64 {
    count as f64 / took.as_secs_f64()
}

/// The median.
fn middle(mut all: Vec<f64>) -> f64 {
    all.sort_by(f64::total_cmp);
    all[all.len() / 2]
}

/// The median.
fn milliseconds(times: Vec<Duration>) -> f64 {
    middle(times.into_iter().map(|time| time.as_secs_f64() * 1_000.0).collect())
}
