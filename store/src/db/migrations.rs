//! The schemas, embedded at compile time. The two folders of a pair hold files of equal names.

use sqlx::migrate::Migrator;

pub(super) static SQLITE: Migrator = sqlx::migrate!("../migrations/sqlite");
pub(super) static POSTGRES: Migrator = sqlx::migrate!("../migrations/postgres");
pub(super) static KEYS_SQLITE: Migrator = sqlx::migrate!("../migrations/keys/sqlite");
pub(super) static KEYS_POSTGRES: Migrator = sqlx::migrate!("../migrations/keys/postgres");
