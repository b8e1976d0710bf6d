//! The schemas, embedded at compile time. Both folders of a pair contain files with equal names.

use crate::StoreError;
use sqlx::migrate::{MigrateError, Migrator};

pub(super) static SQLITE: Migrator = sqlx::migrate!("../migrations/sqlite");
pub(super) static POSTGRES: Migrator = sqlx::migrate!("../migrations/postgres");
pub(super) static KEYS_SQLITE: Migrator = sqlx::migrate!("../migrations/keys/sqlite");
pub(super) static KEYS_POSTGRES: Migrator = sqlx::migrate!("../migrations/keys/postgres");

/// Converts the result of migrating a schema.
pub(super) fn done(result: Result<(), MigrateError>) -> Result<(), StoreError> {
    result.map_err(|error| StoreError::unavailable(format_args!("cannot migrate the schema: {error}")))
}
