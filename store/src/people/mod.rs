//! The people of the console: users, their invitations, password resets, sign-ins and browser sessions.

pub mod console_sessions;
pub mod invitations;
pub mod known_browsers;
pub mod password_resets;
pub mod pending_sign_ins;
pub mod provider_accounts;
pub mod second_factors;
pub mod set_up_links;
pub mod try_counters;
pub mod users;

use domain::{
    ids::UserId,
    time::{Millis, SKEW, Timestamp},
};

/// A person as colleagues see them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Colleague {
    /// Their id.
    pub id: UserId,
    /// Their name.
    pub name: String,
}

/// Lifetime of a link for choosing a password: an invitation, or one to a new password.
pub const LINK_LIFETIME: Millis = Millis::hours(72);

/// The latest end of a link that is open at `now`. One that ends later was made by a clock that was ahead.
const fn latest_end(now: Timestamp) -> Timestamp {
    now.plus(LINK_LIFETIME).plus(SKEW)
}
