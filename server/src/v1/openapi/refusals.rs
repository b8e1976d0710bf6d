//! Schemas of error responses, for the description.

#![expect(dead_code, reason = "only their shapes are used")]

use super::examples;
use serde::Serialize;
use utoipa::{IntoResponses, ToSchema};

/// The tags: one type for each, with a single value.
mod tag {
    use super::{Serialize, ToSchema};

    macro_rules! tags {
        ($($name:ident),+ $(,)?) => {
            $(#[derive(Serialize, ToSchema)]
            pub(in crate::v1) enum $name { $name })+
        };
    }
    tags!(
        Unauthorized,
        IpNotAllowed,
        RateLimited,
        CallbackUrlNotAllowed,
        SessionCreationNotAllowed,
        HttpApiDecodeError,
        SessionNotFound,
        ReprocessNotAllowed,
        CompletionNotAllowed,
        IdempotencyConflict,
        RequestTimeout,
        InternalError,
        Unavailable,
    );
}

/// An error response that has only a tag and a message, with the message as its example.
macro_rules! refusals {
    ($($(#[$meta:meta])* $name:ident: $message:literal;)+) => {
        $($(#[$meta])*
        #[derive(Serialize, ToSchema)]
        #[schema(example = json!({"_tag": stringify!($name), "message": $message}))]
        pub(in crate::v1) struct $name {
            #[serde(rename = "_tag")]
            #[schema(inline)]
            tag: tag::$name,
            message: String,
        })+
    };
}

refusals! {
    /// The key is missing, wrong, revoked or expired, or lacks the scope of this operation. The response does not say which.
    Unauthorized: "The API key is missing or not valid.";
    /// The key is valid, but the caller's address is not on the tenant's allow-list.
    IpNotAllowed: "Calls from this address are not allowed.";
    /// Retry later. The response does not state the limit.
    RateLimited: "The session-creation limit is reached. Retry later.";
    /// The Idempotency-Key was used with another body.
    IdempotencyConflict: "This Idempotency-Key was used with another body.";
    /// The request body arrived too slowly.
    RequestTimeout: "The request body arrived too slowly.";
    /// Overloaded or shutting down.
    Unavailable: "The service is overloaded or shutting down. Retry later.";
}

/// Error responses of every operation.
#[derive(IntoResponses)]
pub(in crate::v1) enum OfEveryOperation {
    /// The key is missing or not valid
    #[response(status = 401, headers(("WWW-Authenticate" = String, description = "`Bearer`")))]
    Unauthorized(Unauthorized),
    /// The address is not on the allow-list
    #[response(status = 403)]
    IpNotAllowed(IpNotAllowed),
    /// Internal error
    #[response(status = 500)]
    InternalError(InternalError),
    /// Overloaded or shutting down
    #[response(status = 503)]
    Unavailable(Unavailable),
}

/// Further error responses of operations on one session.
#[derive(IntoResponses)]
pub(in crate::v1) enum OfOneSession {
    /// No such session, another tenant's, or a malformed id
    #[response(status = 404)]
    SessionNotFound(SessionNotFound),
}

/// Not on the allow-list, not https, or with a query or fragment.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(example = examples::callback_url_not_allowed)]
pub(in crate::v1) struct CallbackUrlNotAllowed {
    #[serde(rename = "_tag")]
    #[schema(inline)]
    tag: tag::CallbackUrlNotAllowed,
    callback_url: String,
}

/// The request does not match the API description. Values are never repeated.
#[derive(Serialize, ToSchema)]
#[schema(example = examples::decode_error)]
pub(in crate::v1) struct HttpApiDecodeError {
    #[serde(rename = "_tag")]
    #[schema(inline)]
    tag: tag::HttpApiDecodeError,
    message: String,
    #[schema(min_items = 1)]
    issues: Vec<Issue>,
}

/// One problem with the request.
#[derive(Serialize, ToSchema)]
pub(in crate::v1) struct Issue {
    /// `Missing`, `Type`, `Limit`, `Format` or `Syntax`.
    #[serde(rename = "_tag")]
    tag: String,
    /// Keys from the body's root.
    path: Vec<String>,
    message: String,
}

/// The body is invalid, or the callback URL is not allowed.
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
#[schema(examples(examples::decode_error, examples::callback_url_not_allowed))]
pub(in crate::v1) enum BadRequest {
    Decode(HttpApiDecodeError),
    CallbackUrl(CallbackUrlNotAllowed),
}

/// The tenant's settings do not allow sessions.
#[derive(Serialize, ToSchema)]
#[schema(example = examples::creation_not_allowed)]
pub(in crate::v1) struct SessionCreationNotAllowed {
    #[serde(rename = "_tag")]
    #[schema(inline)]
    tag: tag::SessionCreationNotAllowed,
    reason: NotReady,
    message: String,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(in crate::v1) enum NotReady {
    SettingsMissing,
    NoStepsEnabled,
}

/// The settings do not allow sessions, or the Idempotency-Key was used with another body.
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
#[schema(examples(examples::creation_not_allowed, examples::idempotency_conflict))]
pub(in crate::v1) enum CreationConflict {
    Settings(SessionCreationNotAllowed),
    Key(IdempotencyConflict),
}

/// The same for a session that does not exist, another tenant's, and a malformed id.
#[derive(Serialize, ToSchema)]
#[schema(example = json!({"_tag": "SessionNotFound", "id": "vs_0123456789abcdef0123456789abcdef"}))]
pub(in crate::v1) struct SessionNotFound {
    #[serde(rename = "_tag")]
    #[schema(inline)]
    tag: tag::SessionNotFound,
    /// As given, cut at 64 characters.
    #[schema(max_length = 64)]
    id: String,
}

/// The session cannot be reprocessed.
#[derive(Serialize, ToSchema)]
#[schema(example = json!({"_tag": "ReprocessNotAllowed", "id": "vs_0123456789abcdef0123456789abcdef"}))]
pub(in crate::v1) struct ReprocessNotAllowed {
    #[serde(rename = "_tag")]
    #[schema(inline)]
    tag: tag::ReprocessNotAllowed,
    id: String,
}

/// The sandbox session has already ended or is about to end.
#[derive(Serialize, ToSchema)]
#[schema(example = json!({"_tag": "CompletionNotAllowed", "id": "vs_0123456789abcdef0123456789abcdef"}))]
pub(in crate::v1) struct CompletionNotAllowed {
    #[serde(rename = "_tag")]
    #[schema(inline)]
    tag: tag::CompletionNotAllowed,
    id: String,
}

/// Internal error. Give `requestId` to support.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(example = json!({
    "_tag": "InternalError",
    "message": "An internal error occurred.",
    "requestId": "req_0123456789abcdef0123456789abcdef"
}))]
pub(in crate::v1) struct InternalError {
    #[serde(rename = "_tag")]
    #[schema(inline)]
    tag: tag::InternalError,
    message: String,
    #[schema(pattern = "^req_[0-9a-f]{32}$")]
    request_id: String,
}
