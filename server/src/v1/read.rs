//! `GET /v1/verification-sessions/{id}`. The response contains personal data; the access is recorded before it is sent.

use super::{
    ApiError,
    body::{self, Rendered},
    examples,
    on_session::on_session,
    refusals,
};
use crate::{edge::RequestContext, state::App};
use axum::{
    extract::{Request, State},
    response::Response,
};
use domain::{
    document::{DocumentType, OcrField},
    outcome::Outcome,
    request::PreRegistered,
    scope::Scope,
    session::{Plan, Status},
    user_input::UserInput,
};
use serde::Serialize;
use serde_json::value::RawValue;
use service::session::read::{self, read_session};
use utoipa::ToSchema;

/// A session with its personal data.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(example = examples::read)]
pub(super) struct SessionDetail<'a> {
    #[schema(pattern = "^vs_[0-9a-f]{32}$")]
    id: &'a str,
    status: Status,
    plan: &'a Plan,
    #[schema(format = DateTime)]
    expires_at: String,
    #[schema(format = DateTime)]
    created_at: String,
    /// As given at creation, with the same key order and number format.
    #[schema(required, value_type = Option<Object>)]
    metadata: Option<&'a RawValue>,
    /// Null when not completed.
    #[schema(required, format = DateTime)]
    completed_at: Option<String>,
    /// When the personal data was erased; null before.
    #[schema(required, format = DateTime)]
    purged_at: Option<String>,
    /// Personal data.
    #[schema(required)]
    pre_registered_info: Option<&'a PreRegistered>,
    /// Personal data.
    #[schema(required)]
    user_input_info: Option<&'a UserInput>,
    /// Personal data.
    #[schema(required)]
    document_ocr: Option<DocumentOcr<'a>>,
    /// Only while `reviewing` or `completed`.
    #[schema(required)]
    outcome: Option<&'a Outcome>,
}

/// What was read from the document.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct DocumentOcr<'a> {
    /// Chosen by the user.
    #[schema(required)]
    document_type: Option<DocumentType>,
    fields: &'a [OcrField],
}

/// Metadata as it was written. It was validated when it arrived; if it were damaged, it would be omitted.
pub(super) fn metadata(compact: Option<&str>) -> Option<&RawValue> {
    compact.and_then(|text| serde_json::from_str(text).ok())
}

/// Read a session
///
/// The full state, with personal data: do not log it. Each retrieval is recorded. Scope: `read`.
#[utoipa::path(
    get,
    path = "/v1/verification-sessions/{id}",
    operation_id = "readVerificationSession",
    tag = "Verification sessions",
    params(("id" = String, Path, description = "Session id", example = "vs_0123456789abcdef0123456789abcdef")),
    responses(
        (status = 200, description = "The session", body = SessionDetail),
        refusals::OfEveryOperation,
        refusals::OfOneSession,
        refusals::OfABody,
    ),
)]
pub(super) async fn handler(State(app): State<App>, context: RequestContext, request: Request) -> Response {
    on_session(&app, &context, request, Scope::Read, async |call| {
        let detail = read_session(&app.honnin, &call.tenant, &call.id).await;
        rendered(&detail.map_err(|error| ApiError::of_read(error, &call.id))?)
    })
    .await
}

fn rendered(detail: &read::SessionDetail) -> Result<Rendered, ApiError> {
    let session = &detail.session;
    body::rendered(&SessionDetail {
        id: session.id.as_str(),
        status: detail.status,
        plan: &session.plan,
        expires_at: session.expires_at.to_iso(),
        created_at: session.created_at.to_iso(),
        metadata: metadata(detail.metadata.as_deref()),
        completed_at: session.completed_at.map(|at| at.to_iso()),
        purged_at: session.purged_at.map(|at| at.to_iso()),
        pre_registered_info: detail.pre_registered.as_ref().map(|known| known.expose()),
        user_input_info: detail.typed.as_ref().map(|typed| typed.expose()),
        document_ocr: detail.ocr.as_ref().map(|fields| DocumentOcr {
            document_type: detail.document_type,
            fields: fields.expose(),
        }),
        outcome: detail.outcome.as_ref(),
    })
}
