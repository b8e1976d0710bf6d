//! The frame of the operations on one session: the key, then the whole body, then the operation.

use super::{ApiError, body, caller::caller, error::respond};
use crate::{edge::RequestContext, state::App};
use axum::{
    extract::Request,
    response::{IntoResponse, Response},
};
use bytes::Bytes;
use domain::scope::Scope;
use http::Uri;
use percent_encoding::percent_decode_str;
use service::access::Tenant;

/// A request for an operation on a session that has arrived completely.
pub(super) struct Call {
    /// Whose key it came with.
    pub(super) tenant: Tenant,
    /// The id in the path, well-formed or not.
    pub(super) id: String,
    /// What the operation may read, or ignore. `None` if it is longer than any operation reads.
    body: Option<Bytes>,
}

impl Call {
    /// The body, for an operation that reads it.
    ///
    /// # Errors
    /// [`ApiError::BodyTooLarge`].
    pub(super) fn body(&self) -> Result<&[u8], ApiError> {
        self.body.as_deref().ok_or(ApiError::BodyTooLarge)
    }

    /// The same, unless the tenant is a live one: it has no such session, whatever the id.
    ///
    /// # Errors
    /// [`ApiError::SessionNotFound`].
    pub(super) fn in_sandbox(self) -> Result<Self, ApiError> {
        if self.tenant.is_sandbox() {
            Ok(self)
        } else {
            Err(ApiError::SessionNotFound(self.id))
        }
    }
}

/// Answers a request with what `operation` makes of it. A body that is ignored is still read: somebody who goes away in the middle of a
/// request has not asked for anything. One that is too long for any operation is not waited for, and ignored like others: the contract gives
/// these operations no body, and no error for it.
pub(super) async fn on_session<T: IntoResponse>(
    app: &App,
    context: &RequestContext,
    request: Request,
    scope: Scope,
    operation: impl AsyncFnOnce(Call) -> Result<T, ApiError>,
) -> Response {
    let (parts, sent) = request.into_parts();
    let answer = async {
        let tenant = caller(app, context, &parts.headers, scope).await?;
        let body = match body::read(sent).await {
            Ok(body) => Some(body),
            Err(ApiError::BodyTooLarge) => None,
            Err(error) => return Err(error),
        };
        let id = id_of(&parts.uri);
        operation(Call { tenant, id, body }).await
    };
    respond(context, answer.await)
}

/// The session id in the path, percent-decoded; bytes that are not UTF-8 become U+FFFD. A segment that cannot be an id is looked up like any other.
fn id_of(uri: &Uri) -> String {
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
