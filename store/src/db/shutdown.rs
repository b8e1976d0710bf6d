//! How a SQLite database was last closed. A process that has it open has a row in it, which is removed on a clean close. The
//! row identifies the file it was written to, so that a copy can be recognised: if a copy has a row, it was made while the
//! database was open, and what had not been checkpointed from the log by then is missing unless the log was copied too.

use crate::StoreError;
use sqlx::{
    ConnectOptions as _, Connection as _, SqliteConnection,
    sqlite::{SqliteConnectOptions, SqliteLockingMode},
};
use std::{
    fs,
    path::Path,
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

/// How many databases this process has signed on to and not off yet.
static OPEN: Mutex<usize> = Mutex::new(0);
/// It has signed off one of them.
static SIGNED_OFF: Condvar = Condvar::new();

fn open() -> MutexGuard<'static, usize> {
    OPEN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Waits until this process has signed off every SQLite database that it had open, at most for `limit`. One that is dropped without being closed, as
/// when a start fails, is signed off by its own thread: a process that ends before would leave its row, which the next start takes for a crash. Blocks
/// the thread.
pub fn wait_until_signed_off(limit: Duration) {
    // A poisoned count is as good as any.
    drop(SIGNED_OFF.wait_timeout_while(open(), limit, |open| *open > 0));
}

/// How a database was last closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ShutdownKind {
    /// Nothing to report: it was closed cleanly, is new, or another process has it open.
    Orderly,
    /// Its process ended without closing it, and its write-ahead log is present.
    Crashed,
    /// It is a copy made while it was open, and its write-ahead log is missing.
    WithoutLog,
}

/// What was found before the database was opened.
#[derive(Debug)]
pub(super) struct Shutdown {
    pub(super) kind: ShutdownKind,
    /// Rows of processes that have ended.
    stale: Vec<String>,
}

/// Examines the database with an exclusive lock, which is refused if anybody has it open.
pub(super) async fn look(options: &SqliteConnectOptions) -> Shutdown {
    let file = options.get_filename();
    let mut log = file.as_os_str().to_owned();
    log.push("-wal");
    let has_log = Path::new(&log).exists();
    let rows = if file.exists() { rows(options).await } else { Ok(None) };
    // In use, older than the table of rows, or unreadable, which opening it will report.
    let Ok(Some((journal, rows))) = rows else {
        return Shutdown {
            kind: ShutdownKind::Orderly,
            stale: Vec::new(),
        };
    };
    Shutdown {
        kind: judge(&journal, &rows, has_log, &identity(file)),
        stale: rows.into_iter().map(|(id, _)| id).collect(),
    }
}

type Rows = Vec<(String, String)>;

/// The journal mode in the file's header, and the rows.
async fn rows(options: &SqliteConnectOptions) -> Result<Option<(String, Rows)>, sqlx::Error> {
    let alone = options
        .clone()
        .busy_timeout(Duration::ZERO)
        .locking_mode(SqliteLockingMode::Exclusive);
    let mut connection = alone.connect().await?;
    let journal = sqlx::query_scalar("PRAGMA journal_mode")
        .fetch_one(&mut connection)
        .await;
    let rows = sqlx::query_as("SELECT id, file FROM openings")
        .fetch_all(&mut connection)
        .await;
    connection.close().await?;
    Ok(Some((journal?, rows?)))
}

fn judge(journal: &str, rows: &[(String, String)], has_log: bool, here: &str) -> ShutdownKind {
    // `VACUUM INTO` copies the content of the log, and creates a file without one.
    if rows.is_empty() || journal != "wal" {
        ShutdownKind::Orderly
    } else if has_log {
        ShutdownKind::Crashed
    } else if rows.iter().all(|(_, file)| file == here) {
        // SQLite removes the log when the last connection ends, even that of a process that had no time to remove its row.
        ShutdownKind::Orderly
    } else {
        ShutdownKind::WithoutLog
    }
}

/// Distinguishes the file from its copies.
pub(super) fn identity(file: &Path) -> String {
    let Ok(metadata) = fs::metadata(file) else {
        return String::new();
    };
    let created = metadata.created().ok();
    let created = created.and_then(|at| at.duration_since(std::time::UNIX_EPOCH).ok());
    #[cfg(unix)]
    let number = std::os::unix::fs::MetadataExt::ino(&metadata);
    #[cfg(not(unix))]
    let number = 0;
    format!("{number}-{}", created.unwrap_or_default().as_nanos())
}

impl Shutdown {
    /// Logs it.
    pub(super) fn log(&self, file: &Path) {
        let file = file.display();
        match self.kind {
            ShutdownKind::Orderly => {}
            ShutdownKind::Crashed => tracing::info!(
                %file,
                "this database was not closed cleanly, as after a crash; its write-ahead log was there, so no acknowledged change is lost, \
                 unless file and log were copied one after the other while it was open"
            ),
            ShutdownKind::WithoutLog => tracing::warn!(
                %file,
                "this database was copied while it was open, without its write-ahead log: the most recent changes are missing. Restore a copy \
                 that was made as docs/BACKUP.md says"
            ),
        }
    }
}

/// This process's row.
#[derive(Debug)]
pub(super) struct Opening {
    id: String,
}

impl Opening {
    /// Replaces the rows that `found` left behind by this process's, and checkpoints it into the file: only then does a copy
    /// without the log contain it.
    pub(super) async fn begin(
        connection: &mut SqliteConnection,
        file: &Path,
        found: &Shutdown,
    ) -> Result<Self, StoreError> {
        let id = format!("{:016x}", rand::random::<u64>());
        let row = async {
            let mut tx = connection.begin_with("BEGIN IMMEDIATE").await?;
            for stale in &found.stale {
                let remove = sqlx::query("DELETE FROM openings WHERE id = $1").bind(stale);
                remove.execute(&mut *tx).await?;
            }
            let add = sqlx::query("INSERT INTO openings (id, file) VALUES ($1, $2)");
            add.bind(&id).bind(identity(file)).execute(&mut *tx).await?;
            tx.commit().await?;
            sqlx::raw_sql("PRAGMA wal_checkpoint(PASSIVE)")
                .execute(connection)
                .await
        };
        row.await.map_err(|error| StoreError::from_sql(&error))?;
        *open() += 1;
        Ok(Self { id })
    }

    /// Removes the row: the database is closed cleanly.
    pub(super) async fn end(&self, connection: &mut SqliteConnection) -> Result<(), StoreError> {
        let remove = sqlx::query("DELETE FROM openings WHERE id = $1").bind(&self.id);
        let removed = remove.execute(connection).await;
        removed.map(drop).map_err(|error| StoreError::from_sql(&error))
    }
}

impl Drop for Opening {
    fn drop(&mut self) {
        *open() -= 1;
        SIGNED_OFF.notify_all();
    }
}
