//! `GET /v1/verification-sessions/{id}`. The response contains personal data; the access is recorded before it is sent.

use super::{ApiError, caller::caller, error::respond, examples, refusals};
use crate::{edge::RequestContext, state::App};
use axum::{
    Json,
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
use http::{HeaderMap, Uri};
use percent_encoding::percent_decode_str;
use serde::Serialize;
use serde_json::value::RawValue;
use service::session::read::{self, read_session};
use utoipa::ToSchema;

/// The session id in the path, percent-decoded; bytes that are not UTF-8 become U+FFFD. A segment that cannot be an id is looked up like any other.
pub(super) fn id_of(uri: &Uri) -> String {
    const PLACES: [(&str, &str); 6] = [
        ("/v1/verification-sessions/", "/reprocess"),
        ("/v1/verification-sessions/", "/cancel"),
        ("/v1/verification-sessions/", "/erase"),
        ("/v1/verification-sessions/", ""),
        ("/v1/sandbox/verification-sessions/", "/complete"),
        ("/v1/sandbox/verification-sessions/", "/advance"),
    ];
    let path = uri.path();
    let raw = PLACES
        .iter()
        .find_map(|(before, after)| path.strip_prefix(before)?.strip_suffix(after));
    percent_decode_str(raw.unwrap_or_default())
        .decode_utf8_lossy()
        .into_owned()
}

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
    ),
)]
pub(super) async fn handler(State(app): State<App>, context: RequestContext, request: Request) -> Response {
    let outcome = read(&app, &context, request.headers(), &id_of(request.uri())).await;
    respond(&context, outcome)
}

async fn read(
    app: &App,
    context: &RequestContext,
    headers: &HeaderMap,
    id: &str,
) -> Result<Json<Box<RawValue>>, ApiError> {
    let tenant = caller(app, context, headers, Scope::Read).await?;
    let detail = read_session(&app.honnin, &tenant, id)
        .await
        .map_err(|error| ApiError::of_read(error, id))?;
    rendered(&detail)
}

fn rendered(detail: &read::SessionDetail) -> Result<Json<Box<RawValue>>, ApiError> {
    let session = &detail.session;
    let body = SessionDetail {
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
    };
    serde_json::value::to_raw_value(&body)
        .map(Json)
        .map_err(|_| ApiError::Internal)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_whatever_stands_in_its_place() {
        for (path, id) in [
            ("vs_1", "vs_1"),
            ("vs_1/reprocess", "vs_1"),
            ("", ""),
            ("/reprocess", ""),
            ("vs_1/", "vs_1/"),
            ("%ff", "\u{fffd}"),
            ("%00", "\0"),
            ("%e3%81%82", "あ"),
            ("%2", "%2"),
            ("%zz%41", "%zzA"),
            ("reprocess", "reprocess"),
            ("vs_1/cancel", "vs_1"),
            ("/cancel", ""),
            ("vs_1/erase", "vs_1"),
            ("/erase", ""),
        ] {
            let uri: Uri = format!("/v1/verification-sessions/{path}?q=1").parse().unwrap();
            assert_eq!(id_of(&uri), id, "{path}");
        }
        let sandbox = Uri::from_static("/v1/sandbox/verification-sessions/vs_1%41/complete");
        assert_eq!(id_of(&sandbox), "vs_1A");
    }
}
