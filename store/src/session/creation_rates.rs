//! The rate limit of session creation: for each tenant, the time when its token bucket is full again, in microseconds. Shared
//! by all nodes. Read together with the key ([`crate::settings::api_keys::find_caller`]).

use crate::{
    StoreError,
    db::{Tx, on},
};
use domain::ids::TenantId;

/// A request for a token. All values are in microseconds; times count from the Unix epoch.
#[derive(Clone, Copy, Debug)]
pub struct Wish {
    /// The current time.
    pub now: i64,
    /// How much later the bucket is full after taking the token.
    pub cost: i64,
    /// A bucket that is full later than this has no token.
    pub latest: i64,
    /// No bucket is full later than this, unless the clock was set back: `latest` plus `cost`, plus the possible difference
    /// between the clocks of nodes.
    pub credible: i64,
}

impl Wish {
    /// Whether a bucket that is full at `full_at` grants the token. A bucket from before the clock was set back grants it and
    /// is empty then, so that nobody is refused for the hours that the clock went back.
    #[must_use]
    pub const fn is_granted(&self, full_at: i64) -> bool {
        full_at <= self.latest || full_at > self.credible
    }
}

/// Takes a token if [`Wish::is_granted`] allows it. Returns whether it did. One statement, so that two nodes cannot take the
/// same token.
///
/// # Errors
/// If the database does not respond.
pub async fn take(tx: &mut Tx, tenant: &TenantId, wish: &Wish) -> Result<bool, StoreError> {
    on!(tx, conn => sqlx::query(
        "INSERT INTO creation_rates (tenant_id, full_at) VALUES ($1, $2 + $3)
         ON CONFLICT (tenant_id) DO UPDATE
         SET full_at = $3 + CASE
             WHEN creation_rates.full_at <= $2 THEN $2
             WHEN creation_rates.full_at <= $4 THEN creation_rates.full_at
             ELSE $4 END
         WHERE creation_rates.full_at <= $4 OR creation_rates.full_at > $5")
        .bind(tenant.as_str()).bind(wish.now).bind(wish.cost).bind(wish.latest).bind(wish.credible)
        .execute(conn).await.map(|done| done.rows_affected() == 1))
}
