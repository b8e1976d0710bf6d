//! Reviewers' rulings.

use crate::named::vocabulary;

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
