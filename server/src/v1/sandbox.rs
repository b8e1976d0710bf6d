//! `POST /v1/sandbox/verification-sessions/{id}/complete`: for the automated tests of integrators. Live tenants have no such sessions.

use super::{ApiError, on_session::on_session, refusals};
use crate::{edge::RequestContext, state::App};
use axum::{
    Json,
    extract::{Request, State},
    response::Response,
};
use domain::{
    sandbox::{SandboxCompletion, SandboxOutcome},
    scope::Scope,
    session::Status,
};
use serde::Serialize;
use service::sandbox::complete_in_sandbox;
use utoipa::ToSchema;

/// A session that has ended; read the rest with GET.
#[derive(Serialize, ToSchema)]
#[schema(example = json!({"id": "vs_0123456789abcdef0123456789abcdef", "status": "completed"}))]
pub(super) struct CompletedSession {
    /// Session id.
    #[schema(pattern = "^vs_[0-9a-f]{32}$")]
    id: String,
    /// `completed`, `reviewing`, `failed` or `expired`.
    status: Status,
}

/// Complete a session of a sandbox tenant
///
/// Stands in for the end user: fills in fictional data and ends a `created` or `collecting` session with the outcome you choose.
/// Nothing is analysed; webhooks, review, reprocess and erasure are real. Every id of a live tenant gives 404.
/// Scope: `create`, because the link returned to the creator offers the same.
#[utoipa::path(
    post,
    path = "/v1/sandbox/verification-sessions/{id}/complete",
    operation_id = "completeSandboxVerificationSession",
    tag = "Sandbox",
    params(("id" = String, Path, description = "Session id", example = "vs_0123456789abcdef0123456789abcdef")),
    request_body(content = SandboxCompletion, content_type = "application/json"),
    responses(
        (status = 200, description = "Ended with the chosen outcome", body = CompletedSession, links(
            ("read" = (operation_id = "readVerificationSession", parameters(("id" = "$response.body#/id")))),
            ("reprocess" = (operation_id = "reprocessVerificationSession", parameters(("id" = "$response.body#/id"))))
        )),
        (status = 400, description = "The body does not match the API description", body = refusals::HttpApiDecodeError),
        (status = 404, description = "No such session, another tenant's, a malformed id, or any id of a live tenant",
            body = refusals::SessionNotFound),
        (status = 408, description = "The request body arrived too slowly", body = refusals::RequestTimeout),
        (status = 409, description = "The session is past `created` and `collecting`, or a concurrent operation came first",
            body = refusals::CompletionNotAllowed),
        refusals::OfEveryOperation,
    ),
)]
pub(super) async fn handler(State(app): State<App>, context: RequestContext, request: Request) -> Response {
    // The creator of a session has its link, and could choose the outcome there.
    on_session(&app, &context, request, Scope::Create, async |call| {
        let call = call.in_sandbox()?;
        let outcome = SandboxOutcome::parse_body(call.body()?).map_err(ApiError::Decode)?;
        let done = complete_in_sandbox(&app.honnin, &call.tenant, &call.id, outcome).await;
        let done = done.map_err(|error| ApiError::of_completion(error, &call.id))?;
        Ok(Json(CompletedSession {
            id: done.id.to_string(),
            status: done.status,
        }))
    })
    .await
}
