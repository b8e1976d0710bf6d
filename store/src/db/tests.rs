//! The guarantees of a unit of work on both databases; and that units sharing SQLite's commit do not affect each other.

#[expect(dead_code, reason = "these tests need a part of it")]
#[path = "../../tests/contract/harness.rs"]
mod harness;

mod group;
mod leaving;
mod past;
mod threads;
mod units;

use super::{Db, Tx, on};
use crate::StoreError;
use harness::{Backend, backends, sqlite};

/// An effect to look for: a row with this subject.
async fn add(tx: &mut Tx, subject: &str) -> Result<(), StoreError> {
    on!(tx, conn => sqlx::query("INSERT INTO jobs (kind, subject, run_at) VALUES ('sweep', $1, 0)")
        .bind(subject).execute(conn).await.map(drop))
}

/// The subjects that are committed, in order.
async fn committed(db: &Db) -> Vec<String> {
    db.read(async |tx| on!(tx, conn => sqlx::query_scalar("SELECT subject FROM jobs ORDER BY subject").fetch_all(conn).await))
    .await
    .unwrap()
}

async fn execute(tx: &mut Tx, sql: &'static str) -> Result<(), StoreError> {
    on!(tx, conn => sqlx::raw_sql(sql).execute(conn).await.map(drop))
}
