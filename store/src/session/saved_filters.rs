//! Filters of the list of sessions that somebody has given a name.

use crate::{
    StoreError,
    db::{Tx, on, row},
};
use domain::ids::{TenantId, UserId};

row! {
    /// A filter with its name.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct SavedFilter {
        /// Chosen by its owner.
        pub name: String,
        /// The query of the list's address.
        pub query: String,
    }
}

/// Saves a filter of a person in a tenant, in place of the one of this name.
///
/// # Errors
/// If the database does not respond.
pub async fn put(tx: &mut Tx, tenant: &TenantId, user: &UserId, filter: &SavedFilter) -> Result<(), StoreError> {
    on!(tx, conn => sqlx::query(
        "INSERT INTO saved_filters (tenant_id, user_id, name, query) VALUES ($1, $2, $3, $4)
         ON CONFLICT (tenant_id, user_id, name) DO UPDATE SET query = excluded.query")
        .bind(tenant.as_str()).bind(user.as_str()).bind(&filter.name).bind(&filter.query)
        .execute(conn).await.map(drop))
}

/// The filters of a person in a tenant, by name.
///
/// # Errors
/// If the database does not respond.
pub async fn list(tx: &mut Tx, tenant: &TenantId, user: &UserId) -> Result<Vec<SavedFilter>, StoreError> {
    let mut found: Vec<SavedFilter> = on!(tx, conn => sqlx::query_as(
        "SELECT name, query FROM saved_filters WHERE tenant_id = $1 AND user_id = $2")
        .bind(tenant.as_str()).bind(user.as_str())
        .fetch_all(conn).await)?;
    // Not by the databases, which compare texts differently. One has only a few.
    found.sort_by_cached_key(|filter| (filter.name.to_lowercase(), filter.name.clone()));
    Ok(found)
}

/// Removes a filter, if there is one of this name.
///
/// # Errors
/// If the database does not respond.
pub async fn remove(tx: &mut Tx, tenant: &TenantId, user: &UserId, name: &str) -> Result<(), StoreError> {
    on!(tx, conn => sqlx::query("DELETE FROM saved_filters WHERE tenant_id = $1 AND user_id = $2 AND name = $3")
        .bind(tenant.as_str()).bind(user.as_str()).bind(name)
        .execute(conn).await.map(drop))
}
