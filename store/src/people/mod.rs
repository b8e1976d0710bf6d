//! The people of the console: users, their invitations, password resets, sign-ins and browser sessions.

pub mod console_sessions;
pub mod invitations;
pub mod known_browsers;
pub mod password_resets;
pub mod pending_sign_ins;
pub mod provider_accounts;
pub mod second_factors;
pub mod users;

use domain::time::{Millis, SKEW, Timestamp};

/// Lifetime of a link for choosing a password: an invitation, or one to a new password.
pub const LINK_LIFETIME: Millis = Millis::hours(72);

/// The latest end of a link that is open at `now`. One that ends later was made by a clock that was ahead.
const fn latest_end(now: Timestamp) -> Timestamp {
    now.plus(LINK_LIFETIME).plus(SKEW)
}
