//! Reviewers' rulings.

use crate::{
    named::vocabulary,
    time::{Millis, SKEW, Timestamp},
};

/// How long opening a case reserves it.
pub const RESERVATION: Millis = Millis::minutes(15);

/// The latest end of a reservation at `now`. One that would last longer was made by a clock that was ahead, and does not count.
#[must_use]
pub const fn latest_end_of_reservation(now: Timestamp) -> Timestamp {
    now.plus(RESERVATION).plus(SKEW)
}

vocabulary! {
    /// A ruling as it is kept.
    Ruling {
        /// Identity verified.
        Approved = "approved",
        /// Not verified.
        Rejected = "rejected",
        /// The user is asked to try again.
        AskedAgain = "asked_again",
    }
}
