//! How much of the audit log has been exported to another system. One process at a time exports it, under a lease. Entries are
//! exported in the order of their chain, in which none appears late.

use crate::{
    StoreError, audit,
    db::{Tx, on, row},
};
use domain::time::{SKEW, Timestamp};

row! {
    /// How far the log was exported.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Reached {
        /// The position of the last entry exported.
        pub position: i64,
        /// The same some time ago. What a receiver that confirms nothing may have lost comes after it.
        pub settled: i64,
    }
}

row! {
    /// A linked entry, with everything its hash covers, and the names of who did it and where. Of a detail that is longer than
    /// [`audit::MAX_DETAIL`], it has only a part.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Exported {
        /// Its position in the chain. The positions of consecutive entries are consecutive.
        pub position: i64,
        /// Its hash.
        pub hash: Vec<u8>,
        /// Its number.
        pub number: i64,
        /// When, in milliseconds since 1970.
        pub at: i64,
        /// The tenant concerned; `None` for the whole installation.
        pub tenant_id: Option<String>,
        /// The id of a user or an API key, or `system`.
        pub actor: String,
        /// The name of the person or API key.
        pub actor_name: Option<String>,
        /// What was done.
        pub action: String,
        /// The id of what it was done to.
        pub subject: Option<String>,
        /// Details.
        pub detail: Option<String>,
        /// The caller's address.
        pub address: Option<String>,
    }
}

/// Whether there are linked entries that were not exported. Every node asks each second, so it is answered without a look at the log: the
/// end of the chain is beyond the last one exported.
///
/// # Errors
/// If the database does not respond.
pub async fn any_new(tx: &mut Tx) -> Result<bool, StoreError> {
    let found: Option<i64> = on!(tx, conn => sqlx::query_scalar(
        "SELECT chain.position FROM audit_chain AS chain JOIN audit_export AS export ON export.id = chain.id
         WHERE chain.id = 1 AND chain.position > export.position")
        .fetch_optional(conn).await)?;
    Ok(found.is_some())
}

/// How many linked entries were not exported. Like [`any_new`], without a look at the log.
///
/// # Errors
/// If the database does not respond.
pub async fn count_new(tx: &mut Tx) -> Result<i64, StoreError> {
    on!(tx, conn => sqlx::query_scalar(
        "SELECT chain.position - export.position FROM audit_chain AS chain JOIN audit_export AS export ON export.id = chain.id
         WHERE chain.id = 1")
        .fetch_one(conn).await)
}

/// Whether another process has the lease, so that [`claim`] would fail. Only looking costs no commit.
///
/// # Errors
/// If the database does not respond.
pub async fn is_taken(tx: &mut Tx, worker: &str, now: Timestamp, until: Timestamp) -> Result<bool, StoreError> {
    let found: Option<i64> = on!(tx, conn => sqlx::query_scalar(
        "SELECT position FROM audit_export WHERE id = 1 AND worker <> $1 AND until > $2 AND until <= $3")
        .bind(worker).bind(now.as_millis()).bind(until.plus(SKEW).as_millis()).fetch_optional(conn).await)?;
    Ok(found.is_some())
}

/// Takes or renews the lease until `until`. How far the log was exported; `None` if another process has the lease. All last equally long: one that
/// ends later than a new one was taken by a clock that was ahead, and does not count.
///
/// # Errors
/// If the database does not respond.
pub async fn claim(tx: &mut Tx, worker: &str, now: Timestamp, until: Timestamp) -> Result<Option<Reached>, StoreError> {
    on!(tx, conn => sqlx::query_as(
        "UPDATE audit_export SET worker = $1, until = $3 WHERE id = 1 AND (worker = $1 OR until <= $2 OR until > $4)
         RETURNING position, COALESCE(settled, position) AS settled")
        .bind(worker).bind(now.as_millis()).bind(until.as_millis()).bind(until.plus(SKEW).as_millis())
        .fetch_optional(conn).await)
}

/// The entries after the one at `after`, in the order of the chain.
///
/// # Errors
/// If the database does not respond.
pub async fn list(tx: &mut Tx, after: i64, limit: u32) -> Result<Vec<Exported>, StoreError> {
    on!(tx, conn => sqlx::query_as(concat!(
        "SELECT audit.position, audit.hash, audit.number, audit.at, audit.tenant_id, audit.actor,
                COALESCE(users.name, api_keys.name) AS actor_name, audit.action, audit.subject, ",
        audit::detail!(),
        ", audit.address
         FROM audit LEFT JOIN users ON users.id = audit.actor LEFT JOIN api_keys ON api_keys.id = audit.actor
         WHERE audit.position > $1 ORDER BY audit.position LIMIT $2"))
        .bind(after).bind(i64::from(limit)).fetch_all(conn).await)
}

/// Notes at `now` that everything up to the entry at `to` was exported. What had been noted by `certain` may be settled now; nothing if it is `None`.
///
/// # Errors
/// [`StoreError::LeaseLost`] if another process has taken the lease.
pub async fn advance(
    tx: &mut Tx,
    worker: &str,
    to: i64,
    now: Timestamp,
    certain: Option<Timestamp>,
) -> Result<(), StoreError> {
    // A receiver that confirms nothing has what is up to `settled` for certain. `settling` is where the export was at `settling_since`. Once the
    // connection has lasted since then, it becomes `settled`, and the next wait begins where the export is now. A wait also begins again if it
    // began at a time that has not come, by a clock that was ahead. Without a value, nothing was noted since these columns were added.
    let moved = on!(tx, conn => sqlx::query(
        "UPDATE audit_export SET position = $2,
             settled = CASE WHEN COALESCE(settling_since, 0) <= $4 THEN COALESCE(settling, position)
                            ELSE COALESCE(settled, position) END,
             settling = CASE WHEN COALESCE(settling_since, 0) <= $4 OR settling_since > $3 THEN position
                             ELSE COALESCE(settling, position) END,
             settling_since = CASE WHEN COALESCE(settling_since, 0) <= $4 OR settling_since > $3 THEN $3
                                   ELSE COALESCE(settling_since, 0) END
         WHERE id = 1 AND worker = $1 AND position < $2")
        .bind(worker).bind(to).bind(now.as_millis()).bind(certain.map_or(i64::MIN, Timestamp::as_millis))
        .execute(conn).await.map(|done| done.rows_affected()))?;
    if moved == 1 { Ok(()) } else { Err(StoreError::LeaseLost) }
}

/// Sets the export back, so that the entry after the one at `to` is the next. The process that exports loses its lease: it would continue from where
/// it is. Returns whether that entry had been exported.
///
/// # Errors
/// If the database does not respond.
pub async fn set_back(tx: &mut Tx, to: i64) -> Result<bool, StoreError> {
    on!(tx, conn => sqlx::query(
        "UPDATE audit_export SET position = $1, worker = NULL, until = 0,
             settled = CASE WHEN settled < $1 THEN settled ELSE $1 END,
             settling = CASE WHEN settling < $1 THEN settling ELSE $1 END
         WHERE id = 1 AND position > $1")
        .bind(to).execute(conn).await.map(|done| done.rows_affected() == 1))
}

/// The position of the last entry exported.
///
/// # Errors
/// If the database does not respond.
pub async fn find_position(tx: &mut Tx) -> Result<i64, StoreError> {
    on!(tx, conn => sqlx::query_scalar("SELECT position FROM audit_export WHERE id = 1").fetch_one(conn).await)
}

/// Gives the lease up, so that another process need not wait for its end.
///
/// # Errors
/// If the database does not respond.
pub async fn release(tx: &mut Tx, worker: &str) -> Result<(), StoreError> {
    on!(tx, conn => sqlx::query("UPDATE audit_export SET worker = NULL, until = 0 WHERE id = 1 AND worker = $1")
        .bind(worker).execute(conn).await.map(drop))
}
