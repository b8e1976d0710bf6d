//! One number per tenant: when its bucket of creations would be full again, in microseconds. Shared by all nodes. Looked at with
//! the key ([`crate::api_keys::find_caller`]).

use crate::{
    StoreError,
    db::{Tx, on},
};
use domain::ids::TenantId;

/// Takes one token, where at `now` the bucket is not further from full than `most`: it is full `cost` later then. Returns whether
/// there was one. One statement, so that two nodes cannot take the same token.
///
/// No bucket is further from full than `most + cost`, unless the clock was set back or a smaller burst was configured. Such a bucket
/// gives its token and is empty then: a tenant is not refused for the hours that the clock went back.
///
/// # Errors
/// When the database does not answer.
pub async fn take(tx: &mut Tx, tenant: &TenantId, now: i64, cost: i64, most: i64) -> Result<bool, StoreError> {
    on!(tx, conn => sqlx::query(
        "INSERT INTO creation_rates (tenant_id, full_at) VALUES ($1, $2 + $3)
         ON CONFLICT (tenant_id) DO UPDATE
         SET full_at = $3 + CASE
             WHEN creation_rates.full_at <= $2 THEN $2
             WHEN creation_rates.full_at <= $2 + $4 THEN creation_rates.full_at
             ELSE $2 + $4 END
         WHERE creation_rates.full_at <= $2 + $4 OR creation_rates.full_at > $2 + $4 + $3")
        .bind(tenant.as_str()).bind(now).bind(cost).bind(most)
        .execute(conn).await.map(|done| done.rows_affected() == 1))
}
