//! The API contract, sentence by sentence. `sentences.txt` contains its text; each sentence has one row here, identified by its
//! first words: a check against the running server, or the test elsewhere that proves it, or the reason why there is nothing to
//! prove.
//!
//! Planted faults that this test detected: a row removed; the id of a refusal cut at 63 characters.

mod access;
mod detail;
mod endpoints;
mod events;
mod examples;
mod outcome;
mod request;
mod response;
mod service;
mod states;
mod world;

use futures::{FutureExt as _, StreamExt as _, future::BoxFuture};
use std::{collections::BTreeSet, panic::AssertUnwindSafe, path::Path};

const SENTENCES: &str = include_str!("sentences.txt");

/// The proof of a sentence.
enum Proof {
    /// A check against the running server, and its name.
    Here(&'static str, fn() -> BoxFuture<'static, ()>),
    /// A test elsewhere: its file and its name.
    There(&'static str, &'static str),
    /// Nothing to prove, for this reason.
    Exempt(&'static str),
}

/// The first words of a sentence, and its proof.
type Row = (&'static str, Proof);

macro_rules! here {
    ($sentence:literal, $check:path) => {
        ($sentence, super::Proof::Here(stringify!($check), || Box::pin($check())))
    };
}
macro_rules! there {
    ($sentence:literal, $file:literal, $test:literal) => {
        ($sentence, super::Proof::There($file, $test))
    };
}
macro_rules! exempt {
    ($sentence:literal, $why:literal) => {
        ($sentence, super::Proof::Exempt($why))
    };
}
use {exempt, here, there};

/// Each section of the contract and its rows.
const TABLE: [(&str, &[Row]); 22] = [
    ("Identity Verification Service API", service::DOCUMENT),
    ("What the service does", service::SERVICE),
    ("Identifier formats", service::IDENTIFIERS),
    ("Session creation request", request::ROWS),
    ("Session creation response", response::CREATION),
    ("Reprocess response", response::REPROCESS),
    ("Session detail (GET response)", detail::ROWS),
    ("Outcome", outcome::ROWS),
    ("States and transitions", states::ROWS),
    ("Endpoints", endpoints::ALL_THREE),
    ("POST /v1/verification-sessions", endpoints::CREATE),
    ("GET /v1/verification-sessions/{id}", endpoints::READ),
    ("POST /v1/verification-sessions/{id}/reprocess", endpoints::REPROCESS),
    ("Inbound: customer webhook receiver", events::INBOUND),
    ("Authentication", access::ROWS),
    ("Events", events::EVENTS),
    ("Envelope", events::ENVELOPE),
    ("Event types", events::TYPES),
    ("Delivery rules", events::DELIVERY),
    ("Errors", endpoints::ERRORS),
    ("Limits", endpoints::LIMITS),
    ("Versioning", endpoints::VERSIONING),
];

/// The contract's sections with their sentences.
fn sections() -> Vec<(&'static str, Vec<&'static str>)> {
    let mut sections = Vec::new();
    for line in SENTENCES.lines().filter(|line| !line.is_empty()) {
        match line.strip_prefix("# ") {
            Some(title) => sections.push((title, Vec::new())),
            None => sections.last_mut().unwrap().1.push(line),
        }
    }
    sections
}

#[test]
fn every_sentence_of_the_contract_has_one_row_and_every_row_its_sentence() {
    let sections = sections();
    let titles: Vec<_> = sections.iter().map(|(title, _)| *title).collect();
    assert_eq!(titles, TABLE.map(|(title, _)| title));
    let mut faults = Vec::new();
    for ((title, sentences), (_, rows)) in sections.iter().zip(TABLE) {
        for sentence in sentences {
            let count = rows.iter().filter(|(start, _)| sentence.starts_with(start)).count();
            if count != 1 {
                faults.push(format!("{title}: {count} rows for “{sentence}”"));
            }
        }
        for (start, _) in rows {
            let count = sentences.iter().filter(|sentence| sentence.starts_with(start)).count();
            if count != 1 {
                faults.push(format!("{title}: {count} sentences for the row “{start}”"));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn what_is_proved_elsewhere_is_proved_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    for (start, proof) in TABLE.iter().flat_map(|(_, rows)| *rows) {
        match proof {
            Proof::There(file, test) => {
                let text = std::fs::read_to_string(root.join(file)).unwrap_or_default();
                let is_there = text.contains(&format!("fn {test}(")) || text.contains(&format!("test('{test}'"));
                assert!(is_there, "“{start}” is said to be proved by {test} in {file}");
            }
            Proof::Exempt(why) => assert!(why.len() > 10, "“{start}” needs a reason"),
            Proof::Here(..) => {}
        }
    }
}

/// Runs every check of these sections once, some of them concurrently, and reports the sentences that do not hold.
async fn hold(titles: &[&str]) {
    let mut seen = BTreeSet::new();
    let mut checks = Vec::new();
    for (_, rows) in TABLE.iter().filter(|(title, _)| titles.contains(title)) {
        for (start, proof) in *rows {
            if let Proof::Here(name, check) = proof
                && seen.insert(*name)
            {
                checks.push((*start, *name, *check));
            }
        }
    }
    assert!(!checks.is_empty());
    let judged = futures::stream::iter(checks)
        .map(
            |(start, name, check)| async move { (start, name, AssertUnwindSafe(check()).catch_unwind().await.is_ok()) },
        )
        .buffer_unordered(4);
    let failed: Vec<_> = judged
        .filter_map(|(start, name, holds)| async move { (!holds).then(|| format!("“{start}…” by {name}")) })
        .collect()
        .await;
    assert!(failed.is_empty(), "these do not hold:\n{}", failed.join("\n"));
}

/// The sections whose checks run in one test.
const SERVICE: &[&str] = &[
    "Identity Verification Service API",
    "What the service does",
    "Identifier formats",
];
const CREATING: &[&str] = &[
    "Session creation request",
    "Session creation response",
    "Reprocess response",
];
const READING: &[&str] = &["Session detail (GET response)", "Outcome"];
const STATES: &[&str] = &["States and transitions"];
const OPERATIONS: &[&str] = &[
    "Endpoints",
    "POST /v1/verification-sessions",
    "GET /v1/verification-sessions/{id}",
    "POST /v1/verification-sessions/{id}/reprocess",
    "Errors",
    "Limits",
    "Versioning",
];
const ACCESS: &[&str] = &["Authentication"];
const EVENTS: &[&str] = &[
    "Inbound: customer webhook receiver",
    "Events",
    "Envelope",
    "Event types",
    "Delivery rules",
];

/// The checks of a section that is in none of these would never run.
#[test]
fn every_section_is_checked_by_one_test() {
    let mut checked = [SERVICE, CREATING, READING, STATES, OPERATIONS, ACCESS, EVENTS].concat();
    let mut all = TABLE.map(|(title, _)| title);
    checked.sort_unstable();
    all.sort_unstable();
    assert_eq!(checked, all);
}

#[tokio::test]
async fn the_sentences_about_the_service_hold() {
    hold(SERVICE).await;
}

#[tokio::test]
async fn the_sentences_about_creating_hold() {
    hold(CREATING).await;
}

#[tokio::test]
async fn the_sentences_about_what_is_read_hold() {
    hold(READING).await;
}

#[tokio::test]
async fn the_sentences_about_states_hold() {
    hold(STATES).await;
}

#[tokio::test]
async fn the_sentences_about_operations_hold() {
    hold(OPERATIONS).await;
}

#[tokio::test]
async fn the_sentences_about_access_hold() {
    hold(ACCESS).await;
}

#[tokio::test]
async fn the_sentences_about_events_hold() {
    hold(EVENTS).await;
}
