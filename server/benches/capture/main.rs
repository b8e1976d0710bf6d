//! Many phones at the same time, and one hostile network, compared with the same node without them.
//!
//! `cargo bench --bench capture` prints the results and writes `target/bench/capture.json`. `HONNIN_PHONES` and
//! `HONNIN_HOSTILE` set the number of phones and hostile connections (default 1,000 and 10,000); with fewer, the latencies of
//! other clients are reported but not judged, and the hostile network stays for seconds instead of ten minutes.
//! `HONNIN_BENCH_BINARY` names another binary to measure. The node is a separate
//! process without models: pictures are decoded, judged, re-encoded, encrypted and stored, and their analyses report missing
//! models. The clients share its cores.
//!
//! Planted faults that this benchmark detects: upload memory reserved as bytes arrive; a slot held while a body is awaited; one
//! limit for all networks.
#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "a benchmark prints its results, may panic, and counts in thousands"
)]

mod hostile;
mod http;
mod node;
mod others;
mod phones;

use hostile::Hostile;
use node::Node;
use others::{Others, Seen};
use phones::{Outcome, Sides};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use serde_json::json;
use std::{path::Path, time::Duration};
use tempfile::TempDir;
use tokio::time::{Instant, sleep, sleep_until};

const PHONES: usize = 1_000;
const HOSTILE: usize = 10_000;
/// How long the other clients are observed alone when their latencies are judged.
const WATCHED: Duration = Duration::from_secs(60);
/// How many of them a node holds: half of `http.max_connections`, and as many again unread until it closes them.
const SHARE: usize = 4_000;
/// How long they are observed beside the hostile network, which holds its connections for that long.
const BESIEGED: Duration = Duration::from_secs(600);
/// The beginning of that time, in which all hostile connections are opened at once, is judged by itself as well.
const AT_FIRST: Duration = Duration::from_secs(20);
/// Honest phones that send their pictures meanwhile, again after each pause.
const HONEST: usize = 3;
const PAUSE: Duration = Duration::from_secs(20);
/// Instead of both when they are not judged.
const GLANCED: Duration = Duration::from_secs(4);
/// In MiB, without models.
const MEMORY: f64 = 256.0;

fn main() {
    raise_descriptor_limit();
    let (phones, hostile) = (count("HONNIN_PHONES", PHONES), count("HONNIN_HOSTILE", HOSTILE));
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let sides = phones::sides();
    let mut results = runtime.block_on(crowd(phones, &sides));
    results.extend(runtime.block_on(siege(hostile, &sides)));
    let mut faults = 0;
    for (name, value, goal) in &results {
        let reached = value <= goal;
        faults += usize::from(!reached);
        println!(
            "{name}: {value:.2} (target ≤ {goal}: {})",
            if reached { "reached" } else { "MISSED" }
        );
    }
    let ratios: Vec<_> = results
        .iter()
        .map(|(name, value, goal)| json!({ "name": name, "value": value, "goal": goal, "reached": value <= goal }))
        .collect();
    let result = json!({ "phones": phones, "hostile": hostile, "results": ratios });
    std::fs::write(folder().join("capture.json"), format!("{result:#}\n")).unwrap();
    assert_eq!(faults, 0, "targets were missed");
}

/// A value, its measurement, and its target.
type Figure = (&'static str, f64, f64);

/// Many phones at the same time.
async fn crowd(phones: usize, sides: &Sides) -> Vec<Figure> {
    let node = Node::start(TempDir::new_in(folder()).unwrap());
    let alone = watch(&node, judged(phones >= PHONES, WATCHED)).await;
    let ready = phones::prepare(&node, phones).await;
    let others = Others::start(&node);
    let outcome = phones::send_all(ready, sides).await;
    let beside = others.stop().await;
    println!(
        "{phones} phones in {:.0} s: {} attempts were told to retry later, {} broke; the others' p99 {:.1} ms alone, {:.1} ms beside",
        outcome.took.as_secs_f64(),
        outcome.refused,
        outcome.broken,
        alone.p99() * 1e3,
        beside.p99() * 1e3
    );
    print_refused(&beside);
    let mut measurements = vec![
        (
            "P5 phones that did not get their pictures through",
            outcome.lost as f64,
            0.0,
        ),
        ("P5 others refused", (alone.refused + beside.refused) as f64, 0.0),
        ("P5 memory, MiB", node.memory(), MEMORY),
    ];
    if phones >= PHONES {
        measurements.push(("P5 others' p99 / alone", beside.p99() / alone.p99(), 2.0));
    }
    measurements
}

/// One hostile network.
async fn siege(connections: usize, sides: &Sides) -> Vec<Figure> {
    let node = Node::start(TempDir::new_in(folder()).unwrap());
    let is_judged = connections >= HOSTILE;
    let alone = watch(&node, judged(is_judged, WATCHED)).await;
    let hostile = Hostile::start(&node, connections).await;
    let others = Others::start(&node);
    let until = Instant::now() + judged(is_judged, BESIEGED);
    let (mut outcome, mut sent) = (Outcome::default(), 0);
    while sent == 0 || Instant::now() < until {
        outcome += phones::send_all(phones::prepare(&node, HONEST).await, sides).await;
        sent += HONEST;
        sleep_until(until.min(Instant::now() + PAUSE)).await;
    }
    let beside = others.stop().await;
    let (opened, most) = (hostile.opened(), hostile.most());
    assert!(
        opened >= hostile.connections,
        "only {opened} hostile connections were opened"
    );
    assert!(
        most >= hostile.connections.min(SHARE),
        "only {most} hostile connections were open at a time"
    );
    println!(
        "beside {} hostile connections, opened {opened} times, {most} of them open at a time, {sent} phones: \
         {} uploads were told to retry later, {} broke; the others' p99 {:.1} ms alone, {:.1} ms beside, {:.1} ms at first",
        hostile.connections,
        outcome.refused,
        outcome.broken,
        alone.p99() * 1e3,
        beside.p99() * 1e3,
        beside.p99_of_first(AT_FIRST) * 1e3
    );
    print_refused(&beside);
    let mut measurements = vec![
        (
            "P5b phones that were refused",
            (outcome.refused + outcome.broken + outcome.lost) as f64,
            0.0,
        ),
        ("P5b others refused", (alone.refused + beside.refused) as f64, 0.0),
    ];
    if is_judged {
        measurements.push(("P5b others' p99 / alone", beside.p99() / alone.p99(), 2.0));
        let at_first = beside.p99_of_first(AT_FIRST);
        measurements.push(("P5b others' p99 while all connect / alone", at_first / alone.p99(), 2.0));
    }
    measurements
}

/// Prints which requests of other clients were refused.
fn print_refused(seen: &Seen) {
    for ((path, answer), count) in &seen.refused_at {
        println!("refused at {path}: {count} times {answer}");
    }
}

/// What other clients see of an otherwise idle node.
async fn watch(node: &Node, time: Duration) -> Seen {
    let others = Others::start(node);
    sleep(time).await;
    others.stop().await
}

const fn judged(is_judged: bool, time: Duration) -> Duration {
    if is_judged { time } else { GLANCED }
}

fn folder() -> std::path::PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/bench");
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// Both ends of a connection are on this machine.
fn raise_descriptor_limit() {
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    let all = Rlimit {
        current: maximum,
        maximum,
    };
    setrlimit(Resource::Nofile, all).unwrap();
}

#[expect(clippy::disallowed_methods, reason = "the size comes from the environment")]
fn count(name: &str, otherwise: usize) -> usize {
    std::env::var(name).map_or(otherwise, |text| text.parse().unwrap())
}
