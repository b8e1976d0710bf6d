//! `POST /v1/verification-sessions/{id}/cancel`. A body is ignored.

use super::{ApiError, caller::caller, error::respond, read::id_of, refusals};
use crate::{edge::RequestContext, state::App};
use axum::{
    Json,
    extract::{Request, State},
    response::Response,
};
use domain::{scope::Scope, session::Status};
use http::HeaderMap;
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
    ),
)]
pub(super) async fn handler(State(app): State<App>, context: RequestContext, request: Request) -> Response {
    let outcome = end(&app, &context, request.headers(), &id_of(request.uri())).await;
    respond(&context, outcome.map(Json))
}

async fn end(app: &App, context: &RequestContext, headers: &HeaderMap, id: &str) -> Result<CancelledSession, ApiError> {
    let tenant = caller(app, context, headers, Scope::Manage).await?;
    let session = cancel(&app.honnin, &tenant, id)
        .await
        .map_err(|error| ApiError::of_cancel(error, id))?;
    Ok(CancelledSession {
        id: session.id.to_string(),
        status: session.status,
    })
}
