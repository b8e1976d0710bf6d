//! What the system can do: one file for each operation, in a folder of its area. The path of an operation is that of its file, such as
//! `session::create::create_session`. `runtime` holds what all areas are built on.

pub mod access;
pub mod audit;
pub mod audit_export;
pub mod capture;
pub mod decision;
pub(crate) mod fingerprints;
pub mod honnin;
pub mod jobs;
pub mod people;
pub mod privacy;
pub mod request_log;
pub mod review;
pub mod runtime;
pub mod sandbox;
pub mod session;
pub mod settings;
pub mod webhook;

pub use honnin::{Honnin, Parts, ServiceConfig};

/// Rows and errors of the store that operations return unchanged, for crates that do not depend on the store.
pub mod stored {
    pub use store::{
        StoreError,
        audit::{Entry as AuditEntry, Recorded, RefusedSignIns},
        capture::captures::Slot,
        people::{Colleague, second_factors::PasskeyRow},
        request_log::{
            Entry as RequestEntry, Filter as RequestFilter, Logged as LoggedRequest, Operation as RequestedOperation,
        },
        settings::tenants::TenantRow,
        webhook::deliveries::{AttemptRow, DeliveryFilter, DeliveryRow, DeliveryState},
    };
}
