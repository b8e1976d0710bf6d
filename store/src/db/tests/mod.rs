//! The guarantees of a unit of work on both databases; and that units sharing SQLite's commit do not affect each other.

mod collation;
mod endless;
mod files;
mod group;
mod leaving;
mod migrating;
mod plans;
mod shutdown;
mod silence;
mod stopping;
mod threads;
mod units;

use super::{Db, DbOptions, Tx, on};
use crate::StoreError;
use std::{path::Path, time::Duration};
use tempfile::TempDir;
use testkit::databases::{Address, addresses, sqlite_address};

/// Few connections, since many tests share one Postgres.
const OPTIONS: DbOptions = DbOptions {
    readers: 4,
    connections: 8,
    timeout: Duration::from_secs(20),
    write: Duration::from_secs(120),
    read: Duration::from_secs(120),
};

/// A database under test. The one of `testkit` is of the crate as the others see it, whose types are not those of this build.
#[derive(Clone)]
struct Backend {
    name: &'static str,
    db: Db,
    url: String,
    address: Address,
}

impl Backend {
    async fn open(address: Address) -> Self {
        Self {
            name: address.name,
            db: Db::open(&address.url, OPTIONS).await.unwrap(),
            url: address.url.clone(),
            address,
        }
    }

    fn folder(&self) -> &Path {
        self.address.folder()
    }

    async fn reopen(&self) -> Db {
        Db::open(&self.url, OPTIONS).await.unwrap()
    }
}

async fn backends() -> Vec<Backend> {
    let mut all = Vec::new();
    for address in addresses().await {
        all.push(Backend::open(address).await);
    }
    all
}

async fn sqlite() -> Backend {
    Backend::open(sqlite_address(TempDir::new().unwrap())).await
}

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
