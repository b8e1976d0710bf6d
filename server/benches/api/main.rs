//! The API over HTTP on loopback, complete and durable, compared with the disk: a bare loop that inserts equal rows, 32 per
//! commit; the same loop with one per commit; and pgbench on Postgres. Each round measures all of them in turn; ratios are
//! medians over the rounds.
//!
//! `cargo bench --bench api` prints the rounds and writes `target/bench/api.json`. The clients run beside the server on the
//! same cores. `HONNIN_BENCH_POSTGRES` names a server with durable commits; `HONNIN_SEED` sets the order of the reads.
//! `HONNIN_DISK=slow` says that `slow_disk.c` is loaded: then one durable commit at a time is what a client would get without group
//! commit, and the results are in `target/bench/api-slow-disk.json`.
#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a benchmark prints its results, may panic, and counts in thousands"
)]

mod handler;
mod load;
mod postgres;
mod system;

use rand::{RngExt, SeedableRng, rngs::StdRng};
use serde_json::json;
use std::{path::Path, time::Duration};
use store::{Db, DbOptions};
use system::{System, insert_creations, insert_readings};
use tempfile::TempDir;
use testkit::floors::{Bare, per_second, results};

const CLIENTS: usize = 32;
const REQUESTS: usize = 4_096;
const ONE_BY_ONE: usize = 256;
const ROUNDS: usize = 5;

/// The values of one round by name; rates are per second, times in seconds.
type Round = Vec<(&'static str, f64)>;

fn main() {
    tracing_subscriber::fmt().with_writer(std::io::sink).init();
    let seed = seed();
    println!(
        "HONNIN_SEED={seed:#x}; {CLIENTS} clients on {} cores, server included",
        cores()
    );
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .unwrap();
    let mut random = StdRng::seed_from_u64(seed);
    let rounds: Vec<Round> = (0..ROUNDS)
        .map(|_| {
            let mut round = runtime.block_on(sqlite(&mut random));
            round.extend(runtime.block_on(postgres::round()));
            println!(
                "{}",
                round
                    .iter()
                    .map(|(name, value)| format!("{name} {}", shown(*value)))
                    .collect::<Vec<_>>()
                    .join("  ")
            );
            round
        })
        .collect();
    let is_slow = is_slow_disk();
    let slow_only = [("P1 creations / one by one", "create", "create_single", 8.0, true)];
    let targets = [
        ("P1 creations / bare loop", "create", "create_loop", 0.7, true),
        ("P1b creations on Postgres / pgbench", "pg_create", "pgbench", 0.6, true),
        ("P2 readings / bare loop of creations", "read", "create_loop", 0.7, true),
        (
            "P2 readings / bare loop of access records",
            "read",
            "read_loop",
            0.7,
            true,
        ),
        (
            "P3 p50 / one commit and four empty requests",
            "p50",
            "p50_floor",
            1.0,
            false,
        ),
        ("P3 p99 / p99 of one commit", "p99", "commit_p99", 2.0, false),
    ];
    let judged: &[_] = if is_slow { &slow_only } else { &targets };
    let (mut ratios, mut missed) = (Vec::new(), 0);
    for &(name, above, below, goal, at_least) in judged {
        let Some(ratio) = median(&rounds, above, below) else {
            continue;
        };
        let reached = if at_least { ratio >= goal } else { ratio <= goal };
        missed += usize::from(!reached);
        let sign = if at_least { "≥" } else { "≤" };
        println!(
            "{name}: {ratio:.2} (target {sign} {goal}: {})",
            if reached { "reached" } else { "MISSED" }
        );
        ratios.push(json!({ "name": name, "ratio": ratio, "goal": goal, "at_least": at_least, "reached": reached }));
    }
    let rounds: Vec<_> = rounds
        .into_iter()
        .map(|round| round.into_iter().collect::<std::collections::BTreeMap<_, _>>())
        .collect();
    let result = json!({ "seed": seed, "clients": CLIENTS, "requests": REQUESTS, "cores": cores(), "rounds": rounds, "ratios": ratios });
    let file = if is_slow { "api-slow-disk.json" } else { "api.json" };
    std::fs::write(results().join(file), format!("{result:#}\n")).unwrap();
    assert_eq!(missed, 0, "targets were missed");
}

/// Everything on SQLite, the baselines before and after the server in turn.
async fn sqlite(random: &mut StdRng) -> Round {
    let folder = TempDir::new_in(results()).unwrap();
    let system = System::start(&folder.path().join("data"), None).await;
    let mut bare = bare(&folder.path().join("bare.db"), &system.tenant).await;

    let took: Duration = insert_creations(&mut bare, &system.tenant, REQUESTS, CLIENTS)
        .await
        .iter()
        .sum();
    let create_loop = per_second(REQUESTS, took);
    let created = load::closed(system.address, share((0..REQUESTS).map(|_| system.creation())));
    let mut commits = insert_creations(&mut bare, &system.tenant, ONE_BY_ONE, 1).await;
    let create_single = per_second(ONE_BY_ONE, commits.iter().sum());
    let creations = vec![
        ("create", created.rate),
        ("create_loop", create_loop),
        ("create_single", create_single),
    ];
    if is_slow_disk() {
        system.stop().await;
        return creations;
    }

    let ids: Vec<&str> = created.bodies.iter().map(|body| id_of(body)).collect();
    let mut any = || system.reading(ids[random.random_range(0..ids.len())]);
    let read = load::closed(system.address, share((0..REQUESTS).map(|_| any())));
    let took: Duration = insert_readings(&mut bare, &system.tenant, REQUESTS, CLIENTS)
        .await
        .iter()
        .sum();
    let read_loop = per_second(REQUESTS, took);

    let calm = load::open(
        system.address,
        share((0..REQUESTS).map(|_| system.creation())),
        created.rate / 2.0,
    );
    commits.extend(insert_creations(&mut bare, &system.tenant, ONE_BY_ONE, 1).await);
    commits.sort();
    let empty = handler::start().await;
    let requests = share((0..REQUESTS).map(|_| system.creation()));
    let empty = load::open(empty, requests, created.rate / 2.0);
    system.stop().await;
    let commit = commits[commits.len() / 2].as_secs_f64();
    let others = [
        ("read", read.rate),
        ("read_loop", read_loop),
        ("p50", quantile(&calm.latencies, 0.5)),
        ("p99", quantile(&calm.latencies, 0.99)),
        ("commit", commit),
        // What a creation cannot do without: its commit, and being received and answered. The factor is for parsing, encrypting and
        // waiting for the writer.
        ("p50_floor", commit + 4.0 * quantile(&empty.latencies, 0.5)),
        // The disk's own 99th percentile.
        ("commit_p99", commits[commits.len() * 99 / 100].as_secs_f64()),
    ];
    creations.into_iter().chain(others).collect()
}

/// A bare connection to a database of the same schema, with the tenant its rows belong to.
async fn bare(path: &Path, tenant: &str) -> Bare {
    let db = Db::open(&format!("sqlite://{}", path.display()), DbOptions::default())
        .await
        .unwrap();
    db.close().await;
    let mut bare = Bare::open(path).await;
    bare.insert(1, 1, async |connection, _| {
        let tenant = sqlx::query(
            "INSERT INTO tenants (id, name, livemode, created_at, version) VALUES ($1, 'Shop', TRUE, 0, 0)",
        )
        .bind(tenant);
        tenant.execute(connection).await.unwrap();
    })
    .await;
    bare
}

/// Distributes the requests over the clients.
fn share(requests: impl Iterator<Item = Vec<u8>>) -> Vec<Vec<Vec<u8>>> {
    let mut clients = vec![Vec::new(); CLIENTS];
    for (number, request) in requests.enumerate() {
        clients[number % CLIENTS].push(request);
    }
    clients
}

fn id_of(body: &str) -> &str {
    let start = body.find("vs_").unwrap();
    &body[start..start + 35]
}

fn quantile(sorted: &[f64], share: f64) -> f64 {
    sorted[((sorted.len() - 1) as f64 * share).round() as usize]
}

/// The median over the rounds of the ratio of two values; `None` if a round did not measure one of them.
fn median(rounds: &[Round], above: &str, below: &str) -> Option<f64> {
    let of = |round: &Round, wanted: &str| round.iter().find(|(name, _)| *name == wanted).map(|(_, value)| *value);
    let ratios: Option<Vec<f64>> = rounds
        .iter()
        .map(|round| Some(of(round, above)? / of(round, below)?))
        .collect();
    let mut ratios = ratios?;
    ratios.sort_by(f64::total_cmp);
    Some(ratios[ratios.len() / 2])
}

fn shown(value: f64) -> String {
    if value < 1.0 {
        format!("{:.2} ms", value * 1_000.0)
    } else {
        format!("{value:.0}/s")
    }
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// `scripts/bench.sh` says what it loaded.
fn is_slow_disk() -> bool {
    std::env::var_os("HONNIN_DISK").is_some_and(|disk| disk == "slow")
}

#[expect(clippy::disallowed_methods, reason = "the seed comes from the environment")]
fn seed() -> u64 {
    let given = std::env::var("HONNIN_SEED").ok();
    given.map_or_else(rand::random, |text| {
        u64::from_str_radix(text.trim_start_matches("0x"), 16).unwrap()
    })
}
