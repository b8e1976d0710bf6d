//! Roles of people in the console.

use crate::document::vocabulary;

vocabulary! {
    /// What a person may do in their tenant.
    Role {
        /// Everything.
        Admin = "admin",
        /// Keys and webhooks, no personal data.
        Developer = "developer",
        /// Cases.
        Reviewer = "reviewer",
        /// Reads, no pictures.
        Auditor = "auditor",
    }
}
