//! How fast a tenant may create sessions: a bucket of tokens that fills steadily, kept in the database so that all nodes share it.
//! Looked at before a body is read, with the key; a token is taken in the unit that creates the session, so that a refused request
//! costs none.

use crate::{Honnin, access::Tenant};
use domain::time::Timestamp;
use store::{StoreError, Tx, creation_rates};

/// A rate; `per_minute` 0 is no limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CreationRate {
    /// Tokens that come in a minute.
    pub per_minute: u32,
    /// Tokens that a full bucket holds.
    pub burst: u32,
}

impl Default for CreationRate {
    fn default() -> Self {
        Self {
            per_minute: 300,
            burst: 60,
        }
    }
}

impl CreationRate {
    /// Microseconds until one token comes; `None` where there is no limit.
    fn cost(self) -> Option<i64> {
        (self.per_minute > 0).then(|| 60_000_000 / i64::from(self.per_minute))
    }

    /// How far from full, in microseconds, a bucket may be that still has a token.
    fn most(self, cost: i64) -> i64 {
        cost * (i64::from(self.burst) - 1).max(0)
    }
}

const fn micros(now: Timestamp) -> i64 {
    now.as_millis() * 1000
}

/// Whether the tenant may create a session now, as far as its rate goes. Takes nothing.
#[must_use]
pub fn may_create(honnin: &Honnin, tenant: &Tenant) -> bool {
    let rate = honnin.config.creation_rate;
    match (rate.cost(), tenant.full_at()) {
        (Some(cost), Some(full_at)) => {
            let furthest = micros(honnin.now()) + rate.most(cost);
            // Beyond what can be owed is a clock that was set back: see `creation_rates::take`.
            full_at <= furthest || full_at > furthest + cost
        }
        _ => true,
    }
}

/// Takes a token in the caller's unit. Returns whether there was one.
pub(crate) async fn take(tx: &mut Tx, rate: CreationRate, tenant: &Tenant, now: Timestamp) -> Result<bool, StoreError> {
    match rate.cost() {
        None => Ok(true),
        Some(cost) => creation_rates::take(tx, tenant.id(), micros(now), cost, rate.most(cost)).await,
    }
}
