//! Roles of people in the console.

use crate::{ids::TenantId, named::vocabulary};

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

/// Where a person belongs, and what they are there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Membership {
    /// Their tenant.
    pub tenant: TenantId,
    /// Their role in it.
    pub role: Role,
}
