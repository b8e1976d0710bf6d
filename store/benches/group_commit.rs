//! The cost of a durable write through [`store::Db::write`] with 32 concurrent clients, compared with two baselines on the same
//! disk in the same run: a bare loop that inserts equal rows, 32 per commit, and one that commits each row.
//!
//! `cargo bench --bench group_commit` prints the rounds and writes `target/bench/group_commit.json`.
#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark prints its results and may panic"
)]

use domain::time::Timestamp;
use std::time::Instant;
use store::{
    Db, DbOptions,
    jobs::{self, JobKind, NewJob},
};
use tempfile::TempDir;
use testkit::floors::{Bare, per_second, results};
use tokio::task::JoinSet;

const CLIENTS: usize = 32;
const ROWS: usize = 4_096;
const ROWS_ONE_BY_ONE: usize = 512;
const ROUNDS: usize = 5;

const INSERT: &str =
    "INSERT INTO jobs (kind, subject, dedup_key, run_at) VALUES ('deliver', 'evt_0123456789abcdef', NULL, 1)
    RETURNING id";

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .unwrap();
    let mut rounds: Vec<[f64; 4]> = (0..ROUNDS).map(|round| runtime.block_on(measure(round))).collect();
    let mut median = |column: usize| {
        rounds.sort_by(|a, b| a[column].total_cmp(&b[column]));
        rounds[ROUNDS / 2][column]
    };
    let (units, grouped, single, alone) = (median(0), median(1), median(2), median(3));
    rounds.sort_by(|a, b| (a[0] / a[1]).total_cmp(&(b[0] / b[1])));
    let to_loop = rounds[ROUNDS / 2][0] / rounds[ROUNDS / 2][1];
    rounds.sort_by(|a, b| (a[0] / a[2]).total_cmp(&(b[0] / b[2])));
    let to_single = rounds[ROUNDS / 2][0] / rounds[ROUNDS / 2][2];
    println!("median of {ROUNDS}: {to_loop:.2} x the bare loop, {to_single:.1} x one commit per row");
    let result = serde_json::json!({
        "clients": CLIENTS, "rows": ROWS, "rounds": ROUNDS,
        "units_per_second": units, "bare_loop_per_second": grouped, "one_by_one_per_second": single,
        "one_client_per_second": alone, "ratio_to_bare_loop": to_loop, "ratio_to_one_by_one": to_single,
    });
    std::fs::write(results().join("group_commit.json"), format!("{result:#}\n")).unwrap();
}

/// Rows per second: units of 32 clients, the bare loop, one by one, units of one client.
async fn measure(round: usize) -> [f64; 4] {
    let folder = TempDir::new_in(results()).unwrap();
    let url = format!("sqlite://{}", folder.path().join("bench.db").display());
    let db = Db::open(&url, DbOptions::default()).await.unwrap();
    let mut bare = Bare::open(&folder.path().join("bench.db")).await;

    let grouped = insert(&mut bare, ROWS, CLIENTS).await;
    let units = clients(&db, CLIENTS, ROWS).await;
    let single = insert(&mut bare, ROWS_ONE_BY_ONE, 1).await;
    let alone = clients(&db, 1, ROWS_ONE_BY_ONE).await;
    println!(
        "round {round}: {units:.0} units/s with {CLIENTS} clients, bare loop {grouped:.0}/s, one by one {single:.0}/s, \
         one client {alone:.0}/s"
    );
    [units, grouped, single, alone]
}

async fn insert(bare: &mut Bare, rows: usize, per_commit: usize) -> f64 {
    let start = Instant::now();
    bare.insert(rows, per_commit, async |connection, _| {
        let _: i64 = sqlx::query_scalar(INSERT).fetch_one(connection).await.unwrap();
    })
    .await;
    per_second(rows, start.elapsed())
}

async fn clients(db: &Db, clients: usize, rows: usize) -> f64 {
    let start = Instant::now();
    let mut running = JoinSet::new();
    for _ in 0..clients {
        let db = db.clone();
        running.spawn(async move {
            for _ in 0..rows / clients {
                db.write(async |tx| {
                    let subject = "evt_0123456789abcdef";
                    let run_at = Timestamp::from_millis(1);
                    jobs::enqueue(
                        tx,
                        NewJob {
                            kind: JobKind::Deliver,
                            subject,
                            run_at,
                            dedup_key: None,
                        },
                    )
                    .await
                })
                .await
                .unwrap();
            }
        });
    }
    running.join_all().await;
    per_second(rows, start.elapsed())
}
