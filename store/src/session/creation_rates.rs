//! One number per tenant: when its bucket of creations would be full again, in microseconds. Shared by all nodes. Looked at with
//! the key ([`crate::settings::api_keys::find_caller`]).

use crate::{
    StoreError,
    db::{Tx, on},
};
use domain::ids::TenantId;

/// A token that is asked for. All in microseconds; moments count from the Unix epoch.
#[derive(Clone, Copy, Debug)]
pub struct Wish {
    /// When.
    pub now: i64,
    /// How much later the bucket is full for it.
    pub cost: i64,
    /// A bucket that is full later than this has no token.
    pub latest: i64,
    /// No bucket is full later than this, unless the clock was set back: `latest` and `cost`, and as much again as the clocks of
    /// nodes may differ.
    pub credible: i64,
}

impl Wish {
    /// Whether a bucket that is full at `full_at` gives the token. One from before the clock was set back gives it, and is empty
    /// then: nobody is refused for the hours that the clock went back.
    #[must_use]
    pub const fn is_granted(&self, full_at: i64) -> bool {
        full_at <= self.latest || full_at > self.credible
    }
}

/// Takes a token, where there is one as [`Wish::is_granted`] says. Returns whether there was. One statement, so that two nodes cannot
/// take the same token.
///
/// # Errors
/// When the database does not answer.
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
