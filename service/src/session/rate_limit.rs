//! How fast a tenant may create sessions: a bucket of tokens that fills steadily, kept in the database so that all nodes share it.
//! Looked at before a body is read, with the key; a token is taken in the unit that creates the session, so that a refused request
//! costs none.

use crate::{Honnin, access::Tenant};
use domain::time::Timestamp;
use store::{
    StoreError, Tx,
    session::creation_rates::{self, Wish},
};

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

/// By how much the clocks of nodes that share a database may differ, in microseconds, before a bucket is taken for one from before
/// the clock was set back.
const CLOCKS_DIFFER: i64 = 60_000_000;

impl CreationRate {
    /// A wish for a token at `now`; `None` where there is no limit.
    fn wish(self, now: Timestamp) -> Option<Wish> {
        let cost = (self.per_minute > 0).then(|| 60_000_000 / i64::from(self.per_minute))?;
        let now = now.as_millis() * 1000;
        let latest = now + cost * (i64::from(self.burst) - 1).max(0);
        Some(Wish {
            now,
            cost,
            latest,
            credible: latest + cost + CLOCKS_DIFFER,
        })
    }
}

/// Whether the tenant may create a session now, as far as its rate goes. Takes nothing.
#[must_use]
pub fn may_create(honnin: &Honnin, tenant: &Tenant) -> bool {
    match (honnin.config.creation_rate.wish(honnin.now()), tenant.full_at()) {
        (Some(wish), Some(full_at)) => wish.is_granted(full_at),
        _ => true,
    }
}

/// Takes a token in the caller's unit. Returns whether there was one.
pub(crate) async fn take(tx: &mut Tx, rate: CreationRate, tenant: &Tenant, now: Timestamp) -> Result<bool, StoreError> {
    match rate.wish(now) {
        None => Ok(true),
        Some(wish) => creation_rates::take(tx, tenant.id(), &wish).await,
    }
}
