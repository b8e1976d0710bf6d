//! `POST /v1/verification-sessions/{id}/erase`. A body is ignored.

use super::{ApiError, on_session::on_session, refusals};
use crate::{edge::RequestContext, state::App};
use axum::{
    Json,
    extract::{Request, State},
    response::Response,
};
use domain::{scope::Scope, session::Status};
use http::StatusCode;
use serde::Serialize;
use service::privacy::erase_now::erase_of_tenant;
use utoipa::ToSchema;

/// A session whose personal data is being erased.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(example = json!({"id": "vs_0123456789abcdef0123456789abcdef", "status": "completed", "purgedAt": null}))]
pub(super) struct ErasedSession {
    #[schema(pattern = "^vs_[0-9a-f]{32}$")]
    id: String,
    status: Status,
    /// When the personal data was erased; null while the erasure is still to be done.
    #[schema(required, format = DateTime)]
    purged_at: Option<String>,
}

/// Erase a session's personal data
///
/// Erases the personal data as soon as possible, usually within seconds: pictures, entries, readings, the reviewer's note and the metadata of
/// webhooks. `outcome` remains. Read the session until `purgedAt` is set. A session that has not ended becomes `failed`, with the reason
/// `erased_before_decision`. This cannot be undone. Scope: `manage`.
#[utoipa::path(
    post,
    path = "/v1/verification-sessions/{id}/erase",
    operation_id = "eraseVerificationSession",
    tag = "Verification sessions",
    params(("id" = String, Path, description = "Session id", example = "vs_0123456789abcdef0123456789abcdef")),
    responses(
        (status = 202, description = "The erasure is scheduled, or done already", body = ErasedSession),
        refusals::OfEveryOperation,
        refusals::OfOneSession,
        refusals::OfABody,
    ),
)]
pub(super) async fn handler(State(app): State<App>, context: RequestContext, request: Request) -> Response {
    on_session(&app, &context, request, Scope::Manage, async |call| {
        let session = erase_of_tenant(&app.honnin, &call.tenant, &call.id).await;
        let session = session.map_err(|error| ApiError::of_erasure(error, &call.id))?;
        let erased = ErasedSession {
            id: session.id.to_string(),
            status: session.status,
            purged_at: session.purged_at.map(|at| at.to_iso()),
        };
        Ok((StatusCode::ACCEPTED, Json(erased)))
    })
    .await
}
