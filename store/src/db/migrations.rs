//! The schemas, embedded at compile time. Both folders of a pair contain files with equal names.

use crate::StoreError;
use sqlx::{
    SqlStr,
    migrate::{MigrateError, Migration, MigrationType, Migrator},
};
use std::sync::LazyLock;

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

/// `sqlx::migrate!` would do the same, but its crate compiles both drivers, with TLS, a second time.
fn migrator(files: &[(i64, &'static str, &'static str)]) -> Migrator {
    let files = files.iter().map(|&(version, description, text)| {
        let text = SqlStr::from_static(text);
        Migration::new(version, description.into(), MigrationType::Simple, text, false)
    });
    Migrator::with_migrations(files.collect())
}

/// Converts the result of migrating a schema.
pub(super) fn done(result: Result<(), MigrateError>) -> Result<(), StoreError> {
    result.map_err(|error| StoreError::unavailable(format_args!("cannot migrate the schema: {error}")))
}
