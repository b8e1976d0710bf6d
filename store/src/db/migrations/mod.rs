//! The schemas, embedded at compile time. Both folders of a pair contain files with equal names. `patient` brings them up to date on PostgreSQL while
//! other nodes serve; `turn` lets one process at a time do it on SQLite.

mod patient;
mod turn;

use crate::StoreError;
use sqlx::{
    SqlStr,
    migrate::{MigrateError, Migration, MigrationType, Migrator},
};
use std::sync::LazyLock;

pub(super) use patient::run;
pub(super) use turn::take_turn;

/// The migrations that `build.rs` has listed under a name.
macro_rules! listed {
    ($name:literal) => {
        LazyLock::new(|| migrator(&include!(concat!(env!("OUT_DIR"), "/", $name, ".rs"))))
    };
}

pub(super) static SQLITE: LazyLock<Migrator> = listed!("sqlite");
pub(super) static POSTGRES: LazyLock<Migrator> = listed!("postgres");
pub(super) static KEYS_SQLITE: LazyLock<Migrator> = listed!("keys_sqlite");
pub(super) static KEYS_POSTGRES: LazyLock<Migrator> = listed!("keys_postgres");

/// Begins a file whose only statement cannot run in a transaction, as for sqlx's own programs.
const NO_TRANSACTION: &str = "-- no-transaction";

/// `sqlx::migrate!` would do the same, but its crate compiles both drivers, with TLS, a second time.
fn migrator(files: &[(i64, &'static str, &'static str)]) -> Migrator {
    let files = files
        .iter()
        .map(|&(version, description, text)| migration(version, description, text));
    Migrator::with_migrations(files.collect())
}

pub(super) fn migration(version: i64, description: &'static str, text: &'static str) -> Migration {
    let no_tx = text.starts_with(NO_TRANSACTION);
    let text = SqlStr::from_static(text);
    Migration::new(version, description.into(), MigrationType::Simple, text, no_tx)
}

/// Converts the result of migrating a schema.
pub(super) fn done(result: Result<(), MigrateError>) -> Result<(), StoreError> {
    result.map_err(|error| StoreError::unavailable(format_args!("cannot migrate the schema: {error}")))
}
