//! `POST /v1/verification-sessions/{id}/cancel`. A body is ignored.

use super::{ApiError, on_session::on_session, refusals};
use crate::{edge::RequestContext, state::App};
use axum::{
    Json,
    extract::{Request, State},
    response::Response,
};
use domain::{scope::Scope, session::Status};
use serde::Serialize;
use service::session::cancel::cancel;
use utoipa::ToSchema;

/// A session that has just been cancelled.
#[derive(Serialize, ToSchema)]
#[schema(example = json!({"id": "vs_0123456789abcdef0123456789abcdef", "status": "failed"}))]
pub(super) struct CancelledSession {
    #[schema(pattern = "^vs_[0-9a-f]{32}$")]
    id: String,
    /// `failed`.
    status: Status,
}

/// Cancel a session
///
/// Ends a `created` or `collecting` session: its status becomes `failed`, and its event `verification.failed` has the reason
/// `operator_cancelled`. The user's link no longer works. Scope: `manage`.
#[utoipa::path(
    post,
    path = "/v1/verification-sessions/{id}/cancel",
    operation_id = "cancelVerificationSession",
    tag = "Verification sessions",
    params(("id" = String, Path, description = "Session id", example = "vs_0123456789abcdef0123456789abcdef")),
    responses(
        (status = 200, description = "Cancelled", body = CancelledSession),
        (status = 409, description = "The session is past `created` and `collecting`, or a concurrent operation came first",
            body = refusals::CancelNotAllowed),
        refusals::OfEveryOperation,
        refusals::OfOneSession,
        refusals::OfABody,
    ),
)]
pub(super) async fn handler(State(app): State<App>, context: RequestContext, request: Request) -> Response {
    on_session(&app, &context, request, Scope::Manage, async |call| {
        let session = cancel(&app.honnin, &call.tenant, &call.id).await;
        let session = session.map_err(|error| ApiError::of_cancel(error, &call.id))?;
        Ok(Json(CancelledSession {
            id: session.id.to_string(),
            status: session.status,
        }))
    })
    .await
}
