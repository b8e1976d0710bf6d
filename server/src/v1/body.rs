//! Reading a small body. axum's own extractors answer in plain text and require a content type; these do neither.

use super::ApiError;
use crate::edge::TooSlow;
use axum::body::Body;
use bytes::Bytes;
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use std::error::Error;

/// The largest body of an operation.
pub(super) const LIMIT: usize = 64 * 1024;

/// The whole body.
///
/// # Errors
/// If it exceeds the limit, arrives too slowly, or ends early.
pub(super) async fn read(body: Body) -> Result<Bytes, ApiError> {
    match Limited::new(body, LIMIT).collect().await {
        Ok(whole) => Ok(whole.to_bytes()),
        Err(error) if caused_by::<LengthLimitError>(&*error) => Err(ApiError::BodyTooLarge),
        Err(error) if caused_by::<TooSlow>(&*error) => Err(ApiError::TooSlow),
        // The chunks are malformed, or the client has disconnected and nobody waits for a response.
        Err(error) => {
            tracing::debug!(%error, "incomplete request body");
            Err(ApiError::BrokenBody)
        }
    }
}

fn caused_by<E: Error + 'static>(error: &(dyn Error + 'static)) -> bool {
    std::iter::successors(Some(error), |error| (*error).source()).any(|error| error.is::<E>())
}
