//! How far the audit log was exported to another system. One process at a time does it, under a lease. Entries are exported in
//! the order of their chain, in which none appears late.

use crate::{
    StoreError,
    db::{Tx, on, row},
};
use domain::time::Timestamp;

row! {
    /// A linked entry, with everything its hash covers, and the names of who did it and where.
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

/// Takes or renews the lease until `until`. The position of the last entry exported; `None` if another process has the lease.
///
/// # Errors
/// If the database does not respond.
pub async fn claim(tx: &mut Tx, worker: &str, now: Timestamp, until: Timestamp) -> Result<Option<i64>, StoreError> {
    on!(tx, conn => sqlx::query_scalar(
        "UPDATE audit_export SET worker = $1, until = $3 WHERE id = 1 AND (worker = $1 OR until <= $2) RETURNING position")
        .bind(worker).bind(now.as_millis()).bind(until.as_millis()).fetch_optional(conn).await)
}

/// The entries after the one at `after`, in the order of the chain.
///
/// # Errors
/// If the database does not respond.
pub async fn list(tx: &mut Tx, after: i64, limit: u32) -> Result<Vec<Exported>, StoreError> {
    on!(tx, conn => sqlx::query_as(
        "SELECT audit.position, audit.hash, audit.number, audit.at, audit.tenant_id, audit.actor,
                COALESCE(users.name, api_keys.name) AS actor_name, audit.action, audit.subject, audit.detail, audit.address
         FROM audit LEFT JOIN users ON users.id = audit.actor LEFT JOIN api_keys ON api_keys.id = audit.actor
         WHERE audit.position > $1 ORDER BY audit.position LIMIT $2")
        .bind(after).bind(i64::from(limit)).fetch_all(conn).await)
}

/// Notes that everything up to the entry at `to` was exported.
///
/// # Errors
/// [`StoreError::LeaseLost`] if another process has taken the lease.
pub async fn advance(tx: &mut Tx, worker: &str, to: i64) -> Result<(), StoreError> {
    let moved = on!(tx, conn => sqlx::query("UPDATE audit_export SET position = $2 WHERE id = 1 AND worker = $1 AND position < $2")
        .bind(worker).bind(to).execute(conn).await.map(|done| done.rows_affected()))?;
    if moved == 1 { Ok(()) } else { Err(StoreError::LeaseLost) }
}

/// Gives the lease up, so that another process need not wait for its end.
///
/// # Errors
/// If the database does not respond.
pub async fn release(tx: &mut Tx, worker: &str) -> Result<(), StoreError> {
    on!(tx, conn => sqlx::query("UPDATE audit_export SET worker = NULL, until = 0 WHERE id = 1 AND worker = $1")
        .bind(worker).execute(conn).await.map(drop))
}
