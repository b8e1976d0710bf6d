//! The sessions of the list as a file.

use super::{HERE, asked::Asked, filter, saved};
use crate::console::{
    csv,
    request::{PageResult, Request},
};
use axum::{
    body::{Body, Bytes},
    response::{IntoResponse, Response},
};
use domain::{named::Named, reasons::Reason};
use futures::{StreamExt as _, TryStreamExt as _, future::ready, stream::once};
use http::header::{CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_TYPE};
use service::session::{export::export_sessions, search::SessionSummary};

const HEAD: &str = "id,status,verdict,reasons,documentType,createdAt,expiresAt,completedAt,purgedAt,metadata\r\n";

/// GET: the sessions that match, all of them. The file is sent while it is written, so the browser shows its progress; if the database fails
/// on the way, the connection breaks and the browser says that the file is not complete.
pub(super) async fn file(request: Request) -> PageResult<Response> {
    let asked = Asked::of(request.query()?);
    request.check_fresh(saved::address(HERE, &saved::query(&asked)))?;
    let found = export_sessions(request.honnin(), request.staff(), filter(&asked)).await?;
    let rows = found.map_ok(|found| Bytes::from(found.iter().map(row).collect::<String>()));
    let head = once(ready(Ok(Bytes::from_static(HEAD.as_bytes()))));
    let headers = [
        (CONTENT_TYPE, "text/csv; charset=utf-8"),
        (CONTENT_DISPOSITION, "attachment; filename=\"sessions.csv\""),
        (CACHE_CONTROL, "no-store"),
    ];
    Ok((headers, Body::from_stream(head.chain(rows))).into_response())
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
