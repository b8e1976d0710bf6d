//! The current time for jobs: by two clocks, where several nodes share a database.

use crate::{
    StoreError,
    db::{Dialect, Tx, on},
};
use domain::time::Timestamp;

/// What time it is for jobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    /// By the caller's clock. What is planned for then, or earlier, is due.
    pub now: Timestamp,
    /// By the clock that all leases use, whoever takes them. Leases that end then, or earlier, have ended.
    pub leases: Timestamp,
}

impl Moment {
    /// By one clock for both.
    #[must_use]
    pub const fn by_one_clock(now: Timestamp) -> Self {
        Self { now, leases: now }
    }
}

/// The time by the clock of the database server. `None` on SQLite, which is a part of this process.
///
/// # Errors
/// If the database does not respond.
pub async fn read_clock(tx: &mut Tx) -> Result<Option<Timestamp>, StoreError> {
    match tx.dialect() {
        Dialect::Sqlite => Ok(None),
        Dialect::Postgres => {
            // Not the time at which the transaction began.
            let millis: i64 = on!(tx, conn => sqlx::query_scalar(
                "SELECT CAST(FLOOR(EXTRACT(EPOCH FROM clock_timestamp()) * 1000) AS BIGINT)")
                .fetch_one(conn).await)?;
            Ok(Some(Timestamp::from_millis(millis)))
        }
    }
}
