//! The rate limit of session creation: for each tenant, the time when its token bucket is full again, in microseconds. Shared
//! by all nodes. Read together with the key ([`crate::settings::api_keys::find_caller`]), and taken from with the session
//! ([`super::creations::insert`]).

/// A request for a token. All values are in microseconds; times count from the Unix epoch.
#[derive(Clone, Copy, Debug)]
pub struct TokenRequest {
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

impl TokenRequest {
    /// Whether a bucket that is full at `full_at` grants the token. A bucket from before the clock was set back grants it and
    /// is empty then, so that nobody is refused for the hours that the clock went back.
    #[must_use]
    pub const fn is_granted(&self, full_at: i64) -> bool {
        full_at <= self.latest || full_at > self.credible
    }
}
