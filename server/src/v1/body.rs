//! Reading a small body. axum's own extractors answer in plain text and require a content type; these do neither. Also writes bodies that
//! contain JSON as a customer wrote it.

use super::ApiError;
use crate::edge::{TooLong, TooSlow, caused_by};
use axum::{
    body::Body,
    response::{IntoResponse, Response},
};
use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use serde::Serialize;

/// The largest body of an operation.
pub(crate) const LIMIT: usize = 64 * 1024;

/// The whole body.
///
/// # Errors
/// If it exceeds the limit, arrives too slowly, or ends early.
pub(super) async fn read(body: Body) -> Result<Bytes, ApiError> {
    match Limited::new(body, LIMIT).collect().await {
        Ok(whole) => Ok(whole.to_bytes()),
        Err(error) if caused_by::<LengthLimitError>(&*error) || caused_by::<TooLong>(&*error) => {
            Err(ApiError::BodyTooLarge)
        }
        Err(error) if caused_by::<TooSlow>(&*error) => Err(ApiError::TooSlow),
        // The chunks are malformed, or the client has disconnected and nobody waits for a response.
        Err(error) => {
            tracing::debug!(%error, "incomplete request body");
            Err(ApiError::BrokenBody)
        }
    }
}

/// A response's body: JSON that is written already.
pub(super) struct Rendered(Vec<u8>);

impl IntoResponse for Rendered {
    fn into_response(self) -> Response {
        ([(CONTENT_TYPE, "application/json")], self.0).into_response()
    }
}

/// `body` as JSON, with what it borrows.
///
/// # Errors
/// [`ApiError::Json`] if it cannot be written.
pub(super) fn rendered<T: Serialize>(body: &T) -> Result<Rendered, ApiError> {
    Ok(Rendered(serde_json::to_vec(body)?))
}
