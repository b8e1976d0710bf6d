//! `GET /v1/verification-sessions/{id}`. The response contains personal data; the access is recorded before it is sent.

use super::{ApiError, caller::caller, error::respond, openapi};
use crate::{edge::RequestContext, state::App};
use axum::{
    Json,
    extract::{Request, State},
    response::Response,
};
use domain::{document::OcrField, outcome::Outcome, request::PreRegistered, scope::Scope, user_input::UserInput};
use http::{HeaderMap, Uri};
use serde::Serialize;
use serde_json::value::RawValue;
use service::session::read::{SessionDetail, read_session};

/// The session id in the path, percent-decoded if it is text. A segment that cannot be an id is looked up like any other.
pub(super) fn id_of(uri: &Uri) -> String {
    const PLACES: [(&str, &str); 3] = [
        ("/v1/verification-sessions/", "/reprocess"),
        ("/v1/verification-sessions/", ""),
        ("/v1/sandbox/verification-sessions/", "/complete"),
    ];
    let path = uri.path();
    let raw = PLACES
        .iter()
        .find_map(|(before, after)| path.strip_prefix(before)?.strip_suffix(after));
    decoded(raw.unwrap_or_default())
}

/// Percent-decodes; bytes that are not UTF-8 become U+FFFD.
fn decoded(raw: &str) -> String {
    let mut bytes = Vec::with_capacity(raw.len());
    let mut rest = raw.as_bytes();
    while let Some((&byte, tail)) = rest.split_first() {
        let hex = |at: usize| tail.get(at).and_then(|digit| char::from(*digit).to_digit(16));
        match (byte, hex(0), hex(1)) {
            (b'%', Some(high), Some(low)) => {
                bytes.push((high * 16 + low) as u8);
                rest = &tail[2..];
            }
            _ => {
                bytes.push(byte);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Detail<'a> {
    id: &'a str,
    status: &'static str,
    plan: &'a domain::session::Plan,
    expires_at: String,
    created_at: String,
    metadata: Option<&'a RawValue>,
    completed_at: Option<String>,
    purged_at: Option<String>,
    pre_registered_info: Option<&'a PreRegistered>,
    user_input_info: Option<&'a UserInput>,
    document_ocr: Option<Ocr<'a>>,
    outcome: Option<&'a Outcome>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Ocr<'a> {
    document_type: Option<&'static str>,
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
        (status = 200, description = "The session", body = openapi::SessionDetail),
        openapi::OfEveryOperation,
        openapi::OfOneSession,
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

fn rendered(detail: &SessionDetail) -> Result<Json<Box<RawValue>>, ApiError> {
    let session = &detail.session;
    let body = Detail {
        id: session.id.as_str(),
        status: detail.status.as_str(),
        plan: &session.plan,
        expires_at: session.expires_at.to_iso(),
        created_at: session.created_at.to_iso(),
        metadata: metadata(detail.metadata.as_deref()),
        completed_at: session.completed_at.map(|at| at.to_iso()),
        purged_at: session.purged_at.map(|at| at.to_iso()),
        pre_registered_info: detail.pre_registered.as_ref().map(|known| known.expose()),
        user_input_info: detail.typed.as_ref().map(|typed| typed.expose()),
        document_ocr: detail.ocr.as_ref().map(|fields| Ocr {
            document_type: detail.document_type.map(|kind| kind.as_str()),
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
        ] {
            let uri: Uri = format!("/v1/verification-sessions/{path}?q=1").parse().unwrap();
            assert_eq!(id_of(&uri), id, "{path}");
        }
        let sandbox = Uri::from_static("/v1/sandbox/verification-sessions/vs_1%41/complete");
        assert_eq!(id_of(&sandbox), "vs_1A");
    }
}
