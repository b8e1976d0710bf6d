//! `POST /v1/verification-sessions/{id}/reprocess`. A body is ignored.

use super::{ApiError, body, examples, on_session::on_session, read::metadata, refusals};
use crate::{edge::RequestContext, state::App};
use axum::{
    extract::{Request, State},
    response::Response,
};
use domain::{
    scope::Scope,
    session::{Plan, Status},
};
use serde::Serialize;
use serde_json::value::RawValue;
use service::session::reprocess::reprocess;
use utoipa::ToSchema;

/// A session back in `collecting`.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(example = examples::reprocessed)]
pub(super) struct ReprocessedSession<'a> {
    #[schema(pattern = "^vs_[0-9a-f]{32}$")]
    id: &'a str,
    status: Status,
    plan: &'a Plan,
    /// The new deadline.
    #[schema(format = DateTime)]
    expires_at: String,
    #[schema(format = DateTime)]
    created_at: String,
    #[schema(required, value_type = Option<Object>)]
    metadata: Option<&'a RawValue>,
}

/// Reprocess a session
///
/// Returns a `completed`, `failed` or `reviewing` session to `collecting` with a new deadline. The response has no verification
/// URL: it is reissued in the console. Scope: `manage`.
#[utoipa::path(
    post,
    path = "/v1/verification-sessions/{id}/reprocess",
    operation_id = "reprocessVerificationSession",
    tag = "Verification sessions",
    params(("id" = String, Path, description = "Session id", example = "vs_0123456789abcdef0123456789abcdef")),
    responses(
        (status = 200, description = "Back in `collecting`", body = ReprocessedSession, links(
            ("read" = (operation_id = "readVerificationSession", parameters(("id" = "$response.body#/id")))),
            ("complete" = (operation_id = "completeSandboxVerificationSession", parameters(("id" = "$response.body#/id"))))
        )),
        (status = 409, description = "The status does not allow it, the personal data was erased or its erasure was requested, or a \
                                      concurrent operation came first",
            body = refusals::ReprocessNotAllowed),
        refusals::OfEveryOperation,
        refusals::OfOneSession,
        refusals::OfABody,
    ),
)]
pub(super) async fn handler(State(app): State<App>, context: RequestContext, request: Request) -> Response {
    on_session(&app, &context, request, Scope::Manage, async |call| {
        let done = reprocess(&app.honnin, &call.tenant, &call.id).await;
        let done = done.map_err(|error| ApiError::of_reprocess(error, &call.id))?;
        body::rendered(&ReprocessedSession {
            id: done.session.id.as_str(),
            status: Status::Collecting,
            plan: &done.session.plan,
            expires_at: done.session.expires_at.to_iso(),
            created_at: done.session.created_at.to_iso(),
            metadata: metadata(done.metadata.as_deref()),
        })
    })
    .await
}
