//! Reading a small body. axum's own extractors answer in plain text and require a content type; these do neither. Also writes bodies that
//! contain JSON as a customer wrote it.

use super::ApiError;
use crate::edge::{TooLong, TooSlow, caused_by};
use axum::{Json, body::Body};
use bytes::Bytes;
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

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

/// A response's body.
pub(super) type Rendered = Json<Box<RawValue>>;

/// `body` as JSON, with what it borrows.
///
/// # Errors
/// [`ApiError::Json`] if it cannot be written.
pub(super) fn rendered<T: Serialize>(body: &T) -> Result<Rendered, ApiError> {
    Ok(Json(to_raw_value(body)?))
}
