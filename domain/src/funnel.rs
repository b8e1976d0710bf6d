//! The funnel: the steps from the creation of a session to its decision, as the statistics count them.

use crate::named::vocabulary;

vocabulary! {
    /// A step of the funnel. A user who took one has taken those before it, unless the session's plan leaves them out.
    FunnelStep {
        /// The session was created.
        Created = "created",
        /// The link was opened.
        Opened = "opened",
        /// The applicant agreed to the terms.
        Agreed = "agreed",
        /// A photo of the document's front was accepted.
        DocumentSent = "document_sent",
        /// The details were given.
        DetailsGiven = "details_given",
        /// A selfie was accepted.
        SelfieTaken = "selfie_taken",
        /// Everything was submitted.
        Submitted = "submitted",
        /// There was a decision, by the service or by a reviewer.
        Decided = "decided",
    }
}
