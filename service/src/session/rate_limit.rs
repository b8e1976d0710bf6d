//! The rate limit of session creation: a token bucket for each tenant, stored in the database so that all nodes share it. It is
//! checked with the key before a body is read; a token is taken in the unit that creates the session, so that a refused request, or
//! one that repeats another, costs none.

use crate::{Honnin, access::Tenant};
use domain::time::{SKEW, Timestamp};
use store::session::creation_rates::TokenRequest;

/// A rate limit; `per_minute` 0 means no limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CreationRate {
    /// Tokens added per minute.
    pub per_minute: u32,
    /// Capacity of the bucket.
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

/// Maximum clock difference between nodes that share a database, in microseconds. A bucket further ahead is assumed to date
/// from before the clock was set back.
const CLOCKS_DIFFER: i64 = SKEW.0 * 1_000;

impl CreationRate {
    /// A request for a token at `now`; `None` if there is no limit.
    pub(super) fn token_request(self, now: Timestamp) -> Option<TokenRequest> {
        let cost = (self.per_minute > 0).then(|| 60_000_000 / i64::from(self.per_minute))?;
        let now = now.as_millis() * 1000;
        let latest = now + cost * (i64::from(self.burst) - 1).max(0);
        Some(TokenRequest {
            now,
            cost,
            latest,
            credible: latest + cost + CLOCKS_DIFFER,
        })
    }
}

/// Whether the rate limit allows the tenant to create a session now. Takes no token.
#[must_use]
pub fn may_create(honnin: &Honnin, tenant: &Tenant) -> bool {
    match (
        honnin.config.creation_rate.token_request(honnin.now()),
        tenant.full_at(),
    ) {
        (Some(token), Some(full_at)) => token.is_granted(full_at),
        _ => true,
    }
}
