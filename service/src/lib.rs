//! The operations of the system, one per file. Also the worker that runs background jobs and the webhook sender.

pub mod accept_invitation;
pub mod access;
mod analyse;
pub mod api_key;
pub mod backlog;
mod bench;
pub mod capture;
pub mod capture_cookie;
pub mod change_password;
pub mod check_picture;
pub mod choose_document;
pub mod clock;
pub mod complete_in_sandbox;
mod conclude;
pub mod consent;
pub mod console_session;
pub mod create_session;
pub mod create_tenant;
pub mod decide;
pub mod decline;
mod deliver_event;
pub mod delivery_schedule;
mod document_findings;
pub mod dossier;
mod erase;
pub mod erase_now;
pub mod examiner;
mod expire;
pub mod explain_signature;
mod found;
pub mod hand_over;
pub mod home_network;
pub mod honnin;
pub mod invite;
pub mod issue_key;
mod job_fault;
mod look_back;
pub mod mend;
mod news;
pub mod open_link;
pub mod password;
pub mod people;
pub mod progress;
pub mod random;
pub mod rate_limit;
pub mod read_session;
pub mod readiness;
mod record_decision;
pub mod record_event;
pub mod redeliver;
pub mod reissue_link;
pub mod reprocess;
pub mod reset_password;
pub mod result;
pub mod review;
mod sealed;
pub mod search;
pub mod sender;
pub mod session_page;
pub mod set_up;
pub mod settings;
pub mod show_picture;
pub mod sign_in;
pub mod straighten;
pub mod submit;
pub mod sweep;
pub mod token;
pub mod type_in;
pub mod webhook_log;
mod webhook_payload;
pub mod webhook_secret;
pub mod worker;

pub use honnin::{Honnin, Parts, ServiceConfig};

/// Rows and errors of the store that operations return unchanged, for crates that do not depend on the store.
pub mod stored {
    pub use store::{
        StoreError,
        audit::{Recorded, SYSTEM},
        captures::Slot,
        deliveries::{AttemptRow, DeliveryFilter, DeliveryRow, DeliveryState},
        reviews::Ruling,
        tenants::TenantRow,
        users::Role,
    };
}
