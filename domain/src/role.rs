//! Roles of people in the console.

use crate::document::vocabulary;

vocabulary! {
    /// A person's role in their tenant.
    Role {
        /// Everything.
        Admin = "admin",
        /// Keys and webhooks, no personal data.
        Developer = "developer",
        /// Cases.
        Reviewer = "reviewer",
        /// Sessions and the audit log, read-only, no pictures.
        Auditor = "auditor",
    }
}
