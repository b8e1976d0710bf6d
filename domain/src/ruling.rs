//! What reviewers ruled.

use crate::document::vocabulary;

vocabulary! {
    /// A ruling as it is kept.
    Ruling {
        /// Identity verified.
        Approved = "approved",
        /// Not verified.
        Rejected = "rejected",
        /// The user is asked to do it again.
        AskedAgain = "asked_again",
    }
}
