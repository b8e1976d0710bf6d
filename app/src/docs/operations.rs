//! The operations of the API in the order in which an integrator needs them.

use super::json::{entries, text};
use serde_json::Value;

/// By `operationId`. Others follow.
const ORDER: [&str; 9] = [
    "createVerificationSession",
    "readVerificationSession",
    "reprocessVerificationSession",
    "listVerificationSessions",
    "cancelVerificationSession",
    "eraseVerificationSession",
    "listEvents",
    "completeSandboxVerificationSession",
    "advanceSandboxVerificationSession",
];

/// Path, method and description of each.
pub(super) fn ordered(api: &Value) -> Vec<(&str, &str, &Value)> {
    let mut operations: Vec<_> = entries(&api["paths"])
        .flat_map(|(path, methods)| entries(methods).map(move |(method, of)| (path, method, of)))
        .collect();
    operations.sort_by_key(|(_, _, of)| {
        let id = text(&of["operationId"]);
        ORDER.iter().position(|known| *known == id).unwrap_or(ORDER.len())
    });
    operations
}
