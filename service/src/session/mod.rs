//! Sessions: created, read, listed, reprocessed, and ended by a decision, a failure or their deadline.

pub mod blind_index;
pub mod cancel;
pub mod create;
pub(crate) mod end;
pub(crate) mod expire;
pub mod export;
pub mod history;
pub mod list;
pub mod overview;
pub mod page;
pub mod rate_limit;
pub mod read;
pub(crate) mod redate;
pub mod reissue_link;
pub mod reprocess;
pub(crate) mod retention;
pub mod saved_filters;
pub mod search;
mod undated;

use domain::{
    audit::{Actor, AuditAction},
    ids::SessionId,
    time::Timestamp,
};
use store::{audit, session::sessions::SessionRow};

/// The id of a session in the path of a request. A malformed one becomes one that no session has, and so takes the same path through the
/// database as an unknown one: not even timing tells them apart.
pub(crate) fn id_in_path(text: &str) -> SessionId {
    SessionId::parse(text).unwrap_or_else(|| SessionId::from_random([0; 16]))
}

/// An audit entry without a person of the console or an API key.
pub(crate) fn audit_entry(row: &SessionRow, at: Timestamp, action: AuditAction) -> audit::Entry {
    audit::Entry::new(at, Actor::System, action)
        .in_tenant(row.session.tenant.clone())
        .about(&row.session.id)
}
