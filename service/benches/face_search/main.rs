//! The cost of the face search among approved people: the time from the submit to the decision, with no faces to compare and
//! with many, in turn.
//!
//! `cargo bench --bench face_search` prints the medians and writes `target/bench/face_search.json`. An applicant waits for
//! the decision, so it has to end within a minute.

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark prints its results and may panic"
)]

use domain::{
    findings::FaceEngine,
    ids::SessionId,
    session::{Plan, Session, Step},
    time::Millis,
};
use service::capture::submit::submit;
use std::{
    path::Path,
    time::{Duration, Instant},
};
use store::{
    StoreError,
    decision::identities::{self, IdentityRow},
    session::sessions::{self, SessionRow},
    vault::SealedValue,
};
use testkit::{Harness, START, applicant::agree};

/// Decisions of each kind.
const ROUNDS: usize = 7;
/// Approved faces that are compared.
const MANY: u32 = 10_000;

/// Stores sessions of the tenant with approved faces of fictional people.
async fn populate(harness: &Harness) {
    let vault = harness.database.vault().await;
    let mut state = 7_u32;
    let mut rows = Vec::new();
    for number in 0..MANY {
        let mut id = [0xAB; 16];
        id[..4].copy_from_slice(&number.to_be_bytes());
        let key = vault.take().await.unwrap();
        let session = Session::new(
            SessionId::from_random(id),
            harness.tenant.id.clone(),
            Plan::of(&[Step::Selfie]).unwrap(),
            START,
            Millis::hours(1),
        );
        let row = SessionRow::new(session, key.id().clone());
        let descriptor = (0..128).flat_map(|_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            ((state >> 8) as f32 / 8_388_608.0 - 1.0).to_le_bytes()
        });
        let face = key
            .seal(
                &row.associated_data(SealedValue::Face),
                &descriptor.collect::<Vec<u8>>(),
            )
            .unwrap();
        let identity = IdentityRow {
            session: row.session.id.clone(),
            tenant: harness.tenant.id.clone(),
            document: None,
            face: Some(face),
            face_engine: FaceEngine::BUILT_IN.to_owned(),
            approved_at: Some(START),
        };
        rows.push((row, identity));
    }
    let unit = harness.honnin.db().write(async move |tx| -> Result<_, StoreError> {
        for (row, identity) in &rows {
            sessions::insert(tx, row).await?;
            identities::save(tx, identity).await?;
        }
        Ok(())
    });
    unit.await.unwrap();
}

/// The time from the submit to the decision of one session.
async fn decision(harness: &Harness) -> Duration {
    let created = harness.create().await;
    let applicant = harness.start(&created).await;
    agree(&harness.honnin, &applicant, Some(true)).await.unwrap();
    harness.photograph(&applicant).await;
    harness.type_details(&applicant).await;
    harness.selfie(&applicant).await;
    harness.run_until_idle().await;
    submit(&harness.honnin, &applicant).await.unwrap();
    let begun = Instant::now();
    harness.run_until_idle().await;
    begun.elapsed()
}

fn median(mut spans: Vec<Duration>) -> f64 {
    spans.sort();
    spans[spans.len() / 2].as_secs_f64() * 1e3
}

#[tokio::main]
async fn main() {
    let (none, many) = (Harness::searching().await, Harness::searching().await);
    populate(&many).await;
    let (mut without, mut among) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        without.push(decision(&none).await);
        among.push(decision(&many).await);
    }
    let (without, among) = (median(without), median(among));
    println!(
        "median of {ROUNDS}: a decision takes {without:.0} ms without faces, {among:.0} ms among {MANY} (< 60,000)"
    );
    let result = serde_json::json!({ "faces": MANY, "rounds": ROUNDS, "without_ms": without, "among_ms": among });
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/bench");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("face_search.json"), format!("{result:#}\n")).unwrap();
    assert!(among < 60_000.0, "target missed: {among:.0} ms among {MANY}");
}
