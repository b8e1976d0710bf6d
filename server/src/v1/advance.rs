//! `POST /v1/sandbox/verification-sessions/{id}/advance`: the test clock of sandboxes. Live tenants have no such sessions.

use super::{ApiError, on_session::on_session, refusals};
use crate::{edge::RequestContext, state::App};
use axum::{
    Json,
    extract::{Request, State},
    response::Response,
};
use domain::{
    sandbox::{SandboxAdvance, SandboxTime},
    scope::Scope,
    session::Status,
};
use serde::Serialize;
use service::sandbox::clock::advance;
use utoipa::ToSchema;

/// A session whose clock was moved.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(example = json!({"id": "vs_0123456789abcdef0123456789abcdef", "status": "expired", "expiresAt": "2026-08-02T09:30:00.000Z"}))]
pub(super) struct AdvancedSession {
    /// Session id.
    #[schema(pattern = "^vs_[0-9a-f]{32}$")]
    id: String,
    /// `expired` once the deadline has passed; otherwise as it was.
    status: Status,
    /// The deadline, which is now if the session was moved to it.
    #[schema(format = DateTime)]
    expires_at: String,
}

/// Move the clock of a session of a sandbox tenant
///
/// Lets time pass for one session. `deadline`: a `created` or `collecting` session expires. `retention_end`: the personal data of a
/// `completed`, `expired` or `failed` session is erased. The jobs that run are those that would run at that time, usually within two
/// seconds: wait for the webhook, or read the session until `purgedAt` is set. Every id of a live tenant gives 404. Scope: `create`.
#[utoipa::path(
    post,
    path = "/v1/sandbox/verification-sessions/{id}/advance",
    operation_id = "advanceSandboxVerificationSession",
    tag = "Sandbox",
    params(("id" = String, Path, description = "Session id", example = "vs_0123456789abcdef0123456789abcdef")),
    request_body(content = SandboxAdvance, content_type = "application/json"),
    responses(
        (status = 200, description = "Moved", body = AdvancedSession, links(
            ("read" = (operation_id = "readVerificationSession", parameters(("id" = "$response.body#/id"))))
        )),
        (status = 400, description = "The body does not match the API description", body = refusals::HttpApiDecodeError),
        (status = 404, description = "No such session, another tenant's, a malformed id, or any id of a live tenant",
            body = refusals::SessionNotFound),
        (status = 408, description = "The request body arrived too slowly", body = refusals::RequestTimeout),
        (status = 409, description = "The session is past that time or has not ended, or a concurrent operation came first",
            body = refusals::AdvanceNotAllowed),
        refusals::OfEveryOperation,
    ),
)]
pub(super) async fn handler(State(app): State<App>, context: RequestContext, request: Request) -> Response {
    on_session(&app, &context, request, Scope::Create, async |call| {
        let call = call.in_sandbox()?;
        let to = SandboxTime::parse_body(call.body()?).map_err(ApiError::Decode)?;
        let session = advance(&app.honnin, &call.tenant, &call.id, to).await;
        let session = session.map_err(|error| ApiError::of_advance(error, &call.id))?;
        Ok(Json(AdvancedSession {
            id: session.id.to_string(),
            status: session.status_at(app.honnin.now()),
            expires_at: session.expires_at.to_iso(),
        }))
    })
    .await
}
