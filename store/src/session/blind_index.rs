//! Keyed hashes by which a session is found by its person's full name or date of birth (`domain::blind_index`). They reveal nothing
//! without the tenant's key but which sessions share a value. Removed with the session's personal data.

use crate::{
    StoreError,
    db::{Tx, on},
    ids,
};
use domain::ids::{SessionId, TenantId};
use sqlx::QueryBuilder;

/// A keyed hash.
pub type TermHash = [u8; 32];

/// Adds terms to a session's, in a single statement; those that it has already stay. Those of a new session are stored with it
/// ([`super::creations::insert`]).
///
/// # Errors
/// If the database does not respond.
pub async fn add(tx: &mut Tx, tenant: &TenantId, session: &SessionId, terms: &[TermHash]) -> Result<(), StoreError> {
    if terms.is_empty() {
        return Ok(());
    }
    on!(tx, conn => {
        let mut statement = QueryBuilder::new("INSERT INTO blind_index (tenant_id, term, session_id) ");
        statement.push_values(terms, |mut row, term| {
            row.push_bind(tenant.as_str()).push_bind(term.as_slice()).push_bind(session.as_str());
        });
        statement.push(" ON CONFLICT DO NOTHING");
        statement.build().execute(conn).await.map(drop)
    })
}

/// Removes a session's terms.
///
/// # Errors
/// If the database does not respond.
pub async fn remove(tx: &mut Tx, session: &SessionId) -> Result<(), StoreError> {
    // First, because a unit that indexes the session at the same time holds this row until its terms are stored.
    leave_unindexed(tx, session).await?;
    on!(tx, conn => sqlx::query("DELETE FROM blind_index WHERE session_id = $1")
        .bind(session.as_str()).execute(conn).await.map(drop))
}

/// Sessions from before there was an index, which have no terms yet; at most `limit`.
///
/// # Errors
/// If the database does not respond or a row does not parse.
pub async fn list_unindexed(tx: &mut Tx, limit: u32) -> Result<Vec<SessionId>, StoreError> {
    let ids: Vec<String> = on!(tx, conn => sqlx::query_scalar(
        "SELECT session_id FROM unindexed_sessions ORDER BY session_id DESC LIMIT $1")
        .bind(i64::from(limit)).fetch_all(conn).await)?;
    ids.iter().map(|id| ids::session_id(id)).collect()
}

/// Notes that a session is indexed, or has nothing to index. `false` if that was noted before.
///
/// # Errors
/// If the database does not respond.
pub async fn leave_unindexed(tx: &mut Tx, session: &SessionId) -> Result<bool, StoreError> {
    let removed = on!(tx, conn => sqlx::query("DELETE FROM unindexed_sessions WHERE session_id = $1")
        .bind(session.as_str()).execute(conn).await.map(|done| done.rows_affected()))?;
    Ok(removed > 0)
}
