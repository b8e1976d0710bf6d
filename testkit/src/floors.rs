//! The baseline of everything durable: a bare loop on SQLite with the same settings, on the same disk, in the same run.

use sqlx::{
    ConnectOptions, Connection, SqliteConnection,
    sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous},
};
use std::{
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

/// A plain connection.
pub struct Bare(SqliteConnection);

impl Bare {
    /// Opens a database that is already migrated.
    pub async fn open(path: &Path) -> Self {
        let options = SqliteConnectOptions::new()
            .filename(path)
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(SqliteSynchronous::Full)
            .foreign_keys(true)
            .pragma("secure_delete", "ON")
            .pragma("temp_store", "MEMORY");
        Self(options.connect().await.unwrap())
    }

    /// Inserts `rows` with `row`, `per_commit` of them per commit. Returns how long each commit took, from its BEGIN.
    pub async fn insert(
        &mut self,
        rows: usize,
        per_commit: usize,
        mut row: impl AsyncFnMut(&mut SqliteConnection, usize),
    ) -> Vec<Duration> {
        let mut commits = Vec::with_capacity(rows / per_commit);
        for commit in 0..rows / per_commit {
            let start = Instant::now();
            let mut tx = self.0.begin_with("BEGIN IMMEDIATE").await.unwrap();
            for number in 0..per_commit {
                row(&mut tx, commit * per_commit + number).await;
            }
            tx.commit().await.unwrap();
            commits.push(start.elapsed());
        }
        commits
    }
}

/// Where results go: on the disk that is measured, unlike the system's temporary folder, which may be in memory.
pub fn results() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/bench");
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// Rate per second.
#[expect(clippy::cast_precision_loss, reason = "some thousands")]
pub fn per_second(rows: usize, took: Duration) -> f64 {
    rows as f64 / took.as_secs_f64()
}
