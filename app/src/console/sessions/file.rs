//! The sessions of the list as a file.

use super::{HERE, asked::Asked, filter, saved};
use crate::console::{
    csv,
    file::sent,
    request::{PageResult, Request},
};
use axum::response::Response;
use domain::{named::Named, reasons::Reason};
use service::session::{export::export_sessions, search::SessionSummary};

const HEAD: &str =
    "\u{feff}id,status,verdict,reasons,documentType,createdAt,expiresAt,completedAt,purgedAt,metadata\r\n";

/// GET: the sessions that match, all of them.
pub(super) async fn file(request: Request) -> PageResult<Response> {
    let asked = Asked::of(request.query()?);
    request.check_fresh(saved::address(HERE, &saved::query(&asked)))?;
    let found = export_sessions(request.honnin(), request.staff(), filter(&asked)).await?;
    Ok(sent("sessions.csv", csv::KIND, HEAD, found, row))
}

/// The names are those of the API.
fn row(found: &SessionSummary) -> String {
    let verdict = found.verdict();
    let reasons = found.outcome.as_ref().filter(|_| verdict.is_some()).map(|outcome| {
        let codes: Vec<&str> = outcome.reasons.iter().map(Named::<Reason>::as_str).collect();
        codes.join(" ")
    });
    csv::row([
        Some(found.id.to_string()),
        Some(found.status.to_string()),
        verdict.map(|verdict| verdict.to_string()),
        reasons,
        found.document_type.map(|kind| kind.to_string()),
        Some(found.created_at.to_iso()),
        Some(found.expires_at.to_iso()),
        found.completed_at.map(|at| at.to_iso()),
        found.purged_at.map(|at| at.to_iso()),
        found.metadata.as_deref().map(str::to_owned),
    ])
}
