//! Tenants' logos, found by the hash of their bytes.

use crate::{
    StoreError,
    db::{Tx, on},
};
use domain::ids::TenantId;

/// A logo, as a page refers to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogoRow {
    /// SHA-256 of the PNG, in hex.
    pub hash: String,
    /// Width in CSS pixels.
    pub width: i64,
    /// Height in CSS pixels.
    pub height: i64,
}

/// Stores a tenant's logo in place of the one before.
///
/// # Errors
/// If the database does not respond.
pub async fn save(tx: &mut Tx, tenant: &TenantId, logo: &LogoRow, png: &[u8]) -> Result<(), StoreError> {
    on!(tx, conn => sqlx::query(
        "INSERT INTO logos (tenant_id, png, hash, width, height) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (tenant_id) DO UPDATE SET png = excluded.png, hash = excluded.hash, width = excluded.width,
             height = excluded.height")
        .bind(tenant.as_str()).bind(png).bind(&logo.hash).bind(logo.width).bind(logo.height)
        .execute(conn).await.map(drop))
}

/// Removes a tenant's logo; answers whether there was one.
///
/// # Errors
/// If the database does not respond.
pub async fn remove(tx: &mut Tx, tenant: &TenantId) -> Result<bool, StoreError> {
    on!(tx, conn => sqlx::query("DELETE FROM logos WHERE tenant_id = $1")
        .bind(tenant.as_str()).execute(conn).await.map(|done| done.rows_affected() > 0))
}

/// A tenant's logo, if it has one.
///
/// # Errors
/// If the database does not respond.
pub async fn find(tx: &mut Tx, tenant: &TenantId) -> Result<Option<LogoRow>, StoreError> {
    let row: Option<(String, i64, i64)> = on!(tx, conn => sqlx::query_as(
        "SELECT hash, width, height FROM logos WHERE tenant_id = $1")
        .bind(tenant.as_str()).fetch_optional(conn).await)?;
    Ok(row.map(|(hash, width, height)| LogoRow { hash, width, height }))
}

/// The bytes of the logo with this hash, if a tenant has it.
///
/// # Errors
/// If the database does not respond.
pub async fn find_png(tx: &mut Tx, hash: &str) -> Result<Option<Vec<u8>>, StoreError> {
    on!(tx, conn => sqlx::query_scalar("SELECT png FROM logos WHERE hash = $1 LIMIT 1")
        .bind(hash).fetch_optional(conn).await)
}
