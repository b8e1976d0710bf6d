//! The one table of error responses: status, headers and body of each. An internal error reveals nothing but the request's id.

use super::{
    body::LIMIT,
    refusals::{
        AdvanceNotAllowed, CallbackUrlNotAllowed, CancelNotAllowed, CompletionNotAllowed, HttpApiDecodeError,
        IdempotencyConflict, InternalError, IpNotAllowed, RateLimited, ReprocessNotAllowed, RequestTimeout,
        SessionCreationNotAllowed, SessionNotFound, Unauthorized, Unavailable,
    },
    request_log::ErrorTag,
};
use crate::edge::RequestContext;
use app::page::RETRY_SOON;
use axum::{
    Json,
    response::{IntoResponse, Response},
};
use domain::{request::Issue, tenant::NotReady};
use http::{
    HeaderValue, StatusCode,
    header::{CONNECTION, RETRY_AFTER, WWW_AUTHENTICATE},
};
use serde_json::{Value, json};
use service::{
    access::AccessError,
    privacy::erase_now::EraseOfTenantError,
    sandbox::{CompleteError, clock::AdvanceError},
    session::{cancel::CancelError, create::CreateSessionError, read::ReadSessionError, reprocess::ReprocessError},
};
use std::{net::IpAddr, sync::Arc};
use store::StoreError;

/// Why a request is refused.
#[derive(Clone, Debug)]
pub(crate) enum ApiError {
    Unauthorized,
    IpNotAllowed(IpAddr),
    RateLimited,
    CallbackUrlNotAllowed(String),
    SessionCreationNotAllowed(NotReady),
    Decode(Vec<Issue>),
    BadIdempotencyKey,
    BrokenBody,
    SessionNotFound(String),
    ReprocessNotAllowed(String),
    CancelNotAllowed(String),
    CompletionNotAllowed(String),
    AdvanceNotAllowed(String),
    IdempotencyConflict,
    NotFound,
    MethodNotAllowed,
    BodyTooLarge,
    TooSlow,
    Storage(StoreError),
    /// Stored JSON that cannot be read, or a response that cannot be written: why.
    Json(Arc<str>),
    /// Our error, which was logged where it occurred.
    Internal,
    Unavailable,
    /// The node, or the tenant's share of it, is fully used: nothing of the request was processed.
    Busy,
}

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> Self {
        Self::Storage(error)
    }
}

impl From<serde_json::Error> for ApiError {
    fn from(error: serde_json::Error) -> Self {
        Self::Json(error.to_string().into())
    }
}

impl From<CreateSessionError> for ApiError {
    fn from(error: CreateSessionError) -> Self {
        match error {
            CreateSessionError::Decode(issues) => Self::Decode(issues),
            CreateSessionError::CallbackUrlNotAllowed(url) => Self::CallbackUrlNotAllowed(url),
            CreateSessionError::NotReady(why) => Self::SessionCreationNotAllowed(why),
            CreateSessionError::RateLimited => Self::RateLimited,
            CreateSessionError::IdempotencyConflict => Self::IdempotencyConflict,
            CreateSessionError::Store(error) => Self::Storage(error),
        }
    }
}

impl ApiError {
    /// A caller at `address` who is refused.
    pub(super) fn of_access(error: AccessError, address: IpAddr) -> Self {
        match error {
            AccessError::Unauthorized => Self::Unauthorized,
            AccessError::IpNotAllowed => Self::IpNotAllowed(address),
            AccessError::Store(error) => Self::Storage(error),
        }
    }

    /// A refused read of the session with `id`.
    pub(super) fn of_read(error: ReadSessionError, id: &str) -> Self {
        match error {
            ReadSessionError::NotFound => Self::SessionNotFound(id.to_owned()),
            ReadSessionError::Store(error) => Self::Storage(error),
        }
    }

    /// A refused reprocess of the session with `id`.
    pub(super) fn of_reprocess(error: ReprocessError, id: &str) -> Self {
        match error {
            ReprocessError::NotFound => Self::SessionNotFound(id.to_owned()),
            ReprocessError::NotAllowed => Self::ReprocessNotAllowed(id.to_owned()),
            ReprocessError::Store(error) => Self::Storage(error),
        }
    }

    /// A refused cancellation of the session with `id`.
    pub(super) fn of_cancel(error: CancelError, id: &str) -> Self {
        match error {
            CancelError::NotFound => Self::SessionNotFound(id.to_owned()),
            CancelError::NotAllowed => Self::CancelNotAllowed(id.to_owned()),
            CancelError::Store(error) => Self::Storage(error),
        }
    }

    /// A refused erasure of the session with `id`. One that collided with another operation can be requested again.
    pub(super) fn of_erasure(error: EraseOfTenantError, id: &str) -> Self {
        match error {
            EraseOfTenantError::NotFound => Self::SessionNotFound(id.to_owned()),
            EraseOfTenantError::Store(StoreError::Conflict) => Self::Unavailable,
            EraseOfTenantError::Store(error) => Self::Storage(error),
        }
    }

    /// A refused completion of the sandbox session with `id`.
    pub(super) fn of_completion(error: CompleteError, id: &str) -> Self {
        match error {
            CompleteError::NotFound => Self::SessionNotFound(id.to_owned()),
            CompleteError::NotAllowed => Self::CompletionNotAllowed(id.to_owned()),
            CompleteError::Store(error) => Self::Storage(error),
        }
    }

    /// A refused advance of the sandbox session with `id`.
    pub(super) fn of_advance(error: AdvanceError, id: &str) -> Self {
        match error {
            AdvanceError::NotFound => Self::SessionNotFound(id.to_owned()),
            AdvanceError::NotAllowed => Self::AdvanceNotAllowed(id.to_owned()),
            AdvanceError::ClockJumped => Self::Unavailable,
            AdvanceError::Store(error) => Self::Storage(error),
        }
    }

    /// What the client is told of it: a storage error that is not temporary is internal.
    fn settled(&self) -> &Self {
        match self {
            Self::Storage(error) if error.is_temporary() => &Self::Unavailable,
            Self::Storage(_) | Self::Json(_) => &Self::Internal,
            Self::Busy => &Self::Unavailable,
            other => other,
        }
    }

    fn status(&self) -> StatusCode {
        match self.settled() {
            Self::Unauthorized => StatusCode::UNAUTHORIZED,
            Self::IpNotAllowed(_) => StatusCode::FORBIDDEN,
            Self::RateLimited => StatusCode::TOO_MANY_REQUESTS,
            // The contract has no 413: metadata that makes the body too large is 400.
            Self::CallbackUrlNotAllowed(_)
            | Self::Decode(_)
            | Self::BadIdempotencyKey
            | Self::BrokenBody
            | Self::BodyTooLarge => StatusCode::BAD_REQUEST,
            Self::SessionNotFound(_) | Self::NotFound => StatusCode::NOT_FOUND,
            Self::SessionCreationNotAllowed(_)
            | Self::ReprocessNotAllowed(_)
            | Self::CancelNotAllowed(_)
            | Self::CompletionNotAllowed(_)
            | Self::AdvanceNotAllowed(_)
            | Self::IdempotencyConflict => StatusCode::CONFLICT,
            Self::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
            Self::TooSlow => StatusCode::REQUEST_TIMEOUT,
            Self::Storage(_) | Self::Json(_) | Self::Internal => StatusCode::INTERNAL_SERVER_ERROR,
            Self::Unavailable | Self::Busy => StatusCode::SERVICE_UNAVAILABLE,
        }
    }

    /// The JSON body; `request_id` appears only in internal errors.
    pub(super) fn body(&self, request_id: &str) -> Value {
        let decode = |tag, path: &[&str], message: &str| {
            let path = path.iter().map(|&key| key.to_owned()).collect();
            let message = message.to_owned();
            json!(HttpApiDecodeError::new(vec![Issue { tag, path, message }]))
        };
        match self.settled() {
            Self::Unauthorized => json!(Unauthorized::new()),
            Self::IpNotAllowed(address) => json!(IpNotAllowed::new(*address)),
            Self::RateLimited => json!(RateLimited::new()),
            Self::CallbackUrlNotAllowed(url) => json!(CallbackUrlNotAllowed::new(url)),
            Self::SessionCreationNotAllowed(why) => json!(SessionCreationNotAllowed::new(*why)),
            Self::Decode(issues) => json!(HttpApiDecodeError::new(issues.clone())),
            Self::BadIdempotencyKey => decode(
                "Format",
                &["Idempotency-Key"],
                "must have 1 to 255 visible ASCII characters, and be given once",
            ),
            Self::BrokenBody => decode("Syntax", &[], "the body ended too early, or its chunks are malformed"),
            Self::BodyTooLarge => decode("Limit", &[], &format!("the body must be at most {LIMIT} bytes")),
            Self::SessionNotFound(id) => json!(SessionNotFound::new(id)),
            Self::ReprocessNotAllowed(id) => json!(ReprocessNotAllowed::new(id)),
            Self::CancelNotAllowed(id) => json!(CancelNotAllowed::new(id)),
            Self::CompletionNotAllowed(id) => json!(CompletionNotAllowed::new(id)),
            Self::AdvanceNotAllowed(id) => json!(AdvanceNotAllowed::new(id)),
            Self::IdempotencyConflict => json!(IdempotencyConflict::new()),
            Self::NotFound => json!({"_tag": "NotFound"}),
            Self::MethodNotAllowed => json!({"_tag": "MethodNotAllowed"}),
            Self::TooSlow => json!(RequestTimeout::new()),
            Self::Storage(_) | Self::Json(_) | Self::Internal => json!(InternalError::new(request_id)),
            Self::Unavailable | Self::Busy => json!(Unavailable::new()),
        }
    }

    /// The response. An internal error is logged here, once.
    pub(crate) fn answer(&self, context: &RequestContext) -> Response {
        match self {
            Self::Storage(error) => tracing::error!(%error, "storage"),
            Self::Json(error) => tracing::error!(%error, "JSON"),
            _ => {}
        }
        let body = self.body(context.id.as_str());
        let tag = body["_tag"].as_str().map(|tag| ErrorTag(tag.to_owned()));
        let mut response = (self.status(), Json(body)).into_response();
        if let Some(tag) = tag {
            response.extensions_mut().insert(tag);
        }
        match self {
            Self::Unauthorized => {
                response
                    .headers_mut()
                    .insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            }
            Self::Busy => {
                response.headers_mut().insert(RETRY_AFTER, RETRY_SOON);
            }
            // The rest of the body will not be read.
            Self::BodyTooLarge | Self::TooSlow | Self::BrokenBody => {
                response
                    .headers_mut()
                    .insert(CONNECTION, HeaderValue::from_static("close"));
            }
            _ => {}
        }
        response
    }
}

/// The response of an operation.
pub(super) fn respond<T: IntoResponse>(context: &RequestContext, outcome: Result<T, ApiError>) -> Response {
    match outcome {
        Ok(answer) => answer.into_response(),
        Err(error) => error.answer(context),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use app::docs::errors::ERRORS;
    use std::{fmt::Write as _, net::Ipv4Addr};

    const HERE: IpAddr = IpAddr::V4(Ipv4Addr::new(203, 0, 113, 7));

    fn every_refusal() -> Vec<ApiError> {
        let issue = Issue {
            tag: "Type",
            path: vec!["state".into()],
            message: "must be a string".into(),
        };
        vec![
            ApiError::of_access(AccessError::Unauthorized, HERE),
            ApiError::of_access(AccessError::IpNotAllowed, HERE),
            CreateSessionError::RateLimited.into(),
            CreateSessionError::CallbackUrlNotAllowed("http://x/".into()).into(),
            CreateSessionError::NotReady(NotReady::SettingsMissing).into(),
            CreateSessionError::NotReady(NotReady::NoStepsEnabled).into(),
            CreateSessionError::Decode(vec![issue]).into(),
            ApiError::BadIdempotencyKey,
            ApiError::BrokenBody,
            ApiError::BodyTooLarge,
            ApiError::of_read(ReadSessionError::NotFound, &"é".repeat(70)),
            ApiError::of_reprocess(ReprocessError::NotFound, "vs_x"),
            ApiError::of_reprocess(ReprocessError::NotAllowed, "vs_x"),
            ApiError::of_cancel(CancelError::NotFound, "vs_x"),
            ApiError::of_cancel(CancelError::NotAllowed, "vs_x"),
            ApiError::of_erasure(EraseOfTenantError::NotFound, "vs_x"),
            ApiError::of_erasure(StoreError::Conflict.into(), "vs_x"),
            ApiError::of_completion(CompleteError::NotFound, "vs_x"),
            ApiError::of_completion(CompleteError::NotAllowed, "vs_x"),
            ApiError::of_advance(AdvanceError::NotFound, "vs_x"),
            ApiError::of_advance(AdvanceError::NotAllowed, "vs_x"),
            CreateSessionError::IdempotencyConflict.into(),
            ApiError::NotFound,
            ApiError::MethodNotAllowed,
            ApiError::TooSlow,
            StoreError::Conflict.into(),
            serde_json::from_str::<u8>("no number").unwrap_err().into(),
            StoreError::Unavailable("gone".into()).into(),
            StoreError::MasterKeyMissing.into(),
            ApiError::Busy,
        ]
    }

    /// The request log links each tag to its row.
    #[test]
    fn every_refusal_is_explained_on_the_page_of_the_api() {
        let mut sent: Vec<_> = every_refusal()
            .iter()
            .map(|error| {
                (
                    error.status().as_u16(),
                    error.body("req_1")["_tag"].as_str().unwrap().to_owned(),
                )
            })
            .collect();
        sent.sort();
        sent.dedup();
        let mut explained = ERRORS.map(|error| (error.status, error.tag.to_owned())).to_vec();
        explained.sort();
        assert_eq!(sent, explained);
    }

    #[test]
    fn the_table_of_refusals() {
        let mut table = String::new();
        for error in every_refusal() {
            writeln!(table, "{} {}", error.status().as_u16(), error.body("req_1")).ok();
        }
        insta::assert_snapshot!(table, @r#"
        401 {"_tag":"Unauthorized","message":"The API key is missing or not valid."}
        403 {"_tag":"IpNotAllowed","message":"Calls from 203.0.113.7 are not allowed with this key."}
        429 {"_tag":"RateLimited","message":"The session-creation limit is reached. Retry later."}
        400 {"_tag":"CallbackUrlNotAllowed","callbackUrl":"http://x/"}
        409 {"_tag":"SessionCreationNotAllowed","message":"The tenant has no settings yet. An admin must save them in the console, under Settings.","reason":"settings_missing"}
        409 {"_tag":"SessionCreationNotAllowed","message":"The tenant has no verification step enabled. An admin must enable one in the console, under Settings.","reason":"no_steps_enabled"}
        400 {"_tag":"HttpApiDecodeError","issues":[{"_tag":"Type","message":"must be a string","path":["state"]}],"message":"The request does not match the API description."}
        400 {"_tag":"HttpApiDecodeError","issues":[{"_tag":"Format","message":"must have 1 to 255 visible ASCII characters, and be given once","path":["Idempotency-Key"]}],"message":"The request does not match the API description."}
        400 {"_tag":"HttpApiDecodeError","issues":[{"_tag":"Syntax","message":"the body ended too early, or its chunks are malformed","path":[]}],"message":"The request does not match the API description."}
        400 {"_tag":"HttpApiDecodeError","issues":[{"_tag":"Limit","message":"the body must be at most 65536 bytes","path":[]}],"message":"The request does not match the API description."}
        404 {"_tag":"SessionNotFound","id":"éééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééé"}
        404 {"_tag":"SessionNotFound","id":"vs_x"}
        409 {"_tag":"ReprocessNotAllowed","id":"vs_x"}
        404 {"_tag":"SessionNotFound","id":"vs_x"}
        409 {"_tag":"CancelNotAllowed","id":"vs_x"}
        404 {"_tag":"SessionNotFound","id":"vs_x"}
        503 {"_tag":"Unavailable","message":"The service is overloaded or shutting down. Retry later."}
        404 {"_tag":"SessionNotFound","id":"vs_x"}
        409 {"_tag":"CompletionNotAllowed","id":"vs_x"}
        404 {"_tag":"SessionNotFound","id":"vs_x"}
        409 {"_tag":"AdvanceNotAllowed","id":"vs_x"}
        409 {"_tag":"IdempotencyConflict","message":"This Idempotency-Key was used with another body, or its session has been erased. Use a new key."}
        404 {"_tag":"NotFound"}
        405 {"_tag":"MethodNotAllowed"}
        408 {"_tag":"RequestTimeout","message":"The request body arrived too slowly."}
        500 {"_tag":"InternalError","message":"An internal error occurred.","requestId":"req_1"}
        500 {"_tag":"InternalError","message":"An internal error occurred.","requestId":"req_1"}
        503 {"_tag":"Unavailable","message":"The service is overloaded or shutting down. Retry later."}
        503 {"_tag":"Unavailable","message":"The service is overloaded or shutting down. Retry later."}
        503 {"_tag":"Unavailable","message":"The service is overloaded or shutting down. Retry later."}
        "#);
    }
}
